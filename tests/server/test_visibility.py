"""Which datasets and jobs are shown: lists, counts, searches, names, health and the graph agree."""

from typing import Any

import pytest
from sqlalchemy import insert

from headwater.model.values.ids import job_id, namespace_id
from headwater.model.values.instant import format_instant, now
from headwater.store import tables
from testing.api import Api
from testing.events.minimal import JOBS, RUN, TABLES, Json, dataset, run_event
from tests.server.test_marquez_writes import write
from tests.server.test_micro_batches import LISTENER, QUERY_ID, QUERY_RUN

AT = "2024-05-01T10:00:00Z"
# All names have this in common, and nothing else is in the store.
STEM = "item"

# The second name of a dataset is listed by itself; in the graph it is the same node.
SECOND_NAME = "item_second_name"
DATASETS = {"item_plain", "item_restored", "item_declared", "item_alone", SECOND_NAME}
DELETED_DATASETS = {"item_deleted"}
JOBS_SHOWN = {"item_app", "item_load", "item_job_restored", "item_query", "item_child"}
DELETED_JOBS = {"item_job_deleted"}
PARTS = {"item_app.scan", "item_app.append"}


def load(job: str, output: str, at: str = AT, **rest: Any) -> Json:
    return run_event("COMPLETE", at, f"run-{job}", job, outputs=[dataset(output)], **rest)


def micro_batch(name: str, query: str | None = None) -> Json:
    """A batch of the application, as the stock listener reports it."""
    facets: Json = {
        "parent": {"run": {"runId": RUN}, "job": {"namespace": JOBS, "name": "item_app"}}
    }
    if query:
        described = f"{query}\nid = {QUERY_ID}\nrunId = {QUERY_RUN}\nbatch = 3"
        facets["spark_jobDetails"] = {"jobDescription": described}
    kind = {"processingType": "STREAMING", "integration": "SPARK"}
    return run_event(
        "RUNNING",
        AT,
        f"run-{name}",
        name,
        run_facets=facets,
        job_facets={"jobType": kind},
        producer=LISTENER,
        outputs=[dataset("item_plain")],
    )


def path_of(noun: str, name: str) -> str:
    namespace = TABLES if noun == "datasets" else JOBS
    return f"/api/v1/namespaces/{namespace.replace('/', '%2F')}/{noun}/{name}"


@pytest.fixture
def mixed(api: Api) -> Api:
    """A store with one of each case."""
    other = {"identifiers": [{"namespace": TABLES, "name": SECOND_NAME, "type": "TABLE"}]}
    parent = {"run": {"runId": RUN}, "job": {"namespace": JOBS, "name": "item_app"}}
    api.store(
        load("item_load", "item_plain", inputs=[dataset(SECOND_NAME)]),
        load("item_job_deleted", "item_deleted"),
        load("item_job_restored", "item_restored"),
        load("item_child", "item_alone", run_facets={"parent": parent}),
        {
            "eventTime": AT,
            "dataset": dataset("item_declared", symlinks=other),
            "producer": LISTENER,
        },
        micro_batch("item_app.scan"),
        micro_batch("item_app.append", query="item_query"),
        run_event("RUNNING", AT, QUERY_RUN, "item_query", outputs=[dataset("item_plain")]),
    )
    for noun, name in (
        ("datasets", "item_deleted"),
        ("datasets", "item_restored"),
        ("datasets", "item_alone"),
        ("jobs", "item_job_deleted"),
        ("jobs", "item_job_restored"),
    ):
        write(api, "DELETE", path_of(noun, name))
    write(api, "POST", path_of("datasets", "item_restored") + "/restore")
    write(api, "POST", path_of("jobs", "item_job_restored") + "/restore")
    # What is seen again is shown again.
    api.store(load("item_child", "item_alone", at=format_instant(now())))
    with api.engine.begin() as connection:
        # Only edited: no event has named it.
        unknown = {"id": job_id(JOBS, "item_only_edited"), "name": "item_only_edited"}
        place = {"namespace_id": namespace_id(JOBS), "namespace": JOBS}
        connection.execute(insert(tables.job).values(**unknown, **place))
    return api


def names(found: list[Json], kind: str) -> set[str]:
    return {each["name"] for each in found if each["type"] == kind}


def test_lists(mixed: Api) -> None:
    for noun, expected in (("datasets", DATASETS), ("jobs", JOBS_SHOWN)):
        namespace = TABLES if noun == "datasets" else JOBS
        found = mixed.read(f"/namespaces/{namespace.replace('/', '%2F')}/{noun}", limit=100)
        assert {each["name"] for each in found[noun]} == expected
        assert found["totalCount"] == len(expected)
    assert {job["name"] for job in mixed.read("/jobs", limit=100)["jobs"]} == JOBS_SHOWN


def test_counts(mixed: Api) -> None:
    systems = mixed.read("/systems")["systems"]
    assert sum(each["datasets"] for each in systems) == len(DATASETS)
    assert sum(each["jobs"] for each in systems) == len(JOBS_SHOWN)
    assert mixed.read("/stats/jobs", period="DAY")[-1]["count"] == len(JOBS_SHOWN)
    # Datasets known only as another's second name have no first time; here all have one.
    assert mixed.read("/stats/datasets", period="DAY")[-1]["count"] == len(DATASETS)


def test_searches(mixed: Api) -> None:
    found = mixed.read("/search", q=STEM, limit=100)
    assert names(found["results"], "DATASET") == DATASETS
    assert names(found["results"], "JOB") == JOBS_SHOWN
    for hidden in DELETED_DATASETS | DELETED_JOBS | PARTS:
        assert mixed.read("/search", q=hidden)["totalCount"] == 0


def test_names(mixed: Api) -> None:
    found = mixed.read("/nodes", name=STEM, limit=100)["nodes"]
    # A dataset with two names is found once.
    assert names(found, "DATASET") | {SECOND_NAME, "item_declared"} == DATASETS
    assert names(found, "JOB") == JOBS_SHOWN


def test_health(mixed: Api) -> None:
    found = mixed.read("/health/jobs", all=True, limit=100)
    assert {job["name"] for job in found["jobs"]} == JOBS_SHOWN
    assert sum(found["counts"].values()) == len(JOBS_SHOWN)


def test_the_graph(mixed: Api) -> None:
    found = mixed.read("/lineage/diff", **{"from": "2000-01-01T00:00:00Z"}, limit=1000)
    added = {each["subject"] for each in found["changes"] if each["type"] in ("dataset", "job")}
    nodes = [found["nodes"][id] for id in added]
    assert names(nodes, "JOB") == JOBS_SHOWN
    assert names(nodes, "DATASET") | {SECOND_NAME, "item_declared"} == DATASETS


@pytest.mark.parametrize("name", sorted(PARTS))
def test_micro_batches_are_found_by_their_whole_name(mixed: Api, name: str) -> None:
    assert mixed.job(JOBS, name)["name"] == name
    found = mixed.read("/nodes", name=name)["nodes"]
    assert [node["name"] for node in found] == [name]
    # It has no lineage of its own, and is not suggested in its own place.
    answer = mixed.get("/lineage", nodeId=f"job:{JOBS}:{name}")
    assert answer.status_code == 404
    assert name not in answer.json()["message"].partition("near")[2]


@pytest.mark.parametrize("name", sorted(DELETED_JOBS | {"item_only_edited"}))
def test_what_is_hidden_is_not_found_by_name_either(mixed: Api, name: str) -> None:
    assert mixed.get(path_of("jobs", name).removeprefix("/api/v1")).status_code == 404
    assert mixed.read("/nodes", name=name)["nodes"] == []
