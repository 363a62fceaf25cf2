"""Pruning removes what is old and repeats itself, and changes nothing that is answered now."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from uuid import UUID

import msgspec
import pytest
from sqlalchemy import Engine, select

from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.project import project
from headwater.model.values.ids import dataset_id, job_id
from headwater.model.values.instant import DAY, MINUTE, format_instant, parse_instant
from headwater.server.marquez.jobs import read_uses
from headwater.store import tables
from headwater.store.maintenance.prune import ROLLED_UP, prune
from headwater.store.query.paging import Page
from headwater.store.read import datasets, jobs, runs
from headwater.store.write.writer import Writer, open_writer
from testing.events.minimal import JOBS, TABLES, dataset, run_event, schema
from tests.store.rows import differences, read_rows
from tests.store.samples import COLUMN_MAP, MAPPED_FIELD

NOW = parse_instant("2024-06-01T00:00:00Z")
HORIZON = NOW - 30 * DAY
OLD = NOW - 60 * DAY
NEW = NOW - DAY

Json = dict[str, Any]


def run_id(number: int) -> str:
    return str(UUID(int=number))


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def facts(event: Json) -> Facts:
    return project(decode_event(msgspec.json.encode(event)))


def said(event_type: str, number: int, at: int, **rest: Any) -> Facts:
    return facts(run_event(event_type, format_instant(at), run_id(number), **rest))


def ended_run(number: int, at: int, **rest: Any) -> list[Facts]:
    """A run of a minute; what it says, it says at its start and at its end."""
    return [said("START", number, at, **rest), said("COMPLETE", number, at + MINUTE, **rest)]


def reads(*names: str, **facets: Any) -> list[Json]:
    return [dataset(name, **facets) for name in names]


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    with closing(open_writer(engine)) as writer:
        yield writer


def kept_runs(engine: Engine) -> set[int]:
    with engine.connect() as connection:
        ids = connection.execute(select(tables.run.c.id)).scalars()
        return {int.from_bytes(id, "big") for id in ids}


def event_runs(engine: Engine) -> list[int]:
    """The run of each event that is left."""
    with engine.connect() as connection:
        ids = connection.execute(select(tables.event.c.run)).scalars()
        return sorted(int.from_bytes(id, "big") for id in ids if id)


def answers(engine: Engine) -> dict[str, Any]:
    """What the store answers now of jobs, datasets, and the runs that are left."""
    with engine.connect() as connection:
        job_ids = connection.execute(select(tables.job.c.id)).scalars().all()
        dataset_ids = connection.execute(select(tables.dataset.c.id)).scalars().all()
        page = Page(1_000, 0)
        return {
            "uses": read_uses(connection, list(job_ids)),
            "states": datasets.read_states(connection, dataset_ids),
            "names": jobs.read_names(connection, job_ids),
            "jobs": jobs.list_jobs(connection, JOBS, page),
            "datasets": datasets.list_datasets(connection, TABLES, page),
            "runs": {
                run.key: run for id in job_ids for run in runs.list_runs(connection, id, page)
            },
        }


def check_answers(before: dict[str, Any], after: dict[str, Any]) -> None:
    kept = {key: before["runs"][key] for key in after["runs"]}
    assert after == before | {"runs": kept}


class TestWhatStays:
    def test_a_run_that_repeats_the_one_before_goes_with_all_of_its_own(
        self, engine: Engine, writer: Writer
    ) -> None:
        statistics = {"outputStatistics": {"rowCount": 5}, "custom": {"x": 1}}
        outputs = [dataset("totals") | {"outputFacets": statistics}]
        for number in range(1, 6):
            writer.write(
                ended_run(
                    number,
                    OLD + number * DAY,
                    inputs=reads("orders"),
                    outputs=outputs,
                    run_facets={"custom": {"run": number}},
                )
            )
        before = answers(engine)
        gone = prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 5}
        assert event_runs(engine) == [5, 5]
        with engine.connect() as connection:
            for column in (tables.run_dataset.c.run, tables.sample.c.run):
                assert set(connection.execute(select(column)).scalars()) == {key(1), key(5)}
            owners = set(connection.execute(select(tables.facet.c.owner)).scalars())
        # The two runs, their writing, the dataset written.
        assert len(owners) == 5
        assert gone == {
            "run": 3,
            "run_dataset": 6,
            "facet": 6,
            "sample": 6,
            "event": 8,
            "content": 3,
            ROLLED_UP: 4,
        }
        check_answers(before, answers(engine))

    def test_what_is_not_old_stays(self, engine: Engine, writer: Writer) -> None:
        for number in range(1, 6):
            writer.write(ended_run(number, NEW + number * MINUTE, inputs=reads("orders")))
        before = read_rows(engine)
        assert not prune(engine, HORIZON)
        assert differences(read_rows(engine), before) == {}

    def test_age_counts_from_the_last_event(self, engine: Engine, writer: Writer) -> None:
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number * DAY, inputs=reads("orders")))
        writer.write([said("OTHER", 2, HORIZON, inputs=reads("orders"))])
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 2, 3}
        assert event_runs(engine) == [2, 2, 2, 3, 3]

    @pytest.mark.parametrize("last", ["START", "RUNNING", "OTHER"])
    def test_a_run_that_has_not_ended(self, engine: Engine, writer: Writer, last: str) -> None:
        writer.write(ended_run(1, OLD, inputs=reads("orders")))
        writer.write([said(last, 2, OLD + DAY, inputs=reads("orders"))])
        writer.write(ended_run(3, OLD + 2 * DAY, inputs=reads("orders")))
        writer.write(ended_run(4, OLD + 3 * DAY, inputs=reads("orders")))
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 2, 4}
        assert event_runs(engine) == [2, 4, 4]

    def test_a_run_started_again(self, engine: Engine, writer: Writer) -> None:
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number * DAY, inputs=reads("orders")))
        writer.write([said("START", 2, OLD + 10 * DAY, inputs=reads("orders"))])
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 2, 3}
        assert event_runs(engine) == [2, 2, 2, 3, 3]

    def test_the_newest_execution_is_all_runs_of_its_parent(
        self, engine: Engine, writer: Writer
    ) -> None:
        for number in range(1, 9):
            job = {"namespace": JOBS, "name": "application"}
            parent = {"run": {"runId": run_id(100 + number // 5)}, "job": job}
            writer.write(
                ended_run(
                    number,
                    OLD + number * DAY,
                    inputs=reads("orders"),
                    run_facets={"parent": parent},
                )
            )
        before = answers(engine)
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 5, 6, 7, 8, 100, 101}
        assert event_runs(engine) == [5, 5, 6, 6, 7, 7, 8, 8]
        check_answers(before, answers(engine))

    def test_the_newest_execution_with_datasets(self, engine: Engine, writer: Writer) -> None:
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number * DAY, inputs=reads("orders")))
        for number in range(4, 7):
            writer.write(ended_run(number, OLD + number * DAY))
        before = answers(engine)
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 3, 6}
        check_answers(before, answers(engine))

    @pytest.mark.parametrize(
        "change",
        [
            {"inputs": reads("orders", "customers")},
            {"inputs": reads("customers")},
            {"inputs": [], "outputs": reads("orders")},
            {"inputs": reads("orders", schema=schema(a="INT"))},
            {"inputs": reads("orders", columnLineage=COLUMN_MAP)},
        ],
        ids=["another dataset", "other datasets", "direction", "schema", "columns"],
    )
    def test_a_run_that_differs_from_the_one_before(
        self, engine: Engine, writer: Writer, change: Json
    ) -> None:
        for number in range(1, 10):
            uses = change if 4 <= number <= 6 else {"inputs": reads("orders")}
            writer.write(ended_run(number, OLD + number * DAY, **uses))
        before = answers(engine)
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 4, 7, 9}
        # Only their payload goes.
        assert event_runs(engine) == [9, 9]
        with engine.connect() as connection:
            for use in runs.list_run_uses(connection, [key(4)]):
                assert use.name in ("orders", "customers")
        check_answers(before, answers(engine))

    def test_a_run_that_another_reaches_into(self, engine: Engine, writer: Writer) -> None:
        """As of the second run's time, the first one's datasets were in use as well."""
        writer.write([said("START", 1, OLD, inputs=reads("a"))])
        writer.write([said("COMPLETE", 1, OLD + 3 * DAY, inputs=reads("a"))])
        writer.write(ended_run(2, OLD + 2 * DAY, inputs=reads("b")))
        for number in range(3, 6):
            writer.write(ended_run(number, OLD + (2 + number) * DAY, inputs=reads("b")))
        prune(engine, HORIZON)
        # The third stands for what came after the first had ended; the fourth says no more.
        assert kept_runs(engine) == {1, 2, 3, 5}

    def test_a_parent_while_a_child_is_kept(self, engine: Engine, writer: Writer) -> None:
        for number in range(1, 5):
            job = {"namespace": JOBS, "name": "dag"}
            root = {"run": {"runId": run_id(200)}, "job": job}
            parent = {"run": {"runId": run_id(100 + number)}, "job": job, "root": root}
            inputs = reads("orders")
            writer.write(
                ended_run(number, OLD + number * DAY, inputs=inputs, run_facets={"parent": parent})
            )
        # This one has events of its own, and repeats nothing else.
        writer.write(ended_run(101, OLD, job="dag"))
        prune(engine, HORIZON)
        assert kept_runs(engine) == {1, 4, 101, 104, 200}

    def test_what_is_declared_and_edited(self, engine: Engine, writer: Writer) -> None:
        at = format_instant(OLD)
        entity = {"type": "dataset", "namespace": TABLES, "name": "orders"}
        job = {"namespace": JOBS, "name": "load"}
        stated: list[Json] = [
            {"eventTime": at, "job": job, "inputs": reads("orders", schema=schema(a="INT"))},
            {"eventTime": at, "dataset": dataset("orders", schema=schema(b="INT"))},
            {"eventTime": at, "edit": {"actor": "ada", "entity": entity, "set": {"tags": ["pii"]}}},
        ]
        writer.write([facts(event) for event in stated])
        before = read_rows(engine)
        assert not prune(engine, HORIZON)
        assert differences(read_rows(engine), before) == {}

    def test_rejected_events_by_when_they_came(self, engine: Engine, writer: Writer) -> None:
        for number, at in enumerate((OLD, HORIZON - 1, HORIZON, NEW)):
            writer.write([take_in(b"no event %d" % number, at, DAY, "test").facts])
        assert prune(engine, HORIZON) == {"rejected": 2}
        with engine.connect() as connection:
            times = connection.execute(select(tables.rejected.c.received_at)).scalars()
            assert sorted(times) == [HORIZON, NEW]


class TestContent:
    def test_only_what_nothing_refers_to_goes(self, engine: Engine, writer: Writer) -> None:
        maps = [
            COLUMN_MAP,
            {"fields": {"b": MAPPED_FIELD}},
        ]
        for number in range(1, 4):
            versions = {"version": {"datasetVersion": str(number)}}
            facets = {"columnLineage": maps[0], **versions}
            sql = {"sql": {"query": f"SELECT {number}"}}
            writer.write(
                ended_run(number, OLD + number * DAY, outputs=reads("t", **facets), job_facets=sql)
            )
        prune(engine, HORIZON)
        with engine.connect() as connection:
            (used,) = read_uses(connection, [job_id(JOBS, "load")]).values()
            state = datasets.read_states(connection, [dataset_id(TABLES, "t")])
            (columns,) = (found.columns for found in state.values())
            stored = set(connection.execute(select(tables.content.c.digest)).scalars())
        assert [use.name for use in used] == ["t"]
        # One column map, and the versions and queries of the first and the last run.
        assert columns in stored and len(stored) == 5

    def test_a_writer_that_remembers_writes_it_again(self, engine: Engine, writer: Writer) -> None:
        facets = [{"custom": {"run": number}} for number in range(4)]
        for number in range(1, 4):
            writer.write(
                ended_run(
                    number,
                    OLD + number * DAY,
                    outputs=reads("t", columnLineage=COLUMN_MAP),
                    run_facets=facets[number],
                )
            )
        prune(engine, HORIZON)
        writer.write(ended_run(9, NEW, run_facets=facets[2]))
        with engine.connect() as connection:
            refers = connection.execute(select(tables.facet.c.digest)).scalars().all()
            stored = set(connection.execute(select(tables.content.c.digest)).scalars())
        assert set(refers) <= stored

    def test_nothing_to_remove_leaves_the_writers_memory(
        self, engine: Engine, writer: Writer
    ) -> None:
        writer.write(ended_run(1, OLD, inputs=reads("orders", schema=schema(a="INT"))))
        prune(engine, HORIZON)
        with engine.connect() as connection:
            assert connection.execute(select(tables.store_state.c.generation)).scalar() == 1


class TestSamples:
    def test_minutes_become_hours(self, engine: Engine, writer: Writer) -> None:
        hour = OLD // (60 * MINUTE) * 60 * MINUTE
        for minute in (0, 1, 58, 60, 119, 130):
            statistics = {"outputStatistics": {"rowCount": minute}}
            outputs = [dataset("totals") | {"outputFacets": statistics}]
            writer.write([said("RUNNING", 1, hour + minute * MINUTE, outputs=outputs)])
        recent = [dataset("totals") | {"outputFacets": {"outputStatistics": {"rowCount": 900}}}]
        writer.write([said("RUNNING", 1, HORIZON + MINUTE, outputs=recent)])
        # The statistics that newer ones took the place of go as well.
        assert prune(engine, HORIZON) == {ROLLED_UP: 5, "content": 6}
        assert sample_rows(engine, hour) == [(59, 58), (119, 119), (179, 130), (None, 900)]
        # A late one merges by the same rule.
        late = [dataset("totals") | {"outputFacets": {"outputStatistics": {"rowCount": 30}}}]
        writer.write([said("RUNNING", 1, hour + 30 * MINUTE, outputs=late)])
        prune(engine, HORIZON)
        assert sample_rows(engine, hour) == [(59, 58), (119, 119), (179, 130), (None, 900)]


def interrupt(left: Iterator[int]) -> None:
    """Press Ctrl-C once nothing is left of what is allowed."""
    if next(left, None) is None:
        raise KeyboardInterrupt


def sample_rows(engine: Engine, hour: int) -> list[tuple[int | None, int]]:
    """The minutes since an hour and the rows counted; no minute for what is recent."""
    table = tables.sample
    with engine.connect() as connection:
        rows = connection.execute(select(table.c.minute, table.c.rows).order_by(table.c.minute))
        since = [(minute - hour // MINUTE, count) for minute, count in rows]
    return [(minute if minute < 1_000 else None, count) for minute, count in since]


class TestRunning:
    def write_history(self, writer: Writer, count: int = 30) -> None:
        for number in range(1, count + 1):
            name = "a" if number % 10 else "b"
            writer.write(
                ended_run(
                    number,
                    OLD + number * MINUTE * 60,
                    inputs=reads(name, schema=schema(a="INT")),
                    run_facets={"custom": {"run": number}},
                    job=f"job_{number % 3}",
                )
            )
        writer.write([take_in(b"nothing", OLD, DAY, "test").facts])

    def test_a_dry_run_counts_and_changes_nothing(self, engine: Engine, writer: Writer) -> None:
        self.write_history(writer)
        before = read_rows(engine)
        counted = prune(engine, HORIZON, is_dry_run=True)
        assert differences(read_rows(engine), before) == {}
        assert counted["run"] > 0
        assert prune(engine, HORIZON) == counted

    @pytest.mark.slow
    def test_in_parts_and_interrupted_anywhere(
        self, engine: Engine, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("RUNS_AT_ONCE", "EVENTS_AT_ONCE", "DIGESTS_AT_ONCE"):
            monkeypatch.setattr(f"headwater.store.maintenance.prune.{name}", 3)
        self.write_history(writer)
        before = answers(engine)
        for allowed in range(1_000):
            # One step further each time.
            left = iter(range(allowed))
            try:
                prune(engine, HORIZON, progress=lambda *_, left=left: interrupt(left))
                break
            except KeyboardInterrupt:
                check_answers(before, answers(engine))
        assert 5 < allowed < 999
        check_answers(before, answers(engine))
        after = read_rows(engine)
        assert not prune(engine, HORIZON)
        assert differences(read_rows(engine), after) == {}
        assert not {len(after["run"]), len(after["event"])} & {30, 60}

    def test_late_arrivals_are_taken_in(self, engine: Engine, writer: Writer) -> None:
        self.write_history(writer)
        prune(engine, HORIZON)
        rows = read_rows(engine)
        removed = (set(range(1, 31)) - kept_runs(engine)).pop()
        job = f"job_{removed % 3}"
        writer.write([said("COMPLETE", removed, OLD, job=job, inputs=reads("late"))])
        assert removed in kept_runs(engine)
        with engine.connect() as connection:
            (run,) = [runs.find_run(connection, run_id(removed))]
            assert run is not None and run.state == "COMPLETED"
        assert len(read_rows(engine)["event"]) == len(rows["event"]) + 1

    def test_beside_writers(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("headwater.store.maintenance.prune.RUNS_AT_ONCE", 5)
        errors: list[BaseException] = []

        def write(first: int) -> None:
            try:
                with closing(open_writer(engine)) as writer:
                    for number in range(first, first + 60):
                        facet = {"custom": {"run": number % 7}}
                        at = OLD + number * MINUTE
                        uses = reads("a", schema=schema(**{f"c{number % 5}": "INT"}))
                        job = f"job_{number % 2}"
                        writer.write(ended_run(number, at, inputs=uses, run_facets=facet, job=job))
            except BaseException as error:
                errors.append(error)

        writers = [threading.Thread(target=write, args=(first,)) for first in (1_000, 2_000)]
        for thread in writers:
            thread.start()
        while any(thread.is_alive() for thread in writers):
            prune(engine, HORIZON)
        for thread in writers:
            thread.join()
        prune(engine, HORIZON)
        assert not errors
        rows = read_rows(engine)
        stored = {row[0] for row in rows["content"]}
        assert {row[-2] for row in rows["facet"]} | {
            row[5] for row in rows["run_dataset"]
        } <= stored
        assert {row[0] for row in rows["run_dataset"]} <= {row[0] for row in rows["run"]}
