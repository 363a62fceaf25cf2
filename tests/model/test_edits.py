"""What an edit states, and that the order of edits and events makes no difference."""

from itertools import permutations
from random import Random
from typing import Any

import msgspec
import pytest

from headwater.model.event import Entity, decode_event
from headwater.model.facts import Facts
from headwater.model.project import project
from headwater.model.project.edits import entity_id
from headwater.model.relations import NamedKind
from headwater.model.values.ids import dataset_id, job_id, namespace_id, tag_id
from tests.properties.strategies import rows_of
from tests.store.rows import differences

Json = dict[str, Any]

DB = "db"
ORDERS: Json = {"type": "dataset", "namespace": DB, "name": "orders"}
LOAD: Json = {"type": "job", "namespace": "scheduler", "name": "load"}


def edit(minute: int, entity: Json, **rest: Any) -> bytes:
    said = {"actor": "ada", "entity": entity, **rest}
    return msgspec.json.encode({"eventTime": f"2024-05-01T10:{minute:02}:00Z", "edit": said})


def run(minute: int, **rest: Any) -> bytes:
    event = {
        "eventTime": f"2024-05-01T10:{minute:02}:00Z",
        "eventType": "RUNNING",
        "run": {"runId": "run-1"},
        "job": {"namespace": "scheduler", "name": "load"},
        "outputs": [{"namespace": DB, "name": "orders"}],
        **rest,
    }
    return msgspec.json.encode(event)


def facts_of(data: bytes) -> Facts:
    return project(decode_event(data))


def stated(data: bytes, relation: str) -> list[Any]:
    return facts_of(data).rows.get(relation, [])


class TestWithin:
    def test_a_namespace_hides_what_is_named_with_it(self) -> None:
        within = {"datasets": ["orders"], "jobs": ["load"]}
        entity = {"type": "namespace", "name": DB}
        rows = stated(edit(0, entity, set={"deleted": True}, within=within), "hidden")
        hidden = {row[0] for row in rows}
        assert hidden == {namespace_id(DB), dataset_id(DB, "orders"), job_id(DB, "load")}
        assert {row[2] for row in rows} == {1}

    def test_and_shows_it_again(self) -> None:
        entity = {"type": "namespace", "name": DB}
        back = edit(1, entity, unset=["deleted"], within={"datasets": ["orders"]})
        assert {row[2] for row in stated(back, "hidden")} == {0}

    def test_of_anything_else_it_says_nothing(self) -> None:
        rows = stated(edit(0, ORDERS, set={"deleted": True}, within={"jobs": ["x"]}), "hidden")
        assert [row[0] for row in rows] == [dataset_id(DB, "orders")]


class TestNames:
    @pytest.mark.parametrize(
        ("entity", "id"),
        [
            (Entity("dataset", "orders", DB), dataset_id(DB, "orders")),
            (Entity("job", "load", "s"), job_id("s", "load")),
            (Entity("namespace", DB), namespace_id(DB)),
            (Entity("tag", "PII"), tag_id("PII")),
        ],
    )
    def test_an_entity_is_known_by_its_id(self, entity: Entity, id: bytes) -> None:
        assert entity_id(entity) == id

    def test_an_edit_that_says_nothing_names_its_tag(self) -> None:
        (named,) = stated(edit(0, {"type": "tag", "name": "PII"}), "named")
        assert tuple(named)[:2] == (NamedKind.TAG, "PII")

    def test_an_undo_tells_what_it_undoes(self) -> None:
        decoded = decode_event(edit(0, ORDERS, unset=["ownership"], undoes="ab"))
        assert decoded.edit is not None
        assert decoded.edit.undoes == "ab"


MANY = [
    run(0),
    edit(1, ORDERS, set={"documentation": {"description": "one"}, "tag/A": True}),
    edit(1, ORDERS, set={"documentation": {"description": "two"}}),
    edit(2, ORDERS, unset=["documentation"], set={"tag/A": False}),
    edit(2, {**ORDERS, "field": "id"}, set={"tag/A": True}),
    edit(3, ORDERS, set={"deleted": True}),
    run(4, eventType="COMPLETE"),
    edit(5, ORDERS, set={"schema": {"fields": [{"name": "id"}]}, "deleted": False}),
    edit(6, LOAD, set={"datasets": {"inputs": [{"namespace": DB, "name": "in"}]}}),
    edit(7, LOAD, unset=["datasets"]),
    edit(7, {"type": "namespace", "name": DB}, set={"deleted": True}, within={"jobs": ["x"]}),
    edit(8, {"type": "tag", "name": "A"}, set={"documentation": {"description": "x"}}),
]


class TestOrder:
    def test_few_in_every_order(self) -> None:
        some = MANY[1:6]
        expected = rows_of(map(facts_of, some))
        for order in permutations(some):
            assert differences(rows_of(map(facts_of, order)), expected) == {}

    @pytest.mark.parametrize("seed", range(50))
    def test_all_shuffled_and_doubled(self, seed: int) -> None:
        expected = rows_of(map(facts_of, MANY))
        sent = [*MANY, *MANY]
        Random(seed).shuffle(sent)
        assert differences(rows_of(map(facts_of, sent)), expected) == {}
