"""`/ingestions`: both requests of OpenMetadata's documentation, and what becomes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from headwater.model.values.instant import SECOND, now
from headwater.store.ingestions import (
    StoredIngestionRun,
    end_run,
    note_run,
    start_run,
    take_ingestion,
)
from testing.api import Api, no_lake, open_api, serve

KAFKA: dict[str, Any] = {
    "displayName": "OpenLineage Kafka Service",
    "serviceType": "OpenLineage",
    "connection": {
        "config": {
            "brokerConfig": {
                "brokersUrl": "127.0.0.1:1",
                "topicName": "openlineage-events",
                "consumerGroupName": "openmetadata-consumer",
                "consumerOffsets": "earliest",
                "poolTimeout": 3.0,
                "sessionTimeout": 60,
                "securityProtocol": "SSL",
                "sslConfig": {
                    "sslCertificate": "/path/to/kafka/certs/Certificate.pem",
                    "sslKey": "/path/to/kafka/certs/Key.pem",
                    "caCertificate": "/path/to/kafka/certs/RootCA.pem",
                },
            }
        }
    },
}
KINESIS: dict[str, Any] = {
    "displayName": "OpenLineage Kinesis Service",
    "connection": {
        "config": {
            "brokerConfig": {
                "streamName": "openlineage-events",
                "consumerOffsets": "TRIM_HORIZON",
                "poolTimeout": 1.0,
                "sessionTimeout": 30,
                "awsConfig": {
                    "awsRegion": "us-east-2",
                    "awsAccessKeyId": "AKIAEXAMPLE",
                    "awsSecretAccessKey": "env:AWS_SECRET_ACCESS_KEY",
                },
            }
        }
    },
}
SCOPES = {"r": "read", "w": "write+read", "b": "admin"}
PLACE: dict[str, Any] = {"connection": {"config": {"brokerConfig": {"place": "/nowhere"}}}}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


def put(api: Api, name: str, body: Any) -> httpx2.Response:
    return api.client.put(f"/api/v1/ingestions/{name}", json=body)


@pytest.mark.parametrize(
    ("name", "body", "reads"),
    [
        ("openlineage-kafka-service", KAFKA, "kafka openlineage-events at 127.0.0.1:1"),
        ("openlineage-kinesis-service", KINESIS, "kinesis openlineage-events in us-east-2"),
    ],
)
def test_requests_with_openmetadatas_keys(
    api: Api, name: str, body: dict[str, Any], reads: str
) -> None:
    answer = put(api, name, body | {"schedule": {"interval": "hourly"}})
    assert answer.status_code == 200, answer.text
    found = api.read(f"/ingestions/{name}")
    assert found["connection"] == body["connection"]
    assert (found["reads"], found["state"], found["revision"]) == (reads, "stopped", 1)
    assert found["nextAt"].endswith(":00:00.000000Z")
    assert found["notUsed"] == [
        {"key": key, "reason": "an ingestion of Headwater always reads OpenLineage events"}
        for key in body
        if key == "serviceType"
    ]
    assert put(api, name, body).json()["revision"] == 2
    (listed,) = api.read("/ingestions")["ingestions"]
    assert listed["name"] == name


def test_what_cannot_be_used_is_refused_with_its_place(api: Api) -> None:
    wrong = {"connection": {"config": {"brokerConfig": {"streamName": "x", "awsConfig": {}}}}}
    answer = put(api, "shop", wrong)
    assert answer.status_code == 422
    path = "$.connection.config.brokerConfig.awsConfig.awsRegion"
    assert answer.json()["path"] == path and answer.json()["reason"] == "missing"
    assert put(api, "a b", PLACE).status_code == 422
    assert put(api, "shop", []).status_code == 422
    secret = {"awsRegion": "x", "awsAccessKeyId": "a", "awsSecretAccessKey": "hunter2"}
    wrong["connection"]["config"]["brokerConfig"]["awsConfig"] = secret
    answer = put(api, "shop", wrong)
    assert answer.status_code == 422 and "hunter2" not in answer.text
    assert "env:VARIABLE" in answer.json()["reason"]
    assert api.read("/ingestions")["totalCount"] == 0


def check(api: Api, name: str, body: Any = None) -> Any:
    answer = api.client.post(f"/api/v1/ingestions/{name}/check", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_check_tells_which_step_fails(api: Api, tmp_path: Path) -> None:
    plain = {"brokersUrl": "127.0.0.1:1", "topicName": "x"}
    found = check(api, "new", {"connection": {"config": {"brokerConfig": plain}}})
    assert not found["isOk"]
    *_, last = found["steps"]
    assert (last["name"], last["state"]) == ("brokers", "problem")
    assert "cannot connect to 127.0.0.1:1" in last["detail"]
    put(api, "shop", PLACE)
    assert "nothing at '/nowhere'" in check(api, "shop")["steps"][-1]["detail"]
    here = {"connection": {"config": {"brokerConfig": {"place": str(tmp_path / "*.none")}}}}
    assert check(api, "shop", here)["isOk"] in (True, False)
    assert api.client.post("/api/v1/ingestions/none/check").status_code == 404


def test_a_certificate_that_is_not_there_is_a_step_that_fails(api: Api) -> None:
    put(api, "shop", KAFKA)
    found = check(api, "shop")
    assert not found["isOk"] and "hunter2" not in str(found)


def test_state_and_runs(api: Api) -> None:
    put(api, "shop", PLACE)
    at = now()
    run = StoredIngestionRun("shop", at, stored=7, rejected=1, lag=5)
    with api.engine.begin() as connection:
        assert take_ingestion(connection, "shop", "laptop:1", at, at + 60 * SECOND)
        assert start_run(connection, "shop", "laptop:1", at)
        note_run(connection, run)
    found = api.read("/ingestions/shop")
    assert (found["state"], found["holder"], found["lag"]) == ("running", "laptop:1", 5)
    assert (found["allStored"], found["runs"][0]["state"]) == (7, "running")
    with api.engine.begin() as connection:
        ended = run._replace(ended_at=at + 1, problem="no answer")
        end_run(connection, ended, 1, at + 60 * SECOND, is_failed=True)
    found = api.read("/ingestions/shop")
    assert (found["state"], found["problem"], found["failures"]) == ("failing", "no answer", 1)
    assert found["runs"][0]["state"] == "failed" and found["allStored"] == 7


def test_run_pause_resume_and_remove(api: Api) -> None:
    put(api, "shop", PLACE)
    post = api.client.post
    assert post("/api/v1/ingestions/shop/run").json()["isRequested"]
    assert post("/api/v1/ingestions/shop/pause").json()["state"] == "paused"
    assert post("/api/v1/ingestions/shop/run").status_code == 409
    assert post("/api/v1/ingestions/shop/resume").json()["state"] == "stopped"
    assert api.client.delete("/api/v1/ingestions/shop").json()["name"] == "shop"
    for path in ("run", "pause", "resume"):
        assert post(f"/api/v1/ingestions/shop/{path}").status_code == 404
    assert api.client.delete("/api/v1/ingestions/shop").status_code == 404
    assert api.client.get("/api/v1/ingestions/shop").status_code == 404


def test_only_administrators_change_them(tmp_path: Path) -> None:
    """Who does has this machine connect elsewhere, with its secrets."""
    keys = {"keys": ",".join(f"{name}:{name * 16}:{scopes}" for name, scopes in SCOPES.items())}
    settings = no_lake(f"sqlite:///{tmp_path / 'headwater.db'}", auth=keys)
    with serve(settings) as url, httpx2.Client(base_url=url) as client:

        def ask(method: str, key: str, path: str = "") -> int:
            headers = {"X-API-Key": key * 16}
            body = PLACE if method == "PUT" else None
            address = f"/api/v1/ingestions/shop{path}"
            return client.request(method, address, json=body, headers=headers).status_code

        assert ask("PUT", "w") == 403 and ask("PUT", "b") == 200
        assert ask("GET", "r") == 200
        assert ask("POST", "w", "/run") == 403 and ask("DELETE", "w") == 403
        assert ask("POST", "w", "/check") == 403 and ask("POST", "b", "/check") == 200
