"""Configurations with OpenMetadata's keys: what they mean, what is refused, what has no meaning."""

from typing import Any

import pytest

from headwater.pipeline.event_parts import IncludedParts
from headwater.pipeline.feeds.kinesis.source import KinesisSource
from headwater.pipeline.ingestions.reading import read_ingestion, split_expressions
from headwater.pipeline.ingestions.shapes import KafkaBroker, KinesisBroker, UnusableConfig
from headwater.pipeline.ingestions.sources import make_source
from headwater.pipeline.job_patterns import NameExpressions

KAFKA: dict[str, Any] = {"brokersUrl": "a:9092,b:9092", "topicName": "openlineage-events"}


def body(broker: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"connection": {"config": {"brokerConfig": broker or KAFKA}}, **more}


def refuse(given: dict[str, Any], name: str = "shop") -> UnusableConfig:
    with pytest.raises(UnusableConfig) as caught:
        read_ingestion(name, given)
    return caught.value


def test_as_little_as_possible() -> None:
    found = read_ingestion("shop", body())
    assert isinstance(found.broker, KafkaBroker)
    assert found.broker.consumerOffsets == "earliest"
    assert found.jobs.expressions == () and found.absence is None and not found.is_debug
    assert found.schedule.interval == "manual" and found.unused == ()
    assert found.reads == "kafka openlineage-events at a:9092,b:9092"


def test_the_older_form_without_a_broker_config() -> None:
    flat = {"connection": {"config": {"type": "OpenLineage", **KAFKA, "sessionTimeout": 30}}}
    found = read_ingestion("shop", flat)
    assert isinstance(found.broker, KafkaBroker) and found.broker.sessionTimeout == 30
    assert [each.key for each in found.unused] == ["connection.config.type"]


def test_kinesis() -> None:
    aws = {"awsRegion": "us-east-2", "awsAccessKeyId": "AKIA", "awsSecretAccessKey": "env:SECRET"}
    found = read_ingestion("shop", body({"streamName": "events", "awsConfig": aws}))
    assert isinstance(found.broker, KinesisBroker)
    assert found.broker.consumerOffsets == "TRIM_HORIZON"
    assert found.reads == "kinesis events in us-east-2"


def test_all_keys_of_a_role() -> None:
    role = {
        "assumeRoleArn": "arn:aws:iam::123456789012:role/reader",
        "assumeRoleSessionName": "lineage",
        "assumeRoleSourceIdentity": "shop",
    }
    aws = {"awsRegion": "us-east-2", **role}
    broker = read_ingestion("shop", body({"streamName": "events", "awsConfig": aws})).broker
    source = make_source(broker)
    assert isinstance(source, KinesisSource)
    assert source.aws.role_source_identity == "shop"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"securityProtocol": "TLS"}, "there are PLAINTEXT, SASL_PLAINTEXT, SASL_SSL, SSL"),
        ({"consumerOffsets": "TRIM_HORIZON"}, "there are earliest, latest"),
        (
            {"securityProtocol": "SASL_SSL", "saslConfig": {"saslMechanism": "GSSAPI"}},
            "there are OAUTHBEARER, PLAIN, SCRAM-SHA-256",
        ),
    ],
)
def test_the_values_there_are(given: dict[str, Any], words: str) -> None:
    assert words in refuse(body({**KAFKA, **given})).reason


def test_a_key_in_the_wrong_section() -> None:
    given = {"connection": {"config": {"brokerConfig": KAFKA, "includeLineage": False}}}
    found = refuse(given)
    assert found.key == "connection.config.includeLineage"
    assert found.reason == "no such key is known here; it stands in sourceConfig.config"


def test_all_options_of_the_source() -> None:
    options = {
        "type": "PipelineMetadata",
        "includeLineage": False,
        "includeOwners": False,
        "includeTags": False,
        "markDeletedPipelines": True,
        "markDeletedAfter": "2w",
        "markDeletedExclude": "core_.*, base",
        "pipelineFilterPattern": {"includes": ["a.*", "b,c"], "excludes": "x{1,2}, y"},
        "lineageInformation": {"dbServiceNames": ["pg"]},
    }
    found = read_ingestion("shop", body(sourceConfig={"config": options}, loggerLevel="DEBUG"))
    assert found.parts == IncludedParts(False, False, False, "shop")
    assert found.absence is not None and found.absence.after == 14 * 86_400
    assert found.absence.exclude == NameExpressions((), ("core_.*", "base"))
    assert found.jobs.expressions == (NameExpressions(("a.*", "b,c"), ("x{1,2}", "y")),)
    assert found.is_debug
    assert {each.key for each in found.unused} == {
        "sourceConfig.type",
        "sourceConfig.lineageInformation",
    }
    assert all(each.reason for each in found.unused)


def test_a_filter_of_the_connection_counts_as_well() -> None:
    config = {"brokerConfig": KAFKA, "pipelineFilterPattern": {"excludes": ["tmp"]}}
    given = {"connection": {"config": config}, "sourceConfig": {"pipelineFilterPattern": {}}}
    assert read_ingestion("shop", given).jobs.expressions == (NameExpressions((), ("tmp",)),)


@pytest.mark.parametrize(
    ("given", "key", "reason"),
    [
        ({}, "connection.config.brokerConfig", "missing"),
        ({"connection": 5}, "connection", "not an object"),
        ({"connection": {"config": {}}}, "connection.config.brokerConfig", "missing"),
        (body({"topicNme": "x"}), "connection.config.brokerConfig", "neither topicName"),
        (body({"topicName": "x"}), "connection.config.brokerConfig.brokersUrl", "missing"),
        (
            body({**KAFKA, "consumerOffset": "latest"}),
            "connection.config.brokerConfig.consumerOffset",
            "did you mean 'consumerOffsets'?",
        ),
        (
            body({**KAFKA, "consumerOffsets": "newest"}),
            "connection.config.brokerConfig.consumerOffsets",
            "invalid enum value 'newest'",
        ),
        (
            body({**KAFKA, "sslConfig": {}}),
            "connection.config.brokerConfig.sslConfig",
            "without effect: securityProtocol is PLAINTEXT",
        ),
        (
            body({**KAFKA, "securityProtocol": "SASL_SSL"}),
            "connection.config.brokerConfig.saslConfig",
            "SASL_SSL needs it",
        ),
        (
            body(sourceConfig={"includeLinage": True}),
            "sourceConfig.includeLinage",
            "includeLineage",
        ),
        (
            body(sourceConfig={"pipelineFilterPattern": {"includes": ["("]}}),
            "sourceConfig.pipelineFilterPattern.includes",
            "'(' is not a regular expression",
        ),
        (
            body(sourceConfig={"markDeletedPipelines": True, "markDeletedAfter": "soon"}),
            "sourceConfig.markDeletedAfter",
            "'soon' is not a duration",
        ),
        (body(shedule="daily"), "shedule", "did you mean 'schedule'?"),
        (body(schedule="sometimes"), "schedule.interval", "neither hourly"),
        (body(loggerLevel="LOUD"), "loggerLevel", "not DEBUG"),
        (body(name="other"), "name", "'other' here"),
        (body(description=5), "description", "not a text"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(
    given: dict[str, Any], key: str, reason: str
) -> None:
    error = refuse(given)
    assert error.key == key
    assert reason in error.reason


@pytest.mark.parametrize("name", ["", "a b", "../x", "-x", "x" * 101, "größe"])
def test_a_name_is_a_files_as_well(name: str) -> None:
    assert refuse(body(), name).key == "name"


SECRET = {**KAFKA, "securityProtocol": "SASL_SSL", "saslConfig": {"saslPassword": "hunter2"}}


def test_a_secret_is_refused_and_not_repeated() -> None:
    error = refuse(body(SECRET))
    assert error.key.endswith("saslConfig.saslPassword")
    assert "env:VARIABLE" in error.reason and "hunter2" not in error.message


def test_a_secret_of_a_file_is_moved_to_a_variable() -> None:
    secrets: dict[str, str] = {}
    found = read_ingestion("shop", body(SECRET), secrets)
    assert isinstance(found.broker, KafkaBroker) and found.broker.saslConfig is not None
    (variable,) = secrets
    assert found.broker.saslConfig.saslPassword == f"env:{variable}"
    assert secrets[variable] == "hunter2" and "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a", ["a"]),
        ("a.*, b ,, c", ["a.*", "b", "c"]),
        ("x{1,2},[a,b]+,(c,d)", ["x{1,2}", "[a,b]+", "(c,d)"]),
        (r"a\,b,\[,c", [r"a\,b", r"\[", "c"]),
    ],
)
def test_expressions_with_commas_between_them(text: str, parts: list[str]) -> None:
    assert split_expressions(text) == parts
