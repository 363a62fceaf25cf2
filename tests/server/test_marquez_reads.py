"""Reading all of Marquez's API: its nouns, their versions, pages, and answers to bad input."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from headwater.model.values import instant
from headwater.store import tables
from headwater.store.read.events import EventFilter
from testing.api import Api, error_of, escape
from testing.events.minimal import JOBS, OLDER_RUN, RUN, TABLES, Json, dataset, run_event, schema
from tests.server.lineage import edit

START, END, LATER = "2024-05-01T10:00:00Z", "2024-05-01T10:10:00Z", "2024-05-02T10:00:00Z"
NAMESPACE_PATH = f"/namespaces/{JOBS}"
TABLES_PATH = f"/namespaces/{escape(TABLES)}"


def said(entity: Json, at: str = LATER, unset: tuple[str, ...] = (), /, **aspects: Any) -> Json:
    """What a person says of something."""
    return {
        "eventTime": at,
        "edit": {"actor": "ann", "entity": entity, "set": aspects, "unset": list(unset)},
    }


def namespace(name: str) -> Json:
    return {"type": "namespace", "name": name}


def table(name: str, field: str = "") -> Json:
    return {"type": "dataset", "namespace": TABLES, "name": name} | (
        {"field": field} if field else {}
    )


def run_id(number: int) -> str:
    return f"01890000-0000-7000-8000-{number:012}"


def names_in(answer: Json, key: str) -> list[str]:
    return [one["name"] for one in answer[key]]


class TestNamespaces:
    def test_one_that_a_person_made(self, api: Api) -> None:
        owners = {"owners": [{"name": "sales", "type": "OWNER"}]}
        edit(
            api,
            said(
                namespace("shop"),
                START,
                ownership=owners,
                documentation={"description": "all that is sold"},
            ),
        )
        expected = {
            "name": "shop",
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:00:00.000000Z",
            "ownerName": "sales",
            "description": "all that is sold",
            "isHidden": False,
        }
        assert api.read("/namespaces/shop") == expected
        assert api.read("/namespaces") == {"namespaces": [expected], "totalCount": 1}
        assert api.read("/namespaces/shop/jobs") == {"jobs": [], "totalCount": 0}
        assert api.read("/namespaces/shop/datasets") == {"datasets": [], "totalCount": 0}

    def test_a_word_on_one_that_events_made(self, api: Api) -> None:
        api.store(run_event("START", START))
        edit(api, said(namespace(JOBS), END, documentation={"description": "nightly"}))
        found = api.read(NAMESPACE_PATH)
        assert (found["description"], found["ownerName"]) == ("nightly", "anonymous")
        assert found["createdAt"] == "2024-05-01T10:00:00.000000Z"
        assert found["updatedAt"] == "2024-05-01T10:10:00.000000Z"

    def test_a_deleted_one_is_hidden_until_it_is_seen(self, api: Api) -> None:
        api.store(run_event("START", START), run_event("START", START, job="x", run=OLDER_RUN))
        deletion = said(namespace(JOBS), END, deleted=True)
        deletion["edit"]["within"] = {"datasets": [], "jobs": ["load", "x"]}
        edit(api, deletion)
        assert api.read(NAMESPACE_PATH)["isHidden"] is True
        assert api.read("/namespaces") == {"namespaces": [], "totalCount": 0}
        shown = api.read("/namespaces", withHidden=True)
        assert (shown["totalCount"], names_in(shown, "namespaces")) == (1, [JOBS])
        api.store(run_event("COMPLETE", LATER))
        assert api.read(NAMESPACE_PATH)["isHidden"] is False
        assert names_in(api.read("/namespaces"), "namespaces") == [JOBS]

    def test_one_that_shows_a_dataset_is_not_hidden(self, api: Api) -> None:
        api.store(run_event("START", START, outputs=[dataset("t")]))
        edit(api, said(namespace(TABLES), END, deleted=True))
        assert api.read(TABLES_PATH)["isHidden"] is False

    def test_a_restored_one_is_shown(self, api: Api) -> None:
        edit(api, said(namespace("shop"), START, deleted=True))
        edit(api, said(namespace("shop"), END, deleted=False))
        assert names_in(api.read("/namespaces"), "namespaces") == ["shop"]

    def test_odd_words_are_no_words(self, api: Api) -> None:
        owners: list[Any] = [{"owners": []}, {"owners": [7]}, {"owners": {}}, {"owners": [{}]}]
        for number, odd in enumerate(owners):
            edit(
                api, said(namespace(f"n{number}"), ownership=odd, documentation={"description": 7})
            )
        found = api.read("/namespaces")["namespaces"]
        assert {(one["ownerName"], one["description"]) for one in found} == {("anonymous", None)}

    def test_pages_with_deleted_ones_between(self, api: Api) -> None:
        for number in range(6):
            edit(api, said(namespace(f"n{number}"), START, documentation={"description": "x"}))
        edit(api, said(namespace("n1"), END, deleted=True))
        found = api.read("/namespaces", limit=2, offset=1)
        assert (names_in(found, "namespaces"), found["totalCount"]) == (["n2", "n3"], 5)


class TestDatasets:
    def test_words_of_persons(self, api: Api) -> None:
        api.store(
            run_event(
                outputs=[dataset("t", schema=schema(id="INT"), tags={"tags": [{"key": "a"}]})]
            )
        )
        edit(
            api,
            said(
                table("t"),
                documentation={"description": "mine"},
                **{"tag/b": True, "tag/a": False},
                physicalName={"name": "public.t"},
                dataSource={"name": "shop-db"},
            ),
            said(table("t", "id"), documentation={"description": "a number"}, **{"tag/PII": True}),
        )
        found = api.dataset(TABLES, "t")
        assert found["description"] == "mine"
        assert found["tags"] == ["b"]
        assert found["physicalName"] == "public.t"
        assert found["sourceName"] == "shop-db"
        assert found["fields"] == [
            {"name": "id", "type": "INT", "tags": ["PII"], "description": "a number"}
        ]

    def test_other_names_lead_to_the_one_that_events_use(self, api: Api) -> None:
        names = [{"namespace": "hive://h", "name": name, "type": "TABLE"} for name in ("b", "a")]
        api.store(run_event("COMPLETE", outputs=[dataset("t", symlinks={"identifiers": names})]))
        own, *others = ({"namespace": TABLES, "name": "t"}, *({**name} for name in names[::-1]))
        for other in others:
            del other["type"]
        found = api.dataset(TABLES, "t")
        assert (found.get("shownAs"), found["aliases"]) == (None, others)
        found = api.dataset("hive://h", "a")
        assert (found["shownAs"], found["aliases"]) == (own, [others[1], own])
        api.store(run_event("COMPLETE", outputs=[dataset("alone")]))
        assert not {"shownAs", "aliases"} & set(api.dataset(TABLES, "alone"))

    def test_one_that_only_a_person_made(self, api: Api) -> None:
        edit(api, said(table("t"), START, schema=schema(id="INT")))
        found = api.dataset(TABLES, "t")
        assert [field["name"] for field in found["fields"]] == ["id"]
        assert found["createdAt"] == "2024-05-01T10:00:00.000000Z"
        assert names_in(api.read(f"{TABLES_PATH}/datasets"), "datasets") == ["t"]

    def test_fields_inside_fields(self, api: Api) -> None:
        inner = {"fields": [{"name": "a", "fields": [{"name": "b", "type": "INT"}]}]}
        tags = {"tags": [{"key": "deep", "field": "a.b"}]}
        api.store(run_event(outputs=[dataset("t", schema=inner, tags=tags)]))
        (field,) = api.dataset(TABLES, "t")["fields"]
        assert field["fields"] == [
            {"name": "b", "type": "INT", "tags": ["deep"], "description": None}
        ]

    def test_column_lineage(self, api: Api) -> None:
        source = {
            "namespace": TABLES,
            "name": "orders",
            "field": "paid",
            "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION", "description": "sum"}],
        }
        columns = {"fields": {"amount": {"inputFields": [source]}, "day": {}}}
        api.store(run_event(outputs=[dataset("t", columnLineage=columns)]))
        found = api.dataset(TABLES, "t")
        assert found["columnLineage"] == [
            {
                "name": "amount",
                "inputFields": [
                    {
                        "namespace": TABLES,
                        "dataset": "orders",
                        "field": "paid",
                        "transformationDescription": "sum",
                        "transformationType": "AGGREGATION",
                    }
                ],
                "transformationDescription": "sum",
                "transformationType": "AGGREGATION",
            },
            {
                "name": "day",
                "inputFields": [],
                "transformationDescription": None,
                "transformationType": None,
            },
        ]
        assert found["facets"]["columnLineage"] == columns

    def test_what_is_shown_follows_what_is_stated(self, api: Api) -> None:
        """Answers are remembered by all that goes into them."""
        api.store(run_event("START", START, outputs=[dataset("t", schema=schema(a="INT"))]))
        first = api.dataset(TABLES, "t")
        assert api.dataset(TABLES, "t") == first
        api.store(
            run_event("RUNNING", START, outputs=[dataset("t", custom={"x": 1})]),
            run_event("COMPLETE", END, outputs=[dataset("t", schema=schema(b="INT"))]),
        )
        second = api.dataset(TABLES, "t")
        assert second["facets"]["custom"] == {"x": 1}
        assert [field["name"] for field in second["fields"]] == ["b"]
        assert second["currentVersion"] != first["currentVersion"]
        edit(api, said(table("t"), **{"tag/x": True}))
        assert api.dataset(TABLES, "t")["tags"] == ["x"]
        edit(api, said(table("t"), "2024-05-03T10:00:00Z", ("tag/x",)))
        assert api.dataset(TABLES, "t")["tags"] == []

    def test_a_stream_tells_where_its_schema_is(self, api: Api) -> None:
        topic = {"type": "dataset", "namespace": "kafka://b", "name": "t"}
        api.store(run_event(outputs=[dataset("t", "kafka://b")]))
        assert api.dataset("kafka://b", "t")["schemaLocation"] is None
        edit(api, said(topic, schemaLocation={"url": "http://registry/1"}))
        assert api.dataset("kafka://b", "t")["schemaLocation"] == "http://registry/1"


class TestDatasetVersions:
    PATH = f"{TABLES_PATH}/datasets/t/versions"

    @pytest.fixture
    def changed(self, api: Api) -> Api:
        """A table that was altered, and read by one that saw a part of it."""
        created = {"lifecycleStateChange": "CREATE"}
        altered = {"lifecycleStateChange": "ALTER"}
        first = dataset("t", schema=schema(a="INT"), lifecycleStateChange=created)
        second = dataset("t", schema=schema(a="INT", b="INT"), lifecycleStateChange=altered)
        part = dataset("t", schema=schema(b="INT"))
        api.store(
            run_event("COMPLETE", START, run_id(1), outputs=[first]),
            run_event("COMPLETE", END, run_id(2), outputs=[second]),
            run_event("COMPLETE", LATER, run_id(3), job="read", inputs=[part]),
        )
        return api

    def test_newest_first(self, changed: Api) -> None:
        found = changed.read(self.PATH)
        assert found["totalCount"] == 2
        newest, oldest = found["versions"]
        assert [field["name"] for field in newest["fields"]] == ["a", "b"]
        assert [field["name"] for field in oldest["fields"]] == ["a"]
        assert newest["version"] == changed.dataset(TABLES, "t")["currentVersion"]
        assert [one["lifecycleState"] for one in (newest, oldest)] == ["ALTER", "CREATE"]
        assert [one["createdAt"] for one in (newest, oldest)] == [
            "2024-05-01T10:10:00.000000Z",
            "2024-05-01T10:00:00.000000Z",
        ]
        assert [one["createdByRun"]["id"] for one in (newest, oldest)] == [run_id(2), run_id(1)]
        assert set(oldest["facets"]) == {"schema"}
        assert set(newest["facets"]) == {"schema", "lifecycleStateChange"}

    def test_the_shape(self, changed: Api) -> None:
        one = changed.read(self.PATH)["versions"][1]
        run = one.pop("createdByRun")
        (written,) = run["outputDatasetVersions"]
        assert written["datasetVersionId"] == one["id"]
        assert run["job"] == {"namespace": JOBS, "name": "load"}
        version = one.pop("version")
        assert one.pop("id") == {"namespace": TABLES, "name": "t", "version": version}
        assert len(one.pop("currentSchemaVersion")) == 36
        assert one == {
            "type": "DB_TABLE",
            "name": "t",
            "physicalName": "t",
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "namespace": TABLES,
            "sourceName": TABLES,
            "fields": [{"name": "a", "type": "INT", "tags": [], "description": None}],
            "tags": [],
            "lifecycleState": "CREATE",
            "description": None,
            "facets": {"schema": schema(a="INT")},
        }

    def test_every_version_can_be_got(self, changed: Api) -> None:
        for one in changed.read(self.PATH)["versions"]:
            assert changed.read(f"{self.PATH}/{one['version']}") == one
            assert changed.read(f"{self.PATH}/{one['version'].upper()}") == one

    def test_the_version_that_a_reader_saw_can_be_got(self, changed: Api) -> None:
        (read,) = changed.run(run_id(3))["inputDatasetVersions"]
        one = changed.read(f"{self.PATH}/{read['datasetVersionId']['version']}")
        assert [field["name"] for field in one["fields"]] == ["b"]

    def test_pages(self, changed: Api) -> None:
        whole = changed.read(self.PATH)["versions"]
        pages = [changed.read(self.PATH, limit=1, offset=place) for place in range(3)]
        assert [page["versions"] for page in pages] == [whole[:1], whole[1:], []]
        assert {page["totalCount"] for page in pages} == {2}

    def test_a_dataset_without_a_schema_has_one_version(self, api: Api) -> None:
        api.store(run_event(outputs=[dataset("t")]))
        found = api.read(self.PATH)
        assert found["totalCount"] == 1
        (one,) = found["versions"]
        assert one["fields"] == []
        assert one["version"] == api.dataset(TABLES, "t")["currentVersion"]
        assert api.read(f"{self.PATH}/{one['version']}") == one

    def test_a_design_is_a_version_without_a_run(self, api: Api) -> None:
        edit(api, said(table("t"), schema=schema(id="INT")))
        (one,) = api.read(self.PATH)["versions"]
        assert one["createdByRun"] is None

    def test_what_is_not_there_is_a_404(self, changed: Api) -> None:
        error_of(changed.get(f"{self.PATH}/none"), 404)
        error_of(changed.get(f"{self.PATH}/{RUN}"), 404)
        error_of(changed.get(f"{self.PATH}/%00"), 404)
        error_of(changed.get(f"{TABLES_PATH}/datasets/none/versions"), 404)
        error_of(changed.get(f"{TABLES_PATH}/datasets/none/versions/{RUN}"), 404)


class TestJobs:
    @pytest.fixture
    def three(self, api: Api) -> Api:
        """Three jobs of two namespaces, in three states; `b` was heard of last."""
        other = {"namespace": "other", "name": "a"}
        api.store(
            run_event("START", START, run_id(1), job="c"),
            run_event("FAIL", END, run_id(2)) | {"job": other},
            run_event("COMPLETE", LATER, run_id(3), job="b"),
        )
        return api

    def test_all_namespaces_the_latest_updated_first(self, three: Api) -> None:
        found = three.read("/jobs")
        assert (found["totalCount"], names_in(found, "jobs")) == (3, ["b", "a", "c"])
        assert names_in(three.read("/jobs", sort="name"), "jobs") == ["a", "b", "c"]
        page = three.read("/jobs", limit=1, offset=1)
        assert (page["totalCount"], names_in(page, "jobs")) == (3, ["a"])
        assert found["jobs"][0] == three.job(JOBS, "b")

    def test_a_namespace_by_name(self, three: Api) -> None:
        path = f"{NAMESPACE_PATH}/jobs"
        assert names_in(three.read(path), "jobs") == ["b", "c"]
        assert names_in(three.read(path, sort="updated_at"), "jobs") == ["b", "c"]
        three.store(run_event("COMPLETE", "2024-05-03T10:00:00Z", run_id(1), job="c"))
        assert names_in(three.read(path, sort="updated_at"), "jobs") == ["c", "b"]

    @pytest.mark.parametrize(
        ("states", "names"),
        [
            ("FAILED", ["a"]),
            ("running", ["c"]),
            ("COMPLETED,RUNNING", ["b", "c"]),
            (["COMPLETED", "FAILED"], ["b", "a"]),
            ("ABORTED", []),
            ("", ["b", "a", "c"]),
        ],
    )
    def test_by_the_state_of_the_newest_run(
        self, three: Api, states: str | list[str], names: list[str]
    ) -> None:
        found = three.read("/jobs", lastRunStates=states)
        assert (names_in(found, "jobs"), found["totalCount"]) == (names, len(names))

    def test_states_are_those_that_are_shown(self, api: Api) -> None:
        """The filter judges in the database, what is shown is judged in Python."""
        for number, types in enumerate(
            (
                ["OTHER"],
                ["RUNNING"],
                ["START", "ABORT"],
                ["COMPLETE", "START"],
                ["FAIL", "COMPLETE"],
            )
        ):
            api.store(
                *(
                    run_event(
                        kind, f"2024-05-01T10:0{minute}:00Z", run_id(number), job=f"j{number}"
                    )
                    for minute, kind in enumerate(types)
                )
            )
        shown = {job["name"]: job["latestRun"]["state"] for job in api.read("/jobs")["jobs"]}
        assert sorted(shown.values()) == ["ABORTED", "COMPLETED", "NEW", "RUNNING", "RUNNING"]
        for state in ("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"):
            found = names_in(api.read("/jobs", lastRunStates=state, sort="name"), "jobs")
            assert found == [name for name, its in sorted(shown.items()) if its == state]

    def test_a_job_without_runs_is_in_no_state(self, api: Api) -> None:
        job = {"namespace": JOBS, "name": "planned"}
        api.store(
            {"eventTime": START, "job": job, "producer": "https://x", "schemaURL": "https://x"}
        )
        assert names_in(api.read("/jobs"), "jobs") == ["planned"]
        assert api.read("/jobs", lastRunStates="NEW")["jobs"] == []

    def test_a_deleted_job_is_in_no_list(self, three: Api) -> None:
        edit(three, said({"type": "job", "namespace": JOBS, "name": "b"}, LATER, deleted=True))
        edit(
            three,
            said(
                {"type": "job", "namespace": JOBS, "name": "c"},
                "2024-05-03T00:00:00Z",
                deleted=True,
            ),
        )
        found = three.read("/jobs")
        assert (found["totalCount"], names_in(found, "jobs")) == (2, ["b", "a"])

    @pytest.mark.parametrize("state", ["DONE", "COMPLETED;DROP TABLE job", "'", "%", "NEW,x"])
    def test_an_unknown_state_is_a_400(self, api: Api, state: str) -> None:
        api.store(run_event())
        for path in ("/jobs", f"{NAMESPACE_PATH}/jobs"):
            error_of(api.get(path, lastRunStates=state), 400, "lastRunStates")

    @pytest.mark.parametrize("sort", ["", "id", "name desc", "updated_at;--", "NAME"])
    def test_an_unknown_order_is_a_400(self, api: Api, sort: str) -> None:
        api.store(run_event())
        for path in ("/jobs", f"{NAMESPACE_PATH}/jobs"):
            error_of(api.get(path, sort=sort), 400, "sort")

    def test_the_ten_latest_runs(self, api: Api) -> None:
        for number in range(13):
            api.store(run_event("START", f"2024-05-01T10:{number:02}:00Z", run_id(number)))
        runs = api.job(JOBS, "load")["latestRuns"]
        assert [run["id"] for run in runs] == [run_id(number) for number in range(12, 2, -1)]
        listed = api.read(f"{NAMESPACE_PATH}/jobs/load/runs", limit=10)
        assert listed["totalCount"] == 13
        assert [run["id"] for run in listed["runs"]] == [run["id"] for run in runs]

    def test_ten_of_many_runs_that_began_at_once(self, api: Api) -> None:
        api.store(*(run_event("START", START, run_id(number)) for number in range(15)))
        runs = [run["id"] for run in api.job(JOBS, "load")["latestRuns"]]
        assert runs == [run_id(number) for number in range(14, 4, -1)]

    def test_runs_that_only_their_children_speak_of_come_last(self, api: Api) -> None:
        for number in range(12):
            parent = {
                "run": {"runId": run_id(100 + number)},
                "job": {"namespace": JOBS, "name": "dag"},
            }
            api.store(run_event("START", START, run_id(number), run_facets={"parent": parent}))
        named = [run_id(number) for number in range(111, 101, -1)]
        assert [run["id"] for run in api.job(JOBS, "dag")["latestRuns"]] == named
        api.store(run_event("START", START, run_id(7), job="dag"))
        runs = api.job(JOBS, "dag")["latestRuns"]
        assert [run["id"] for run in runs] == [run_id(7), *named[:9]]
        assert runs[1]["createdAt"] is None
        assert api.read(f"{NAMESPACE_PATH}/jobs/dag/runs", limit=10)["runs"][1]["id"] == named[0]

    def test_what_is_shown_follows_what_is_stated(self, api: Api) -> None:
        api.store(run_event("START", START, inputs=[dataset("a")]))
        first = api.job(JOBS, "load")
        assert api.job(JOBS, "load") == first
        facets = {"late": {"x": 1}}
        api.store(run_event("START", START, run_facets=facets, outputs=[dataset("b")]))
        second = api.job(JOBS, "load")
        assert second["latestRun"]["facets"] == facets
        assert names_in(second, "outputs") == ["b"]
        entity = {"type": "job", "namespace": JOBS, "name": "load"}
        edit(
            api,
            said(
                entity,
                documentation={"description": "mine"},
                context={"owner": "ann"},
                **{"tag/x": True},
            ),
        )
        third = api.job(JOBS, "load")
        assert (third["description"], third["tags"]) == ("mine", ["x"])
        assert third["context"] == {"owner": "ann"}

    def test_sql_is_in_the_context(self, api: Api) -> None:
        api.store(run_event(job_facets={"sql": {"query": "SELECT 1"}}))
        assert api.job(JOBS, "load")["context"] == {"sql": "SELECT 1"}


class TestNamesUnderAParent:
    PARENT: Json = {
        "parent": {"run": {"runId": OLDER_RUN}, "job": {"namespace": JOBS, "name": "dag"}}
    }

    def test_both_names_find_a_job_called_by_the_long_one(self, api: Api) -> None:
        api.store(run_event(job="dag.load", run_facets=self.PARENT))
        job = api.job(JOBS, "dag.load")
        assert (job["simpleName"], job["parentJobName"]) == ("load", "dag")
        assert len(job["parentJobUuid"]) == 36
        assert api.job(JOBS, "load") == job
        assert api.read(f"{NAMESPACE_PATH}/jobs/load/runs")["runs"][0]["id"] == RUN
        assert api.read(f"{NAMESPACE_PATH}/jobs/load/versions")["totalCount"] == 1

    def test_both_names_find_a_job_called_by_the_short_one(self, api: Api) -> None:
        api.store(run_event(job="load.v1", run_facets=self.PARENT))
        job = api.job(JOBS, "load.v1")
        assert (job["simpleName"], job["parentJobName"]) == ("load.v1", "dag")
        assert api.job(JOBS, "dag.load.v1") == job

    def test_a_name_that_two_have_finds_none(self, api: Api) -> None:
        other = {"parent": self.PARENT["parent"] | {"job": {"namespace": JOBS, "name": "d2"}}}
        api.store(
            run_event(job="dag.load", run_facets=self.PARENT),
            run_event(job="d2.load", run=run_id(7), run_facets=other),
        )
        error_of(api.get(f"{NAMESPACE_PATH}/jobs/load"), 404)

    def test_a_job_of_that_very_name_comes_first(self, api: Api) -> None:
        api.store(
            run_event(job="dag.load", run_facets=self.PARENT),
            run_event(job="load", run=run_id(7)),
        )
        assert api.job(JOBS, "load")["latestRun"]["id"] == run_id(7)

    @pytest.mark.parametrize("name", ["%", "_oad", "LOAD", "'", "oad", ".load", "%00load", "dag"])
    def test_a_name_is_no_pattern(self, api: Api, name: str) -> None:
        job = run_event(job="dag.load", run_facets=self.PARENT)
        api.store(job | {"run": job["run"] | {"runId": run_id(9)}})
        path = name if name.startswith("%0") else escape(name)
        if name == "dag":
            assert api.job(JOBS, "dag")["name"] == "dag"
        else:
            error_of(api.get(f"{NAMESPACE_PATH}/jobs/{path}"), 404)


class TestJobVersions:
    PATH = f"{NAMESPACE_PATH}/jobs/load/versions"

    @pytest.fixture
    def moved(self, api: Api) -> Api:
        """A job that wrote `t`, then `u` twice, then the same with other code."""
        code = {"sourceCodeLocation": {"type": "git", "url": "https://example.org/2"}}
        api.store(
            run_event("COMPLETE", "2024-05-01T10:00:00Z", run_id(1), outputs=[dataset("t")]),
            run_event("COMPLETE", "2024-05-01T11:00:00Z", run_id(2), outputs=[dataset("u")]),
            run_event("COMPLETE", "2024-05-01T12:00:00Z", run_id(3), outputs=[dataset("u")]),
            run_event(
                "COMPLETE",
                "2024-05-01T13:00:00Z",
                run_id(4),
                outputs=[dataset("u")],
                job_facets=code,
            ),
        )
        return api

    def test_newest_first(self, moved: Api) -> None:
        found = moved.read(self.PATH)
        assert found["totalCount"] == 3
        assert [names_in(one, "outputs") for one in found["versions"]] == [["u"], ["u"], ["t"]]
        assert [one["location"] for one in found["versions"]] == [
            "https://example.org/2",
            None,
            None,
        ]
        assert [one["latestRun"]["id"] for one in found["versions"]] == [
            run_id(4),
            run_id(3),
            run_id(1),
        ]
        assert [one["createdAt"][:13] for one in found["versions"]] == [
            "2024-05-01T13",
            "2024-05-01T11",
            "2024-05-01T10",
        ]
        assert found["versions"][0]["version"] == moved.job(JOBS, "load")["currentVersion"]

    def test_the_shape(self, moved: Api) -> None:
        one = moved.read(self.PATH)["versions"][0]
        run = one.pop("latestRun")
        assert run["jobVersion"] == one["id"]
        version = one.pop("version")
        assert one.pop("id") == {"namespace": JOBS, "name": "load", "version": version}
        assert set(one.pop("facets")) == {"sourceCodeLocation"}
        assert one == {
            "name": "load",
            "namespace": JOBS,
            "createdAt": "2024-05-01T13:00:00.000000Z",
            "inputs": [],
            "outputs": [{"namespace": TABLES, "name": "u"}],
            "location": "https://example.org/2",
            "context": {},
        }

    def test_every_version_can_be_got(self, moved: Api) -> None:
        versions = moved.read(self.PATH)["versions"]
        for one in versions:
            assert moved.read(f"{self.PATH}/{one['version']}") == one
        for number in (1, 2, 3, 4):
            version = moved.run(run_id(number))["jobVersion"]["version"]
            assert version in {one["version"] for one in versions}

    def test_pages(self, moved: Api) -> None:
        whole = moved.read(self.PATH)["versions"]
        pages = [moved.read(self.PATH, limit=2, offset=place) for place in (0, 2, 4)]
        assert [page["versions"] for page in pages] == [whole[:2], whole[2:], []]
        assert {page["totalCount"] for page in pages} == {3}

    def test_a_design_is_a_version_without_a_run(self, api: Api) -> None:
        entity = {"type": "job", "namespace": JOBS, "name": "load"}
        written = [{"namespace": TABLES, "name": "t"}]
        edit(api, said(entity, START, datasets={"inputs": [], "outputs": written}))
        (one,) = api.read(self.PATH)["versions"]
        assert (one["outputs"], one["latestRun"]) == (written, None)
        assert one["createdAt"] == "2024-05-01T10:00:00.000000Z"

    def test_a_job_that_uses_nothing_has_one_version(self, api: Api) -> None:
        api.store(run_event())
        found = api.read(self.PATH)
        assert found["totalCount"] == 1
        assert found["versions"][0]["version"] == api.job(JOBS, "load")["currentVersion"]

    def test_what_is_not_there_is_a_404(self, moved: Api) -> None:
        error_of(moved.get(f"{self.PATH}/none"), 404)
        error_of(moved.get(f"{self.PATH}/%00"), 404)
        error_of(moved.get(f"{NAMESPACE_PATH}/jobs/none/versions"), 404)
        error_of(moved.get(f"{NAMESPACE_PATH}/jobs/none/versions/{RUN}"), 404)


class TestRuns:
    def test_facets(self, api: Api) -> None:
        run_facets, job_facets = {"mine": {"x": 1}}, {"sql": {"query": "SELECT 1"}}
        api.store(run_event(run_facets=run_facets, job_facets=job_facets))
        path = f"/jobs/runs/{RUN}/facets"
        assert api.read(path, type="run") == {"runId": RUN, "facets": run_facets}
        assert api.read(path, type="job") == {"runId": RUN, "facets": job_facets}
        error_of(api.get(path), 400, "type")
        error_of(api.get(path, type="dataset"), 400, "type")
        error_of(api.get(f"/jobs/runs/{OLDER_RUN}/facets", type="run"), 404)
        error_of(api.get("/jobs/runs/%00/facets", type="run"), 404)

    def test_facets_of_reading_and_writing(self, api: Api) -> None:
        read = dataset("a") | {"inputFacets": {"quality": {"nulls": 1}}}
        written = dataset("b") | {"outputFacets": {"outputStatistics": {"rowCount": 7}}}
        api.store(run_event(inputs=[read], outputs=[written]))
        run = api.run(RUN)
        assert run["inputDatasetVersions"][0]["facets"] == {"quality": {"nulls": 1}}
        assert run["outputDatasetVersions"][0]["facets"] == {"outputStatistics": {"rowCount": 7}}
        assert api.read(f"{NAMESPACE_PATH}/jobs/load/runs")["runs"] == [run]

    def test_arguments(self, api: Api) -> None:
        api.store(run_event(run_facets={"headwater_args": {"args": {"day": "1"}}}))
        assert api.run(RUN)["args"] == {"day": "1"}
        odd = {"headwater_args": {"args": [7]}}
        api.store(run_event(run=OLDER_RUN, run_facets=odd))
        assert api.run(OLDER_RUN)["args"] == {}

    def test_a_run_without_datasets_tells_no_version(self, api: Api) -> None:
        api.store(run_event())
        run = api.run(RUN)
        assert run["jobVersion"] is None
        assert run["inputDatasetVersions"] == run["outputDatasetVersions"] == []

    def test_totals(self, api: Api) -> None:
        api.store(*(run_event("START", START, run_id(number)) for number in range(7)))
        path = f"{NAMESPACE_PATH}/jobs/load/runs"
        assert api.read(path, limit=0) == {"runs": [], "totalCount": 7}
        pages = [api.read(path, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
        assert [len(page["runs"]) for page in pages] == [3, 3, 1, 0]
        assert {page["totalCount"] for page in pages} == {7}


class TestSources:
    def test_from_facets(self, api: Api) -> None:
        api.store(
            run_event(
                "START",
                START,
                inputs=[dataset("a", dataSource={"name": "db", "uri": "postgres://old"})],
                outputs=[dataset("b", dataSource={"name": "broker", "uri": "kafka://b:9092"})],
            ),
            run_event(
                "COMPLETE",
                END,
                inputs=[dataset("c", dataSource={"name": "db", "uri": "postgres://new"})],
            ),
        )
        found = api.read("/sources")
        assert found["totalCount"] == 2
        assert names_in(found, "sources") == ["broker", "db"]
        assert api.read("/sources/db") == {
            "type": "POSTGRESQL",
            "name": "db",
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:10:00.000000Z",
            "connectionUrl": "postgres://new",
            "description": None,
        }
        assert found["sources"][1] == api.read("/sources/db")
        assert found["sources"][0]["type"] == "KAFKA"

    def test_a_person_s(self, api: Api) -> None:
        given = {"name": "my db", "uri": "jdbc:mysql://db/shop", "type": "MYSQL"}
        entity = {"type": "source", "name": "my db"}
        edit(api, said(entity, START, dataSource=given, documentation={"description": "x"}))
        assert api.read("/sources/my%20db") == {
            "type": "MYSQL",
            "name": "my db",
            "createdAt": "2024-05-01T10:00:00.000000Z",
            "updatedAt": "2024-05-01T10:00:00.000000Z",
            "connectionUrl": "jdbc:mysql://db/shop",
            "description": "x",
        }
        assert api.read("/sources")["totalCount"] == 1

    def test_the_source_of_a_dataset_that_tells_none_can_be_got(self, api: Api) -> None:
        api.store(run_event(outputs=[dataset("t")]))
        name = api.dataset(TABLES, "t")["sourceName"]
        found = api.read(f"/sources/{escape(name)}")
        assert (found["type"], found["connectionUrl"]) == ("POSTGRESQL", TABLES)

    def test_odd_facets_are_no_sources(self, api: Api) -> None:
        odd: list[Json] = [{}, {"name": 7}, {"name": ""}, {"uri": "x"}, {"_deleted": True}]
        outputs = [dataset(f"t{number}", dataSource=each) for number, each in enumerate(odd)]
        outputs.append(dataset("ok", dataSource={"name": "ok", "uri": 7}))
        api.store(run_event(outputs=outputs))
        (one,) = api.read("/sources")["sources"]
        assert (one["name"], one["connectionUrl"], one["type"]) == ("ok", "", "")

    @pytest.mark.parametrize("name", ["none", "%00", "%25", "'%20OR%201=1", "a%2Fb"])
    def test_what_is_not_there_is_a_404(self, api: Api, name: str) -> None:
        error_of(api.get(f"/sources/{name}"), 404)


class TestTags:
    def test_those_that_persons_name_and_give(self, api: Api) -> None:
        api.store(run_event(outputs=[dataset("t", schema=schema(id="INT"))]))
        tag = {"type": "tag", "name": "PII"}
        edit(
            api,
            said(tag, documentation={"description": "who a person is"}),
            said(table("t"), **{"tag/daily/slow": True, "tag/gone": False}),
            said(table("t", "id"), **{"tag/key": True}),
        )
        assert api.read("/tags") == {
            "tags": [
                {"name": "PII", "description": "who a person is"},
                {"name": "daily/slow", "description": None},
                {"name": "key", "description": None},
            ],
            "totalCount": 3,
        }
        page = api.read("/tags", limit=1, offset=1)
        assert (names_in(page, "tags"), page["totalCount"]) == (["daily/slow"], 3)

    def test_those_in_facets(self, api: Api) -> None:
        tags = [{"key": "gold"}, {"key": "PII", "field": "id"}, {"key": "gold", "value": "1"}]
        odd: list[Any] = [7, {}, {"key": 7}, {"key": ""}]
        api.store(
            run_event(
                outputs=[dataset("t", tags={"tags": [*tags, *odd]}), dataset("u", tags=[])],
                job_facets={"tags": {"tags": [{"key": "nightly"}]}},
                run_facets={"tags": {"tags": [{"key": "of a run"}]}},
            )
        )
        assert names_in(api.read("/tags"), "tags") == ["PII", "gold", "nightly"]

    def test_one_taken_back_is_listed_no_more(self, api: Api) -> None:
        edit(api, said(table("t"), START, **{"tag/x": True}))
        assert names_in(api.read("/tags"), "tags") == ["x"]
        edit(api, said(table("t"), END, ("tag/x",)))
        assert api.read("/tags")["tags"] == []


class TestStats:
    @pytest.fixture(autouse=True)
    def within_an_hour(self) -> None:
        """What is said and asked in one test is of the same hour."""
        left = 3_600 - time.time() % 3_600
        if left < 30:
            time.sleep(left)

    def test_events_of_a_day(self, api: Api) -> None:
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        earlier = hour - timedelta(hours=5)
        going_on = ["START", "RUNNING", "OTHER", "COMPLETE"]
        for at, kinds in ((hour, going_on), (earlier, ["START", "FAIL", "ABORT"])):
            api.store(*(run_event(kind, at.isoformat(), run_id(1)) for kind in kinds))
        api.store(run_event("START", (hour - timedelta(hours=25)).isoformat()))
        edit(api, said(table("t"), hour.isoformat(), **{"tag/x": True}))
        found = api.read("/stats/lineage-events", period="DAY")
        assert len(found) == 24
        assert [set(one) for one in found] == [{"startInterval", "endInterval", *COUNTED}] * 24
        counted = {one["startInterval"]: one for one in found if sum_of(one)}
        assert set(counted) == {at.strftime("%Y-%m-%dT%H:00:00.000000Z") for at in (hour, earlier)}
        first, last = counted.values()
        assert (first["start"], first["fail"], first["abort"], first["complete"]) == (1, 1, 1, 0)
        assert (last["start"], last["fail"], last["abort"], last["complete"]) == (1, 0, 0, 1)
        assert (last["running"], last["other"], first["running"], first["other"]) == (1, 1, 0, 0)

    def test_intervals_follow_each_other(self, api: Api) -> None:
        for period in ("DAY", "WEEK"):
            found = api.read("/stats/jobs", period=period)
            ends = [one["endInterval"] for one in found[:-1]]
            assert ends == [one["startInterval"] for one in found[1:]]
            now = instant.format_instant(instant.now())
            assert found[-1]["startInterval"] <= now < found[-1]["endInterval"]

    def test_days_begin_where_one_lives(self, api: Api) -> None:
        found = api.read("/stats/lineage-events", period="WEEK", timezone="Asia/Kolkata")
        assert len(found) == 7
        assert {one["startInterval"][11:] for one in found} == {"18:30:00.000000Z"}

    def test_what_was_there_by_then(self, api: Api) -> None:
        now = datetime.now(UTC)
        for number, hours in enumerate((0, 3, 50)):
            source = {"name": f"s{number}", "uri": "x://y"}
            at = (now - timedelta(hours=hours)).isoformat()
            api.store(
                run_event(
                    "START",
                    at,
                    run_id(number),
                    job=f"j{number}",
                    outputs=[dataset(f"t{number}", dataSource=source)],
                )
            )
        for noun in ("jobs", "datasets", "sources"):
            day = [one["count"] for one in api.read(f"/stats/{noun}", period="DAY")]
            assert (day[0], day[-5], day[-4], day[-2], day[-1]) == (1, 1, 2, 2, 3), noun
            week = [one["count"] for one in api.read(f"/stats/{noun}", period="WEEK")]
            assert (week[0], week[-1]) == (0, 3), noun
            assert week == sorted(week)

    @pytest.mark.parametrize("noun", ["lineage-events", "jobs", "datasets", "sources"])
    def test_bad_parameters_are_a_400(self, api: Api, noun: str) -> None:
        error_of(api.get(f"/stats/{noun}"), 400, "period")
        error_of(api.get(f"/stats/{noun}", period="MONTH"), 400, "period")
        for zone in ("Mars/Olympus", "../../etc/passwd", "/etc/passwd", "\0", "Europe", "x" * 101):
            error_of(api.get(f"/stats/{noun}", period="WEEK", timezone=zone), 400, "timezone")


COUNTED = ("fail", "start", "complete", "abort", "running", "other")


def sum_of(one: Json) -> int:
    return sum(one[name] for name in COUNTED)


class TestEvents:
    def test_edits_are_no_events_of_lineage(self, api: Api) -> None:
        event = run_event()
        api.store(event)
        edit(api, said(table("t"), **{"tag/x": True}))
        for path in ("/events/lineage", "/events"):
            assert api.read(path) == {"events": [event], "totalCount": 1}
        assert api.read("/events/lineage", after=LATER) == {"events": [], "totalCount": 0}

    def test_events_of_a_namespace(self, api: Api) -> None:
        mine, other = run_event(), run_event(run=OLDER_RUN)
        other["job"] = {"namespace": "other", "name": "load"}
        api.store(mine, other)
        assert api.read("/events/other") == {"events": [other], "totalCount": 1}
        error_of(api.get("/events/none"), 404)

    def test_events_of_a_run(self, api: Api) -> None:
        mine = [
            run_event(kind, f"2024-05-01T10:0{minute}:00Z")
            for minute, kind in enumerate(("START", "RUNNING", "COMPLETE"))
        ]
        other = run_event(run="not a UUID", job="other")
        api.store(*mine, other)
        for path in ("/events", "/events/lineage", f"/events/{JOBS}"):
            assert api.read(path, runId=RUN) == {"events": mine[::-1], "totalCount": 3}
        asked = {"runId": RUN, "after": "2024-05-01T10:01:00Z", "sortDirection": "asc", "limit": 1}
        assert api.read("/events", **asked) == {"events": [mine[1]], "totalCount": 2}
        assert api.read("/events", runId="not a UUID")["events"] == [other]
        error_of(api.get("/events", runId=OLDER_RUN), 404)

    def test_events_of_a_run_are_found_in_an_index(self, sqlite_api: Api) -> None:
        for wanted in (EventFilter(run=b"r"), EventFilter(after=1, run=b"r")):
            query = select(tables.event.c.payload).where(*wanted.conditions())
            with sqlite_api.engine.connect() as connection:
                text = query.compile(connection, compile_kwargs={"render_postcompile": True})
                plan = connection.exec_driver_sql(
                    f"EXPLAIN QUERY PLAN {text}", tuple(text.params.values())
                )
                assert "event_by_run" in plan.one().detail


class TestBadPages:
    @pytest.fixture
    def filled(self, api: Api) -> Iterator[Api]:
        api.store(run_event(outputs=[dataset("t")]))
        yield api

    @pytest.mark.parametrize(
        ("name", "value"),
        [("limit", "-1"), ("limit", "10001"), ("limit", "x"), ("offset", "-1"), ("offset", "1e9")],
    )
    @pytest.mark.parametrize(
        "path",
        [
            "/jobs",
            "/sources",
            "/tags",
            "/events",
            f"{NAMESPACE_PATH}/jobs",
            f"{NAMESPACE_PATH}/jobs/load/runs",
            f"{NAMESPACE_PATH}/jobs/load/versions",
            f"{TABLES_PATH}/datasets",
            f"{TABLES_PATH}/datasets/t/versions",
        ],
    )
    def test_what_is_no_page_is_a_400(self, filled: Api, path: str, name: str, value: str) -> None:
        error_of(filled.get(path, **{name: value}), 400, name)
        largest = filled.read(path, limit=10_000, offset=2**62)
        assert largest["totalCount"] >= 0

    @pytest.mark.parametrize(
        "name", ["'; DROP TABLE job; --", "100%", "a/b", '"quoted"', "_", "\\", "é/ñ", "a b"]
    )
    def test_names_may_be_anything(self, api: Api, name: str) -> None:
        job = {"namespace": name, "name": name}
        api.store(run_event(outputs=[dataset(name, name, schema=schema(x="INT"))]) | {"job": job})
        path = f"/namespaces/{escape(name)}"
        assert api.read(path)["name"] == name
        assert names_in(api.read(f"{path}/jobs"), "jobs") == [name]
        assert names_in(api.read(f"{path}/datasets"), "datasets") == [name]
        assert api.job(name, name)["id"] == job
        assert api.dataset(name, name)["id"] == job
        assert api.read(f"{path}/jobs/{escape(name)}/versions")["totalCount"] == 1
        assert api.read(f"{path}/datasets/{escape(name)}/versions")["totalCount"] == 1
        assert api.read(f"/events/{escape(name)}")["totalCount"] == 1
        assert api.read(f"/sources/{escape(name)}")["name"] == name


class TestTheDocument:
    def test_every_read_has_a_schema_and_an_example(self, sqlite_api: Api) -> None:
        document = sqlite_api.client.get("/openapi.json").json()
        for path in (
            "/namespaces",
            "/namespaces/{namespace}/datasets/{dataset}/versions/{version}",
            "/namespaces/{namespace}/jobs/{job}/versions",
            "/jobs",
            "/jobs/runs/{run_id}/facets",
            "/sources",
            "/tags",
            "/stats/lineage-events",
            "/events/lineage",
        ):
            told = document["paths"][f"/api/v1{path}"]["get"]["responses"]["200"]
            content = told["content"]["application/json"]
            assert content["schema"], path
            assert content["example"], path
