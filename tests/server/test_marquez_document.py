"""Answers held against Marquez's own API document, field by field.

The tables here were made from reading that document. What differs must be what `docs/marquez.md`
lists and explains, no more and no less. With a copy of the document at hand, the tables are held
against it, too: HEADWATER_MARQUEZ_OPENAPI=openapi.yml.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
import schemathesis

from headwater.model.values.ids import is_uuid
from headwater.model.values.instant import parse_instant
from headwater.server.openapi.document import operations
from testing.api import Api, escape
from testing.events.minimal import RUN, TABLES, Json, dataset, run_event, schema

EXPLAINED = Path(__file__).parents[2] / "docs" / "marquez.md"
DOCUMENT = os.environ.get("HEADWATER_MARQUEZ_OPENAPI", "")

# Fields and what they are; [] is a list of such, ? what may be left out. A shape that is not here
# is a plain value.
SHAPES = {
    "Namespace": "name:text createdAt:time updatedAt:time ownerName:text description:text",
    "NamespaceList": "namespaces:[Namespace]",
    "LineageEventList": "events:[object] totalCount:number",
    "Source": "type:text name:text createdAt:time updatedAt:time connectionUrl:text "
    "description:text",
    "SourceList": "sources:[Source]",
    "DatasetId": "namespace:text name:text",
    "Field": "name:text type:text tags:[text] description:text",
    "Dataset": "id:DatasetId type:text name:text physicalName:text createdAt:time updatedAt:time "
    "namespace:text sourceName:text fields:[Field] tags:[text] lastModifiedAt:time "
    "lastLifecycleState:text description:text facets:object currentVersion:uuid deleted:flag",
    "DatasetList": "datasets:[Dataset] totalCount:number",
    "DatasetVersionId": "namespace:text name:text version:uuid",
    "DatasetVersion": "id:DatasetVersionId type:text name:text physicalName:text createdAt:time "
    "version:text namespace:text sourceName:text fields:[Field] tags:[text] description:text "
    "createdByRun:Run facets:object",
    "DatasetVersionList": "versions:[DatasetVersion]",
    "Tag": "name:text description:text",
    "TagList": "tags:[Tag]",
    "JobId": "namespace:text name:text",
    "Job": "id:JobId type:text name:text simpleName:text parentJobName:text parentJobUuid:text "
    "createdAt:time updatedAt:time namespace:text inputs:[DatasetId] outputs:[DatasetId] "
    "location:text context:object description:text latestRun:Run latestRuns:[Run] facets:object "
    "currentVersion:uuid",
    "JobList": "jobs:[Job] totalCount:number",
    "JobVersionId": "namespace:text name:text version:uuid",
    "JobVersion": "id:JobVersionId name:text version:text createdAt:time namespace:text "
    "inputs:[DatasetId] outputs:[DatasetId] location:text context:object latestRun:Run "
    "facets:object",
    "JobVersionList": "versions:[JobVersion]",
    "RunDataset": "datasetVersionId:DatasetVersionId facets:object",
    "Run": "id:uuid createdAt:time updatedAt:time nominalStartTime:time nominalEndTime:time "
    "state:text startedAt:time endedAt:time durationMs:number args:object facets:object "
    "jobVersion?:JobVersionId inputDatasetVersions?:[RunDataset] "
    "outputDatasetVersions?:[RunDataset] context?:object",
    "IncompleteRun": "id:uuid createdAt:time updatedAt:time nominalStartTime:time "
    "nominalEndTime:time state:text startedAt:time endedAt:time durationMs:number args:object "
    "facets:object",
    "RunList": "runs:[Run]",
    "FacetsResult": "runId:text facets:object",
    "GraphEdge": "origin:text destination:text",
    "GraphNode": "id:text type:text data:object inEdges:[GraphEdge] outEdges:[GraphEdge]",
    "LineageGraph": "graph:[GraphNode]",
    "UpstreamRunInfo": "id:uuid start:time end:time status:text",
    "UpstreamInput": "namespace:text name:text version:uuid producedByRunId:uuid",
    "UpstreamRun": "job:JobVersionId run:UpstreamRunInfo inputs:[UpstreamInput]",
    "UpstreamRunLineage": "runs:[UpstreamRun]",
    "SearchResult": "type:text name:text updatedAt:time namespace:text nodeId:text",
    "SearchResultList": "totalCount:number results:[SearchResult]",
}
FIELDS = {
    name: dict(field.replace("?", "").split(":", 1) for field in fields.split())
    for name, fields in SHAPES.items()
}
OPTIONAL = {
    f"{name}.{field}" for name, fields in SHAPES.items() for field in re.findall(r"(\w+)\?", fields)
}

NAMESPACE, JOB, ORDERS, OTHER_RUN = TABLES, "load", "orders", RUN[:-1] + "7"
_DATASET = "/namespaces/{namespace}/datasets/{dataset}"
_JOB = "/namespaces/{namespace}/jobs/{job}"
_RUN = "/jobs/runs/{id}"


class Call(NamedTuple):
    """An endpoint: what it answers, the parameters of its query, and a body that it takes."""

    method: str
    path: str
    shape: str
    status: int = 200
    query: str = ""
    body: Any = None
    # Values of a query that must be given.
    given: dict[str, str] = {}
    # What Marquez itself answers, where its document is wrong.
    really: str = ""


_TABLE = {
    "type": "DB_TABLE",
    "physicalName": "public.orders",
    "sourceName": "shop",
    "fields": [{"name": "id", "type": "INT", "tags": [], "description": "The number."}],
    "description": "Every order.",
}
_TASK = {
    "type": "BATCH",
    "inputs": [{"namespace": TABLES, "name": "orders"}],
    "outputs": [{"namespace": TABLES, "name": "totals"}],
    "location": "https://example.org/load.py",
    "description": "Adds up.",
}
_URL = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db/shop", "description": "Shop"}
_NODE = {"nodeId": f"dataset:{TABLES}:totals"}
_PAGE = "limit offset"

# In the order they are called, on a server that has run a job.
CALLS = (
    Call(
        "PUT", "/namespaces/{namespace}", "Namespace", body={"ownerName": "a", "description": "b"}
    ),
    Call("GET", "/namespaces/{namespace}", "Namespace"),
    Call("GET", "/namespaces", "NamespaceList", query=_PAGE),
    Call(
        "GET",
        "/events/lineage",
        "LineageEventList",
        query=f"sortDirection before after {_PAGE}",
    ),
    Call("PUT", "/sources/{source}", "Source", body=_URL),
    Call("GET", "/sources/{source}", "Source"),
    Call("GET", "/sources", "SourceList", query=_PAGE),
    Call("PUT", "/tags/{tag}", "TagList", body={"description": "PII"}, really="Tag"),
    Call("GET", "/tags", "TagList", query=_PAGE),
    Call("PUT", _DATASET, "Dataset", body=_TABLE),
    Call("GET", _DATASET, "Dataset"),
    Call("GET", f"{_DATASET}/versions", "DatasetVersionList", query=_PAGE),
    Call("GET", f"{_DATASET}/versions/{{version}}", "DatasetVersion"),
    Call("GET", "/namespaces/{namespace}/datasets", "DatasetList", query=_PAGE),
    Call("POST", f"{_DATASET}/tags/{{tag}}", "Dataset"),
    Call("POST", f"{_DATASET}/fields/{{field}}/tags/{{tag}}", "Dataset"),
    Call("PUT", _JOB, "Job", body=_TASK),
    Call("GET", _JOB, "Job"),
    Call("GET", "/namespaces/{namespace}/jobs", "JobList", query=_PAGE),
    Call("GET", f"{_JOB}/versions", "JobVersionList"),
    Call("GET", f"{_JOB}/versions/{{version}}", "JobVersion"),
    Call("POST", f"{_JOB}/runs", "Run", 201, body={"id": RUN[:-1] + "5", "args": {"a": "1"}}),
    Call("GET", f"{_JOB}/runs", "RunList", query=_PAGE),
    Call("GET", _RUN, "Run"),
    Call("GET", f"{_RUN}/facets", "FacetsResult", query="type", given={"type": "run"}),
    Call("POST", f"{_RUN}/start", "IncompleteRun", query="at"),
    Call("POST", f"{_RUN}/complete", "Run", query="at"),
    Call("POST", f"{_RUN}/fail", "IncompleteRun", query="at"),
    Call("POST", f"{_RUN}/abort", "IncompleteRun", query="at"),
    Call("POST", "/lineage", "nothing", body=run_event("OTHER")),
    Call("GET", "/lineage", "LineageGraph", query="nodeId depth", given=_NODE),
    Call("GET", "/runlineage/upstream", "UpstreamRunLineage", given={"runId": RUN}),
    Call(
        "GET", "/column-lineage", "LineageGraph", query="nodeId depth withDownstream", given=_NODE
    ),
    Call(
        "GET",
        "/search",
        "SearchResultList",
        query="q filter sort limit namespace before after",
        given={"q": "orders"},
    ),
    Call("DELETE", _JOB, "Job"),
    Call("DELETE", _DATASET, "Dataset"),
    Call("DELETE", "/namespaces/{namespace}", "Namespace"),
)


@pytest.fixture
def shop(sqlite_api: Api) -> Api:
    """A server that knows something for every field."""
    columns = {"inputFields": [{"namespace": TABLES, "name": "orders", "field": "id"}]}
    about = {
        "documentation": {"description": "Adds up."},
        "sourceCodeLocation": {"type": "git", "url": "https://example.org/load.py"},
        "jobType": {"processingType": "BATCH", "integration": "SPARK", "jobType": "JOB"},
    }
    parent = {"parent": {"job": {"namespace": TABLES, "name": "all"}, "run": {"runId": OTHER_RUN}}}
    nominal = {"nominalTime": {"nominalStartTime": "2024-05-01", "nominalEndTime": "2024-05-02"}}
    change = {"lifecycleStateChange": "CREATE"}
    totals = dataset(
        "totals",
        schema=schema(id="INT"),
        columnLineage={"fields": {"id": columns}},
        lifecycleStateChange=change,
    )
    counted = {"outputFacets": {"outputStatistics": {"rowCount": 3}}}
    orders = dataset("orders", schema=schema(id="INT"), lifecycleStateChange=change)
    stream = {"spark_stream": {"queryId": "one"}}
    before = run_event("START", "2024-05-01T09:30:00Z", OTHER_RUN[:-1] + "6", run_facets=stream)
    sqlite_api.store(before | {"job": {"namespace": TABLES, "name": JOB}})
    for kind, time in (("START", "10:00"), ("COMPLETE", "10:05")):
        event = run_event(kind, f"2024-05-01T{time}:00Z", RUN, JOB, inputs=[orders])
        event["run"] |= {"facets": parent | nominal | stream}
        event["job"] = {"namespace": TABLES, "name": JOB, "facets": about}
        sqlite_api.store(event | {"outputs": [totals | counted]})
    writer = run_event("COMPLETE", "2024-05-01T09:00:00Z", OTHER_RUN[:-1] + "8", "fill")
    sqlite_api.store(writer | {"outputs": [orders]})
    return sqlite_api


def make(api: Api, call: Call, values: Json) -> httpx2.Response:
    path = re.sub(r"{(\w+)}", lambda name: escape(values[name[1]]), call.path)
    return api.client.request(
        call.method, f"/api/v1{path}", params=call.given, json=call.body if call.body else None
    )


def wrongs(shape: str, value: Any, owner: str) -> Iterator[str]:
    """Where a value is not what a shape says; null is what is not known, and fits all."""
    if value is None:
        return
    if shape.startswith("["):
        if not isinstance(value, list):
            yield f"{owner}: no list"
            return
        for each in value:
            yield from wrongs(shape[1:-1], each, owner)
    elif shape in FIELDS:
        if not isinstance(value, dict):
            yield f"{owner}: no object"
            return
        yield from field_wrongs(shape, value)
    elif not is_plain(shape, value):
        yield f"{owner}: no {shape}"


def field_wrongs(shape: str, value: Json) -> Iterator[str]:
    fields = FIELDS[shape]
    for name in fields.keys() | value.keys():
        if name not in value:
            yield from () if f"{shape}.{name}" in OPTIONAL else (f"{shape}.{name}: missing",)
        elif name not in fields:
            yield f"{shape}.{name}: added"
        else:
            yield from wrongs(fields[name], value[name], f"{shape}.{name}")
    if shape == "GraphNode" and value["type"] in ("DATASET", "JOB"):
        kind = {"DATASET": "Dataset", "JOB": "Job"}[value["type"]]
        # The document has the whole thing there; Marquez itself a part of it.
        yield from (
            wrong.replace(kind, f"{kind} of a graph", 1)
            for wrong in wrongs(kind, value["data"], kind)
        )


def is_plain(shape: str, value: Any) -> bool:
    match shape:
        case "time":
            return isinstance(value, str) and parse_instant(value) is not None
        case "uuid":
            return isinstance(value, str) and is_uuid(value)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "flag":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
    assert shape == "text", shape
    return isinstance(value, str)


def find_differences(api: Api) -> set[str]:
    document = api.client.get("/openapi.json").json()
    taken = {
        (method.upper(), re.sub("{.*?}", "{}", path)): {
            parameter["name"] for parameter in operation.get("parameters", ())
        }
        for path, method, operation in operations(document)
    }
    values: Json = {
        "namespace": NAMESPACE,
        "dataset": ORDERS,
        "job": JOB,
        "field": "id",
        "tag": "PII",
        "source": "shop",
        "id": RUN,
    }
    found: set[str] = set()
    for call in CALLS:
        place = f"{call.method} {call.path}"
        known = taken.get((call.method, "/api/v1" + re.sub("{.*?}", "{}", call.path)), set())
        found |= {f"{place}: no parameter {name}" for name in {*call.query.split()} - known}
        answer = make(api, call, values)
        if answer.status_code != call.status:
            found.add(f"{place}: answers {answer.status_code}, not {call.status}")
        if answer.status_code < 300 and call.shape in FIELDS:
            value = answer.json()
            found |= set(wrongs(call.really or call.shape, value, place))
            if call.really:
                found.add(f"{place}: answers {call.really}, not {call.shape}")
            versions = value.get("versions") if isinstance(value, dict) else None
            if versions:
                values["version"] = versions[0]["version"]
    return found


def explained() -> set[str]:
    """The differences that the page tells of: the first cells of its table."""
    page = EXPLAINED.read_text()
    part = page.partition("## Differences")[2].partition("\n## ")[0]
    return {
        f"{name}: {what}"
        for names, what in re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \| (.+?) \|", part, re.MULTILINE)
        for name in re.findall("`([^`]+)`", names)
    }


class TestDifferences:
    def test_are_those_that_are_explained(self, shop: Api) -> None:
        found, told = find_differences(shop), explained()
        assert found - told == set(), "\n".join(["not explained:", *sorted(found - told)])
        assert told - found == set(), "\n".join(["no longer so:", *sorted(told - found)])

    @pytest.mark.parametrize(
        ("shape", "value", "told"),
        [
            ("Tag", {"name": "a"}, {"Tag.description: missing"}),
            ("Tag", {"name": 1, "description": None}, {"Tag.name: no text"}),
            ("TagList", {"tags": {}}, {"TagList.tags: no list"}),
            ("Tag", {"name": "a", "description": "b", "c": 1}, {"Tag.c: added"}),
            ("GraphEdge", [], {"here: no object"}),
            (
                "DatasetVersionId",
                {"namespace": "a", "name": "b", "version": "c"},
                {"DatasetVersionId.version: no uuid"},
            ),
        ],
    )
    def test_are_noticed(self, shape: str, value: Any, told: set[str]) -> None:
        assert set(wrongs(shape, value, "here")) == told


# What Marquez's web UI asks, as it asks it.
_SPACE = f"/api/v1/namespaces/{escape(NAMESPACE)}"
UI_CALLS = (
    "/api/v1/namespaces",
    f"{_SPACE}/datasets?limit=20&offset=0",
    f"{_SPACE}/datasets/orders",
    f"{_SPACE}/datasets/orders/versions?limit=20&offset=0",
    f"{_SPACE}/jobs?limit=20&offset=0",
    f"{_SPACE}/jobs/load",
    f"{_SPACE}/jobs/load/runs?limit=100&offset=0",
    "/api/v1/jobs?limit=20&offset=0",
    "/api/v1/jobs?runState=COMPLETED&limit=20&offset=0",
    f"/api/v1/jobs/runs/{RUN}/facets?type=job",
    f"/api/v1/jobs/runs/{RUN}/facets?type=run",
    f"/api/v1/lineage?nodeId=dataset:{escape(NAMESPACE)}:orders&depth=2",
    f"/api/v1/lineage?nodeId=job:{NAMESPACE}:load&depth=2",
    f"/api/v1/column-lineage?nodeId=dataset:{NAMESPACE}:totals&depth=2&withDownstream=true",
    "/api/v1/events/lineage?limit=20&before=2030-01-01T00:00:00.000Z"
    "&after=2020-01-01T00:00:00.000Z&offset=0&sortDirection=desc",
    "/api/v1/search?q=orders&sort=NAME&limit=100",
    "/api/v2beta/search/jobs?q=load",
    "/api/v2beta/search/datasets?q=orders",
    "/api/v1/stats/lineage-events?period=DAY&timezone=Europe/Vienna",
    "/api/v1/stats/jobs?period=WEEK&timezone=UTC",
    "/api/v1/tags",
)


@pytest.mark.parametrize("path", UI_CALLS)
def test_what_its_web_ui_asks_is_answered(shop: Api, path: str) -> None:
    answer = shop.client.get(path)
    assert answer.status_code == 200, answer.text
    # With something in it: a page that shows nothing answers, too.
    assert len(answer.text) > 40 or path.endswith("/tags")


@pytest.mark.skipif(not DOCUMENT, reason="HEADWATER_MARQUEZ_OPENAPI names no file")
@pytest.mark.filterwarnings("ignore")
class TestTables:
    """The tables above are what Marquez's document says."""

    def test_have_every_call(self) -> None:
        document = _marquez()
        theirs = {
            (method.upper(), path): operation for path, method, operation in operations(document)
        }
        ours = {(call.method, call.path): call for call in CALLS}
        assert theirs.keys() == ours.keys()
        for key, operation in theirs.items():
            (code,) = operation["responses"]
            assert int(code) == ours[key].status, key
            content = operation["responses"][code].get("content", {})
            schema_of = content.get("application/json", {}).get("schema", {})
            name = schema_of.get("$ref", "nothing").rpartition("/")[2]
            assert name == ours[key].shape, key
            shared = document["paths"][key[1]].get("parameters", ())
            named = {_name(document, each) for each in (*operation.get("parameters", ()), *shared)}
            asked = named - {*re.findall(r"{(\w+)}", key[1]), "dataset"}
            assert asked == {*ours[key].query.split()}, key

    def test_have_every_field(self) -> None:
        document = _marquez()
        schemas = document["components"]["schemas"]
        compared = 0
        for name, fields in FIELDS.items():
            if name in schemas:
                assert _fields(document, schemas[name]) == set(fields), name
                compared += 1
        assert compared > 25


def _marquez() -> Json:
    found: Json = schemathesis.openapi.from_path(DOCUMENT).raw_schema
    return found


def _name(document: Json, parameter: Json) -> str:
    for part in parameter.get("$ref", "#").removeprefix("#").split("/")[1:]:
        parameter = (document if part == "components" else parameter)[part]
    return str(parameter["name"])


def _fields(document: Json, described: Json) -> set[str]:
    """The fields of a schema, or of all it is made of."""
    fields = set(described.get("properties", ()))
    for part in (*described.get("anyOf", ()), *described.get("allOf", ())):
        reference = part.get("$ref", "").rpartition("/")[2]
        its = document["components"]["schemas"][reference] if reference else part
        fields |= _fields(document, its)
    return fields
