"""What was reported of each query and topic, kept in a file: only changes are sent."""

from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class KnownQuery(msgspec.Struct, frozen=True):
    """A query as it was last reported."""

    namespace: str
    run: str
    condition: str
    reported_at: int
    """In microseconds since 1970."""
    design: str = ""
    """The digest of what it reads and writes, by column."""
    first_offsets: dict[str, int] = {}
    """Of each topic, the sum of its offsets when the run was first seen."""
    offsets: dict[str, int] = {}


class _KeptQueries(msgspec.Struct):
    kafka_cluster: str = ""
    queries: dict[str, KnownQuery] = {}
    topics: dict[str, str] = {}
    """The digest of what was reported of a topic."""


class ReportedQueries(StateFile[_KeptQueries]):
    """What one destination was sent of one ksqlDB; another Kafka cluster begins anew."""

    def __init__(self, folder: Path, destination: str, url: str, bootstrap: str) -> None:
        super().__init__(folder, "ksqldb", (destination, url, bootstrap), _KeptQueries())

    def begin(self, cluster: str) -> None:
        if self.kept.kafka_cluster != cluster:
            self.kept = _KeptQueries(cluster, {}, {})

    def note(self, queries: dict[str, KnownQuery | None], topics: dict[str, str]) -> None:
        """Note what was delivered, whole or not at all; None: it is gone."""
        for name, known in queries.items():
            if known is None:
                self.kept.queries.pop(name, None)
            else:
                self.kept.queries[name] = known
        for name, digest in topics.items():
            if digest:
                self.kept.topics[name] = digest
            else:
                self.kept.topics.pop(name, None)
        self.save()
