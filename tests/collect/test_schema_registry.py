"""`collect schema-registry`: the schemas of topics; only changes are sent, whatever it answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from headwater.collect.schema_registry import SchemaRegistryCollector, SchemaRegistrySettings
from headwater.errors import SourceUnavailable
from headwater.model.values.instant import now
from testing.stand_ins.schema_registry import RegistryStandIn
from testing.stand_ins.serving import StandInAnswer, serve

Json = dict[str, Any]
ORDER = {"type": "record", "name": "shop.Order", "fields": [{"name": "id", "type": "string"}]}
BID = {"type": "record", "name": "shop.Bid", "fields": [{"name": "price", "type": "double"}]}
# 2026-01-05T10:00:00Z, in milliseconds.
JANUARY = 1_767_607_200_000


def with_field(schema: Json, name: str, **more: Any) -> str:
    return json.dumps(
        {**schema, "fields": [*schema["fields"], {"name": name, "type": "int", **more}]}
    )


@pytest.fixture(params=[True, False], ids=["with a list", "one by one"])
def registry(request: pytest.FixtureRequest) -> Iterator[RegistryStandIn]:
    with serve(RegistryStandIn(has_list=request.param)) as stand_in:
        yield stand_in


class Passes:
    """Passes over a registry, each by a collector that is made anew, as a new process has it."""

    def __init__(self, url: str, folder: Path) -> None:
        self._settings = {"url": url, "bootstrap": "kafka:9092", "state": folder / "state"}

    def collector(self, **more: Any) -> SchemaRegistryCollector:
        settings = SchemaRegistrySettings(**{**self._settings, **more})
        return SchemaRegistryCollector(settings, "http://server")

    def run(self, **more: Any) -> list[Json]:
        """The events of one pass, all of them delivered."""
        collector = self.collector(**more)
        found = list(collector.collect())
        collector.acknowledge(found)
        return [json.loads(each.data) for each in found]


@pytest.fixture
def passes(registry: RegistryStandIn, tmp_path: Path) -> Passes:
    return Passes(registry.url, tmp_path)


def facets(event: Json) -> Json:
    found: Json = event["dataset"]["facets"]
    return found


def columns(event: Json) -> list[str]:
    return [each["name"] for each in facets(event)["schema"]["fields"]]


def named(event: Json) -> tuple[str, str]:
    return event["dataset"]["namespace"], event["dataset"]["name"]


def subjects(event: Json) -> dict[str, int]:
    return {e["subject"]: e["version"] for e in facets(event)["schema_registry"]["subjects"]}


class TestNames:
    def test_of_the_topic(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        registry.add("orders-key", '"string"')
        (event,) = passes.run()
        assert named(event) == ("kafka://kafka:9092", "orders")
        assert columns(event) == ["id"]
        assert facets(event)["kafka_key"]["fields"] == [{"name": "key", "type": "string"}]
        assert subjects(event) == {"orders-key": 1, "orders-value": 1}

    def test_of_topic_and_record(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("shop-shop.Order", json.dumps(ORDER))
        registry.add("shop-shop.Bid", json.dumps(BID))
        (event,) = passes.run()
        assert named(event) == ("kafka://kafka:9092", "shop")
        assert columns(event) == ["shop.Bid", "shop.Order"]

    def test_of_the_record(self, registry: RegistryStandIn, passes: Passes) -> None:
        """Its topic is not known: it stands for itself, until somebody says which topic it is."""
        registry.add("shop.Order", json.dumps(ORDER))
        (event,) = passes.run()
        own = ("schema-registry://" + registry.url.removeprefix("http://"), "shop.Order")
        assert named(event) == own
        moved = passes.run(topics="shop.Order=orders")
        assert [named(each) for each in moved] == [("kafka://kafka:9092", "orders"), own]
        assert facets(moved[1])["lifecycleStateChange"]["lifecycleStateChange"] == "DROP"

    def test_of_contexts(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add(":.west:orders-value", json.dumps(ORDER))
        registry.add(":.east:orders-value", json.dumps(ORDER))
        found = [named(each) for each in passes.run(contexts="west=west-kafka:9093")]
        own = "schema-registry://" + registry.url.removeprefix("http://")
        assert found == [("kafka://west-kafka:9093", "orders"), (own, ":.east:orders-value")]

    @pytest.mark.parametrize("pairs", ["a", "a=", "=b", "a=b c"])
    def test_what_is_no_pair(self, pairs: str, passes: Passes) -> None:
        with pytest.raises(ValidationError):
            passes.collector(topics=pairs)


class TestChanges:
    def test_only_changes_are_sent(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        registry.add("bids-value", json.dumps(BID))
        assert len(passes.run()) == 2
        assert passes.run() == []
        registry.add("orders-value", with_field(ORDER, "n"))
        registry.add("orders-value", with_field(ORDER, "m"))
        found = passes.run()
        # Each version between two passes, in its order.
        assert [columns(each) for each in found] == [["id", "n"], ["id", "m"]]
        assert [facets(each)["version"]["datasetVersion"] for each in found] == ["2", "3"]
        assert found[0]["eventTime"] < found[1]["eventTime"]
        assert passes.run() == []

    def test_a_key_that_comes_and_goes(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        passes.run()
        registry.add("orders-key", '"string"')
        (event,) = passes.run()
        assert columns(event) == ["id"] and "kafka_key" in facets(event)
        registry.delete("orders-key")
        (event,) = passes.run()
        assert columns(event) == ["id"]
        assert facets(event)["kafka_key"]["_deleted"] is True

    def test_since_they_were_registered(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER), ts=JANUARY)
        registry.add("orders-value", with_field(ORDER, "n"), ts=JANUARY + 60_000)
        found = passes.run()
        assert [each["eventTime"][:16] for each in found] == [
            "2026-01-05T10:00",
            "2026-01-05T10:01",
        ]
        assert passes.run() == []

    def test_so_many_of_the_past(self, registry: RegistryStandIn, passes: Passes) -> None:
        for number in range(5):
            registry.add("orders-value", with_field(ORDER, f"n{number}"), ts=JANUARY + number)
        assert [columns(each)[1] for each in passes.run(history=2)] == ["n3", "n4"]

    def test_clocks_that_disagree(self, registry: RegistryStandIn, passes: Passes) -> None:
        """The newest version has the newest event, and none is from the future."""
        registry.add("orders-value", json.dumps(ORDER), ts=now() // 1_000 + 86_400_000)
        before = passes.run()
        registry.add("orders-value", with_field(ORDER, "n"), ts=JANUARY)
        (event,) = passes.run()
        assert columns(event) == ["id", "n"]
        assert before[0]["eventTime"] < event["eventTime"]

    def test_soft_deletes(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        registry.add("orders-value", with_field(ORDER, "n", **{"confluent:tags": ["PII"]}))
        (event,) = passes.run()
        assert facets(event)["tags"]["tags"][0]["field"] == "n"
        registry.delete("orders-value", version=2)
        (event,) = passes.run()
        # The one before is the newest again.
        assert (columns(event), facets(event)["tags"]["tags"]) == (["id"], [])
        registry.delete("orders-value")
        (event,) = passes.run()
        assert facets(event)["schema"]["_deleted"] is True
        gone = {"subject": "orders-value", "isDeleted": True, "canBeRestored": True}
        assert facets(event)["schema_registry"]["subjects"] == [gone]
        assert passes.run() == []

    def test_another_compatibility(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        (event,) = passes.run()
        assert facets(event)["schema_registry"]["subjects"][0]["compatibility"] == "BACKWARD"
        registry.compatibility["orders-value"] = "FULL"
        (event,) = passes.run()
        assert facets(event)["schema_registry"]["subjects"][0]["compatibility"] == "FULL"
        assert passes.run() == []

    def test_what_was_not_delivered_is_sent_again(
        self, registry: RegistryStandIn, passes: Passes
    ) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        assert len(list(passes.collector().collect())) == 1
        assert len(passes.run()) == 1

    def test_references_and_tags_beside_the_schema(
        self, registry: RegistryStandIn, passes: Passes
    ) -> None:
        registry.add("order", json.dumps(ORDER))
        used = {"name": "shop.Order", "subject": "order", "version": 1}
        cart = {"type": "record", "name": "Cart", "fields": [{"name": "o", "type": "shop.Order"}]}
        metadata = {"tags": {"shop.Order.id": ["PII"], "Cart": ["GOLD"], "**.nothing": ["NO"]}}
        registry.add("carts-value", json.dumps(cart), references=[used], metadata=metadata)
        event = next(each for each in passes.run() if each["dataset"]["name"] == "carts")
        (o,) = facets(event)["schema"]["fields"]
        assert [each["name"] for each in o["fields"]] == ["id"]
        found = {(each.get("field"), each["key"]) for each in facets(event)["tags"]["tags"]}
        assert found == {("o.id", "PII"), (None, "GOLD")}
        assert facets(event)["schema_registry"]["subjects"][0]["references"] == [used]

    def test_one_that_is_broken_keeps_no_other_from_being_read(
        self, registry: RegistryStandIn, passes: Passes
    ) -> None:
        registry.add("bad-value", "{")
        registry.add("orders-value", json.dumps(ORDER))
        bad, good = passes.run()
        assert "schema" not in facets(bad)
        (problem,) = facets(bad)["schema_registry"]["subjects"][0]["problems"]
        assert problem.startswith("bad-value is no schema of Avro")
        assert columns(good) == ["id"]


class TestFaults:
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (StandInAnswer(401), "check --user and --password"),
            (StandInAnswer(403), "check --user and --password"),
            (StandInAnswer(404, b"nowhere"), "answered 404"),
            (StandInAnswer(500, b"oops"), "answered 500: oops"),
            (StandInAnswer(200, b"<html>sign in</html>"), "not JSON"),
            (StandInAnswer(200, b'{"compat'), "not JSON"),
            (StandInAnswer(200, b"[" * 100_000), "not JSON"),
            (StandInAnswer(200, b"[]"), "not as a schema registry"),
            (StandInAnswer(200, b'{"compatibilityLevel": "NONE"}', sent=5), "no answer"),
        ],
    )
    def test_answers_that_end_a_pass(
        self, answer: StandInAnswer, reason: str, registry: RegistryStandIn, passes: Passes
    ) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        passes.run()
        registry.faults["/config"] = [answer]
        with pytest.raises(SourceUnavailable, match=reason):
            passes.run()
        del registry.faults["/config"]
        # Nothing was taken to be deleted.
        assert passes.run() == []

    def test_a_list_that_breaks_off_deletes_nothing(
        self, registry: RegistryStandIn, passes: Passes
    ) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        passes.run()
        path = "/schemas" if registry.has_list else "/subjects"
        registry.faults[path] = [StandInAnswer(200, b'[{"subject": "ord')]
        with pytest.raises(SourceUnavailable):
            passes.run()
        registry.faults.clear()
        assert passes.run() == []

    def test_asked_too_often(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER))
        good = StandInAnswer(200, b'{"compatibilityLevel": "NONE"}')
        registry.faults["/config"] = [StandInAnswer(429, headers={"Retry-After": "1"}), good]
        assert len(passes.run()) == 1

    def test_odd_entries(self, registry: RegistryStandIn, passes: Passes) -> None:
        registry.add("orders-value", json.dumps(ORDER), metadata=7, schemaTags="x", references=3)
        registry.add("odd-value", json.dumps(ORDER), references=[7, {"name": 1}], ts="soon")
        registry.subjects["none"] = [{"subject": 7}]
        assert [each["dataset"]["name"] for each in passes.run()] == ["odd", "orders"]

    def test_the_password_is_not_in_what_is_reported(
        self, registry: RegistryStandIn, passes: Passes, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_text("hush-hush-hush")
        registry.add("orders-value", json.dumps(ORDER))
        own = {"user": "me", "password": f"file:{tmp_path / 'secret'}"}
        found = passes.run(**own)
        assert set(registry.authorizations) != {None}
        assert "hush" not in json.dumps(found)
        registry.faults["/config"] = [StandInAnswer(500, b"hush-hush-hush is wrong")]
        with pytest.raises(SourceUnavailable) as caught:
            passes.run(**own)
        assert "hush" not in str(caught.value)
        assert "hush" not in "".join(each.read_text() for each in (tmp_path / "state").iterdir())


@pytest.mark.slow
def test_very_many_are_read_in_pages(tmp_path: Path) -> None:
    with serve(RegistryStandIn()) as registry:
        for number in range(2_300):
            registry.add(f"topic-{number}-value", json.dumps(ORDER))
        passes = Passes(registry.url, tmp_path)
        assert len(passes.run()) == 2_300
        pages = [each for each in registry.requests if each.startswith("/schemas?")]
        assert len(pages) == 3
        assert passes.run() == []
