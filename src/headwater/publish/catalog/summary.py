"""What a table is made of, in a few values: for catalogs that keep properties and no links."""

from typing import NamedTuple

import msgspec

from headwater.answers.inventory.entries import DatasetRef
from headwater.emit.spec import PUBLISHED_TEXT
from headwater.model.systems import system_of_dataset
from headwater.model.uses import Name
from headwater.publish.catalog import subject_of
from headwater.publish.catalog.topology import Hop, JobNode, Topology

_DEPTH = 10
_MOST_HOPS = 200
_STREAMS = frozenset(("kafka", "confluent", "kinesis", "pulsar", "pubsub"))
# A comment with this beginning is ours to change.
MARK = PUBLISHED_TEXT


class LineageSummary(NamedTuple):
    """What is upstream of a table, nearest first, and the jobs that write it."""

    hops: list[Hop]
    has_more: bool
    writers: list[JobNode]

    @property
    def topics(self) -> list[Name]:
        return sorted({hop.dataset.name for hop in self.hops if _is_stream(hop.dataset)})

    @property
    def connectors(self) -> list[Name]:
        return sorted(job.name for job in self.writers if job.integration == "KAFKA_CONNECT")

    @property
    def gaps(self) -> str:
        return "; ".join(dict.fromkeys(job.gaps for job in self.writers if job.gaps))

    def properties(self, prefix: str, longest: int) -> dict[str, str]:
        """Keys with the prefix; values that are too long have fewer hops, and say so."""
        chain, is_cut = self._chain(longest)
        found = {
            "source_topics": _join(self.topics, longest),
            "source_connectors": _join(self.connectors, longest),
            "jobs": _join([job.name for job in self.writers], longest),
            "upstream_chain": chain,
            "upstream_truncated": "true" if is_cut or self.has_more else "false",
            "incomplete": self.gaps[:longest],
        }
        return {f"{prefix}.{key}": value for key, value in found.items() if value}

    def sentence(self, longest: int) -> str:
        """For a comment: where it comes from, as `Lineage: made of a, b by job`."""
        sources = [hop.dataset.name for hop in self.hops if hop.distance == 1]
        jobs = _join([job.name for job in self.writers], longest // 2)
        text = f"{MARK}made of {_join(sources, longest // 3)}" + (f" by {jobs}" if jobs else "")
        if self.gaps:
            text += " (incomplete: not all of its jobs was understood)"
        return text[:longest]

    def _chain(self, longest: int) -> tuple[str, bool]:
        rows = [
            {
                "hop": hop.distance,
                "kind": system_of_dataset(hop.dataset.name.namespace),
                "qualified_name": subject_of(hop.dataset.name),
                "display_name": hop.dataset.name.name,
                "job": subject_of(hop.job),
            }
            for hop in self.hops
        ]
        sizes = [len(msgspec.json.encode(row)) + 1 for row in rows]
        kept, size = 0, 2
        while kept < len(rows) and size + sizes[kept] <= longest:
            size += sizes[kept]
            kept += 1
        return msgspec.json.encode(rows[:kept]).decode(), kept < len(rows)


def summarise(topology: Topology, dataset: DatasetRef) -> LineageSummary:
    hops, has_more = topology.upstream(dataset, _DEPTH, _MOST_HOPS)
    return LineageSummary(hops, has_more, topology.writers(dataset))


def _is_stream(dataset: DatasetRef) -> bool:
    return system_of_dataset(dataset.name.namespace) in _STREAMS


def _join(names: list[Name], longest: int) -> str:
    """Names in a row; where they are too many, how many are left out."""
    text = ""
    for number, name in enumerate(names):
        word = (", " if text else "") + subject_of(name)
        rest = f", and {len(names) - number:,} more"
        if len(text) + len(word) + len(rest) > longest:
            return (text + rest).removeprefix(", ")[:longest]
        text += word
    return text
