"""Marquez's writing routes: what each keeps, what it answers, and what it refuses."""

from typing import Any

import httpx2
import pytest

from headwater.model.values.instant import SECOND, format_instant, now
from testing.api import Api, error_of, escape
from testing.events.minimal import JOBS, RUN, TABLES, dataset, run_event, schema

Json = dict[str, Any]

SPACE = f"/api/v1/namespaces/{escape(TABLES)}"
ORDERS = f"{SPACE}/datasets/orders"
LOAD = f"/api/v1/namespaces/{JOBS}/jobs/load"
TABLE: Json = {"type": "DB_TABLE", "physicalName": "orders", "sourceName": "shop-db"}


def send(api: Api, method: str, path: str, body: object = None) -> httpx2.Response:
    return (
        api.client.request(method, path, json=body)
        if body is not None
        else (api.client.request(method, path))
    )


def write(api: Api, method: str, path: str, body: object = None, status: int = 200) -> Any:
    """Write what must be taken."""
    answer = send(api, method, path, body)
    assert answer.status_code == status, answer.text
    return answer.json()


def log(api: Api) -> list[Json]:
    """All edits, oldest first."""
    found = api.read("/edits", limit=1000)
    assert found["totalCount"] == len(found["edits"])
    return list(reversed(found["edits"]))


def names(api: Api, noun: str, namespace: str) -> list[str]:
    answer = api.get(f"/namespaces/{escape(namespace)}/{noun}")
    return [each["name"] for each in answer.json()[noun]] if answer.status_code == 200 else []


@pytest.fixture
def shop(api: Api) -> Api:
    """A job that writes a table of two columns, with a tag that its events give it."""
    tags = {"tags": [{"key": "SALES", "source": "etl"}]}
    orders = dataset("orders", schema=schema(id="int", email="text"), tags=tags)
    api.store(run_event("START", outputs=[orders]), run_event("COMPLETE", "2024-05-01T11:00:00Z"))
    return api


class TestNamespaces:
    def test_a_put_makes_one(self, api: Api) -> None:
        body = {"ownerName": "sales", "description": "The shop"}
        made = write(api, "PUT", "/api/v1/namespaces/shop", body)
        assert (made["name"], made["ownerName"], made["description"]) == (
            "shop",
            "sales",
            "The shop",
        )
        assert made["isHidden"] is False
        assert api.read("/namespaces/shop") == made
        assert "shop" in [each["name"] for each in api.read("/namespaces")["namespaces"]]

    def test_what_is_absent_stays_and_null_takes_back(self, api: Api) -> None:
        path = "/api/v1/namespaces/shop"
        write(api, "PUT", path, {"ownerName": "sales", "description": "The shop"})
        kept = write(api, "PUT", path, {"ownerName": "lake"})
        assert (kept["ownerName"], kept["description"]) == ("lake", "The shop")
        assert (
            write(api, "PUT", path, {"ownerName": "lake", "description": None})["description"]
            is None
        )

    def test_a_deletion_hides_all_that_is_in_it(self, shop: Api) -> None:
        shop.store(run_event("START", outputs=[dataset("early")]))
        write(shop, "DELETE", f"{SPACE}/datasets/early")
        answer = write(shop, "DELETE", SPACE)
        assert answer["isHidden"] is True
        assert names(shop, "datasets", TABLES) == []
        error_of(send(shop, "GET", ORDERS), 404)
        graph = shop.read("/lineage", nodeId=f"job:{JOBS}:load")["graph"]
        assert not any(node["id"].startswith("dataset:") for node in graph)
        error_of(send(shop, "DELETE", SPACE), 404)
        assert write(shop, "POST", f"{SPACE}/restore")["isHidden"] is False
        # What was deleted before stays so.
        assert names(shop, "datasets", TABLES) == ["orders"]

    def test_what_is_seen_again_shows_again(self, shop: Api) -> None:
        write(shop, "DELETE", SPACE)
        shop.store(run_event("START", _later(shop), outputs=[dataset("fresh")]))
        assert names(shop, "datasets", TABLES) == ["fresh"]

    def test_an_unknown_one_cannot_be_deleted(self, api: Api) -> None:
        error_of(send(api, "DELETE", "/api/v1/namespaces/nothing"), 404)
        error_of(send(api, "POST", "/api/v1/namespaces/nothing/restore"), 404)


def _later(api: Api) -> str:
    """A time after the last edit."""
    at = str(log(api)[-1]["at"])
    return f"{at[:-2]}{(int(at[-2]) + 1) % 10}Z" if at[-2] != "9" else f"{at[:-1]}9Z"


class TestSourcesAndTags:
    def test_a_source_is_made_and_changed(self, api: Api) -> None:
        body = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db:5432/shop"}
        made = write(api, "PUT", "/api/v1/sources/shop-db", {**body, "description": "The shop's"})
        assert {key: made[key] for key in body} == body
        assert (made["name"], made["description"]) == ("shop-db", "The shop's")
        assert api.read("/sources/shop-db") == made
        moved = write(api, "PUT", "/api/v1/sources/shop-db", {**body, "connectionUrl": "jdbc:x"})
        assert (moved["connectionUrl"], moved["description"]) == ("jdbc:x", "The shop's")

    def test_a_tag_is_made_with_and_without_a_meaning(self, api: Api) -> None:
        answer = write(api, "PUT", "/api/v1/tags/PII", {"description": "Tells who"})
        assert answer == {"name": "PII", "description": "Tells who"}
        plain = write(api, "PUT", "/api/v1/tags/plain", {"description": None})
        assert plain == {"name": "plain", "description": None}
        write(api, "PUT", "/api/v1/tags/plain", {})
        assert len(log(api)) == 2
        assert [tag["name"] for tag in api.read("/tags")["tags"]] == ["PII", "plain"]

    def test_tags_come_and_go(self, shop: Api) -> None:
        for place in (ORDERS, LOAD):
            before = set(send(shop, "GET", place).json()["tags"])
            assert set(write(shop, "POST", f"{place}/tags/PII")["tags"]) == before | {"PII"}
            write(shop, "POST", f"{place}/tags/PII")
            assert set(write(shop, "DELETE", f"{place}/tags/PII")["tags"]) == before
            write(shop, "DELETE", f"{place}/tags/PII")
        # Each said twice, and kept once.
        assert [edit["set"] for edit in log(shop)] == [{"tag/PII": True}, {"tag/PII": False}] * 2

    def test_a_tag_of_an_event_can_be_taken_away_and_given_back(self, shop: Api) -> None:
        assert write(shop, "DELETE", f"{ORDERS}/tags/SALES")["tags"] == []
        assert write(shop, "POST", f"{ORDERS}/tags/SALES")["tags"] == ["SALES"]

    def test_a_field_has_its_own(self, shop: Api) -> None:
        tagged = write(shop, "POST", f"{ORDERS}/fields/email/tags/PII")
        assert {field["name"]: field["tags"] for field in tagged["fields"]} == {
            "id": [],
            "email": ["PII"],
        }
        cleared = write(shop, "DELETE", f"{ORDERS}/fields/email/tags/PII")
        assert all(field["tags"] == [] for field in cleared["fields"])

    def test_a_field_that_is_not_there_tells_those_that_are(self, shop: Api) -> None:
        answer = send(shop, "POST", f"{ORDERS}/fields/emial/tags/PII")
        assert answer.status_code == 404
        assert answer.json()["near"] == ["email", "id"]
        assert log(shop) == []

    @pytest.mark.parametrize(
        "place", [f"{SPACE}/datasets/none", f"/api/v1/namespaces/{JOBS}/jobs/x"]
    )
    def test_what_is_not_there_cannot_be_tagged(self, shop: Api, place: str) -> None:
        error_of(send(shop, "POST", f"{place}/tags/PII"), 404)
        error_of(send(shop, "DELETE", f"{place}/tags/PII"), 404)
        assert log(shop) == []

    def test_odd_names_are_names(self, shop: Api) -> None:
        odd = "a/b %'\";DROP TABLE tag--ü"
        assert odd in write(shop, "POST", f"{ORDERS}/tags/{escape(odd)}")["tags"]


class TestDatasets:
    def test_a_put_makes_one(self, api: Api) -> None:
        fields = [
            {"name": "id", "type": "BIGINT", "description": "One a sale"},
            {"name": "email", "type": "TEXT", "tags": ["PII"]},
        ]
        body = {**TABLE, "physicalName": "public.orders", "fields": fields}
        body |= {"tags": ["SALES"], "description": "Every order"}
        made = write(api, "PUT", ORDERS, body)
        assert (made["namespace"], made["name"], made["type"]) == (TABLES, "orders", "DB_TABLE")
        assert (made["sourceName"], made["description"]) == ("shop-db", "Every order")
        assert made["physicalName"] == "public.orders"
        assert made["tags"] == ["SALES"]
        found = [(each["name"], each["type"], each["tags"]) for each in made["fields"]]
        assert found == [("id", "BIGINT", []), ("email", "TEXT", ["PII"])]
        assert made["fields"][0]["description"] == "One a sale"
        assert send(api, "GET", ORDERS).json() == made
        assert names(api, "datasets", TABLES) == ["orders"]

    def test_a_stream(self, api: Api) -> None:
        body = {**TABLE, "type": "STREAM", "schemaLocation": "http://registry/subjects/a"}
        assert write(api, "PUT", ORDERS, body)["type"] == "STREAM"

    def test_stated_again_it_is_kept_once(self, api: Api) -> None:
        body = {**TABLE, "fields": [{"name": "id", "type": "INT"}], "tags": ["A"]}
        write(api, "PUT", ORDERS, body)
        write(api, "PUT", ORDERS, body)
        assert len(log(api)) == 1

    def test_a_persons_word_outlasts_events(self, shop: Api) -> None:
        write(shop, "PUT", ORDERS, {**TABLE, "description": "Ours"})
        stated = dataset("orders", documentation={"description": "Theirs"})
        shop.store(run_event("RUNNING", "2024-05-01T10:30:00Z", outputs=[stated]))
        assert shop.dataset(TABLES, "orders")["description"] == "Ours"
        # Its fields are those that runs saw.
        assert len(shop.dataset(TABLES, "orders")["fields"]) == 2

    def test_a_run_that_wrote_it_is_reported(self, shop: Api) -> None:
        body = {**TABLE, "fields": [{"name": "n", "type": "INT"}], "runId": RUN}
        write(shop, "PUT", f"{SPACE}/datasets/made", body)
        written = shop.run(RUN)["outputDatasetVersions"]
        assert "made" in [each["datasetVersionId"]["name"] for each in written]
        unknown = {**body, "runId": "01890000-0000-7000-8000-0000000000ff"}
        error_of(send(shop, "PUT", f"{SPACE}/datasets/other", unknown), 404)
        error_of(send(shop, "GET", f"{SPACE}/datasets/other"), 404)

    def test_deleted_restored_and_deleted_again(self, shop: Api) -> None:
        was = write(shop, "DELETE", ORDERS)
        assert was["name"] == "orders"
        error_of(send(shop, "GET", ORDERS), 404)
        error_of(send(shop, "DELETE", ORDERS), 404)
        error_of(send(shop, "POST", f"{ORDERS}/tags/A"), 404)
        assert names(shop, "datasets", TABLES) == []
        back = write(shop, "POST", f"{ORDERS}/restore")
        assert back["fields"] == was["fields"]
        write(shop, "POST", f"{ORDERS}/restore")
        assert len(log(shop)) == 2
        write(shop, "DELETE", ORDERS)
        error_of(send(shop, "GET", ORDERS), 404)

    def test_a_put_brings_back_what_is_deleted(self, shop: Api) -> None:
        write(shop, "DELETE", ORDERS)
        assert write(shop, "PUT", ORDERS, TABLE)["name"] == "orders"
        assert names(shop, "datasets", TABLES) == ["orders"]

    def test_what_a_fast_clock_reported_is_deleted_and_comes_back(self, shop: Api) -> None:
        ahead = format_instant(now() + 3600 * SECOND)
        shop.store(run_event("RUNNING", ahead, outputs=[dataset("orders")]))
        write(shop, "DELETE", ORDERS)
        error_of(send(shop, "GET", ORDERS), 404)
        write(shop, "POST", f"{ORDERS}/restore")
        assert names(shop, "datasets", TABLES) == ["orders"]
        write(shop, "DELETE", ORDERS)
        error_of(send(shop, "GET", ORDERS), 404)
        write(shop, "PUT", ORDERS, TABLE)
        assert names(shop, "datasets", TABLES) == ["orders"]

    def test_an_unknown_one_cannot_be_deleted_nor_restored(self, shop: Api) -> None:
        error_of(send(shop, "DELETE", f"{SPACE}/datasets/none"), 404)
        error_of(send(shop, "POST", f"{SPACE}/datasets/none/restore"), 404)


class TestJobs:
    def test_a_put_makes_one(self, api: Api) -> None:
        used = {"inputs": [dataset("a")], "outputs": [dataset("b"), dataset("c")]}
        body = {"type": "STREAM", **used, "location": "http://git/x", "description": "Copies"}
        made = write(api, "PUT", LOAD, body)
        assert (made["type"], made["location"]) == ("STREAM", "http://git/x")
        assert made["description"] == "Copies"
        assert made["inputs"] == used["inputs"]
        assert made["outputs"] == used["outputs"]
        assert names(api, "jobs", JOBS) == ["load"]
        assert names(api, "datasets", TABLES) == ["a", "b", "c"]

    def test_the_newest_design_counts(self, api: Api) -> None:
        write(api, "PUT", LOAD, {"type": "BATCH", "inputs": [dataset("a")], "outputs": []})
        write(api, "PUT", LOAD, {"type": "BATCH", "inputs": [dataset("b")], "outputs": []})
        assert api.job(JOBS, "load")["inputs"] == [dataset("b")]
        write(api, "PUT", LOAD, {"type": "SERVICE"})
        kept = api.job(JOBS, "load")
        assert (kept["type"], kept["inputs"]) == ("SERVICE", [dataset("b")])

    def test_the_legacy_context_is_kept(self, api: Api) -> None:
        body = {"type": "BATCH", "context": {"sql": "SELECT 1", "note": "x"}}
        facets = write(api, "PUT", LOAD, body)["facets"]
        assert facets["sql"]["query"] == "SELECT 1"
        assert facets["context"] == body["context"]

    def test_a_run_of_another_job_is_refused(self, shop: Api) -> None:
        body = {"type": "BATCH", "runId": RUN}
        path = f"/api/v1/namespaces/{JOBS}/jobs/other"
        error_of(send(shop, "PUT", path, body), 422, "$.runId")
        told = {**body, "inputs": [dataset("read")]}
        write(shop, "PUT", LOAD, told)
        read = shop.run(RUN)["inputDatasetVersions"]
        assert [each["datasetVersionId"]["name"] for each in read] == ["read"]

    def test_deleted_and_restored(self, shop: Api) -> None:
        assert write(shop, "DELETE", LOAD)["name"] == "load"
        error_of(send(shop, "DELETE", LOAD), 404)
        assert names(shop, "jobs", JOBS) == []
        assert write(shop, "POST", f"{LOAD}/restore")["name"] == "load"
        error_of(send(shop, "POST", f"/api/v1/namespaces/{JOBS}/jobs/none/restore"), 404)


class TestRuns:
    def test_a_run_goes_its_way(self, shop: Api) -> None:
        body = {"nominalStartTime": "2024-06-01T00:00:00Z", "args": {"day": "1"}}
        made = write(shop, "POST", f"{LOAD}/runs", body, status=201)
        assert made["state"] == "NEW"
        assert made["args"] == {"day": "1"}
        assert made["nominalStartTime"] == "2024-06-01T00:00:00.000000Z"
        path = f"/api/v1/jobs/runs/{made['id']}"
        started = write(shop, "POST", f"{path}/start?at=2024-06-01T00:05:00Z")
        assert (started["state"], started["startedAt"]) == (
            "RUNNING",
            "2024-06-01T00:05:00.000000Z",
        )
        done = write(shop, "POST", f"{path}/complete?at=2024-06-01T00:06:00%2B00:00")
        assert (done["state"], done["durationMs"]) == ("COMPLETED", 60_000)
        assert done["facets"]["headwater_actor"]["name"] == "local"
        # They are events, and no edits.
        assert log(shop) == []
        assert shop.event_count() == 5

    @pytest.mark.parametrize("run", ["a/b", "läufer", "流 1\n"])
    def test_where_it_is_stated_to_be_it_is(self, shop: Api, run: str) -> None:
        answer = send(shop, "POST", f"{LOAD}/runs", {"id": run})
        assert answer.status_code == 201
        assert shop.client.get(answer.headers["Location"]).json()["id"] == run

    @pytest.mark.parametrize(
        ("mark", "state"), [("complete", "COMPLETED"), ("fail", "FAILED"), ("abort", "ABORTED")]
    )
    def test_each_end(self, shop: Api, mark: str, state: str) -> None:
        run = "run of no uuid/1"
        write(shop, "POST", f"{LOAD}/runs", {"id": run}, status=201)
        assert write(shop, "POST", f"/api/v1/jobs/runs/{escape(run)}/{mark}")["state"] == state

    def test_what_cannot_be(self, shop: Api) -> None:
        error_of(send(shop, "POST", f"{LOAD}/runs", {"id": RUN}), 409)
        error_of(send(shop, "POST", f"/api/v1/namespaces/{JOBS}/jobs/none/runs", {}), 404)
        error_of(send(shop, "POST", "/api/v1/jobs/runs/none/start"), 404)
        error_of(send(shop, "POST", f"/api/v1/jobs/runs/{RUN}/start?at=noon"), 400, "at")
        error_of(send(shop, "POST", f"/api/v1/jobs/runs/{RUN}/start?at=9000-01-01"), 400, "at")
        error_of(
            send(shop, "POST", f"{LOAD}/runs", {"nominalEndTime": "x"}), 422, "$.nominalEndTime"
        )


LONG = "x" * 3_000
BAD: list[tuple[str, object, int, str]] = [
    ("/api/v1/namespaces/a", {}, 422, "$.ownerName"),
    ("/api/v1/namespaces/a", {"ownerName": 1}, 422, "$.ownerName"),
    ("/api/v1/namespaces/a", {"ownerName": ""}, 422, "$.ownerName"),
    ("/api/v1/namespaces/a", {"ownerName": "a\0b"}, 422, "$.ownerName"),
    ("/api/v1/namespaces/a", [], 422, "$"),
    (f"/api/v1/namespaces/{LONG}", {"ownerName": "a"}, 400, "namespace"),
    ("/api/v1/namespaces/a%00b", {"ownerName": "a"}, 400, "namespace"),
    ("/api/v1/sources/a", {"type": "X"}, 422, "$.connectionUrl"),
    ("/api/v1/sources/a", {"type": {}, "connectionUrl": "x"}, 422, "$.type"),
    ("/api/v1/tags/a", {"description": 5}, 422, "$.description"),
    (f"/api/v1/tags/{LONG}", {}, 400, "tag"),
    (ORDERS, {**TABLE, "type": "VIEW"}, 422, "$.type"),
    (ORDERS, {**TABLE, "fields": "id"}, 422, "$.fields"),
    (ORDERS, {**TABLE, "fields": [{"type": "INT"}]}, 422, "$.fields[0].name"),
    (ORDERS, {**TABLE, "fields": [{"name": ""}]}, 422, "$.fields[0].name"),
    (ORDERS, {**TABLE, "tags": ["a", ""]}, 422, "$.tags[1]"),
    (ORDERS, {**TABLE, "tags": [1]}, 422, "$.tags[0]"),
    (ORDERS, {"type": "DB_TABLE"}, 422, "$.physicalName"),
    (LOAD, {"type": "NIGHTLY"}, 422, "$.type"),
    (LOAD, {"type": "BATCH", "inputs": [{"name": "a"}]}, 422, "$.inputs[0].namespace"),
    (
        LOAD,
        {"type": "BATCH", "outputs": [{"name": "", "namespace": "b"}]},
        422,
        "$.outputs[0].name",
    ),
]


class TestBadInput:
    @pytest.mark.parametrize(("path", "body", "status", "where"), BAD)
    def test_it_is_refused_with_the_place(
        self, sqlite_api: Api, path: str, body: object, status: int, where: str
    ) -> None:
        error_of(send(sqlite_api, "PUT", path, body), status, where)
        assert log(sqlite_api) == []

    @pytest.mark.parametrize("content", [b"", b"{", b'{"ownerName": "\xff"}', b'{"a": 1'])
    def test_no_json(self, sqlite_api: Api, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        answer = sqlite_api.client.put("/api/v1/namespaces/a", content=content, headers=headers)
        error_of(answer, 400, "body")

    def test_another_content_type(self, sqlite_api: Api) -> None:
        answer = sqlite_api.client.put("/api/v1/namespaces/a", data={"ownerName": "a"})
        error_of(answer, 415)
        answer = sqlite_api.client.put("/api/v1/namespaces/a", content=b'{"ownerName": "a"}')
        error_of(answer, 415, "Content-Type")
        assert log(sqlite_api) == []

    def test_a_name_of_another_type_is_no_problem(self, sqlite_api: Api) -> None:
        write(sqlite_api, "PUT", LOAD, {"type": "BATCH"})
        as_dataset = f"/api/v1/namespaces/{JOBS}/datasets/load"
        write(sqlite_api, "PUT", as_dataset, TABLE)
        write(sqlite_api, "DELETE", as_dataset)
        assert sqlite_api.job(JOBS, "load")["name"] == "load"
