"""`collect kafka`: the topics, consumer groups and access rules of a Kafka cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.kafka.check import check_cluster
from headwater.collect.kafka.fetch import GROUPS_AT_ONCE, KafkaApi
from headwater.collect.kafka.groups import ObservedGroup, PartitionEnds, translate_group_deletion
from headwater.collect.kafka.reports import AccessRule, Cluster, ClusterTopic, Denied, Group
from headwater.collect.kafka.settings import KafkaSettings
from headwater.collect.kafka.state import KeptCluster, ReportedCluster, StateChange
from headwater.collect.kafka.translate import (
    ClusterIdentity,
    Translated,
    translate_deletion,
    translate_gaps,
    translate_mirrors,
    translate_topic,
)
from headwater.collect.pairs import read_pairs
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.model.naming import kafka
from headwater.model.values.instant import SECOND, now
from headwater.plugins import CheckStep

__all__ = ["KafkaCollector", "KafkaSettings"]

# What who may not describe the cluster does not see, without an error that says so.
_HIDDEN = (
    Denied("topics and groups", "only those that this user may describe are listed"),
    Denied("access rules", "this user may not describe the cluster"),
)
NOT_REQUESTED = Denied(
    "producers, share groups and cluster links",
    "Kafka has requests for them, and its client for Python has not",
)


class KafkaCollector:
    """Reports topics as datasets and consumer groups as jobs that read them; only changes are sent.

    Groups of Kafka Connect, Spark and Flink are shown as the jobs that read by them, where those
    are known; a group of which no job is known is a job by itself.
    """

    settings_class: ClassVar[type[Section]] = KafkaSettings

    def __init__(self, settings: KafkaSettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedCluster(settings.state, destination, settings.bootstrap)
        self._mirrors = read_pairs(settings.mirrors)
        self.skipped = 0

    def check(self) -> list[CheckStep]:
        return check_cluster(self._settings, self._state)

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        api = KafkaApi(self._settings)
        try:
            yield from self._collect(api)
        finally:
            api.close()

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes = [each.position for each in delivered if isinstance(each.position, StateChange)]
        if changes:
            self._state.note(changes)

    def _collect(self, api: KafkaApi) -> Iterator[Collected]:
        # Before anything is read: what happens meanwhile is newer.
        at = now()
        cluster = api.read_cluster()
        kept = self._state.of_cluster(cluster.id)
        names = self._names(cluster)
        if not cluster.may_list:
            api.denied += _HIDDEN
        topics = api.list_topics()
        rules = api.read_access() if cluster.may_list else None
        yield from self._topics(api, names, kept, topics, rules, at)
        yield from self._groups(api, names, kept, topics, at)
        yield from self._gaps(api, names, kept, at)

    def _names(self, cluster: Cluster) -> ClusterIdentity:
        brokers = (kafka(each, "").namespace for each in cluster.brokers)
        others = (*self._settings.other_namespaces, *brokers)
        return ClusterIdentity(cluster.id, self._settings.namespace, tuple(dict.fromkeys(others)))

    def _topics(
        self,
        api: KafkaApi,
        names: ClusterIdentity,
        kept: KeptCluster,
        listed: Mapping[str, ClusterTopic],
        rules: Sequence[AccessRule] | None,
        at: int,
    ) -> Iterator[Collected]:
        topics = [each for each in listed.values() if self._is_topic_requested(each)]
        for topic in api.add_configs(topics):
            before = kept.topics.get(topic.name)
            yield from self._changed(
                topic.name, translate_topic(names, topic, rules, self._mirrors, before, at)
            )
        for name in sorted(kept.topics.keys() - listed.keys()):
            if not kept.topics[name].is_deleted and api.is_gone(name):
                deleted = translate_deletion(names, name, kept.topics[name], at)
                yield from self._changed(name, deleted)
        copied = (each.name for each in topics)
        for found in translate_mirrors(names, copied, self._mirrors, at):
            yield from self._if_other(found, kept)

    def _groups(
        self,
        api: KafkaApi,
        names: ClusterIdentity,
        kept: KeptCluster,
        topics: Mapping[str, ClusterTopic],
        at: int,
    ) -> Iterator[Collected]:
        listed = api.list_groups()
        requested = [each for each in listed or () if self._is_group_requested(each.name)]
        heartbeat = int(parse_duration(self._settings.heartbeat).total_seconds()) * SECOND
        for start in range(0, len(requested), GROUPS_AT_ONCE):
            groups = list(api.describe_groups(requested[start : start + GROUPS_AT_ONCE]))
            ends = PartitionEnds(api.read_ends(_committed(groups, topics)))
            for group in groups:
                observed = ObservedGroup(names, group, ends, kept.groups.get(group.name))
                found = observed.translate(at, heartbeat) if observed.topics else []
                if not found:
                    self.skipped += 1
                for each in found:
                    yield _collected(group.name, each)
        if listed is None:
            # Some are missing for another reason than that they are gone.
            return
        for name in sorted(kept.groups.keys() - {each.name for each in listed}):
            if api.is_group_gone(name):
                for each in translate_group_deletion(names, name, kept.groups[name], at):
                    yield _collected(name, each)

    def _gaps(
        self, api: KafkaApi, names: ClusterIdentity, kept: KeptCluster, at: int
    ) -> Iterator[Collected]:
        yield from self._if_other(translate_gaps(names, (*api.denied, NOT_REQUESTED), at), kept)

    def _if_other(self, found: Translated, kept: KeptCluster) -> Iterator[Collected]:
        """What is reported as a whole, where it is not as it was."""
        if kept.lists.get(found.change.name) != found.change.known:
            yield _collected(found.change.name, found)
        elif found.change.known:
            self.skipped += 1

    def _changed(self, name: str, found: Translated | None) -> Iterator[Collected]:
        if found is None:
            self.skipped += 1
        else:
            yield _collected(name, found)

    def _is_topic_requested(self, topic: ClusterTopic) -> bool:
        settings = self._settings
        if topic.is_internal and not settings.internal:
            return False
        return _is_requested(topic.name, settings.topics, settings.exclude_topics)

    def _is_group_requested(self, name: str) -> bool:
        return _is_requested(name, self._settings.groups, self._settings.exclude_groups)


def _is_requested(name: str, included: str, excluded: str) -> bool:
    return any(fnmatchcase(name, each) for each in included.split()) and not any(
        fnmatchcase(name, each) for each in excluded.split()
    )


def _committed(
    groups: Iterable[Group], topics: Mapping[str, ClusterTopic]
) -> Iterator[tuple[str, int]]:
    """The partitions with offsets; not of topics that are gone, whose offsets stay for days."""
    for group in groups:
        for topic, offsets in group.committed.items():
            if topic in topics:
                yield from ((topic, number) for number in offsets.by_partition)


def _collected(name: str, found: Translated) -> Collected:
    position: Any = found.change
    return Collected(msgspec.json.encode(found.event), name, position=position)
