"""`/lineage/diff`: what came, went and changed between two times, and what brought it."""

import random
from typing import Any

import pytest

from testing.api import Api
from testing.events.history import (
    SNAPSHOTS,
    TABLES,
    dataset,
    declare,
    delete_dataset,
    delete_job,
    describe,
    run,
    run_id,
)
from testing.events.history import (
    edit as edit_event,
)
from testing.events.minimal import Json, schema
from tests.server.lineage import (
    at,
    ds,
    edges_of,
    edit,
    fill,
    job,
    nodes_of,
    refused,
    short,
)


def diff(api: Api, begin: float, end: float, **parameters: Any) -> Any:
    return api.read("/lineage/diff", **{"from": at(begin), "to": at(end)}, **parameters)


def reported(answer: Any, *kinds: str) -> set[str]:
    """Changes as `edge added orders -> load`; of all kinds, or of some."""
    return {
        f"{change['type']} {change['change']} {_subject(change)}{_values(change)}"
        for change in answer["changes"]
        if not kinds or change["type"] in kinds
    }


def _subject(change: Json) -> str:
    if "origin" in change:
        return f"{short(change['origin'])} -> {short(change['destination'])}"
    return short(change["subject"])


def _values(change: Json) -> str:
    if change["change"] != "changed" or change["type"] in ("sql", "code"):
        return ""
    return f" {change['before']} -> {change['after']}"


def causes(answer: Any, *kinds: str) -> set[str]:
    """What brought changes of some kinds: `run 2 of load at 10`."""
    return {_cause(change) for change in answer["changes"] if change["type"] in kinds}


def _cause(change: Json) -> str:
    cause = change["cause"]
    if cause is None:
        return "nobody"
    what = {
        "run": lambda: f"run {_number(cause['run'])} of {short(cause['job'])}",
        "edit": lambda: f"edit by {cause['actor']}",
        "declaration": lambda: f"declaration of {short(cause['job']) if cause['job'] else None}",
    }[cause["type"]]()
    return f"{what} at {_minute(change['at'])}"


def _number(run: str) -> int:
    return int(run.replace("-", ""), 16)


def _minute(text: str) -> int:
    return (int(text[11:13]) - 12) * 60 + int(text[14:16])


def typed(name: str, /, **types: str) -> Json:
    return {**dataset(name), "facets": {"schema": schema(**types)}}


def with_facet(event: Json, name: str, value: Json) -> Json:
    event["job"]["facets"][name] = value
    return event


class TestTheShape:
    def test_of_an_answer(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]))
        answer = diff(api, -1, 5)
        assert (answer["from"], answer["to"], answer["node"]) == (at(-1), at(5), None)
        assert answer["totalCount"] == len(answer["changes"]) == 6
        assert answer["counts"] == {
            "dataset added": 2,
            "edge added": 2,
            "job added": 1,
            "state added": 1,
        }
        assert answer["isCut"] is False

    def test_of_a_change(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], []))
        (edge,) = (change for change in diff(api, -1, 5)["changes"] if change["type"] == "edge")
        assert edge == {
            "type": "edge",
            "change": "added",
            "subject": f"{ds('orders')} -> {job('load')}",
            "origin": ds("orders"),
            "destination": job("load"),
            "before": None,
            "after": "observed",
            "at": at(0),
            "cause": {"type": "run", "run": run_id(1), "job": job("load")},
        }

    def test_changes_are_in_the_order_of_what_brought_them(self, api: Api) -> None:
        for number in (3, 1, 2):
            api.store(run(f"job{number}", "COMPLETE", number, number, [f"t{number}"]))
        times = [change["at"] for change in diff(api, 0, 9)["changes"]]
        assert times == sorted(times)
        assert set(times) == {at(1), at(2), at(3)}

    def test_more_than_requested_are_counted(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]))
        answer = diff(api, -1, 5, limit=2)
        assert (len(answer["changes"]), answer["totalCount"]) == (2, 6)
        assert sum(answer["counts"].values()) == 6

    def test_without_an_end_it_is_up_to_now(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]))
        answer = api.read("/lineage/diff", **{"from": at(-1)})
        assert answer["totalCount"] == 6
        assert answer["to"] > at(0)

    def test_nothing_happens_in_no_time(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]))
        for begin, end in ((0, 0), (-5, -1), (1, 9)):
            answer = diff(api, begin, end)
            assert (answer["changes"], answer["counts"]) == ([], {})


class TestNodesAndEdges:
    def test_a_first_run_brings_all_it_uses(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 5, 1, ["orders"], ["totals"]))
        answer = diff(api, 0, 10)
        assert reported(answer) == {
            "dataset added orders",
            "dataset added totals",
            "job added load",
            "edge added orders -> load",
            "edge added load -> totals",
            "state added load",
        }
        assert causes(answer, "dataset", "job", "edge", "state") == {"run 1 of load at 5"}

    def test_an_input_that_comes_and_one_that_goes(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, ["orders", "old"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["orders", "new"], ["totals"]),
        )
        answer = diff(api, 5, 15)
        assert reported(answer) == {
            "dataset added new",
            "edge added new -> load",
            "edge removed old -> load",
        }
        assert causes(answer, "dataset", "edge") == {"run 2 of load at 10"}

    def test_an_output_that_another_takes_the_place_of_is_past(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, ["orders"], ["old"]),
            run("load", "COMPLETE", 10, 2, ["orders"], ["new"]),
        )
        answer = diff(api, 5, 15)
        assert reported(answer) == {
            "dataset added new",
            "edge added load -> new",
            "edge changed load -> old observed -> past",
        }
        assert causes(answer, "dataset", "edge") == {"run 2 of load at 10"}

    def test_what_is_declared_has_no_run(self, api: Api) -> None:
        api.store(declare("plan", 5, ["orders"], ["forecast"]))
        answer = diff(api, 0, 10)
        assert reported(answer) == {
            "dataset added orders",
            "dataset added forecast",
            "job added plan",
            "edge added orders -> plan",
            "edge added plan -> forecast",
        }
        assert causes(answer, "dataset", "edge", "job") == {"declaration of plan at 5"}

    def test_what_is_only_described_is_a_dataset(self, api: Api) -> None:
        api.store(describe(5, "orders"))
        answer = diff(api, 0, 10)
        assert reported(answer) == {"dataset added orders"}
        assert causes(answer, "dataset") == {"declaration of None at 5"}

    def test_a_stream_that_names_less(self, api: Api) -> None:
        api.store(
            run("stream", "START", 0, 1, ["a", "b"], ["c"], job_type=SNAPSHOTS),
            run("stream", "RUNNING", 1, 1, ["a", "b"], ["c"], job_type=SNAPSHOTS),
            run("stream", "RUNNING", 10, 1, ["a"], ["c"], job_type=SNAPSHOTS),
        )
        answer = diff(api, 1, 15)
        assert reported(answer) == {"edge removed b -> stream"}

    def test_an_older_run_that_goes_on_is_what_brought_its_change(self, api: Api) -> None:
        api.store(
            run("load", "START", 0, 1, [], ["a"]),
            run("load", "START", 5, 2, [], ["a"]),
            run("load", "RUNNING", 10, 1, [], ["b"]),
        )
        answer = diff(api, 7, 15)
        assert reported(answer) == {"dataset added b", "edge added load -> b"}
        assert causes(answer, "dataset", "edge") == {"run 1 of load at 10"}

    def test_a_dataset_that_another_job_takes_over(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, [], ["a"]),
            run("load", "COMPLETE", 1, 2, [], ["b"]),
            run("other", "COMPLETE", 10, 3, [], ["a"]),
        )
        answer = diff(api, 5, 15)
        assert reported(answer, "edge") == {"edge removed load -> a", "edge added other -> a"}
        assert causes(answer, "edge") == {"run 3 of other at 10"}

    def test_what_was_declared_and_is_observed_came_with_the_run(self, api: Api) -> None:
        api.store(
            declare("load", 0, ["orders"], []), run("load", "COMPLETE", 10, 1, ["orders"], [])
        )
        answer = diff(api, 5, 15)
        assert reported(answer, "edge") == {"edge changed orders -> load declared -> observed"}
        assert causes(answer, "edge") == {"run 1 of load at 10"}

    def test_a_dataset_known_before_by_another_of_its_names_is_not_new(self, api: Api) -> None:
        """Which names are one is said of names, not of times."""
        api.store(
            describe(0, "mentioned"),
            run(
                "load", "COMPLETE", 10, 1, [], [dataset("used", symlinks=[("mentioned", "TABLE")])]
            ),
        )
        assert reported(diff(api, -5, 5)) == {"dataset added used"}
        assert reported(diff(api, 5, 15), "dataset") == set()

    def test_a_rename_is_an_edge_that_has_the_run_of_who_renamed(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, [], ["old"]),
            run("move", "COMPLETE", 10, 2, [], [dataset("new", renamed_from="old")]),
        )
        answer = diff(api, 5, 15)
        assert "edge added old -> new" in reported(answer)
        assert causes(answer, "edge", "dataset", "lifecycle") == {"run 2 of move at 10"}

    def test_a_parent_that_is_only_named_came_with_its_child(self, api: Api) -> None:
        api.store(run("app.load", "COMPLETE", 10, 1, [], ["a"], parent=9))
        answer = diff(api, 5, 15)
        assert {"job added app", "job added app.load"} <= reported(answer)
        assert causes(answer, "job") == {"run 1 of app.load at 10", "nobody"}


class TestFields:
    def test_added_removed_and_of_another_type(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, [], [typed("t", id="INT", gone="TEXT", same="DATE")]),
            run("load", "COMPLETE", 10, 2, [], [typed("t", id="BIGINT", new="TEXT", same="DATE")]),
        )
        answer = diff(api, 5, 15)
        assert reported(answer) == {
            "field added t.new",
            "field removed t.gone",
            "field changed t.id INT -> BIGINT",
        }
        assert causes(answer, "field") == {"run 2 of load at 10"}

    def test_of_a_new_dataset_are_added_with_it(self, api: Api) -> None:
        api.store(run("load", "COMPLETE", 10, 1, [], [typed("t", id="INT")]))
        answer = diff(api, 5, 15)
        assert {"field added t.id", "dataset added t"} <= reported(answer)
        assert causes(answer, "field", "dataset") == {"run 1 of load at 10"}

    def test_in_the_middle_of_a_run(self, api: Api) -> None:
        api.store(
            run("load", "START", 0, 1, [], [typed("t", id="INT")]),
            run("load", "RUNNING", 10, 1, [], [typed("t", id="BIGINT")]),
        )
        answer = diff(api, 5, 15)
        assert reported(answer) == {"field changed t.id INT -> BIGINT"}
        assert causes(answer, "field") == {"run 1 of load at 10"}

    def test_a_reader_that_sees_less_changes_nothing(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, [], [typed("t", id="INT", name="TEXT")]),
            run("report", "COMPLETE", 0, 2, [typed("t", id="INT", name="TEXT")], []),
            run("report", "COMPLETE", 10, 3, [typed("t", id="INT")], []),
        )
        assert reported(diff(api, 5, 15)) == set()

    def test_a_registry_s_word_has_no_run(self, api: Api) -> None:
        api.store(describe(0, typed("t", id="INT")), describe(10, typed("t", id="LONG")))
        answer = diff(api, 5, 15)
        assert reported(answer) == {"field changed t.id INT -> LONG"}
        assert causes(answer, "field") == {"declaration of None at 10"}

    def test_a_schema_that_came_back_came_with_the_run_that_brought_it_back(self, api: Api) -> None:
        for number, kind in enumerate(("INT", "TEXT", "INT")):
            minutes = 10 * number
            api.store(run("load", "COMPLETE", minutes, number + 1, [], [typed("t", id=kind)]))
        answer = diff(api, 15, 25)
        assert reported(answer) == {"field changed t.id TEXT -> INT"}
        assert causes(answer, "field") == {"run 3 of load at 20"}


class TestColumnEdges:
    def test_added_and_removed_with_the_run_that_stated_them(self, api: Api) -> None:
        for number, columns in enumerate(
            ({"x": ["orders.a", "orders.b"]}, {"x": ["orders.b", "?orders.c"]})
        ):
            written = dataset("totals", columns=columns)
            api.store(run("load", "COMPLETE", 10 * number, number + 1, ["orders"], [written]))
        answer = diff(api, 5, 15)
        assert reported(answer) == {
            "column added orders.c -> totals.x",
            "column removed orders.a -> totals.x",
        }
        assert causes(answer, "column") == {"run 2 of load at 10"}
        assert {change["job"] for change in answer["changes"]} == {job("load")}


class TestJobs:
    def test_a_state_that_changes(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, ["orders"], []),
            run("load", "START", 10, 2, ["orders"], []),
            run("load", "FAIL", 20, 2),
        )
        started = diff(api, 5, 15)
        assert reported(started) == {"state changed load COMPLETED -> RUNNING"}
        assert causes(started, "state") == {"run 2 of load at 10"}
        assert reported(diff(api, 5, 25)) == {"state changed load COMPLETED -> FAILED"}
        assert reported(diff(api, 15, 25)) == {"state changed load RUNNING -> FAILED"}

    def test_a_state_changed_when_it_did_not_when_the_run_began(self, api: Api) -> None:
        api.store(run("load", "START", 0, 1, ["orders"], []), run("load", "FAIL", 20, 1))
        assert causes(diff(api, 10, 30), "state") == {"run 1 of load at 20"}

    def test_sql_and_code_that_change(self, api: Api) -> None:
        for number, version in enumerate(("one", "two")):
            event = run("load", "COMPLETE", 10 * number, number + 1, ["orders"], [])
            with_facet(event, "sql", {"query": f"select {version}"})
            location = {"type": "git", "url": "https://example.org/x", "version": version}
            with_facet(event, "sourceCodeLocation", location)
            api.store(event)
        answer = diff(api, 5, 15)
        assert reported(answer) == {"sql changed load", "code changed load"}
        assert causes(answer, "sql", "code") == {"run 2 of load at 10"}
        for change in answer["changes"]:
            assert change["before"] != change["after"]

    def test_sql_that_is_not_stated_again_is_no_change(self, api: Api) -> None:
        """A run that says nothing of its SQL ran what the one before it did."""
        for number, query in enumerate(("select 1", None, "select 1")):
            event = run("load", "COMPLETE", 10 * number, number + 1, ["orders"], [])
            api.store(with_facet(event, "sql", {"query": query}) if query else event)
        assert reported(diff(api, 5, 15)) == set()
        assert reported(diff(api, 5, 25)) == set()
        assert reported(diff(api, 15, 25)) == set()


class TestLifecycle:
    def test_a_drop_is_reported_with_the_run_that_dropped(self, api: Api) -> None:
        api.store(
            run("load", "COMPLETE", 0, 1, [], ["t"]),
            run("clean", "COMPLETE", 10, 2, [], [dataset("t", lifecycle="DROP")]),
        )
        answer = diff(api, 5, 15)
        assert "lifecycle added t" in reported(answer)
        assert causes(answer, "lifecycle") == {"run 2 of clean at 10"}

    def test_by_another_than_the_many_that_write_it(self, api: Api) -> None:
        for number in range(8):
            for minutes in (0, 20):
                event = run(f"w{number}", "COMPLETE", minutes, 10 + minutes + number, [], ["t"])
                api.store(event)
        api.store(run("clean", "COMPLETE", 10, 2, [], [dataset("t", lifecycle="DROP")]))
        assert causes(diff(api, 5, 25), "lifecycle") == {"run 2 of clean at 10"}

    def test_one_mark_after_another_is_a_change(self, api: Api) -> None:
        for minutes, change in ((0, "CREATE"), (10, "TRUNCATE")):
            written = dataset("t", lifecycle=change)
            api.store(run("load", "COMPLETE", minutes, 1 + minutes, [], [written]))
        assert reported(diff(api, 5, 15)) == {"lifecycle changed t CREATE -> TRUNCATE"}

    def test_the_same_mark_again_is_reported_too(self, api: Api) -> None:
        for minutes in (0, 10):
            written = dataset("t", lifecycle="TRUNCATE")
            api.store(run("load", "COMPLETE", minutes, 1 + minutes, [], [written]))
        assert reported(diff(api, 5, 15)) == {"lifecycle changed t TRUNCATE -> TRUNCATE"}


class TestEdits:
    HISTORY = [run("load", "COMPLETE", 0, 1, ["orders"], ["totals"])]
    RESTORE = edit_event(
        20,
        {"type": "dataset", "namespace": TABLES, "name": "totals"},
        set={"deleted": False},
    )

    def test_a_dataset_that_a_person_deleted(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, delete_dataset(10, "totals"))
        for parameters in ({}, {"nodeId": ds("orders")}, {"nodeId": job("load")}):
            answer = diff(api, 5, 15, **parameters)
            assert reported(answer) == {"dataset removed totals", "edge removed load -> totals"}
            assert causes(answer, "dataset") == {"edit by ada at 10"}

    def test_edges_of_what_was_deleted_went_for_that_reason(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, delete_dataset(10, "totals"))
        assert causes(diff(api, 5, 15), "edge") == {"edit by ada at 10"}

    def test_a_deleted_dataset_can_be_requested_itself(self, api: Api) -> None:
        """It was there when the time asked for began."""
        api.store(*self.HISTORY)
        edit(api, delete_dataset(10, "totals"))
        answer = diff(api, 5, 15, nodeId=ds("totals"))
        assert "dataset removed totals" in reported(answer)

    def test_a_job_that_a_person_deleted(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, delete_job(10, "load"))
        answer = diff(api, 5, 15)
        assert reported(answer, "job", "edge") == {
            "job removed load",
            "edge removed orders -> load",
            "edge removed load -> totals",
        }
        assert causes(answer, "job") == {"edit by ada at 10"}

    def test_what_a_person_restored(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, delete_dataset(10, "totals"), self.RESTORE)
        answer = diff(api, 15, 25)
        assert reported(answer) == {"dataset added totals", "edge added load -> totals"}
        assert causes(answer, "dataset") == {"edit by ada at 20"}

    def test_what_was_deleted_and_is_seen_again_came_with_that_run(self, api: Api) -> None:
        api.store(*self.HISTORY)
        edit(api, delete_dataset(10, "totals"))
        api.store(run("other", "COMPLETE", 20, 2, ["totals"], []))
        answer = diff(api, 15, 25)
        assert "dataset added totals" in reported(answer)
        assert causes(answer, "dataset") == {"run 2 of other at 20"}

    def test_the_actor_is_the_one_of_that_edit(self, api: Api) -> None:
        """Two people may do something at the same time."""
        api.store(*self.HISTORY)
        tag = edit_event(
            10, {"type": "dataset", "namespace": TABLES, "name": "orders"}, set={"tags": ["x"]}
        )
        tag["edit"]["actor"] = "bob"
        edit(api, delete_dataset(10, "totals"), tag)
        assert causes(diff(api, 5, 15), "dataset") == {"edit by ada at 10"}
        api.empty()
        api.store(*self.HISTORY)
        edit(api, {**tag, "eventTime": at(10)}, delete_dataset(10, "totals"))
        assert causes(diff(api, 5, 15), "dataset") == {"edit by ada at 10"}


class TestAroundANode:
    HISTORY = [
        run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
        run("report", "COMPLETE", 10, 2, ["totals"], ["summary"]),
        run("apart", "COMPLETE", 10, 3, ["a"], ["b"]),
    ]

    def test_only_what_hangs_together_with_it_is_reported(self, api: Api) -> None:
        api.store(*self.HISTORY)
        answer = diff(api, 5, 15, nodeId=ds("orders"))
        assert answer["node"] == ds("orders")
        assert reported(answer) == {
            "dataset added summary",
            "job added report",
            "edge added totals -> report",
            "edge added report -> summary",
            "state added report",
        }
        assert len(reported(diff(api, 5, 15))) > len(reported(answer))

    @pytest.mark.parametrize("direction", ["downstream", "both", "connected"])
    def test_each_way_knows_what_brought_it(self, api: Api, direction: str) -> None:
        api.store(*self.HISTORY)
        answer = diff(api, 5, 15, nodeId=ds("orders"), direction=direction)
        kinds = ("dataset", "job", "edge", "state")
        assert causes(answer, *kinds) == {"run 2 of report at 10"}

    def test_upstream_is_not_downstream(self, api: Api) -> None:
        api.store(*self.HISTORY)
        assert reported(diff(api, 5, 15, nodeId=ds("orders"), direction="upstream")) == set()

    def test_depth_is_how_far_it_is_looked(self, api: Api) -> None:
        api.store(*self.HISTORY)
        answer = diff(api, 5, 15, nodeId=ds("orders"), depth=1)
        assert reported(answer) == set()
        assert answer["isCut"]

    def test_more_nodes_than_are_looked_at_make_it_cut(self, api: Api) -> None:
        fill(api, [(f"r{number}", ["hub"], [f"o{number}"]) for number in range(30)])
        assert diff(api, -5, 5, nodes=10, nodeId=ds("hub"))["isCut"]
        assert not diff(api, -5, 5, nodes=1_000, nodeId=ds("hub"))["isCut"]

    def test_more_jobs_than_are_compared_make_it_cut(self, api: Api) -> None:
        api.store(*(run(f"r{n}", "COMPLETE", n, n, ["hub"], [f"o{n}"]) for n in range(1, 31)))
        cut = diff(api, -5, 35, nodes=10)
        assert cut["isCut"] and cut["next"]
        following = diff(api, -5, 35, after=cut["next"], limit=1_000)
        assert not following["isCut"] and following["next"] is None
        whole = diff(api, -5, 35, limit=1_000)
        assert reported(cut) | reported(following) == reported(whole)

    def test_the_newest_come_first_if_asked(self, api: Api) -> None:
        api.store(*self.HISTORY)
        times = [each["at"] for each in diff(api, 5, 15, order="newest")["changes"] if each["at"]]
        assert times and times == sorted(times, reverse=True)

    def test_types_are_left_out_if_asked(self, api: Api) -> None:
        api.store(*self.HISTORY)
        for parameters in ({}, {"nodeId": ds("orders")}):
            kinds = {each["type"] for each in diff(api, 5, 15, **parameters)["changes"]}
            left = diff(api, 5, 15, without=" edge, STATE", **parameters)["changes"]
            assert {each["type"] for each in left} == kinds - {"edge", "state"}
        assert refused(api.get("/lineage/diff", **{"from": at(0), "after": "x"}), 400)

    def test_a_node_nobody_knows_is_a_404(self, api: Api) -> None:
        api.store(*self.HISTORY)
        answer = api.get("/lineage/diff", **{"from": at(0), "nodeId": ds("total")})
        assert refused(answer, 404)["near"] == [ds("totals")]


State = tuple[set[str], set[str]]

DATASETS = [f"d{number}" for number in range(5)]
JOBS_OF = [f"j{number}" for number in range(4)]


def random_history(chance: random.Random) -> list[Json]:
    """Runs one after another or at once, declarations, renames, deletions, other names."""
    reported: list[Json] = []
    numbers = {name: 10 * (index + 1) for index, name in enumerate(JOBS_OF)}
    for minutes in range(chance.randint(4, 14)):
        name = chance.choice(JOBS_OF)
        used = [chance.sample(DATASETS, chance.randint(0, 2)) for _ in range(2)]
        roll = chance.random()
        if roll < 0.70:
            numbers[name] += chance.random() < 0.6
            kind = chance.choice(["START", "RUNNING", "COMPLETE", "COMPLETE", "FAIL"])
            options: Json = {}
            if chance.random() < 0.2:
                options["parent"] = 900 + chance.randint(0, 1)
            if name == "j0":
                options["job_type"] = SNAPSHOTS
            outputs: list[str | Json] = list(used[1])
            if outputs and chance.random() < 0.2:
                outputs[0] = dataset(used[1][0], symlinks=[(chance.choice(DATASETS), "TABLE")])
            elif outputs and chance.random() < 0.2:
                outputs[0] = dataset(used[1][0], renamed_from=chance.choice(DATASETS))
            elif outputs and chance.random() < 0.5:
                outputs[0] = dataset(
                    used[1][0],
                    schema=chance.sample("abc", 2),
                    columns={"a": [f"{chance.choice(DATASETS)}.b"]},
                )
            number = numbers[name]
            reported.append(run(name, kind, minutes, number, used[0], outputs, **options))
        elif roll < 0.85:
            reported.append(declare(name, minutes, used[0], used[1]))
        elif roll < 0.90:
            reported.append(describe(minutes, chance.choice(DATASETS)))
        elif roll < 0.97 and reported:
            reported.append(delete_dataset(minutes, chance.choice(DATASETS)))
        elif any(event.get("job", {}).get("name") == name for event in reported):
            reported.append(delete_job(minutes, name))
    return reported


def everything(api: Api, as_of: float) -> State:
    """All nodes and edges as of a time, from wherever they are to be found."""
    nodes: set[str] = set()
    edges: set[str] = set()
    for id in (*map(ds, DATASETS), *map(job, JOBS_OF), job("app")):
        if short(id) not in nodes:
            found = around(api, id, as_of)
            nodes |= found[0]
            edges |= found[1]
    return nodes, edges


def around(api: Api, id: str, as_of: float) -> State:
    answer = api.get("/lineage", nodeId=id, as_of=at(as_of), depth=1_000, limit=50_000)
    if answer.status_code == 404:
        return set(), set()
    assert answer.status_code == 200, answer.text
    graph = answer.json()
    assert not graph["isCut"]
    return nodes_of(graph), edges_of(graph)


def apply(answer: Any, before: State) -> State:
    nodes, edges = set(before[0]), set(before[1])
    assert not answer["isCut"]
    assert answer["totalCount"] == len(answer["changes"])
    for change in answer["changes"]:
        if change["type"] in ("dataset", "job"):
            _apply(nodes, change, short(change["subject"]), "")
        elif change["type"] == "edge":
            _apply(edges, change, f"{short(change['origin'])} -> {short(change['destination'])}")
    return nodes, edges


def _apply(things: set[str], change: Json, name: str, observed: str = "observed") -> None:
    def thing(kind: str) -> str:
        return name if kind in (observed, "there") else f"{name} ({kind})"

    if change["before"] is not None:
        things.remove(thing(change["before"]))
    if change["after"] is not None:
        assert thing(change["after"]) not in things
        things.add(thing(change["after"]))


@pytest.mark.parametrize("part", range(3))
@pytest.mark.slow
class TestProperties:
    """Of random histories; each part has its own."""

    def histories(self, api: Api, part: int) -> Any:
        chance = random.Random(part)
        for _ in range(12):
            history = random_history(chance)
            api.empty()
            edits = [event for event in history if "edit" in event]
            api.store([event for event in history if "edit" not in event])
            if edits:
                edit(api, *edits)
            begin = chance.uniform(-1, len(history))
            end = chance.uniform(begin, len(history) + 1)
            yield history, begin, end

    def test_changes_make_the_new_graph_of_the_old_one(self, api: Api, part: int) -> None:
        for history, begin, end in self.histories(api, part):
            before, after = everything(api, begin), everything(api, end)
            answer = diff(api, begin, end, limit=100_000)
            assert apply(answer, before) == after, (history, begin, end)

    def test_changes_around_a_node_make_its_new_graph_of_its_old_one(
        self, api: Api, part: int
    ) -> None:
        for history, begin, end in self.histories(api, part):
            for id in (ds("d0"), job("j1")):
                before, after = around(api, id, begin), around(api, id, end)
                parameters = {"from": at(begin), "to": at(end), "nodeId": id, "depth": 1_000}
                answer = api.get("/lineage/diff", **parameters, limit=100_000)
                if answer.status_code == 404:
                    assert after == (set(), set()), (history, begin, end)
                else:
                    assert apply(answer.json(), before) == after, (history, begin, end, id)

    def test_a_change_is_dated_within_the_time_requested(self, api: Api, part: int) -> None:
        for history, begin, end in self.histories(api, part):
            for change in diff(api, begin, end, limit=100_000)["changes"]:
                dated = change["at"]
                assert dated is None or at(begin) < dated <= at(end), (change, history, begin, end)

    def test_the_run_named_as_cause_stated_something_then(self, api: Api, part: int) -> None:
        for history, begin, end in self.histories(api, part):
            spoke = {
                (event["run"]["runId"], f"job:{event['job']['namespace']}:{event['job']['name']}")
                for event in history
                if "run" in event and at(begin) < event["eventTime"] <= at(end)
            }
            for change in diff(api, begin, end, limit=100_000)["changes"]:
                cause = change["cause"]
                if cause is not None and cause["type"] == "run":
                    assert (cause["run"], cause["job"]) in spoke, (change, history, begin, end)
