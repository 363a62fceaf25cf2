"""Which jobs and datasets are next to each other, in memory: by their names, without columns.

Columns and history are not in it, so that it stays small where those are large.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from headwater.answers.inventory import Inventory
from headwater.answers.inventory.entries import DatasetRef
from headwater.model.uses import Name


class JobNode(NamedTuple):
    """A job with the datasets that it uses."""

    name: Name
    system: str
    integration: str
    kind: str
    processing: str
    description: str
    gaps: str
    inputs: tuple[DatasetRef, ...]
    outputs: tuple[DatasetRef, ...]


class Hop(NamedTuple):
    """A dataset upstream of another: how many jobs lie between, and the job that comes first."""

    distance: int
    dataset: DatasetRef
    job: Name


_LONGEST = 500


class Topology:
    """The whole graph by its names."""

    def __init__(self, jobs: Iterable[JobNode]) -> None:
        self.jobs = {job.name: job for job in jobs}
        self._above: defaultdict[DatasetRef, list[tuple[DatasetRef, Name]]] = defaultdict(list)
        self._users: defaultdict[DatasetRef, list[Name]] = defaultdict(list)
        for job in self.jobs.values():
            for dataset in {*job.inputs, *job.outputs}:
                self._users[dataset].append(job.name)

    def add_flow(self, job: Name, output: DatasetRef, inputs: Iterable[DatasetRef]) -> None:
        self._above[output] += [(source, job) for source in inputs]

    def datasets(self) -> Iterable[DatasetRef]:
        return self._users.keys()

    def connected(self, starts: Iterable[DatasetRef]) -> tuple[set[DatasetRef], set[Name]]:
        """The datasets and jobs that are linked to any of some datasets, however far away."""
        datasets, jobs = set(starts), set[Name]()
        waiting = deque(datasets)
        while waiting:
            for job in self._users.get(waiting.popleft(), ()):
                if job not in jobs:
                    jobs.add(job)
                    new = {*self.jobs[job].inputs, *self.jobs[job].outputs} - datasets
                    datasets |= new
                    waiting.extend(new)
        return datasets, jobs

    def upstream(self, dataset: DatasetRef, depth: int, most: int) -> tuple[list[Hop], bool]:
        """The nearest datasets upstream, and whether there are more than that."""
        seen, found = {dataset}, list[Hop]()
        waiting = deque([(dataset, 0)])
        while waiting:
            here, distance = waiting.popleft()
            for source, job in sorted(self._above.get(here, ())):
                if source in seen:
                    continue
                if distance >= depth or len(found) >= most:
                    return found, True
                seen.add(source)
                found.append(Hop(distance + 1, source, job))
                waiting.append((source, distance + 1))
        return found, False

    def writers(self, dataset: DatasetRef) -> list[JobNode]:
        names = self._users.get(dataset, ())
        return [self.jobs[name] for name in names if dataset in self.jobs[name].outputs]


def read_topology(inventory: Inventory) -> Topology:
    """Read the whole graph, without columns."""
    flows: list[tuple[Name, DatasetRef, tuple[DatasetRef, ...]]] = []
    shared: dict[DatasetRef, DatasetRef] = {}

    def read() -> Iterator[JobNode]:
        for job in inventory.jobs(with_columns=False):
            for flow in job.flows:
                if flow.output is not None:
                    inputs = tuple(shared.setdefault(each, each) for each in flow.inputs)
                    flows.append((job.name, shared.setdefault(flow.output, flow.output), inputs))
            yield JobNode(
                job.name,
                job.system,
                job.integration,
                job.kind,
                job.processing,
                job.description[:_LONGEST],
                job.gaps[:_LONGEST],
                tuple(shared.setdefault(each, each) for each in job.inputs),
                tuple(shared.setdefault(each, each) for each in job.outputs),
            )

    topology = Topology(read())
    for flow in flows:
        topology.add_flow(*flow)
    return topology
