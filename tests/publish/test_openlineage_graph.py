"""`publish openlineage-graph`: the graph as events, and what a backend of our own makes of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pydantic import ValidationError

from headwater.answers.inventory import Inventory
from headwater.errors import BadSecret, TargetUnavailable
from headwater.model.event import decode_event
from headwater.publish.openlineage.graph import (
    OpenLineageGraphPublisher,
    OpenLineageGraphSettings,
)
from headwater.store.engine import Engine
from testing.api import Api, open_api
from testing.events.bridge import DATABASE, KAFKA, column_lineage
from testing.events.minimal import dataset, run_event
from testing.stand_ins.recording import Call, Reply, WrittenStandIn, serve_written
from tests.publish.conftest import Fill, run

TOKEN = "backend-very-secret"
PATH = "/api/v1/lineage"


class _Backend(WrittenStandIn):
    """A backend that takes events with a key and a header, and nothing that is not one."""

    def answer(self, call: Call) -> Reply:
        if call.headers.get("authorization") != f"Bearer {TOKEN}":
            return Reply(401, {"error": f"no key: {call.headers.get('authorization')}"})
        if (call.method, call.path) != ("POST", PATH):
            return Reply(404, {"error": "no such path"})
        decode_event(msgspec.json.encode(call.body))
        return Reply(201)

    @property
    def events(self) -> list[Any]:
        return [call.body for call in self.writes]


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Backend]:
    monkeypatch.setenv("BACKEND_TOKEN", TOKEN)
    with serve_written(_Backend()) as stand_in:
        yield stand_in


def publisher(store: Engine, to: str, **more: Any) -> OpenLineageGraphPublisher:
    given = {"to": to, "token": "env:BACKEND_TOKEN" if to.startswith("http") else "", **more}
    return OpenLineageGraphPublisher(OpenLineageGraphSettings.model_validate(given), store)


def of_job(events: list[Any], name: str) -> Any:
    (found,) = (each for each in events if each.get("job", {}).get("name") == name)
    return found


def test_datasets_and_jobs_once(backend: _Backend, shop: Engine) -> None:
    done = run(publisher(shop, backend.url, header=("X-Team=data",)))
    assert (done.created, done.refused, done.skipped) == (11, 0, 0)
    assert {call.headers["x-team"] for call in backend.writes} == {"data"}
    datasets = [each["dataset"]["name"] for each in backend.events[:6]]
    assert sorted(datasets)[-3:] == ["orders.enriched", "shop.public.orders", "table/sales/orders"]
    enrich = of_job(backend.events[6:], "enrich")
    assert enrich["job"]["facets"]["jobType"]["integration"] == "FLINK"
    (output,) = enrich["outputs"]
    fields = output["facets"]["columnLineage"]["fields"]
    assert fields["amount"]["inputFields"][0]["name"] == "orders"
    assert run(publisher(shop, backend.url)).sent == 0
    assert len(backend.writes) == 11


def test_only_what_changed(backend: _Backend, shop: Engine, fill: Fill) -> None:
    run(publisher(shop, backend.url))
    other = run_event(
        "COMPLETE", at="2024-05-02T10:00:00Z", job="enrich",
        run="01890000-0000-7000-8000-000000000077",
        inputs=[dataset("orders", KAFKA), dataset("customers", KAFKA)],
        outputs=[dataset("orders.enriched", KAFKA)],
    )  # fmt: skip
    fill([msgspec.json.encode(other)])
    done = run(publisher(shop, backend.url))
    assert (done.created, done.updated) == (1, 1)
    assert backend.events[-2]["dataset"]["name"] == "customers"
    assert [each["name"] for each in backend.events[-1]["inputs"]] == ["customers", "orders"]


def test_another_headwater_has_the_same_graph(shop: Engine, fill: Fill, tmp_path: Path) -> None:
    """By a file: nodes, columns, and which output is of which input."""
    inputs = [dataset(name, DATABASE) for name in ("a", "b")]
    outputs = [
        dataset(f"out.{each['name']}", KAFKA, columnLineage=column_lineage(each, "id"),
                lineage={"inputs": [{**each, "type": "DATASET"}]})
        for each in inputs
    ]  # fmt: skip
    fill([msgspec.json.encode(run_event("COMPLETE", job="copy", inputs=inputs, outputs=outputs))])
    file = tmp_path / "graph.ndjson"
    done = run(publisher(shop, f"file:{file}"))
    assert done.refused == 0
    lines = file.read_bytes().splitlines()
    assert len(lines) == done.created
    with open_api(f"sqlite:///{tmp_path / 'other.db'}") as api:
        api.store(*lines)
        flows = [_flows(engine) for engine in (shop, api.engine)]
        assert flows[0] == flows[1]
        assert ("out.a", ("a",)) in flows[1]["copy"]
        assert _columns(api, KAFKA, "out.a") == {("id", "a", "id")}
        assert _columns(api, KAFKA, "orders.enriched") >= {("amount", "orders", "amount")}


def test_inputs_of_no_output(backend: _Backend, store: Engine, fill: Fill, tmp_path: Path) -> None:
    """Also what nothing is made of, and what is left where an output is excluded."""
    a, b = (dataset(name, KAFKA) for name in "ab")
    only_a = {"inputs": [{**a, "type": "DATASET"}]}
    only_b = {"inputs": [{**b, "type": "DATASET"}]}
    jobs = {
        "one": [dataset("one", KAFKA, lineage=only_a)],
        "two": [dataset(name, KAFKA, lineage=only_a) for name in ("two", "too")],
        "rest": [dataset("rest", KAFKA, lineage=only_a), dataset("secret", KAFKA, lineage=only_b)],
    }
    fill(
        msgspec.json.encode(
            run_event(
                "COMPLETE",
                job=job,
                run=f"01890000-0000-7000-8000-00000000000{number}",
                inputs=[a, b],
                outputs=outputs,
            )
        )
        for number, (job, outputs) in enumerate(jobs.items())
    )
    run(publisher(store, backend.url, exclude=("secret",)))
    with open_api(f"sqlite:///{tmp_path / 'other.db'}") as api:
        api.store(*map(msgspec.json.encode, backend.events))
        flows = _flows(api.engine)
    made = {output: inputs for some in flows.values() for output, inputs in some if output}
    assert made == dict.fromkeys(("one", "two", "too", "rest"), ("a",))


def _flows(engine: Engine) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """What each job makes each of its outputs of."""
    return {
        job.name.name: [
            (flow.output.name.name if flow.output else "", tuple(i.name.name for i in flow.inputs))
            for flow in job.flows
        ]
        for job in Inventory(engine).jobs()
    }


def _columns(api: Api, namespace: str, name: str) -> set[tuple[str, str, str]]:
    node = f"dataset:{namespace}:{name}"
    found = api.read("/column-lineage", nodeId=node, depth="1")["graph"]
    return {
        (each["data"]["field"], source["dataset"], source["field"])
        for each in found
        if each["data"] and each["data"]["dataset"] == name
        for source in each["data"]["inputFields"]
    }


def test_as_events_of_runs(backend: _Backend, shop: Engine) -> None:
    """The same run each time, with the columns of datasets, as these have no events."""
    done = run(publisher(shop, backend.url, run_events=True))
    assert (done.created, {each["eventType"] for each in backend.events}) == (5, {"COMPLETE"})
    enrich = of_job(backend.events, "enrich")
    assert len(enrich["inputs"][0]["facets"]["schema"]["fields"]) == 3
    run(publisher(shop, backend.url, run_events=True, name="again"))
    runs = [each["run"]["runId"] for each in backend.events if each["job"]["name"] == "enrich"]
    assert len(runs) == 2 and len(set(runs)) == 1


def test_other_namespaces(backend: _Backend, shop: Engine) -> None:
    rename = ("kafka://*=kafka-of-acme://", f"{DATABASE}=shop-database", "scheduler=jobs")
    run(publisher(shop, backend.url, rename_namespace=rename))
    text = json.dumps(backend.events)
    assert KAFKA not in text and DATABASE not in text and '"scheduler"' not in text
    fields = of_job(backend.events, "enrich")["outputs"][0]["facets"]["columnLineage"]["fields"]
    assert fields["amount"]["inputFields"][0]["namespace"] == "kafka-of-acme://broker:9092"


def test_what_is_excluded_is_named_nowhere(backend: _Backend, shop: Engine) -> None:
    run(publisher(shop, backend.url, exclude=("orders.enriched",)))
    assert "orders.enriched" not in json.dumps(backend.events)


def test_what_is_gone(backend: _Backend, shop: Engine) -> None:
    run(publisher(shop, backend.url))
    with shop.begin() as connection:
        for table in ("job_dataset", "job", "dataset"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    assert run(publisher(shop, backend.url)).skipped == 11
    done = run(publisher(shop, backend.url, prune=True))
    assert done.removed == 11
    jobs, datasets = backend.events[11:16], backend.events[16:]
    assert all(each["inputs"] == each["outputs"] == [] for each in jobs)
    changes = [each["dataset"]["facets"]["lifecycleStateChange"] for each in datasets]
    assert {each["lifecycleStateChange"] for each in changes} == {"DROP"}


def test_tags_owners_and_nested_columns(backend: _Backend, store: Engine, fill: Fill) -> None:
    inner = {"name": "city", "type": "string", "description": "where"}
    fields = [{"name": "address", "type": "struct", "fields": [inner]}]
    facets: Any = {
        "schema": {"fields": fields},
        "tags": {"tags": [{"key": "pii", "value": "true", "source": "USER"}]},
        "ownership": {"owners": [{"name": "team:data", "type": "OWNER"}]},
        "symlinks": {"identifiers": [{"namespace": "hive://m", "name": "db.t", "type": "TABLE"}]},
    }
    fill([msgspec.json.encode(run_event("COMPLETE", outputs=[dataset("t", **facets)]))])
    run(publisher(store, backend.url))
    (found,) = (each["dataset"] for each in backend.events if "dataset" in each)
    assert found["facets"]["schema"]["fields"] == fields
    assert found["facets"]["tags"]["tags"][0]["key"] == "pii"
    assert found["facets"]["ownership"]["owners"][0]["name"] == "team:data"
    assert found["facets"]["symlinks"]["identifiers"][0]["name"] in ("t", "db.t")


class TestFaults:
    def test_a_key_that_ends_amid_a_run(self, backend: _Backend, shop: Engine) -> None:
        backend.fail(Reply(401, {"error": TOKEN}), when=lambda call: len(backend.calls) > 4)
        with pytest.raises(TargetUnavailable, match="401") as caught:
            run(publisher(shop, backend.url))
        assert TOKEN not in str(caught.value)
        assert run(publisher(shop, backend.url)).created == 7

    @pytest.mark.parametrize("status", [400, 403, 409, 422])
    def test_one_that_is_refused(self, backend: _Backend, shop: Engine, status: int) -> None:
        backend.fail(Reply(status, {"error": "no"}))
        done = run(publisher(shop, backend.url))
        assert (done.created, done.refused) == (10, 1)
        assert str(status) in done.problems[0]
        assert run(publisher(shop, backend.url)).created == 1

    def test_an_address_that_is_wrong(self, backend: _Backend, shop: Engine) -> None:
        with pytest.raises(TargetUnavailable, match="404"):
            run(publisher(shop, backend.url, endpoint="other"))

    def test_one_event_that_breaks_it(self, backend: _Backend, shop: Engine) -> None:
        backend.fail(Reply(500, {"error": "oh"}))
        done = run(publisher(shop, backend.url))
        assert (done.created, done.refused) == (10, 1)
        assert "the next pass tries again" in done.problems[0]

    def test_a_backend_that_is_broken(self, backend: _Backend, shop: Engine) -> None:
        backend.fail(Reply(500, {"error": "oh"}), times=3)
        with pytest.raises(TargetUnavailable, match="500"):
            run(publisher(shop, backend.url))
        assert len(backend.writes) == 3

    def test_a_storm_of_429(self, backend: _Backend, shop: Engine) -> None:
        backend.fail(Reply(429, {}, {"Retry-After": "3"}), times=3)
        one, waits = publisher(shop, backend.url), list[float]()
        one.sleep = waits.append
        assert sum(step.created for step in one.publish()) == 11
        assert waits == [3.0, 3.0, 4.0]

    def test_an_answer_that_is_lost(self, backend: _Backend, shop: Engine) -> None:
        backend.loses_answers = 1
        assert run(publisher(shop, backend.url)).created == 11

    def test_nobody_there_and_no_secret(
        self, shop: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BACKEND_TOKEN", TOKEN)
        with pytest.raises(TargetUnavailable, match="no answer"):
            run(publisher(shop, "http://127.0.0.1:1"))
        monkeypatch.delenv("BACKEND_TOKEN")
        with pytest.raises(BadSecret):
            run(publisher(shop, "http://127.0.0.1:1"))


def test_it_cannot_be_verified(shop: Engine) -> None:
    with pytest.raises(ValidationError, match="publish again shop"):
        publisher(shop, "file:x", verify=True, name="shop")


def test_check(backend: _Backend, shop: Engine, tmp_path: Path) -> None:
    assert all(step.is_ok for step in publisher(shop, f"file:{tmp_path}/x").check())
    (_, file) = publisher(shop, f"file:{tmp_path}/no/x").check()
    assert not file.is_ok and file.next_step == "make the folder"


def test_odd_names(backend: _Backend, store: Engine, fill: Fill) -> None:
    name = "Bestellungen «€» 🦀\u202e/a b%\"'\\"
    event = run_event("COMPLETE", job=name, inputs=[dataset(name)], outputs=[dataset(name * 40)])
    fill([msgspec.json.encode(event)])
    assert run(publisher(store, backend.url)).created == 3
    assert backend.events[-1]["inputs"][0]["name"] == name


def test_it_is_what_openlineage_specifies(shop: Engine, tmp_path: Path) -> None:
    """Each of one of three kinds, which have exactly these fields."""
    run(publisher(shop, f"file:{tmp_path / 'x'}"))
    known = {"eventTime", "producer", "schemaURL", "job", "inputs", "outputs"}
    for line in (tmp_path / "x").read_bytes().splitlines():
        event = json.loads(line)
        assert event.keys() in (known, {"eventTime", "producer", "schemaURL", "dataset"})


def test_only_what_changed_since_then(backend: _Backend, shop: Engine, fill: Fill) -> None:
    """And what is next to that; the rest is neither sent nor gone."""
    renamed = run_event(
        "COMPLETE", at="2024-05-02T10:00:00Z", job="enrich",
        run="01890000-0000-7000-8000-000000000077",
        inputs=[dataset("orders", KAFKA)], outputs=[dataset("orders.enriched", KAFKA)],
    )  # fmt: skip
    fill([msgspec.json.encode(renamed)])
    done = run(publisher(shop, backend.url, since="2024-05-02", prune=True))
    assert (done.created, done.removed) == (3, 0)
    assert [each["dataset"]["name"] for each in backend.events[:2]] == ["orders.enriched", "orders"]
    assert backend.events[2]["job"]["name"] == "enrich"
    assert run(publisher(shop, backend.url, since="2024-05-03")).sent == 0
    assert run(publisher(shop, backend.url, since="1h", prune=True)).removed == 0
    assert run(publisher(shop, backend.url)).created == 8
    with pytest.raises(ValidationError, match="is no time"):
        publisher(shop, backend.url, since="yesterday")
