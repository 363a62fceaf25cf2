"""The index of searches: right whichever way rows come, and one letter off still finds."""

import string
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, delete, select, text

from headwater.model.facts import Facts
from headwater.model.merge import Merged
from headwater.model.search_text import (
    Rank,
    TermSource,
    is_near,
    near_words,
    parts_of,
    pieces_of_near,
    terms_of_content,
    terms_of_name,
)
from headwater.store import tables
from headwater.store.maintenance.prune import prune
from headwater.store.migrate import upgrade
from headwater.store.query.paging import Page
from headwater.store.search.index import fill_index
from headwater.store.search.query import Query
from headwater.store.search.search import search
from headwater.store.write.writer import open_writer, ready
from tests.properties.strategies import facts_of
from tests.store.replacing import replace

EVER = 2**60
LETTERS = string.ascii_lowercase
words = st.text(LETTERS, min_size=5, max_size=12)


def event(number: int, table: str, **facets: Any) -> bytes:
    found = {
        "eventType": "COMPLETE",
        "eventTime": f"2024-05-01T10:{number:02d}:00Z",
        "producer": "https://example.org/tests",
        "run": {"runId": f"01890000-0000-7000-8000-0000000000{number:02d}"},
        "job": {"namespace": "scheduler", "name": f"load_{table}"},
        "outputs": [{"namespace": "postgres://db", "name": table, "facets": facets}],
    }
    return msgspec.json.encode(found)


def person(at: str, **values: Any) -> bytes:
    entity = {"type": "dataset", "namespace": "postgres://db", "name": "orders"}
    edit = {"actor": "ann", "entity": entity, "set": values}
    return msgspec.json.encode({"eventTime": at, "edit": edit})


EVENTS = (
    event(1, "orders", schema={"fields": [{"name": "customer_id"}]}),
    event(2, "orders", schema={"fields": [{"name": "client_id"}]}),
    event(3, "invoices", documentation={"description": "What was billed."}),
    event(4, "orders_daily", ownership={"owners": [{"name": "team:sales"}]}),
    person("2024-05-02T10:00:00Z", **{"tag/golden": True}),
    person("2024-05-03T10:00:00Z", documentation={"description": "Every purchase."}),
)
QUERIES = (
    *("orders", "order", "o", "client", "customer", "billed", "sales", "golden", "purchase"),
    *("load orders", "ordres", "postgres", "scheduler load", "client_id"),
)


def write(engine: Engine, facts: Iterable[Facts]) -> None:
    with closing(open_writer(engine)) as writer:
        for each in facts:
            writer.write([each])


def index_of(engine: Engine) -> tuple[list[Any], list[Any]]:
    with engine.connect() as connection:
        found = [
            sorted(tuple(row) for row in connection.execute(select(table)))
            for table in (tables.search_word, tables.search_part)
        ]
    return found[0], found[1]


def answers(engine: Engine) -> dict[str, Any]:
    with engine.connect() as connection:
        return {q: search(connection, Query(q), Page(100, 0)) for q in QUERIES}


def names(engine: Engine, q: str) -> list[str]:
    with engine.connect() as connection:
        hits, total = search(connection, Query(q), Page(100, 0))
    assert total == len(hits)
    return [hit.found.name for hit in hits]


def test_the_name_of_an_owner_finds_what_it_owns_and_nothing_else(engine: Engine) -> None:
    owned = {"ownership": {"owners": [{"name": "team:analytics"}]}}
    others = {"ownership": {"owners": [{"name": "team:streaming"}]}}
    events = (
        event(1, "orders_fact", **owned),
        # Has both words: one in its name, the other in its owner.
        event(2, "analytics.raw", **others),
    )
    write(engine, [facts_of(each) for each in events])
    assert names(engine, "team:analytics") == ["orders_fact"]
    # Nobody is called so: the words are looked for by themselves.
    assert names(engine, "streaming:raw") == ["analytics.raw"]


def test_the_order_of_events_makes_no_difference(engine: Engine) -> None:
    facts = [facts_of(each) for each in EVENTS]
    write(engine, facts)
    expected = index_of(engine), answers(engine)
    assert names(engine, "client") == ["orders"]
    assert names(engine, "customer") == []
    empty(engine)
    assert index_of(engine) == ([], [])
    write(engine, [*facts[::-1], *facts])
    assert (index_of(engine), answers(engine)) == expected


@pytest.mark.parametrize("is_bulk", [False, True])
def test_rows_that_were_merged_elsewhere_are_indexed_as_well(engine: Engine, is_bulk: bool) -> None:
    facts = [facts_of(each) for each in EVENTS]
    write(engine, facts)
    expected = index_of(engine), answers(engine)
    empty(engine)
    merged = Merged()
    for each in facts:
        merged.add(each.all_rows())
    with closing(open_writer(engine, is_bulk=is_bulk)) as writer:
        writer.write_rows(ready(merged))
    assert (index_of(engine), answers(engine)) == expected


def test_a_store_that_is_rebuilt_finds_the_same(engine: Engine) -> None:
    write(engine, [facts_of(each) for each in EVENTS])
    expected = index_of(engine), answers(engine)
    replace(engine, EVENTS[::-1])
    assert (index_of(engine), answers(engine)) == expected


def test_an_upgrade_indexes_what_is_stored(engine: Engine) -> None:
    write(engine, [facts_of(each) for each in EVENTS])
    expected = index_of(engine)
    with engine.begin() as connection:
        for table in (tables.search_word, tables.search_part):
            connection.execute(delete(table))
        fill_index(connection)
    assert index_of(engine) == expected


def test_a_store_of_the_revision_before_is_filled(engine: Engine) -> None:
    write(engine, [facts_of(each) for each in EVENTS])
    expected = index_of(engine), answers(engine)
    with engine.begin() as connection:
        for table in (tables.search_word, tables.search_part, tables.stream_job):
            table.drop(connection)
        for table in (tables.outbox_reader, tables.refused_event, tables.outbox):
            table.drop(connection)
        for table in (tables.reported_gaps, tables.rejected_place, tables.collector):
            table.drop(connection)
        for table in (tables.task, tables.event_set_member, tables.event_set):
            table.drop(connection)
        for table in (tables.ingestion_member, tables.ingestion_run, tables.ingestion):
            table.drop(connection)
        for table in (tables.publisher, tables.catalog_target, tables.published_item):
            table.drop(connection)
        connection.execute(text("DROP INDEX IF EXISTS event_by_receipt"))
        key = "PRIMARY KEY (at, digest)"
        connection.execute(text(f"CREATE TABLE outbox (at BIGINT, digest BYTEA, {key})"))
        for name in ("facet_words", "job_dataset_by_schema", "declared_dataset_by_schema"):
            connection.execute(text(f"DROP INDEX {name}"))
        for name in ("edit_value_by_digest", "event_by_run", "job_by_parent", "event_types"):
            connection.execute(text(f"DROP INDEX {name}"))
        for name in ("job_by_whole_name", "job_by_update", "job_unseen"):
            connection.execute(text(f"DROP INDEX {name}"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    assert upgrade(engine)
    assert (index_of(engine), answers(engine)) == expected


def test_what_is_pruned_leaves_nothing_behind(engine: Engine) -> None:
    first = event(1, "orders", documentation={"description": "A forgotten sentence."})
    then = event(2, "orders", documentation={"description": "A better one."})
    write(engine, [facts_of(first), facts_of(then)])
    assert "forgotten" in {row[0] for row in index_of(engine)[0]}
    prune(engine, EVER)
    assert "forgotten" not in {row[0] for row in index_of(engine)[0]}
    assert names(engine, "better") == ["orders"]
    write(engine, [facts_of(event(3, "orders", documentation=json_of(first)))])
    assert names(engine, "forgotten") == ["orders"]


def json_of(data: bytes) -> Any:
    return msgspec.json.decode(data)["outputs"][0]["facets"]["documentation"]


def test_a_writer_that_remembers_does_not_forget_jobs(engine: Engine) -> None:
    """A job that is first known by an edit is indexed once it is heard of."""
    entity = {"type": "job", "namespace": "scheduler", "name": "load_orders"}
    edit = {"actor": "ann", "entity": entity, "set": {"tag/golden": True}}
    told = msgspec.json.encode({"eventTime": "2024-05-01T09:00:00Z", "edit": edit})
    with closing(open_writer(engine)) as writer:
        writer.write([facts_of(told)])
        assert names(engine, "load") == []
        writer.write([facts_of(EVENTS[0])])
    assert names(engine, "load") == ["load_orders"]


def empty(engine: Engine) -> None:
    with engine.begin() as connection:
        index = (tables.search_word, tables.search_part)
        for table in (*tables.TABLES.values(), *index):
            connection.execute(delete(table))


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str]:
    """A word, and the same with one letter wrong, missing, additional or swapped."""
    word = draw(words)
    at = draw(st.integers(0, len(word) - 1))
    letter = draw(st.sampled_from(LETTERS))
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    other = draw(
        st.sampled_from(
            (
                word[:at] + letter + word[at + 1 :],
                word[:at] + word[at + 1 :],
                word[:at] + letter + word[at:],
                word + letter,
                swapped,
            )
        )
    )
    return word, other


@given(edited())
@settings(max_examples=500)
def test_every_edit_is_near_and_leaves_a_piece(pair: tuple[str, str]) -> None:
    word, other = pair
    assert word == other or is_near(word, other)
    assert is_near(word, other) == is_near(other, word)
    # Looked up as a store does: parts of the word's term that begin with a piece of the other.
    if len(other) >= 5 and word != other:
        pieces = pieces_of_near(other)
        parts = [part for part in parts_of(word) if any(part.startswith(piece) for piece in pieces)]
        assert parts
        assert near_words(other, [word, "unrelated"]) == [word]


@given(pair=edited())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_one_edit_of_a_word_finds_it(engine: Engine, pair: tuple[str, str]) -> None:
    word, other = pair
    write(engine, [facts_of(event(1, f"a.b_{word}"))])
    if len(other) >= 5 or other in word:
        assert f"a.b_{word}" in names(engine, other)


@given(words, words)
def test_words_that_are_further_apart_are_not_near(word: str, other: str) -> None:
    assert is_near(word, other) == (_distance(word, other) == 1)


def _distance(one: str, other: str) -> int:
    """Edits from one word to another, a swap of neighbours counted as one."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def test_terms_of_names_weigh_what_begins_least() -> None:
    terms = terms_of_name("Shop.Public.Orders_daily")
    assert terms["orders"] == terms["o"] == terms["or"] == len("orders_daily")
    assert terms["shop"] == len("Shop.Public.Orders_daily")
    assert terms["daily"] == terms["public"] > terms["shop"]
    assert terms_of_name("__") == {}


@pytest.mark.parametrize(
    ("facet", "terms"),
    [
        ({"fields": [{"name": "Customer_Id", "description": "Who"}]}, {"customer", "id", "who"}),
        ({"fields": [{"name": "a", "fields": [{"name": "b"}]}]}, {"a", "b"}),
        ({"description": "One, two."}, {"one", "two"}),
        ({"owners": [{"name": "team:a"}]}, {"team", "a"}),
        ({"tags": [{"key": "pii", "value": "yes"}]}, {"pii", "yes"}),
        ({"fields": {"a": {"inputFields": []}}}, set()),
        ({"rowCount": 1}, set()),
        ({"fields": [1, None, {"name": 2}], "owners": "x", "tags": [{}]}, set()),
        ({"description": "a\0b"}, {"a", "b"}),
        ({"fields": [{"name": "a\0b"}]}, {"a", "b"}),
    ],
)
def test_terms_are_reported_by_the_shape_of_a_facet(facet: Any, terms: set[str]) -> None:
    assert set(terms_of_content(msgspec.json.encode(facet))) == terms


def test_kinds_and_ranks_are_part_of_a_store() -> None:
    """The numbers that are stored must not change."""
    assert [kind.value for kind in TermSource] == [0, 1, 2, 3, 4]
    assert sorted(Rank) == list(Rank)
