"""Rows of any relation, made from its declaration: few keys, absent values, equal stamps."""

from hashlib import sha256
from itertools import product
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from headwater.model.facts import Facts
from headwater.model.merge import CATALOG, LatestGroup, Relation, RelationColumn, Row
from headwater.model.relations import Rule

# Bytes over 7F, letters beyond ASCII and the ends of a number's range: where engines may differ.
IDS = (bytes(16), bytes(15) + b"\x01", b"\x7f" + bytes(15), b"\x80" + bytes(15), b"\xff" * 16)
TEXTS = ("a", "B", "\u00e9", "\U0001f600", "")
NUMBERS = (0, -1, 1, 2, 2**62, -(2**62))
SMALL_NUMBERS = (0, 1, 2, 32_767)
POOLS: dict[type, tuple[Any, ...]] = {bytes: IDS, str: TEXTS, int: NUMBERS}


def keys_of(relation: Relation) -> list[Row]:
    """Three keys, which differ in their last column, or in all."""
    keys = list(product(*(_pool(column)[:3] for column in relation.key)))
    return [keys[0], keys[1], keys[-1]]


@st.composite
def rows(draw: DrawFn, relation: Relation, key: Row | None = None) -> Row:
    """A row that a projection could make: what the key fixes is fixed by it."""
    if key is None:
        key = draw(st.sampled_from(keys_of(relation)))
    values: dict[str, Any] = {
        column.name: value for column, value in zip(relation.key, key, strict=True)
    }
    for column in relation.by_rule(Rule.ONCE):
        values[column.name] = _fixed(column, key)
    for column in (*relation.by_rule(Rule.MIN), *relation.by_rule(Rule.MAX)):
        values[column.name] = draw(_values(column))
    for group in relation.groups:
        values |= draw(_groups(group))
    return tuple(values[column.name] for column in relation.columns)


@st.composite
def facts(draw: DrawFn) -> Facts:
    """Rows of any relations, as an event would state them."""
    stated = Facts()
    for name in draw(st.lists(st.sampled_from(list(CATALOG)), min_size=1, max_size=6)):
        stated.add(name, draw(rows(CATALOG[name])))
    return stated


def _pool(column: RelationColumn) -> tuple[Any, ...]:
    return SMALL_NUMBERS if column.is_small else POOLS[column.type]


def _values(column: RelationColumn) -> SearchStrategy[Any]:
    return st.sampled_from((None, *_pool(column)))


@st.composite
def _groups(draw: DrawFn, group: LatestGroup) -> dict[str, Any]:
    """Values with a stamp, any but not all of them absent; or nothing at all."""
    stamp = draw(st.sampled_from((None, -1, 0, 1, 2**62)))
    if stamp is None:
        return dict.fromkeys([column.name for column in (*group.columns, group.stamp)])
    values = {column.name: draw(_values(column)) for column in group.columns}
    if all(value is None for value in values.values()):
        first = group.columns[0]
        values[first.name] = draw(st.sampled_from(_pool(first)))
    return values | {group.stamp.name: stamp}


def _fixed(column: RelationColumn, key: Row) -> Any:
    seed = sha256(repr((column.name, key)).encode()).digest()
    if column.is_nullable and seed[0] % 2:
        return None
    if column.is_packed:
        # Above and below the size from which packing pays.
        return seed * (64 if seed[1] % 2 else 1)
    if column.type is bytes:
        return seed[:16]
    return seed.hex() if column.type is str else seed[2]
