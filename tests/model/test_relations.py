"""The declared relations: each can be merged, stored and compared as declared."""

from enum import IntEnum
from typing import Any, get_type_hints

import pytest

from headwater.model.merge import CATALOG, Merged, Relation
from headwater.model.relations import RELATIONS, Authority, Direction, Joined, Rule, Slot

NAMES = pytest.mark.parametrize("name", RELATIONS)


def fields_of(name: str) -> tuple[str, ...]:
    row_type: Any = RELATIONS[name]
    return tuple(row_type._fields)


@NAMES
def test_columns_are_the_fields_in_their_order(name: str) -> None:
    relation = CATALOG[name]
    assert relation.name == name
    assert tuple(column.name for column in relation.columns) == fields_of(name)
    assert tuple(get_type_hints(RELATIONS[name])) == fields_of(name)


@NAMES
def test_the_key_comes_first_and_is_never_absent(name: str) -> None:
    relation = CATALOG[name]
    assert relation.key
    assert relation.columns[: len(relation.key)] == relation.key
    assert not any(column.is_nullable for column in relation.key)


@NAMES
def test_every_latest_column_has_the_next_stamp(name: str) -> None:
    relation = CATALOG[name]
    pending = 0
    for column in relation.columns:
        if column.rule is Rule.STAMP:
            assert pending, f"{column.name} closes no group"
            pending = 0
        elif column.rule is Rule.LATEST:
            pending += 1
        else:
            assert not pending, f"{column.name} stands inside a group"
    assert not pending, "a group has no stamp"
    grouped = [column for group in relation.groups for column in group.columns]
    assert tuple(grouped) == relation.by_rule(Rule.LATEST)


@NAMES
def test_what_merges_may_be_absent(name: str) -> None:
    merging = (Rule.MIN, Rule.MAX, Rule.LATEST, Rule.STAMP)
    for column in CATALOG[name].columns:
        if column.rule in merging:
            assert column.is_nullable, column.name


@NAMES
def test_columns_hold_what_all_databases_hold_alike(name: str) -> None:
    for column in CATALOG[name].columns:
        assert column.type in (bytes, str, int)
        if column.is_small:
            assert column.type is int
        if column.is_packed:
            assert column.type is bytes
            assert column.rule is Rule.ONCE
        if column.rule in (Rule.MIN, Rule.MAX, Rule.STAMP):
            assert column.type is int
        if column.rule is Rule.LATEST:
            # Text would be compared by the collation of each database.
            assert column.type in (bytes, int)


def test_relations_are_written_in_one_order() -> None:
    assert list(CATALOG) == list(RELATIONS)
    assert list(Merged().rows) == list(RELATIONS)


@pytest.mark.parametrize("kind", [Direction, Slot, Joined, Authority])
def test_stored_numbers_stay(kind: type[IntEnum]) -> None:
    stored = {
        Direction: {"ITSELF": 0, "INPUT": 1, "OUTPUT": 2},
        Slot: {"RUN": 0, "JOB": 1, "DATASET": 2, "INPUT": 3, "OUTPUT": 4},
        Joined: {"CUT": 0, "TABLE": 1, "LOCATION": 2, "OTHER": 3},
        Authority: {"EVENT": 0, "PERSON": 1},
    }
    assert {member.name: member.value for member in kind} == stored[kind]


def test_an_absent_value_takes_no_part_in_a_merge() -> None:
    relation: Relation = CATALOG["run"]
    empty = relation.merge((b"k", *[None] * (len(relation.columns) - 1)), _full(relation))
    assert empty[1:] != (None,) * (len(relation.columns) - 1)
    assert relation.merge(_full(relation), _absent(relation)) == _full(relation)


def _absent(relation: Relation) -> tuple[Any, ...]:
    return tuple(b"k" if column.rule is Rule.KEY else None for column in relation.columns)


def _full(relation: Relation) -> tuple[Any, ...]:
    values: dict[type, Any] = {bytes: b"k", str: "k", int: 1}
    return tuple(values[column.type] for column in relation.columns)
