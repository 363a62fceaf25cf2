"""Where a value comes from: the columns it is made of, and those that only decide about it.

The rules by which ways combine are the same for Spark's plans and for SQL texts; what a source is
(a column of a plan's leaf, of a named table) is up to the reader.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Generic, NamedTuple, TypeVar

S = TypeVar("S", bound=Hashable)


class Direct(IntEnum):
    """How a value becomes part of another; of several ways the one that changes most counts."""

    IDENTITY = 0
    TRANSFORMATION = 1
    AGGREGATION = 2


class Way(NamedTuple):
    """How a source reaches a value; `is_masking` if the value does not reveal it."""

    direct: Direct
    is_masking: bool = False

    def then(self, other: "Way") -> "Way":
        return Way(max(self.direct, other.direct), self.is_masking or other.is_masking)


AS_IT_IS = Way(Direct.IDENTITY)
CHANGED = Way(Direct.TRANSFORMATION)
AGGREGATED = Way(Direct.AGGREGATION)


@dataclass(frozen=True)
class Derived(Generic[S]):
    """One value. What decides about it is a source and by what: JOIN, GROUP_BY, FILTER, SORT,
    WINDOW, CONDITIONAL."""

    direct: Mapping[S, Way] = field(default_factory=dict)
    indirect: frozenset[tuple[S, str]] = frozenset()
    members: Mapping[str, "Derived[S]"] | None = None
    """The fields of a structure, where they are known one by one."""
    origin: S | None = None
    """The column that this is, but for its type."""
    kind: Any = None
    """The type of what was written as text or bytes, as Spark reports it."""

    def through(self, way: Way) -> "Derived[S]":
        """The same after something was done to it."""
        direct = {source: before.then(way) for source, before in self.whole.items()}
        return Derived(direct, self.indirect | self._indirect_of_members())

    @property
    def whole(self) -> Mapping[S, Way]:
        """All that it is made of: itself, or its members where it was put together of them."""
        if self.direct or self.members is None:
            return self.direct
        return merge(member.whole for member in self.members.values())

    def _indirect_of_members(self) -> frozenset[tuple[S, str]]:
        return frozenset().union(*(member.indirect for member in (self.members or {}).values()))

    def deciding(self, subtype: str) -> frozenset[tuple[S, str]]:
        """What decides where this value does."""
        return frozenset((source, subtype) for source in self.whole) | self.indirect

    def beside(self, indirect: Iterable[tuple[S, str]]) -> "Derived[S]":
        added = frozenset(indirect)
        if not added:
            return self
        return Derived(self.direct, self.indirect | added, self.members, self.origin)


def merge(some: Iterable[Mapping[S, Way]]) -> dict[S, Way]:
    """The ways of several values in one; the one that changes most counts."""
    merged: dict[S, Way] = {}
    for direct in some:
        for source, way in direct.items():
            merged[source] = merged[source].then(way) if source in merged else way
    return merged


def combine(parts: Iterable[Derived[S]]) -> Derived[S]:
    """What is made of several values, each as it is: one of them, say."""
    some = [part for part in parts if part.direct or part.indirect or part.members]
    if len(some) == 1:
        return some[0]
    direct = merge(part.whole for part in some)
    return Derived(direct, frozenset().union(*(part.through(AS_IT_IS).indirect for part in some)))
