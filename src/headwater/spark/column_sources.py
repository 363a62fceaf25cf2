"""Where a value comes from: the columns it is made of, and those that only decide about it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple


class Direct(IntEnum):
    """How a value becomes part of another; of several ways the one that changes most counts."""

    IDENTITY = 0
    TRANSFORMATION = 1
    AGGREGATION = 2


class ColumnSource(NamedTuple):
    """A column of one of the relations that a plan reads, the first being number 0.

    `path` is the column's name and, inside it, names of fields; `payload` is the path inside what
    was parsed from the column, as a topic's value is.
    """

    leaf: int
    path: tuple[str, ...]
    payload: tuple[str, ...] = ()


class Way(NamedTuple):
    """How a source reaches a value; `is_masking` if the value does not reveal it."""

    direct: Direct
    is_masking: bool = False

    def then(self, other: "Way") -> "Way":
        return Way(max(self.direct, other.direct), self.is_masking or other.is_masking)


AS_IT_IS = Way(Direct.IDENTITY)

# A column that decides, and by what: JOIN, GROUP_BY, FILTER, SORT, WINDOW, CONDITIONAL.
Deciding = tuple[ColumnSource, str]


@dataclass(frozen=True)
class Derived:
    """One value."""

    direct: Mapping[ColumnSource, Way] = field(default_factory=dict)
    indirect: frozenset[Deciding] = frozenset()
    members: Mapping[str, "Derived"] | None = None
    """The fields of a structure, where they are known one by one."""
    origin: ColumnSource | None = None
    """The column that this is, but for its type."""
    kind: Any = None
    """The type of what was written as text or bytes, as Spark reports it."""

    def through(self, way: Way) -> "Derived":
        """The same after something was done to it."""
        direct = {source: before.then(way) for source, before in self.whole.items()}
        return Derived(direct, self.indirect | self._indirect_of_members())

    @property
    def whole(self) -> Mapping[ColumnSource, Way]:
        """All that it is made of: itself, or its members where it was put together of them."""
        if self.direct or self.members is None:
            return self.direct
        return merge(member.whole for member in self.members.values())

    def _indirect_of_members(self) -> frozenset[Deciding]:
        return frozenset().union(*(member.indirect for member in (self.members or {}).values()))

    def deciding(self, subtype: str) -> frozenset[Deciding]:
        """What decides where this value does."""
        return frozenset((source, subtype) for source in self.whole) | self.indirect

    def beside(self, indirect: Iterable[Deciding]) -> "Derived":
        added = frozenset(indirect)
        if not added:
            return self
        return Derived(self.direct, self.indirect | added, self.members, self.origin)


NOTHING = Derived()


def column(source: ColumnSource, kind: Any) -> Derived:
    """A column as it is read, or a field inside one; `kind` is its type as Spark reports it."""
    members = None
    if isinstance(kind, dict) and kind.get("type") == "struct":
        members = {
            field["name"]: column(
                source._replace(path=(*source.path, field["name"])), field["type"]
            )
            for field in kind["fields"]
        }
    return Derived({source: AS_IT_IS}, members=members, origin=source)


def payload(source: ColumnSource, kind: Any) -> Derived:
    """What was parsed from a column: known by its fields, and nothing beside them."""
    if isinstance(kind, dict) and kind.get("type") == "struct":
        return Derived(
            members={
                field["name"]: payload(
                    source._replace(payload=(*source.payload, field["name"])), field["type"]
                )
                for field in kind["fields"]
            }
        )
    return Derived({source: AS_IT_IS}, origin=source)


def merge(some: Iterable[Mapping[ColumnSource, Way]]) -> dict[ColumnSource, Way]:
    merged: dict[ColumnSource, Way] = {}
    for direct in some:
        for source, way in direct.items():
            merged[source] = merged[source].then(way) if source in merged else way
    return merged


def combine(parts: Iterable[Derived]) -> Derived:
    """What is made of several values, each as it is: one of them, say."""
    some = [part for part in parts if part is not NOTHING]
    if len(some) == 1:
        return some[0]
    direct = merge(part.whole for part in some)
    return Derived(direct, frozenset().union(*(part.through(AS_IT_IS).indirect for part in some)))
