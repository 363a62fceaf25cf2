"""Where a value comes from: the columns it is made of, and those that only decide about it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from headwater.model.values.derivation import AS_IT_IS, CHANGED, Way, merge

# Steps of a path into a value: the elements of an array, the keys and values of a map.
ELEMENT = "[]"
KEY = "key"
VALUE = "value"


class ValueForm(Enum):
    """What a value with members is: they are its fields, its elements, or its keys and values."""

    STRUCT = "struct"
    ARRAY = "array"
    MAP = "map"


class ColumnSource(NamedTuple):
    """A column of one of the relations that a plan reads, the first being number 0.

    `path` is the column's name and the steps inside it; `payload` are the steps inside what
    was parsed from the column, as a topic's value is.
    """

    leaf: int
    path: tuple[str, ...]
    payload: tuple[str, ...] = ()


def path_text(steps: Sequence[str]) -> str:
    """A path as OpenLineage has it: `customer.name`, `items[].sku`, `attributes.value`.

    The elements of an array of plain values have the name of the array.
    """
    text = ""
    for step in steps:
        text += step if step == ELEMENT or not text else f".{step}"
    while text.endswith(ELEMENT):
        text = text.removesuffix(ELEMENT)
    return text


# A column that decides, and by what: JOIN, GROUP_BY, FILTER, SORT, WINDOW, CONDITIONAL.
Deciding = tuple[ColumnSource, str]


class SqlText(NamedTuple):
    """An expression as SQL has it; `strength` is how strongly its operator binds."""

    sql: str
    strength: int


@dataclass(frozen=True, slots=True)
class PlanValue:
    """One value."""

    direct: Mapping[ColumnSource, Way] = field(default_factory=dict)
    indirect: frozenset[Deciding] = frozenset()
    members: Mapping[str, "PlanValue"] | None = None
    """The parts of a structure, array or map, where they are known one by one."""
    form: ValueForm = ValueForm.STRUCT
    origin: ColumnSource | None = None
    """The column that this is, but for its type."""
    content: "PlanValue | None" = None
    """The structure that was written as this text or these bytes."""
    kind: Any = None
    """The type of that structure, as Spark reports it."""
    constants: frozenset[str] | None = None
    """All the values it may have, where it is one of a few texts."""
    text: SqlText | None = None
    """How it is made, for people to read; not known of what several plans give."""

    def through(self, way: Way) -> "PlanValue":
        """The same after something was done to it as a whole: its members are not known after."""
        direct = {source: before.then(way) for source, before in self.whole.items()}
        return PlanValue(direct, self.all_indirect)

    def throughout(self, way: Way) -> "PlanValue":
        """The same after something was done to each of its parts."""
        if self.members is None:
            return self.through(way)
        return self.with_members(lambda member: member.throughout(way))

    def with_members(self, change: Callable[["PlanValue"], "PlanValue"]) -> "PlanValue":
        """The same form, of changed parts."""
        members = {name: change(member) for name, member in (self.members or {}).items()}
        return PlanValue(indirect=self.indirect, members=members, form=self.form)

    @property
    def whole(self) -> Mapping[ColumnSource, Way]:
        """All that it is made of: itself, or its members where it was put together of them."""
        if self.direct or self.members is None:
            return self.direct
        return merge(member.whole for member in self.members.values())

    @property
    def all_indirect(self) -> frozenset[Deciding]:
        """What decides about it or about one of its members."""
        if self.members is None:
            return self.indirect
        return self.indirect.union(*(member.all_indirect for member in self.members.values()))

    @property
    def is_empty(self) -> bool:
        """Nothing is known to go into it: a constant, or nothing at all."""
        return not self.direct and self.members is None and not self.indirect

    def deciding(self, subtype: str) -> frozenset[Deciding]:
        """What decides where this value does."""
        return frozenset((source, subtype) for source in self.whole) | self.all_indirect

    def beside(self, indirect: Iterable[Deciding]) -> "PlanValue":
        """The same, with more that decides about it, and so about the structure in it."""
        added = frozenset(indirect)
        content = self.content.beside(added) if self.content is not None else None
        if added <= self.indirect and content is self.content:
            return self
        return self._with(self.indirect | added, content, self.text)

    def described(self, text: SqlText | None) -> "PlanValue":
        """The same, as people read it."""
        return self._with(self.indirect, self.content, text)

    def _with(
        self, indirect: frozenset[Deciding], content: "PlanValue | None", text: SqlText | None
    ) -> "PlanValue":
        return PlanValue(
            self.direct,
            indirect,
            self.members,
            self.form,
            self.origin,
            content,
            self.kind,
            self.constants,
            text,
        )

    def step(self, form: ValueForm, name: str) -> "PlanValue":
        """A part of it by its name; of what has no known parts, something made of all of it."""
        if self.members is None or self.form is not form or name not in self.members:
            return self.through(CHANGED)
        return self.members[name].beside(self.indirect)

    def element(self) -> "PlanValue":
        """An element of an array. One of an array of plain values has no name of its own."""
        element = self.step(ValueForm.ARRAY, ELEMENT)
        return element if element.members is not None else element.through(CHANGED)

    def at(self, place: int) -> "PlanValue":
        """A field of a structure by its place."""
        if self.members is None or self.form is not ValueForm.STRUCT or place >= len(self.members):
            return self.through(CHANGED)
        return [*self.members.values()][place].beside(self.indirect)


NOTHING = PlanValue()


def array_of(element: PlanValue) -> PlanValue:
    """An array of such elements."""
    if element.members is None:
        element = element.through(CHANGED)
    return PlanValue(members={ELEMENT: element}, form=ValueForm.ARRAY)


def map_of(key: PlanValue, value: PlanValue) -> PlanValue:
    return PlanValue(members={KEY: key, VALUE: value}, form=ValueForm.MAP)


def parts_of_type(kind: Any) -> tuple[ValueForm, dict[str, Any]] | None:
    """The form of a type as Spark reports it, and the types of its parts by their steps."""
    if not isinstance(kind, dict):
        return None
    match kind.get("type"):
        case "struct":
            return ValueForm.STRUCT, {each["name"]: each["type"] for each in kind["fields"]}
        case "array":
            return ValueForm.ARRAY, {ELEMENT: kind["elementType"]}
        case "map":
            return ValueForm.MAP, {KEY: kind["keyType"], VALUE: kind["valueType"]}
        case "udt":
            return parts_of_type(kind.get("sqlType"))
    return None


def column(source: ColumnSource, kind: Any) -> PlanValue:
    """A column as it is read, or a part of one; `kind` is its type as Spark reports it."""
    form, members = ValueForm.STRUCT, None
    if (parts := parts_of_type(kind)) is not None:
        form = parts[0]
        members = {
            step: column(source._replace(path=(*source.path, step)), inner)
            for step, inner in parts[1].items()
        }
    text = SqlText(path_text(source.path), _ATOM)
    return PlanValue({source: AS_IT_IS}, members=members, form=form, origin=source, text=text)


def payload(source: ColumnSource, kind: Any) -> PlanValue:
    """What was parsed from a column: a structure is known by its fields and nothing beside them."""
    parts = parts_of_type(kind)
    text = SqlText(path_text(source.payload) or path_text(source.path), _ATOM)
    if parts is None:
        return PlanValue({source: AS_IT_IS}, origin=source, text=text)
    form, inner = parts
    members = {
        step: payload(source._replace(payload=(*source.payload, step)), kind)
        for step, kind in inner.items()
    }
    direct = {} if form is ValueForm.STRUCT else {source: AS_IT_IS}
    return PlanValue(direct, members=members, form=form, text=text)


# No operator binds more strongly than a name.
_ATOM = 9


def combine(parts: Iterable[PlanValue]) -> PlanValue:
    """What is one of several values, or made of all of them, each as it is."""
    every = list(parts)
    constants = _constants_of_all(every)
    some = [part for part in every if not part.is_empty]
    if len(some) == 1:
        return some[0] if constants == some[0].constants else replace(some[0], constants=constants)
    direct = merge(part.whole for part in some)
    indirect = frozenset[Deciding]().union(*(part.indirect for part in some))
    structured = [part for part in some if part.members is not None]
    if not structured or not _are_alike(structured):
        deep = indirect.union(*(part.all_indirect for part in some))
        content, kind = _content_of_all(some)
        return PlanValue(direct, deep, content=content, kind=kind, constants=constants)
    members = {
        name: combine(
            [
                [*(part.members or {}).values()][place] if part.members else part.through(CHANGED)
                for part in some
            ]
        )
        for place, name in enumerate(structured[0].members or {})
    }
    are_whole = all(part.direct for part in some)
    return PlanValue(direct if are_whole else {}, indirect, members, structured[0].form)


def _constants_of_all(parts: Sequence[PlanValue]) -> frozenset[str] | None:
    found: set[str] = set()
    for part in parts:
        if part.constants is None:
            return None
        found |= part.constants
    return frozenset(found) if parts else None


def _content_of_all(parts: Sequence[PlanValue]) -> tuple[PlanValue | None, Any]:
    """The structure in texts that were all written from one."""
    contents = [part.content for part in parts if part.content is not None]
    if not contents or len(contents) < len(parts):
        return None, None
    return combine(contents), parts[0].kind


def _are_alike(parts: Sequence[PlanValue]) -> bool:
    """Whether values have the same form and as many parts: Spark goes by their places."""
    first = parts[0]
    return all(
        part.form is first.form and len(part.members or {}) == len(first.members or {})
        for part in parts
    )
