"""`collect pipelines`: a platform's list becomes declared jobs; what it does not say is a gap."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import ValidationError

from headwater.collect.pipelines import PipelinesCollector, PipelinesSettings
from headwater.collect.pipelines.fetch import read_list
from headwater.errors import SourceUnavailable

Json = dict[str, Any]
EXAMPLE = Path(__file__).parents[2] / "docs/examples/pipelines/streamkap.json"
KAFKA = "kafka://kafka:9092"


class Passes:
    """Passes over a list, each by a collector that is made anew, as a new process has it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "list.json"
        self.document: Any = json.loads(EXAMPLE.read_text())

    def run(self, **more: Any) -> dict[str, Json]:
        self.file.write_text(json.dumps(self.document))
        given = {"place": str(self.file), "bootstrap": "kafka:9092", **more}
        settings = PipelinesSettings(state=self.file.parent / "state", **given)
        collector = PipelinesCollector(settings, "http://server")
        found = list(collector.collect())
        collector.acknowledge(found)
        return {event["job"]["name"]: event for event in (json.loads(e.data) for e in found)}

    def gaps(self, **more: Any) -> list[str]:
        events = self.run(**more).values()
        (event,) = [each for each in events if each["job"]["namespace"] == "headwater"]
        return [f"{gap['name']}: {gap['description']}" for gap in gaps_of(event)]


def gaps_of(event: Json) -> list[Json]:
    found: list[Json] = event["run"]["facets"]["headwater_gaps"]["gaps"]
    return found


def edges(event: Json) -> tuple[list[str], list[str]]:
    inputs, outputs = (
        [f"{each['namespace']}|{each['name']}" for each in event[side]]
        for side in ("inputs", "outputs")
    )
    return inputs, outputs


@pytest.fixture
def passes(tmp_path: Path) -> Passes:
    return Passes(tmp_path)


def test_the_example_is_a_chain_from_tables_to_tables(passes: Passes) -> None:
    jobs = passes.run()
    assert jobs.keys() == {"shop-database", "mask-customers", "orders-to-warehouse"}
    database = "postgres://db.example.com:5432|shop.public"
    assert edges(jobs["shop-database"]) == (
        [f"{database}.orders", f"{database}.customers"],
        [f"{KAFKA}|public.orders", f"{KAFKA}|public.customers"],
    )
    assert edges(jobs["mask-customers"]) == (
        [f"{KAFKA}|public.customers"],
        [f"{KAFKA}|public.customers_masked"],
    )
    assert edges(jobs["orders-to-warehouse"]) == (
        [f"{KAFKA}|public.orders", f"{KAFKA}|public.customers_masked"],
        [
            "snowflake://acme-main|RAW.SHOP.ORDERS",
            "snowflake://acme-main|RAW.SHOP.CUSTOMERS_MASKED",
        ],
    )
    facets = jobs["orders-to-warehouse"]["job"]["facets"]
    assert facets["ownership"]["owners"][0]["name"] == "team:data"
    assert "run" not in jobs["shop-database"]


def test_pairs_are_told(passes: Passes) -> None:
    topic = passes.run()["shop-database"]["outputs"][0]
    assert [each["name"] for each in topic["facets"]["lineage"]["inputs"]] == ["shop.public.orders"]


def test_only_changes_are_sent_and_what_is_gone_is_withdrawn(passes: Passes) -> None:
    passes.run()
    assert passes.run() == {}
    passes.document["pipelines"][0]["transforms"] = []
    jobs = passes.run()
    assert jobs.keys() == {"mask-customers", "orders-to-warehouse"}
    assert edges(jobs["mask-customers"]) == ([], [])


def test_a_source_of_several_pipelines_is_one_job(passes: Passes) -> None:
    (first,) = passes.document["pipelines"]
    source = {**first["source"], "topics": ["public.returns"]}
    passes.document["pipelines"].append({**first, "name": "second", "source": source})
    _, outputs = edges(passes.run()["shop-database"])
    assert outputs == [f"{KAFKA}|public.{name}" for name in ("orders", "customers", "returns")]


def test_topics_with_a_prefix(passes: Passes) -> None:
    event = passes.run(prefix="source_66.")["shop-database"]
    inputs, outputs = edges(event)
    assert outputs[0] == f"{KAFKA}|source_66.public.orders"
    assert inputs[0].endswith("shop.public.orders")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"transforms": ["t9"]}, "t9: The list does not say what this transform"),
        ({"source": {"name": "s", "connector": "webhook"}}, "s: No class of Kafka Connect"),
        (
            {"destination": {"name": "d", "connector": "snowflake"}},
            "d: The settings of the list do not name",
        ),
    ],
)
def test_what_the_list_does_not_say_is_a_gap(passes: Passes, change: Json, expected: str) -> None:
    passes.document["pipelines"][0].update(change)
    assert any(gap.startswith(expected) for gap in passes.gaps())


def test_gaps_are_taken_back(passes: Passes) -> None:
    passes.document["pipelines"][0]["transforms"].append("t9")
    (gap,) = passes.gaps()
    assert gap.startswith("t9")
    passes.document["pipelines"][0]["transforms"].pop()
    assert passes.gaps() == []


def test_a_pipeline_that_cannot_be_read_is_a_gap_and_the_others_go_on(passes: Passes) -> None:
    passes.document["pipelines"].insert(0, {"name": "broken", "source": "s1"})
    jobs = passes.run()
    assert "orders-to-warehouse" in jobs
    assert "pipeline 1 cannot be read" in str(gaps_of(jobs.popitem()[1]))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no list of pipelines"),
        ("{", "line 2"),
        ("a: [1\nb: 2", "line 2"),
        ("42", "no list of pipelines"),
        ('{"names": []}', "no list under"),
        ("a: &a [x]\nb: [*a, *a]", "aliases"),
        ("[" * 100_000, "nests deeper"),
    ],
)
def test_files_that_are_no_list(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "list"
    file.write_text(text)
    collector = PipelinesCollector(
        PipelinesSettings(place=str(file), bootstrap="k", state=tmp_path), "http://server"
    )
    with pytest.raises(SourceUnavailable, match=reason):
        list(collector.collect())
    (step,) = collector.check()
    assert not step.is_ok and step.next_step


def api(pages: list[Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What is read of an API with these pages, which wants a token."""

    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.headers.get("Authorization") != "Bearer secret":
            return httpx2.Response(401)
        number = int(request.url.params.get("page", "1"))
        return httpx2.Response(200, json=pages[number - 1])

    monkeypatch.setenv("TOKEN", "secret")
    place = "https://api.example.com/api/pipelines"
    settings = PipelinesSettings(place=place, bootstrap="k", token="env:TOKEN")
    return read_list(settings, httpx2.MockTransport(handle))


def test_all_pages_of_an_api_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [{"total": 3, "page": n, "result": some} for n, some in ((1, [1, 2]), (2, [3]))]
    assert api(pages, monkeypatch)["result"] == [1, 2, 3]


def test_an_api_that_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SourceUnavailable, match="page 2 is empty"):
        api([{"total": 3, "result": [1]}, {"total": 3, "result": []}], monkeypatch)


@pytest.mark.parametrize("status", [401, 404, 500])
def test_an_api_that_refuses(status: int) -> None:
    settings = PipelinesSettings(place="https://api.example.com/x", bootstrap="k")
    transport = httpx2.MockTransport(lambda request: httpx2.Response(status))
    with pytest.raises(SourceUnavailable, match=str(status)):
        read_list(settings, transport)


@pytest.mark.parametrize(
    "wrong",
    [
        {"place": "https://user:pw@api.example.com"},
        {"token": "geheim"},
        {"bootstrap": ""},
        {"tables": "first"},
    ],
)
def test_settings_that_cannot_be(wrong: Json) -> None:
    with pytest.raises(ValidationError):
        PipelinesSettings(**{"place": "list.json", "bootstrap": "k", **wrong})


def test_ids_are_those_of_their_own_list_and_may_be_numbers(passes: Passes) -> None:
    for each in passes.document["sources"] + passes.document["destinations"]:
        each["id"] = 1
    (pipeline,) = passes.document["pipelines"]
    pipeline.update(source={"id": 1}, destination={"id": 1}, topics=["public.orders"])
    jobs = passes.run()
    assert edges(jobs["shop-database"])[0][0] == "postgres://db.example.com:5432|shop.public.orders"
    assert edges(jobs["orders-to-warehouse"])[1][0].startswith("snowflake://acme-main|RAW.SHOP.")


def test_jobs_of_one_name_stay_apart(passes: Passes) -> None:
    (first,) = passes.document["pipelines"]
    first.update(name="shop-database", transforms=[])
    passes.document["pipelines"].append(
        {**first, "id": "p2", "source": {**first["source"], "id": "s2", "topics": ["public.gone"]}}
    )
    jobs = passes.run()
    assert edges(jobs["shop-database p2"])[0] == [f"{KAFKA}|public.gone"]
    assert edges(jobs["shop-database source s2"])[1] == [f"{KAFKA}|public.gone"]
    assert f"{KAFKA}|public.gone" not in edges(jobs["shop-database p1"])[0]


def test_pipelines_that_nothing_tells_apart_are_a_gap(passes: Passes) -> None:
    (first,) = passes.document["pipelines"]
    del first["id"]
    passes.document["pipelines"].append({**first, "topics": ["public.gone"]})
    assert any("Several pipelines have this name" in gap for gap in passes.gaps())


def test_a_pipeline_without_topics_is_a_gap(passes: Passes) -> None:
    del passes.document["pipelines"][0]["source"]["topics"]
    assert any("no topics of this pipeline" in gap for gap in passes.gaps())


def test_a_table_that_the_settings_give_a_topic_counts(passes: Passes) -> None:
    passes.document["pipelines"][0]["transforms"] = []
    settings = passes.document["destinations"][0]["config"]
    settings["snowflake.topic2table.map"] = "public.orders:SHOP_ORDERS"
    _, outputs = edges(passes.run()["orders-to-warehouse"])
    assert [each.rpartition(".")[2] for each in outputs] == ["SHOP_ORDERS", "CUSTOMERS"]
