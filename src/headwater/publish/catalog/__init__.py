"""Publishing to catalogs: each is given what differs from what it was given before.

A catalog is a folder beside this one. It says which items it is to hold, made of the store's
inventory, and writes one item at a time; this package does all else.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Protocol

from pydantic import Field, field_validator

from headwater.answers.inventory import Inventory
from headwater.config import Section
from headwater.errors import HeadwaterError, TargetUnavailable
from headwater.model.uses import Name
from headwater.plugins import CheckStep
from headwater.publish.since import check_since, read_since
from headwater.store.published import ItemKey

Json = dict[str, Any]


class CatalogSettings(Section):
    """Settings that every catalog has."""

    name: str = Field(
        default="",
        max_length=200,
        description="Name of the target in `publish status`; its address unless set.",
        json_schema_extra={"metavar": "NAME"},
    )
    include: tuple[str, ...] = Field(
        default=(),
        description="Publish only what is of datasets and jobs whose name, or NAMESPACE/NAME, "
        "matches; * and ? as in file names. Can be repeated.",
        json_schema_extra={"metavar": "PATTERN"},
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="Leave out datasets and jobs whose name, or NAMESPACE/NAME, matches: nothing "
        "that is published names them. Can be repeated.",
        json_schema_extra={"metavar": "PATTERN"},
    )
    prune: bool = Field(
        default=False,
        description="Remove from the catalog what was published and is no longer known here.",
    )
    verify: bool = Field(
        default=False,
        description="Compare with what the catalog has, too, and mend what others changed there.",
    )

    since: str = Field(
        default="",
        description="Look only at datasets and jobs that events and edits since then are about, "
        "and at what is next to them: a time, or how long ago, such as 12h.",
        json_schema_extra={"metavar": "TIME"},
    )

    @field_validator("since")
    @classmethod
    def _is_time(cls, value: str) -> str:
        return check_since(value)

    @property
    def since_time(self) -> int:
        """In microseconds since 1970."""
        return read_since(self.since)

    @property
    def own_job_namespaces(self) -> Sequence[str]:
        """The namespaces of jobs that the catalog itself knows: they are not published to it."""
        return ()

    def has_in_scope(self, subject: str) -> bool:
        """Whether the patterns choose what is of a dataset or job, given as NAMESPACE/NAME."""
        if self.include and not matches_any(self.include, subject):
            return False
        return not self.excludes(subject)

    def excludes(self, subject: str) -> bool:
        """Whether nothing is to name a dataset or job, given as NAMESPACE/NAME."""
        return matches_any(self.exclude, subject)


def matches_any(patterns: Iterable[str], subject: str) -> bool:
    """Whether a pattern is that of a dataset or job, given as NAMESPACE/NAME."""
    # Names hold slashes, and so do namespaces: any end of it may be the name.
    return any(
        fnmatchcase(subject, pattern) or fnmatchcase(subject, f"*/{pattern}")
        for pattern in patterns
    )


class CatalogItem(NamedTuple):
    """Something that a catalog is to hold."""

    kind: str
    key: str
    """What it is called there; there is one of a kind and key."""
    subject: str
    """The dataset or job that it is of, as NAMESPACE/NAME."""
    body: Json
    """All that is published of it."""

    @property
    def id(self) -> ItemKey:
        return ItemKey(self.kind, self.key)


class Skipped(NamedTuple):
    """Something that a catalog cannot hold, and why."""

    what: str
    subject: str
    reason: str


class ItemState(StrEnum):
    """What a catalog has of an item."""

    SAME = "same"
    DIFFERENT = "different"
    MISSING = "missing"


class ItemRefused(HeadwaterError):
    """The catalog does not take an item; another try may help if it is retriable."""

    def __init__(self, reason: str, is_retriable: bool = False) -> None:
        super().__init__(reason)
        self.is_retriable = is_retriable


class KeyRefused(TargetUnavailable):
    """The catalog does not know the key, or no longer: waiting does not help."""


class ItemSkipped(HeadwaterError):
    """There is nothing in the catalog that an item could be put on, such as its table."""


class OpenCatalog(Protocol):
    """One catalog, open for a pass.

    `write` and `remove` are repeated after an interruption: what was done before is no error.
    They raise ItemRefused, ItemSkipped, or TargetUnavailable where nothing is taken now.
    """

    @property
    def kinds(self) -> Sequence[str]:
        """Of items, in the order in which they are created; they are removed in the opposite."""

    @property
    def lasts_seconds(self) -> float | None:
        """How long it keeps what it is given; published again when half of it has passed."""

    def items(self, inventory: Inventory) -> Iterator[CatalogItem | Skipped]:
        """All that it is to hold now, in the order of its kinds."""

    def write(self, item: CatalogItem, reference: str, is_new: bool) -> str:
        """Create or change an item; gives what the catalog calls it."""

    def remove(self, key: ItemKey, reference: str, body: Json) -> None:
        """Take away what was published, with what it last held."""

    def read_state(self, item: CatalogItem, reference: str) -> ItemState:
        """Compare an item with what the catalog has."""

    def check(self) -> list[CheckStep]: ...

    def close(self) -> None: ...


def subject_of(name: Name) -> str:
    return f"{name.namespace}/{name.name}"
