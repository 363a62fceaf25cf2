"""What is kept up to date is what would be worked out anew, whatever arrived and however late."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.answers.following import FEW, Following
from headwater.answers.health import judge_datasets, judge_jobs, select_judged
from headwater.answers.overview import Overview
from headwater.graph.health.datasets import DatasetState
from headwater.graph.health.jobs import JobState
from headwater.model.values.instant import MINUTE
from headwater.store.engine import Connection
from headwater.store.maintenance.prune import prune
from headwater.store.query.paging import Page
from headwater.store.read.namespaces import list_namespaces
from headwater.store.search.query import Order
from headwater.store.search.query import Query as SearchQuery
from headwater.store.search.search import search
from headwater.store.stats.activity import (
    list_dataset_times,
    list_job_times,
    list_unlisted_datasets,
)
from headwater.store.stats.health import Judging
from headwater.store.stats.systems import count_by_system
from testing.events.full import Json
from testing.events.history import dataset, delete_dataset, delete_job, minute, run
from tests.graph import histories
from tests.graph.lineage import facts_of
from tests.store.stores import Store

SILENT_AFTER = 3 * MINUTE
ALL = Page(10_000, 0)
JOB_STATES: set[str] = set(JobState)
DATASET_STATES: set[str] = set(DatasetState)


class Clock:
    """The time, as a test sets it."""

    def __init__(self, at: float) -> None:
        self.time = minute(at)

    def __call__(self) -> int:
        return self.time


def kept(overview: Overview, connection: Connection, namespace: str = "") -> Any:
    return {
        "jobs": overview.jobs.page(JOB_STATES, namespace, ALL),
        "job counts": overview.jobs.counts(namespace),
        "datasets": overview.datasets.page(DATASET_STATES, namespace, ALL),
        "dataset counts": overview.datasets.counts(namespace),
        "systems": count_by_system(connection, (overview.systems, overview.running)),
        "job times": overview.job_times(),
        "dataset times": overview.dataset_times(list_unlisted_datasets(connection)),
        "namespaces": list_namespaces(connection, ALL, times=overview.namespaces),
    }


def worked_out(connection: Connection, time: int) -> Any:
    jobs, of_jobs = select_judged(
        judge_jobs(connection, Judging(), time, SILENT_AFTER), JobState, JOB_STATES, ALL
    )
    datasets, of_datasets = select_judged(
        judge_datasets(connection, Judging(), time), DatasetState, DATASET_STATES, ALL
    )
    return {
        "jobs": [one.past.id for one in jobs],
        "job counts": of_jobs["counts"],
        "datasets": [one.past.id for one in datasets],
        "dataset counts": of_datasets["counts"],
        "systems": count_by_system(connection),
        "job times": list_job_times(connection),
        "dataset times": list_dataset_times(connection),
        "namespaces": list_namespaces(connection, ALL),
    }


def check(following: Following, store: Store, time: int) -> None:
    with store.engine.connect() as connection:
        found = following.look(connection, lambda overview: kept(overview, connection))
        assert found == worked_out(connection, time)


@pytest.fixture
def sqlite(sqlite_store: Store) -> Store:
    sqlite_store.empty()
    return sqlite_store


@settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    past=histories.histories(),
    arrivals=st.lists(st.tuples(histories.histories(max_size=4), st.integers(0, 90)), max_size=4),
    in_background=st.booleans(),
)
@pytest.mark.slow
def test_looks_are_as_if_all_was_worked_out_anew(
    sqlite: Store, past: list[Json], arrivals: list[tuple[list[Json], int]], in_background: bool
) -> None:
    sqlite.empty()
    clock = Clock(histories.LAST + 1)
    sqlite.writer.write(facts_of(past))
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    check(following, sqlite, clock.time)
    for events, minutes in arrivals:
        sqlite.writer.write(facts_of(events))
        clock.time += minutes * MINUTE
        if in_background:
            following.refresh()
        check(following, sqlite, clock.time)


def hourly(job: str, hours: range, **rest: Any) -> list[Json]:
    return [
        run(job, event_type, 60 * hour + 20 * (event_type != "START"), 100 + hour, **rest)
        for hour in hours
        for event_type in ("START", "COMPLETE")
    ]


def test_time_alone_makes_late_stale_and_silent(sqlite: Store) -> None:
    counted = dataset("totals") | {"outputFacets": {"outputStatistics": {"rowCount": 9}}}
    events = hourly("load", range(8), writes=[counted])
    beats = [run("stream", kind, at, 1) for at, kind in enumerate(("START", *3 * ["RUNNING"]), 475)]
    sqlite.writer.write(facts_of([*events, *beats]))
    clock = Clock(60 * 8)
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    seen = set()
    for _ in range(60):
        check(following, sqlite, clock.time)
        with sqlite.engine.connect() as connection:
            counts = following.look(
                connection, lambda all: (all.jobs.counts(""), all.datasets.counts(""))
            )
        assert counts is not None
        seen |= {state for some in counts for state, count in some.items() if count}
        clock.time += 7 * MINUTE
    assert {"ok", "late", "silent", "fresh", "stale"} <= seen


def test_what_people_delete_and_restore(sqlite: Store) -> None:
    sqlite.writer.write(facts_of(hourly("load", range(5), writes=["totals"])))
    clock = Clock(600)
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    for edit in (delete_dataset(400, "totals"), delete_job(401, "load")):
        sqlite.writer.write(facts_of([edit]))
        check(following, sqlite, clock.time)
    sqlite.writer.write(facts_of(hourly("load", range(8, 9), writes=["totals"])))
    check(following, sqlite, clock.time)


def test_more_than_a_look_takes_in_waits_for_the_next_pass(sqlite: Store) -> None:
    clock = Clock(600)
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    clock.time += MINUTE
    sqlite.writer.write(
        facts_of(run(f"job{number}", "START", 1, number) for number in range(FEW + 1))
    )
    with sqlite.engine.connect() as connection:
        counts = following.look(connection, lambda overview: overview.jobs.counts(""))
    assert counts is not None and sum(counts.values()) == 0
    assert following.as_of == clock.time - MINUTE
    following.refresh()
    assert following.as_of == clock.time
    check(following, sqlite, clock.time)


def test_after_a_prune_it_is_worked_out_anew(sqlite: Store) -> None:
    sqlite.writer.write(facts_of(hourly("load", range(8), writes=["totals"])))
    clock = Clock(600)
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    assert prune(sqlite.engine, minute(60 * 7))["run"]
    with sqlite.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is None
    following.refresh()
    check(following, sqlite, clock.time)


def test_nothing_is_known_before_the_first_pass(sqlite: Store) -> None:
    following = Following(sqlite.engine, SILENT_AFTER, Clock(0))
    with sqlite.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is None


def test_an_interrupted_pass_leaves_nothing_half_done(sqlite: Store) -> None:
    sqlite.writer.write(facts_of(hourly("load", range(3), writes=["totals"])))
    clock = Clock(600)
    following = Following(sqlite.engine, SILENT_AFTER, clock)
    following.refresh()
    sqlite.writer.write(facts_of(hourly("load", range(3, 6), writes=["totals"])))

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        following.refresh(stop)
    with sqlite.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is None
    following.refresh()
    check(following, sqlite, clock.time)


@pytest.mark.integration
def test_on_postgresql_a_small_store_is_worked_out_at_each_look(
    postgresql_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is.
    monkeypatch.setattr("headwater.answers.following.QUICK_SECONDS", float("inf"))
    following = Following(postgresql_store.engine, SILENT_AFTER, Clock(0))
    following.refresh()
    with postgresql_store.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is None


@pytest.mark.integration
def test_on_postgresql_what_was_pruned_is_not_shown_from_the_last_pass(
    postgresql_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the store were a large one.
    monkeypatch.setattr("headwater.answers.following.QUICK_SECONDS", 0.0)
    # Other tests leave jobs of the same name.
    postgresql_store.empty()
    postgresql_store.writer.write(facts_of(hourly("load", range(8), writes=["totals"])))
    following = Following(postgresql_store.engine, SILENT_AFTER, Clock(600))
    following.refresh()
    with postgresql_store.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is not None
    assert prune(postgresql_store.engine, minute(60 * 7))["run"]
    with postgresql_store.engine.connect() as connection:
        assert following.look(connection, lambda overview: overview) is None


def test_a_search_by_update_finds_the_same_from_what_was_seen_last(sqlite: Store) -> None:
    sqlite.writer.write(
        facts_of(
            run(f"load_orders_{number}", "COMPLETE", number % 97, number, [], [f"orders_{number}"])
            for number in range(400)
        )
    )
    following = Following(sqlite.engine, SILENT_AFTER, Clock(100))
    following.refresh()
    with sqlite.engine.connect() as connection:
        newest = following.look(connection, lambda overview: overview.newest())
        assert newest is not None and len(newest) == 800
        for page in (Page(10, 0), Page(7, 13), Page(100, 0)):
            plain = SearchQuery("orders", order=Order.UPDATED)
            found = [
                search(connection, plain._replace(newest=seen), page) for seen in (newest, None)
            ]
            assert found[0] == found[1] and found[0][1] == 800
