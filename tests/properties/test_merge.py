"""Facts merge in any order, any duplication, any batching; SQLite merges as memory does."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.merge import CATALOG, Merged
from headwater.model.values.instant import DAY
from tests.properties.relation_rows import facts, keys_of, rows
from tests.properties.strategies import (
    deliveries,
    event_lists,
    facts_of,
    facts_of_batches,
    merge,
    rows_of,
)
from tests.store.rows import differences, merged_rows
from tests.store.stores import Store, open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('store') / 'store.db'}") as store:
        yield store


@pytest.mark.parametrize("name", CATALOG)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_two_rows_merge_into_one_whatever_their_order_and_number(
    name: str, data: DataObject
) -> None:
    relation = CATALOG[name]
    key = keys_of(relation)[0]
    a, b, c = (data.draw(rows(relation, key)) for _ in range(3))
    merge_rows = relation.merge
    assert merge_rows(a, b) == merge_rows(b, a)
    assert merge_rows(merge_rows(a, b), c) == merge_rows(a, merge_rows(b, c))
    assert merge_rows(a, a) == a
    assert merge_rows(merge_rows(a, b), b) == merge_rows(a, b)


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_events_merge_alike_in_any_order_number_and_batches(data: DataObject) -> None:
    sent = data.draw(event_lists())
    batches = data.draw(deliveries(sent))
    whole = Merged()
    for batch in facts_of_batches(batches):
        merged = merge(batch)
        whole.add({name: merged.sorted_rows(name) for name in CATALOG})
    assert differences(merged_rows(whole), rows_of(map(facts_of, sent))) == {}


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_sqlite_holds_what_memory_does(store: Store, data: DataObject) -> None:
    sent = data.draw(event_lists())
    batches = data.draw(deliveries(sent))
    store.empty()
    assert differences(store.write(facts_of_batches(batches)), rows_of(map(facts_of, sent))) == {}


@settings(deadline=None, max_examples=100)
@given(batches=st.lists(st.lists(facts(), max_size=4), min_size=1, max_size=4))
def test_sqlite_merges_rows_of_every_relation_as_memory_does(
    store: Store, batches: list[list[Facts]]
) -> None:
    store.empty()
    stated = [each for batch in batches for each in batch]
    assert differences(store.write(batches), rows_of(stated)) == {}


def test_a_rejection_says_the_same_whenever_it_is_made() -> None:
    """Two servers refuse one event at different times, and must not depend on who was first."""
    ahead = b'{"eventTime":"2999-01-01T00:00:00Z","job":{"namespace":"ns","name":"j1"}}'
    first, second = (take_in(ahead, received_at, DAY, "http").facts for received_at in (0, DAY))
    assert differences(rows_of([first]), rows_of([second])) == {}
