"""Discovery: what clusters have and nobody documented, by the events of collectors and others."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import pytest

from headwater.collect.kafka.groups import ObservedGroup, PartitionEnds, translate_group_deletion
from headwater.collect.kafka.reports import ClusterTopic, Denied, Group, Member, TopicOffsets
from headwater.collect.kafka.state import ReportedGroup, ReportedTopic
from headwater.collect.kafka.translate import (
    ClusterIdentity,
    translate_deletion,
    translate_gaps,
    translate_topic,
)
from headwater.config import ClusterSettings, DiscoverySettings
from headwater.errors import TargetUnavailable
from headwater.model.values.instant import now
from headwater.server.background.discovery import Discover
from headwater.store.collectors import read_collector
from testing.api import Api, error_of, open_api
from testing.events import minimal

Json = dict[str, Any]
SPACE = "kafka://broker:9092"
GROUPS = "kafka-groups://broker:9092"
CLUSTER = ClusterIdentity("abc", SPACE, (SPACE,))
HEARTBEAT = 300_000_000
AUTHOR = {"eventTime": "2024-05-01T10:00:00Z", "producer": minimal.PRODUCER}


def named(topic: str, space: str = SPACE) -> Json:
    return {"namespace": space, "name": topic}


def run_event(job: str = "load", **more: Any) -> Json:
    """A run of each job by itself."""
    return minimal.run_event(run=str(uuid5(NAMESPACE_URL, job)), job=job, **more)


def declared(job: str, output: str) -> Json:
    return {"job": {"namespace": "jobs", "name": job}, "outputs": [named(output)], **AUTHOR}


def topics(*names: str) -> list[Json]:
    found = [translate_topic(CLUSTER, ClusterTopic(n, 1, 1), (), {}, None, now()) for n in names]
    return [each.event for each in found if each is not None]


def members(name: str, *read: str) -> Group:
    member = Member("app", "host", "", dict.fromkeys(read, 1))
    committed = {topic: TopicOffsets({0: 1}) for topic in read}
    return Group(name, "consumer", "stable", (member,), committed)


def group(name: str, *read: str) -> Json:
    found = ObservedGroup(CLUSTER, members(name, *read), PartitionEnds({}), None)
    return found.translate(now(), HEARTBEAT)[0].event


def gone(name: str, *read: str) -> list[Json]:
    found = ObservedGroup(CLUSTER, members(name, *read), PartitionEnds({}), None)
    (seen,) = found.translate(now(), HEARTBEAT)
    assert isinstance(seen.change.known, ReportedGroup)
    (end,) = translate_group_deletion(CLUSTER, name, seen.change.known, now())
    return [seen.event, end.event]


def findings(api: Api, **parameters: Any) -> dict[str, str]:
    found = api.read("/discovery", **parameters)["findings"]
    return {each["name"]: each["kind"] for each in found}


def jobs_around(api: Api, topic: str) -> set[str]:
    graph = api.read("/lineage", nodeId=f"dataset:{SPACE}:{topic}", depth=1)["graph"]
    return {node["data"]["name"] for node in graph if node["type"] == "JOB"}


def acknowledge(api: Api, kind: str, problem: str, name: str, space: str = SPACE) -> None:
    value = {"problem": problem, "reason": "known"}
    entity = {"type": kind, "namespace": space, "name": name}
    answer = api.post({"entity": entity, "set": {"acknowledged": value}}, "/api/v1/edits")
    assert answer.status_code in (200, 201), answer.text


class TestFindings:
    def test_without_a_cluster_there_are_none(self, api: Api) -> None:
        api.store(run_event(inputs=[named("orders")]))
        found = api.read("/discovery")
        assert (found["findings"], found["clusters"]) == ([], [])

    def test_topics_that_nobody_names(self, api: Api) -> None:
        api.store(*topics("shadow", "orders", "__internal"))
        api.store(run_event(job="a", outputs=[named("orders")]))
        api.store(run_event(job="b", inputs=[named("orders")]))
        assert findings(api) == {"shadow": "unknownTopic"}
        (cluster,) = api.read("/discovery")["clusters"]
        assert (cluster["topics"], cluster["groups"]) == (3, 0)

    def test_a_schema_alone_does_not_make_a_topic_known(self, api: Api) -> None:
        schema = {"schema": minimal.schema(id="int")}
        event = {"dataset": named("shadow") | {"facets": schema}, **AUTHOR}
        api.store(*topics("shadow"), event)
        assert findings(api) == {"shadow": "unknownTopic"}

    def test_topics_without_producer_or_reader(self, api: Api) -> None:
        api.store(*topics("read", "written"))
        api.store(run_event(inputs=[named("read")], outputs=[named("written")]))
        assert findings(api) == {"read": "noProducer", "written": "noReader"}

    def test_a_group_is_a_reader(self, api: Api) -> None:
        api.store(*topics("written"), run_event(outputs=[named("written")]))
        api.store(group("report", "written"))
        assert findings(api) == {"report": "unknownGroup"}

    def test_a_declared_job_is_a_producer(self, api: Api) -> None:
        api.store(*topics("orders"), declared("shop", "orders"))
        assert findings(api) == {"orders": "noReader"}

    def test_what_a_person_described_is_documented(self, api: Api) -> None:
        api.store(*topics("shadow"), group("report", "shadow"))
        for kind, space, name in (("dataset", SPACE, "shadow"), ("job", GROUPS, "report")):
            entity = {"type": kind, "namespace": space, "name": name}
            text = {"documentation": {"description": "of the data team"}}
            api.post({"entity": entity, "set": text}, "/api/v1/edits")
        assert findings(api) == {"shadow": "noProducer"}

    def test_connectors_and_programs_of_spark_that_nobody_reports(self, api: Api) -> None:
        spark = "spark-kafka-source-0a1b2c3d-4e5f-1234-driver-0"
        api.store(*topics("orders"), group("connect-sink", "orders"), group(spark, "orders"))
        found = api.read("/discovery", kind="unknownConnector,unknownGroup")["findings"]
        reasons = {each["kind"]: each["reason"] for each in found}
        assert reasons["unknownConnector"].startswith("Connector sink reads orders")
        assert reasons["unknownGroup"].startswith("A Spark program reads orders")

    def test_a_group_that_vanished(self, api: Api) -> None:
        api.store(*topics("orders"), *gone("report", "orders"))
        assert findings(api)["report"] == "vanishedGroup"
        api.store(*gone("connect-sink", "orders"))
        assert "connect-sink" not in findings(api)

    def test_a_deleted_topic_that_jobs_still_name(self, api: Api) -> None:
        for name in ("used", "unused"):
            api.store(*topics(name))
            deletion = translate_deletion(CLUSTER, name, ReportedTopic("", now()), now())
            assert deletion is not None
            api.store(deletion.event)
        api.store(run_event(inputs=[named("used")]))
        assert findings(api) == {"used": "deletedTopic"}

    def test_what_a_cluster_does_not_tell(self, api: Api) -> None:
        gaps = translate_gaps(CLUSTER, [Denied("access rules", "not allowed")], now())
        api.store(*topics("orders"), gaps.event)
        ((gap,),) = (each["gaps"] for each in api.read("/discovery")["clusters"])
        assert gap["name"] == "access rules" and "not allowed" in gap["description"]

    def test_two_names_of_a_cluster_are_one(self, tmp_path: Path) -> None:
        clusters = {"shop": ClusterSettings(bootstrap="broker:9092", aliases=["other:9092"])}
        with open_api(f"sqlite:///{tmp_path / 'h.db'}", clusters=clusters) as api:
            api.store(*topics("orders"), group("report", "orders"))
            api.store(run_event(outputs=[named("orders", "kafka://other:9092")]))
            assert findings(api) == {"report": "unknownGroup"}


class TestGroupsOfKnownJobs:
    """A group is shown as the job that reads by it, whichever came first."""

    @pytest.mark.parametrize("is_job_first", [True, False])
    @pytest.mark.parametrize(
        ("name", "event"),
        [
            (
                "connect-sink",
                {"jobType": {"integration": "KAFKA_CONNECT", "jobType": "SINK"}},
            ),
            ("shop", {"kafka_consumer_groups": {"groups": ["shop", "other"]}}),
            (
                "flink-orders",
                {"sql": {"query": "... WITH ('properties.group.id' = 'flink-orders')"}},
            ),
            (
                "spark-kafka-source-0a1b2c3d-4e5f-1234-driver-0",
                {"jobType": {"integration": "SPARK", "processingType": "STREAMING"}},
            ),
        ],
    )
    def test_it_is_one_job(self, api: Api, name: str, event: Json, is_job_first: bool) -> None:
        job = run_event("sink", inputs=[named("orders")], job_facets=event)
        both = [job, group(name, "orders")]
        api.store(*topics("orders"), *(both if is_job_first else reversed(both)))
        assert jobs_around(api, "orders") == {"sink"}
        assert findings(api) == {"orders": "noProducer"}
        listed = api.read("/jobs")
        assert [each["name"] for each in listed["jobs"]] == ["sink"]

    def test_one_that_reads_more_than_its_job_says(self, api: Api) -> None:
        by = {"kafka_consumer_groups": {"groups": ["shop-group"]}}
        job = run_event("shop", inputs=[named("orders")], job_facets=by)
        api.store(*topics("orders", "returns"), job, group("shop-group", "orders", "returns"))
        found = {each["name"]: each for each in api.read("/discovery")["findings"]}
        assert found["shop-group"]["kind"] == "unknownInput"
        assert "reads returns, which its job shop does not name" in found["shop-group"]["reason"]
        assert "groups read it" in found["returns"]["reason"]

    def test_a_group_of_another_cluster_is_not_joined(self, api: Api) -> None:
        by = {"kafka_consumer_groups": {"groups": ["report"]}}
        elsewhere = named("orders", "kafka://elsewhere:9092")
        job = run_event("sink", inputs=[elsewhere], job_facets=by)
        api.store(*topics("orders"), job, group("report", "orders"))
        assert findings(api)["report"] == "unknownGroup"


class TestRequests:
    def test_what_is_acknowledged_stays_quiet(self, api: Api) -> None:
        api.store(*topics("shadow"), group("report", "shadow"))
        acknowledge(api, "dataset", "unknownTopic", "shadow")
        acknowledge(api, "job", "unknownGroup", "report", GROUPS)
        assert findings(api) == {}
        found = api.read("/discovery", acknowledged="true")
        assert found["acknowledgedCount"] == len(found["findings"]) == 2
        assert {each["acknowledged"]["reason"] for each in found["findings"]} == {"known"}
        # Something else of the same topic is another finding.
        api.store(run_event(inputs=[named("shadow")]))
        assert findings(api) == {"shadow": "noProducer"}

    def test_patterns_and_kinds(self, api: Api) -> None:
        api.store(*topics("shop.a", "shop.b", "tmp.c"), group("shop.readers", "shop.a"))
        assert set(findings(api, include="shop.*")) == {"shop.a", "shop.b", "shop.readers"}
        assert set(findings(api, exclude="shop.* x")) == {"tmp.c"}
        assert set(findings(api, kind="unknownGroup")) == {"shop.readers"}
        unknown = api.get("/discovery", namespace="kafka://elsewhere:9092")
        assert unknown.status_code == 404 and unknown.json()["near"] == [SPACE]
        page = api.read("/discovery", limit=1, offset=1)
        assert (len(page["findings"]), page["totalCount"]) == (1, 4)

    def test_patterns_of_the_settings(self, tmp_path: Path) -> None:
        settings = DiscoverySettings(exclude="tmp.*")
        with open_api(f"sqlite:///{tmp_path / 'h.db'}", discovery=settings) as api:
            api.store(*topics("tmp.c", "shop"))
            assert set(findings(api)) == {"shop"}
            assert set(findings(api, exclude="")) == {"shop", "tmp.c"}

    def test_bad_requests(self, api: Api) -> None:
        error_of(api.get("/discovery", kind="nothing"), 400, "kind")
        error_of(api.get("/discovery", acknowledged="maybe"), 400, "acknowledged")

    def test_odd_names(self, api: Api) -> None:
        odd = ["a:b", "ünï", "a b", "[x]*", "<script>"]
        api.store(*topics(*odd))
        assert set(findings(api)) == set(odd)
        assert set(findings(api, include="[[]x]*")) == {"[x]*"}


class _Posts:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.is_down = False

    def __call__(self, url: str, text: str) -> None:
        if self.is_down:
            raise TargetUnavailable("the webhook at hooks.example", "it did not answer within 10 s")
        assert url == "https://hooks.example/x"
        self.texts.append(text)


class TestSchedule:
    @pytest.fixture
    def api(self, tmp_path: Path) -> Iterator[Api]:
        with open_api(f"sqlite:///{tmp_path / 'headwater.db'}") as api:
            yield api

    @pytest.fixture
    def posts(self, monkeypatch: pytest.MonkeyPatch) -> _Posts:
        monkeypatch.setenv("HOOK", "https://hooks.example/x")
        return _Posts()

    def look(self, api: Api, posts: _Posts, count: int = 1) -> Sequence[Discover]:
        settings = DiscoverySettings(every="1h", webhook="env:HOOK")
        each = [Discover(api.engine, settings, posts, timedelta(0)) for _ in range(count)]
        for one in each:
            one.work()
        return each

    def again(self, api: Api) -> None:
        answer = api.post(b"", "/api/v1/collectors/discovery/run")
        assert answer.status_code == 200, answer.text

    def test_new_findings_are_reported_once(self, api: Api, posts: _Posts) -> None:
        api.store(*topics("shadow"))
        # The second one does not hold the lease.
        first, _ = self.look(api, posts, count=2)
        assert len(posts.texts) == 1 and "unknownTopic: shadow" in posts.texts[0]
        first.work()
        assert len(posts.texts) == 1
        api.store(*topics("another"))
        self.again(api)
        first.work()
        assert len(posts.texts) == 2 and "another" in posts.texts[1]
        assert "shadow" not in posts.texts[1]

    def test_a_webhook_that_hangs_is_shown_and_told_again(self, api: Api, posts: _Posts) -> None:
        api.store(*topics("shadow"))
        posts.is_down = True
        (one,) = self.look(api, posts)
        with api.engine.connect() as connection:
            state = read_collector(connection, "discovery")
        assert state.failures == 1 and "hooks.example" in (state.problem or "")
        posts.is_down = False
        self.again(api)
        one.work()
        assert len(posts.texts) == 1
