"""What a cluster reports: its topics, groups and rules of access, at one moment."""

from collections.abc import Mapping
from typing import NamedTuple

_REBALANCING = frozenset(
    ("preparing_rebalancing", "completing_rebalancing", "assigning", "reconciling")
)


class Cluster(NamedTuple):
    """A cluster by its id; `may_list` is whether all of its topics and groups may be seen."""

    id: str
    brokers: tuple[str, ...]
    may_list: bool


class ClusterTopic(NamedTuple):
    """A topic; its settings are None where they may not be read."""

    name: str
    partitions: int
    replication: int
    config: Mapping[str, str] | None = None

    @property
    def is_internal(self) -> bool:
        return self.name.startswith("__")


class Member(NamedTuple):
    """A member of a group, with how many partitions it reads of each topic."""

    client: str
    host: str
    instance: str
    partitions: Mapping[str, int]


class TopicOffsets(NamedTuple):
    """How far a group is in a topic, by partition."""

    by_partition: Mapping[int, int]

    @property
    def total(self) -> int:
        return sum(self.by_partition.values())


class Group(NamedTuple):
    """A consumer group; `has_offsets` is whether its offsets may be read."""

    name: str
    kind: str = ""
    state: str = ""
    members: tuple[Member, ...] = ()
    committed: Mapping[str, TopicOffsets] = {}
    has_offsets: bool = True

    @property
    def is_rebalancing(self) -> bool:
        """Whether members are being given partitions: those they have now say little."""
        return self.state in _REBALANCING

    @property
    def assigned(self) -> set[str]:
        return {topic for member in self.members for topic in member.partitions}


class AccessRule(NamedTuple):
    """Who may, or may not, do what with which resources."""

    resource: str
    name: str
    pattern: str
    principal: str
    host: str
    operation: str
    permission: str

    def is_about(self, resource: str, name: str) -> bool:
        if self.resource != resource:
            return False
        if self.pattern == "prefixed":
            return name.startswith(self.name)
        return self.name in ("*", name)


class Denied(NamedTuple):
    """What may not be read, or did not answer, and why."""

    what: str
    reason: str
