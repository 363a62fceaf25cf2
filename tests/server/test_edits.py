"""The log of edits: what is in it, how it is narrowed, and how what was done is undone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from pydantic import SecretStr

from headwater.config import AuthSettings
from headwater.store.engine import open_engine
from testing.api import Api, error_of, escape, no_lake, serve
from testing.events.minimal import JOBS, TABLES, dataset, run_event, schema
from tests.server.test_marquez_writes import LOAD, ORDERS, SPACE, TABLE, log, names, send, write

Json = dict[str, Any]

ABOUT_ORDERS = {"type": "dataset", "namespace": TABLES, "name": "orders"}
ABOUT_LOAD = {"type": "job", "namespace": JOBS, "name": "load"}


@pytest.fixture
def shop(api: Api) -> Api:
    """A job that writes a table of two columns."""
    orders = dataset("orders", schema=schema(id="int", email="text"))
    api.store(run_event("START", outputs=[orders]))
    return api


def edit(api: Api, entity: Json, **rest: Any) -> Any:
    return write(api, "POST", "/api/v1/edits", {"entity": entity, **rest}, status=201)


def describe(api: Api, text: str, **entity: Any) -> Any:
    about = {**ABOUT_ORDERS, **entity}
    return edit(api, about, set={"documentation": {"description": text}})


def undo(api: Api, id: str) -> Any:
    return write(api, "POST", f"/api/v1/edits/{id}/undo")


def description(api: Api) -> Any:
    return api.dataset(TABLES, "orders")["description"]


class TestLog:
    def test_it_tells_who_did_what_when(self, shop: Api) -> None:
        write(shop, "POST", f"{ORDERS}/fields/email/tags/PII")
        (kept,) = shop.read("/edits")["edits"]
        assert kept["actor"] == "local"
        assert kept["entity"] == {**ABOUT_ORDERS, "field": "email"}
        assert (kept["set"], kept["unset"]) == ({"tag/PII": True}, [])
        assert kept["at"].endswith("Z")
        assert "undoes" not in kept

    def test_who_gives_a_name_without_a_key_is_recorded_under_it(
        self, shop: Api, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(shop.client.headers, "Headwater-Person", quote("Ann Müller"))
        describe(shop, "by her")
        (kept,) = shop.read("/edits")["edits"]
        # No key has such a name: that nobody checked it can be seen.
        assert kept["actor"] == "Ann Müller (no key)"
        assert shop.read("/edits", actor="Ann Müller (no key)")["totalCount"] == 1

    @pytest.mark.parametrize("name", ["", "%20%20", "a%0Ab", "x" * 65])
    def test_a_name_that_is_none_is_refused(self, shop: Api, name: str) -> None:
        body = {"entity": ABOUT_ORDERS, "set": {"documentation": {"description": "x"}}}
        answer = shop.post(body, "/api/v1/edits", {"Headwater-Person": name})
        assert "Headwater-Person" in error_of(answer, 400)["message"]
        assert shop.read("/edits")["totalCount"] == 0

    def test_the_newest_is_first_and_pages_lose_nothing(self, shop: Api) -> None:
        for number in range(5):
            describe(shop, f"text {number}")
        whole = shop.read("/edits")
        assert whole["totalCount"] == 5
        texts = [each["set"]["documentation"]["description"] for each in whole["edits"]]
        assert texts == [f"text {number}" for number in (4, 3, 2, 1, 0)]
        paged = [shop.read("/edits", limit=2, offset=offset)["edits"] for offset in (0, 2, 4, 6)]
        assert [each for page in paged for each in page] == whole["edits"]

    def test_it_is_narrowed(self, shop: Api) -> None:
        describe(shop, "a table")
        write(shop, "POST", f"{LOAD}/tags/A")
        write(shop, "PUT", "/api/v1/tags/orders", {})
        write(shop, "PUT", SPACE, {"ownerName": "x"})
        about = {
            "dataset": {"type": "dataset"},
            "job": {"type": "job"},
            "tag": {"type": "tag"},
            "namespace": {"type": "namespace"},
            "dataset tag": {"name": "orders"},
            "dataset namespace": {"namespace": TABLES},
            "job ": {"namespace": JOBS, "name": "load"},
            "dataset job tag namespace": {"actor": "local"},
            "": {"actor": "nobody"},
            " ": {"name": "a\0b"},
            "  ": {"type": "job", "name": "orders"},
            "   ": {"name": "' OR 1=1 --"},
        }
        for expected, asked in about.items():
            found = shop.read("/edits", **asked)
            kinds = [each["entity"]["type"] for each in reversed(found["edits"])]
            assert (kinds, found["totalCount"]) == (expected.split(), len(expected.split())), asked

    def test_times_are_bounds(self, shop: Api) -> None:
        first, second = describe(shop, "a"), describe(shop, "b")
        assert shop.read("/edits", after=second["at"])["edits"] == [second]
        assert shop.read("/edits", before=second["at"])["edits"] == [first]

    @pytest.mark.parametrize(
        ("asked", "where"),
        [
            ({"type": "table"}, "type"),
            ({"after": "noon"}, "after"),
            ({"limit": "-1"}, "limit"),
            ({"limit": "10001"}, "limit"),
            ({"offset": "x"}, "offset"),
        ],
    )
    def test_what_cannot_be_requested(self, sqlite_api: Api, asked: Json, where: str) -> None:
        error_of(sqlite_api.get("/edits", **asked), 400, where)

    def test_edits_are_not_among_the_events(self, shop: Api) -> None:
        describe(shop, "a table")
        assert shop.event_count() == 1


class TestUndo:
    def test_what_was_before_comes_back(self, shop: Api) -> None:
        describe(shop, "first")
        second = describe(shop, "second")
        undone = undo(shop, second["id"])
        assert undone["undoes"] == second["id"]
        assert description(shop) == "first"

    def test_an_undo_is_undone(self, shop: Api) -> None:
        first = describe(shop, "first")
        gone = undo(shop, first["id"])
        assert description(shop) is None
        undo(shop, gone["id"])
        assert description(shop) == "first"
        assert len(log(shop)) == 3

    def test_each_kind(self, shop: Api) -> None:
        before = shop.dataset(TABLES, "orders"), shop.job(JOBS, "load")
        write(shop, "POST", f"{ORDERS}/tags/A")
        write(shop, "POST", f"{ORDERS}/fields/id/tags/A")
        write(shop, "POST", f"{LOAD}/tags/A")
        edit(shop, ABOUT_LOAD, set={"ownership": {"owners": [{"name": "ada"}]}})
        write(shop, "PUT", LOAD, {"type": "SERVICE", "inputs": [dataset("in")], "outputs": []})
        for kept in reversed(log(shop)):
            undo(shop, kept["id"])
        after = shop.dataset(TABLES, "orders"), shop.job(JOBS, "load")
        assert _but_times(after[0]) == _but_times(before[0])
        assert _but_times(after[1]) == _but_times(before[1])

    def test_a_deletion(self, shop: Api) -> None:
        write(shop, "DELETE", ORDERS)
        back = undo(shop, log(shop)[-1]["id"])
        assert shop.dataset(TABLES, "orders")["name"] == "orders"
        undo(shop, back["id"])
        error_of(send(shop, "GET", ORDERS), 404)

    def test_that_of_a_namespace(self, shop: Api) -> None:
        write(shop, "DELETE", SPACE)
        back = undo(shop, log(shop)[-1]["id"])
        assert names(shop, "datasets", TABLES) == ["orders"]
        undo(shop, back["id"])
        assert names(shop, "datasets", TABLES) == []
        assert write(shop, "POST", f"{SPACE}/restore")["isHidden"] is False
        assert names(shop, "datasets", TABLES) == ["orders"]

    def test_what_one_edit_made_goes_with_it(self, shop: Api) -> None:
        write(shop, "PUT", f"{SPACE}/datasets/planned", TABLE)
        gone = undo(shop, log(shop)[-1]["id"])
        assert names(shop, "datasets", TABLES) == ["orders"]
        undo(shop, gone["id"])
        assert names(shop, "datasets", TABLES) == ["orders", "planned"]

    def test_what_others_did_since_is_not_lost(self, shop: Api) -> None:
        first = describe(shop, "first")
        second = describe(shop, "second")
        write(shop, "POST", f"{ORDERS}/tags/A")
        error = error_of(send(shop, "POST", f"/api/v1/edits/{first['id']}/undo"), 409)
        for part in ("documentation", "local", second["at"], second["id"]):
            assert part in error["message"]
        # A description of a field is another thing.
        describe(shop, "of a field", field="id")
        undo(shop, second["id"])
        assert description(shop) == "first"

    @pytest.mark.parametrize("id", ["0" * 32, "xyz", "%00", "ab"])
    def test_an_unknown_one(self, shop: Api, id: str) -> None:
        error_of(send(shop, "POST", f"/api/v1/edits/{id}/undo"), 404)


def _but_times(shape: Json) -> Json:
    return {key: value for key, value in shape.items() if not key.endswith("At")}


BAD: list[tuple[Json, int, str | None]] = [
    ({}, 422, "$.entity"),
    ({"entity": {"type": "table", "name": "x"}}, 422, "$.entity.type"),
    ({"entity": {"type": "tag", "name": "x"}, "set": {"deleted": True}}, 422, "$.entity.type"),
    ({"entity": ABOUT_ORDERS}, 422, "$.set"),
    ({"entity": {**ABOUT_ORDERS, "name": "none"}, "unset": ["ownership"]}, 404, None),
    ({"entity": ABOUT_ORDERS, "set": {"deleted": True}}, 422, "$.set.deleted"),
    ({"entity": ABOUT_ORDERS, "set": {"documentation": "x"}}, 422, "$.set.documentation"),
    (
        {"entity": ABOUT_ORDERS, "set": {"documentation": {"description": 1}}},
        422,
        "$.set.documentation.description",
    ),
    ({"entity": ABOUT_ORDERS, "set": {"tag/": True}}, 422, "$.set.tag/"),
    ({"entity": ABOUT_ORDERS, "set": {"tag/A": "yes"}}, 422, "$.set.tag/A"),
    (
        {"entity": ABOUT_ORDERS, "set": {"ownership": {"owners": [{"name": ""}]}}},
        422,
        "$.set.ownership.owners[0].name",
    ),
    ({"entity": ABOUT_ORDERS, "unset": ["schema"]}, 422, "$.unset[0]"),
    ({"entity": ABOUT_ORDERS, "set": {"tag/A": True}, "unset": ["tag/A"]}, 422, "$.unset[0]"),
    ({"entity": {**ABOUT_LOAD, "field": "x"}, "unset": ["ownership"]}, 422, "$.entity.field"),
    ({"entity": ABOUT_LOAD, "unset": ["symlinks"]}, 422, "$.unset[0]"),
]


class TestPost:
    def test_owners_and_joined_names(self, shop: Api) -> None:
        edit(shop, ABOUT_ORDERS, set={"ownership": {"owners": [{"name": "ada"}]}})
        facets = shop.dataset(TABLES, "orders")["facets"]
        assert facets["ownership"]["owners"] == [{"name": "ada", "type": "OWNER"}]
        shop.store(run_event(job="copy", run="copy-1", inputs=[dataset("same")]))
        other = {"namespace": TABLES, "name": "same", "type": "TABLE"}
        edit(shop, ABOUT_ORDERS, set={"symlinks": {"identifiers": [other]}})
        graph = shop.read("/lineage", nodeId=f"job:{JOBS}:load")["graph"]
        assert f"job:{JOBS}:copy" in [node["id"] for node in graph]

    def test_undoing_a_join_parts_the_names_again_and_undoing_that_joins_them(
        self, shop: Api
    ) -> None:
        shop.store(run_event(job="copy", run="copy-1", inputs=[dataset("same")]))
        other = {"namespace": TABLES, "name": "same", "type": "TABLE"}

        def are_joined() -> bool:
            graph = shop.read("/lineage", nodeId=f"job:{JOBS}:load")["graph"]
            return f"job:{JOBS}:copy" in [node["id"] for node in graph]

        joined = edit(shop, ABOUT_ORDERS, set={"symlinks": {"identifiers": [other]}})
        assert are_joined()
        parted = undo(shop, joined["id"])
        assert not are_joined()
        again = undo(shop, parted["id"])
        assert are_joined()
        cut = {"identifiers": [{**other, "type": "CUT"}]}
        cut_off = edit(shop, ABOUT_ORDERS, set={"symlinks": cut})
        assert not are_joined()
        undo(shop, cut_off["id"])
        assert are_joined()
        assert again["set"]["symlinks"]["identifiers"] == [other]

    def test_a_field_that_is_not_there(self, shop: Api) -> None:
        entity = {**ABOUT_ORDERS, "field": "none"}
        answer = send(shop, "POST", "/api/v1/edits", {"entity": entity, "set": {"tag/A": True}})
        assert answer.status_code == 404
        assert answer.json()["near"] == ["email", "id"]

    @pytest.mark.parametrize(("body", "status", "where"), BAD)
    def test_what_is_refused(
        self, sqlite_api: Api, body: Json, status: int, where: str | None
    ) -> None:
        sqlite_api.store(run_event("START", outputs=[dataset("orders", schema=schema(id="int"))]))
        error_of(send(sqlite_api, "POST", "/api/v1/edits", body), status, where)
        assert log(sqlite_api) == []


@pytest.mark.slow
class TestMany:
    def test_edits_at_once_are_all_kept_and_the_newest_counts(self, shop: Api) -> None:
        def say(number: int) -> None:
            describe(shop, f"text {number}")
            write(shop, "POST", f"{ORDERS}/tags/t{number}")

        with ThreadPoolExecutor(64) as pool:
            list(pool.map(say, range(64)))
        kept = log(shop)
        assert len(kept) == 128
        assert len({each["at"] for each in kept}) == 128
        told = [each["set"]["documentation"] for each in kept if "documentation" in each["set"]]
        assert description(shop) == told[-1]["description"]
        tags = shop.dataset(TABLES, "orders")["tags"]
        assert tags == sorted(f"t{number}" for number in range(64))
        # Nor does saying again what is there already keep others waiting.
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(lambda _: write(shop, "POST", f"{ORDERS}/tags/t1"), range(128)))
        assert len(log(shop)) == 128

    def test_more_readers_than_threads_and_connections(self, shop: Api) -> None:
        limits = httpx2.Limits(max_connections=150)
        with (
            httpx2.Client(base_url=shop.url, trust_env=False, timeout=60, limits=limits) as client,
            ThreadPoolExecutor(150) as pool,
        ):
            found = list(pool.map(lambda _: client.get(ORDERS).status_code, range(300)))
        assert set(found) == {200}

    def test_ten_thousand_tags(self, shop: Api) -> None:
        tags = [f"tag-{number:05}" for number in range(10_000)]
        write(shop, "PUT", ORDERS, {**TABLE, "tags": tags})
        assert shop.dataset(TABLES, "orders")["tags"] == tags
        assert len(write(shop, "POST", f"{ORDERS}/tags/one-more")["tags"]) == 10_001
        assert len(write(shop, "DELETE", f"{ORDERS}/tags/tag-00007")["tags"]) == 10_000
        (first, *_) = log(shop)
        assert len(first["set"]) >= 10_000


class TestWho:
    def test_the_key_is_the_actor_and_a_reader_cannot_write(self, tmp_path: Path) -> None:
        store = f"sqlite:///{tmp_path / 'headwater.db'}"
        keys = "grace:a-long-secret-to-write:write+read,reader:a-long-secret-to-read:read"
        engine = open_engine(store)
        with (
            serve(no_lake(store, auth=AuthSettings(keys=SecretStr(keys)))) as url,
            httpx2.Client(base_url=url, trust_env=False, timeout=60) as client,
        ):
            api = Api(url, client, engine)
            client.headers["X-API-Key"] = "a-long-secret-to-write"
            # The key says who it is, whoever the sender says to be.
            client.headers["Headwater-Person"] = "ann"
            write(api, "PUT", LOAD, {"type": "BATCH"})
            run = write(api, "POST", f"{LOAD}/runs", {}, status=201)
            assert run["facets"]["headwater_actor"]["name"] == "grace"
            (kept,) = log(api)
            assert kept["actor"] == "grace"
            client.headers["X-API-Key"] = "a-long-secret-to-read"
            assert log(api) == [kept]
            for method, path in (
                ("PUT", LOAD),
                ("DELETE", LOAD),
                ("POST", f"{LOAD}/tags/A"),
                ("POST", f"{LOAD}/restore"),
                ("POST", f"/api/v1/edits/{kept['id']}/undo"),
                ("POST", "/api/v1/edits"),
                ("POST", f"/api/v1/jobs/runs/{escape(run['id'])}/start"),
            ):
                error_of(send(api, method, path), 403)
            assert log(api) == [kept]
        engine.dispose()


class TestUnchangedSince:
    """Two people with the same form open: who saves second is told, and nothing is lost."""

    def body(self, text: str, since: str) -> Json:
        return {
            "entity": ABOUT_ORDERS,
            "set": {"documentation": {"description": text}},
            "unchangedSince": since,
        }

    def test_who_comes_second_is_refused(self, shop: Api) -> None:
        first = write(shop, "POST", "/api/v1/edits", self.body("A", "1970-01-01T00:00:00Z"), 201)
        answer = send(shop, "POST", "/api/v1/edits", self.body("B", "1970-01-01T00:00:00Z"))
        error = error_of(answer, 409)
        assert "documentation was changed since by 'local'" in error["message"]
        assert first["id"] in error["message"]
        assert description(shop) == "A"
        write(shop, "POST", "/api/v1/edits", self.body("B", first["at"]), 201)
        assert description(shop) == "B"

    def test_another_aspect_is_no_conflict(self, shop: Api) -> None:
        edit(shop, ABOUT_ORDERS, set={"tag/gold": True})
        describe(shop, "of a column", field="email")
        write(shop, "POST", "/api/v1/edits", self.body("A", "1970-01-01T00:00:00Z"), 201)
        assert description(shop) == "A"

    def test_what_is_no_time_is_refused(self, shop: Api) -> None:
        answer = send(shop, "POST", "/api/v1/edits", self.body("A", "yesterday"))
        error_of(answer, 422, "$.unchangedSince")
