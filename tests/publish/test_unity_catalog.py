"""`publish unity-catalog`, against a stand-in that is as strict as Databricks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from headwater.errors import BadSecret, Busy, TargetUnavailable
from headwater.model.uses import Name
from headwater.publish.unity_catalog import UnityCatalogPublisher, UnityCatalogSettings, names
from headwater.store.engine import Engine
from headwater.store.published import list_problems
from testing.events.bridge import KAFKA, UNITY, column_lineage, estate
from testing.events.minimal import dataset, run_event
from testing.stand_ins.databricks import LINEAGE, DatabricksStandIn
from testing.stand_ins.recording import Reply, serve_written
from tests.publish.conftest import Fill, run

TOKEN = "dapi-very-secret"
TABLE = "main.sales.orders"


@pytest.fixture
def databricks(monkeypatch: pytest.MonkeyPatch) -> Iterator[DatabricksStandIn]:
    monkeypatch.setenv("UC_TOKEN", TOKEN)
    with serve_written(DatabricksStandIn(TOKEN)) as stand_in:
        stand_in.add_table(TABLE)
        yield stand_in


def publisher(databricks: DatabricksStandIn, store: Engine, **more: Any) -> UnityCatalogPublisher:
    given = {"url": databricks.url, "token": "env:UC_TOKEN", "namespace": (UNITY,), **more}
    return UnityCatalogPublisher(UnityCatalogSettings.model_validate(given), store)


def object_of(databricks: DatabricksStandIn, name: str) -> dict[str, Any]:
    (found,) = (each for each in databricks.objects.values() if each["properties"]["name"] == name)
    return found


def link(databricks: DatabricksStandIn, source: str, target: str) -> dict[str, Any]:
    return databricks.links[source, target]


def test_a_topic_is_linked_to_a_table_by_columns(
    databricks: DatabricksStandIn, shop: Engine
) -> None:
    done = run(publisher(databricks, shop))
    assert (done.refused, done.skipped) == (0, 0)
    topic = object_of(databricks, "orders.enriched")
    assert (topic["system_type"], topic["entity_type"]) == ("KAFKA", "Topic")
    assert topic["columns"] == ["order_id", "customer", "amount"]
    connector = object_of(databricks, "sink-3")
    assert connector["entity_type"] == "Connector"
    columns = link(databricks, topic["name"], f"table:{TABLE}")["columns"]
    assert {(each["source"], each["target"]) for each in columns} == {
        (name, name) for name in ("order_id", "customer", "amount")
    }
    assert (topic["name"], connector["name"]) in databricks.links
    assert (connector["name"], f"table:{TABLE}") in databricks.links
    assert object_of(databricks, "shop.public.orders")["system_type"] == "POSTGRESQL"


def test_what_was_collected_there_does_not_go_back(
    databricks: DatabricksStandIn, shop: Engine, fill: Fill
) -> None:
    run(publisher(databricks, shop))
    before = len(databricks.writes)
    daily = dataset("main.gold.daily", UNITY)
    event = run_event(job="job/7", inputs=[dataset(TABLE, UNITY)], outputs=[daily])
    event["job"]["namespace"] = f"databricks://{databricks.url.partition('://')[2]}"
    fill([msgspec.json.encode(event)])
    done = run(publisher(databricks, shop))
    assert len(databricks.writes) == before
    assert (done.sent, done.refused) == (0, 0)


def test_a_second_run_writes_nothing(databricks: DatabricksStandIn, shop: Engine) -> None:
    run(publisher(databricks, shop))
    before = len(databricks.writes)
    done = run(publisher(databricks, shop))
    assert len(databricks.writes) == before
    assert (done.sent, done.refused) == (0, 0) and done.unchanged > 10


def test_only_what_changes_goes_out(
    databricks: DatabricksStandIn, shop: Engine, fill: Fill
) -> None:
    run(publisher(databricks, shop))
    before = len(databricks.writes)
    source, target = dataset("orders.enriched", KAFKA), dataset(TABLE, UNITY)
    facets = {"columnLineage": column_lineage(source, "order_id")}
    again = run_event(
        "COMPLETE",
        at="2024-05-02T10:00:00Z",
        job="sink-3",
        run="0189" + "0" * 4 + "-0000-7000-8000-000000000099",
        inputs=[source],
        outputs=[{**target, "facets": facets}],
    )
    fill([msgspec.json.encode(again)])
    (planned,) = publisher(databricks, shop).plan()
    assert planned.action == "update" and TABLE in planned.what
    assert any(line.startswith("- columns") and "customer" in line for line in planned.details)
    done = run(publisher(databricks, shop))
    assert (done.created, done.updated, done.removed) == (0, 1, 0)
    (call,) = databricks.writes[before:]
    assert (call.method, call.path) == ("PATCH", LINEAGE)
    assert call.body["columns"] == [{"source": "order_id", "target": "order_id"}]


def test_properties_and_comments_of_tables(databricks: DatabricksStandIn, shop: Engine) -> None:
    run(publisher(databricks, shop, warehouse="wh-1", property_prefix="lineage_bridge"))
    table = databricks.tables[TABLE]
    topics = table["properties"]["lineage_bridge.source_topics"]
    assert topics == f"{KAFKA}/orders, {KAFKA}/orders.enriched"
    assert table["properties"]["lineage_bridge.source_connectors"] == "scheduler/sink-3"
    assert "orders.enriched" in table["comment"]


def test_a_comment_of_a_person_stays(databricks: DatabricksStandIn, shop: Engine) -> None:
    databricks.tables[TABLE]["comment"] = "Orders; ask Ann"
    run(publisher(databricks, shop, warehouse="wh-1"))
    assert databricks.tables[TABLE]["comment"] == "Orders; ask Ann"
    assert databricks.tables[TABLE]["properties"]


def test_what_is_not_linked_to_a_table_stays_out(
    databricks: DatabricksStandIn, store: Engine, fill: Fill
) -> None:
    fill(estate(with_tables=False))
    assert run(publisher(databricks, store)).sent == 0
    assert run(publisher(databricks, store, all=True)).created == 11


def test_a_table_that_is_not_there(databricks: DatabricksStandIn, shop: Engine) -> None:
    del databricks.tables[TABLE]
    done = run(publisher(databricks, shop))
    assert done.refused == 0 and done.skipped == 2
    assert any(TABLE in problem for problem in done.problems)
    databricks.add_table(TABLE)
    assert run(publisher(databricks, shop)).created == 2


def test_gone_things_are_removed_only_where_requested(
    databricks: DatabricksStandIn, shop: Engine
) -> None:
    run(publisher(databricks, shop, all=True))
    assert run(publisher(databricks, shop, all=True, jobs=False)).removed == 0
    objects = len(databricks.objects)
    done = run(publisher(databricks, shop, all=True, jobs=False, prune=True))
    assert done.removed > 5 and done.refused == 0
    assert len(databricks.objects) == objects - 5
    assert run(publisher(databricks, shop, all=True, jobs=False, prune=True)).removed == 0


def test_patterns_limit_what_is_published_and_removed(
    databricks: DatabricksStandIn, shop: Engine
) -> None:
    run(publisher(databricks, shop))
    before = len(databricks.writes)
    run(publisher(databricks, shop, include=("no-such*",), prune=True))
    assert len(databricks.writes) == before
    planned = publisher(databricks, shop, name="other", include=("orders.enriched",)).plan()
    assert all("orders_enriched" in each.what for each in planned)


class TestFaults:
    def test_a_token_that_ends_half_way(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        databricks.fail(
            Reply(401, {"error_code": "UNAUTHENTICATED", "message": f"bad {TOKEN}"}),
            when=lambda call: call.method == "POST" and len(databricks.objects) == 3,
        )
        with pytest.raises(TargetUnavailable) as caught:
            run(publisher(databricks, shop))
        assert TOKEN not in str(caught.value)
        assert len(databricks.objects) == 3
        writes = len(databricks.writes)
        done = run(publisher(databricks, shop))
        # What was taken is not sent again.
        assert done.created == done.sent and done.unchanged == 3
        assert len(databricks.writes) - writes == done.created

    def test_some_items_are_forbidden(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        name = names.dataset_object_name("kafka", Name(KAFKA, "orders"))
        databricks.forbidden.add(name)
        done = run(publisher(databricks, shop))
        assert done.refused == 1 and done.created > 5
        with shop.connect() as connection:
            problems = list_problems(connection, databricks.url, 10)
        assert any(each.key.key == name and "not allowed" in each.problem for each in problems)
        databricks.forbidden.clear()
        assert run(publisher(databricks, shop)).refused == 0
        with shop.connect() as connection:
            assert list_problems(connection, databricks.url, 10) == []

    @pytest.mark.slow
    def test_a_storm_of_429(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        busy = Reply(
            429, {"error_code": "RESOURCE_EXHAUSTED", "message": "slow"}, {"Retry-After": "4"}
        )
        databricks.fail(busy, times=2)
        waits: list[float] = []
        one = publisher(databricks, shop)
        one.sleep = waits.append
        databricks_steps = list(one.publish())
        assert sum(step.refused for step in databricks_steps) == 0
        assert waits and min(waits) >= 4

    def test_it_fails_inside(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        broken = Reply(500, {"error_code": "INTERNAL_ERROR", "message": "oops"})
        databricks.fail(broken, times=1)
        done = run(publisher(databricks, shop))
        assert done.refused == 1
        assert run(publisher(databricks, shop)).refused == 0
        databricks.fail(broken, times=100)
        with pytest.raises(TargetUnavailable):
            run(publisher(databricks, shop, name="other", all=True))

    def test_a_time_out_after_the_write(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        databricks.loses_answers = 1
        done = run(publisher(databricks, shop))
        assert done.refused == 0
        assert len(databricks.objects) == len(
            {each["properties"]["name"] for each in databricks.objects.values()}
        )
        assert run(publisher(databricks, shop)).sent == 0

    def test_killed_and_resumed(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        # Nothing is noted of the last write: it is repeated, and is no duplicate.
        list(publisher(databricks, shop, include=("orders*",)).publish())
        with shop.begin() as connection:
            connection.exec_driver_sql("DELETE FROM published_item")
        done = run(publisher(databricks, shop))
        assert done.refused == 0
        assert run(publisher(databricks, shop)).sent == 0

    def test_a_stranger_has_the_name(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        name = names.dataset_object_name("kafka", Name(KAFKA, "orders"))
        databricks.objects[name] = {
            "name": name,
            "system_type": "OTHER",
            "entity_type": "x",
            "properties": {"name": "theirs"},
        }
        done = run(publisher(databricks, shop))
        assert done.refused == 1 and "not made by Headwater" in done.problems[0]
        assert databricks.objects[name]["entity_type"] == "x"

    def test_emptied_behind_our_back(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        run(publisher(databricks, shop))
        objects, links = dict(databricks.objects), dict(databricks.links)
        databricks.objects.clear()
        databricks.links.clear()
        assert run(publisher(databricks, shop)).sent == 0
        planned = publisher(databricks, shop, verify=True).plan()
        assert {each.action for each in planned} == {"create"}
        done = run(publisher(databricks, shop, verify=True))
        assert done.created == len(objects) + len(links)
        assert databricks.objects.keys() == objects.keys()
        assert run(publisher(databricks, shop, verify=True)).sent == 0

    def test_changed_behind_our_back(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        run(publisher(databricks, shop))
        object_of(databricks, "orders")["columns"] = ["mine"]
        assert run(publisher(databricks, shop, verify=True)).updated == 1
        assert object_of(databricks, "orders")["columns"][0] == "order_id"

    def test_two_at_once(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        with publisher(databricks, shop).alone(), pytest.raises(Busy):
            publisher(databricks, shop).alone().__enter__()

    def test_no_secret(self, shop: Engine, databricks: DatabricksStandIn) -> None:
        with pytest.raises(BadSecret):
            list(publisher(databricks, shop, token="env:NO_SUCH").publish())
        with pytest.raises(ValidationError):
            publisher(databricks, shop, token=TOKEN)

    def test_the_token_is_nowhere(self, databricks: DatabricksStandIn, shop: Engine) -> None:
        run(publisher(databricks, shop))
        stored = shop.url.database
        assert stored is not None
        assert TOKEN.encode() not in Path(stored).read_bytes()


@pytest.mark.parametrize("name", ["a" * 400, "a/b.c d", "Ünïcode-✓", "'; DROP TABLE x --", "\\"])
def test_odd_names(databricks: DatabricksStandIn, store: Engine, fill: Fill, name: str) -> None:
    target = dataset(TABLE, UNITY)
    event = run_event(
        "COMPLETE", inputs=[dataset(name, KAFKA)], outputs=[target, dataset(name, "s3://b")]
    )
    fill([msgspec.json.encode(event)])
    done = run(publisher(databricks, store, warehouse="wh-1"))
    assert done.refused == 0 and done.skipped == 0
    assert len(databricks.objects) == 3


def test_a_cycle(databricks: DatabricksStandIn, store: Engine, fill: Fill) -> None:
    here, there = dataset("here", KAFKA), dataset(TABLE, UNITY)
    events = [
        run_event("COMPLETE", job="one", inputs=[here], outputs=[there, here]),
        run_event(
            "COMPLETE",
            job="two",
            run="01890000-0000-7000-8000-000000000002",
            inputs=[there],
            outputs=[here],
        ),
    ]
    fill([msgspec.json.encode(each) for each in events])
    assert run(publisher(databricks, store, warehouse="wh-1")).refused == 0
    done = run(publisher(databricks, store, jobs=False, name="other"))
    assert done.refused == 0 and done.skipped == 1


def test_check(
    databricks: DatabricksStandIn, shop: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(step.is_ok for step in publisher(databricks, shop).check())
    monkeypatch.setenv("UC_TOKEN", "wrong")
    failed = [step for step in publisher(databricks, shop).check() if not step.is_ok]
    assert failed and "refused" in failed[0].detail
    assert databricks.writes == []
