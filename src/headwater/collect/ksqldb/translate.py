"""What a query did since it was last reported, as events; no I/O."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from headwater.collect.ksqldb.answers import KsqldbQuery
from headwater.collect.ksqldb.queries import KsqldbCluster, ObservedQuery
from headwater.collect.ksqldb.sources import PRODUCER, KsqldbSources
from headwater.collect.ksqldb.state import KnownQuery

Json = dict[str, Any]


class QueryCondition(Enum):
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"


class TranslatedQuery(NamedTuple):
    """The events of a query, and what is known of it once they are delivered; None: it is gone."""

    events: list[Json]
    known: KnownQuery | None


def translate(
    cluster: KsqldbCluster,
    sources: KsqldbSources,
    query: KsqldbQuery,
    before: KnownQuery | None,
    at: int,
) -> TranslatedQuery:
    """What has changed of a query, at a time in microseconds since 1970."""
    found = ObservedQuery(cluster, sources, query)
    # Whatever the clock says now: the newest event is what counts.
    at = at if before is None else max(at, before.reported_at + 1)
    events = []
    if before is not None and before.run != found.run:
        # CREATE OR REPLACE: another statement is another run.
        if before.condition != QueryCondition.FAILED.value:
            events.append(_end(cluster, query.id, before, "COMPLETE", "replaced", at))
        before = None
    offsets = found.offsets()
    first = {**offsets, **before.first_offsets} if before is not None else offsets
    rows = {topic: max(0, read - first[topic]) for topic, read in offsets.items()}
    condition = condition_of(query)
    heartbeat = cluster.heartbeat_seconds * 1_000_000
    steps = [*_steps(condition, before)]
    if not steps and before is not None and condition is QueryCondition.RUNNING:
        if before.design != found.design:
            steps = [("RUNNING", "changed")]
        elif before.offsets != offsets:
            steps = [("RUNNING", "records")]
        elif at - before.reported_at >= heartbeat:
            steps = [("RUNNING", "heartbeat")]
    for number, (event_type, reason) in enumerate(steps, len(events)):
        events.append(found.event(event_type, reason, rows, at + number))
    if not events:
        return TranslatedQuery([], before)
    last = at + len(events) - 1
    return TranslatedQuery(
        events,
        KnownQuery(
            cluster.namespace, found.run, condition.value, last, found.design, first, offsets
        ),
    )


def translate_end(
    cluster: KsqldbCluster, query: str, before: KnownQuery, at: int
) -> TranslatedQuery:
    """A query that is no longer there: it was terminated, or dropped with its sink."""
    # One that had failed has ended before.
    kind = "OTHER" if before.condition == QueryCondition.FAILED.value else "ABORT"
    at = max(at, before.reported_at + 1)
    return TranslatedQuery([_end(cluster, query, before, kind, "terminated", at)], None)


def condition_of(query: KsqldbQuery) -> QueryCondition:
    """The condition of a query by all of its hosts; one that moves between two runs."""
    states = {str(query.state or "").upper()}
    states |= {str(each).upper() for each in (query.ksql_host_query_status or {}).values()}
    if "ERROR" in states:
        return QueryCondition.FAILED
    return QueryCondition.PAUSED if "PAUSED" in states else QueryCondition.RUNNING


def _steps(condition: QueryCondition, before: KnownQuery | None) -> Iterator[tuple[str, str]]:
    """Type and reason of the events that lead from one condition to another."""
    last = QueryCondition(before.condition) if before is not None else None
    if last is condition:
        return
    if last in (None, QueryCondition.FAILED):
        yield "START", "started" if last is None else "restarted"
    if condition is QueryCondition.PAUSED:
        yield "OTHER", "paused"
    elif condition is QueryCondition.FAILED:
        yield "FAIL", "failed"
    elif last is QueryCondition.PAUSED:
        yield "OTHER", "resumed"


def _end(
    cluster: KsqldbCluster, query: str, before: KnownQuery, kind: str, reason: str, at: int
) -> Json:
    job = {"namespace": before.namespace, "name": query, "facets": {}}
    facet = PRODUCER.custom_facet(reason=reason)
    run = {"runId": before.run, "facets": {"ksqldb_query": facet}}
    return PRODUCER.run_event(kind, job, run, at=at)
