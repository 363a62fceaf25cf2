"""Requests made from the API document, right and wrong ones: none fails the server, and every
answer is what the document says."""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from headwater.store.collectors import PUBLISHERS, take_lease
from testing.api import JSON, Api, escape, open_api
from testing.events.minimal import RUN, Json, dataset, run_event, schema

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Of a call, also on a machine that does much else; more is a path that is slow.
MOST_SECONDS = 10
# What is looked for first, what is changed then, and at last what is taken away.
ORDER = ("get", "put", "post", "delete")

# Needs a catalog in the settings: tests/server/test_publishers.py.
UNCONFIGURED = frozenset(("/api/v1/push/{provider}",))

NAMESPACE = "postgres://db:5432"
ORDERS, LOAD = f"dataset:{NAMESPACE}:orders", f"job:{NAMESPACE}:load"
COLLECTOR = "dropped"
# One that is paused does not run on request.
INGESTION, PAUSED_INGESTION = "shop", "idle"
# Names of things that are there, so that more than "not found" is answered.
KNOWN: dict[str, Any] = {
    "namespace": NAMESPACE,
    "dataset": "orders",
    "job": "load",
    "run_id": RUN,
    "runId": RUN,
    "nodeId": ORDERS,
    "field": "id",
    "tag": "PII",
    "source": NAMESPACE,
    "name": "orders",
    "q": "orders",
    "node_id": f"external:external_dataset:{NAMESPACE}:orders",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server that has something of everything."""
    store = tmp_path_factory.mktemp("described") / "headwater.db"
    with open_api(f"sqlite:///{store}") as api:
        fill(api)
        yield api


def fill(api: Api) -> None:
    columns = {
        "fields": {
            "id": {
                "inputFields": [
                    {
                        "namespace": NAMESPACE,
                        "name": "orders",
                        "field": "id",
                        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
                    }
                ]
            }
        }
    }
    orders = dataset(
        "orders",
        NAMESPACE,
        schema=schema(id="INT", amount="DECIMAL"),
        documentation={"description": "Every order."},
        ownership={"owners": [{"name": "ada", "type": "MAINTAINER"}]},
        tags={"tags": [{"key": "PII", "source": "test"}, {"key": "PII", "field": "id"}]},
        dataSource={"name": NAMESPACE, "uri": NAMESPACE},
        symlinks={"identifiers": [{"namespace": "hive://h", "name": "o", "type": "TABLE"}]},
    )
    totals = dataset("totals", NAMESPACE, schema=schema(id="INT"), columnLineage=columns)
    counted = {"outputFacets": {"outputStatistics": {"rowCount": 3, "size": 30}}}
    job = {
        "namespace": NAMESPACE,
        "name": "load",
        "facets": {
            "jobType": {"processingType": "STREAMING", "integration": "SPARK", "jobType": "QUERY"},
            "sql": {"query": "SELECT 1"},
            "sourceCodeLocation": {"type": "git", "url": "https://example.org/a.git"},
        },
    }
    for number, kind in enumerate(("START", "COMPLETE", "FAIL")):
        run = RUN if number < 2 else RUN[:-1] + "9"
        event = run_event(kind, f"2024-05-01T1{number}:00:00Z", run)
        event |= {"job": job, "inputs": [orders], "outputs": [totals | counted]}
        api.store(event)
    api.store({"eventTime": "2024-05-01T10:00:00Z", "dataset": orders, "producer": "test:a"})
    # The one that the example of an edit speaks of.
    example = dataset("public.orders", NAMESPACE)
    api.store({"eventTime": "2024-05-01T10:00:00Z", "dataset": example, "producer": "test:a"})
    api.post(b"no json")
    entity = {"type": "dataset", "namespace": NAMESPACE, "name": "totals"}
    said = {"entity": entity, "set": {"documentation": {"description": "By day."}}}
    assert api.post(said, "/api/v1/edits").status_code < 300
    # Nobody holds it any more: it may be deleted.
    with api.engine.begin() as connection:
        for lease in ((COLLECTOR, "connect"), (COLLECTOR, "glue", PUBLISHERS)):
            name, kind, *table = lease
            assert take_lease(connection, name, kind, 60, "a server", 10, 20, *table)
    config = {"connection": {"config": {"brokerConfig": {"place": "/nowhere"}}}}
    for name in (INGESTION, PAUSED_INGESTION):
        assert api.client.put(f"/api/v1/ingestions/{name}", json=config).status_code == 200
    bridged = {"inputs": [orders], "outputs": [totals], "job": job, "run": {"runId": RUN}}
    assert api.post(example_event() | bridged, "/api/v1/lineage/events").status_code == 201
    assert api.client.post("/api/v1/tasks/extract").status_code == 202


def example_event() -> Json:
    return run_event("COMPLETE", "2024-05-01T13:00:00Z", RUN)


def known_by_path(api: Api) -> dict[str, Json]:
    """The same where a name means another thing, or only the server knows it."""
    of_dataset = "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions/{version}"
    of_job = "/api/v1/namespaces/{namespace}/jobs/{job}/versions/{version}"
    return {
        of_dataset: {"version": api.dataset(NAMESPACE, "orders")["currentVersion"]},
        of_job: {"version": api.read(f"{_JOB_PATH}/versions")["versions"][0]["version"]},
        "/api/v1/edits/{id}/undo": {"id": api.read("/edits")["edits"][0]["id"]},
        "/api/v1/collectors/{name}": {"name": COLLECTOR},
        "/api/v1/collectors/{name}/run": {"name": COLLECTOR},
        "/api/v1/publishers/{name}": {"name": COLLECTOR},
        "/api/v1/publishers/{name}/run": {"name": COLLECTOR},
        "/api/v1/ingestions/{name}": {"name": INGESTION},
        "/api/v1/ingestions/{name}/check": {"name": INGESTION},
        "/api/v1/ingestions/{name}/pause": {"name": PAUSED_INGESTION},
        "/api/v1/ingestions/{name}/resume": {"name": INGESTION},
        "/api/v1/ingestions/{name}/run": {"name": INGESTION},
        "/api/v1/datasets/{id}/samples": {"id": ORDERS},
        "/api/v1/datasets/{id}/usage": {"id": ORDERS},
        "/api/v1/jobs/{id}/runs/compare": {"id": LOAD},
        "/api/v1/jobs/{id}/family": {"id": LOAD},
        "/api/v1/jobs/{id}/activity": {"id": LOAD},
        "/api/v1/lineage/path": {"from": ORDERS, "to": LOAD},
        "/api/v1/lineage/diff": {"from": "2020-01-01", "to": "2030-01-01"},
        **known_to_bridge(api),
    }


def known_to_bridge(api: Api) -> dict[str, Json]:
    """What LineageBridge's API calls by ids that only the server knows."""
    graph = {"graph_id": api.read("/graphs")[-1]["graph_id"], "node_id": KNOWN["node_id"]}
    paths = api.client.get("/openapi.json").json()["paths"]
    of_graphs = {path: graph for path in paths if "{graph_id}" in path}
    task = {"task_id": api.read("/tasks")[0]["task_id"]}
    return {
        **of_graphs,
        "/api/v1/tasks/{task_id}": task,
        "/api/v1/tasks/enrich": graph,
        "/api/v1/lineage/jobs/detail": {"name": "load"},
    }


_JOB_PATH = f"/namespaces/{escape(NAMESPACE)}/jobs/load"


def described(api: Api, methods: Collection[str]) -> list[Any]:
    """The operations of the document, those that take something away last."""
    document = api.client.get("/openapi.json").json()
    loaded = schemathesis.openapi.from_dict(document)
    found = []
    for result in loaded.get_all_operations():
        assert isinstance(result, Ok), result
        one = result.ok()
        # A stream does not end by itself: tests/server/test_live.py.
        if one.method.lower() in methods and one.path != "/api/v1/live":
            found.append(one)
    # Of those, what holds others after what is in it.
    return sorted(found, key=lambda one: (ORDER.index(one.method.lower()), -len(one.path)))


def with_known(case: Any, known: Json) -> Any:
    """A call with names of things that are there, where it takes such, and the example's body."""
    path, query = case.path_parameters or {}, case.query or {}
    case.path_parameters = {
        name: escape(known[name]) if name in known else value for name, value in path.items()
    }
    wanted = {parameter.name for parameter in case.operation.query}
    case.query = {**query, **{name: known[name] for name in wanted & known.keys()}}
    if sent := case.operation.definition.raw.get("requestBody"):
        case.body, case.media_type = sent["content"][JSON]["example"], JSON
    return case


def strategies(operation: Any, known: Json) -> Iterator[Any]:
    """Calls of what is there, calls of anything that is right, and calls that are wrong."""
    yield operation.as_strategy().map(lambda case: with_known(case, known))
    yield operation.as_strategy()
    # Every text is a name: what takes nothing but names in its path cannot be called wrongly.
    if len(operation.query) or len(operation.body):
        yield operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)


def walk(api: Api, limits: settings, methods: Collection[str] = ORDER) -> list[str]:
    """Make many calls of each kind of every operation; gives what went wrong."""
    told: list[str] = []
    by_path = known_by_path(api)
    with requests.Session() as session:
        session.trust_env = False
        for operation in described(api, methods):
            codes: Counter[int] = Counter()
            for calls in strategies(operation, KNOWN | by_path.get(operation.path, {})):
                told += attack(api, session, calls, limits, codes)
            if operation.path not in UNCONFIGURED and not any(code < 300 for code in codes):
                told.append(f"{operation.label}: was never answered but with an error")
    return told


def attack(
    api: Api, session: requests.Session, calls: Any, limits: settings, codes: Counter[int]
) -> Iterator[str]:
    """Make many calls; gives the first that is not answered as it should be."""
    label = ""

    @settings(
        limits,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(calls)
    def call(case: Any) -> None:
        nonlocal label
        label = case.operation.label
        query = case.query or {}
        if is_short(query.get("timeout")):
            query["timeout"] = MOST_SECONDS
        answer = case.call(base_url=api.url, session=session, timeout=MOST_SECONDS)
        codes[answer.status_code] += 1
        if answer.status_code >= 500:
            label = f"{label} {query}: {answer.status_code} {answer.text[:500]}"
        case.validate_response(answer, checks=CHECKS)

    try:
        call()
    except BaseExceptionGroup as error:
        yield f"{label}: {' / '.join(str(each) for each in error.exceptions)[:2_000]}"


def is_short(seconds: object) -> bool:
    """Whether a read may take so little time that a busy machine answers 503, as documented.

    Of a parameter that is given several times, any may be the one that counts.
    """
    if isinstance(seconds, list | tuple | dict):
        return any(map(is_short, seconds))
    try:
        return 0 < float(str(seconds)) < MOST_SECONDS
    except ValueError:
        return False


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("methods", [ORDER[:1], ORDER[1:]], ids=["reads", "writes"])
def test_no_call_fails_the_server_or_is_answered_otherwise(
    filled: Api, methods: tuple[str, ...]
) -> None:
    told = walk(filled, settings(max_examples=5, derandomize=True), methods)
    assert not told, "\n\n".join(told)


@pytest.mark.long
@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_many_calls(database: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """The same at random and for longer, on both databases."""
    examples = int(os.environ.get("HEADWATER_TEST_EXAMPLES", "100"))
    store = f"sqlite:///{tmp_path / 'headwater.db'}"
    if database == "postgresql":
        store = request.getfixturevalue("postgresql").url("described")
    with open_api(store) as api:
        fill(api)
        told = walk(api, settings(max_examples=examples))
        assert not told, "\n\n".join(told)
