"""What a stream did over time, and how much passes through nodes now."""

from typing import Any

import pytest

from headwater.answers.streams.activity import find_gaps, find_marks
from headwater.model.event import EventType
from headwater.model.values.instant import MINUTE, SECOND, format_instant, now
from headwater.store.stats.heartbeats import Beats
from testing.api import Api, escape
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event

QUIET = 10 * MINUTE
STREAM = f"job:{JOBS}:stream"
TOPIC, COPY = f"dataset:{TABLES}:topic", f"dataset:{TABLES}:copy"


def run_id(number: int) -> str:
    return f"01890000-0000-7000-8000-{number:012d}"


def beat(type: EventType, minute: float, until: float | None = None, run: bytes = b"run") -> Beats:
    last = minute if until is None else until
    return Beats(run, type, 1, int(minute * MINUTE), int(last * MINUTE))


START, RUNNING, COMPLETE, FAIL = (
    EventType.START,
    EventType.RUNNING,
    EventType.COMPLETE,
    EventType.FAIL,
)


class TestGaps:
    def test_a_time_without_events_is_one_if_it_is_longer_than_usual(self) -> None:
        beats = [beat(START, 0), beat(RUNNING, 1, 1.9), beat(RUNNING, 20), beat(RUNNING, 21)]
        gaps = find_gaps(None, beats, 22 * MINUTE, QUIET)
        assert gaps == [(int(1.9 * MINUTE), 20 * MINUTE)]

    def test_what_reports_by_the_hour_has_none_until_it_misses_some(self) -> None:
        hours = [*range(6), *range(10, 16)]
        beats = [beat(RUNNING, 60 * hour) for hour in hours]
        gaps = find_gaps(None, beats, 15 * 60 * MINUTE + MINUTE, QUIET)
        assert gaps == [(5 * 60 * MINUTE, 10 * 60 * MINUTE)]

    def test_what_lasts_is_one(self) -> None:
        gaps = find_gaps(None, [beat(RUNNING, 1)], 40 * MINUTE, QUIET)
        assert gaps == [(MINUTE, 40 * MINUTE)]

    @pytest.mark.parametrize("end", [COMPLETE, FAIL, EventType.ABORT])
    def test_after_an_end_nothing_is_expected(self, end: EventType) -> None:
        beats = [beat(RUNNING, 1), beat(end, 2), beat(START, 60), beat(RUNNING, 61)]
        assert find_gaps(None, beats, 62 * MINUTE, QUIET) == []

    def test_it_may_begin_before_what_is_shown(self) -> None:
        gaps = find_gaps(beat(RUNNING, -20), [beat(RUNNING, 3)], 4 * MINUTE, QUIET)
        assert gaps == [(-20 * MINUTE, 3 * MINUTE)]


class TestMarks:
    def test_a_start_after_a_run_is_a_restart(self) -> None:
        beats = [beat(START, 0), beat(RUNNING, 1), beat(FAIL, 2), beat(START, 3, run=b"next")]
        kinds = [kind for _, kind in find_marks(beats, has_run_before=False)]
        assert kinds == ["started", "failed", "restarted"]
        assert find_marks(beats[:1], has_run_before=True)[0][1] == "restarted"


def tell(api: Api, ago: int, type: str, run: int = 1, rows: int | None = None, **more: Any) -> None:
    """An event of the stream, so many seconds ago."""
    source, target = dataset("topic"), dataset("copy")
    if rows is not None:
        source |= {"inputFacets": {"inputStatistics": {"rowCount": rows, "lag": more["lag"]}}}
        target |= {"outputFacets": {"outputStatistics": {"rowCount": rows}}}
    told = run_event(
        job="stream", run=run_id(run), event_type=type, inputs=[source], outputs=[target]
    )
    api.store(told | {"eventTime": format_instant(now() - ago * SECOND)})


def activity(api: Api, **asked: Any) -> Json:
    answer: Json = api.read(f"/jobs/{escape(STREAM)}/activity", **asked)
    return answer


class TestActivity:
    def test_rate_lag_restarts_and_gaps_are_on_one_time_line(self, api: Api) -> None:
        tell(api, 7_000, "START")
        tell(api, 6_900, "RUNNING", rows=1_000, lag=5)
        tell(api, 5_000, "RUNNING", rows=4_000, lag=70)
        tell(api, 4_990, "FAIL")
        tell(api, 4_000, "START", run=2)
        tell(api, 3_900, "RUNNING", run=2, rows=600, lag=9)
        told = activity(api)
        assert [mark["kind"] for mark in told["marks"]] == ["started", "failed", "restarted"]
        assert told["marks"][-1]["run"] == run_id(2)
        first, last = told["gaps"]
        assert (first["seconds"], first["isOpen"]) == (1_900, False)
        assert last["isOpen"] and last["seconds"] >= 3_900
        counted = [step for step in told["steps"] if step["written"]["rows"] is not None]
        assert [step["written"]["rows"] for step in counted] == [1_000, 3_000, 600]
        assert [step["read"]["lag"] for step in counted] == [5, 70, 9]
        assert sum(step["events"] for step in told["steps"]) == 6
        assert told["silentAfterSeconds"] == 600

    def test_a_gap_that_began_before_is_told_whole(self, api: Api) -> None:
        tell(api, 5 * 3_600, "START")
        tell(api, 5 * 3_600 - 10, "RUNNING", rows=10, lag=0)
        tell(api, 60, "RUNNING", rows=50, lag=0)
        told = activity(api)
        (gap,) = told["gaps"]
        assert gap["from"] < told["from"] < gap["to"]
        # What came in the meantime is the increase since the last sample, wherever that was.
        assert [step["written"]["rows"] for step in told["steps"] if step["events"]] == [40]

    def test_by_hour_it_adds_up(self, api: Api) -> None:
        tell(api, 7_000, "START")
        for number, ago in enumerate((6_900, 3_700, 100), start=1):
            tell(api, ago, "RUNNING", rows=100 * number, lag=number)
        steps = activity(api, by="hour")["steps"]
        assert sum(step["written"]["rows"] or 0 for step in steps) == 300
        assert max(step["read"]["lag"] or 0 for step in steps) == 3

    def test_a_job_without_runs_has_nothing_to_tell(self, api: Api) -> None:
        api.store(run_event(job="stream", run=run_id(1), event_type="COMPLETE"))
        told = activity(api)
        assert told["gaps"] == told["marks"] == []

    def test_only_jobs_have_one(self, api: Api) -> None:
        tell(api, 100, "START")
        assert api.get(f"/jobs/{escape(TOPIC)}/activity").status_code == 400
        assert api.get(f"/jobs/{escape('job:no:body')}/activity").status_code == 404


class TestThroughput:
    def test_of_nodes_that_counted_anything(self, api: Api) -> None:
        tell(api, 3_000, "START")
        tell(api, 1_200, "RUNNING", rows=1_000, lag=800)
        tell(api, 130, "RUNNING", rows=3_000, lag=90)
        tell(api, 65, "RUNNING", rows=7_000, lag=12)
        api.store(run_event(job="other", run=run_id(9), event_type="START"))
        nodes = [STREAM, TOPIC, COPY, f"job:{JOBS}:other", "dataset:no:body"]
        told = api.read("/throughput", nodeId=nodes)
        found = {node["id"]: (node["written"], node["read"]) for node in told["nodes"]}
        nothing = {"rowsPerSecond": None, "bytesPerSecond": None, "lag": None}
        # 6,000 rows in ten minutes.
        flow = nothing | {"rowsPerSecond": 10.0}
        assert found == {
            STREAM: (flow, flow | {"lag": 12}),
            TOPIC: (nothing, flow | {"lag": 12}),
            COPY: (flow, nothing),
        }

    def test_what_is_no_id_is_refused(self, api: Api) -> None:
        assert api.get("/throughput", nodeId="nothing").status_code == 400
