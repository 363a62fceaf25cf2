"""PostgreSQL merges what is streamed to it as what comes in parameters, beside such writers too."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random
from threading import Barrier

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from headwater.model.facts import Facts
from headwater.model.merge import CATALOG
from headwater.store.write.writer import Writer, open_writer
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
from tests.properties.test_merge_postgres import shuffled_batches
from tests.store.rows import differences
from tests.store.stores import Store, open_store

pytestmark = pytest.mark.integration

WRITERS = 6


@pytest.fixture(scope="module")
def store(postgresql: PostgreSQL) -> Iterator[Store]:
    """A store whose writer streams."""
    with open_store(postgresql.url("bulk")) as store:
        store.writer = open_writer(store.engine, is_bulk=True)
        yield store
    postgresql.drop("bulk")


@pytest.fixture(scope="module")
def usual(store: Store) -> Iterator[Writer]:
    """The writer of a server, on the same store."""
    with closing(open_writer(store.engine)) as writer:
        yield writer


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_the_same_events_by_either_way(store: Store, usual: Writer, data: DataObject) -> None:
    sent = data.draw(event_lists())
    batches = facts_of_batches(data.draw(deliveries(sent)))
    expected = rows_of(map(facts_of, sent))
    store.empty()
    assert differences(store.write(batches), expected) == {}
    store.empty()
    for batch in batches:
        writer = data.draw(st.sampled_from((usual, store.writer)))
        writer.write(batch)
    assert differences(store.rows(), expected) == {}


@pytest.mark.parametrize("name", CATALOG)
@settings(deadline=None, max_examples=6)
@given(data=st.data())
def test_a_relation_merges_as_in_memory(store: Store, name: str, data: DataObject) -> None:
    stated = []
    for row in data.draw(st.lists(rows(CATALOG[name]), min_size=2, max_size=8)):
        stated.append(Facts())
        stated[-1].add(name, row)
    expected = rows_of(stated)
    # One row a transaction: every merge is made by the database.
    store.empty()
    assert differences(store.write([each] for each in stated), expected) == {}
    # All at once: merged before, written as new.
    store.empty()
    assert differences(store.write([stated]), expected) == {}


@settings(deadline=None, max_examples=25)
@given(batches=st.lists(st.lists(facts(), max_size=4), min_size=1, max_size=4))
def test_rows_of_every_relation_merge_as_in_memory(
    store: Store, batches: list[list[Facts]]
) -> None:
    store.empty()
    expected = rows_of(each for batch in batches for each in batch)
    assert differences(store.write(batches), expected) == {}


def test_writers_of_both_kinds_at_once_end_in_the_same_rows(store: Store) -> None:
    store.empty()
    stated = [facts_of(event) for event in load.events(600)]
    random = Random(1)
    together = Barrier(WRITERS)

    def write(number: int, batches: list[list[Facts]]) -> None:
        with closing(open_writer(store.engine, is_bulk=number % 2 == 0)) as writer:
            together.wait()
            for batch in batches:
                writer.write(batch)

    deliveries = [shuffled_batches(stated, random, 200) for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as threads:
        list(threads.map(write, range(WRITERS), deliveries))
    assert differences(store.rows(), rows_of(stated)) == {}
