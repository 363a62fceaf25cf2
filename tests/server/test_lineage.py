"""`/lineage` and `/column-lineage`: Marquez's shapes, how far a walk goes, and as of when."""

import itertools
from typing import Any
from urllib.parse import quote

import pytest

from testing.api import Api
from testing.events import minimal
from testing.events.history import (
    JOBS,
    SNAPSHOTS,
    TABLES,
    dataset,
    declare,
    delete_dataset,
    describe,
    join,
    run,
    run_id,
)
from testing.events.history import edit as edit_event
from testing.events.minimal import Json, run_event, schema
from tests.server.lineage import (
    LONG_AGO,
    Uses,
    at,
    column,
    column_edges_of,
    ds,
    edges_of,
    edit,
    fill,
    job,
    lineage,
    node_of,
    nodes_of,
    refused,
    short,
)

# orders -> load -> totals -> report -> summary, and another reader of orders beside it.
SHOP = [
    run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
    run("report", "COMPLETE", 1, 2, ["totals"], ["summary"]),
    run("audit", "COMPLETE", 2, 3, ["orders", "people"], ["findings"]),
]
UP = {"orders -> load", "load -> totals"}
DOWN = {"totals -> report", "report -> summary"}
ASIDE = {"orders -> audit", "people -> audit", "audit -> findings"}
VERSION = "0b1f4f5e-6a0c-4b0a-9f0c-2f6d3f7a8b9c"


class TestTheShape:
    def test_is_that_of_marquez_and_says_more_beside_it(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"))
        assert set(answer) >= {"graph", "node", "asOf", "isCut"}
        assert (answer["node"], answer["asOf"], answer["isCut"]) == (ds("totals"), None, False)
        for node in answer["graph"]:
            assert set(node) == {"id", "type", "data", "inEdges", "outEdges", "distance"}
        assert node_of(answer, ds("orders"))["type"] == "DATASET"
        assert node_of(answer, job("load"))["type"] == "JOB"

    def test_edges_have_an_origin_and_a_destination_and_are_reported_at_both(
        self, api: Api
    ) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"))
        assert edges_of(answer) == UP | DOWN | ASIDE
        load = node_of(answer, job("load"))
        assert load["inEdges"] == [{"origin": ds("orders"), "destination": job("load")}]
        assert load["outEdges"] == [{"origin": job("load"), "destination": ds("totals")}]

    def test_nodes_are_sorted_by_id(self, api: Api) -> None:
        api.store(*SHOP)
        ids = [node["id"] for node in lineage(api, ds("totals"))["graph"]]
        assert ids == sorted(ids)
        assert len(ids) == 8

    def test_a_dataset_is_described_as_in_marquez(self, api: Api) -> None:
        facets = {
            "schema": schema(id="INT", name="TEXT"),
            "documentation": {"description": "all sums"},
            "dataSource": {"name": "warehouse"},
        }
        used = {**dataset("totals"), "facets": facets}
        api.store(run("load", "COMPLETE", 0, 1, [], [used]))
        data = node_of(lineage(api, ds("totals")), ds("totals"))["data"]
        assert data["id"] == {"namespace": TABLES, "name": "totals"}
        assert (data["type"], data["name"], data["physicalName"]) == ("DB_TABLE", *["totals"] * 2)
        assert (data["namespace"], data["sourceName"]) == (TABLES, "warehouse")
        assert [(field["name"], field["type"]) for field in data["fields"]] == [
            ("id", "INT"),
            ("name", "TEXT"),
        ]
        assert data["description"] == "all sums"
        assert data["createdAt"] == data["updatedAt"] == data["lastModifiedAt"] == at(0)
        assert (data["tags"], data["lastLifecycleState"]) == ([], None)

    def test_a_job_is_described_as_in_marquez(self, api: Api) -> None:
        job_facets = {
            "jobType": {"processingType": "STREAMING", "integration": "FLINK"},
            "documentation": {"description": "adds up"},
            "sourceCodeLocation": {"type": "git", "url": "https://example.org/load.py"},
        }
        start = run("load", "START", 0, 1, ["orders"], ["totals"])
        start["job"]["facets"] = job_facets
        api.store(start, run("load", "FAIL", 2, 1))
        data = node_of(lineage(api, job("load")), job("load"))["data"]
        assert data["id"] == {"namespace": JOBS, "name": "load"}
        assert (data["type"], data["name"], data["simpleName"]) == ("STREAM", "load", "load")
        assert data["inputs"] == [{"namespace": TABLES, "name": "orders"}]
        assert data["outputs"] == [{"namespace": TABLES, "name": "totals"}]
        assert (data["description"], data["location"]) == ("adds up", "https://example.org/load.py")
        assert data["parentJobName"] is None
        latest = data["latestRun"]
        assert (latest["id"], latest["state"], latest["durationMs"]) == (
            run_id(1),
            "FAILED",
            120_000,
        )
        assert (latest["startedAt"], latest["endedAt"]) == (at(0), at(2))

    def test_the_data_of_a_job_are_those_of_the_job_itself(self, api: Api) -> None:
        """What it wrote once is an edge of the past, not what it writes."""
        api.store(
            run("load", "COMPLETE", 0, 1, ["orders"], ["old"]),
            run("load", "COMPLETE", 5, 2, ["orders"], ["new"]),
        )
        data = node_of(lineage(api, job("load")), job("load"))["data"]
        shown = api.job(JOBS, "load")
        assert (data["inputs"], data["outputs"]) == (shown["inputs"], shown["outputs"])

    def test_edges_that_are_not_observed_say_so(self, api: Api) -> None:
        renamed = dataset("sums", renamed_from="totals")
        api.store(
            run("load", "COMPLETE", 0, 1, ["orders"], ["old"]),
            run("load", "COMPLETE", 5, 2, ["orders"], ["totals"]),
            run("rename", "COMPLETE", 6, 3, [], [renamed]),
            declare("plan", 7, ["sums"], ["forecast"]),
        )
        assert edges_of(lineage(api, ds("orders"))) == {
            "orders -> load",
            "load -> old (past)",
            "load -> totals",
            "totals -> sums (succession)",
            "rename -> sums",
            "sums -> plan (declared)",
            "plan -> forecast (declared)",
        }

    def test_a_dataset_that_no_job_uses_is_a_graph_of_one(self, api: Api) -> None:
        api.store(describe(0, "alone"))
        answer = lineage(api, ds("alone"))
        assert (nodes_of(answer), edges_of(answer)) == ({"alone"}, set())


class TestDefaults:
    def test_the_whole_component_is_found_from_any_node(self, api: Api) -> None:
        api.store(*SHOP, run("other", "COMPLETE", 3, 4, ["elsewhere"], ["nowhere"]))
        for start in (ds("summary"), ds("people"), job("audit"), job("report")):
            assert edges_of(lineage(api, start)) == UP | DOWN | ASIDE

    def test_depth_is_20_jobs(self, api: Api) -> None:
        fill(api, [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(25)])
        answer = lineage(api, ds("d0"))
        assert nodes_of(answer) == {
            *(f"d{step}" for step in range(21)),
            *(f"j{step}" for step in range(20)),
        }
        assert answer["isCut"]
        assert node_of(answer, ds("d20"))["more"] == {"downstream": 1}
        assert sum("more" in node for node in answer["graph"]) == 1

    def test_distance_counts_jobs_from_the_start(self, api: Api) -> None:
        api.store(*SHOP)
        distances = {
            short(node["id"]): node["distance"] for node in lineage(api, ds("orders"))["graph"]
        }
        assert distances == {
            "orders": 0,
            **dict.fromkeys(("load", "totals", "audit", "people", "findings"), 1),
            **dict.fromkeys(("report", "summary"), 2),
        }


class TestDepth:
    def test_0_from_a_dataset_is_the_dataset(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), depth=0)
        assert nodes_of(answer) == {"totals"}
        assert answer["isCut"]
        assert node_of(answer, ds("totals"))["more"] == {"upstream": 1, "downstream": 1}

    def test_0_from_a_job_is_the_job_and_what_it_uses(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, job("load"), depth=0)
        assert edges_of(answer) == UP
        assert node_of(answer, ds("totals"))["more"] == {"downstream": 1}

    def test_1_is_a_job_away(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), depth=1)
        assert edges_of(answer) == UP | DOWN
        assert node_of(answer, ds("orders"))["more"] == {"downstream": 1}

    def test_enough_is_not_cut(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), depth=2)
        assert edges_of(answer) == UP | DOWN | ASIDE
        assert not answer["isCut"]
        assert not any("more" in node for node in answer["graph"])


class TestDirection:
    @pytest.mark.parametrize(
        ("direction", "expected"),
        [
            ("upstream", UP),
            ("downstream", DOWN),
            ("both", UP | DOWN),
            ("connected", UP | DOWN | ASIDE),
        ],
    )
    def test_from_a_dataset(self, api: Api, direction: str, expected: set[str]) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), direction=direction)
        assert edges_of(answer) == expected
        assert not answer["isCut"]

    @pytest.mark.parametrize(
        ("direction", "expected"),
        [
            ("upstream", {"orders -> load"}),
            ("downstream", {"load -> totals"} | DOWN),
            ("both", UP | DOWN),
            ("connected", UP | DOWN | ASIDE),
        ],
    )
    def test_from_a_job(self, api: Api, direction: str, expected: set[str]) -> None:
        api.store(*SHOP)
        assert edges_of(lineage(api, job("load"), direction=direction)) == expected

    def test_a_circle_is_walked_once(self, api: Api) -> None:
        api.store(
            run("there", "COMPLETE", 0, 1, ["a"], ["b"]),
            run("back", "COMPLETE", 0, 2, ["b"], ["a"]),
            run("self", "COMPLETE", 0, 3, ["a"], ["a"]),
        )
        circle = {"a -> there", "there -> b", "b -> back", "back -> a", "a -> self", "self -> a"}
        for direction in ("upstream", "downstream", "both", "connected"):
            answer = lineage(api, ds("a"), direction=direction, depth=10**9)
            assert edges_of(answer) == circle


class TestLimit:
    def test_what_does_not_fit_is_counted_where_it_hangs(self, api: Api) -> None:
        fill(api, [(f"reader{number}", ["hub"], []) for number in range(10)])
        answer = lineage(api, ds("hub"), limit=4)
        assert len(answer["graph"]) <= 4
        assert answer["isCut"]
        shown = len(nodes_of(answer)) - 1
        assert shown > 0
        assert node_of(answer, ds("hub"))["more"] == {"downstream": 10 - shown}

    def test_1_is_the_node_itself(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), limit=1)
        assert nodes_of(answer) == {"totals"}
        assert answer["isCut"]
        assert node_of(answer, ds("totals"))["more"] == {"upstream": 1, "downstream": 1}

    def test_just_enough_is_not_cut(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, ds("totals"), limit=8)
        assert len(answer["graph"]) == 8
        assert not answer["isCut"]

    def test_a_crowd_leaves_room_for_the_other_side(self, api: Api) -> None:
        crowd: list[Uses] = [(f"reader{number}", ["hub"], []) for number in range(100)]
        fill(api, [("writer", ["source"], ["hub"]), *crowd])
        answer = lineage(api, ds("hub"), limit=20)
        assert {"writer", "source"} <= nodes_of(answer)
        assert len(answer["graph"]) <= 20


class TestAsOf:
    HISTORY = [
        run("load", "START", 0, 1, ["orders"], [{**dataset("old"), "facets": {}}]),
        run("load", "COMPLETE", 5, 1),
        run("load", "START", 10, 2, ["orders"], ["new"]),
        run("load", "FAIL", 15, 2),
    ]

    def test_before_the_first_event_there_is_nothing(self, api: Api) -> None:
        api.store(*self.HISTORY)
        for node in (ds("old"), ds("new"), job("load")):
            answer = lineage(api, node, as_of=at(-1))
            assert (answer["graph"], answer["isCut"]) == ([], False)
            assert answer["asOf"] == at(-1)

    def test_the_graph_is_as_it_was(self, api: Api) -> None:
        api.store(*self.HISTORY)
        assert edges_of(lineage(api, job("load"), as_of=at(0))) == {"orders -> load", "load -> old"}
        assert edges_of(lineage(api, job("load"), as_of=at(9))) == {"orders -> load", "load -> old"}
        now = {"orders -> load", "load -> new", "load -> old (past)"}
        assert edges_of(lineage(api, job("load"), as_of=at(10))) == now
        assert edges_of(lineage(api, job("load"))) == now

    @pytest.mark.parametrize(
        ("minutes", "number", "state"),
        [(1, 1, "RUNNING"), (5, 1, "COMPLETED"), (12, 2, "RUNNING"), (15, 2, "FAILED")],
    )
    def test_the_latest_run_is_as_it_was(
        self, api: Api, minutes: float, number: int, state: str
    ) -> None:
        api.store(*self.HISTORY)
        answer = lineage(api, job("load"), as_of=at(minutes))
        latest = node_of(answer, job("load"))["data"]["latestRun"]
        assert (latest["id"], latest["state"]) == (run_id(number), state)

    def test_the_schema_is_as_it_was(self, api: Api) -> None:
        for minutes, kind in ((0, "INT"), (5, "BIGINT")):
            written = {**dataset("totals"), "facets": {"schema": schema(id=kind)}}
            api.store(run("load", "COMPLETE", minutes, int(minutes) + 1, [], [written]))
        for minutes, kind in ((1, "INT"), (6, "BIGINT")):
            answer = lineage(api, ds("totals"), as_of=at(minutes))
            fields = node_of(answer, ds("totals"))["data"]["fields"]
            assert [field["type"] for field in fields] == [kind]

    def test_times_may_have_an_offset_and_dates_are_midnights(self, api: Api) -> None:
        api.store(*self.HISTORY)
        # A plus sign that is not encoded arrives as a space.
        path = f"/api/v1/lineage?nodeId={quote(job('load'))}&as_of=2024-05-01T14:00:00+02:00"
        assert edges_of(api.client.get(path).json()) == {"orders -> load", "load -> old"}
        assert lineage(api, job("load"), as_of="2024-05-01")["graph"] == []
        assert lineage(api, job("load"), as_of="2024-05-02")["graph"] != []

    def test_a_snapshot_that_names_less_is_less_from_then_on(self, api: Api) -> None:
        api.store(
            run("stream", "START", 0, 1, ["a", "b"], ["c"], job_type=SNAPSHOTS),
            run("stream", "RUNNING", 5, 1, ["a"], ["c"], job_type=SNAPSHOTS),
        )
        both, one = {"a -> stream", "b -> stream", "stream -> c"}, {"a -> stream", "stream -> c"}
        assert edges_of(lineage(api, ds("c"), as_of=at(0))) == both
        assert edges_of(lineage(api, ds("c"))) == one

    def test_what_a_person_deleted_is_gone_from_then_on(self, api: Api) -> None:
        api.store(*SHOP)
        edit(api, delete_dataset(10, "totals"))
        assert edges_of(lineage(api, ds("orders"), as_of=at(9))) == UP | DOWN | ASIDE
        assert edges_of(lineage(api, ds("orders"))) == {"orders -> load", *ASIDE}
        refused(api.get("/lineage", nodeId=ds("totals")), 404)
        assert edges_of(lineage(api, ds("totals"), as_of=at(9))) == UP | DOWN | ASIDE

    def test_an_event_after_a_deletion_brings_it_back_from_then_on(self, api: Api) -> None:
        """Whether or not there are more events later."""
        api.store(run("load", "COMPLETE", 0, 1, [], ["totals"]))
        edit(api, delete_dataset(10, "totals"))
        api.store(run("load", "COMPLETE", 20, 2, [], ["totals"]))
        assert edges_of(lineage(api, job("load"), as_of=at(25))) == {"load -> totals"}
        api.store(run("load", "COMPLETE", 30, 3, [], ["totals"]))
        assert edges_of(lineage(api, job("load"), as_of=at(15))) == set()
        assert edges_of(lineage(api, job("load"), as_of=at(25))) == {"load -> totals"}

    def test_a_job_that_only_a_person_speaks_of_was_not_there_before(self, api: Api) -> None:
        described = {"type": "job", "namespace": JOBS, "name": "planned"}
        edit(api, edit_event(10, described, set={"description": "soon"}))
        assert nodes_of(lineage(api, job("planned"))) == {"planned"}
        assert nodes_of(lineage(api, job("planned"), as_of=at(5))) == set()


class TestFold:
    """Jobs that have a parent, shown as the job above them all."""

    TASKS = [
        run("app.read", "COMPLETE", 0, 1, ["orders"], ["staged"], parent=9),
        run("app.write", "COMPLETE", 1, 2, ["staged"], ["totals"], parent=9),
        run("report", "COMPLETE", 2, 3, ["totals"], ["summary"]),
    ]

    def test_is_off_by_default(self, api: Api) -> None:
        api.store(*self.TASKS)
        answer = lineage(api, ds("totals"))
        assert {"app.read", "app.write"} <= nodes_of(answer)
        assert "app" not in nodes_of(answer)
        data = node_of(answer, job("app.read"))["data"]
        assert (data["parentJobName"], data["simpleName"]) == ("app", "read")

    def test_children_are_shown_as_their_parent(self, api: Api) -> None:
        api.store(*self.TASKS)
        answer = lineage(api, ds("totals"), fold=True)
        assert edges_of(answer) == {
            "orders -> app",
            "app -> staged",
            "staged -> app",
            "app -> totals",
            "totals -> report",
            "report -> summary",
        }
        app = node_of(answer, job("app"))
        assert app["distance"] == 1
        assert [used["name"] for used in app["data"]["inputs"]] == ["orders", "staged"]
        assert [used["name"] for used in app["data"]["outputs"]] == ["staged", "totals"]

    def test_a_child_that_is_requested_is_its_parent(self, api: Api) -> None:
        api.store(*self.TASKS)
        answer = lineage(api, job("app.write"), fold=True)
        assert answer["node"] == job("app")
        assert node_of(answer, job("app"))["distance"] == 0

    def test_parents_of_parents_are_folded_too(self, api: Api) -> None:
        api.store(
            *self.TASKS,
            run_event(
                "START",
                at(0),
                run_id(9),
                "app",
                run_facets={"parent": {"run": {"runId": run_id(8)}, "job": _job("dag")}},
            ),
        )
        assert "dag" in nodes_of(lineage(api, ds("totals"), fold=True))
        assert "app" not in nodes_of(lineage(api, ds("totals"), fold=True))

    def test_parents_in_a_circle_come_to_an_end(self, api: Api) -> None:
        for child, parent in (("a", "b"), ("b", "c"), ("c", "a")):
            above = {"run": {"runId": run_id(ord(parent))}, "job": _job(parent)}
            facets = {"parent": above}
            outputs = [dataset(f"of_{child}"), dataset("shared")]
            api.store(
                run_event(
                    "START", at(0), run_id(ord(child)), child, run_facets=facets, outputs=outputs
                )
            )
        answer = lineage(api, ds("shared"), fold=True)
        jobs = [node for node in answer["graph"] if node["type"] == "JOB"]
        assert len(jobs) == 1
        assert len(edges_of(answer)) == 4

    def test_what_is_not_in_the_answer_is_counted_at_the_parent(self, api: Api) -> None:
        writes = [f"part{number}" for number in range(30)]
        api.store(
            run("app.one", "COMPLETE", 0, 1, ["orders"], writes[:15], parent=9),
            run("app.two", "COMPLETE", 0, 2, ["orders"], writes[15:], parent=9),
        )
        answer = lineage(api, ds("orders"), fold=True, limit=9)
        assert answer["isCut"]
        app = node_of(answer, job("app"))
        assert app["more"]["downstream"] == 30 - len(app["outEdges"])


def _job(name: str) -> Json:
    return {"namespace": JOBS, "name": name}


class TestAliases:
    WRITTEN = dataset("s3://lake|orders/", symlinks=[("hive|orders", "TABLE")])
    HISTORY = [
        run("load", "COMPLETE", 0, 1, [], [WRITTEN]),
        run("report", "COMPLETE", 1, 2, ["hive|orders"], ["summary"]),
    ]
    PLACE, TABLE = ds("orders/", "s3://lake"), ds("orders", "hive")

    def test_two_names_are_one_node_that_shows_the_other(self, api: Api) -> None:
        api.store(*self.HISTORY)
        answer = lineage(api, self.PLACE)
        assert edges_of(answer) == {
            f"load -> {self.PLACE}",
            f"{self.PLACE} -> report",
            "report -> summary",
        }
        data = node_of(answer, self.PLACE)["data"]
        assert data["aliases"] == [{"namespace": "hive", "name": "orders"}]
        assert "aliases" not in node_of(answer, ds("summary"))["data"]

    def test_every_name_finds_it(self, api: Api) -> None:
        api.store(*self.HISTORY)
        by_place, by_table = lineage(api, self.PLACE), lineage(api, self.TABLE)
        assert by_place == by_table
        assert by_table["node"] == self.PLACE

    def test_a_person_can_part_them(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, join(5, "s3://lake|orders/", "hive|orders", "CUT"))
        assert edges_of(lineage(api, self.PLACE)) == {f"load -> {self.PLACE}"}
        assert edges_of(lineage(api, self.TABLE)) == {
            f"{self.TABLE} -> report",
            "report -> summary",
        }

    def test_what_is_deleted_under_one_name_is_so_from_every_side(self, api: Api) -> None:
        api.store(*self.HISTORY)
        entity = {"type": "dataset", "namespace": "hive", "name": "orders"}
        edit(api, edit_event(10, entity, set={"deleted": True}))
        seen = []
        for node in (self.PLACE, self.TABLE, job("load"), job("report")):
            answer = api.get("/lineage", nodeId=node)
            edges = edges_of(answer.json()) if answer.status_code == 200 else set()
            seen.append(f"load -> {self.PLACE}" in edges)
        assert seen in ([False] * 4, [True] * 4)

    def test_names_in_a_circle_are_one(self, api: Api) -> None:
        names = ["a", "b", "c", "d"]
        for number, (one, other) in enumerate(itertools.pairwise([*names, "a"])):
            linked = dataset(one, symlinks=[(other, "TABLE")])
            api.store(run(f"j{number}", "COMPLETE", number, number + 1, [], [linked]))
        answers = [lineage(api, ds(name)) for name in names]
        assert all(answer == answers[0] for answer in answers)
        assert edges_of(answers[0]) == {f"j{number} -> a" for number in range(4)}
        aliases = node_of(answers[0], ds("a"))["data"]["aliases"]
        assert [alias["name"] for alias in aliases] == ["b", "c", "d"]


class TestMethods:
    PATH = "/api/v1/lineage"

    def test_head_is_get_without_the_body(self, api: Api) -> None:
        api.store(*SHOP)
        parameters = {"nodeId": ds("totals")}
        got = api.client.get(self.PATH, params=parameters)
        head = api.client.head(self.PATH, params=parameters)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-type", "content-length", "etag"):
            assert head.headers[name] == got.headers[name]

    def test_head_of_what_is_not_there_is_a_404_without_a_body(self, api: Api) -> None:
        answer = api.client.head(self.PATH, params={"nodeId": ds("nothing")})
        assert (answer.status_code, answer.content) == (404, b"")

    def test_post_takes_in_an_event_as_before(self, api: Api) -> None:
        answer = api.post(SHOP[0])
        assert (answer.status_code, answer.content) == (201, b"")
        answer = api.client.post(
            self.PATH, params={"nodeId": ds("totals")}, json=SHOP[1], headers={"Accept": "*/*"}
        )
        assert answer.status_code == 201
        assert api.event_count() == 2
        assert edges_of(lineage(api, ds("totals"))) == UP | DOWN

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
    def test_other_methods_are_a_405(self, api: Api, method: str) -> None:
        refused(api.client.request(method, self.PATH, params={"nodeId": ds("totals")}), 405)
        assert api.event_count() == 0

    @pytest.mark.parametrize(
        "path",
        [
            "/column-lineage",
            "/runlineage/upstream",
            "/lineage/diff",
            "/lineage/path",
            "/lineage/export",
            "/nodes",
        ],
    )
    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
    def test_what_can_only_be_read_is_not_written(self, api: Api, path: str, method: str) -> None:
        answer = api.client.request(method, f"/api/v1{path}", content=b"{}")
        refused(answer, 405)
        assert api.event_count() == 0


ODD_NAMES = [
    ("postgres://db:5432", "shop.public.orders"),
    ("kafka://user@broker:9092,other:9092", "topic"),
    ("s3://bucket", "/path/to//file:name/part=1/"),
    ("hdfs://[::1]:8020", "/a:b"),
    ("a:b::c", ":d:"),
    ("file", "C:\\data\\orders.csv"),
    ("urn:x", "datasetField:a:b:c"),
    ("dataset", "job:dataset"),
    ("ns?a=1&b=2", "100%/%2F+#part"),
    ("\u4e2d\u6587", "\U0001f600 e\u0301 "),
    (" ", " "),
    ("'quoted\"", "a%_\\b"),
    ("x" * 2_000, "y" * 2_000),
]


class TestNodeIds:
    @pytest.mark.parametrize(("namespace", "name"), ODD_NAMES)
    def test_of_any_name_are_read_back(self, api: Api, namespace: str, name: str) -> None:
        used = minimal.dataset(name, namespace, schema=schema(**{"a:b": "INT"}))
        event = run_event(job=name, inputs=[minimal.dataset("other", namespace)], outputs=[used])
        event["job"]["namespace"] = namespace
        api.store(event)
        here, there = ds(name, namespace), job(name, namespace)
        for node in (here, there, ds("other", namespace)):
            answer = lineage(api, node)
            assert answer["node"] == node
            assert {found["id"] for found in answer["graph"]} == {
                here,
                there,
                ds("other", namespace),
            }
        field = f"datasetField:{namespace}:{name}:a:b"
        columns = api.read("/column-lineage", nodeId=here)
        assert columns["nodes"] == [field]
        assert api.read("/column-lineage", nodeId=field)["nodes"] == [field]

    def test_a_dataset_and_a_job_of_one_name_are_two_nodes(self, api: Api) -> None:
        event = run_event(job="same", outputs=[minimal.dataset("same", JOBS)])
        api.store(event)
        answer = lineage(api, job("same"))
        assert [node["id"] for node in answer["graph"]] == [ds("same", JOBS), job("same")]
        assert [node["type"] for node in answer["graph"]] == ["DATASET", "JOB"]
        assert lineage(api, ds("same", JOBS))["node"] == ds("same", JOBS)

    @pytest.mark.parametrize("node", [ds("totals"), job("load"), column("totals.id")])
    def test_a_version_behind_an_id_is_passed_over(self, api: Api, node: str) -> None:
        written = {**dataset("totals"), "facets": {"schema": schema(id="INT")}}
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        for path in ("/lineage", "/column-lineage"):
            plain = api.read(path, nodeId=node)
            assert api.read(path, nodeId=f"{node}#{VERSION}") == plain

    def test_a_name_that_ends_like_a_version_is_found_by_its_own_id(self, api: Api) -> None:
        name = f"export#{VERSION}"
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [name]))
        (written,) = (
            node["id"] for node in lineage(api, job("load"))["graph"] if "export" in node["id"]
        )
        assert lineage(api, written)["node"] == written

    def test_of_two_readings_the_one_that_exists_is_meant(self, api: Api) -> None:
        api.store(run_event(outputs=[minimal.dataset("b:c", "a")]))
        assert lineage(api, "dataset:a:b:c")["graph"][0]["data"]["namespace"] == "a"

    def test_of_two_that_exist_the_one_with_the_longer_namespace(self, api: Api) -> None:
        api.store(
            run_event(job="one", outputs=[minimal.dataset("b:c", "a")]),
            run_event(job="two", outputs=[minimal.dataset("c", "a:b")]),
        )
        for _ in range(3):
            assert job("two") in {node["id"] for node in lineage(api, "dataset:a:b:c")["graph"]}

    def test_of_a_column_means_its_dataset(self, api: Api) -> None:
        api.store(*SHOP)
        answer = lineage(api, column("totals.anything"))
        assert answer == lineage(api, ds("totals"))


def maps(name: str, fields: Json, rows_by: list[Json] | None = None, /, **types: str) -> Json:
    """A dataset with types and a column map."""
    facets: Json = {"columnLineage": {"fields": fields}}
    if rows_by:
        facets["columnLineage"]["dataset"] = rows_by
    if types:
        facets["schema"] = schema(**types)
    return {**dataset(name), "facets": facets}


def source(name: str, *transformations: Json) -> Json:
    table, _, field = name.rpartition(".")
    return {
        "namespace": TABLES,
        "name": table,
        "field": field,
        "transformations": list(transformations),
    }


SUM: Json = {
    "type": "DIRECT",
    "subtype": "AGGREGATION",
    "description": "sum(price)",
    "masking": True,
}
FILTER: Json = {"type": "INDIRECT", "subtype": "FILTER", "description": "where", "masking": False}
PLAIN: Json = {"type": "DIRECT", "subtype": "IDENTITY"}


class TestColumns:
    TOTALS = maps(
        "totals",
        {
            "total": {"inputFields": [source("orders.price", SUM)]},
            "customer": {"inputFields": [source("orders.customer", PLAIN)]},
        },
        [source("orders.status", FILTER)],
        total="DECIMAL",
        customer="TEXT",
    )
    SUMMARY = maps("summary", {"value": {"inputFields": [source("totals.total", PLAIN)]}})
    EVENTS = [
        run("load", "COMPLETE", 0, 1, ["orders"], [TOTALS]),
        run("report", "COMPLETE", 1, 2, ["totals"], [SUMMARY]),
    ]
    UP = {"orders.price -> totals.total", "orders.status -> totals.total"}
    DOWN = {"totals.total -> summary.value"}

    def ask(self, api: Api, node: str, **parameters: Any) -> Any:
        return api.read("/column-lineage", nodeId=node, **parameters)

    def test_only_sources_are_shown_by_default(self, api: Api) -> None:
        api.store(*self.EVENTS)
        assert column_edges_of(self.ask(api, column("totals.total"))) == self.UP

    def test_several_nodes_are_requested_at_once(self, api: Api) -> None:
        api.store(*self.EVENTS)
        both = self.ask(api, ds("summary"), also=[ds("totals"), ds("summary")], depth=1)
        alone = [self.ask(api, ds(name), depth=1) for name in ("summary", "totals")]
        assert column_edges_of(both) == set().union(*map(column_edges_of, alone))
        assert len(column_edges_of(both)) == 5
        assert {*both["nodes"]} == {*alone[0]["nodes"], *alone[1]["nodes"]}

    def test_each_of_several_nodes_must_be_there(self, api: Api) -> None:
        api.store(*self.EVENTS)
        asked = {"nodeId": ds("totals"), "also": [ds("summary"), ds("sumary")]}
        assert refused(api.get("/column-lineage", **asked), 404)["near"] == [ds("summary")]
        many = {"nodeId": ds("totals"), "also": [ds("summary")] * 101}
        refused(api.get("/column-lineage", **many), 400, "also")

    def test_with_downstream_shows_what_is_made_of_it(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, column("totals.total"), withDownstream="true")
        assert column_edges_of(answer) == self.UP | self.DOWN

    @pytest.mark.parametrize("with_downstream", ["true", "false"])
    def test_a_direction_stands_above_with_downstream(self, api: Api, with_downstream: str) -> None:
        api.store(*self.EVENTS)
        for direction, expected in (
            ("upstream", self.UP),
            ("downstream", self.DOWN),
            ("both", self.UP | self.DOWN),
        ):
            answer = self.ask(
                api,
                column("totals.total"),
                direction=direction,
                withDownstream=with_downstream,
            )
            assert column_edges_of(answer) == expected

    def test_what_decides_over_rows_can_be_left_out(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, column("summary.value"), indirect="false")
        assert column_edges_of(answer) == {"orders.price -> totals.total"} | self.DOWN

    def test_nodes_have_marquez_s_shape(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, column("totals.total"))
        assert set(answer) >= {"graph", "nodes", "asOf", "isCut"}
        assert (answer["nodes"], answer["isCut"]) == ([column("totals.total")], False)
        ids = [node["id"] for node in answer["graph"]]
        assert ids == sorted(ids)
        node = node_of(answer, column("totals.total"))
        assert node["type"] == "DATASET_FIELD"
        data = node["data"]
        assert (data["namespace"], data["dataset"], data["field"]) == (TABLES, "totals", "total")
        assert data["fieldType"] == "DECIMAL"
        assert data["datasetVersion"] == api.dataset(TABLES, "totals")["currentVersion"]

    def test_the_origin_of_an_edge_is_the_node_itself_as_in_marquez(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, column("totals.total"), indirect="false")
        total, price = column("totals.total"), column("orders.price")
        assert node_of(answer, total)["inEdges"] == [{"origin": total, "destination": price}]
        assert node_of(answer, price)["outEdges"] == [{"origin": price, "destination": total}]
        assert node_of(answer, price)["inEdges"] == node_of(answer, total)["outEdges"] == []

    def test_transformations_are_kept(self, api: Api) -> None:
        api.store(*self.EVENTS)
        data = node_of(self.ask(api, column("totals.total")), column("totals.total"))["data"]
        price, status = sorted(data["inputFields"], key=lambda field: str(field["field"]))
        assert (price["namespace"], price["dataset"], price["field"]) == (TABLES, "orders", "price")
        assert price["transformations"] == [SUM]
        assert price["transformationDescription"] == "sum(price)"
        assert price["transformationType"] == "AGGREGATION"
        assert (price["isIndirect"], price["job"]) == (False, job("load"))
        assert (status["transformations"], status["isIndirect"]) == ([FILTER], True)
        assert "isAssumed" not in price
        assert "kind" not in price

    def test_of_a_dataset_all_columns_are_requested(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, ds("totals"))
        assert set(answer["nodes"]) == {column("totals.total"), column("totals.customer")}
        assert column_edges_of(answer) == {
            *self.UP,
            "orders.customer -> totals.customer",
            "orders.status -> totals.customer",
        }

    def test_of_a_job_all_columns_of_its_outputs_are_requested(self, api: Api) -> None:
        api.store(*self.EVENTS)
        answer = self.ask(api, job("report"))
        assert answer["nodes"] == [column("summary.value")]
        assert column_edges_of(answer) == self.UP | self.DOWN

    def test_columns_inside_of_columns_are_known_by_their_path(self, api: Api) -> None:
        nested = {"name": "address", "type": "STRUCT", "fields": [{"name": "city"}]}
        facets = {"schema": {"fields": [nested]}}
        api.store(run("load", "COMPLETE", 0, 1, [], [{**dataset("people"), "facets": facets}]))
        answer = self.ask(api, ds("people"))
        assert answer["nodes"] == [column("people.address"), "datasetField:db:people:address.city"]

    def test_where_no_map_is_stated_the_whole_dataset_is_assumed(self, api: Api) -> None:
        written = {**dataset("totals"), "facets": {"schema": schema(total="INT")}}
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        answer = self.ask(api, column("totals.total"))
        assert column_edges_of(answer) == {"orders -> totals.total"}
        (field,) = node_of(answer, column("totals.total"))["data"]["inputFields"]
        assert (field["dataset"], field["field"], field["isAssumed"]) == ("orders", "", True)
        assert (field["transformations"], field["isIndirect"]) == ([], False)
        whole = node_of(answer, ds("orders"))
        assert (whole["type"], whole["data"]["field"]) == ("DATASET", "")

    def test_depth_counts_jobs(self, api: Api) -> None:
        api.store(*self.EVENTS)
        nothing = self.ask(api, column("summary.value"), depth=0)
        assert (nodes_of(nothing), nothing["isCut"]) == ({"summary.value"}, True)
        assert node_of(nothing, column("summary.value"))["more"] == {"upstream": 1}
        one = self.ask(api, column("summary.value"), depth=1)
        assert column_edges_of(one) == self.DOWN
        assert node_of(one, column("totals.total"))["more"] == {"upstream": 2}
        assert not self.ask(api, column("summary.value"), depth=2)["isCut"]

    def test_what_does_not_fit_is_counted(self, api: Api) -> None:
        sources = [source(f"orders.c{number}") for number in range(20)]
        api.store(run("load", "COMPLETE", 0, 1, [], [maps("t", {"x": {"inputFields": sources}})]))
        answer = self.ask(api, column("t.x"), limit=5)
        assert answer["isCut"]
        more = node_of(answer, column("t.x"))["more"]["upstream"]
        assert 0 < len(answer["graph"]) <= 5
        assert more == 20 - (len(answer["graph"]) - 1)

    def test_maps_are_as_of_a_time(self, api: Api) -> None:
        for number, name in enumerate(("a", "b")):
            written = maps("t", {"x": {"inputFields": [source(f"orders.{name}")]}})
            api.store(run("load", "COMPLETE", 10 * number, number + 1, ["orders"], [written]))
        old = self.ask(api, column("t.x"), as_of=at(5))
        assert (column_edges_of(old), old["asOf"]) == ({"orders.a -> t.x"}, at(5))
        assert column_edges_of(self.ask(api, column("t.x"))) == {"orders.b -> t.x"}

    def test_columns_are_found_by_every_name_of_their_dataset(self, api: Api) -> None:
        written = maps("totals", {"x": {"inputFields": [source("orders.a")]}})
        links = [{"namespace": "hive", "name": "totals", "type": "TABLE"}]
        written["facets"]["symlinks"] = {"identifiers": links}
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        by_table = self.ask(api, "datasetField:hive:totals:x")
        assert by_table == self.ask(api, column("totals.x"))
        assert column_edges_of(by_table) == {"orders.a -> totals.x"}

    def test_a_column_made_of_itself_is_no_endless_walk(self, api: Api) -> None:
        api.store(
            run(
                "load",
                "COMPLETE",
                0,
                1,
                ["t"],
                [maps("t", {"x": {"inputFields": [source("t.x"), source("t.y")]}})],
            )
        )
        answer = self.ask(api, column("t.x"), depth=10**9, direction="both")
        assert column_edges_of(answer) == {"t.x -> t.x", "t.y -> t.x"}

    def test_a_misspelt_column_is_a_404_that_names_those_near(self, api: Api) -> None:
        api.store(*self.EVENTS)
        error = refused(api.get("/column-lineage", nodeId=column("totals.totl")), 404)
        assert error["near"] == [column("totals.total")]

    def test_a_misspelt_column_of_a_job_without_a_map_is_a_404_too(self, api: Api) -> None:
        written = {**dataset("totals"), "facets": {"schema": schema(total="INT")}}
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        error = refused(api.get("/column-lineage", nodeId=column("totals.totl")), 404)
        assert error["near"] == [column("totals.total")]

    def test_every_column_of_an_answer_can_be_requested(self, api: Api) -> None:
        """Also one that only a map names: its dataset has no schema, and nothing is before it."""
        api.store(*self.EVENTS)
        for node in self.ask(api, ds("summary"))["graph"]:
            assert self.ask(api, node["id"])["nodes"] == [node["id"]]

    def test_columns_with_odd_characters_can_be_requested(self, api: Api) -> None:
        """A schema and a map call a column alike, and an id in an answer can be asked for."""
        odd = "a\0b"
        written = maps("t", {odd: {"inputFields": [source(f"orders.{odd}")]}}, **{odd: "INT"})
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], [written]))
        answer = self.ask(api, ds("t"))
        assert len(answer["nodes"]) == 1
        assert len(answer["graph"]) == 2
        assert self.ask(api, answer["nodes"][0])["graph"] == answer["graph"]

    def test_before_the_first_event_there_is_nothing(self, api: Api) -> None:
        api.store(*self.EVENTS)
        for node in (ds("totals"), job("load"), column("totals.total")):
            answer = self.ask(api, node, as_of=LONG_AGO)
            assert (answer["graph"], answer["isCut"]) == ([], False), node


TIMES = {"/lineage/diff": {"from", "to"}, "/runlineage/upstream": set()}


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/lineage", {"nodeId", "depth", "direction", "limit", "fold"}),
        (
            "/column-lineage",
            {"nodeId", "depth", "withDownstream", "direction", "indirect", "limit"},
        ),
        ("/runlineage/upstream", {"runId", "depth", "limit"}),
        ("/lineage/diff", {"nodeId", "depth", "direction", "limit", "nodes"}),
        ("/lineage/path", {"from", "to", "limit", "depth"}),
        ("/lineage/export", {"nodeId", "format", "depth", "direction", "columns", "limit"}),
    ],
)
def test_the_api_document_knows_every_parameter(
    sqlite_api: Api, path: str, parameters: set[str]
) -> None:
    described = sqlite_api.client.get("/openapi.json").json()["paths"][f"/api/v1{path}"]
    assert "get" in described
    known = {parameter["name"] for parameter in described["get"]["parameters"]}
    assert known >= {*parameters, *TIMES.get(path, {"as_of"})}
    assert ("post" in described) is (path == "/lineage")


READS: list[tuple[str, dict[str, Any]]] = [
    ("/lineage", {"nodeId": ds("totals")}),
    ("/column-lineage", {"nodeId": ds("totals")}),
    ("/runlineage/upstream", {"runId": run_id(1)}),
    ("/lineage/diff", {"from": at(-1), "to": at(60)}),
    ("/lineage/path", {"from": ds("orders"), "to": ds("totals")}),
    ("/lineage/export", {"nodeId": ds("totals"), "format": "csv"}),
    ("/nodes", {"name": "totals"}),
    (f"/namespaces/{JOBS}/jobs/load", {}),
    (f"/namespaces/{TABLES}/datasets", {}),
]


class TestETag:
    @pytest.mark.parametrize(("path", "parameters"), READS)
    def test_who_has_an_answer_already_is_reported_so(
        self, api: Api, path: str, parameters: Any
    ) -> None:
        api.store(*SHOP)
        first = api.get(path, **parameters)
        assert first.status_code == 200
        tag = first.headers["etag"]
        assert tag.removeprefix("W/").startswith('"')
        assert tag.endswith('"')
        assert api.get(path, **parameters).headers["etag"] == tag
        for known in (tag, f'"other", {tag}', f"W/{tag.removeprefix('W/')}", "*"):
            answer = api.client.get(
                f"/api/v1{path}", params=parameters, headers={"If-None-Match": known}
            )
            assert (answer.status_code, answer.content) == (304, b""), known
            assert answer.headers["etag"] == tag
            assert "content-type" not in answer.headers

    @pytest.mark.parametrize(("path", "parameters"), READS)
    def test_who_has_another_answer_gets_this_one(
        self, api: Api, path: str, parameters: Any
    ) -> None:
        api.store(*SHOP)
        whole = api.get(path, **parameters)
        for known in ('"other"', "", "other", whole.headers["etag"].strip('"'), '"' * 9):
            answer = api.client.get(
                f"/api/v1{path}", params=parameters, headers={"If-None-Match": known}
            )
            assert (answer.status_code, answer.content) == (200, whole.content), known

    def test_another_event_changes_it(self, api: Api) -> None:
        api.store(*SHOP)
        parameters = {"nodeId": ds("totals")}
        tag = api.get("/lineage", **parameters).headers["etag"]
        api.store(run("more", "COMPLETE", 9, 9, ["totals"], []))
        answer = api.client.get(
            "/api/v1/lineage", params=parameters, headers={"If-None-Match": tag}
        )
        assert answer.status_code == 200
        assert answer.headers["etag"] != tag
        assert job("more") in {node["id"] for node in answer.json()["graph"]}

    def test_head_answers_as_get_does(self, api: Api) -> None:
        api.store(*SHOP)
        parameters = {"nodeId": ds("totals")}
        tag = api.get("/lineage", **parameters).headers["etag"]
        answer = api.client.head(
            "/api/v1/lineage", params=parameters, headers={"If-None-Match": tag}
        )
        assert (answer.status_code, answer.headers["etag"]) == (304, tag)

    def test_an_error_has_none(self, api: Api) -> None:
        answer = api.client.get(
            "/api/v1/lineage", params={"nodeId": ds("no")}, headers={"If-None-Match": "*"}
        )
        assert answer.status_code == 404
        assert "etag" not in answer.headers
