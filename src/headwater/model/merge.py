"""The merge of rows: commutative, associative, idempotent; read off the declared relations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any, get_args, get_type_hints

from headwater.model.relations import PACKED, RELATIONS, SMALL, Rule

Row = tuple[Any, ...]


@dataclass(frozen=True)
class RelationColumn:
    """A declared column: its Python type, whether it may be absent, and its merge rule."""

    name: str
    type: type
    is_nullable: bool
    is_small: bool
    is_packed: bool
    rule: Rule


@dataclass(frozen=True)
class LatestGroup:
    """Columns that change together, and the stamp that decides for them."""

    columns: tuple[RelationColumn, ...]
    stamp: RelationColumn


@dataclass(frozen=True)
class Relation:
    """A relation as declared: what every implementation of the merge is made from."""

    name: str
    columns: tuple[RelationColumn, ...]

    @cached_property
    def key(self) -> tuple[RelationColumn, ...]:
        return tuple(column for column in self.columns if column.rule is Rule.KEY)

    @cached_property
    def groups(self) -> tuple[LatestGroup, ...]:
        groups: list[LatestGroup] = []
        pending: list[RelationColumn] = []
        for column in self.columns:
            if column.rule is Rule.LATEST:
                pending.append(column)
            elif column.rule is Rule.STAMP:
                groups.append(LatestGroup(tuple(pending), column))
                pending = []
        return tuple(groups)

    def by_rule(self, rule: Rule) -> tuple[RelationColumn, ...]:
        return tuple(column for column in self.columns if column.rule is rule)

    @cached_property
    def merge(self) -> Callable[[Row, Row], Row]:
        return _row_merger(self)


def _declared(name: str, row_type: type[tuple[object, ...]]) -> Relation:
    columns = []
    for column, hint in get_type_hints(row_type, include_extras=True).items():
        value_type, *marks = get_args(hint)
        types = [kind for kind in get_args(value_type) or (value_type,) if kind is not NoneType]
        rules = [mark for mark in marks if isinstance(mark, Rule)]
        columns.append(
            RelationColumn(
                name=column,
                type=types[0],
                is_nullable=NoneType in get_args(value_type),
                is_small=SMALL in marks,
                is_packed=PACKED in marks,
                rule=rules[0],
            )
        )
    return Relation(name, tuple(columns))


CATALOG: dict[str, Relation] = {name: _declared(name, kind) for name, kind in RELATIONS.items()}


def _row_merger(relation: Relation) -> Callable[[Row, Row], Row]:
    """Make the function that merges two rows of one key.

    Groups compare by stamp, then by value; an absent member of a group sorts first, so that
    every engine decides alike.
    """
    position = {column.name: index for index, column in enumerate(relation.columns)}
    lowest = tuple(position[column.name] for column in relation.by_rule(Rule.MIN))
    highest = tuple(position[column.name] for column in relation.by_rule(Rule.MAX))
    groups = tuple(
        (position[group.columns[0].name], position[group.stamp.name]) for group in relation.groups
    )

    def merge(kept: Row, new: Row) -> Row:
        merged = list(kept)
        for index in lowest:
            if (value := new[index]) is not None and ((old := kept[index]) is None or value < old):
                merged[index] = value
        for index in highest:
            if (value := new[index]) is not None and ((old := kept[index]) is None or value > old):
                merged[index] = value
        for first, stamp in groups:
            if (at := new[stamp]) is None:
                continue
            old = kept[stamp]
            if old is None or at > old or (at == old and _outranks(new, kept, first, stamp)):
                merged[first : stamp + 1] = new[first : stamp + 1]
        return tuple(merged)

    return merge


def _outranks(new: Row, kept: Row, first: int, stamp: int) -> bool:
    for index in range(first, stamp):
        a, b = new[index], kept[index]
        if a != b:
            return b is None or (a is not None and a > b)
    return False


class Merged:
    """Rows of all relations, merged by key: a store in memory, and a batch before it is written."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[Row, Row]] = {name: {} for name in CATALOG}

    def add(self, rows: Mapping[str, Iterable[Row]]) -> None:
        for name, new_rows in rows.items():
            self.add_rows(name, new_rows)

    def add_rows(self, name: str, new_rows: Iterable[Row]) -> None:
        kept = self.rows[name]
        width = _KEY_WIDTHS[name]
        for row in new_rows:
            key = row[:width]
            if (old := kept.get(key)) is None:
                kept[key] = row
            else:
                kept[key] = _MERGERS[name](old, row)

    def sorted_rows(self, name: str) -> Sequence[Row]:
        """The rows in the order of their keys, in which every writer takes its locks."""
        kept = self.rows[name]
        return [kept[key] for key in sorted(kept)]


_KEY_WIDTHS = {name: len(relation.key) for name, relation in CATALOG.items()}
_MERGERS = {name: relation.merge for name, relation in CATALOG.items()}
