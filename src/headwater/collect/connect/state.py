"""What was reported of each connector, kept in a file: only changes are sent, also by the next run
of the command."""

from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class KnownConnector(msgspec.Struct, frozen=True):
    """A connector as it was last reported."""

    namespace: str
    job: str
    run: str
    condition: str
    reported_at: int
    """In microseconds since 1970."""
    failures: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    first_offsets: dict[str, int] = {}
    """Of each topic of a sink, the sum of its offsets when the run was first seen."""
    offsets: dict[str, int] = {}


class _Kept(msgspec.Struct):
    kafka_cluster: str = ""
    connectors: dict[str, KnownConnector] = {}


class ReportedState(StateFile[_Kept]):
    """What one destination was sent of one Connect cluster; another Kafka cluster begins anew."""

    def __init__(self, folder: Path, destination: str, url: str, group: str) -> None:
        super().__init__(folder, "connect", (destination, url, group), _Kept())

    def of_cluster(self, kafka_cluster: str) -> dict[str, KnownConnector]:
        if self.kept.kafka_cluster != kafka_cluster:
            self.kept = _Kept(kafka_cluster, {})
        return self.kept.connectors

    def note(self, changes: dict[str, KnownConnector | None]) -> None:
        """Note what was delivered, whole or not at all; None: it is gone."""
        connectors = self.kept.connectors
        for name, known in changes.items():
            if known is None:
                connectors.pop(name, None)
            else:
                connectors[name] = known
        self.save()
