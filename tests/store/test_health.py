"""Reading what health is judged by: the newest runs, what they wrote, and no more than that."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from uuid import UUID

import msgspec
import pytest
from sqlalchemy import Engine, event

from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.model.values.ids import dataset_id, run_name
from headwater.model.values.instant import MINUTE, format_instant, parse_instant
from headwater.store.maintenance.prune import prune
from headwater.store.stats.health import (
    DatasetPast,
    JobPast,
    Judging,
    read_datasets,
    read_error_messages,
    read_hours,
    read_jobs,
    shorten,
)
from headwater.store.write.writer import Writer, open_writer
from testing.events.full import edit_event
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event

HOUR = 60 * MINUTE
START = parse_instant("2024-05-01T10:00:00Z")
MOST = 21


def run_id(number: int) -> str:
    return str(UUID(int=number))


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def facts(event: Json) -> Facts:
    return project(decode_event(msgspec.json.encode(event)))


def said(event_type: str, at: int, number: int, **rest: Any) -> Facts:
    return facts(run_event(event_type, format_instant(at), run_id(number), **rest))


def wrote(name: str, rows: int | None = None, size: int | None = None) -> list[Json]:
    counters = {"rowCount": rows, "size": size}
    return [dataset(name) | {"outputFacets": {"outputStatistics": counters}}]


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine)) as writer:
        yield writer


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """What the store is asked meanwhile."""
    asked: list[str] = []

    def note(_: Any, __: Any, statement: str, *rest: Any) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)


def jobs_of(engine: Engine, namespace: str = "", most: int = MOST) -> dict[str, JobPast]:
    with engine.connect() as connection:
        return {past.name: past for past in read_jobs(connection, Judging(namespace), most)}


def datasets_of(engine: Engine, namespace: str = "", most: int = MOST) -> dict[str, DatasetPast]:
    with engine.connect() as connection:
        return {past.name: past for past in read_datasets(connection, Judging(namespace), most)}


class TestJobs:
    def test_the_newest_runs_newest_first(self, engine: Engine, writer: Writer) -> None:
        for number in range(9):
            for job, run in (("one", number), ("two", number + 10)):
                writer.write([said("START", START + number * HOUR, run, job=job)])
        found = jobs_of(engine, most=3)
        assert [run.key for run in found["one"].runs] == [key(8), key(7), key(6)]
        assert [run.key for run in found["two"].runs] == [key(18), key(17), key(16)]

    def test_a_run(self, engine: Engine, writer: Writer) -> None:
        for number, event_type in enumerate(("START", "RUNNING", "RUNNING", "FAIL", "START")):
            writer.write([said(event_type, START + number * MINUTE, 1)])
        run = jobs_of(engine)["load"].runs[0]
        assert run_name(run.key, run.name) == run_id(1)
        assert (run.state, run.ended_at) == ("RUNNING", None)
        assert run.started_at == START
        assert run.attempted_at == run.last_event_at == START + 4 * MINUTE
        assert run.is_beating

    def test_one_heartbeat_stated_twice_is_none(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("RUNNING", START, 1), said("RUNNING", START, 1)])
        run = jobs_of(engine)["load"].runs[0]
        assert not run.is_beating
        assert run.started_at == run.attempted_at == START

    def test_a_run_that_is_only_named_is_none(self, engine: Engine, writer: Writer) -> None:
        parent = {
            "run": {"runId": run_id(9)},
            "job": {"namespace": JOBS, "name": "above"},
        }
        writer.write([said("START", START, 1, run_facets={"parent": parent})])
        found = jobs_of(engine)
        assert found["above"].runs == []
        assert len(found["load"].runs) == 1

    @pytest.mark.parametrize(
        ("facet", "kind"),
        [
            (None, "BATCH"),
            ({"processingType": "BATCH"}, "BATCH"),
            ({"processingType": "STREAMING"}, "STREAM"),
            ({"processingType": "stream"}, "STREAM"),
            ({"processingType": "SERVICE"}, "SERVICE"),
            ({"processingType": 7}, "BATCH"),
            ([], "BATCH"),
            ({"_deleted": True}, "BATCH"),
        ],
    )
    def test_the_type_of_a_job(
        self, engine: Engine, writer: Writer, facet: object, kind: str
    ) -> None:
        writer.write([said("START", START, 1, job_facets={"jobType": facet})])
        assert jobs_of(engine)["load"].type == kind

    def test_of_a_namespace(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("START", START, 1)])
        assert set(jobs_of(engine, JOBS)) == {"load"}
        assert jobs_of(engine, "another") == {}

    def test_a_deleted_job_is_not_shown(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("START", START, 1, outputs=[dataset("totals")])])
        job = {"type": "job", "namespace": JOBS, "name": "load"}
        at = format_instant(START + MINUTE)
        writer.write([facts(edit_event(entity=job, set={"deleted": True}) | {"eventTime": at})])
        assert jobs_of(engine) == {}
        assert datasets_of(engine) == {}
        writer.write([said("RUNNING", START + 2 * MINUTE, 1)])
        assert set(jobs_of(engine)) == {"load"}

    def test_asks_no_more_for_more_jobs(self, engine: Engine, writer: Writer) -> None:
        counts = []
        for number in range(40):
            writer.write([said("START", START, number, job=f"job {number}")])
            if number in (0, 39):
                with statements(engine) as asked:
                    jobs_of(engine)
                counts.append(len(asked))
        assert counts[0] == counts[1]


class TestErrorMessages:
    def read(self, engine: Engine, writer: Writer, facet: object) -> dict[bytes, str]:
        writer.write([said("FAIL", START, 1, run_facets={"errorMessage": facet})])
        with engine.connect() as connection:
            return read_error_messages(connection, [key(1), key(2)])

    @pytest.mark.parametrize(
        ("message", "line"),
        [
            ("out of memory", "out of memory"),
            ("\n  first\nsecond", "first"),
            ("x" * 1_000, "x" * 299 + "…"),
            (404, "404"),
        ],
    )
    def test_the_first_line(
        self, engine: Engine, writer: Writer, message: object, line: str
    ) -> None:
        assert self.read(engine, writer, {"message": message}) == {key(1): line}

    @pytest.mark.parametrize("facet", [{}, {"message": " \n"}, {"message": None}, [], "text", 5])
    def test_nothing_is_stated(self, engine: Engine, writer: Writer, facet: object) -> None:
        assert self.read(engine, writer, facet) == {}


class TestDatasets:
    def test_the_runs_that_wrote_it(self, engine: Engine, writer: Writer) -> None:
        for number, end in enumerate(("COMPLETE", "FAIL", "RUNNING")):
            at = START + number * HOUR
            writer.write([said("START", at, number, inputs=[dataset("orders")])])
            rows = number * 10
            writer.write([said(end, at + MINUTE, number, outputs=wrote("totals", rows, rows + 1))])
        found = datasets_of(engine)
        assert set(found) == {"totals"}
        past = found["totals"]
        assert (past.namespace, past.last_seen) == (TABLES, START + 2 * HOUR + MINUTE)
        written = sorted((one.run, one.state, one.at, one.rows, one.bytes) for one in past.writes)
        assert written == [
            (key(0), "COMPLETED", START + MINUTE, 0, 1),
            (key(1), "FAILED", START + HOUR + MINUTE, 10, 11),
            (key(2), "RUNNING", START + 2 * HOUR + MINUTE, 20, 21),
        ]

    def test_the_last_counters_of_a_run_count(self, engine: Engine, writer: Writer) -> None:
        for minute, rows in enumerate((5, 9, 9, 40)):
            at = START + minute * MINUTE
            writer.write([said("RUNNING", at, 1, outputs=wrote("totals", rows))])
        (found,) = datasets_of(engine)["totals"].writes
        assert (found.rows, found.bytes) == (40, None)
        assert found.is_beating

    def test_nothing_was_counted(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("COMPLETE", START, 1, outputs=[dataset("totals")])])
        (found,) = datasets_of(engine)["totals"].writes
        assert (found.rows, found.bytes) == (None, None)

    def test_only_the_newest_runs_of_each_writer(self, engine: Engine, writer: Writer) -> None:
        for job in ("one", "two"):
            for number in range(5):
                run = number + (10 if job == "two" else 0)
                at = START + number * HOUR
                writer.write([said("START", at, run, job=job, outputs=[dataset("totals")])])
        found = datasets_of(engine, most=2)["totals"].writes
        assert {one.run for one in found} == {key(3), key(4), key(13), key(14)}

    def test_a_job_that_has_ceased_to_write_it(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("START", START, 1, outputs=[dataset("totals")])])
        later = [said("START", START + number * HOUR, number) for number in range(2, 6)]
        writer.write(later)
        past = datasets_of(engine, most=3)["totals"]
        assert (past.writes, past.last_seen) == ([], START)

    def test_of_a_namespace(self, engine: Engine, writer: Writer) -> None:
        outputs = [dataset("totals"), dataset("topic", "kafka://broker")]
        writer.write([said("START", START, 1, outputs=outputs)])
        assert set(datasets_of(engine, TABLES)) == {"totals"}
        assert set(datasets_of(engine)) == {"totals", "topic"}
        assert datasets_of(engine, "another") == {}

    def test_a_deleted_dataset_is_not_shown(self, engine: Engine, writer: Writer) -> None:
        writer.write([said("START", START, 1, outputs=[dataset("totals"), dataset("sums")])])
        entity = {"type": "dataset", "namespace": TABLES, "name": "totals"}
        at = format_instant(START + MINUTE)
        deletion = edit_event(entity=entity, set={"deleted": True}) | {"eventTime": at}
        writer.write([facts(deletion)])
        assert set(datasets_of(engine)) == {"sums"}


class TestHours:
    def hours(self, engine: Engine, since: int = START) -> dict[int, tuple[Any, Any]]:
        with engine.connect() as connection:
            found = read_hours(connection, [key(1)], since // HOUR)
        first = START // HOUR
        counters = found.get((key(1), dataset_id(TABLES, "topic")), {})
        return {hour - first: values for hour, values in counters.items()}

    @pytest.fixture
    def stream(self, writer: Writer) -> None:
        """Two rows a minute, for three hours."""
        for minute in range(0, 180, 10):
            at = START + minute * MINUTE
            outputs = [*wrote("topic", 2 * minute, 20 * minute), *wrote("other", 1)]
            inputs = [dataset("topic") | {"inputFacets": {"inputStatistics": {"rowCount": 10**6}}}]
            writer.write([said("RUNNING", at, 1, inputs=inputs, outputs=outputs)])

    def test_what_was_counted_by_the_end_of_each(self, engine: Engine, stream: None) -> None:
        expected = {0: (100, 1_000), 1: (220, 2_200), 2: (340, 3_400)}
        assert self.hours(engine) == expected

    def test_from_an_hour_on(self, engine: Engine, stream: None) -> None:
        assert set(self.hours(engine, START + HOUR)) == {1, 2}

    def test_are_the_same_once_minutes_are_rolled_up(self, engine: Engine, stream: None) -> None:
        before = self.hours(engine)
        prune(engine, START + 2 * HOUR)
        assert self.hours(engine) == before

    def test_of_no_run(self, engine: Engine) -> None:
        with engine.connect() as connection:
            assert read_hours(connection, [], START // HOUR) == {}


def test_a_long_message_is_cut_between_words() -> None:
    assert shorten("short", 10) == "short"
    assert shorten("the table orders is locked", 20) == "the table orders is…"
    # Without words there is no better place.
    assert shorten("x" * 30, 10) == "x" * 9 + "…"
