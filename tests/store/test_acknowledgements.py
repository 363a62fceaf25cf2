"""Acknowledgements are edits: the same in any order of events, and in a store that is rebuilt."""

from typing import Any

import msgspec
from sqlalchemy import Engine

from headwater.model.values.ids import dataset_id
from headwater.model.values.instant import parse_instant
from headwater.store.read.acknowledgements import Acknowledgement, read_acknowledgements
from tests.properties.strategies import facts_of
from tests.store.replacing import replace
from tests.store.test_search import event, person, write

ORDERS = dataset_id("postgres://db", "orders")
FIRST = {"problem": "stale", "reason": "Known.", "until": None}
SECOND = {"problem": "stale", "reason": "Moved.", "until": "2024-06-01T00:00:00Z"}
EVENTS = (
    event(1, "orders"),
    person("2024-05-02T10:00:00Z", acknowledged=FIRST),
    person("2024-05-03T10:00:00Z", acknowledged=SECOND),
)


def read(engine: Engine) -> Acknowledgement:
    with engine.connect() as connection:
        return read_acknowledgements(connection, [ORDERS])[ORDERS]


def test_the_newest_counts_with_who_gave_it(engine: Engine) -> None:
    write(engine, [facts_of(each) for each in reversed(EVENTS)])
    found = read(engine)
    assert found[:2] == ("stale", "Moved.")
    assert found.until == parse_instant("2024-06-01T00:00:00Z")
    assert found.at == parse_instant("2024-05-03T10:00:00Z")
    assert found.actor == "ann"
    assert len(found.edit) == 16


def test_a_rebuilt_store_has_the_same(engine: Engine) -> None:
    write(engine, [facts_of(each) for each in EVENTS])
    expected = read(engine)
    replace(engine, EVENTS[::-1])
    assert read(engine) == expected


def test_what_was_taken_back_is_gone(engine: Engine) -> None:
    entity = {"type": "dataset", "namespace": "postgres://db", "name": "orders"}
    taken: dict[str, Any] = {"actor": "bob", "entity": entity, "unset": ["acknowledged"]}
    undone = msgspec.json.encode({"eventTime": "2024-05-04T10:00:00Z", "edit": taken})
    write(engine, [facts_of(each) for each in (*EVENTS, undone)])
    with engine.connect() as connection:
        assert read_acknowledgements(connection, [ORDERS]) == {}
