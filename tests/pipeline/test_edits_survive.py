"""Whatever was written through the API is answered alike by a store made anew from the lake."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from headwater.config import LakeSettings, Settings
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.lake.outbox import flush
from headwater.pipeline.rebuild import rebuild
from headwater.store import tables
from headwater.store.engine import open_engine
from testing.api import Api, escape, serve
from testing.events.minimal import JOBS, RUN, TABLES, dataset, run_event, schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.integration,
    # PySpark leaves it to the collector to close what results came through.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

SPACE = f"/api/v1/namespaces/{escape(TABLES)}"
LOAD = f"/api/v1/namespaces/{JOBS}/jobs/load"
OLD = "/api/v1/namespaces/old"
DESIGN = {"type": "DB_TABLE", "physicalName": "public.plan", "sourceName": "shop-db"}
READ = (
    "/namespaces",
    "/namespaces/old",
    "/sources",
    "/tags",
    "/jobs",
    f"/namespaces/{escape(TABLES)}/datasets",
    f"/namespaces/{JOBS}/jobs",
    "/namespaces/old/jobs",
    f"/namespaces/{JOBS}/jobs/load/runs",
    f"/jobs/runs/{RUN}",
    "/edits",
    "/events/lineage",
    f"/lineage?nodeId=job:{JOBS}:load",
    f"/search?q=orders&namespace={escape(TABLES)}",
    "/search?q=described",
)


@contextmanager
def open_server(store: str, lake: Lake, data: Path) -> Iterator[Api]:
    """A server whose events are to be carried on into a lake, by hand."""
    kept = LakeSettings(is_on=True, folder=str(lake.folder), every="1h")
    engine = open_engine(store)
    with (
        serve(Settings(store=store, data=data, lake=kept)) as url,
        httpx2.Client(base_url=url, trust_env=False, timeout=60) as client,
    ):
        yield Api(url, client, engine)
    engine.dispose()


def write(api: Api, method: str, path: str, body: Any = None) -> Any:
    content = {} if body is None else {"json": body}
    answer = api.client.request(method, path, **content)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def edit_all(api: Api) -> None:
    """Every kind of edit, of what events speak of and of what only persons do."""
    orders = dataset("orders", schema=schema(id="int", email="text"))
    gone, twin = dataset("gone"), dataset("twin")
    api.store(
        run_event("START", outputs=[orders, gone, twin]),
        {**run_event("START", run="old-1"), "job": {"namespace": "old", "name": "job"}},
    )
    write(api, "PUT", SPACE, {"ownerName": "sales", "description": "The shop"})
    write(api, "PUT", "/api/v1/sources/shop-db", {"type": "X", "connectionUrl": "x://db"})
    write(api, "PUT", "/api/v1/tags/PII", {"description": "Tells who"})
    write(
        api, "PUT", f"{SPACE}/datasets/plan", {**DESIGN, "fields": [{"name": "n"}], "tags": ["T"]}
    )
    used = {"inputs": [dataset("plan")], "outputs": [dataset("orders")]}
    write(api, "PUT", f"/api/v1/namespaces/{JOBS}/jobs/planned", {"type": "STREAM", **used})
    write(api, "POST", f"{SPACE}/datasets/orders/tags/PII")
    write(api, "POST", f"{SPACE}/datasets/orders/fields/email/tags/PII")
    write(api, "POST", f"{LOAD}/tags/NIGHTLY")
    write(api, "DELETE", f"{LOAD}/tags/NIGHTLY")
    about = {"type": "dataset", "namespace": TABLES, "name": "orders"}
    owners = {"owners": [{"name": "ada"}]}
    link = {"identifiers": [{"namespace": TABLES, "name": "twin", "type": "TABLE"}]}
    said = {"documentation": {"description": "described"}, "ownership": owners, "symlinks": link}
    write(api, "POST", "/api/v1/edits", {"entity": about, "set": said})
    field = {**about, "field": "id"}
    told = {"documentation": {"description": "one a sale"}}
    undone = write(api, "POST", "/api/v1/edits", {"entity": field, "set": told})
    write(api, "POST", f"/api/v1/edits/{undone['id']}/undo")
    write(api, "DELETE", f"{SPACE}/datasets/gone")
    write(api, "DELETE", f"{SPACE}/datasets/plan")
    write(api, "POST", f"{SPACE}/datasets/plan/restore")
    write(api, "DELETE", OLD)
    made = write(api, "POST", f"{LOAD}/runs", {"args": {"day": "1"}})
    write(api, "POST", f"/api/v1/jobs/runs/{made['id']}/start")
    write(api, "POST", f"/api/v1/jobs/runs/{made['id']}/complete")


def answers(api: Api) -> dict[str, Any]:
    found = {path: api.client.get(f"/api/v1{path}") for path in READ}
    assert {path: answer.text for path, answer in found.items() if answer.status_code != 200} == {}
    return {path: answer.json() for path, answer in found.items()}


def test_edits_survive_a_rebuild(
    sqlite_url: str, lake: Lake, spark: "SparkSession", tmp_path: Path
) -> None:
    with open_server(sqlite_url, lake, tmp_path / "data") as api:
        edit_all(api)
        before = answers(api)
    engine = open_engine(sqlite_url)
    flush(engine, lake)
    totals = rebuild(engine, spark, lake, tmp_path / "data", lambda step, done, total: None)
    with engine.connect() as connection:
        assert totals.events == len(connection.execute(tables.event.select()).all())
    engine.dispose()
    with open_server(sqlite_url, lake, tmp_path / "data") as api:
        after = answers(api)
        assert {path for path in READ if before[path] != after[path]} == set()
        # And what was deleted can still be brought back.
        write(api, "POST", f"{OLD}/restore")
        assert [job["name"] for job in api.read("/namespaces/old/jobs")["jobs"]] == ["job"]
    assert before["/edits"]["totalCount"] == 16
    shown = [each["name"] for each in before[f"/namespaces/{escape(TABLES)}/datasets"]["datasets"]]
    assert shown == ["orders", "plan", "twin"]
