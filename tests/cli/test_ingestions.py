"""`headwater ingest --config` and the commands of named ingestions, with runs that are none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater.cli.commands.ingest import config_file
from headwater.cli.commands.ingest.ingest_run import IngestOptions
from headwater.cli.commands.ingest.named_run import SparkRuns
from headwater.config import load_settings
from headwater.pipeline.event_parts import IncludedParts
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.ingestions.reading import read_ingestion
from headwater.pipeline.ingestions.run_notes import RunNotes
from headwater.pipeline.job_patterns import NameExpressions
from headwater.pipeline.spark import session
from headwater.store.engine import open_engine
from testing.commands import Run, check_one_line
from testing.stores import prepare_sqlite

pytestmark = pytest.mark.usefixtures("no_settings")

KAFKA: dict[str, Any] = {
    "brokersUrl": "broker1:9092,broker2:9092",
    "topicName": "openlineage-events",
    "consumerGroupName": "openmetadata-consumer",
    "consumerOffsets": "earliest",
    "poolTimeout": 3.0,
    "sessionTimeout": 60,
    "securityProtocol": "SSL",
    "sslConfig": {"sslCertificate": "c.pem", "sslKey": "k.pem", "caCertificate": "ca.pem"},
}
KINESIS: dict[str, Any] = {
    "streamName": "openlineage-events",
    "consumerOffsets": "TRIM_HORIZON",
    "poolTimeout": 1.0,
    "sessionTimeout": 30,
    "awsConfig": {
        "awsRegion": "us-east-2",
        "awsAccessKeyId": "AKIAEXAMPLE",
        "awsSecretAccessKey": "hunter2",
    },
}


def workflow(broker: dict[str, Any], **config: Any) -> dict[str, Any]:
    """OpenMetadata's own file, with all that it has beside the source."""
    return {
        "source": {
            "type": "openlineage",
            "serviceName": "my service",
            "serviceConnection": {"config": {"type": "OpenLineage", "brokerConfig": broker}},
            "sourceConfig": {"config": {"type": "PipelineMetadata", **config}},
        },
        "sink": {"type": "metadata-rest", "config": {}},
        "workflowConfig": {
            "loggerLevel": "DEBUG",
            "openMetadataServerConfig": {"hostPort": "http://localhost:8585/api"},
        },
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], str]:
    def write(content: Any) -> str:
        file = tmp_path / "openlineage.yaml"
        file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return str(file)

    return write


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[IngestOptions, Any]]:
    """What is run, instead of being run."""
    found: list[tuple[IngestOptions, Any]] = []
    monkeypatch.setattr(config_file, "run_ingest", lambda *given: found.append(given))
    return found


Calls = list[tuple[IngestOptions, Any]]
Write = Callable[[Any], str]


class TestConfig:
    def test_kafka(self, run: Run, calls: Calls, write: Write) -> None:
        patterns = {"includes": ["etl-.*"], "excludes": ["a,b"]}
        file = write(workflow(KAFKA, pipelineFilterPattern=patterns, includeLineage=False))
        outcome = run("ingest", "--config", file)
        assert outcome.status == 0, outcome.err
        ((choices, source),) = calls
        assert isinstance(source, KafkaSource)
        assert (source.brokers, source.topics) == (KAFKA["brokersUrl"], ("openlineage-events",))
        assert (source.group, source.start) == ("openmetadata-consumer", "earliest")
        access = source.access
        assert (access.security_protocol, access.ca, access.key) == ("SSL", "ca.pem", "k.pem")
        assert (choices.name, choices.every, choices.idle_after) == ("my-service", 3.0, None)
        assert choices.expressions == (NameExpressions(("etl-.*",), ("a,b",)),)
        assert choices.parts == IncludedParts(lineage=False, name="my-service")
        assert choices.is_debug
        for key in ("sink", "workflowConfig.openMetadataServerConfig", "sourceConfig.type"):
            assert f"headwater: {key} is not used: " in outcome.err

    def test_kinesis_with_a_secret_in_the_file(self, run: Run, calls: Calls, write: Write) -> None:
        outcome = run("ingest", "--config", write(workflow(KINESIS)), "--once", "--name", "mine")
        assert outcome.status == 0, outcome.err
        ((choices, source),) = calls
        assert isinstance(source, KinesisSource)
        assert (source.stream, source.aws.region) == ("openlineage-events", "us-east-2")
        assert source.aws.secret_access_key.startswith("env:HEADWATER_INGEST_")
        assert (choices.name, choices.every, choices.idle_after) == ("mine", 1.0, 30)
        assert "holds a secret" in outcome.err and "hunter2" not in outcome.err + outcome.out

    def test_once_without_a_time_ends_with_what_there_is(
        self, run: Run, calls: Calls, write: Write
    ) -> None:
        file = write(workflow({"place": "events"}))
        assert run("ingest", "--config", file, "--once").status == 0
        ((choices, _),) = calls
        assert (choices.every, choices.idle_after) == (None, None)

    def test_variables_are_replaced(
        self, run: Run, calls: Calls, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TOPIC", "orders")
        file = write(workflow({"brokersUrl": "a:1", "topicName": "${TOPIC}"}))
        assert run("ingest", "--config", file).status == 0
        assert calls[0][1].topics == ("orders",)

    def test_what_only_a_named_one_does_is_reported(
        self, run: Run, calls: Calls, write: Write
    ) -> None:
        given = workflow(KAFKA, markDeletedPipelines=True) | {"schedule": "daily"}
        outcome = run("ingest", "--config", write(given))
        assert "schedule is not used: this run begins now" in outcome.err
        assert "markDeletedPipelines is not used: only a named ingestion" in outcome.err

    @pytest.mark.parametrize(
        ("content", "parts"),
        [
            ("", ["holds 0 documents"]),
            ("a: [", ["openlineage.yaml:1 is no YAML"]),
            ("a: 1\n---\nb: 2", ["holds 2 documents"]),
            ("5", ["the file holds no keys"]),
            ("a: 1", ["source: missing"]),
            ({"source": {"type": "dbt"}}, ["source.type: 'dbt' is not openlineage"]),
            ({"source": {}}, ["source.serviceConnection: missing"]),
            (workflow({"brokersUrl": "a:1"}), ["brokerConfig.topicName: missing"]),
            ({**workflow(KAFKA), "sinks": {}}, ["sinks: no such key is known"]),
            ("a: ${NOT_SET_ANYWHERE}", ["the variable NOT_SET_ANYWHERE is not set"]),
        ],
    )
    def test_what_cannot_be_used_is_one_line(
        self, run: Run, calls: Calls, write: Write, content: Any, parts: list[str]
    ) -> None:
        check_one_line(run("ingest", "--config", write(content)), "--config", *parts)
        assert calls == []

    def test_options_of_a_command_come_after_it(self, run: Run) -> None:
        outcome = run("ingest", "--once", "list")
        assert outcome.status == 2 and "options come after 'list'" in outcome.err
        assert run("ingest", "--once").status == 2

    def test_a_file_that_is_not_there(self, run: Run) -> None:
        check_one_line(run("ingest", "--config", "none.yaml"), "none.yaml cannot be read")


class TestNamed:
    def test_added_listed_shown_paused_and_removed(self, run: Run, write: Write) -> None:
        body = {"connection": {"config": {"brokerConfig": {"place": "/nowhere"}}}}
        outcome = run("ingest", "add", "shop", "--config", write(body), "--schedule", "hourly")
        assert outcome.status == 0, outcome.err
        assert "'shop' reads files /nowhere" in outcome.out
        (listed,) = json.loads(run("ingest", "list", "-o", "json").out)
        assert (listed["name"], listed["state"]) == ("shop", "stopped")
        assert listed["schedule"] == {"interval": "hourly"}
        again = run("ingest", "add", "shop", "--config", write(body), "--start", "2030-01-01")
        assert again.status == 0
        shown = json.loads(run("ingest", "show", "shop", "-o", "json").out)
        assert (shown["revision"], shown["schedule"]) == (2, {"startDate": "2030-01-01"})
        assert run("ingest", "pause", "shop").status == 0
        assert "paused" in run("ingest", "show", "shop").out
        check_one_line(run("ingest", "run", "shop"), "'shop' is paused")
        assert run("ingest", "resume", "shop").status == 0
        assert run("ingest", "remove", "shop").status == 0
        assert "no ingestions" in run("ingest", "list").out
        for command in ("show", "pause", "resume", "remove", "run"):
            check_one_line(run("ingest", command, "shop"), "ingestion 'shop' not found")

    def test_a_secret_in_the_file_is_not_stored(self, run: Run, write: Write) -> None:
        outcome = run("ingest", "add", "shop", "--config", write(workflow(KINESIS)))
        check_one_line(outcome, "awsSecretAccessKey", "env:VARIABLE")
        assert "hunter2" not in outcome.err
        assert "no ingestions" in run("ingest", "list").out

    def test_what_is_wrong_is_refused_before_it_is_stored(self, run: Run, write: Write) -> None:
        file = write(workflow({"place": "x"}))
        check_one_line(run("ingest", "add", "a b", "--config", file), "name: 'a b' is none")
        outcome = run("ingest", "add", "shop", "--config", file, "--schedule", "often")
        check_one_line(outcome, "schedule.interval: 'often' is neither hourly")
        assert run("ingest", "run").status == 2


class TestExpressions:
    def test_options_of_all_feeds(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        from headwater.cli.commands.ingest import ingest

        found: Calls = []
        monkeypatch.setattr(ingest, "run_ingest", lambda *given: found.append(given))
        kafka = ("ingest", "kafka", "--brokers", "a:1", "--topic", "x")
        outcome = run(*kafka, "--include-regex", "a{1,2},b", "--exclude-regex", "c")
        assert outcome.status == 0, outcome.err
        assert found[0][0].expressions == (NameExpressions(("a{1,2}", "b"), ("c",)),)
        outcome = run(*kafka, "--include-regex", "(")
        assert outcome.status == 2 and "--include-regex" in outcome.err


def test_spark_is_started_anew_once_its_jvm_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    closed: list[object] = []
    has_ended = [False]

    def open_one(*given: object, **more: object) -> object:
        opened.append(object())
        return opened[-1]

    monkeypatch.setattr(session, "open_session", open_one)
    monkeypatch.setattr(session, "close_session", closed.append)
    monkeypatch.setattr(session, "has_ended", lambda: has_ended[0])
    settings = load_settings(store=f"sqlite:///{tmp_path / 'store.db'}", data=tmp_path)
    engine = open_engine(prepare_sqlite(settings.store_url))
    body = {"connection": {"config": {"brokerConfig": {"place": str(tmp_path)}}}}
    runs = SparkRuns(settings, engine, verbose=False)

    def run_one() -> None:
        one = runs.open(read_ingestion("shop", body), RunNotes(engine, "shop", 1))
        one.stop()
        one.run()

    run_one()
    run_one()
    assert (len(opened), closed) == (1, [])
    has_ended[0] = True
    run_one()
    assert (len(opened), closed) == (2, opened[:1])
    engine.dispose()
