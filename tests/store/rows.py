"""All rows of a store, or of the merge in memory, in one form that can be compared."""

from typing import Any

from sqlalchemy import Engine, select

from headwater.model.merge import CATALOG, Merged, Relation, Row
from headwater.store.tables import TABLES
from headwater.store.write.packing import unpack

Rows = dict[str, set[tuple[Any, ...]]]

# Two ways in receive an event at different times: the only column that may differ.
LEFT_OUT = "received_at"


def read_rows(engine: Engine) -> Rows:
    """Read every relation of a store, its values unpacked."""
    with engine.connect() as connection:
        return {
            name: {
                _comparable(relation, tuple(row), is_stored=True)
                for row in connection.execute(select(TABLES[name]))
            }
            for name, relation in CATALOG.items()
        }


def merged_rows(merged: Merged) -> Rows:
    """The rows of the merge in memory, as `read_rows` would give them."""
    return {
        name: {_comparable(relation, row) for row in merged.rows[name].values()}
        for name, relation in CATALOG.items()
    }


def differences(found: Rows, expected: Rows) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
    """The rows that only one side has, by relation; empty where both are the same."""
    return {
        name: {
            "unexpected": sorted(found[name] - expected[name], key=repr),
            "missing": sorted(expected[name] - found[name], key=repr),
        }
        for name in CATALOG
        if found[name] != expected[name]
    }


def _comparable(relation: Relation, row: Row, is_stored: bool = False) -> Row:
    return tuple(
        unpack(value) if is_stored and column.is_packed else value
        for column, value in zip(relation.columns, row, strict=True)
        if column.name != LEFT_OUT
    )
