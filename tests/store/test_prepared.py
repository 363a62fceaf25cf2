"""Queries by id, compiled once: the rows of every id, whatever their number, on each database."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import BigInteger, Connection, Engine, Select, bindparam, or_, select

from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared

COUNT = 3_000
MARK = tables.lifecycle


def at_of_datasets(is_among: IsAmong) -> Select[Any]:
    return select(MARK.c.dataset, MARK.c.at).where(is_among(MARK.c.dataset))


def renames(is_among: IsAmong) -> Select[Any]:
    return select(MARK.c.dataset, MARK.c.previous).where(
        MARK.c.at <= bindparam("until", type_=BigInteger),
        or_(is_among(MARK.c.dataset), is_among(MARK.c.previous)),
        MARK.c.change == "RENAME",
        MARK.c.at >= bindparam("since", type_=BigInteger),
    )


AT_OF_DATASETS = Prepared(at_of_datasets)
RENAMES = Prepared(renames)


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    """A store in which each dataset was renamed from the one before, all after each other."""
    rows = [
        {"dataset": key(number), "at": number, "change": "RENAME", "previous": key(number - 1)}
        for number in range(1, COUNT + 1)
    ]
    with engine.begin() as connection:
        connection.execute(MARK.insert(), rows)
    with engine.connect() as connection:
        yield connection


def test_each_id_has_its_rows(connection: Connection) -> None:
    found = AT_OF_DATASETS.rows(connection, (key(number) for number in (7, 3)))
    assert sorted(found) == [(key(3), 3), (key(7), 7)]


def test_an_id_given_twice_is_requested_once(connection: Connection) -> None:
    assert AT_OF_DATASETS.rows(connection, [key(3), key(3), key(3)]) == [(key(3), 3)]


def test_ids_that_have_no_rows_have_none(connection: Connection) -> None:
    assert AT_OF_DATASETS.rows(connection, [key(0), b""]) == []
    assert AT_OF_DATASETS.rows(connection, [key(0), key(3), b""]) == [(key(3), 3)]


def test_no_ids_have_no_rows(connection: Connection) -> None:
    assert AT_OF_DATASETS.rows(connection, []) == []
    assert RENAMES.rows(connection, iter(()), since=1, until=COUNT) == []


@pytest.mark.parametrize("count", [1, 2, 3, 1_023, 1_024, 1_025, COUNT])
def test_any_number_of_ids_has_each_row_once(connection: Connection, count: int) -> None:
    found = AT_OF_DATASETS.rows(connection, [key(number) for number in range(1, count + 1)])
    assert sorted(found) == [(key(number), number) for number in range(1, count + 1)]


def test_ids_may_stand_at_several_places_among_other_values(connection: Connection) -> None:
    ids = [key(1), key(2), key(9)]
    found = RENAMES.rows(connection, ids, since=2, until=9)
    assert sorted(found) == [(key(number), key(number - 1)) for number in (2, 3, 9)]
    assert RENAMES.rows(connection, ids, since=3, until=8) == [(key(3), key(2))]


def test_one_query_serves_many_connections(engine: Engine, connection: Connection) -> None:
    with engine.connect() as other:
        for each in (connection, other, connection):
            assert AT_OF_DATASETS.rows(each, [key(3)]) == [(key(3), 3)]
