"""`collect kafka`: what a cluster reports becomes events; only changes do."""

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from pydantic import ValidationError

from headwater.collect.kafka import KafkaSettings
from headwater.collect.kafka.fetch import KafkaApi
from headwater.collect.kafka.groups import ObservedGroup, PartitionEnds, translate_group_deletion
from headwater.collect.kafka.reports import (
    AccessRule,
    ClusterTopic,
    Denied,
    Group,
    Member,
    TopicOffsets,
)
from headwater.collect.kafka.state import ReportedCluster, ReportedGroup, ReportedTopic
from headwater.collect.kafka.translate import (
    ClusterIdentity,
    translate_deletion,
    translate_gaps,
    translate_mirrors,
    translate_topic,
)
from headwater.errors import SourceUnavailable

Json = dict[str, Any]
CLUSTER = ClusterIdentity("abc", "kafka://broker:9092", ("kafka://broker:9092", "kafka://b2:9092"))
ORDERS = ClusterTopic("orders", 3, 2, {"retention.ms": "1000"})
MINUTE = 60_000_000
HEARTBEAT = 5 * MINUTE
AT = 1_000 * MINUTE


def facets_of(
    topic: ClusterTopic, rules: Any = (), mirrors: Any = None, before: Any = None
) -> Json:
    found = translate_topic(CLUSTER, topic, rules, mirrors or {}, before, AT)
    assert found is not None
    facets: Json = found.event["dataset"]["facets"]
    return facets


def known_topic(topic: ClusterTopic = ORDERS) -> ReportedTopic:
    found = translate_topic(CLUSTER, topic, (), {}, None, AT)
    assert found is not None and isinstance(found.change.known, ReportedTopic)
    return found.change.known


class TestTopics:
    def test_a_topic_is_described(self) -> None:
        facet = facets_of(ORDERS)["kafka_topic"]
        assert (facet["clusterId"], facet["partitions"], facet["replicationFactor"]) == (
            "abc",
            3,
            2,
        )
        assert facet["config"] == {"retention.ms": "1000"}

    def test_what_has_not_changed_is_not_reported(self) -> None:
        assert translate_topic(CLUSTER, ORDERS, (), {}, known_topic(), AT + 1) is None

    def test_settings_that_may_not_be_read_are_left_out(self) -> None:
        assert "config" not in facets_of(ORDERS._replace(config=None))["kafka_topic"]

    @pytest.mark.parametrize("name", ["__consumer_offsets", "mm2-offset-syncs.west.internal"])
    def test_topics_of_the_cluster_itself(self, name: str) -> None:
        assert facets_of(ORDERS._replace(name=name))["kafka_topic"]["isInternal"] is True

    def test_rules_that_are_about_a_topic(self) -> None:
        rules = [
            AccessRule("topic", "ord", "prefixed", "User:a", "*", "read", "allow"),
            AccessRule("topic", "*", "literal", "User:b", "*", "write", "deny"),
            AccessRule("topic", "ord", "literal", "User:c", "*", "read", "allow"),
            AccessRule("group", "orders", "literal", "User:d", "*", "read", "allow"),
        ]
        grants = facets_of(ORDERS, rules)["kafka_access"]["grants"]
        assert [each["principal"] for each in grants] == ["User:b", "User:a"]
        assert grants[0]["permission"] == "deny"

    def test_rules_that_are_gone_are_taken_back_and_unknown_ones_are_not(self) -> None:
        assert facets_of(ORDERS, ())["kafka_access"]["_deleted"] is True
        assert "kafka_access" not in facets_of(ORDERS, None)

    def test_a_deleted_topic_is_told_once_and_may_come_again(self) -> None:
        deleted = translate_deletion(CLUSTER, "orders", known_topic(), AT)
        assert deleted is not None
        change = deleted.event["dataset"]["facets"]["lifecycleStateChange"]
        assert change["lifecycleStateChange"] == "DROP"
        known = deleted.change.known
        assert isinstance(known, ReportedTopic) and known.at > AT
        assert translate_deletion(CLUSTER, "orders", known, AT + 5) is None
        again = facets_of(ORDERS, before=known)
        assert again["lifecycleStateChange"]["lifecycleStateChange"] == "CREATE"

    def test_mirrored_topics_are_a_job_for_each_cluster(self) -> None:
        mirrors = {"west": "west-kafka:9092"}
        origin = facets_of(ORDERS._replace(name="west.orders"), mirrors=mirrors)["kafka_topic"]
        assert origin["mirrorOf"] == {"namespace": "kafka://west-kafka:9092", "name": "orders"}
        names = ["west.orders", "west.checkpoints.internal", "western"]
        (found,) = translate_mirrors(CLUSTER, names, mirrors, AT)
        assert [each["name"] for each in found.event["outputs"]] == ["west.orders"]
        assert found.event["inputs"][0]["namespace"] == "kafka://west-kafka:9092"

    def test_what_may_not_be_read_is_a_gap_until_it_may(self) -> None:
        denied = translate_gaps(CLUSTER, [Denied("access rules", "no")], AT)
        gaps = denied.event["run"]["facets"]["headwater_gaps"]["gaps"]
        assert [each["name"] for each in gaps] == ["access rules"]
        cleared = translate_gaps(CLUSTER, [], AT + 1)
        assert cleared.event["run"]["facets"]["headwater_gaps"]["gaps"] == []
        assert cleared.event["run"]["runId"] == denied.event["run"]["runId"]


MEMBER = Member("app", "10.0.0.7", "", {"orders": 3})


def group(name: str = "readers", offset: int = 10, **more: Any) -> Group:
    committed = {"orders": TopicOffsets({0: offset})}
    return Group(name, "consumer", "stable", (MEMBER,), committed)._replace(**more)


def observe(
    one: Group, before: ReportedGroup | None = None, at: int = AT, end: int = 15
) -> tuple[list[Json], ReportedGroup | None]:
    found = ObservedGroup(CLUSTER, one, PartitionEnds({("orders", 0): end}), before).translate(
        at, HEARTBEAT
    )
    known = found[-1].change.known if found else before
    assert known is None or isinstance(known, ReportedGroup)
    return [each.event for each in found], known


def types(events: list[Json]) -> list[str]:
    return [each["eventType"] for each in events]


class TestGroups:
    def test_a_group_is_a_job_that_reads(self) -> None:
        (event,), _ = observe(group())
        assert event["job"]["namespace"] == "kafka-groups://broker:9092"
        assert (event["job"]["name"], event["eventType"]) == ("readers", "START")
        facet = event["run"]["facets"]["kafka_consumer_group"]
        assert facet["topics"] == {"orders": {"offset": 10, "lag": 5}}
        assert facet["clusters"] == ["kafka://broker:9092", "kafka://b2:9092"]
        assert facet["members"] == [{"client": "app", "host": "10.0.0.7", "partitions": 3}]

    def test_only_changes_are_reported_and_signs_of_life(self) -> None:
        (first,), known = observe(group())
        assert observe(group(), known, AT + MINUTE)[0] == []
        (event,), _ = observe(group(offset=14), known, AT + MINUTE)
        counted = event["inputs"][0]["inputFacets"]["inputStatistics"]
        assert (event["eventType"], counted["rowCount"], counted["lag"]) == ("RUNNING", 4, 1)
        assert event["run"]["runId"] == first["run"]["runId"]
        (event,), _ = observe(group(), known, AT + HEARTBEAT)
        assert event["run"]["facets"]["kafka_consumer_group"]["reason"] == "heartbeat"

    def test_one_without_members_ends_and_begins_anew(self) -> None:
        (first,), known = observe(group())
        empty = group(members=(), state="empty")
        (event,), known = observe(empty, known, AT + MINUTE)
        assert event["eventType"] == "RUNNING"
        (event,), known = observe(empty, known, AT + 2 * HEARTBEAT)
        assert (event["eventType"], known is not None and known.is_active) == ("COMPLETE", False)
        assert observe(empty, known, AT + 3 * HEARTBEAT)[0] == []
        (event,), _ = observe(group(), known, AT + 4 * HEARTBEAT)
        assert event["eventType"] == "START"
        assert event["run"]["runId"] != first["run"]["runId"]

    def test_flinks_groups_have_no_members_and_read_on(self) -> None:
        events, known = observe(group(members=(), state="empty"))
        assert types(events) == ["START", "COMPLETE"]
        (event,), known = observe(group(members=(), offset=11, state="empty"), known, AT + MINUTE)
        assert event["eventType"] == "START" and known is not None and known.is_active
        (event,), known = observe(group(members=(), offset=12), known, AT + 2 * MINUTE)
        assert event["eventType"] == "RUNNING"

    def test_while_it_rebalances_its_topics_stay(self) -> None:
        _, known = observe(group())
        moving = group(
            state="preparing_rebalancing",
            members=(MEMBER._replace(partitions={}),),
            committed={},
        )
        (event,), _ = observe(moving, known, AT + MINUTE)
        assert [each["name"] for each in event["inputs"]] == ["orders"]

    def test_offsets_of_topics_that_it_gave_up_do_not_count(self) -> None:
        both = {"orders": TopicOffsets({0: 1}), "old": TopicOffsets({0: 9})}
        (event,), _ = observe(group(committed=both))
        assert [each["name"] for each in event["inputs"]] == ["orders"]

    def test_an_end_that_is_not_known_is_no_lag(self) -> None:
        found = ObservedGroup(CLUSTER, group(), PartitionEnds({}), None).translate(AT, HEARTBEAT)
        counted = found[0].event["inputs"][0]["inputFacets"]["inputStatistics"]
        assert "lag" not in counted

    def test_one_that_is_deleted(self) -> None:
        _, known = observe(group())
        assert known is not None
        (found,) = translate_group_deletion(CLUSTER, "readers", known, AT)
        assert found.event["eventType"] == "ABORT" and found.change.known is None
        _, ended = observe(group(members=()), known, AT + 2 * HEARTBEAT)
        assert ended is not None
        (found,) = translate_group_deletion(CLUSTER, "readers", ended, AT)
        assert found.event["eventType"] == "OTHER"

    def test_sparks_groups_are_one_job_whatever_their_names(self) -> None:
        names = [f"spark-kafka-source-{one * 8}-0c1d--1234-driver-0" for one in "ab"]
        jobs = {observe(group(name))[0][0]["job"]["name"] for name in names}
        assert jobs == {"spark-kafka-source: orders"}


class TestSettings:
    def test_secrets_are_references(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(ValidationError, match="only a reference"):
            KafkaSettings(bootstrap="b:9092", user="u", password="geheim")
        monkeypatch.setenv("PW", "geheim")
        settings = KafkaSettings(bootstrap="b:9092", user="u", password="env:PW")
        client = settings.client()
        assert (client["sasl.password"], client["security.protocol"]) == ("geheim", "SASL_SSL")
        assert "geheim" not in repr(settings)

    def test_a_certificate_is_ssl(self) -> None:
        settings = KafkaSettings(bootstrap="b:9092", ca="-----BEGIN CERTIFICATE-----")
        assert settings.client()["ssl.ca.pem"] == "-----BEGIN CERTIFICATE-----"
        assert settings.security_protocol == "SSL"

    @pytest.mark.parametrize(
        "wrong",
        [
            {"bootstrap": ""},
            {"bootstrap": "user:pw@b:9092"},
            {"bootstrap": "b", "security_protocol": "TLS"},
            {"bootstrap": "b", "sasl_mechanism": "GSSAPI"},
            {"bootstrap": "b", "mirrors": "west"},
            {"bootstrap": "b", "heartbeat": "soon"},
        ],
    )
    def test_what_cannot_be(self, wrong: Json) -> None:
        with pytest.raises(ValidationError) as raised:
            KafkaSettings(**wrong)
        assert "pw@" not in raised.value.errors()[0]["msg"]


class _Answer:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def result(self, timeout: float) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class _Client:
    """A client whose every request has the same answer."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def poll(self, seconds: float) -> int:
        return 0

    def list_topics(self, timeout: float) -> Any:
        raise self._answer

    def describe_topics(self, topics: Any, request_timeout: float) -> Any:
        return {"orders": _Answer(self._answer)}

    def describe_configs(self, resources: Any, request_timeout: float) -> Any:
        return {resource: _Answer(self._answer) for resource in resources}

    def describe_acls(self, wanted: Any, request_timeout: float) -> Any:
        return _Answer(self._answer)


def failing(code: int) -> KafkaApi:
    error = KafkaException(KafkaError(code))
    return KafkaApi(KafkaSettings(bootstrap="broker:9092"), _Client(error))


class TestApi:
    def test_a_broker_that_does_not_answer(self) -> None:
        with pytest.raises(SourceUnavailable, match="broker:9092"):
            failing(KafkaError.BROKER_NOT_AVAILABLE).list_topics()
        api = KafkaApi(KafkaSettings(bootstrap="broker:9092"), _Client(TimeoutError()))
        with pytest.raises(SourceUnavailable, match="did not answer in time"):
            list(api.add_configs([ORDERS]))

    def test_settings_that_are_denied_are_noted(self) -> None:
        api = failing(KafkaError.TOPIC_AUTHORIZATION_FAILED)
        (topic,) = api.add_configs([ORDERS._replace(config=None)])
        assert topic.config is None
        assert [each.what for each in api.denied] == ["settings of orders"]

    def test_only_what_the_broker_does_not_know_is_gone(self) -> None:
        assert failing(KafkaError.UNKNOWN_TOPIC_OR_PART).is_gone("orders")
        assert not failing(KafkaError.TOPIC_AUTHORIZATION_FAILED).is_gone("orders")

    def test_without_an_authorizer_there_are_no_rules(self) -> None:
        assert failing(KafkaError.SECURITY_DISABLED).read_access() == []
        assert failing(KafkaError.CLUSTER_AUTHORIZATION_FAILED).read_access() is None


def test_another_cluster_at_the_same_address_begins_anew(tmp_path: Path) -> None:
    state = ReportedCluster(tmp_path, "server", "broker:9092")
    state.of_cluster("one").topics["orders"] = known_topic()
    state.save()
    again = ReportedCluster(tmp_path, "server", "broker:9092")
    assert again.of_cluster("one").topics.keys() == {"orders"}
    assert again.of_cluster("two").topics == {}
