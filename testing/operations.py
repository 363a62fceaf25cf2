"""What operators see beside lineage: collectors, ingestions, findings of clusters, drift."""

from typing import Any

from headwater.collect.kafka.reports import ClusterTopic, Denied
from headwater.collect.kafka.translate import ClusterIdentity, translate_gaps, translate_topic
from headwater.model.values.instant import now
from testing.api import Api
from testing.events import full

CLUSTER = ClusterIdentity("abc", "kafka://broker:9092")
_INGESTION = {
    "displayName": "Orders of the shop",
    "connection": {
        "config": {"brokerConfig": {"brokersUrl": "kafka:9092", "topicName": "lineage"}}
    },
    "schedule": {"interval": "hourly"},
}


def report_collector(api: Api, name: str, step: str, **more: Any) -> dict[str, Any]:
    """What a collector says that runs elsewhere."""
    body = {"holder": "laptop:1", "step": step, "type": "connect", "everySeconds": 90, **more}
    answer = api.post(body, f"/api/v1/collectors/{name}/report")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def add_topics(api: Api, *names: str) -> None:
    for name in names:
        found = translate_topic(CLUSTER, ClusterTopic(name, 1, 1), (), {}, None, now())
        assert found is not None
        api.store(found.event)


def fill_operations(api: Api) -> None:
    """Topics that nobody documented, a declared job that does otherwise, a collector that fails,
    and an ingestion."""
    add_topics(api, "shadow", "orders-v2")
    api.store(translate_gaps(CLUSTER, [Denied("access rules", "not allowed")], now()).event)
    returns = {"namespace": "db", "name": "returns"}
    api.store(full.job_event(), full.run_event("COMPLETE", inputs=[returns]))
    report_collector(api, "connect-shop", "hold")
    report_collector(api, "connect-shop", "ended", stored=31, nextSeconds=90)
    report_collector(api, "registry", "hold", type="schema-registry")
    problem = "http://registry:8081 refuses the key (401): check collect.registry.password"
    report_collector(api, "registry", "ended", isFailed=True, problem=problem, nextSeconds=90)
    answer = api.client.put("/api/v1/ingestions/shop", json=_INGESTION)
    assert answer.status_code == 200, answer.text
