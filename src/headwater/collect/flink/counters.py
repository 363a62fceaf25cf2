"""How many rows and bytes sources have read and sinks have written, from the start of a run."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from headwater.collect.flink.fetch import JobReport
from headwater.collect.flink.operators import Operator, objects, plan_nodes
from headwater.collect.flink.state import Counter

Json = dict[str, Any]


class Counts(NamedTuple):
    """What is known of one dataset; None: it is not."""

    rows: int | None = None
    size: int | None = None
    lag: int | None = None

    def plus(self, other: "Counts") -> "Counts":
        """Of two operators that read, or write, the same dataset."""
        return Counts(*map(_sum, self, other))


def advance(report: JobReport, before: Mapping[str, Counter]) -> dict[str, Counter]:
    """The counters after a look: a task that was restarted counts from zero again.

    Within one attempt a smaller number is one of which a part was not yet reported.
    """
    found = dict(before)
    attempts = {str(vertex.get("id")): vertex for vertex in objects(report.detail["vertices"])}
    for operator in report.operators:
        vertex = attempts.get(operator.vertex, {})
        attempt = vertex.get("start-time") or 0
        at_end = _count_at_end(report, operator, vertex)
        for metric in operator.metrics[:2]:
            value = report.metrics.get((operator.vertex, metric))
            if value is None and metric == operator.metrics[0]:
                value = at_end
            if value is not None and isfinite(value):
                key = _key(operator, metric)
                found[key] = _advanced(found.get(key), attempt, int(value))
    return found


def counts_of(report: JobReport, operator: Operator, counters: Mapping[str, Counter]) -> Counts:
    """What an operator has counted so far."""
    if not operator.metrics:
        return Counts()
    totals = [counters.get(_key(operator, metric)) for metric in operator.metrics[:2]]
    rows, size = (counter.total if counter is not None else None for counter in totals)
    lag = None
    if operator.is_source:
        waiting = report.metrics.get((operator.vertex, operator.metrics[2]))
        lag = int(waiting) if waiting is not None and isfinite(waiting) and waiting >= 0 else None
    # Few connectors count bytes: zero means that this one does not.
    return Counts(rows, size or None, lag)


def _count_at_end(report: JobReport, operator: Operator, vertex: Json) -> float | None:
    """What the vertex of a job that has ended still says of its only source or sink.

    It counts what sources read and sinks write only where their connectors do: zero says nothing.
    """
    shared = [
        each
        for each in report.operators
        if each.vertex == operator.vertex and each.is_source == operator.is_source
    ]
    metrics = vertex.get("metrics")
    name = "read-records" if operator.is_source else "write-records"
    if report.metrics or len(shared) > 1 or not isinstance(metrics, dict):
        return None
    if (operator.is_source and _has_inputs(report, operator.vertex)) or (
        not operator.is_source and _has_outputs(report, operator.vertex)
    ):
        return None
    value = metrics.get(name)
    is_counted = isinstance(value, int) and value > 0 and metrics.get(f"{name}-complete") is True
    return float(value or 0) if is_counted else None


def _inputs(report: JobReport) -> dict[str, set[str]]:
    """By vertex, those that it reads from."""
    return {
        str(node.get("id")): {str(each.get("id")) for each in objects(node.get("inputs"))}
        for node in plan_nodes(report.detail)
    }


def _has_inputs(report: JobReport, vertex: str) -> bool:
    return bool(_inputs(report).get(vertex))


def _has_outputs(report: JobReport, vertex: str) -> bool:
    return any(vertex in inputs for inputs in _inputs(report).values())


def _advanced(before: Counter | None, attempt: int, value: int) -> Counter:
    if before is None:
        return Counter(attempt, 0, value)
    if attempt > before.attempt:
        return Counter(attempt, before.total, value)
    return Counter(before.attempt, before.base, max(before.last, value))


def _key(operator: Operator, metric: str) -> str:
    return f"{operator.vertex}.{metric}"


def _sum(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other
