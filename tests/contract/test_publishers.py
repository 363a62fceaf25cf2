"""What every publisher must do; each that is registered has an example here to do it with."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import httpx2
import msgspec
import pytest
from pydantic import ValidationError

from headwater.config import Section
from headwater.errors import TargetUnavailable
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.plugins import CheckStep
from headwater.publish import PUBLISHERS, Publisher
from headwater.store.engine import Engine
from headwater.store.write.writer import open_writer
from testing.commands import run_program
from testing.events.bridge import UNITY, estate
from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from testing.services.moto import Moto
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.datahub import DataHubStandIn
from testing.stand_ins.datazone import DataZoneStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.openmetadata import OpenMetadataStandIn
from testing.stand_ins.recording import serve_written
from tests.store.conftest import empty_engine, engine, store_url

__all__ = ["empty_engine", "engine", "store_url"]

pytestmark = pytest.mark.integration

TOKEN = "catalog-very-secret"
EVENTS = [
    msgspec.json.encode(run_event(job=f"job-{number}", at=f"2024-05-01T10:00:0{number}Z"))
    for number in range(5)
]


class Example(NamedTuple):
    """A target: settings of one that is there, and of one that is not, and what it was sent."""

    present: dict[str, Any]
    absent: dict[str, Any]
    received: Callable[[], list[Any]]
    expected: list[Any]
    events: Sequence[bytes] = EVENTS


def example_openlineage(request: pytest.FixtureRequest) -> Example:
    server: Headwater = request.getfixturevalue("target_server")

    def received() -> list[Any]:
        answer = httpx2.get(
            f"{server.url}/api/v1/events/lineage",
            params={"limit": 100, "sortDirection": "asc"},
            trust_env=False,
        )
        return list(answer.json()["events"])

    return Example(
        {"to": server.url},
        {"to": "http://127.0.0.1:1"},
        received,
        [json.loads(event) for event in EVENTS],
    )


def example_unity_catalog(request: pytest.FixtureRequest) -> Example:
    stand_in = request.getfixturevalue("databricks")
    given = {"token": "env:CATALOG_TOKEN", "namespace": [UNITY]}

    def received() -> list[Any]:
        return sorted(each["properties"]["name"] for each in stand_in.objects.values())

    names = ["acme.sales.orders", "enrich", "orders", "orders-source", "orders.enriched"]
    return Example(
        {"url": stand_in.url, **given},
        {"url": "http://127.0.0.1:1", **given},
        received,
        [*names, "shop.public.orders", "sink-3", "sink-4", "sink-5", "table/sales/orders"],
        estate(),
    )


def example_google(request: pytest.FixtureRequest) -> Example:
    stand_in = request.getfixturevalue("google")
    given = {"token": "env:CATALOG_TOKEN", "project": "acme"}
    return Example(
        {"url": stand_in.url, **given},
        {"url": "http://127.0.0.1:1", **given},
        lambda: sorted(each["job"]["name"] for each in stand_in.events.values()),
        ["enrich", "orders-source", "sink-3", "sink-4", "sink-5"],
        estate(),
    )


def example_datazone(request: pytest.FixtureRequest) -> Example:
    stand_in = request.getfixturevalue("datazone")
    given = {"region": "eu-west-1", "domain": "dzd_abc123"}
    return Example(
        {"endpoint_url": stand_in.url, **given},
        {"endpoint_url": "http://127.0.0.1:1", **given},
        lambda: sorted(each["job"]["name"] for each in stand_in.events.values()),
        ["enrich", "orders-source", "sink-3", "sink-4", "sink-5"],
        estate(),
    )


def example_glue(request: pytest.FixtureRequest) -> Example:
    glue = request.getfixturevalue("glue")

    def received() -> list[Any]:
        (table,) = glue.get_tables(DatabaseName="sales")["TableList"]
        return sorted(key for key in table["Parameters"] if key.endswith((".jobs", ".columns")))

    return Example(
        {"region": "eu-west-1", "endpoint_url": glue.meta.endpoint_url},
        {"region": "eu-west-1", "endpoint_url": "http://127.0.0.1:1"},
        received,
        ["headwater.columns", "headwater.jobs"],
        estate(),
    )


def example_openlineage_graph(request: pytest.FixtureRequest) -> Example:
    folder: Path = request.getfixturevalue("tmp_path")
    file = folder / "graph.ndjson"

    def received() -> list[Any]:
        lines = file.read_bytes().splitlines() if file.exists() else []
        jobs = [json.loads(line).get("job") for line in lines]
        return sorted(job["name"] for job in jobs if job)

    return Example(
        {"to": f"file:{file}"},
        {"to": f"file:{folder / 'no' / 'folder'}", "name": "away"},
        received,
        ["enrich", "orders-source", "sink-3", "sink-4", "sink-5"],
        estate(),
    )


def example_datahub(request: pytest.FixtureRequest) -> Example:
    stand_in = request.getfixturevalue("datahub")
    given = {"token": "env:CATALOG_TOKEN", "include": ["sink-*"]}

    def received() -> list[Any]:
        return sorted(urn for urn in stand_in.entities if urn.startswith("urn:li:dataJob:"))

    flow = "urn:li:dataFlow:(kafka-connect,scheduler,PROD)"
    return Example(
        {"url": stand_in.url, **given},
        {"url": "http://127.0.0.1:1", **given},
        received,
        [f"urn:li:dataJob:({flow},sink-{number})" for number in (3, 4, 5)],
        estate(),
    )


def example_openmetadata(request: pytest.FixtureRequest) -> Example:
    stand_in = request.getfixturevalue("openmetadata")
    given = {"token": "env:CATALOG_TOKEN", "service": ["kafka://=kafka", "bigquery=bq"]}
    # What nothing of is there leaves these without a call.
    given["include"] = ["acme.sales.orders"]
    return Example(
        {"url": stand_in.url, **given},
        {"url": "http://127.0.0.1:1", **given},
        lambda: [each["description"] for each in stand_in.links.values()],
        ["Headwater: by scheduler/sink-5"],
        estate(),
    )


# One line for each publisher of Headwater's own.
EXAMPLES: dict[str, Callable[[pytest.FixtureRequest], Example]] = {
    "openlineage": example_openlineage,
    "unity-catalog": example_unity_catalog,
    "glue": example_glue,
    "datazone": example_datazone,
    "google-lineage": example_google,
    "openlineage-graph": example_openlineage_graph,
    "datahub": example_datahub,
    "openmetadata": example_openmetadata,
}


@pytest.fixture(autouse=True)
def keys_of_catalogs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CATALOG_TOKEN", TOKEN)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")


@pytest.fixture
def databricks() -> Iterator[DatabricksStandIn]:
    with serve_written(DatabricksStandIn(TOKEN)) as stand_in:
        stand_in.add_table("main.sales.orders")
        yield stand_in


@pytest.fixture
def google() -> Iterator[GoogleLineageStandIn]:
    with serve_written(GoogleLineageStandIn(TOKEN)) as stand_in:
        yield stand_in


@pytest.fixture
def datazone() -> Iterator[DataZoneStandIn]:
    with serve_written(DataZoneStandIn("dzd_abc123", "AKIATEST")) as stand_in:
        yield stand_in


@pytest.fixture
def datahub() -> Iterator[DataHubStandIn]:
    with serve_written(DataHubStandIn(TOKEN)) as stand_in:
        yield stand_in


@pytest.fixture
def openmetadata() -> Iterator[OpenMetadataStandIn]:
    with serve_written(OpenMetadataStandIn(TOKEN)) as stand_in:
        stand_in.add("topic", 'kafka."orders.enriched"', "order_id", "customer", "amount")
        stand_in.add("table", "bq.acme.sales.orders", "order_id", "customer", "amount")
        yield stand_in


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    with Moto.start() as service:
        yield service


@pytest.fixture
def glue(moto: Moto) -> Any:
    client = boto3.client("glue", region_name="eu-west-1", endpoint_url=moto.url)
    with contextlib.suppress(client.exceptions.EntityNotFoundException):
        client.delete_database(Name="sales")
    client.create_database(DatabaseInput={"Name": "sales"})
    client.create_table(DatabaseName="sales", TableInput={"Name": "orders", "Parameters": {}})
    return client


@pytest.fixture
def target_server(tmp_path: Path) -> Iterator[Headwater]:
    with Headwater.start(data=tmp_path / "target") as server:
        yield server


@pytest.fixture(params=PUBLISHERS.own)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def example(name: str, request: pytest.FixtureRequest) -> Example:
    return EXAMPLES[name](request)


@pytest.fixture
def filled(engine: Engine, example: Example) -> Engine:
    """A store with some events."""
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        writer.write([project(decode_event(event)) for event in example.events])
    return engine


def make(name: str, settings: dict[str, Any], engine: Engine) -> Publisher:
    entry = PUBLISHERS.load(name)
    publisher: Publisher = entry(entry.settings_class.model_validate(settings), engine)
    return publisher


def test_each_has_an_example() -> None:
    assert set(EXAMPLES) == set(PUBLISHERS.own)


def test_settings_are_described_and_refuse_what_they_do_not_know(name: str) -> None:
    settings_class = PUBLISHERS.load(name).settings_class
    assert issubclass(settings_class, Section)
    assert all(field.description for field in settings_class.model_fields.values())
    with pytest.raises(ValidationError):
        settings_class.model_validate({"no_such_setting": 1})


def test_it_publishes_what_it_planned(name: str, example: Example, filled: Engine) -> None:
    publisher = make(name, example.present, filled)
    assert publisher.plan()
    assert example.received() == []
    sent = sum(step.sent for step in publisher.publish())
    assert sent > 0
    assert example.received() == example.expected
    assert sum(step.sent for step in make(name, example.present, filled).publish()) == 0


def test_a_target_that_is_away_gets_it_later(name: str, example: Example, filled: Engine) -> None:
    with pytest.raises(TargetUnavailable):
        list(make(name, example.absent, filled).publish())
    list(make(name, example.present, filled).publish())
    assert example.received() == example.expected


def test_check_names_its_steps_and_changes_nothing(
    name: str, example: Example, filled: Engine
) -> None:
    steps = make(name, example.present, filled).check()
    assert steps and all(isinstance(step, CheckStep) and step.is_ok for step in steps)
    failed = [step for step in make(name, example.absent, filled).check() if not step.is_ok]
    assert failed and all(step.detail and step.next_step for step in failed)
    assert example.received() == []


def test_its_command_publishes(name: str, example: Example, filled: Engine) -> None:
    store = filled.url.render_as_string(hide_password=False)
    given = {
        key: value if isinstance(value, list) else [value] for key, value in example.present.items()
    }
    pairs = [
        (f"--{key.replace('_', '-')}", str(one)) for key, some in given.items() for one in some
    ]
    options = [word for pair in pairs for word in pair]
    outcome = run_program("publish", name, *options, "--store", store, "-o", "json")
    assert (outcome.status, outcome.err) == (0, "")
    assert json.loads(outcome.out)["refused"] == 0
    assert example.received() == example.expected
