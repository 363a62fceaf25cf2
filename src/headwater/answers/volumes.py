"""Volumes by time, also for intervals without data."""

from headwater.answers.results import CountedVolume, DatasetSamples, NodeName, VolumeAt
from headwater.errors import InvalidRequest
from headwater.graph.node_id import ParsedNodeId, dataset_node_id
from headwater.graph.view import View
from headwater.model.relations import Direction
from headwater.model.values.instant import MINUTE, format_instant, now, parse_instant
from headwater.store.engine import Connection
from headwater.store.stats.runs_in_range import TimeRange
from headwater.store.stats.volume import STEPS, VolumeBucket, read_volumes

MOST_STEPS = 3_000
# The default interval: three hours, two days, a month.
_USUAL_STEPS = {"minute": 180, "hour": 48, "day": 30}

# Days that can be written out whole.
_FIRST, _LAST = (parse_instant(f"{day}T00:00Z") for day in ("0001-01-02", "9999-12-30"))

_NOTHING = VolumeBucket()


def interval_of(by: str, from_: int | None, to: int | None) -> TimeRange:
    """The requested interval, in whole steps."""
    step = STEPS[by] * MINUTE
    until = -(-(now() if to is None else to) // step) * step
    since = until - _USUAL_STEPS[by] * step if from_ is None else from_ // step * step
    if from_ is not None and since >= until:
        raise InvalidRequest("from", "is not before `to`")
    if until - since > MOST_STEPS * step:
        raise InvalidRequest("from", f"more than {MOST_STEPS:,} {by}s before `to`")
    if since < _FIRST or until > _LAST:
        raise InvalidRequest("to", "out of the supported range of times")
    return TimeRange(since, until)


def samples_shape(
    connection: Connection,
    view: View,
    node: ParsedNodeId,
    by: str,
    interval: TimeRange,
    *,
    with_gaps: bool,
) -> DatasetSamples:
    step = STEPS[by] * MINUTE
    view.classes.resolve([node.id])
    found = read_volumes(connection, view.classes.names(node.id), STEPS[by], interval)
    first = -(-max(interval.since, found.complete_since) // step)
    with_data = {number for _, number in found.steps if number >= first}
    shown = range(first, interval.until // step) if with_gaps else sorted(with_data)
    samples = [
        VolumeAt(
            format_instant(number * step),
            _shape(found.steps.get((Direction.OUTPUT, number), _NOTHING)),
            _shape(found.steps.get((Direction.INPUT, number), _NOTHING)),
        )
        for number in shown
    ]
    return DatasetSamples(
        NodeName(dataset_node_id(node.namespace, node.name), node.namespace, node.name),
        by,
        format_instant(first * step),
        format_instant(interval.until),
        samples,
        len(samples),
        found.is_cut,
    )


def _shape(volume: VolumeBucket) -> CountedVolume:
    return CountedVolume(*volume)
