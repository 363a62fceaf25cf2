"""Which of a job's inputs each of its outputs comes from, where events state it.

OpenLineage's facet `lineage` of an output lists its inputs. Of a connector with a hundred tables
each topic comes from one: a walk that comes to the job from one of them goes on to the other.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from headwater.graph.reader import Reader


class Pairs:
    """The pairs of one job. An output of which nothing is stated comes from all inputs."""

    def __init__(self, by_output: Mapping[bytes, frozenset[bytes]]) -> None:
        self._by_output = by_output
        self._by_input: defaultdict[bytes, set[bytes]] = defaultdict(set)
        for output, inputs in by_output.items():
            for each in inputs:
                self._by_input[each].add(output)

    def inputs_of(self, output: bytes) -> frozenset[bytes] | None:
        """The inputs that an output comes from; None where nothing is stated."""
        return self._by_output.get(output)

    def is_fed(self, output: bytes, source: bytes) -> bool:
        """Whether an output may come from an input."""
        return output not in self._by_output or output in self._by_input[source]


def read_pairs(
    reader: Reader,
    outputs: Mapping[bytes, Iterable[bytes]],
    resolve: Callable[[Iterable[bytes]], None],
    chosen: Callable[[bytes], bytes],
) -> dict[bytes, Pairs]:
    """The pairs of jobs, given the names of their outputs; jobs that state none are left out."""
    names = {name for some in outputs.values() for name in some}
    if not names:
        return {}
    stated = [each for each in reader.stated_inputs(names) if each.job in outputs]
    resolve({name for each in stated for name in each.inputs})
    found: defaultdict[bytes, dict[bytes, frozenset[bytes]]] = defaultdict(dict)
    for job, output, inputs in stated:
        chosen_inputs = frozenset(map(chosen, inputs))
        before = found[job].get(chosen(output), frozenset())
        found[job][chosen(output)] = before | chosen_inputs
    return {job: Pairs(by_output) for job, by_output in found.items()}
