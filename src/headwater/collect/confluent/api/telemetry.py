"""The metrics API: how much was written to and read from each topic lately."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from headwater.collect.confluent.http import Endpoint
from headwater.collect.confluent.reports import ClusterReport, Json, inner

_QUERY = "/v2/metrics/cloud/query"
METRICS = ("received_bytes", "received_records", "sent_bytes", "sent_records")
_MOST_ROWS = 1_000


def read_activity(api: Endpoint, cluster: ClusterReport, hours: int) -> str:
    """The sums of all topics over the last hours, by metric."""
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    interval = f"{_time(end - timedelta(hours=hours))}/{_time(end)}"
    found: dict[str, dict[str, float]] = {}
    for metric in METRICS:
        for row in _rows(api, _body(metric, cluster.id, interval)):
            topic, value = row.get("metric.topic"), row.get("value")
            if isinstance(topic, str) and isinstance(value, (int, float)):
                of_topic = found.setdefault(topic, {})
                of_topic[metric] = of_topic.get(metric, 0) + value
    cluster.metrics = found
    return f"the activity of {len(found):,} topics"


def _rows(api: Endpoint, body: Json) -> Iterator[Json]:
    seen = set()
    token = ""
    while True:
        found = api.post(_QUERY, body, {"page_token": token} if token else None)
        rows = found.get("data") if isinstance(found, dict) else None
        yield from (each for each in rows or () if isinstance(each, dict))
        token = str(inner(found, "meta", "pagination").get("next_page_token") or "")
        if not token:
            return
        if token in seen:
            api.fail(f"the list {_QUERY} does not end: a page repeats")
        seen.add(token)


def _body(metric: str, cluster: str, interval: str) -> Json:
    return {
        "aggregations": [{"metric": f"io.confluent.kafka.server/{metric}", "agg": "SUM"}],
        "filter": {"op": "EQ", "field": "resource.kafka.id", "value": cluster},
        "granularity": "ALL",
        "group_by": ["metric.topic"],
        "intervals": [interval],
        "limit": _MOST_ROWS,
    }


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
