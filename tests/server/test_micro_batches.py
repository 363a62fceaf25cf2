"""Streams of Spark that two report: the stock listener batch by batch, and the query by itself."""

import itertools
from typing import Any

import pytest

from headwater.model.values.ids import dataset_id
from testing.api import Api
from testing.events.minimal import JOBS, RUN, Json, run_event, schema
from tests.server.lineage import ds, edges_of, lineage

LISTENER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"
QUERY_RUN = "01890000-0000-4000-8000-00000000000a"
QUERY_ID = "01890000-0000-4000-8000-00000000000b"
FILES, TOPICS = "file", "kafka://broker:9092"
RECORD = schema(
    key="binary",
    value="binary",
    topic="string",
    partition="integer",
    offset="long",
    timestamp="timestamp",
    timestampType="integer",
)


def told_by_listener(
    event_type: str,
    at: str,
    job: str,
    *,
    query: str | None = None,
    is_stream: bool = True,
    **rest: Any,
) -> Json:
    """An event of the stock listener; one of a run says which query it is a batch of."""
    application = {"run": {"runId": RUN}, "job": {"namespace": JOBS, "name": "shop"}}
    run_facets: Json = {"parent": application}
    if query is not None:
        described = f"{query}\nid = {QUERY_ID}\nrunId = {QUERY_RUN}\nbatch = 3"
        run_facets["spark_jobDetails"] = {"jobDescription": described}
    job_type = {"processingType": "STREAMING" if is_stream else "BATCH", "integration": "SPARK"}
    batch_run = f"01890000-0000-7000-8000-{len(job):012d}"
    return run_event(
        event_type,
        f"2024-05-01T10:00:{at}Z",
        run=batch_run,
        job=f"shop.{job}",
        run_facets=run_facets,
        job_facets={"jobType": job_type},
        producer=LISTENER,
        **rest,
    )


def read(name: str, namespace: str = FILES, **facets: Any) -> list[Json]:
    return [{"namespace": namespace, "name": name, "facets": facets}]


def told_by_query(name: str = "clean") -> Json:
    return run_event(
        "RUNNING",
        "2024-05-01T10:00:30Z",
        run=QUERY_RUN,
        job=name,
        inputs=read("/shop/orders"),
        outputs=read("/shop/cleaned"),
    )


BATCHES = [
    told_by_listener("START", "01", "scan_json", inputs=read("/shop/orders/1.json")),
    told_by_listener("RUNNING", "02", "scan_json", inputs=read("/shop/orders/1.json")),
    told_by_listener("COMPLETE", "03", "scan_json", inputs=read("/shop/orders/1.json")),
    told_by_listener("START", "04", "append_data", is_stream=False, outputs=read("/shop/cleaned")),
    told_by_listener(
        "RUNNING",
        "05",
        "append_data",
        query="clean",
        is_stream=False,
        outputs=read("/shop/cleaned"),
    ),
    told_by_listener("COMPLETE", "06", "append_data", is_stream=False),
]
SUMMARY = told_by_listener(
    "COMPLETE",
    "10",
    "overwrite",
    is_stream=False,
    inputs=read("/shop/cleaned"),
    outputs=read("/shop/summary"),
)


def jobs_of(api: Api) -> list[str]:
    return [job["name"] for job in api.read(f"/namespaces/{JOBS}/jobs")["jobs"]]


def test_systems_count_what_lists_show(api: Api) -> None:
    api.store(*BATCHES, SUMMARY, told_by_query())
    counted = sum(each["jobs"] for each in api.read("/systems")["systems"])
    assert counted == len(jobs_of(api)) == 3


def test_a_stream_that_tells_itself_is_shown_once(api: Api) -> None:
    api.store(*BATCHES, SUMMARY, told_by_query())
    assert jobs_of(api) == ["clean", "shop", "shop.overwrite"]
    assert edges_of(lineage(api, ds("/shop/summary", FILES), depth=20)) == {
        "dataset:file:/shop/orders -> clean",
        "clean -> dataset:file:/shop/cleaned",
        "dataset:file:/shop/cleaned -> shop.overwrite",
        "shop.overwrite -> dataset:file:/shop/summary",
    }
    found = api.read("/search", q="shop.scan_json")
    assert [each["name"] for each in found["results"] if each["type"] == "JOB"] == []
    # What was told is still there for whoever asks by name.
    assert api.job(JOBS, "shop.append_data")["name"] == "shop.append_data"


def test_without_it_the_batches_are_shown(api: Api) -> None:
    api.store(*BATCHES, told_by_query(name="another"))
    assert jobs_of(api) == ["another", "shop", "shop.append_data", "shop.scan_json"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_whatever_comes_first(sqlite_api: Api, order: tuple[int, ...]) -> None:
    parts = ([told_by_query()], BATCHES[:3], BATCHES[3:])
    for place in order:
        sqlite_api.store(*parts[place])
    assert jobs_of(sqlite_api) == ["clean", "shop"]


def test_a_query_without_a_name(sqlite_api: Api) -> None:
    batch = told_by_listener("RUNNING", "02", "project", query="", inputs=read("/shop/orders"))
    sqlite_api.store(batch, told_by_query(name=f"query-{QUERY_ID}"))
    assert jobs_of(sqlite_api) == [f"query-{QUERY_ID}", "shop"]


def test_files_of_batches_are_their_folder(sqlite_api: Api) -> None:
    source = {"namespace": FILES, "name": "/shop/orders/day=1/part-0001", "field": "id"}
    columns = {"fields": {"id": {"inputFields": [source]}}}
    event = told_by_listener(
        "COMPLETE",
        "01",
        "filter",
        inputs=[*read("/shop/orders"), *read("/shop/orders/day=2/b.json")],
        outputs=read("/shop/cleaned", columnLineage=columns),
    )
    sqlite_api.store(event)
    names = [each["name"] for each in sqlite_api.read(f"/namespaces/{FILES}/datasets")["datasets"]]
    assert names == ["/shop/cleaned", "/shop/orders"]
    (column_map,) = sqlite_api.column_maps()
    (source_column,) = column_map.outputs["id"]
    assert source_column.dataset == dataset_id(FILES, "/shop/orders")


def test_files_of_a_job_are_as_they_were_reported(sqlite_api: Api) -> None:
    sqlite_api.store(
        told_by_listener("START", "01", "x", is_stream=False, inputs=read("/a/b.json"))
    )
    assert sqlite_api.dataset(FILES, "/a/b.json")["name"] == "/a/b.json"


def test_what_every_topic_has_is_no_schema_of_one(sqlite_api: Api) -> None:
    parsed = schema(order_id="string", price="double")
    sqlite_api.store(
        run_event("START", "2024-05-01T10:00:00Z", inputs=read("orders", TOPICS, schema=parsed)),
        told_by_listener("RUNNING", "09", "project", inputs=read("orders", TOPICS, schema=RECORD)),
    )
    fields = sqlite_api.dataset(TOPICS, "orders")["fields"]
    assert [field["name"] for field in fields] == ["order_id", "price"]
    # Elsewhere it is a table like any other.
    sqlite_api.store(run_event("START", outputs=read("copy", "db", schema=RECORD)))
    assert len(sqlite_api.dataset("db", "copy")["fields"]) == 7
