"""What was reported of a cluster's topics and groups: only changes are sent, also by the next
run."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from headwater.collect.state_file import StateFile


class ReportedTopic(msgspec.Struct, frozen=True):
    """A topic as it was last reported; `digest` is of its facets."""

    digest: str
    at: int
    """The time of the newest event, in microseconds since 1970."""
    is_deleted: bool = False


class ReportedGroup(msgspec.Struct, frozen=True):
    """A group as it was last reported."""

    job: str
    run: str
    is_active: bool
    reported_at: int
    moved_at: int
    """When it was last seen to have members, or to have read on."""
    topics: tuple[str, ...] = ()
    members: str = ""
    offsets: dict[str, int] = {}
    first_offsets: dict[str, int] = {}
    """Of each topic, the sum of its offsets when the run was first seen."""
    lag: dict[str, int] = {}


class StateChange(NamedTuple):
    """What is known of one topic, group or list once an event was delivered; None: no more."""

    kind: str
    name: str
    known: ReportedTopic | ReportedGroup | str | None


class KeptCluster(msgspec.Struct):
    cluster: str = ""
    topics: dict[str, ReportedTopic] = {}
    groups: dict[str, ReportedGroup] = {}
    lists: dict[str, str] = {}
    """Digests of what is reported as a whole: mirrored topics, what may not be read."""


class ReportedCluster(StateFile[KeptCluster]):
    """What one destination was sent of one cluster; a cluster with another id begins anew."""

    def __init__(self, folder: Path, destination: str, bootstrap: str) -> None:
        super().__init__(folder, "kafka", (destination, bootstrap), KeptCluster())

    def of_cluster(self, id: str) -> KeptCluster:
        if self.kept.cluster != id:
            self.kept = KeptCluster(id)
        return self.kept

    def note(self, changes: list[StateChange]) -> None:
        for kind, name, known in changes:
            where: dict[str, object] = getattr(self.kept, kind)
            if known is None:
                where.pop(name, None)
            else:
                where[name] = known
        self.save()
