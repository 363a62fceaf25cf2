"""Rules of health: what failed, fell silent, is late, or got other than it usually gets."""

import pytest

from headwater.graph.health.datasets import (
    DatasetState,
    DatasetVerdict,
    VolumeCounts,
    VolumeState,
    Write,
    find_stream,
    judge_dataset,
    written_in_same_hours,
)
from headwater.graph.health.jobs import JobRun, JobState, JobVerdict, judge_job
from headwater.graph.health.pace import HOUR, describe_span, find_pace
from headwater.model.values.instant import DAY, MINUTE, SECOND, parse_instant

NOW = parse_instant("2024-05-01T10:30:00Z")
JOB, OTHER_JOB = b"job", b"other job"


def ended(start: int, minutes: int = 10, state: str = "COMPLETED") -> JobRun:
    end = start + minutes * MINUTE
    return JobRun(state, start, start, end, end, is_beating=False)


def running(start: int, last_event_at: int | None = None, is_beating: bool = False) -> JobRun:
    return JobRun("RUNNING", start, start, None, last_event_at or start, is_beating)


def every_hour(count: int, last: int = NOW - 30 * MINUTE) -> list[JobRun]:
    """Runs of ten minutes, an hour apart, newest first."""
    return [ended(last - number * HOUR) for number in range(count)]


def judge(runs: list[JobRun], kind: str = "BATCH", silent_after: int = 10 * MINUTE) -> JobVerdict:
    return judge_job(kind, runs, NOW, silent_after)


class TestFailed:
    def test_says_how_and_when_the_newest_run_ended(self) -> None:
        newest = ended(NOW - 35 * MINUTE, state="FAILED")
        verdict = judge([newest, ended(NOW - 2 * HOUR)])
        reason = "Its newest run failed 25 minutes ago"
        assert verdict == JobVerdict(JobState.FAILED, reason, NOW - 25 * MINUTE)

    def test_a_failure_before_the_newest_run_is_over(self) -> None:
        runs = [ended(NOW - 20 * MINUTE), ended(NOW - HOUR, state="FAILED")]
        assert judge(runs) == JobVerdict(JobState.OK, "Its newest run completed 10 minutes ago")

    def test_is_worse_than_late(self) -> None:
        runs = [ended(NOW - 9 * HOUR, state="FAILED"), *every_hour(6, NOW - 10 * HOUR)]
        assert judge(runs).state is JobState.FAILED

    def test_a_stream_that_failed(self) -> None:
        assert judge([ended(NOW - HOUR, state="FAILED")], "STREAM").state is JobState.FAILED


class TestStopped:
    @pytest.mark.parametrize("kind", ["BATCH", "STREAM", "SERVICE"])
    def test_is_neither_failed_nor_ok(self, kind: str) -> None:
        verdict = judge([ended(NOW - 35 * MINUTE, state="ABORTED")], kind)
        reason = "Its newest run was stopped 25 minutes ago"
        assert verdict == JobVerdict(JobState.STOPPED, reason, NOW - 25 * MINUTE)

    def test_a_batch_job_that_should_have_run_again_is_late(self) -> None:
        runs = [ended(NOW - 9 * HOUR, state="ABORTED"), *every_hour(6, NOW - 10 * HOUR)]
        assert judge(runs).state is JobState.LATE

    def test_a_stream_that_runs_again_is_ok(self) -> None:
        runs = [running(NOW - MINUTE), ended(NOW - HOUR, state="ABORTED")]
        assert judge(runs, "STREAM").state is JobState.OK


class TestSilent:
    @pytest.mark.parametrize("kind", ["STREAM", "SERVICE"])
    def test_a_stream_that_is_not_seen(self, kind: str) -> None:
        verdict = judge([running(NOW - DAY, NOW - 4 * HOUR)], kind)
        reason = "No events for 4 hours, though it should be running"
        assert verdict == JobVerdict(JobState.SILENT, reason, NOW - 4 * HOUR)

    def test_a_job_with_heartbeats(self) -> None:
        quiet = NOW - 11 * MINUTE
        assert judge([running(NOW - DAY, quiet, is_beating=True)]).state is JobState.SILENT
        assert judge([running(NOW - DAY, quiet, is_beating=False)]).state is JobState.OK

    def test_not_before_its_time(self) -> None:
        run = running(NOW - DAY, NOW - 10 * MINUTE)
        assert judge([run], "STREAM").state is JobState.OK
        assert judge([run], "STREAM", silent_after=10 * MINUTE - 1).state is JobState.SILENT

    def test_not_once_it_has_ended(self) -> None:
        assert judge([ended(NOW - DAY)], "STREAM").state is JobState.OK

    def test_a_clock_that_is_ahead(self) -> None:
        assert judge([running(NOW + HOUR, NOW + HOUR)], "STREAM").state is JobState.OK


class TestLateStart:
    def test_a_start_that_is_overdue(self) -> None:
        last = NOW - 3 * HOUR
        verdict = judge(every_hour(5, last))
        reason = "It should have started 2 hours ago: it usually starts every 60 minutes"
        assert verdict == JobVerdict(
            JobState.LATE, reason, last + HOUR, expected_at=last + HOUR, every=HOUR
        )

    def test_only_after_twice_the_gap_and_a_minute(self) -> None:
        limit = NOW - 2 * HOUR - MINUTE
        assert judge(every_hour(4, limit)).state is JobState.OK
        assert judge(every_hour(4, limit - 1)).state is JobState.LATE

    def test_with_too_few_runs(self) -> None:
        assert judge(every_hour(3, NOW - DAY)).state is JobState.OK

    def test_not_while_it_runs(self) -> None:
        last = NOW - 3 * HOUR
        assert judge([running(last), *every_hour(3, last - HOUR)]).state is JobState.OK

    def test_streams_start_when_they_like(self) -> None:
        assert judge(every_hour(5, NOW - DAY), "STREAM").state is JobState.OK

    def test_only_the_newest_runs_count(self) -> None:
        """It ran by the day, and has run by the hour for twenty runs."""
        newest = every_hour(20, NOW - 3 * HOUR)
        before = [ended(newest[-1].started_at - number * DAY) for number in range(1, 30)]
        assert judge([*newest, *before]).every == HOUR


class TestLateEnd:
    def test_a_run_that_takes_longer_than_usual(self) -> None:
        start = NOW - 40 * MINUTE
        verdict = judge([running(start), *every_hour(4, start - HOUR)])
        reason = "It takes longer than usual: 40 minutes so far, usually 10 minutes"
        expected = start + 10 * MINUTE
        assert verdict == JobVerdict(
            JobState.LATE, reason, expected, expected, usual_duration=10 * MINUTE
        )

    def test_three_times_as_long_is_not_yet_late(self) -> None:
        start = NOW - 30 * MINUTE
        assert judge([running(start), *every_hour(4, start - HOUR)]).state is JobState.OK

    def test_with_too_few_ended_runs(self) -> None:
        start = NOW - 50 * MINUTE
        before = [*every_hour(3, start - HOUR), running(start - 9 * HOUR)]
        assert judge([running(start), *before]).state is JobState.OK

    def test_less_than_five_minutes_is_never_late(self) -> None:
        quick = [ended(NOW - number * HOUR, minutes=0) for number in range(1, 6)]
        assert judge([running(NOW - 5 * MINUTE + 1), *quick]).state is JobState.OK
        assert judge([running(NOW - 5 * MINUTE), *quick]).state is JobState.LATE

    def test_a_run_that_was_started_again(self) -> None:
        again = JobRun("RUNNING", NOW - 5 * HOUR, NOW - MINUTE, None, NOW - MINUTE, False)
        assert judge([again, *every_hour(5, NOW - 6 * HOUR)]).state is JobState.OK

    def test_streams_go_on(self) -> None:
        runs = [running(NOW - DAY, NOW), *every_hour(5, NOW - 2 * DAY)]
        assert judge(runs, "STREAM").state is JobState.OK


class TestOk:
    @pytest.mark.parametrize(
        ("runs", "reason"),
        [
            ([], "It has not run yet"),
            ([running(NOW - 90 * SECOND)], "It has been running for 90 seconds"),
            ([ended(NOW - 20 * MINUTE)], "Its newest run completed 10 minutes ago"),
            (
                [JobRun("NEW", NOW, NOW, None, NOW, False)],
                "Its newest run was announced and has not started",
            ),
        ],
    )
    def test_says_what_it_does(self, runs: list[JobRun], reason: str) -> None:
        assert judge(runs) == JobVerdict(JobState.OK, reason)


class TestPace:
    def test_is_the_median_gap(self) -> None:
        assert find_pace([0, 100 * SECOND, 210 * SECOND, 300 * SECOND]) == 100 * SECOND

    def test_survives_a_pause(self) -> None:
        """Daily on weekdays."""
        days = [day for day in range(19) if day % 7 < 5]
        assert find_pace(day * DAY for day in days) == DAY

    def test_is_none_of_what_is_started_by_hand(self) -> None:
        assert find_pace([0, MINUTE, 5 * HOUR, 5 * HOUR + MINUTE, 3 * DAY]) is None

    def test_is_none_of_two_schedules_in_one(self) -> None:
        times = [hour * HOUR + shift for hour in range(10) for shift in (0, 5 * MINUTE)]
        assert find_pace(times) is None

    def test_is_none_of_what_comes_at_once(self) -> None:
        assert find_pace([NOW] * 8) is None
        assert find_pace([]) is None

    def test_is_none_of_what_no_scheduler_keeps(self) -> None:
        """As a demo, a test or a loop runs a job: it is not late a minute later."""
        assert find_pace(NOW + number * 10 * SECOND for number in range(8)) is None
        assert find_pace(NOW + number * MINUTE for number in range(8)) == MINUTE


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (-1, "0 seconds"),
        (SECOND, "1 second"),
        (119 * SECOND, "119 seconds"),
        (2 * MINUTE, "2 minutes"),
        (HOUR - SECOND, "60 minutes"),
        (2 * HOUR, "2 hours"),
        (47 * HOUR, "47 hours"),
        (2 * DAY, "2 days"),
    ],
)
def test_a_span_in_words(span: int, words: str) -> None:
    assert describe_span(span) == words


def write(
    at: int,
    rows: int | None = 1_000,
    state: str = "COMPLETED",
    size: int | None = None,
    job: bytes = JOB,
    last_event_at: int = 0,
) -> Write:
    run = at.to_bytes(8, "big")
    return Write(job, run, state, last_event_at or at, bool(last_event_at), at, rows, size)


def written_hourly(*rows: int | None, last: int = NOW - 30 * MINUTE) -> list[Write]:
    """Runs an hour apart, newest first, with what each wrote."""
    return [write(last - number * HOUR, count) for number, count in enumerate(rows)]


def look(writes: list[Write], hours: dict[int, VolumeCounts] | None = None) -> DatasetVerdict:
    return judge_dataset(writes, NOW - DAY, hours or {}, NOW)


class TestFreshness:
    def test_fresh(self) -> None:
        verdict = look(written_hourly(10, 10, 10, 10))
        assert verdict.state is DatasetState.FRESH
        assert verdict.reason == "Last written 30 minutes ago, usually every 60 minutes"
        assert verdict.since is None
        assert verdict.freshness.written_at == NOW - 30 * MINUTE
        assert verdict.freshness.expected_at == NOW + 30 * MINUTE
        assert verdict.freshness.every == HOUR

    def test_stale(self) -> None:
        verdict = look(written_hourly(10, 10, 10, 10, last=NOW - 5 * HOUR))
        assert verdict.state is verdict.freshness.state is DatasetState.STALE
        assert verdict.reason == "Last written 5 hours ago, usually every 60 minutes"
        assert verdict.since == NOW - 4 * HOUR

    def test_only_after_twice_the_gap_and_a_minute(self) -> None:
        limit = NOW - 2 * HOUR - MINUTE
        assert look(written_hourly(1, 1, 1, 1, last=limit)).state is DatasetState.FRESH
        assert look(written_hourly(1, 1, 1, 1, last=limit - 1)).state is DatasetState.STALE

    def test_too_few_writes(self) -> None:
        verdict = look(written_hourly(10, 10, 10, last=NOW - 9 * HOUR))
        assert verdict.state is DatasetState.UNKNOWN
        assert verdict.freshness.written_at == NOW - 9 * HOUR

    def test_no_recent_run_wrote_it(self) -> None:
        verdict = look([])
        assert verdict.state is DatasetState.UNKNOWN
        assert verdict.freshness.written_at == NOW - DAY

    def test_a_run_that_failed_has_not_written(self) -> None:
        good = written_hourly(10, 10, 10, 10, last=NOW - 4 * HOUR)
        failed = [write(NOW - hour * HOUR, None, "FAILED") for hour in (1, 2, 3)]
        verdict = look([*failed, *good])
        assert verdict.state is DatasetState.STALE
        assert verdict.freshness.written_at == NOW - 4 * HOUR

    def test_a_run_that_failed_after_writing_has(self) -> None:
        writes = [
            write(NOW - HOUR, 900, "FAILED"),
            *written_hourly(*[1_000] * 4, last=NOW - 5 * HOUR),
        ]
        assert look(writes).freshness.written_at == NOW - HOUR

    def test_the_pace_of_runs_that_failed_counts_where_few_did_not(self) -> None:
        failed = [write(NOW - hour * HOUR, None, "ABORTED") for hour in range(1, 20)]
        verdict = look([*failed, write(NOW - 20 * HOUR)])
        assert verdict.state is DatasetState.STALE
        assert verdict.freshness.every == HOUR

    def test_all_runs_failed(self) -> None:
        failed = [write(NOW - hour * HOUR, None, "FAILED") for hour in range(1, 22)]
        verdict = look(failed)
        assert verdict.state is DatasetState.STALE
        assert verdict.reason == "All of the newest 21 runs that should write it failed"
        assert verdict.freshness.written_at is None
        assert look(failed[:3]).state is DatasetState.UNKNOWN

    def test_a_run_that_goes_on_writes_while_it_is_seen(self) -> None:
        restarts = [write(NOW - DAY - number * HOUR) for number in range(5)]
        stream = write(NOW - DAY + HOUR, 5, "RUNNING", last_event_at=NOW - MINUTE)
        assert look([stream, *restarts]).state is DatasetState.FRESH
        quiet = stream._replace(last_event_at=NOW - 3 * HOUR)
        assert look([quiet, *restarts]).state is DatasetState.STALE


class TestVolumeOfRuns:
    @pytest.mark.parametrize(
        ("last", "state"),
        [
            (0, VolumeState.EMPTY),
            (499, VolumeState.LOW),
            (500, VolumeState.NORMAL),
            (2_000, VolumeState.NORMAL),
            (2_001, VolumeState.HIGH),
        ],
    )
    def test_against_the_median_before(self, last: int, state: VolumeState) -> None:
        verdict = look(written_hourly(last, 1_000, 900, 1_000, 5_000))
        assert verdict.volume.state is state
        assert (verdict.volume.last.rows, verdict.volume.usual.rows) == (last, 1_000)
        assert verdict.volume.unit == "run"

    def test_says_so(self) -> None:
        verdict = look(written_hourly(0, *[1_200] * 4))
        assert verdict.state is DatasetState.EMPTY
        assert verdict.reason == "The last run wrote 0 rows, usually 1,200"
        assert verdict.since == NOW - 30 * MINUTE

    def test_two_problems_at_once(self) -> None:
        verdict = look(written_hourly(400, *[1_000] * 4, last=NOW - 5 * HOUR))
        assert verdict.state is DatasetState.STALE
        assert verdict.volume.state is VolumeState.LOW
        assert verdict.reason == (
            "The last run wrote 400 rows, usually 1,000. "
            "Last written 5 hours ago, usually every 60 minutes"
        )

    def test_too_few_before(self) -> None:
        assert look(written_hourly(0, 1_000, 1_000, 1_000)).volume.state is VolumeState.UNKNOWN

    def test_where_nothing_is_usual_something_is_fine(self) -> None:
        assert look(written_hourly(7, 0, 0, 0, 0)).volume.state is VolumeState.NORMAL
        assert look(written_hourly(0, 0, 0, 0, 0)).volume.state is VolumeState.NORMAL

    def test_a_run_that_has_not_ended_is_passed_over(self) -> None:
        writes = [write(NOW, 3, "RUNNING"), *written_hourly(10, *[1_000] * 4)]
        assert look(writes).volume.last.rows == 10

    def test_jobs_are_compared_with_themselves(self) -> None:
        """A large job and a small one write by turns."""
        large = written_hourly(*[1_000_000] * 6, last=NOW - 20 * MINUTE)
        small = [write(one.at + 10 * MINUTE, 5, job=OTHER_JOB) for one in large]
        assert look([*large, *small]).volume.state is VolumeState.NORMAL

    def test_by_bytes_where_rows_are_not_counted(self) -> None:
        writes = [write(NOW - hour * HOUR, None, size=100 if hour else 10) for hour in range(6)]
        verdict = look(writes)
        assert verdict.volume.state is VolumeState.LOW
        assert verdict.volume.reason == "The last run wrote 10 bytes, usually 100"
        assert verdict.volume.usual == VolumeCounts(None, 100)

    def test_nothing_is_counted(self) -> None:
        assert look(written_hourly(*[None] * 6)).volume.state is VolumeState.UNKNOWN


class TestVolumeOfStreams:
    """The run has gone on for long; now is half past ten."""

    LAST_HOUR = NOW // HOUR - 1

    def closing(self, *rows: int, last: int = LAST_HOUR) -> dict[int, VolumeCounts]:
        """The counter at the end of each hour, from what each hour brought, oldest first."""
        first, total, counters = last - len(rows), 0, {}
        counters[first] = VolumeCounts(total, None)
        for hour, count in enumerate(rows, first + 1):
            total += count
            counters[hour] = VolumeCounts(total, None)
        return counters

    @pytest.mark.parametrize(
        ("last", "state"),
        [
            (0, VolumeState.EMPTY),
            (40, VolumeState.LOW),
            (60, VolumeState.NORMAL),
            (201, VolumeState.HIGH),
        ],
    )
    def test_the_last_full_hour(self, last: int, state: VolumeState) -> None:
        hours = self.closing(100, 90, 100, 110, last)
        hours[self.LAST_HOUR + 1] = VolumeCounts(hours[self.LAST_HOUR].rows, None)
        verdict = look([write(NOW, 400, "RUNNING")], hours)
        assert verdict.volume.state is state
        assert verdict.volume.unit == "hour"
        assert (verdict.volume.last.rows, verdict.volume.usual.rows) == (last, 100)

    def test_says_so(self) -> None:
        verdict = look([], self.closing(100, 100, 100, 100, 3))
        assert verdict.state is DatasetState.LOW
        assert verdict.reason == "The last full hour brought 3 rows, usually 100"

    def test_one_that_does_well_is_fresh(self) -> None:
        verdict = look([write(NOW, 500, "RUNNING")], self.closing(*[100] * 5))
        assert verdict.freshness.state is DatasetState.UNKNOWN
        assert verdict.state is DatasetState.FRESH

    @pytest.mark.parametrize(
        ("last", "state"),
        [
            (10, VolumeState.NORMAL),
            (6, VolumeState.NORMAL),
            (0, VolumeState.EMPTY),
            (3, VolumeState.LOW),
            (30, VolumeState.LOW),
        ],
    )
    def test_nights_are_quiet(self, last: int, state: VolumeState) -> None:
        """Against what the same hour brought yesterday, if no more days are known."""
        hours = self.closing(*[100] * 20, last)
        verdict = judge_dataset([], NOW, hours, NOW, {1: VolumeCounts(10, None)})
        assert verdict.volume.state is state
        assert bool(verdict.reason.startswith("The last full hour")) is (
            state is not VolumeState.NORMAL
        )

    def test_of_many_nights_the_one_in_the_middle_counts(self) -> None:
        """What has been wrong since yesterday stays wrong."""
        hours = self.closing(*[100] * 20, 3)
        nights = {day: VolumeCounts(3 if day == 1 else 80, None) for day in range(1, 8)}
        assert judge_dataset([], NOW, hours, NOW, nights).volume.state is VolumeState.LOW

    def test_sundays_are_as_the_sunday_before(self) -> None:
        hours = self.closing(*[100] * 20, 3)
        days = {day: VolumeCounts(3 if day == 7 else 80, None) for day in range(1, 8)}
        assert judge_dataset([], NOW, hours, NOW, days).volume.state is VolumeState.NORMAL

    def test_a_run_in_the_night_too(self) -> None:
        writes = written_hourly(10, *[1_000] * 20)
        nights = {day: VolumeCounts(12, None) for day in (1, 2, 3, 4)}
        assert look(writes).volume.state is VolumeState.LOW
        assert judge_dataset(writes, NOW, {}, NOW, nights).state is DatasetState.FRESH

    def test_hours_of_several_runs_add_up(self) -> None:
        one = self.closing(*range(1, 51))
        other = self.closing(*[7] * 10, last=self.LAST_HOUR - 20)
        # Of the 50 hours the last brought 50, that of the day before 26, of two days before 2.
        assert written_in_same_hours([one, other], NOW) == {
            1: VolumeCounts(26 + 7, None),
            2: VolumeCounts(2, None),
        }

    def test_an_hour_without_a_word_is_not_known(self) -> None:
        hours = self.closing(*[100] * 8, last=self.LAST_HOUR - 1)
        assert look([], hours).volume.state is VolumeState.UNKNOWN

    def test_what_a_gap_brought_is_no_hour_of_its_own(self) -> None:
        hours = self.closing(*[100] * 9)
        for hour in range(self.LAST_HOUR - 4, self.LAST_HOUR - 1):
            del hours[hour]
        assert look([], hours).volume.state is VolumeState.NORMAL

    def test_a_counter_that_began_anew(self) -> None:
        hours = self.closing(*[100] * 6)
        hours[self.LAST_HOUR] = VolumeCounts(90, None)
        assert look([], hours).volume.last.rows == 90

    def test_the_run_to_look_at_goes_on_and_counts(self) -> None:
        stream = write(NOW - HOUR, 5, "RUNNING")
        assert find_stream([stream, write(NOW - DAY)]) == stream.run
        assert find_stream([stream, write(NOW)]) is None
        assert find_stream([stream._replace(rows=None)]) is None
        assert find_stream([]) is None
