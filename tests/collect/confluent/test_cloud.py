"""The stand-in is strict: what Confluent Cloud would refuse, it refuses."""

from typing import Any

import httpx2
import pytest

from testing.stand_ins.confluent import OpenCloud

CLOUD = ("CLOUD", "cloud-secret")
KAFKA = "/rest/lkc-123/kafka/v3/clusters/lkc-123/topics"


def get(opened: OpenCloud, path: str, auth: Any = CLOUD, method: str = "GET") -> Any:
    return httpx2.request(method, opened.cloud.url + path, auth=auth, trust_env=False)


@pytest.mark.parametrize(
    ("path", "auth", "status"),
    [
        ("/org/v2/environments", None, 401),
        ("/org/v2/environments", ("CLOUD", "wrong"), 401),
        (KAFKA, CLOUD, 401),
        ("/tableflow/v1/tableflow-topics?environment=env-abc&spec.kafka_cluster=x", CLOUD, 401),
        ("/org/v2/environments?limit=5", CLOUD, 400),
        ("/org/v2/environments?page_size=500", CLOUD, 400),
        ("/org/v2/environments?page_token=made-up", CLOUD, 400),
        ("/cmk/v2/clusters", CLOUD, 400),
        ("/cmk/v2/clusters?environment=env-other", CLOUD, 403),
        (f"{KAFKA}?page_size=3", ("SHOPKAFKA", "kafka-secret"), 400),
        ("/nowhere", CLOUD, 404),
        ("/org/v2/environments", CLOUD, 200),
        (KAFKA, ("SHOPKAFKA", "kafka-secret"), 200),
    ],
)
def test_wrong_requests_are_refused(opened: OpenCloud, path: str, auth: Any, status: int) -> None:
    answer = get(opened, path, auth)
    assert answer.status_code == status
    if status != 200:
        found = answer.json()
        assert found.get("message") or found["errors"][0]["detail"]


def test_other_methods_and_fields_are_refused(opened: OpenCloud) -> None:
    assert get(opened, "/org/v2/environments", method="POST").status_code == 405
    url, auth = f"{opened.cloud.url}/ksqldb/lksqlc-1/ksql", ("SHOPKSQL", "ksql-secret")
    for body, status in (
        ({"ksql": "SHOW QUERIES EXTENDED;", "more": 1}, 400),
        ({}, 400),
        ({"ksql": "DROP STREAM ORDERS;"}, 400),
        ({"ksql": "SHOW QUERIES EXTENDED;"}, 200),
    ):
        answer = httpx2.post(url, json=body, auth=auth, trust_env=False)
        assert answer.status_code == status


def test_pages_follow_each_other_by_absolute_addresses(opened: OpenCloud) -> None:
    first = get(opened, "/org/v2/environments?page_size=1").json()
    assert first["metadata"]["next"].startswith(opened.cloud.url)
    second = httpx2.get(first["metadata"]["next"], auth=CLOUD, trust_env=False).json()
    ids = [page["data"][0]["id"] for page in (first, second)]
    assert ids == ["env-abc", "env-26wn6m"]
    assert "next" not in second["metadata"]
    token = first["metadata"]["next"].rpartition("=")[2]
    other = get(opened, f"/org/v2/organizations?page_token={token}")
    assert other.status_code == 400
