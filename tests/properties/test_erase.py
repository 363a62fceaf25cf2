"""A store without some events is the one that never had them, whatever was sent."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from sqlalchemy import Engine, select

from headwater.model.event import decode_event
from headwater.store import tables
from headwater.store.maintenance.erasable import (
    StatedRows,
    mark_arrivals,
    read_events,
    read_pruned_before,
)
from headwater.store.maintenance.erase import erase_from_store, forget_removed
from headwater.store.maintenance.prune import prune
from testing.services.postgresql import PostgreSQL
from tests.properties.strategies import event_lists, facts_of, rows_of
from tests.properties.test_prune import HORIZONS
from tests.store.rows import differences
from tests.store.stores import Store, open_store
from tests.store.test_prune import answers, check_answers


class Chosen:
    """Some events, by their digests."""

    kind = "chosen"

    def __init__(self, digests: set[bytes]) -> None:
        self.digests = digests

    def has(self, payload: bytes) -> bool:
        return decode_event(payload).digest in self.digests

    def has_text(self, text: str) -> bool:
        return False

    def has_value(self, column: str, text: str) -> bool:
        return False

    def has_rejected(self, payload: bytes) -> bool:
        return False


def erase(engine: Engine, chosen: Chosen, arriving: Iterator[None] | None = None) -> None:
    with engine.connect() as connection:
        since = mark_arrivals(connection)
        pruned = read_pruned_before(connection)
    gone, rest = StatedRows(pruned), StatedRows(pruned)
    kept = list(read_events(engine))
    for event in kept:
        if chosen.has(event.payload):
            gone.add(event.payload)
    for event in kept:
        if not chosen.has(event.payload):
            rest.add_shared(event.payload, gone)
    if arriving is not None:
        next(arriving)
    places = [(event.at, event.digest) for event in kept if event.digest in chosen.digests]
    erase_from_store(engine, chosen, places, gone, rest, since)
    forget_removed(engine)


def words(engine: Engine) -> set[tuple[object, ...]]:
    with engine.connect() as connection:
        return {
            tuple(row)
            for table in (tables.search_word, tables.search_part)
            for row in connection.execute(select(table))
        }


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)]
)
def stores(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, Store]]:
    """One to erase from, and one that never had what is erased."""
    if request.param == "sqlite":
        folder = tmp_path_factory.mktemp("store")
        urls = [f"sqlite:///{folder / name}.db" for name in ("one", "other")]
    else:
        postgresql: PostgreSQL = request.getfixturevalue("postgresql")
        urls = [postgresql.url(name) for name in ("erase_one", "erase_other")]
    with open_store(urls[0]) as one, open_store(urls[1]) as other:
        yield one, other
    if request.param != "sqlite":
        for name in ("erase_one", "erase_other"):
            postgresql.drop(name)


def empty(store: Store) -> None:
    store.empty()
    with store.engine.begin() as connection:
        for table in (tables.search_word, tables.search_part):
            connection.execute(table.delete())


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_store_is_as_if_it_had_never_had_them(
    stores: tuple[Store, Store], data: DataObject
) -> None:
    store, other = stores
    sent = data.draw(event_lists(max_size=12))
    digests = sorted({decode_event(event).digest for event in sent})
    chosen = Chosen(data.draw(st.sets(st.sampled_from(digests))) if digests else set())
    rest = [event for event in sent if not chosen.has(event)]
    late = data.draw(st.lists(st.sampled_from(rest), max_size=3)) if rest else []
    for each in stores:
        empty(each)
    store.write([[facts_of(event) for event in sent if event not in late]])

    def arriving() -> Iterator[None]:
        store.write([[facts_of(event)] for event in late])
        yield

    erase(store.engine, chosen, arriving())
    expected = [facts_of(event) for event in rest]
    assert differences(store.rows(), rows_of(expected)) == {}
    if expected:
        other.write([expected])
    assert words(store.engine) == words(other.engine)
    once = store.rows()
    erase(store.engine, chosen)
    assert differences(store.rows(), once) == {}


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_erasing_nothing_changes_nothing_of_a_pruned_store(
    stores: tuple[Store, Store], data: DataObject
) -> None:
    store, _ = stores
    empty(store)
    store.write([[facts_of(event) for event in data.draw(event_lists(max_size=12))]])
    prune(store.engine, data.draw(st.sampled_from(HORIZONS)))
    before, rows = answers(store.engine), store.rows()
    erase(store.engine, Chosen(set()))
    check_answers(before, answers(store.engine))
    assert differences(store.rows(), rows) == {}
