"""The supervisor: what it starts, stops and leaves to another, with runs that are none."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import Busy, SourceUnavailable, SparkUnavailable
from headwater.model.values.instant import MINUTE, SECOND, now
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.ingestions.description import describe_ingestion, save_ingestion
from headwater.pipeline.ingestions.reading import Ingestion
from headwater.pipeline.ingestions.run_notes import RunNotes
from headwater.pipeline.ingestions.supervisor import Supervisor, supervising
from headwater.store.engine import Engine, open_engine
from headwater.store.ingestions import (
    StoredIngestion,
    list_ingestion_runs,
    read_ingestion_row,
    remove_ingestion,
    request_run,
    set_paused,
    take_ingestion,
)
from testing.stores import prepare_sqlite
from testing.wait import wait_until as wait_long

HOUR = 60 * MINUTE


def wait_until(is_so: Callable[[], bool]) -> None:
    wait_long(is_so, seconds=20)


class Runs:
    """Runs that end when a test lets them, or when they are stopped."""

    def __init__(self) -> None:
        self.begun: list[Ingestion] = []
        self.free = threading.Event()
        self.free.set()
        self.failure: Exception | None = None
        self.needs_more = False
        self.closed = 0
        self.ended = 0
        self.may_open = threading.Event()
        self.may_open.set()

    def fits(self, ingestion: Ingestion) -> bool:
        return not self.needs_more

    def close(self) -> None:
        self.closed += 1
        self.needs_more = False

    def open(self, ingestion: Ingestion, notes: RunNotes) -> "OneRun":
        self.begun.append(ingestion)
        assert self.may_open.wait(20)
        return OneRun(self, ingestion, notes)


class OneRun:
    def __init__(self, runs: Runs, ingestion: Ingestion, notes: RunNotes) -> None:
        self.runs, self.ingestion, self.notes = runs, ingestion, notes
        self.stopped = threading.Event()

    def run(self) -> None:
        self.notes.stored(Totals(messages=5, events=3, rejected=1, excluded=1), 0.1)
        self.notes.settled(2)
        while not self.stopped.is_set() and not self._is_through():
            self.stopped.wait(0.01)
        self.runs.ended += 1
        if self.runs.failure is not None:
            raise self.runs.failure

    def _is_through(self) -> bool:
        return self.runs.free.is_set() and not self.ingestion.schedule.is_continuous

    def stop(self) -> None:
        self.stopped.set()


class Clock:
    def __init__(self) -> None:
        self.at = now()

    def __call__(self) -> int:
        return self.at


class Stage:
    """A store, a supervisor on it, and a look into what it notes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.runs = Runs()
        self.clock = Clock()
        self.supervisor = self.another("one")

    def another(self, holder: str) -> Supervisor:
        return Supervisor(self.engine, holder, self.runs.open, self.runs, self.clock)

    def put(self, name: str, schedule: Any, at: int | None = None, **more: Any) -> None:
        config = {"brokerConfig": {"place": "/nowhere"}}
        given = {"connection": {"config": config}, "schedule": schedule, **more}
        with self.engine.begin() as connection:
            save_ingestion(connection, name, given, "ada", at or self.clock.at)

    def row(self, name: str) -> StoredIngestion:
        with self.engine.connect() as connection:
            return read_ingestion_row(connection, name)

    def runs_of(self, name: str) -> list[Any]:
        with self.engine.connect() as connection:
            return list_ingestion_runs(connection, name)

    def look(self) -> bool:
        self.supervisor.look()
        return True

    def wait_for_end(self, name: str) -> None:
        wait_until(lambda: not self.row(name).is_begun)

    def wait_for_begun(self, count: int) -> None:
        wait_until(lambda: len(self.runs.begun) == count)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    engine = open_engine(prepare_sqlite(f"sqlite:///{tmp_path / 'store.db'}"))
    stage = Stage(engine)
    yield stage
    stage.runs.free.set()
    stage.runs.may_open.set()
    stage.supervisor.stop()
    stage.supervisor.run()
    engine.dispose()


def test_one_that_is_due_runs_once_and_then_at_its_next_time(stage: Stage) -> None:
    stage.put("shop", "hourly", stage.clock.at - 5 * HOUR)
    stage.look()
    stage.wait_for_end("shop")
    (run,) = stage.runs_of("shop")
    assert (run.stored, run.rejected, run.excluded, run.lag) == (3, 1, 1, 2)
    row = stage.row("shop")
    # However many it missed while the machine slept: once, then at the next full hour.
    assert row.next_at is not None and stage.clock.at < row.next_at <= stage.clock.at + HOUR
    stage.look()
    stage.clock.at += 3 * HOUR
    stage.look()
    stage.look()
    stage.wait_for_begun(2)
    stage.wait_for_end("shop")
    assert len(stage.runs_of("shop")) == 2
    assert stage.row("shop").all_stored == 6


def test_manual_and_later_ones_run_on_request(stage: Stage) -> None:
    stage.put("shop", "manual")
    stage.put("later", {"interval": "daily", "startDate": "2999-01-01"})
    stage.look()
    assert stage.runs.begun == []
    with stage.engine.begin() as connection:
        request_run(connection, "shop", now())
    stage.look()
    stage.wait_for_end("shop")
    assert [each.name for each in stage.runs.begun] == ["shop"]
    assert not stage.row("shop").is_requested
    stage.look()
    stage.look()
    assert len(stage.runs.begun) == 1


def test_a_change_takes_effect_with_the_next_batch(stage: Stage) -> None:
    stage.put("shop", "continuous")
    stage.look()
    stage.wait_for_begun(1)
    stage.put("shop", "continuous", sourceConfig={"includeLineage": False})
    wait_until(lambda: stage.look() and len(stage.runs.begun) == 2)
    assert [each.parts.lineage for each in stage.runs.begun] == [True, False]
    assert len(stage.runs_of("shop")) == 2


def test_a_run_that_was_stopped_goes_on_with_the_next(stage: Stage) -> None:
    """Whatever its schedule says: what it had to read is not read yet."""
    stage.runs.free.clear()
    stage.put("shop", "hourly", stage.clock.at - 5 * HOUR)
    stage.look()
    stage.wait_for_begun(1)
    with stage.engine.begin() as connection:
        set_paused(connection, "shop", is_paused=True)
    wait_until(lambda: stage.look() and stage.runs_of("shop")[0].ended_at is not None)
    stage.look()
    assert len(stage.runs.begun) == 1 and stage.row("shop").is_begun
    with stage.engine.begin() as connection:
        set_paused(connection, "shop", is_paused=False)
    stage.runs.free.set()
    stage.look()
    stage.wait_for_begun(2)
    stage.wait_for_end("shop")


def test_one_that_is_removed_while_it_runs_ends(stage: Stage) -> None:
    stage.put("shop", "continuous")
    stage.look()
    stage.wait_for_begun(1)
    with stage.engine.begin() as connection:
        remove_ingestion(connection, "shop")
    wait_until(lambda: stage.look() and not stage.supervisor.is_busy)
    stage.put("shop", "continuous")
    wait_until(lambda: stage.look() and len(stage.runs.begun) == 2)
    assert len(stage.runs_of("shop")) == 1


def test_what_fails_is_tried_again_sooner_than_scheduled(stage: Stage) -> None:
    stage.runs.failure = SourceUnavailable("kafka:9092", "no answer")
    stage.put("shop", "daily", stage.clock.at - 48 * HOUR)
    stage.look()
    stage.wait_for_end("shop")
    row = stage.row("shop")
    assert row.failures == 1 and row.problem == "kafka:9092: no answer"
    assert row.next_at is not None and row.next_at <= stage.clock.at + MINUTE
    stage.runs.failure = None
    stage.clock.at += 2 * MINUTE
    wait_until(lambda: stage.look() and len(stage.runs.begun) == 2)
    stage.wait_for_end("shop")
    assert (stage.row("shop").failures, stage.row("shop").problem) == (0, None)


def test_what_ends_with_its_jvm_when_told_to_is_cut_short_and_has_not_failed(stage: Stage) -> None:
    """Service managers tell both at once."""
    stage.runs.failure = SparkUnavailable("Spark ended unexpectedly")
    stage.put("shop", "continuous")
    stage.look()
    stage.wait_for_begun(1)
    stage.supervisor.stop()
    stage.supervisor.run()
    row = stage.row("shop")
    assert row.is_begun and (row.failures, row.problem) == (0, None)
    assert stage.runs_of("shop")[0].ended_at is not None


def test_a_jvm_that_ends_by_itself_is_a_failure(stage: Stage) -> None:
    stage.runs.failure = SparkUnavailable("Spark ended unexpectedly")
    stage.put("shop", "hourly", stage.clock.at - 5 * HOUR)
    stage.look()
    stage.wait_for_end("shop")
    assert stage.row("shop").failures == 1
    assert stage.row("shop").problem == "Spark ended unexpectedly"


def test_one_that_is_stopped_while_it_is_opened_still_closes_what_was_opened(stage: Stage) -> None:
    stage.runs.may_open.clear()
    stage.put("shop", "continuous")
    stage.look()
    stage.wait_for_begun(1)
    with stage.engine.begin() as connection:
        set_paused(connection, "shop", is_paused=True)
    stage.look()
    stage.runs.may_open.set()
    wait_until(lambda: stage.runs.ended == 1)
    wait_until(lambda: stage.look() and not stage.supervisor.is_busy)


def test_a_continuous_one_ends_with_its_end_date(stage: Stage) -> None:
    stage.put("shop", {"interval": "continuous", "endDate": "2999-01-01"})
    stage.look()
    stage.wait_for_begun(1)
    stage.clock.at = 40_000 * 24 * HOUR * 10
    wait_until(lambda: stage.look() and not stage.row("shop").is_begun)
    stage.look()
    assert len(stage.runs.begun) == 1 and stage.row("shop").next_at is None


def test_two_supervisors_do_not_both_run_one(stage: Stage) -> None:
    stage.put("shop", "continuous")
    other = stage.another("two")
    stage.look()
    other.look()
    stage.wait_for_begun(1)
    other.look()
    assert len(stage.runs.begun) == 1 and stage.row("shop").holder == "one"


def test_one_that_was_cut_short_runs_again(stage: Stage) -> None:
    """By another, once the lease of the process that was killed has ended."""
    stage.put("shop", "daily")
    at = now()
    with stage.engine.begin() as connection:
        take_ingestion(connection, "shop", "killed", at - 61 * SECOND, at - SECOND)
        from headwater.store.ingestions import start_run

        assert start_run(connection, "shop", "killed", at - 40 * SECOND)
    stage.look()
    stage.wait_for_end("shop")
    newest, cut = stage.runs_of("shop")
    assert newest.problem is None and "cut short" in cut.problem


def test_a_supervisor_takes_over_what_the_one_before_held(stage: Stage, tmp_path: Path) -> None:
    stage.put("shop", "continuous")
    folder = tmp_path / "ingest"
    with supervising(stage.engine, folder, "first"):
        with stage.engine.begin() as connection:
            at = now()
            take_ingestion(connection, "shop", "first", at, at + 60 * SECOND)
        with pytest.raises(Busy), supervising(stage.engine, folder, "second"):
            pass
    with supervising(stage.engine, folder, "second"), stage.engine.begin() as connection:
        assert take_ingestion(connection, "shop", "second", now(), now() + SECOND)


def test_what_needs_another_session_waits_for_those_that_run(stage: Stage) -> None:
    stage.put("first", "continuous")
    stage.look()
    stage.wait_for_begun(1)
    stage.runs.needs_more = True
    stage.put("second", "continuous")
    wait_until(lambda: stage.look() and len(stage.runs.begun) >= 3)
    assert stage.runs.closed == 1
    assert {each.name for each in stage.runs.begun[1:]} == {"first", "second"}


def test_a_configuration_that_cannot_be_read_is_a_problem_and_no_loop(stage: Stage) -> None:
    stage.put("shop", "continuous")
    from sqlalchemy import update

    from headwater.store import tables

    broken = {"body": json.dumps({"connection": {}}), "revision": 9}
    with stage.engine.begin() as connection:
        connection.execute(update(tables.ingestion).values(**broken))
    stage.look()
    stage.look()
    row = stage.row("shop")
    assert row.failures == 1 and "brokerConfig: missing" in (row.problem or "")
    with stage.engine.connect() as connection:
        found = describe_ingestion(connection, row, now())
    assert found.state == "failing" and "missing" in (found.problem or "")
