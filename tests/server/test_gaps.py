"""What producers did not recognise, wherever lineage is shown: graphs, columns, jobs, runs, paths;
and nested fields, whose edges are found by way of the fields around and inside them."""

import logging

import pytest

from headwater.model.gaps import describe_gaps, read_extraction_errors, read_gap_list
from testing.api import Api
from testing.events.history import TABLES, dataset, run, run_id
from testing.events.minimal import Json
from tests.server.lineage import column, ds, job, lineage, node_of

GAPS = ("input LogicalRDD", "input LogicalRDD", "operator Generate")
IN_WORDS = "2 inputs not recognised: LogicalRDD; 1 operator not recognised: Generate"
LOAD = run("load", "COMPLETE", 0, 1, ["orders"], [dataset("totals", columns={"x": []})], gaps=GAPS)
NEXT = run("next", "COMPLETE", 1, 2, ["totals"], [dataset("board", columns={"y": ["totals.x"]})])


def columns(api: Api, node: str, **parameters: object) -> Json:
    return dict(api.read("/column-lineage", nodeId=node, **parameters))


class TestGraphs:
    def test_a_graph_says_that_it_is_incomplete_and_where(self, api: Api) -> None:
        api.store(LOAD, NEXT)
        answer = lineage(api, ds("board"), direction="upstream")
        assert answer["incomplete"] is True
        data = node_of(answer, job("load"))["data"]
        assert (data["incomplete"], data["gapSummary"]) == (True, IN_WORDS)
        assert data["gaps"][0] == {
            "kind": "input",
            "name": "LogicalRDD",
            "count": 2,
            "description": None,
        }
        marked = {node["id"] for node in answer["graph"] if node.get("incomplete")}
        assert marked == {job("load"), ds("totals")}
        edges = [edge for node in answer["graph"] for edge in node["inEdges"]]
        assert {edge["destination"] for edge in edges if edge.get("incomplete")} == {
            job("load"),
            ds("totals"),
        }
        assert "gaps" not in node_of(answer, job("next"))["data"]

    def test_a_graph_without_gaps_says_so(self, api: Api) -> None:
        api.store(NEXT)
        assert lineage(api, ds("board"))["incomplete"] is False
        assert columns(api, column("board.y"))["incomplete"] is False

    def test_as_of_a_time_it_is_the_gaps_of_then(self, api: Api) -> None:
        api.store(LOAD, run("load", "COMPLETE", 10, 3, ["orders"], ["totals"], gaps=()))
        assert lineage(api, ds("totals"))["incomplete"] is False
        assert lineage(api, ds("totals"), as_of="2024-05-01T12:05:00Z")["incomplete"] is True

    def test_columns_name_the_job_even_if_it_has_no_edge(self, api: Api) -> None:
        api.store(LOAD, NEXT)
        answer = columns(api, column("board.y"))
        assert answer["incomplete"] is True
        assert answer["jobs"][job("load")]["gapSummary"] == IN_WORDS
        assert "gapSummary" not in answer["jobs"][job("next")]
        marked = {node["id"] for node in answer["graph"] if node.get("incomplete")}
        assert marked == {column("totals.x")}

    def test_paths_and_exports_say_so_too(self, api: Api) -> None:
        api.store(LOAD, NEXT)
        ends = {"from": ds("orders"), "to": ds("board")}
        assert api.read("/lineage/path", **ends)["incomplete"] is True
        exported = api.read("/lineage/export", nodeId=ds("board"))
        assert exported["incomplete"] is True
        (load,) = (node for node in exported["nodes"] if node["id"] == job("load"))
        assert load["gaps"] == IN_WORDS


class TestJobsAndRuns:
    def test_a_job_and_its_run_have_the_gaps(self, api: Api) -> None:
        api.store(LOAD, NEXT)
        found = api.read("/namespaces/scheduler/jobs/load")
        assert (found["incomplete"], found["gapSummary"]) == (True, IN_WORDS)
        listed = {each["name"]: each for each in api.read("/jobs")["jobs"]}
        assert listed["load"]["gapSummary"] == IN_WORDS
        assert "incomplete" not in listed["next"]
        assert api.read(f"/jobs/runs/{run_id(1)}")["gapSummary"] == IN_WORDS
        assert "incomplete" not in api.read(f"/jobs/runs/{run_id(2)}")

    def test_all_jobs_with_gaps_are_listed(self, api: Api) -> None:
        api.store(LOAD, NEXT)
        found = api.read("/gaps")
        assert [each["name"] for each in found["jobs"]] == ["load"]
        assert found["totalCount"] == 1
        assert found["names"] == [
            {"kind": "input", "name": "LogicalRDD", "jobs": 1},
            {"kind": "operator", "name": "Generate", "jobs": 1},
        ]

    def test_the_log_names_a_job_once_and_events_are_counted(
        self, sqlite_api: Api, caplog: pytest.LogCaptureFixture
    ) -> None:
        first = run("noted", "START", 0, 7, ["a"], ["b"], gaps=GAPS)
        again = run("noted", "COMPLETE", 1, 7, ["a"], ["b"], gaps=GAPS)
        with caplog.at_level(logging.WARNING, "headwater"):
            for event in (first, again):
                assert sqlite_api.client.post("/api/v1/lineage", json=event).status_code == 201
        told = [line for line in caplog.messages if "noted" in line]
        assert told == [f"lineage of job noted in scheduler is incomplete: {IN_WORDS}"]


class TestNestedFields:
    def test_an_edge_of_a_field_around_is_found_and_marked(self, api: Api) -> None:
        written = dataset("topic", schema=["payload"], columns={"payload": ["orders.amount"]})
        api.store(run("write", "COMPLETE", 0, 1, ["orders"], [written]))
        answer = columns(api, f"datasetField:{TABLES}:topic:payload.amount")
        (found,) = (node for node in answer["graph"] if node["data"]["inputFields"])
        assert found["data"]["field"] == "payload.amount"
        assert [source["via"] for source in found["data"]["inputFields"]] == ["payload"]

    def test_fields_of_a_schema_have_paths(self, api: Api) -> None:
        item: Json = {"name": "_element", "type": "struct", "fields": [{"name": "sku"}]}
        price: Json = {
            "name": "prices",
            "type": "map<string,int>",
            "fields": [{"name": "key", "type": "string"}, {"name": "value", "type": "int"}],
        }
        fields = [{"name": "items", "type": "array", "fields": [item]}, price]
        topic = {**dataset("topic"), "facets": {"schema": {"fields": fields}}}
        api.store(run("write", "COMPLETE", 0, 1, [], [topic]))
        found = {node["data"]["field"] for node in columns(api, ds("topic"))["graph"]}
        assert found == {
            "items",
            "items[]",
            "items[].sku",
            "prices",
            "prices{}",
            "prices{key}",
        }
        node = f"datasetField:{TABLES}:topic:items[].sku"
        assert columns(api, node)["nodes"] == [node]

    def test_a_field_that_is_not_in_a_known_struct_is_not_found(self, api: Api) -> None:
        fields = [{"name": "in", "fields": [{"name": "a"}]}, {"name": "opaque"}]
        topic = {**dataset("topic"), "facets": {"schema": {"fields": fields}}}
        api.store(run("write", "COMPLETE", 0, 1, [], [topic]))
        for field, status in (("in.b", 404), ("in.a", 200), ("opaque.x", 200), ("no.x", 404)):
            node = f"datasetField:{TABLES}:topic:{field}"
            found = api.client.get("/api/v1/column-lineage", params={"nodeId": node})
            assert found.status_code == status, field


class TestFacets:
    @pytest.mark.parametrize(
        ("body", "told"),
        [
            (
                b'{"gaps": ["LogicalRDD", "source Rate", "sink NoIdea", "plan: ValueError"]}',
                "1 input not recognised: Rate; 1 output not recognised: NoIdea; "
                "1 operator not recognised: LogicalRDD; 1 part not recognised: plan: ValueError",
            ),
            (b'{"gaps": [{"name": "A", "kind": "nonsense"}]}', "1 part not recognised: A"),
            (
                b'{"gaps": [{"name": "A", "kind": "expression", "description": null}]}',
                "1 expression not recognised: A",
            ),
            (b'{"gaps": []}', ""),
        ],
    )
    def test_are_read_whoever_wrote_them(self, body: bytes, told: str) -> None:
        found = read_gap_list(body)
        assert found is not None
        assert describe_gaps(found) == told

    @pytest.mark.parametrize("body", [b"{}", b"[]", b'{"gaps": 1}', b'{"gaps": [1]}'])
    def test_that_say_nothing_are_left_alone(self, body: bytes) -> None:
        assert read_gap_list(body) is None

    def test_of_openlineage_itself_count(self) -> None:
        body = b'{"totalTasks": 3, "failedTasks": 2, "errors": [{"errorMessage": "no SQL"}]}'
        found = read_extraction_errors(body)
        assert found is not None
        assert describe_gaps(found) == "2 parts not recognised: extractionError"
