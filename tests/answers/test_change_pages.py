"""Pages of changes, put together, are what comparing everything finds."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.answers.change_pages import ChangesRequest, page_shape, read_cursor
from headwater.answers.changes import changes_shape
from headwater.answers.nodes import view_at
from headwater.errors import InvalidRequest
from headwater.graph.diff import compare
from headwater.graph.everything import find_everything
from headwater.graph.view import View
from headwater.store.engine import Connection
from headwater.store.read.nodes import list_ids
from testing.events.full import Json
from testing.events.history import minute, run
from tests.graph import histories
from tests.graph.lineage import facts_of
from tests.store.stores import Store

ALL = 100_000
TIMES = st.integers(-1, histories.LAST)


def views(connection: Connection, since: float, until: float) -> tuple[View, View]:
    old = view_at(connection, minute(since))
    return old, View(old.reader, minute(until), old.classes)


def compared(store: Store, since: float, until: float) -> list[Json]:
    """All changes, by comparing all there is."""
    with store.engine.connect() as connection:
        old, new = views(connection, since, until)
        jobs, datasets = list_ids(connection, new.at, ALL)
        graphs = [find_everything(view, jobs, datasets, ALL) for view in (old, new)]
        shape = changes_shape(connection, new, compare(old, new, *graphs), ALL)
        return list(shape["changes"])


def page(store: Store, since: float, until: float, **request: Any) -> Json:
    with store.engine.connect() as connection:
        old, new = views(connection, since, until)
        return page_shape(connection, old, new, ChangesRequest(**request))


def paged(store: Store, since: float, until: float, limit: int, **request: Any) -> list[Json]:
    """All changes, page by page."""
    found: list[Json] = []
    after = ""
    for _ in range(ALL):
        answer = page(store, since, until, limit=limit, after=read_cursor(after), **request)
        assert len(answer["changes"]) <= limit
        found += answer["changes"]
        after = answer["next"]
        if after is None:
            return found
    raise AssertionError("the pages do not end")


def key(change: Json) -> tuple[str, ...]:
    return change["at"] or "", change["type"], change["subject"], change.get("job") or ""


def dated(changes: list[Json]) -> list[Json]:
    """Those that an event between the two times brought.

    Of a job that reports complete snapshots, a dataset is gone from the time on at which it was
    last seen, though the event that leaves it out came later: after the time that was asked about,
    perhaps. Who compares everything meets such a change; who walks over events need not.
    """
    return [each for each in changes if each["at"]]


CHECKED = settings(
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@CHECKED
@given(events=histories.histories(), times=st.tuples(TIMES, TIMES))
@pytest.mark.slow
def test_a_page_for_all_is_what_comparing_everything_finds(
    store: Store, events: list[Json], times: tuple[int, int]
) -> None:
    store.empty()
    store.writer.write(facts_of(events))
    since, until = sorted(times)
    expected = compared(store, since, until)
    answer = page(store, since, until, limit=ALL)
    found = answer["changes"]
    assert sorted(dated(found), key=key) == sorted(dated(expected), key=key)
    assert [each["at"] for each in dated(found)] == [each["at"] for each in dated(expected)]
    assert {key(each) for each in found} <= {key(each) for each in expected}
    assert answer["totalCount"] == len(found)
    assert not answer["isCut"] and answer["next"] is None


@CHECKED
@given(
    events=histories.histories(), times=st.tuples(TIMES, TIMES), limit=st.integers(1, 4),
    newest=st.booleans(), nodes=st.integers(1, 3),
)  # fmt: skip
@pytest.mark.slow
def test_pages_lose_nothing(
    store: Store, events: list[Json], times: tuple[int, int], limit: int, newest: bool, nodes: int
) -> None:
    store.empty()
    store.writer.write(facts_of(events))
    since, until = sorted(times)
    expected = compared(store, since, until)
    found = paged(store, since, until, limit, is_newest_first=newest, nodes=nodes)
    # A change whose time nobody knows stands where its job was met, and may be met again.
    assert {key(each) for each in found} <= {key(each) for each in expected}
    keys = [key(each) for each in dated(found)]
    assert sorted(keys) == sorted(key(each) for each in dated(expected))
    times_found = [each["at"] for each in dated(found)]
    assert times_found == sorted(times_found, reverse=newest)


class TestManyJobs:
    @pytest.fixture
    def many(self, store: Store) -> Store:
        store.empty()
        store.writer.write(
            facts_of(
                run(f"job{number}", "COMPLETE", number, number, ["hub"], [f"out{number}"])
                for number in range(300)
            )
        )
        return store

    def test_a_page_costs_what_it_shows(self, many: Store) -> None:
        answer = page(many, -1, 400, limit=5)
        assert len(answer["changes"]) == 5 and answer["isCut"]
        assert answer["totalCount"] < 200

    def test_the_newest_first(self, many: Store) -> None:
        answer = page(many, -1, 400, limit=3, is_newest_first=True, without=frozenset(("state",)))
        assert all("299" in change["subject"] for change in answer["changes"])
        assert "state" not in {change["type"] for change in answer["changes"]}

    def test_nodes_are_those_of_the_page(self, many: Store) -> None:
        answer = page(many, -1, 400, limit=2)
        named = {change["subject"] for change in answer["changes"]}
        assert {id for id in answer["nodes"] if id in named}
        assert len(answer["nodes"]) <= 6

    def test_without_changes_it_says_how_far_it_looked(self, many: Store) -> None:
        many.writer.write(
            facts_of(
                run(
                    f"job{number}",
                    "COMPLETE",
                    500 + number,
                    1_000 + number,
                    ["hub"],
                    [f"out{number}"],
                )
                for number in range(300)
            )
        )
        answer = page(many, 450, 900, limit=10)
        assert answer["changes"] == [] and answer["isCut"] and answer["next"]
        assert paged(many, 450, 900, 10) == []


@pytest.mark.parametrize("text", ["x", "bm90IGpzb24=", "WyJhIiwgImIiLCAiYyIsICJkIl0="])
def test_a_cursor_nobody_made_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        read_cursor(text)
