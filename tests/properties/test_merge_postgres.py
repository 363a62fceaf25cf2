"""PostgreSQL merges as memory and SQLite do, also with several writers at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from sqlalchemy import Engine

from headwater.model.facts import Facts
from headwater.model.merge import CATALOG
from headwater.store.write.writer import open_writer
from testing import load
from testing.services.postgresql import PostgreSQL
from tests.properties.relation_rows import facts, rows
from tests.properties.strategies import (
    deliveries,
    event_lists,
    facts_of,
    facts_of_batches,
    rows_of,
)
from tests.store.rows import differences
from tests.store.stores import Store, open_store

pytestmark = pytest.mark.integration

WRITERS = 4


@pytest.fixture(scope="module")
def store(postgresql: PostgreSQL) -> Iterator[Store]:
    with open_store(postgresql.url("merge")) as store:
        yield store
    postgresql.drop("merge")


@pytest.fixture(scope="module")
def sqlite_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'store.db'}") as store:
        yield store


def write_at_once(engine: Engine, deliveries: list[list[list[Facts]]]) -> None:
    """Write each delivery by a writer and a thread of its own; raises what any of them raised."""
    together = Barrier(len(deliveries))

    def write(batches: list[list[Facts]]) -> None:
        with closing(open_writer(engine)) as writer:
            together.wait()
            for batch in batches:
                writer.write(batch)

    with ThreadPoolExecutor(len(deliveries)) as threads:
        list(threads.map(write, deliveries))


def shuffled_batches(sent: list[Facts], random: Random, size: int) -> list[list[Facts]]:
    """All of it and some twice, in random order, in batches of up to `size`."""
    order = [*sent, *random.sample(sent, len(sent) // 2)]
    random.shuffle(order)
    batches = []
    while order:
        count = random.randint(1, size)
        batches.append(order[:count])
        del order[:count]
    return batches


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_postgresql_holds_what_memory_does(store: Store, data: DataObject) -> None:
    sent = data.draw(event_lists())
    batches = data.draw(deliveries(sent))
    store.empty()
    assert differences(store.write(facts_of_batches(batches)), rows_of(map(facts_of, sent))) == {}


@pytest.mark.parametrize("name", CATALOG)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_both_databases_merge_a_relation_as_memory_does(
    store: Store, sqlite_store: Store, name: str, data: DataObject
) -> None:
    stated = []
    for row in data.draw(st.lists(rows(CATALOG[name]), min_size=2, max_size=8)):
        stated.append(Facts())
        stated[-1].add(name, row)
    expected = rows_of(stated)
    # One row a transaction: every merge is made by the database.
    for database in (store, sqlite_store):
        database.empty()
        assert differences(database.write([each] for each in stated), expected) == {}


@settings(deadline=None, max_examples=50)
@given(batches=st.lists(st.lists(facts(), max_size=4), min_size=1, max_size=4))
def test_postgresql_merges_rows_of_every_relation_as_memory_does(
    store: Store, batches: list[list[Facts]]
) -> None:
    store.empty()
    expected = rows_of(each for batch in batches for each in batch)
    assert differences(store.write(batches), expected) == {}


@settings(deadline=None, max_examples=20)
@given(sent=event_lists(max_size=20), seed=st.integers(0, 2**32))
def test_writers_at_once_end_in_the_same_rows(store: Store, sent: list[bytes], seed: int) -> None:
    store.empty()
    stated = [facts_of(event) for event in sent]
    random = Random(seed)
    deliveries = [shuffled_batches(stated, random, 5) for _ in range(WRITERS)]
    write_at_once(store.engine, deliveries)
    assert differences(store.rows(), rows_of(stated)) == {}


def test_writers_of_large_batches_at_once_end_in_the_same_rows(store: Store) -> None:
    store.empty()
    stated = [facts_of(event) for event in load.events(600)]
    random = Random(1)
    deliveries = [shuffled_batches(stated, random, 200) for _ in range(2 * WRITERS)]
    write_at_once(store.engine, deliveries)
    assert differences(store.rows(), rows_of(stated)) == {}
