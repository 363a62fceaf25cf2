"""What every collector must do; each that is registered has an example here to do it with."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch
from uuid import uuid4

import boto3
import msgspec
import pytest
from pydantic import ValidationError

from headwater.collect import COLLECTORS, Collected, Collector, Resumable
from headwater.config import Section
from headwater.model.event import decode_event
from headwater.plugins import CheckStep
from testing.api import Api, open_api
from testing.commands import run_program
from testing.dbt_project import NAMESPACE, small_project
from testing.events.minimal import run_event
from testing.services.kafka import Kafka
from testing.services.moto import Moto
from testing.stand_ins.catalogs import TOKEN, fill_databricks, fill_glue, fill_google
from testing.stand_ins.confluent import open_cloud
from testing.stand_ins.connect_rest import serve_stand_in
from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.flink_rest import FlinkStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.ksqldb import KsqldbStandIn
from testing.stand_ins.recording import serve_written
from testing.stand_ins.schema_registry import RegistryStandIn
from testing.stand_ins.serving import serve


class Example(NamedTuple):
    """A system as a collector finds it: settings for one that is there, and for one that is not,
    each as options of the command too."""

    present: dict[str, Any]
    present_options: list[str]
    absent: dict[str, Any]
    events: int


def example_files(folder: Path, running: ExitStack) -> Example:
    place = folder / "events"
    place.mkdir()
    events = [msgspec.json.encode(run_event(job=f"job-{number}")) for number in range(5)]
    (place / "lines").write_bytes(b"\n".join(events[:3]))
    (place / "array").write_bytes(b"[" + b",".join(events[3:]) + b"]")
    return Example(
        {"paths": (str(place),)}, [str(place)], {"paths": (str(folder / "nowhere"),)}, len(events)
    )


def example_confluent(folder: Path, running: ExitStack) -> Example:
    opened = running.enter_context(open_cloud(folder / "cloud"))
    present = {key: value for key, value in opened.values.items() if key != "keys"}
    options = [
        part
        for key, value in present.items()
        for part in (f"--{key.replace('_', '-')}", str(value))
    ]
    options += [part for key in opened.values["keys"] for part in ("--keys", key)]
    return Example(opened.values, options, {**opened.values, "url": "http://127.0.0.1:1"}, 22)


def example_connect(folder: Path, running: ExitStack) -> Example:
    worker = running.enter_context(serve_stand_in())
    for number in range(3):
        worker.add(f"sink-{number}", {"connector.class": "FileStreamSink", "topics": "orders"})
    settings = {"group": "shop", "bootstrap": "kafka:9092", "state": str(folder / "state")}
    present = {"url": worker.url, **settings}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    return Example(present, options, {**present, "url": "http://127.0.0.1:1"}, 3)


def example_schema_registry(folder: Path, running: ExitStack) -> Example:
    registry = running.enter_context(serve(RegistryStandIn()))
    for number in range(3):
        registry.add(f"topic-{number}-value", '"string"')
    present = {"url": registry.url, "bootstrap": "kafka:9092", "state": str(folder / "state")}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    return Example(present, options, {**present, "url": "http://127.0.0.1:1"}, 3)


def example_flink(folder: Path, running: ExitStack) -> Example:
    cluster = running.enter_context(serve(FlinkStandIn()))
    for number in range(3):
        cluster.add(job := f"{number + 1:032x}", f"job-{number}")
        cluster.jobs[job]["state"] = "CREATED"
    present = {"url": cluster.url, "namespace": "shop", "state": str(folder / "state")}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    return Example(present, options, {**present, "url": "http://127.0.0.1:1"}, 3)


def example_dbt(folder: Path, running: ExitStack) -> Example:
    project = small_project()
    project.ran()
    target = project.write(folder / "shop" / "target")
    present = {"target": str(target), "namespace": NAMESPACE, "state": str(folder / "state")}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    return Example(present, options, {**present, "target": str(folder / "nowhere")}, 22)


def example_ksqldb(folder: Path, running: ExitStack) -> Example:
    server = running.enter_context(serve(KsqldbStandIn()))
    for name in ("ORDERS", "PAID"):
        server.add_source(name, name.lower(), {"ID": "INTEGER"})
    statement = "CREATE STREAM PAID AS SELECT ID FROM ORDERS EMIT CHANGES;"
    server.add_query("CSAS_PAID_1", statement, ["ORDERS"], ["PAID"])
    present = {"url": server.url, "bootstrap": "kafka:9092", "state": str(folder / "state")}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    return Example(present, options, {**present, "url": "http://127.0.0.1:1"}, 3)


def example_kafka(folder: Path, running: ExitStack, kafka: Kafka) -> Example:
    prefix = f"contract-{uuid4().hex}"
    for number in range(3):
        kafka.create_topic(f"{prefix}.{number}")
    own = {"topics": f"{prefix}.*", "groups": f"{prefix}.*", "timeout": "5s"}
    present = {"bootstrap": kafka.bootstrap, **own, "state": str(folder / "state")}
    options = [part for key, value in present.items() for part in (f"--{key}", value)]
    # Three topics, and what the cluster was not requested to tell.
    return Example(present, options, {**present, "bootstrap": "127.0.0.1:1", "timeout": "1s"}, 4)


def example_pipelines(folder: Path, running: ExitStack) -> Example:
    ends = {"source": {"name": "shop"}, "destination": {"name": "warehouse"}}
    pipelines = [{"name": f"pipeline-{number}", **ends} for number in range(3)]
    file = folder / "list.json"
    file.write_text(json.dumps({"pipelines": pipelines}))
    present = {"place": str(file), "bootstrap": "kafka:9092", "state": str(folder / "state")}
    options = [str(file), "--bootstrap", "kafka:9092", "--state", present["state"]]
    # Three pipelines, their source, and what the list does not say of it.
    return Example(present, options, {**present, "place": str(folder / "nowhere")}, 5)


def example_unity_catalog(folder: Path, running: ExitStack) -> Example:
    workspace = running.enter_context(serve_written(DatabricksStandIn(TOKEN)))
    fill_databricks(workspace)
    return _of_catalog(folder, {"url": workspace.url}, {"url": "http://127.0.0.1:1"}, 5)


def example_google(folder: Path, running: ExitStack) -> Example:
    google = running.enter_context(serve_written(GoogleLineageStandIn(TOKEN)))
    fill_google(google)
    urls = {"url": google.url, "bigquery_url": google.url}
    return _of_catalog(folder, {"project": "acme", **urls}, {"url": "http://127.0.0.1:1"}, 5)


def _of_catalog(folder: Path, own: dict[str, str], absent: dict[str, str], events: int) -> Example:
    token = folder / "token"
    token.write_text(TOKEN)
    present = {**own, "token": f"file:{token}", "state": str(folder / "state")}
    options = [
        part for key, value in present.items() for part in (f"--{key.replace('_', '-')}", value)
    ]
    return Example(present, options, {**present, **absent}, events)


def example_glue(folder: Path, running: ExitStack) -> Example:
    moto = running.enter_context(Moto.start())
    keys = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "very-secret"}
    running.enter_context(patch.dict(os.environ, keys))
    fill_glue(boto3.client("glue", region_name="eu-west-1", endpoint_url=moto.url))
    present = {"region": "eu-west-1", "endpoint_url": moto.url, "state": str(folder / "state")}
    options = ["--region", "eu-west-1", "--endpoint-url", moto.url, "--state", present["state"]]
    return Example(present, options, {**present, "endpoint_url": "http://127.0.0.1:1"}, 4)


# One line for each collector of Headwater's own; what an example starts ends with its test.
EXAMPLES: dict[str, Callable[..., Example]] = {
    "confluent": example_confluent,
    "connect": example_connect,
    "dbt": example_dbt,
    "files": example_files,
    "flink": example_flink,
    "glue": example_glue,
    "google": example_google,
    "ksqldb": example_ksqldb,
    "kafka": example_kafka,
    "pipelines": example_pipelines,
    "schema-registry": example_schema_registry,
    "unity-catalog": example_unity_catalog,
}


# The services of all tests that an example needs.
SERVICES: dict[str, tuple[str, ...]] = {"kafka": ("kafka",), "glue": ()}


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.integration] if name in SERVICES else [])
        for name in COLLECTORS.own
    ]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def example(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Example]:
    services = [request.getfixturevalue(each) for each in SERVICES.get(name, ())]
    with ExitStack() as running:
        yield EXAMPLES[name](tmp_path, running, *services)


def make(name: str, settings: dict[str, Any]) -> Collector:
    entry = COLLECTORS.load(name)
    collector: Collector = entry(entry.settings_class.model_validate(settings), "http://server")
    return collector


def timeless(collected: Collected) -> Any:
    """An event without its time: what a system is seen to be has the time of the look at it."""
    event = json.loads(collected.data)
    del event["eventTime"]
    return event


def take(collector: Collector) -> list[Collected]:
    found = list(collector.collect())
    if isinstance(collector, Resumable):
        collector.acknowledge(found)
    return found


def test_each_has_an_example() -> None:
    assert set(EXAMPLES) == set(COLLECTORS.own)


def test_settings_are_described_and_refuse_what_they_do_not_know(
    name: str, example: Example
) -> None:
    settings_class = COLLECTORS.load(name).settings_class
    assert issubclass(settings_class, Section)
    assert all(field.description for field in settings_class.model_fields.values())
    with pytest.raises(ValidationError):
        settings_class.model_validate({**example.present, "no_such_setting": 1})


def test_the_two_halves_are_where_they_are_expected(name: str) -> None:
    folder = Path(COLLECTORS.load(name).collect.__code__.co_filename).parent
    assert {"fetch.py", "translate.py"} <= {file.name for file in folder.iterdir()}


def test_every_event_is_an_openlineage_event(name: str, example: Example) -> None:
    found = take(make(name, example.present))
    assert len(found) == example.events
    for each in found:
        assert each.error is None and each.source and each.source in each.place
        decode_event(each.data)


def test_the_same_again_has_the_same_events(name: str, example: Example) -> None:
    """Of what has not changed: one made anew finds it all, or knows that it was delivered."""
    first = take(make(name, example.present))
    collector = make(name, example.present)
    again = list(collector.collect())
    if isinstance(collector, Resumable):
        assert (again, collector.skipped) == ([], len(first))
    else:
        assert list(map(timeless, again)) == list(map(timeless, first))


def test_what_is_not_delivered_is_found_again(name: str, example: Example) -> None:
    collector = make(name, example.present)
    first = [timeless(each) for each in collector.collect()]
    assert [timeless(each) for each in collector.collect()] == first


def test_check_names_its_steps(name: str, example: Example) -> None:
    steps = make(name, example.present).check()
    assert steps and all(isinstance(step, CheckStep) and step.is_ok for step in steps)
    failed = [step for step in make(name, example.absent).check() if not step.is_ok]
    assert failed and all(step.detail and step.next_step for step in failed)


@pytest.fixture
def api(tmp_path: Path) -> Any:
    with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
        yield api


@pytest.mark.slow
def test_its_command_delivers_them(name: str, example: Example, api: Api) -> None:
    options = [*example.present_options, "--server", api.url, "-o", "json"]
    outcome = run_program("collect", name, *options)
    assert (outcome.status, outcome.err) == (0, "")
    assert json.loads(outcome.out)["stored"] == example.events
    assert api.rejected() == []
