"""`/publishers`, `serve --publish` and `POST /push/PROVIDER`: publishing by a server."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from headwater.errors import BadConfig
from headwater.publish.plans import read_publisher_plans
from testing.api import no_lake, serve
from testing.events.bridge import UNITY, estate
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import Reply, serve_written
from testing.wait import wait_until

TOKEN = "catalog-very-secret"


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleLineageStandIn]:
    monkeypatch.setenv("CATALOG_TOKEN", TOKEN)
    with serve_written(GoogleLineageStandIn(TOKEN)) as stand_in:
        yield stand_in


@pytest.fixture
def databricks(monkeypatch: pytest.MonkeyPatch) -> Iterator[DatabricksStandIn]:
    monkeypatch.setenv("CATALOG_TOKEN", TOKEN)
    with serve_written(DatabricksStandIn(TOKEN)) as stand_in:
        stand_in.add_table("main.sales.orders")
        yield stand_in


@contextmanager
def client_of(url: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as client:
        for event in estate():
            headers = {"Content-Type": "application/json"}
            assert client.post("/api/v1/lineage", content=event, headers=headers).status_code == 201
        yield client


def google_section(google: GoogleLineageStandIn, **more: Any) -> dict[str, Any]:
    given = {"type": "google-lineage", "project": "acme", "url": google.url}
    return {"dataplex": {**given, "token": "env:CATALOG_TOKEN", **more}}


@pytest.mark.slow
def test_it_publishes_by_itself_and_on_request(
    google: GoogleLineageStandIn, tmp_path: Path
) -> None:
    plans = read_publisher_plans(google_section(google, every="1h"))
    settings = no_lake(f"sqlite:///{tmp_path / 'store.db'}")
    with serve(settings, publishers=plans) as url, client_of(url) as client:

        def read() -> Any:
            return client.get("/api/v1/publishers/dataplex").json()

        wait_until(lambda: read().get("lastEndedAt") is not None)
        client.post("/api/v1/publishers/dataplex/run")
        wait_until(lambda: read()["allSent"] == 5)
        assert (read()["type"], read()["state"]) == ("google-lineage", "waiting")
        assert client.get("/api/v1/publishers").json()["totalCount"] == 1
        google.fail(Reply(401, {"error": f"bad {TOKEN}"}), times=9, when=lambda call: True)
        client.post(
            "/api/v1/lineage", content=_another(), headers={"Content-Type": "application/json"}
        )
        client.post("/api/v1/publishers/dataplex/run")
        wait_until(lambda: read()["state"] == "failing")
        assert "401" in read()["problem"] and TOKEN not in read()["problem"]
        assert client.delete("/api/v1/publishers/dataplex").status_code == 409
        assert client.get("/api/v1/publishers/other").status_code == 404


def _another() -> bytes:
    return estate()[1].replace(b'"enrich"', b'"enrich-too"').replace(b"000002", b"000092")


def test_sections_are_checked(google: GoogleLineageStandIn) -> None:
    (plan,) = read_publisher_plans(google_section(google))
    assert (plan.name, plan.every, plan.settings.model_dump()["name"]) == (
        "dataplex",
        300,
        "dataplex",
    )
    with pytest.raises(BadConfig, match="did you mean 'project'"):
        read_publisher_plans(google_section(google, projct="x"))
    with pytest.raises(BadConfig, match="no publisher 'nothing'"):
        read_publisher_plans({"nothing": {}})


@pytest.mark.slow
def test_pushes_of_lineage_bridge(databricks: DatabricksStandIn, tmp_path: Path) -> None:
    section = {
        "type": "unity-catalog", "url": databricks.url, "token": "env:CATALOG_TOKEN",
        "namespace": [UNITY], "warehouse": "wh-1", "property_prefix": "lineage_bridge",
    }  # fmt: skip
    settings = no_lake(f"sqlite:///{tmp_path / 'store.db'}", publish={"lakehouse": section})
    with serve(settings) as url, client_of(url) as client:

        def push(provider: str, body: Any = None) -> httpx2.Response:
            return client.post(f"/api/v1/push/{provider}", json=body, params={"graph_id": "g"})

        options = {"use_native_lineage": False, "set_comments": False, "create_bridge_table": True}
        found = push("databricks_uc", options).json()
        assert (found["tables_updated"], found["properties_set"], found["comments_set"]) == (
            1,
            1,
            0,
        )
        assert found["external_metadata_registered"] == 0 and "bridge" in found["skipped"][0]
        assert databricks.tables["main.sales.orders"]["comment"] is None
        assert databricks.objects == {}
        found = push("databricks_uc").json()
        assert (found["external_metadata_registered"], found["errors"]) == (10, [])
        assert found["lineage_relationships_created"] == len(databricks.links)
        assert found["comments_set"] == 1
        assert push("databricks_uc").json()["external_metadata_registered"] == 0
        for answer, status in (
            (push("other"), 404), (push("aws_glue"), 409),
            (push("databricks_uc", {"set": True}), 400),
            (push("databricks_uc", {"set_comments": "x"}), 400),
            (client.post("/api/v1/push/databricks_uc", content=b"[1]"), 422),
        ):  # fmt: skip
            assert answer.status_code == status, answer.text
            assert answer.json()["detail"] == answer.json()["message"]
        databricks.fail(Reply(401, {"message": TOKEN}), times=9, when=lambda call: True)
        client.post(
            "/api/v1/lineage", content=_another(), headers={"Content-Type": "application/json"}
        )
        (error,) = push("databricks_uc").json()["errors"]
        assert "refused" in error and TOKEN not in error
