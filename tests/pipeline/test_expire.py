"""Expiry of the lake: what the store has pruned goes, and a rebuild shows what the store shows."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from sqlalchemy import select

from headwater.config import LakeSettings, RetentionSettings
from headwater.errors import LakeUnavailable
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.merge import CATALOG
from headwater.model.project import project
from headwater.model.values.instant import DAY, MINUTE, format_instant, parse_instant
from headwater.pipeline.lake.expire import expire
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.lake.outbox import flush
from headwater.server.background.lake import LakeExpiry
from headwater.store import tables
from headwater.store.maintenance.evidence import find_needed_runs, run_of
from headwater.store.maintenance.prune import prune
from headwater.store.write.packing import unpack
from testing.events.minimal import dataset, run_event
from tests.pipeline.lakes import files, payloads
from tests.properties.strategies import event_lists, facts_of, rows_of
from tests.properties.test_prune import HORIZONS
from tests.store.rows import Rows
from tests.store.stores import Store

NOW = parse_instant("2024-06-01T12:00:00Z")
HORIZON = NOW - 30 * DAY
# Of runs: a run is needed or not as a whole. Names and content follow the others.
_OF_RUNS = ("event", "content", "dataset", "rejected", "run", "run_dataset", "sample")


def run_id(number: int) -> str:
    return str(UUID(int=number))


def run(number: int, at: int, job: str = "load", **rest: Any) -> list[bytes]:
    """A run of a minute, which reads one dataset."""
    reads = {"inputs": [dataset("orders")], **rest}
    told = (("START", at), ("COMPLETE", at + MINUTE))
    return [
        msgspec.json.encode(run_event(kind, format_instant(when), run_id(number), job, **reads))
        for kind, when in told
    ]


def facts(payload: bytes) -> Facts:
    return project(decode_event(payload), NOW)


@pytest.fixture
def history(store: Store, lake: Lake) -> list[list[bytes]]:
    """The same job day by day, for 60 days; the store is pruned after 30."""
    runs = [run(day, NOW - (60 - day) * DAY) for day in range(60)]
    store.write([[facts(event) for event in events] for events in runs])
    flush(store.engine, lake)
    prune(store.engine, HORIZON)
    return runs


def test_what_was_pruned_goes_and_all_else_stays(
    store: Store, lake: Lake, history: list[list[bytes]]
) -> None:
    assert expire(store.engine, lake, NOW - 45 * DAY, is_dry_run=True).events == 28
    assert len(payloads(lake)) == 120
    done = expire(store.engine, lake, NOW - 45 * DAY)
    # The first of them is the run that says what the others repeat.
    assert (done.events, done.files) == (28, 14)
    assert payloads(lake) == sorted(
        event for events in (history[0], *history[15:]) for event in events
    )
    assert len(files(lake)) == 46
    assert lake.expired_before == parse_instant("2024-04-17T00:00:00Z")
    assert expire(store.engine, lake, NOW - 45 * DAY).events == 0


def test_no_further_than_the_store_was_pruned(
    store: Store, lake: Lake, history: list[list[bytes]]
) -> None:
    expire(store.engine, lake, NOW)
    assert payloads(lake) == sorted(
        event for events in (history[0], *history[30:]) for event in events
    )


def test_a_store_that_was_never_pruned_needs_all(store: Store, lake: Lake) -> None:
    store.write([[facts(event) for event in run(1, NOW - 60 * DAY)]])
    flush(store.engine, lake)
    assert expire(store.engine, lake, NOW) == (0, 0)
    assert len(payloads(lake)) == 2


def test_not_with_another_store(store: Store, lake: Lake, history: list[list[bytes]]) -> None:
    """One that was lost and begun anew needs what it lacks."""
    store.empty()
    prune(store.engine, HORIZON)
    with pytest.raises(LakeUnavailable, match="is it another store"):
        expire(store.engine, lake, NOW)
    assert len(payloads(lake)) == 120


def test_a_run_that_gave_what_is_shown_stays_whole(store: Store, lake: Lake) -> None:
    """Nobody else has said what the job is for."""
    told: dict[str, Any] = {"job_facets": {"documentation": {"description": "why"}}}
    runs = [run(day, NOW - (60 - day) * DAY, **(told if day == 7 else {})) for day in range(60)]
    store.write([[facts(event) for event in events] for events in runs])
    flush(store.engine, lake)
    prune(store.engine, HORIZON)
    expire(store.engine, lake, NOW)
    assert {*payloads(lake)} == {event for day in (0, 7, *range(30, 60)) for event in runs[day]}


def test_a_run_across_the_horizon_stays_whole(store: Store, lake: Lake) -> None:
    long = [run(99, HORIZON - DAY, job="long")[0], run(99, HORIZON + DAY, job="long")[1]]
    runs = [run(day, NOW - (60 - day) * DAY) for day in range(60)]
    store.write([[facts(event) for event in (*long, *sum(runs, []))]])
    flush(store.engine, lake)
    prune(store.engine, HORIZON)
    with store.engine.begin() as connection:
        id = bytes(15) + bytes([99])
        connection.execute(tables.run.delete().where(tables.run.c.id == id))
        connection.execute(tables.event.delete().where(tables.event.c.run == id))
    expire(store.engine, lake, HORIZON)
    assert {*long} <= {*payloads(lake)}


@pytest.mark.slow
def test_a_server_does_it_if_that_is_set(
    store: Store, lake: Lake, history: list[list[bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    on = LakeSettings(is_on=True)
    work = LakeExpiry(store.engine, lake.folder, on, RetentionSettings(lake="45d"))
    work.work()
    assert "removed 58 events older than 45d from the lake" in caplog.text
    off = LakeExpiry(store.engine, lake.folder, on, RetentionSettings(), timedelta(0))
    off.start()
    off.close()
    assert len(payloads(lake)) == 62


def shown(rows: Rows) -> Rows:
    return {name: rows[name] for name in CATALOG if name not in _OF_RUNS}


@pytest.mark.slow
@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_is_left_rebuilds_what_is_shown(store: Store, data: DataObject) -> None:
    """Whatever was sent: runs may come back that gave something, and all that a store shows of jobs
    and datasets does; facets of runs are theirs."""
    sent = data.draw(event_lists(max_size=12))
    store.empty()
    store.write([[facts_of(event) for event in sent]])
    prune(store.engine, data.draw(st.sampled_from(HORIZONS)))
    with store.engine.connect() as connection:
        of_runs = [event for event in sent if run_of(event) is not None]
        needed = find_needed_runs(connection, of_runs)
        kept = [unpack(row.payload) for row in connection.execute(select(tables.event.c.payload))]
        runs = {*connection.execute(select(tables.run.c.id)).scalars()}
    left = [event for event in sent if (id := run_of(event)) is None or id in needed]
    found, expected = shown(rows_of(map(facts_of, {*left, *kept}))), shown(store.rows())
    for name in expected:
        missing = expected[name] - found[name]
        assert not missing, (name, missing)
        extra = found[name] - expected[name]
        assert name == "facet" or not extra, (name, extra)
    assert runs <= {row[0] for row in rows_of(map(facts_of, {*left, *kept}))["run"]}


def test_events_of_other_kinds_stay(store: Store, lake: Lake, tmp_path: Path) -> None:
    old = NOW - 60 * DAY
    lake.add(
        [LakeEvent(bytes(16), old, old, 3, b"{}"), LakeEvent(bytes(15) + b"1", old, old, 0, b"?")]
    )
    prune(store.engine, HORIZON)
    assert expire(store.engine, lake, NOW).events == 0
