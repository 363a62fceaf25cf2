"""What a job did over time: how much it read and wrote, its restarts, when no event came."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from headwater.answers.results import CountedVolume, NodeName
from headwater.answers.streams.results import (
    ActivityAt,
    ActivityMark,
    HeartbeatGap,
    JobActivity,
)
from headwater.graph.node_id import ParsedNodeId, job_node_id
from headwater.model.event import TERMINAL, EventType
from headwater.model.relations import Direction
from headwater.model.values.instant import MINUTE, SECOND, format_instant, now
from headwater.store.engine import Connection
from headwater.store.maintenance.erasable import read_pruned_before
from headwater.store.read.runs import RunRecord, read_runs
from headwater.store.stats.heartbeats import Beats, read_beats, read_last_before
from headwater.store.stats.run_volumes import SampledUse, read_run_volumes
from headwater.store.stats.runs_in_range import TimeRange, find_runs_of
from headwater.store.stats.volume import STEPS, VolumeBucket, add_volumes

# Of more only the newest are listed.
_MOST_MARKS = 1_000
_MOST_GAPS = 1_000
_NOTHING = VolumeBucket()
# What is usual: the pauses before and after one; it is a gap if it is so many times as long.
_AROUND, _ENOUGH, _LONGER = 5, 3, 3
_ENDS = {
    EventType.COMPLETE: "completed",
    EventType.ABORT: "stopped",
    EventType.FAIL: "failed",
}

Steps = dict[tuple[int, int], VolumeBucket]


def job_activity(
    connection: Connection, node: ParsedNodeId, by: str, interval: TimeRange, silent_after: int
) -> JobActivity:
    """A job's rows, bytes and lag by minute, hour or day, with its restarts and silent times."""
    size, time = STEPS[by], now()
    step = size * MINUTE
    found = find_runs_of(connection, [node.id], interval)
    first = -(-max(interval.since, found.complete_since) // step)
    seen = TimeRange(max(first * step, read_pruned_before(connection) or 0), interval.until)
    beats = read_beats(connection, found.jobs, seen)
    before = read_last_before(connection, found.earlier, seen.since)
    volumes = _by_step(read_run_volumes(connection, found, size, interval))
    counts = Counter[int]()
    for beat in beats:
        counts[beat.first // step] += beat.events
    steps = [
        ActivityAt(
            format_instant(number * step),
            counts[number] if (number + 1) * step > seen.since else None,
            CountedVolume(*volumes.get((Direction.OUTPUT, number), _NOTHING)),
            CountedVolume(*volumes.get((Direction.INPUT, number), _NOTHING)),
        )
        for number in range(first, interval.until // step)
    ]
    marks = find_marks(beats, has_run_before=before is not None)[-_MOST_MARKS:]
    runs = read_runs(connection, {beat.run for beat, _ in marks})
    gaps = find_gaps(before, beats, min(interval.until, time), silent_after)
    return JobActivity(
        NodeName(job_node_id(node.namespace, node.name), node.namespace, node.name),
        by,
        format_instant(first * step),
        format_instant(interval.until),
        steps,
        [_mark(beat, kind, runs[beat.run]) for beat, kind in marks if beat.run in runs],
        [_gap(since, until, time) for since, until in gaps[-_MOST_GAPS:]],
        silent_after // SECOND,
        found.is_cut,
    )


def _by_step(uses: dict[SampledUse, dict[int, VolumeBucket]]) -> Steps:
    steps: defaultdict[tuple[int, int], list[tuple[bytes, VolumeBucket]]] = defaultdict(list)
    for use, volumes in uses.items():
        for number, volume in volumes.items():
            steps[use.direction, number].append((use.run, volume))
    return {key: _sum(some) for key, some in steps.items()}


def _sum(some: list[tuple[bytes, VolumeBucket]]) -> VolumeBucket:
    """What runs counted together, of several datasets each."""
    added = add_volumes([volume for _, volume in some])
    return added._replace(runs=len({run for run, _ in some}))


def find_marks(beats: Iterable[Beats], *, has_run_before: bool) -> list[tuple[Beats, str]]:
    """The starts and ends among events; a start after another is a restart."""
    marks: list[tuple[Beats, str]] = []
    has_run = has_run_before
    for beat in beats:
        if beat.type == EventType.START:
            marks.append((beat, "restarted" if has_run else "started"))
            has_run = True
        elif beat.type in TERMINAL:
            marks.append((beat, _ENDS[EventType(beat.type)]))
            has_run = True
    return marks


def find_gaps(
    before: Beats | None, beats: Sequence[Beats], until: int, silent_after: int
) -> list[tuple[int, int]]:
    """Times without any event after one that was not an end: longer than that, and than is usual
    for the events around."""
    quiet = _quiet_times(before, beats, until)
    spans = [end - start for start, end in quiet]
    return [
        time
        for place, time in enumerate(quiet)
        if spans[place] > max(silent_after, _LONGER * _usual(spans, place))
    ]


def _quiet_times(before: Beats | None, beats: Sequence[Beats], until: int) -> list[tuple[int, int]]:
    """From each event to the next, as long as nothing had ended."""
    quiet: list[tuple[int, int]] = []
    last = before
    for beat in beats:
        if last is not None and last.type not in TERMINAL and beat.first > last.last:
            quiet.append((last.last, beat.first))
        if last is None or (beat.last, beat.type) >= (last.last, last.type):
            last = beat
    if last is not None and last.type not in TERMINAL and until > last.last:
        quiet.append((last.last, until))
    return quiet


def _usual(spans: Sequence[int], place: int) -> float:
    """The pace around one of them, if enough is known of it: some streams report by the hour."""
    around = [*spans[max(0, place - _AROUND) : place], *spans[place + 1 : place + 1 + _AROUND]]
    return median(around) if len(around) >= _ENOUGH else 0


def _mark(beat: Beats, kind: str, run: RunRecord) -> ActivityMark:
    at = beat.last if beat.type in TERMINAL else beat.first
    return ActivityMark(format_instant(at), kind, run.id)


def _gap(since: int, until: int, time: int) -> HeartbeatGap:
    seconds = (until - since) // SECOND
    return HeartbeatGap(format_instant(since), format_instant(until), seconds, until == time)
