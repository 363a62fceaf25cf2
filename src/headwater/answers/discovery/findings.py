"""Findings of a discovery: what they are called, and which of them are requested."""

from collections.abc import Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from headwater.model.uses import Name
from headwater.store.read.acknowledgements import Acknowledgement


class FindingKind(StrEnum):
    """What is wrong with a topic or a group; in the order in which they are listed."""

    UNKNOWN_TOPIC = "unknownTopic"
    UNKNOWN_CONNECTOR = "unknownConnector"
    UNKNOWN_GROUP = "unknownGroup"
    UNKNOWN_INPUT = "unknownInput"
    DELETED_TOPIC = "deletedTopic"
    VANISHED_GROUP = "vanishedGroup"
    NO_PRODUCER = "noProducer"
    NO_READER = "noReader"


FINDINGS: tuple[str, ...] = tuple(FindingKind)


class EstateFinding(NamedTuple):
    """One thing that was found, of a dataset or of a group's job."""

    kind: FindingKind
    entity: bytes
    name: Name
    cluster: str
    """The namespace of the cluster's topics."""
    reason: str
    since: int
    acknowledged: Acknowledgement | None = None

    @property
    def is_job(self) -> bool:
        return self.kind in _OF_JOBS

    @property
    def rank(self) -> tuple[int, Name]:
        return FINDINGS.index(self.kind), self.name


_OF_JOBS = frozenset(
    (
        FindingKind.UNKNOWN_CONNECTOR,
        FindingKind.UNKNOWN_GROUP,
        FindingKind.UNKNOWN_INPUT,
        FindingKind.VANISHED_GROUP,
    )
)


class FindingFilter(NamedTuple):
    """Which findings are requested; patterns are of the names of topics and groups."""

    kinds: frozenset[str] = frozenset(FINDINGS)
    namespace: str = ""
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    acknowledged: bool | None = False

    def admits_name(self, name: str) -> bool:
        is_included = not self.include or any(fnmatchcase(name, each) for each in self.include)
        return is_included and not any(fnmatchcase(name, each) for each in self.exclude)
