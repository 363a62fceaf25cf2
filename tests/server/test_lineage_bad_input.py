"""Bad questions about lineage, and very large graphs: never a 500, and never without an end."""

import random
from typing import Any

import httpx2
import pytest

from testing.api import Api
from testing.events import minimal
from testing.events.history import JOBS, TABLES, dataset, delete_dataset, run, run_id
from tests.server.lineage import (
    LONG_AGO,
    at,
    bulk_run,
    column,
    ds,
    edges_of,
    edit,
    fill,
    job,
    lineage,
    node_of,
    refused,
)

KNOWN = ds("totals")
NODE_IDS: list[tuple[str, str, dict[str, str]]] = [
    ("/lineage", "nodeId", {}),
    ("/column-lineage", "nodeId", {}),
    ("/lineage/export", "nodeId", {}),
    ("/lineage/diff", "nodeId", {"from": LONG_AGO}),
    ("/lineage/path", "from", {"to": KNOWN}),
    ("/lineage/path", "to", {"from": KNOWN}),
]
of_every_route = pytest.mark.parametrize(
    ("path", "name", "others"), NODE_IDS, ids=[f"{path} {name}" for path, name, _ in NODE_IDS]
)
# Longer than any answer should take, far less than a walk that does not end.
SECONDS = 30


def ask(api: Api, path: str, query: str | None = None, /, **parameters: Any) -> httpx2.Response:
    """Ask on a connection of its own, for a server that fails hangs up."""
    url = f"/api/v1{path}" if query is None else f"/api/v1{path}?{query}"
    return api.client.get(
        url, params=parameters or None, headers={"Connection": "close"}, timeout=SECONDS
    )


def store(api: Api) -> None:
    api.store(
        run("load", "COMPLETE", 0, 1, ["orders"], [dataset("totals", schema=["total"])]),
        run("report", "COMPLETE", 1, 2, ["totals"], ["shop.daily_summary"]),
    )


MALFORMED = [
    "orders",
    ":",
    "::",
    "dataset",
    "dataset:",
    "dataset:db",
    "dataset:db:",
    "dataset::orders",
    "dataset:::",
    "job",
    "job:",
    "job:scheduler",
    "job::",
    "datasetField:db:totals",
    "datasetField:db:totals:",
    "datasetField::totals:total",
    "run:00000000-0000-0000-0000-000000000001",
    "Dataset:db:totals",
    " dataset:db:totals",
    "\ufeffdataset:db:totals",
    "dataset\0:db:totals",
    "dataset:db:tot\0als",
    "job:\0:x",
    "datasetField:db:totals:\0",
    "#",
    f"#{run_id(1)}",
    f"dataset:#{run_id(1)}",
    "x" * 5_000,
]


class TestNodeIds:
    @of_every_route
    def test_that_are_none_are_a_400_that_says_how_they_look(
        self, api: Api, path: str, name: str, others: dict[str, str]
    ) -> None:
        store(api)
        for text in MALFORMED:
            error = refused(ask(api, path, **{name: text}, **others), 400, name)
            assert "dataset:NAMESPACE:NAME" in error["reason"], text
            assert len(error["message"]) < 500

    @of_every_route
    def test_of_many_colons_are_a_4xx(
        self, api: Api, path: str, name: str, others: dict[str, str]
    ) -> None:
        store(api)
        for kind in ("dataset", "job", "datasetField"):
            for count in (39, 40, 41, 2_000):
                answer = ask(api, path, **{name: f"{kind}:" + "a:" * count + "b"}, **others)
                refused(answer, 404 if count < 40 else 400)

    @of_every_route
    def test_with_bytes_that_are_no_text_are_a_404(
        self, api: Api, path: str, name: str, others: dict[str, str]
    ) -> None:
        store(api)
        rest = "".join(f"&{key}={value}" for key, value in others.items())
        for text in ("%ED%A0%80", "%FF", "%C0%80", "a%ED%B0%80b", "%E2%82"):
            for kind in ("dataset:db:", "job:scheduler:", "datasetField:db:unknown:"):
                refused(ask(api, path, f"{name}={kind}{text}{rest}"), 404)
        refused(ask(api, path, f"{name}=dataset:%ED%A0%80:x{rest}"), 404)
        refused(ask(api, path, f"{name}=%ED%A0%80:x:y{rest}"), 400, name)

    @pytest.mark.parametrize(
        ("path", "name", "others"), [route for route in NODE_IDS if route[0] != "/lineage/diff"]
    )
    def test_that_are_missing_or_empty_are_a_400(
        self, api: Api, path: str, name: str, others: dict[str, str]
    ) -> None:
        store(api)
        refused(ask(api, path, **others), 400, name)
        refused(ask(api, path, **{name: ""}, **others), 400, name)

    def test_of_unlikely_characters_are_never_a_500(self, sqlite_api: Api) -> None:
        store(sqlite_api)
        chance = random.Random(8)
        letters = ["dataset", "job", "datasetField", "db", "totals", ":", "#", "%", "\\", "'", '"']
        letters += ["\n", "\0", "\ud7ff", "\U0010ffff", " ", "/", "?", "&", "=", ";", run_id(1)]
        for _ in range(150):
            path, name, others = chance.choice(NODE_IDS)
            text = "".join(chance.choices(letters, k=chance.randint(1, 12)))
            answer = ask(sqlite_api, path, **{name: text}, **others)
            assert answer.status_code in (200, 400, 404), text


class TestUnknownNodes:
    @of_every_route
    def test_are_a_404_that_names_what_is_near(
        self, api: Api, path: str, name: str, others: dict[str, str]
    ) -> None:
        store(api)
        error = refused(ask(api, path, **{name: ds("total")}, **others), 404)
        assert error["near"] == [ds("totals")]
        assert ds("totals") in error["message"]

    @pytest.mark.parametrize(
        ("asked", "near"),
        [
            (ds("Totals"), ds("totals")),
            (ds("totals", "elsewhere"), ds("totals")),
            (job("totals"), ds("totals")),
            (ds("load"), job("load")),
            (job("loa"), job("load")),
            (ds("public.daily_summary"), ds("shop.daily_summary")),
            (ds("daily_summaries"), ds("shop.daily_summary")),
            (ds("warehouse/totals"), ds("totals")),
            (f"datasetField:{TABLES}:total:x", ds("totals")),
        ],
    )
    def test_have_near_ids_that_can_be_requested(self, api: Api, asked: str, near: str) -> None:
        store(api)
        error = refused(ask(api, "/lineage", nodeId=asked), 404)
        assert near in error["near"]
        for id in error["near"]:
            assert lineage(api, id)["node"] == id

    def test_have_the_kind_that_was_requested_first(self, api: Api) -> None:
        api.store(run("sales_x", "COMPLETE", 0, 1, [], ["sales_y"]))
        assert refused(ask(api, "/lineage", nodeId=ds("sales_")), 404)["near"][0] == ds("sales_y")
        assert refused(ask(api, "/lineage", nodeId=job("sales_")), 404)["near"][0] == job("sales_x")

    @pytest.mark.parametrize("name", ["zzzz", "q", "%", "%%%%", "____", "'; --", "\\"])
    def test_have_nothing_near_where_nothing_is_alike(self, api: Api, name: str) -> None:
        store(api)
        assert "near" not in refused(ask(api, "/lineage", nodeId=ds(name)), 404)

    def test_have_nothing_near_in_an_empty_store(self, api: Api) -> None:
        assert "near" not in refused(ask(api, "/lineage", nodeId=KNOWN), 404)

    def test_have_nothing_near_that_was_deleted(self, api: Api) -> None:
        store(api)
        edit(api, delete_dataset(10, "totals"))
        error = refused(ask(api, "/lineage", nodeId=KNOWN), 404)
        assert KNOWN not in error.get("near", [])

    def test_with_a_long_name_are_reported_in_a_short_answer(self, api: Api) -> None:
        store(api)
        answer = ask(api, "/lineage", nodeId=ds("orders." * 1_000))
        refused(answer, 404)
        assert len(answer.content) < 2_000


WALKS: list[tuple[str, dict[str, Any]]] = [
    ("/lineage", {"nodeId": KNOWN}),
    ("/column-lineage", {"nodeId": KNOWN}),
    ("/runlineage/upstream", {"runId": run_id(2)}),
    ("/lineage/diff", {"from": LONG_AGO, "nodeId": KNOWN}),
    ("/lineage/path", {"from": ds("orders"), "to": KNOWN}),
    ("/lineage/export", {"nodeId": KNOWN}),
]
of_every_walk = pytest.mark.parametrize(("path", "others"), WALKS, ids=[path for path, _ in WALKS])


class TestNumbers:
    @of_every_walk
    def test_of_depth_that_can_be_used(self, api: Api, path: str, others: dict[str, Any]) -> None:
        store(api)
        for depth in (0, 1, 10**9):
            assert ask(api, path, depth=depth, **others).status_code == 200

    @of_every_walk
    def test_of_depth_that_cannot(self, api: Api, path: str, others: dict[str, Any]) -> None:
        store(api)
        for depth in (
            -1,
            "x",
            "",
            "1.5",
            "1e3",
            "0x1",
            2**31 + 1,
            10**30,
            "9" * 5_000,
            "\0",
            "NaN",
        ):
            refused(ask(api, path, depth=depth, **others), 400, "depth")

    @pytest.mark.parametrize(
        ("path", "others"), [*WALKS, ("/nodes", {"name": "totals"})], ids=lambda value: str(value)
    )
    def test_of_limits_out_of_range(self, api: Api, path: str, others: dict[str, Any]) -> None:
        store(api)
        for limit in (0, -1, 10**9, "x", "", 10**40):
            refused(ask(api, path, limit=limit, **others), 400, "limit")

    def test_of_nodes_to_compare_out_of_range(self, api: Api) -> None:
        for nodes in (0, -1, 10**9, "x"):
            refused(ask(api, "/lineage/diff", **{"from": LONG_AGO, "nodes": nodes}), 400, "nodes")

    @pytest.mark.parametrize(
        ("path", "parameters", "where"),
        [
            ("/lineage", {"nodeId": KNOWN, "direction": "sideways"}, "direction"),
            ("/lineage", {"nodeId": KNOWN, "direction": ""}, "direction"),
            ("/lineage", {"nodeId": KNOWN, "fold": "maybe"}, "fold"),
            ("/column-lineage", {"nodeId": KNOWN, "direction": "UP"}, "direction"),
            ("/column-lineage", {"nodeId": KNOWN, "indirect": "x"}, "indirect"),
            ("/column-lineage", {"nodeId": KNOWN, "withDownstream": "2"}, "withDownstream"),
            ("/lineage/export", {"nodeId": KNOWN, "format": "pdf"}, "format"),
            ("/lineage/export", {"nodeId": KNOWN, "format": ""}, "format"),
            ("/lineage/export", {"nodeId": KNOWN, "columns": "x"}, "columns"),
        ],
    )
    def test_and_words_that_mean_nothing(
        self, api: Api, path: str, parameters: dict[str, str], where: str
    ) -> None:
        store(api)
        refused(ask(api, path, **parameters), 400, where)


NO_TIMES = [
    "soon",
    "T",
    "2024",
    "2024-13-01",
    "2024-02-30",
    "2024-02-30T10:00:00Z",
    "2024-05-01T25:00:00Z",
    "2024-05-01T10:00:00+99:00",
    "10:00",
    "0000-01-01",
    "99999-01-01",
    "-2024-05-01T10:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "1714557600",
    "2024-W18-3",
    "\0",
    "2024-05-01T10:00:00Z\0",
    "\u0662\u0660\u0662\u0664-05-01",
    "now",
    "' OR 1=1",
    "9" * 3_000,
]


class TestTimes:
    @pytest.mark.parametrize(
        ("path", "others", "name"),
        [
            *(
                (path, others, "as_of")
                for path, others in WALKS
                if path not in ("/runlineage/upstream", "/lineage/diff")
            ),
            ("/lineage/diff", {}, "from"),
            ("/lineage/diff", {"from": LONG_AGO}, "to"),
        ],
        ids=lambda value: str(value)[:20],
    )
    def test_that_are_none_are_a_400(
        self, api: Api, path: str, others: dict[str, Any], name: str
    ) -> None:
        store(api)
        for text in NO_TIMES:
            error = refused(ask(api, path, **others, **{name: text}), 400, name)
            assert "not a time" in error["reason"]

    def test_that_are_no_text_are_a_400(self, api: Api) -> None:
        store(api)
        refused(ask(api, "/lineage", f"nodeId={KNOWN}&as_of=%ED%A0%80"), 400, "as_of")

    def test_the_first_after_the_second_is_a_400(self, api: Api) -> None:
        store(api)
        for begin, end in ((at(5), at(4)), ("2030-01-01", "2029-12-31"), ("9999-01-01", at(0))):
            refused(ask(api, "/lineage/diff", **{"from": begin, "to": end}), 400, "from")
        refused(ask(api, "/lineage/diff", **{"from": "9999-01-01"}), 400, "from")

    def test_a_missing_first_is_a_400(self, api: Api) -> None:
        refused(ask(api, "/lineage/diff"), 400, "from")
        refused(ask(api, "/lineage/diff", **{"from": "", "to": at(0)}), 400, "from")

    @of_every_walk
    def test_at_the_ends_of_the_calendar(self, api: Api, path: str, others: dict[str, Any]) -> None:
        store(api)
        for moment in ("0001-01-01", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"):
            for node in (KNOWN, job("load"), column("totals.total")):
                wanted = {**others, "nodeId": node} if "nodeId" in others else others
                answer = ask(api, path, as_of=moment, **wanted)
                assert answer.status_code == 200, (moment, node, answer.text)

    @pytest.mark.parametrize("node", [KNOWN, job("load"), column("totals.total")])
    def test_before_the_first_event_give_an_empty_graph(self, api: Api, node: str) -> None:
        store(api)
        answer = ask(api, "/lineage", nodeId=node, as_of=LONG_AGO)
        assert answer.status_code == 200
        assert (answer.json()["graph"], answer.json()["isCut"]) == ([], False)
        assert lineage(api, node, as_of=LONG_AGO, fold=True)["graph"] == []

    def test_before_the_first_event_give_an_empty_diff(self, api: Api) -> None:
        store(api)
        for parameters in ({}, {"nodeId": KNOWN}, {"nodeId": job("load")}):
            times = {"from": "0001-01-01", "to": LONG_AGO}
            answer = ask(api, "/lineage/diff", **times, **parameters)
            assert answer.status_code == 200
            assert answer.json()["changes"] == []


@pytest.mark.slow
class TestLargeGraphs:
    def test_a_hub_of_30_000_readers(self, sqlite_api: Api) -> None:
        readers = [(f"r{number}", ["hub"], [f"o{number}"]) for number in range(30_000)]
        fill(sqlite_api, [("writer", ["source"], ["hub"]), *readers])
        answer = ask(sqlite_api, "/lineage", nodeId=ds("hub"))
        assert answer.status_code == 200
        graph = answer.json()
        assert graph["isCut"]
        assert len(graph["graph"]) <= 5_000
        hub = node_of(graph, ds("hub"))
        assert hub["more"]["downstream"] + len(hub["outEdges"]) == 30_000
        # What is few is not pushed aside by what is many.
        assert [edge["origin"] for edge in hub["inEdges"]] == [job("writer")]
        shown = {node["id"] for node in graph["graph"]}
        assert ds("source") in shown
        for node in graph["graph"]:
            if node["type"] == "JOB" and node["id"] != job("writer"):
                left = node.get("more", {}).get("downstream", 0)
                assert left + len(node["outEdges"]) == 1

    @of_every_walk
    def test_a_hub_requested_in_every_way(
        self, api: Api, path: str, others: dict[str, Any]
    ) -> None:
        readers = [(f"r{number}", ["totals"], [f"o{number}"]) for number in range(1_000)]
        fill(api, [("writer", ["orders"], ["totals"]), *readers])
        if "runId" in others:
            others = {"runId": bulk_run("r7")}
        answer = ask(api, path, limit=200, **others)
        assert answer.status_code == 200
        assert len(answer.content) < 2_000_000
        if path in ("/lineage", "/column-lineage"):
            assert len(answer.json()["graph"]) <= 200
            assert answer.json()["isCut"] is (path == "/lineage")

    def test_a_chain_of_3_000_jobs_to_its_end(self, sqlite_api: Api) -> None:
        fill(sqlite_api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(3_000)])
        answer = ask(sqlite_api, "/lineage", nodeId=ds("d0"), depth=10**9, limit=50_000)
        assert answer.status_code == 200
        graph = answer.json()
        assert (len(graph["graph"]), graph["isCut"]) == (6_001, False)
        assert node_of(graph, ds("d3000"))["distance"] == 3_000

    def test_a_chain_of_jobs_from_end_to_end(self, sqlite_api: Api) -> None:
        fill(sqlite_api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(300)])
        for ends in (("d0", "d300"), ("d300", "d0")):
            parameters = {"from": ds(ends[0]), "to": ds(ends[1]), "depth": 10**9}
            (path,) = ask(sqlite_api, "/lineage/path", **parameters).json()["paths"]
            assert path["length"] == 600

    def test_names_in_a_circle(self, api: Api) -> None:
        names = [f"a{number}" for number in range(300)]
        circle = list(zip(names, [*names[1:], names[0]], strict=True))
        fill(api, [("reader", ["a5"], []), ("writer", [], ["a250"])], circle)
        graph = ask(api, "/lineage", nodeId=ds("a7")).json()
        (shown,) = (node for node in graph["graph"] if node["type"] == "DATASET")
        assert len(shown["data"]["aliases"]) == 299
        assert len(edges_of(graph)) == 2

    @of_every_walk
    def test_300_names_of_one_dataset(self, api: Api, path: str, others: dict[str, Any]) -> None:
        names = ["totals", "orders", *(f"a{number}" for number in range(298))]
        jobs = [
            (f"j{number}", [names[number]], [names[(number + 1) % 300]]) for number in range(300)
        ]
        fill(api, jobs, [(names[0], other) for other in names[1:]])
        if "runId" in others:
            others = {"runId": bulk_run("j7")}
        answer = ask(api, path, **others)
        assert answer.status_code == 200
        if path == "/lineage":
            assert len(answer.json()["graph"]) == 301
            assert len(edges_of(answer.json())) == 600

    def test_a_name_that_is_its_own_alias(self, api: Api) -> None:
        fill(api, [("load", ["a"], ["b"])], [("a", "a")])
        assert edges_of(ask(api, "/lineage", nodeId=ds("a")).json()) == {"a -> load", "load -> b"}

    def test_a_job_of_very_many_columns(self, sqlite_api: Api) -> None:
        """Every one of many columns decided by every one of as many."""
        columns = [f"c{number}" for number in range(150)]
        written = dataset(
            "totals",
            schema=columns,
            columns={name: [f"orders.{name}"] for name in columns},
            rows_by=[f"?orders.{name}" for name in columns],
        )
        sqlite_api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        answer = ask(sqlite_api, "/column-lineage", nodeId=KNOWN)
        assert answer.status_code == 200
        graph = answer.json()
        assert len(graph["graph"]) == 300
        total = node_of(graph, column("totals.c7"))
        assert len(total["inEdges"]) == 150


def test_a_name_that_is_a_statement_is_a_name(api: Api) -> None:
    name = "'); DROP TABLE dataset; --"
    used = minimal.dataset(name, JOBS)
    api.store(minimal.run_event(job=name, inputs=[used], outputs=[used]))
    assert ds(name, JOBS) in {node["id"] for node in lineage(api, job(name))["graph"]}
    assert refused(ask(api, "/lineage", nodeId=ds(f"{name}x", JOBS)), 404)["near"]
    assert ask(api, "/nodes", name=name).json()["nodes"]
