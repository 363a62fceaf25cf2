"""Only what has changed is sent again; what is gone ends."""

import json
from pathlib import Path
from typing import Any

import pytest

from headwater.collect import Collected
from headwater.collect.confluent import ConfluentCollector
from headwater.collect.confluent.account import CloudAccount
from headwater.collect.confluent.changes import PassChanges
from headwater.collect.confluent.fetch import read_account
from headwater.collect.confluent.state import KnownItem, ReportedAccount
from headwater.collect.confluent.translate import TranslatedAccount
from headwater.demo.confluent.estate import CloudCluster
from testing.stand_ins.confluent import CloudAnswer, OpenCloud

SHOP = "confluent://env-abc/lkc-123"


def take(collector: ConfluentCollector) -> list[Collected]:
    found = [each for each in collector.collect() if each.error is None]
    collector.acknowledge(found)
    return found


def names(found: list[Collected]) -> list[str]:
    return [each.source for each in found]


def event(found: Collected) -> Any:
    return json.loads(found.data)


@pytest.fixture
def cluster(opened: OpenCloud) -> CloudCluster:
    return opened.estate.environments["env-abc"].clusters["lkc-123"]


def make(opened: OpenCloud, **more: Any) -> ConfluentCollector:
    """As the command makes one: it does not look, it extracts."""
    return ConfluentCollector(opened.settings(**more), "http://server")


def test_the_second_pass_sends_what_changed_alone(opened: OpenCloud, cluster: CloudCluster) -> None:
    first = take(make(opened))
    cluster.topics["orders"].partitions = 12
    cluster.connectors["delta-sink"].state = "PAUSED"
    cluster.add_topic("returns")
    second = make(opened)
    assert sorted(names(take(second))) == [
        f"{SHOP}/delta-sink",
        f"{SHOP}/orders",
        f"{SHOP}/returns",
    ]
    assert second.skipped == len(first) - 2


def test_lag_alone_is_no_news_until_the_refresh(opened: OpenCloud, cluster: CloudCluster) -> None:
    take(make(opened))
    cluster.groups["billing"].lags["orders", 0] = (990, 1_000)
    assert take(make(opened)) == []
    account = CloudAccount(opened.settings())
    translated = TranslatedAccount(read_account(account))
    account.close()
    place = ("http://server", opened.cloud.url, opened.estate.cloud.key)
    known = ReportedAccount(opened.values["state"], *place, 0).items
    later = max(each.at for each in known.values()) + 5_000_000
    again = [each.label for each in PassChanges(translated, known, 0, 5_000_000, later)]
    assert again == [f"{SHOP}/delta-sink", f"{SHOP}/billing"]


def test_each_state_is_a_run_of_its_own(opened: OpenCloud, cluster: CloudCluster) -> None:
    runs = []
    for state in ("RUNNING", "PAUSED", "RUNNING"):
        cluster.connectors["delta-sink"].state = state
        found = {each.source: event(each) for each in take(make(opened))}
        runs.append(found[f"{SHOP}/delta-sink"]["run"]["runId"])
    assert len(set(runs)) == 3


def test_what_is_gone_ends_and_may_come_back(opened: OpenCloud, cluster: CloudCluster) -> None:
    take(make(opened))
    connector = cluster.connectors.pop("delta-sink")
    topic = cluster.topics.pop("dlq-lcc-delta1")
    ended = {each.source: event(each) for each in take(make(opened))}
    assert ended[f"{SHOP}/delta-sink"]["eventType"] == "ABORT"
    dropped = ended[f"{SHOP}/dlq-lcc-delta1"]["dataset"]["facets"]["lifecycleStateChange"]
    assert dropped["lifecycleStateChange"] == "DROP"
    assert [each for each in take(make(opened)) if "delta" in each.source] == []
    cluster.connectors["delta-sink"], cluster.topics["dlq-lcc-delta1"] = connector, topic
    back = {each.source: event(each) for each in take(make(opened))}
    created = back[f"{SHOP}/dlq-lcc-delta1"]["dataset"]["facets"]["lifecycleStateChange"]
    assert created["lifecycleStateChange"] == "CREATE"
    assert back[f"{SHOP}/delta-sink"]["eventType"] == "COMPLETE"


def test_a_whole_cluster_is_gone(opened: OpenCloud) -> None:
    take(make(opened))
    del opened.estate.environments["env-26wn6m"].clusters["lkc-arc777"]
    ended = names(take(make(opened)))
    assert "confluent://env-26wn6m/lkc-arc777/lineage_bridge.enriched_orders" in ended


def test_what_another_pass_leaves_out_is_not_gone(opened: OpenCloud) -> None:
    take(make(opened))
    narrowed = make(opened, cluster_ids=("lkc-123", "lkc-arc777"))
    assert names([each for each in take(narrowed) if event(each).get("eventType") == "ABORT"]) == []


def test_what_could_not_be_read_is_not_gone(opened: OpenCloud) -> None:
    take(make(opened))
    opened.fail("/rest/lkc-123", CloudAnswer(403, b"{}"))
    opened.fail("/connect/", CloudAnswer(404, b"{}"))
    found = [each for each in make(opened).collect() if each.error is None]
    assert {event(each).get("eventType") for each in found} <= {"COMPLETE", None}
    facets = [event(each).get("dataset", {}).get("facets", {}) for each in found]
    assert not any("lifecycleStateChange" in each for each in facets)


def test_gaps_of_a_pass_are_reported_and_then_closed(opened: OpenCloud) -> None:
    opened.fail("/ksqldb/lksqlc-1", CloudAnswer(401, b'{"message": "no"}'))
    collector = make(opened)
    found = list(collector.collect())
    collector.acknowledge(found)
    (error,) = [each.error for each in found if each.error]
    assert "ksqlDB queries lksqlc-1 of env-abc/lksqlc-1" in error
    (gap,) = [event(each) for each in found if each.source == "confluent://env-abc/extraction"]
    assert gap["run"]["facets"]["headwater_gaps"]["gaps"][0]["kind"] == "other"
    opened.cloud.faults.clear()
    closed = {each.source: event(each) for each in take(make(opened))}
    assert closed["confluent://env-abc/extraction"]["run"]["facets"] == {}
    assert "confluent://env-abc/extraction" not in names(take(make(opened)))


def test_another_destination_gets_all(opened: OpenCloud, tmp_path: Path) -> None:
    first = take(make(opened))
    other = ConfluentCollector(opened.settings(), "http://other")
    assert names(take(other)) == names(first)


def test_a_long_pass_is_noted_on_the_way(tmp_path: Path) -> None:
    time = [0.0]

    def clock() -> float:
        return time[0]

    def kept() -> int:
        return len(ReportedAccount(tmp_path, "s", "u", "k", 1).items)

    state = ReportedAccount(tmp_path, "s", "u", "k", 1, clock)
    item = KnownItem("n", "a", "p", "part", "digest", 1)
    state.note({"a": item}, is_last=False)
    assert kept() == 0
    time[0] = 5.0
    state.note({"b": item}, is_last=False)
    assert kept() == 2
    state.note({"c": item}, is_last=True)
    assert kept() == 3


def test_a_catalog_and_a_registry_that_fail_change_nothing(opened: OpenCloud) -> None:
    take(make(opened))
    opened.fail("/registry/", CloudAnswer(403, b'{"message": "not now"}'))
    found = take(make(opened))
    assert {each.source.rpartition("/")[2] for each in found} == {"extraction"}
    opened.cloud.faults.clear()
    assert {each.source.rpartition("/")[2] for each in take(make(opened))} == {"extraction"}


def test_facets_that_are_gone_are_removed(opened: OpenCloud) -> None:
    take(make(opened))
    environment = opened.estate.environments["env-abc"]
    environment.catalog.clear()
    del environment.subjects["customers-value"]
    found = {each.source: event(each) for each in take(make(opened))}
    facets = found[f"{SHOP}/customers"]["dataset"]["facets"]
    assert facets["schema"]["_deleted"] is True
    assert facets["tags"]["tags"] == []
    assert found[f"{SHOP}/orders"]["dataset"]["facets"]["ownership"]["_deleted"] is True
    assert take(make(opened)) == []


def test_without_a_key_of_the_registry_topics_change_all_the_same(
    opened: OpenCloud, cluster: CloudCluster
) -> None:
    keys = tuple(each for each in opened.values["keys"] if not each.startswith("schema-registry"))
    take(make(opened, keys=keys))
    cluster.topics["orders"].partitions = 12
    (found,) = take(make(opened, keys=keys))
    assert event(found)["dataset"]["facets"]["confluent_kafka"]["partitions"] == 12
