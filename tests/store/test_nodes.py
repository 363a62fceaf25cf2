"""Finding nodes by name: with the words of the index as by looking through all names."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Engine

from headwater.store.read.nodes import find_like
from headwater.store.write.writer import Writer, open_writer
from testing.events.history import run
from tests.graph.lineage import facts_of

NAMES = (
    "sales.orders_2024_daily",
    "sales.orders_2024_hourly",
    "Sales.ORDERS",
    "reorders",
    "raw/orders-v2/part",
    "deadbeef0123cafe",
    "a.b.c",
    "x_orders",
    "straße_orders",
    "9orders9",
    "totals",
)
JOBS = ("load_orders", "load.Totals", "orders")
TEXTS = (
    *(
        "orders",
        "ORDERS",
        "orders_2024",
        "ders_2024_d",
        "2024_daily",
        "24_daily",
        "beef0123",
        "cafe",
    ),
    *(
        "b.c",
        "a",
        "o",
        "rs-v2/pa",
        "sales",
        "db|sales.orders",
        "b|sales",
        "heduler|load",
        "schedul",
    ),
    *(
        "straße",
        "STRASSE",
        "load_",
        "_orders",
        "nothing",
        "totals",
        "9",
        "orders9",
        "|",
        "db",
        "%",
        "_",
    ),
)


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine)) as writer:
        yield writer


@pytest.fixture
def filled(engine: Engine, writer: Writer) -> Engine:
    writer.write(facts_of(run(job, "COMPLETE", 1, n, [], NAMES) for n, job in enumerate(JOBS)))
    return engine


@pytest.mark.parametrize("text", TEXTS)
def test_every_name_that_holds_a_text_is_found(filled: Engine, text: str) -> None:
    every = [("db", name) for name in NAMES] + [("scheduler", name) for name in JOBS]
    expected = {
        (namespace, name)
        for namespace, name in every
        if text.lower() in f"{namespace}|{name}".lower()
    }
    with filled.connect() as connection:
        found = find_like(connection, text, 100)
    assert {(node.namespace, node.name) for node in found} == expected


def test_many_names_with_a_word_are_looked_through(engine: Engine, writer: Writer) -> None:
    names = [f"orders_{number:05}" for number in range(2_100)]
    writer.write(facts_of([run("load", "COMPLETE", 1, 1, [], names)]))
    with engine.connect() as connection:
        assert [node.name for node in find_like(connection, "orders_0204", 10)] == names[2040:2050]
        assert len(find_like(connection, "orders", 3_000)) == 2_100
        assert [node.name for node in find_like(connection, "rders_02099", 10)] == ["orders_02099"]
