"""What a connector did since it was last reported, as events; no I/O."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from headwater.collect.connect.connector import ConnectCluster, ObservedConnector, end_event
from headwater.collect.connect.fetch import ConnectorReport
from headwater.collect.connect.lifecycle import (
    Condition,
    ConnectorStep,
    condition_of,
    find_failures,
    steps_between,
)
from headwater.collect.connect.state import KnownConnector

Json = dict[str, Any]


class TranslatedConnector(NamedTuple):
    """The events of a connector, and what is known of it once they are delivered.

    None: nothing is known, as it is gone or does not run yet.
    """

    events: list[Json]
    known: KnownConnector | None


def translate(
    cluster: ConnectCluster,
    report: ConnectorReport,
    before: KnownConnector | None,
    types: Mapping[str, str],
    at: int,
) -> TranslatedConnector:
    """What has changed of a connector, at a time in microseconds since 1970."""
    connector = ObservedConnector(cluster, report, types)
    # Whatever the clock says now: the newest event is what counts.
    at = at if before is None else max(at, before.reported_at + 1)
    events = []
    if before is not None and before.run != connector.run:
        # Another configuration is another run.
        if Condition(before.condition).is_alive:
            ended = _ended_at(cluster, before, at)
            step = ConnectorStep.RECONFIGURED
            events.append(end_event(cluster, report.name, before, step, ended))
        before = None
    offsets = connector.offsets()
    first = before.first_offsets if before is not None else offsets
    rows = {topic: max(0, read - first.get(topic, 0)) for topic, read in offsets.items()}
    condition = condition_of(report.status)
    last = Condition(before.condition) if before is not None else Condition.ABSENT
    is_due = before is None or at - before.reported_at >= _microseconds(cluster)
    steps = list(_find_steps(connector, report, last, condition, before, offsets, is_due))
    # Each later than the one before: the newest is what counts.
    events += [
        connector.event(step, rows, at + number) for number, step in enumerate(steps, len(events))
    ]
    if not events or (condition is None and before is None):
        return TranslatedConnector(events, before)
    return TranslatedConnector(
        events,
        KnownConnector(
            connector.job["namespace"],
            connector.job["name"],
            connector.run,
            (condition or last).value,
            at + len(events) - 1,
            tuple(sorted(find_failures(report.status))),
            connector.topics,
            {**offsets, **first},
            offsets,
        ),
    )


def translate_deletion(
    cluster: ConnectCluster, name: str, before: KnownConnector, at: int
) -> TranslatedConnector:
    """A connector that is no longer there."""
    (step,) = steps_between(Condition(before.condition), Condition.ABSENT)
    ended = _ended_at(cluster, before, at)
    return TranslatedConnector([end_event(cluster, name, before, step, ended)], None)


def _ended_at(cluster: ConnectCluster, before: KnownConnector, at: int) -> int:
    """When a run ended whose end was not seen: now, as far as can be seen from outside.

    Where our plugin is installed it saw how the run ended, such as by a failure between two looks:
    the event from outside is earlier, and counts less.
    """
    first = before.reported_at + 1
    return first if cluster.has_our_plugin else max(at, first)


def _find_steps(
    connector: ObservedConnector,
    report: ConnectorReport,
    last: Condition,
    condition: Condition | None,
    before: KnownConnector | None,
    offsets: dict[str, int],
    is_due: bool,
) -> Iterator[ConnectorStep]:
    """The changes since the last report, in their order."""
    if condition is None:
        return
    steps = steps_between(last, condition)
    yield from steps
    if before is None or steps:
        return
    if condition is Condition.FAILED:
        if set(find_failures(report.status)) - set(before.failures):
            yield ConnectorStep.FAILED
    elif condition.is_alive:
        is_new = connector.topics != before.topics or offsets != before.offsets
        if is_new and not connector.is_reported_inside:
            yield ConnectorStep.RECORDS
        elif is_due:
            yield ConnectorStep.HEARTBEAT


def _microseconds(cluster: ConnectCluster) -> int:
    return cluster.heartbeat_seconds * 1_000_000
