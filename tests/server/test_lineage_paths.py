"""How two nodes are connected, graphs for other tools, and nodes by their names."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from testing.api import Api
from testing.events import minimal
from testing.events.history import JOBS, TABLES, dataset, delete_dataset, run
from testing.events.minimal import schema
from tests.server.lineage import (
    LONG_AGO,
    at,
    column,
    ds,
    edges_of,
    edit,
    fill,
    job,
    lineage,
    nodes_of,
    refused,
    short,
)


def ask(api: Api, start: str, end: str, **parameters: Any) -> Any:
    return api.read("/lineage/path", **{"from": start, "to": end}, **parameters)


def paths_of(answer: Any) -> list[str]:
    """Paths as `orders load totals`; their edges must be those between their nodes."""
    known = {node["id"] for node in answer["nodes"]}
    for path in answer["paths"]:
        assert path["length"] == len(path["nodes"]) - 1 == len(path["edges"])
        assert len(set(path["nodes"])) == len(path["nodes"])
        assert known.issuperset(path["nodes"])
        ends = [(edge["origin"], edge["destination"]) for edge in path["edges"]]
        assert ends == list(zip(path["nodes"], path["nodes"][1:], strict=False))
    lengths = [path["length"] for path in answer["paths"]]
    assert lengths == sorted(lengths)
    return [" ".join(map(short, path["nodes"])) for path in answer["paths"]]


class TestPaths:
    # a -> x -> b -> y -> d, a -> z -> c -> y, and a -> w -> d at once.
    DIAMOND = [
        ("x", ["a"], ["b"]),
        ("z", ["a"], ["c"]),
        ("y", ["b", "c"], ["d"]),
        ("w", ["a"], ["d"]),
    ]

    def test_all_are_found_the_shortest_first(self, api: Api) -> None:
        fill(api, self.DIAMOND)
        answer = ask(api, ds("a"), ds("d"))
        found = paths_of(answer)
        assert found[0] == "a w d"
        assert set(found[1:]) == {"a x b y d", "a z c y d"}
        assert len(found) == 3
        assert (answer["isReversed"], answer["isCut"]) == (False, False)
        assert {short(node["id"]) for node in answer["nodes"]} == {*"abcdwxyz"}

    def test_nodes_and_edges_are_described(self, api: Api) -> None:
        api.store(run("load", "FAIL", 0, 1, ["orders"], ["totals"]))
        answer = ask(api, ds("orders"), ds("totals"))
        (load,) = (node for node in answer["nodes"] if node["type"] == "JOB")
        assert (load["id"], load["namespace"], load["name"]) == (job("load"), JOBS, "load")
        assert load["state"] == "FAILED"
        (path,) = answer["paths"]
        assert [edge["kind"] for edge in path["edges"]] == ["observed", "observed"]

    def test_where_there_are_none_it_says_so(self, api: Api) -> None:
        fill(api, [*self.DIAMOND, ("apart", ["e"], ["f"])])
        for ends in (("b", "c"), ("a", "e"), ("e", "a")):
            answer = ask(api, *map(ds, ends))
            assert (answer["paths"], answer["nodes"]) == ([], [])
            assert (answer["isReversed"], answer["isCut"]) == (False, False)

    def test_from_below_to_above_they_are_found_the_other_way(self, api: Api) -> None:
        fill(api, self.DIAMOND)
        up, down = ask(api, ds("d"), ds("a")), ask(api, ds("a"), ds("d"))
        assert up == {**down, "isReversed": True}

    def test_ends_may_be_jobs(self, api: Api) -> None:
        fill(api, self.DIAMOND)
        assert paths_of(ask(api, job("x"), job("y"))) == ["x b y"]
        assert paths_of(ask(api, job("z"), ds("d"))) == ["z c y d"]
        assert paths_of(ask(api, ds("a"), job("w"))) == ["a w"]

    def test_more_than_requested_make_it_cut(self, api: Api) -> None:
        fill(api, self.DIAMOND)
        for limit, is_cut in ((1, True), (2, True), (3, False), (1_000, False)):
            answer = ask(api, ds("a"), ds("d"), limit=limit)
            assert len(paths_of(answer)) == min(limit, 3)
            assert answer["isCut"] is is_cut

    def test_what_lies_too_deep_makes_it_cut(self, api: Api) -> None:
        fill(api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(5)])
        assert ask(api, ds("d0"), ds("d5"), depth=5)["isCut"] is False
        for depth in (0, 4):
            answer = ask(api, ds("d0"), ds("d5"), depth=depth)
            assert (answer["paths"], answer["isCut"]) == ([], True)
            back = ask(api, ds("d5"), ds("d0"), depth=depth)
            assert (back["paths"], back["isCut"]) == ([], True)

    @pytest.mark.parametrize("node", [ds("a"), job("x")])
    def test_from_a_node_to_itself_is_one_path_of_no_length(self, api: Api, node: str) -> None:
        fill(api, self.DIAMOND)
        answer = ask(api, node, node)
        assert paths_of(answer) == [short(node)]
        assert (answer["isReversed"], answer["isCut"]) == (False, False)

    def test_from_a_name_to_another_of_the_same_dataset_too(self, api: Api) -> None:
        fill(api, self.DIAMOND, [("a", "alias")])
        assert paths_of(ask(api, ds("a"), ds("alias"))) == ["a"]
        assert paths_of(ask(api, ds("alias"), job("w"))) == ["a w"]

    def test_circles_are_not_gone_round(self, api: Api) -> None:
        fill(
            api,
            [
                ("ab", ["a"], ["b"]),
                ("ba", ["b"], ["a"]),
                ("aa", ["a"], ["a"]),
                ("bc", ["b"], ["c"]),
            ],
        )
        answer = ask(api, ds("a"), ds("c"))
        assert paths_of(answer) == ["a ab b bc c"]
        assert answer["isCut"] is False
        assert paths_of(ask(api, ds("b"), ds("a"))) == ["b ba a"]
        assert paths_of(ask(api, ds("a"), ds("a"))) == ["a"]

    def test_in_a_knot_of_circles_the_answer_comes(self, api: Api) -> None:
        names = [f"k{number}" for number in range(14)]
        knot = [(f"{one}{other}", [one], [other]) for one in names for other in names]
        fill(api, knot)
        answer = ask(api, ds("k0"), ds("k13"), limit=1_000)
        assert len(paths_of(answer)) == 1_000
        assert answer["isCut"]

    @pytest.mark.slow
    def test_many_long_paths_are_not_an_answer_of_hundreds_of_megabytes(
        self, sqlite_api: Api
    ) -> None:
        """A thousand ways through a knot at the end of a long chain."""
        names = [f"k{number}" for number in range(8)]
        knot = [(f"{one}{other}", [one], [other]) for one in names for other in names]
        chain = [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(200)]
        fill(sqlite_api, [*chain, ("in", ["d200"], ["k0"]), *knot])
        parameters = {"from": ds("d0"), "to": ds("k7"), "limit": 1_000, "depth": 1_000}
        answer = sqlite_api.get("/lineage/path", **parameters)
        assert answer.status_code == 200
        assert len(answer.content) < 50_000_000

    def test_one_among_more_readers_than_are_looked_at_is_found(
        self, api: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not all that is downstream of the one can be seen, but what is upstream of the other."""
        monkeypatch.setattr("headwater.answers.paths.MOST_NODES", 50)
        fill(api, [(f"r{number}", ["hub"], [f"o{number}"]) for number in range(100)])
        for number in range(0, 100, 7):
            found = ask(api, ds("hub"), ds(f"o{number}"))
            assert paths_of(found) == [f"hub r{number} o{number}"]
            back = ask(api, ds(f"o{number}"), ds("hub"))
            assert back == {**found, "isReversed": True}

    def test_as_of_a_time(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 10, 1, ["orders"], ["totals"]))
        for minutes, count in ((5, 0), (10, 1)):
            answer = ask(api, ds("orders"), ds("totals"), as_of=at(minutes))
            assert len(answer["paths"]) == count

    @pytest.mark.parametrize("node", [ds("totals"), job("load"), column("totals.x")])
    def test_before_the_first_event_there_are_none(self, api: Api, node: str) -> None:
        written = {**dataset("totals"), "facets": {"schema": schema(x="INT")}}
        api.store(run("load", "COMPLETE", 10, 1, ["orders"], [written]))
        for end in (node, ds("orders")):
            # Closed each time, for a server that fails hangs up.
            answer = api.client.get(
                "/api/v1/lineage/path",
                params={"from": node, "to": end, "as_of": LONG_AGO},
                headers={"Connection": "close"},
            )
            assert answer.status_code == 200, answer.text
            assert (answer.json()["paths"], answer.json()["isCut"]) == ([], False)

    def test_a_node_nobody_knows_is_reported_by_which_end_it_is(self, api: Api) -> None:
        fill(api, self.DIAMOND)
        for ends in ((ds("no"), ds("a")), (ds("a"), ds("no"))):
            refused(api.get("/lineage/path", **{"from": ends[0], "to": ends[1]}), 404)
        for name, ends in (("from", ("no", ds("a"))), ("to", (ds("a"), "no"))):
            refused(api.get("/lineage/path", **{"from": ends[0], "to": ends[1]}), 400, name)


class TestPathsOfColumns:
    EVENTS = [
        run(
            "load",
            "COMPLETE",
            0,
            1,
            ["orders"],
            [
                dataset(
                    "totals",
                    schema=["total", "count"],
                    columns={"total": ["orders.price", "orders.tax"], "count": ["orders.id"]},
                )
            ],
        ),
        run(
            "report",
            "COMPLETE",
            1,
            2,
            ["totals"],
            [dataset("summary", columns={"value": ["totals.total", "?totals.count"]})],
        ),
    ]

    def test_are_between_columns(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = ask(api, column("orders.price"), column("summary.value"))
        assert paths_of(answer) == ["orders.price totals.total summary.value"]
        assert [edge["job"] for edge in answer["paths"][0]["edges"]] == [job("load"), job("report")]
        back = ask(api, column("summary.value"), column("orders.price"))
        assert back == {**answer, "isReversed": True}

    def test_the_ways_are_reported_with_the_edges(self, api: Api) -> None:
        api.store(*self.EVENTS)
        (path,) = ask(api, column("orders.id"), column("summary.value"))["paths"]
        assert [edge["isIndirect"] for edge in path["edges"]] == [False, True]
        assert [edge["transformations"] for edge in path["edges"]] == ["DIRECT", "INDIRECT"]

    def test_from_a_dataset_are_those_of_all_its_columns(self, api: Api) -> None:
        api.store(*self.EVENTS)
        found = paths_of(ask(api, ds("totals"), column("summary.value")))
        assert {"totals.total summary.value", "totals.count summary.value"} <= set(found)
        found = paths_of(ask(api, column("orders.tax"), ds("summary")))
        assert found == ["orders.tax totals.total summary.value"]

    def test_none(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = ask(api, column("orders.id"), column("totals.total"))
        assert (answer["paths"], answer["isCut"]) == ([], False)

    def test_limit(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = ask(api, ds("orders"), column("summary.value"), limit=1)
        assert (len(paths_of(answer)), answer["isCut"]) == (1, True)

    def test_a_column_to_itself(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = ask(api, column("totals.total"), column("totals.total"))
        assert paths_of(answer) == ["totals.total"]

    def test_a_column_and_a_job_are_as_its_dataset_and_the_job(self, api: Api) -> None:
        api.store(*self.EVENTS)
        assert paths_of(ask(api, column("totals.total"), job("report"))) == ["totals report"]


MEDIA_TYPES = {
    "csv": "text/csv",
    "dot": "text/vnd.graphviz",
    "graphml": "application/graphml+xml",
    "json": "application/json",
    "mermaid": "text/vnd.mermaid",
}
GRAPHML = {"g": "http://graphml.graphdrawing.org/xmlns"}


class TestExport:
    EVENTS = TestPathsOfColumns.EVENTS

    def export(self, api: Api, format: str, node: str = ds("totals"), **parameters: Any) -> str:
        answer = api.get("/lineage/export", nodeId=node, format=format, **parameters)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].split(";")[0] == MEDIA_TYPES[format]
        return answer.content.decode()

    def sizes(self, api: Api, format: str, **parameters: Any) -> tuple[int, int]:
        """How many nodes and edges an export has."""
        text = self.export(api, format, **parameters)
        match format:
            case "json":
                content = api.get(
                    "/lineage/export", nodeId=ds("totals"), format="json", **parameters
                ).json()
                return len(content["nodes"]), len(content["edges"])
            case "csv":
                rows = list(csv.DictReader(io.StringIO(text)))
                ends = {
                    tuple(row[f"{end}_{name}"] for name in ("type", "namespace", "name", "field"))
                    for row in rows
                    for end in ("origin", "destination")
                }
                edges = [row for row in rows if row["destination_type"]]
                return len({end for end in ends if end[0]}), len(edges)
            case "graphml":
                graph = ElementTree.fromstring(text).find("g:graph", GRAPHML)
                assert graph is not None
                return tuple(  # type: ignore[return-value]
                    len(graph.findall(f"g:{tag}", GRAPHML)) for tag in ("node", "edge")
                )
            case "dot":
                assert text.startswith("digraph lineage {") and text.endswith("}\n")
                edges = re.findall(r'^ *"[^\n]*" -> "[^\n]*;$', text, re.MULTILINE)
                return len(re.findall(r"\[label=[^\n]*shape=", text)), len(edges)
            case "mermaid":
                assert text.startswith("flowchart LR\n")
                nodes = re.findall(r"^ *n\d+[\[(]", text, re.MULTILINE)
                return len(nodes), len(re.findall(r"^ *n\d+ --> n\d+$", text, re.MULTILINE))
        raise AssertionError(format)

    @pytest.mark.parametrize("format", MEDIA_TYPES)
    def test_holds_the_graph_that_lineage_answers_with(self, api: Api, format: str) -> None:
        api.store(*self.EVENTS)
        graph = lineage(api, ds("totals"), direction="both")
        assert self.sizes(api, format) == (len(nodes_of(graph)), len(edges_of(graph))) == (5, 4)

    @pytest.mark.parametrize("format", MEDIA_TYPES)
    def test_holds_columns_where_they_are_requested(self, api: Api, format: str) -> None:
        api.store(*self.EVENTS)
        assert self.sizes(api, format, columns="true") == (6, 5)

    def test_of_a_column_holds_columns(self, api: Api) -> None:
        api.store(*self.EVENTS)
        text = self.export(api, "csv", column("totals.total"))
        rows = list(csv.DictReader(io.StringIO(text)))
        assert {(row["origin_field"], row["destination_field"]) for row in rows} == {
            ("price", "total"),
            ("tax", "total"),
            ("total", "value"),
        }
        assert {row["job"] for row in rows} == {job("load"), job("report")}

    def test_is_json_both_ways_unless_it_is_stated_otherwise(self, api: Api) -> None:
        api.store(*self.EVENTS, run("aside", "COMPLETE", 2, 9, ["orders"], ["other"]))
        content = api.read("/lineage/export", nodeId=ds("totals"))
        assert {short(node["id"]) for node in content["nodes"]} == {
            "orders",
            "load",
            "totals",
            "report",
            "summary",
        }
        assert (content["focus"], content["truncated"]) == ([ds("totals")], False)
        whole = api.read("/lineage/export", nodeId=ds("totals"), direction="connected")
        assert len(whole["nodes"]) == 7

    def test_is_folded_and_without_filters_where_that_is_requested(self, api: Api) -> None:
        api.store(*self.EVENTS, run("app.load", "COMPLETE", 2, 9, ["orders"], ["totals"], parent=8))
        folded = api.read("/lineage/export", nodeId=ds("totals"), fold="true")
        assert {"app", "load"} <= {short(node["id"]) for node in folded["nodes"]}
        assert "app.load" not in {short(node["id"]) for node in folded["nodes"]}
        asked = {"nodeId": column("summary.value"), "indirect": "false"}
        direct = api.read("/lineage/export", **asked)
        assert "totals.count" not in {short(node["id"]) for node in direct["nodes"]}

    @pytest.mark.parametrize("format", MEDIA_TYPES)
    def test_before_the_first_event_holds_nothing(self, api: Api, format: str) -> None:
        api.store(*self.EVENTS)
        assert self.sizes(api, format, as_of=LONG_AGO) == (0, 0)

    def test_before_the_first_event_holds_no_columns(self, api: Api) -> None:
        api.store(*self.EVENTS)
        assert self.sizes(api, "json", as_of=LONG_AGO, columns="true") == (0, 0)

    @pytest.mark.parametrize("format", MEDIA_TYPES)
    def test_of_odd_names_can_be_read(self, api: Api, format: str) -> None:
        names = ['"a"', "<b>&amp;", "c\nd", "=1+1", "e]f)g", "\U0001f600", "h\\", "%%{i}", "\x1b"]
        outputs = [minimal.dataset(name, TABLES, schema=schema(**{name: "INT"})) for name in names]
        api.store(
            minimal.run_event(job="\n".join(names), inputs=[dataset("totals")], outputs=outputs)
        )
        assert self.sizes(api, format) == (len(names) + 2, len(names) + 1)

    def test_says_where_it_is_cut(self, api: Api) -> None:
        fill(api, [(f"r{number}", ["totals"], []) for number in range(20)])
        for format, mark in (
            ("json", '"truncated": true'),
            ("dot", "Incomplete"),
            ("mermaid", "Incomplete"),
            ("graphml", '<data key="graph_truncated">true</data>'),
        ):
            assert mark in self.export(api, format, limit=5)
            assert mark not in self.export(api, format)


class TestNodes:
    def find(self, api: Api, name: str, **parameters: Any) -> list[Any]:
        return list(api.read("/nodes", name=name, **parameters)["nodes"])

    def ids(self, api: Api, name: str, **parameters: Any) -> list[str]:
        return [node["id"] for node in self.find(api, name, **parameters)]

    def store(self, api: Api, *names: str) -> None:
        api.store(run("load", "COMPLETE", 0, 1, [], names))

    def test_near_names_are_listed_where_none_is_found(self, api: Api) -> None:
        self.store(api, "orders_fact", "customers")
        (near,) = api.read("/nodes", name="orders_fct")["near"]
        assert near.endswith(":orders_fact")
        assert api.read("/nodes", name="orders_fact")["near"] == []

    def test_of_exactly_a_name_come_first(self, api: Api) -> None:
        self.store(api, "orders", "shop.orders", "orders_old", "reorders2", "other")
        found = self.find(api, "orders")
        assert [(node["name"], node["isExact"]) for node in found] == [
            ("orders", True),
            ("shop.orders", False),
            ("orders_old", False),
            ("reorders2", False),
        ]
        assert found[0] == {
            "id": ds("orders"),
            "type": "DATASET",
            "namespace": TABLES,
            "name": "orders",
            "field": None,
            "isExact": True,
        }

    def test_two_names_of_one_dataset_are_one_node(self, api: Api) -> None:
        written = dataset("lake/db/totals", symlinks=[("hive|db.totals", "TABLE")])
        api.store(run("load", "COMPLETE", 0, 1, [], [written]))
        assert [node["name"] for node in self.find(api, "totals")] == ["db.totals"]
        assert [node["name"] for node in self.find(api, "lake/db/totals")] == ["lake/db/totals"]

    def test_case_makes_no_difference(self, api: Api) -> None:
        self.store(api, "Shop.Orders")
        for name in ("shop.orders", "ORDERS", "Shop.Orders"):
            assert self.ids(api, name) == [ds("Shop.Orders")]

    def test_nor_in_other_alphabets(self, api: Api) -> None:
        for name in ("\u00dcbersicht", "\u0411\u0410\u0417\u0410", "\u00c9TAT"):
            self.store(api, name)
            for written in (name, name.lower(), name.upper()):
                found = [(node["id"], node["isExact"]) for node in self.find(api, written)]
                assert found == [(ds(name), True)], written

    def test_jobs_are_found_too(self, api: Api) -> None:
        self.store(api, "load")
        found = self.find(api, "load")
        assert {(node["id"], node["type"]) for node in found} == {
            (ds("load"), "DATASET"),
            (job("load"), "JOB"),
        }

    def test_a_namespace_before_a_bar_tells_two_apart(self, api: Api) -> None:
        api.store(
            minimal.run_event(
                outputs=[minimal.dataset("orders", "kafka://a:1"), minimal.dataset("orders", "b")]
            )
        )
        assert self.ids(api, "kafka://a:1|orders") == [ds("orders", "kafka://a:1")]
        assert self.ids(api, "a:1|orders") == [ds("orders", "kafka://a:1")]
        assert len(self.ids(api, "orders")) == 2

    @pytest.mark.parametrize("name", ["totals.amount", "totals#amount", "TOTALS.Amount"])
    def test_columns_are_found_behind_their_dataset(self, api: Api, name: str) -> None:
        written = {**dataset("shop.totals"), "facets": {"schema": schema(amount="INT", id="INT")}}
        api.store(run("load", "COMPLETE", 0, 1, [], [written]))
        (found,) = self.find(api, name)
        assert (found["type"], found["name"], found["field"]) == (
            "DATASET_FIELD",
            "shop.totals",
            "amount",
        )
        assert api.read("/column-lineage", nodeId=found["id"])["nodes"] == [found["id"]]

    def test_a_column_that_only_a_map_names_is_found(self, api: Api) -> None:
        written = dataset("totals", columns={"total": ["orders.price"]})
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        assert self.ids(api, "totals.total") == [column("totals.total")]

    @pytest.mark.parametrize(
        "node",
        [ds("totals"), job("load"), column("totals.x"), ds("topic", "kafka://u@b:9092,c:9092")],
    )
    def test_an_id_finds_its_node_and_no_other(self, api: Api, node: str) -> None:
        written = {**dataset("totals"), "facets": {"schema": schema(x="INT")}}
        topic = minimal.dataset("topic", "kafka://u@b:9092,c:9092")
        api.store(run("load", "COMPLETE", 0, 1, [], [written, "totals2", topic]))
        assert [(found["id"], found["isExact"]) for found in self.find(api, node)] == [(node, True)]

    @pytest.mark.parametrize("mark", ["%", "_", "\\", "'", '"', "*", "?", "[a]", "/", ";--", "\t"])
    def test_what_is_a_wildcard_elsewhere_is_itself(self, api: Api, mark: str) -> None:
        self.store(api, f"a{mark}b", "axb", "ab", "aab")
        for name in (mark.strip() or f"a{mark}b", f"a{mark}", f"a{mark}b"):
            if name.strip() == name:
                assert self.ids(api, name) == [ds(f"a{mark}b")], name

    def test_a_name_with_spaces_around_it_is_found_by_itself(self, api: Api) -> None:
        self.store(api, " xyz ")
        assert self.ids(api, " xyz ") == [ds(" xyz ")]

    def test_no_more_than_requested(self, api: Api) -> None:
        self.store(api, *(f"t{number:03}" for number in range(60)))
        assert len(self.find(api, "t0")) == 20
        assert self.ids(api, "t0", limit=2) == [ds("t000"), ds("t001")]
        assert len(self.find(api, "t0", limit=1_000)) == 60

    def test_what_was_deleted_takes_no_place(self, api: Api) -> None:
        self.store(api, "orders", "orders_eu", "orders_us")
        edit(api, delete_dataset(5, "orders"))
        assert self.ids(api, "orders") == [ds("orders_eu"), ds("orders_us")]
        assert self.ids(api, "orders", limit=1) == [ds("orders_eu")]
        assert self.ids(api, ds("orders")) == []

    @pytest.mark.parametrize("name", ["nothing", "\0", " ", "a.b.c", "dataset:", "%" * 4_000])
    def test_of_what_nobody_knows_are_none(self, api: Api, name: str) -> None:
        self.store(api, "orders")
        assert self.find(api, name) == []

    @pytest.mark.parametrize("name", ["", "x" * 4_001])
    def test_a_name_of_no_use_is_refused(self, api: Api, name: str) -> None:
        refused(api.get("/nodes", name=name), 400, "name")
        refused(api.get("/nodes"), 400, "name")

    def test_a_dataset_is_found_by_a_name_that_is_only_an_alias(self, api: Api) -> None:
        written = dataset("orders/", symlinks=[("hive|shop.orders", "TABLE")])
        api.store(run("load", "COMPLETE", 0, 1, [], [written]))
        (found,) = self.ids(api, "shop.orders")
        assert lineage(api, found)["node"] == ds("orders/")
