"""What consumer groups did since they were last reported, as events of their jobs; no I/O."""

import uuid
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from headwater.collect.kafka.reports import Group, TopicOffsets
from headwater.collect.kafka.state import ReportedGroup, StateChange
from headwater.collect.kafka.translate import PRODUCER, ClusterIdentity, Json, Translated, digest_of
from headwater.emit.events import COMPLETE_SNAPSHOTS
from headwater.model.values.consumer_groups import (
    GROUP_FACET,
    group_job_name,
    group_namespace,
    runtime_of,
)

_MOST_MEMBERS = 100


class GroupStep(Enum):
    """A change that is reported: the type of its event, and the reason in it."""

    STARTED = ("START", "started")
    PROGRESS = ("RUNNING", "progress")
    HEARTBEAT = ("RUNNING", "heartbeat")
    IDLE = ("COMPLETE", "idle")
    DELETED = ("ABORT", "deleted")
    # The run had ended before, with a state that remains.
    DELETED_AFTER_END = ("OTHER", "deleted")


class PartitionEnds(NamedTuple):
    """The next offset of each partition of the cluster's topics, where it could be read."""

    by_partition: Mapping[tuple[str, int], int]

    def lag(self, topic: str, offsets: TopicOffsets) -> int | None:
        """How many records a group is behind; None where an end is not known."""
        ends = [self.by_partition.get((topic, number)) for number in offsets.by_partition]
        if not ends or any(end is None for end in ends):
            return None
        pairs = zip(ends, offsets.by_partition.values(), strict=True)
        return sum(max(0, (end or 0) - read) for end, read in pairs)


class ObservedGroup:
    """A group at one moment, with what was reported of it before."""

    def __init__(
        self,
        cluster: ClusterIdentity,
        group: Group,
        ends: PartitionEnds,
        before: ReportedGroup | None,
    ) -> None:
        self._cluster = cluster
        self._group = group
        self._before = before
        self.topics = _topics(group, before)
        self.offsets = {
            topic: group.committed[topic].total for topic in self.topics if topic in group.committed
        }
        self.lag = {
            topic: lag
            for topic in self.offsets
            if (lag := ends.lag(topic, group.committed[topic])) is not None
        }
        self.members = digest_of([each._asdict() for each in sorted(group.members)])
        self.job = group_job_name(group.name, self.topics)

    @property
    def has_moved(self) -> bool:
        """Whether it has members, or has read on without any, as Flink's groups do."""
        if self._group.members:
            return True
        return self._before is not None and self.offsets != self._before.offsets

    def has_news(self, before: ReportedGroup) -> bool:
        return (self.topics, self.offsets, self.lag, self.members) != (
            before.topics,
            before.offsets,
            before.lag,
            before.members,
        )

    def translate(self, at: int, heartbeat: int) -> list[Translated]:
        """The events since the last report, up to a time; both in microseconds."""
        before = self._before
        at = at if before is None else max(at, before.reported_at + 1)
        moved_at = at if self.has_moved or before is None else before.moved_at
        # Without members, as those of Flink, it is alive for as long as it reads on.
        has_read_on = before is not None and (before.is_active or moved_at == at)
        is_active = bool(self._group.members) or (has_read_on and at - moved_at < heartbeat)
        is_new_run = before is None or (is_active and not before.is_active)
        run = self._run(at) if is_new_run or before is None else before.run
        first = self.offsets if is_new_run or before is None else before.first_offsets
        steps = self._steps(is_active, is_new_run, at, heartbeat)
        known = ReportedGroup(
            self.job,
            run,
            is_active,
            at + max(0, len(steps) - 1),
            moved_at,
            self.topics,
            self.members,
            self.offsets,
            {**self.offsets, **first},
            self.lag,
        )
        change = StateChange("groups", self._group.name, known)
        return [
            Translated(self._event(step, run, known.first_offsets, at + number), change)
            for number, step in enumerate(steps)
        ]

    def _steps(self, is_active: bool, is_new_run: bool, at: int, heartbeat: int) -> list[GroupStep]:
        before = self._before
        if before is None or is_new_run:
            return [GroupStep.STARTED] if is_active else [GroupStep.STARTED, GroupStep.IDLE]
        if not is_active:
            return [GroupStep.IDLE] if before.is_active or self.topics != before.topics else []
        if self.has_news(before):
            return [GroupStep.PROGRESS]
        return [GroupStep.HEARTBEAT] if at - before.reported_at >= heartbeat else []

    def _run(self, at: int) -> str:
        parts = (self._cluster.id, self._group.name, str(at))
        return str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(parts)))

    def _event(self, step: GroupStep, run: str, first: Mapping[str, int], at: int) -> Json:
        inputs = []
        for topic in self.topics:
            read = self.offsets.get(topic)
            rows = None if read is None else max(0, read - first.get(topic, read))
            counted = PRODUCER.input_statistics(rowCount=rows, lag=self.lag.get(topic))
            inputs.append(
                {"namespace": self._cluster.namespace, "name": topic, "facets": {}, **counted}
            )
        facets = {GROUP_FACET: PRODUCER.custom_facet(**self._describe(step))}
        job = _job(self._cluster, self.job)
        return PRODUCER.run_event(
            step.value[0], job, {"runId": run, "facets": facets}, inputs, at=at
        )

    def _describe(self, step: GroupStep) -> Json:
        group = self._group
        found: Json = {
            **_names(self._cluster, group.name, step),
            "type": group.kind,
            "state": group.state,
            "members": [_member(each) for each in sorted(group.members)[:_MOST_MEMBERS]],
            "memberCount": len(group.members),
            "topics": {
                topic: {"offset": self.offsets.get(topic), "lag": self.lag.get(topic)}
                for topic in self.topics
            },
        }
        if not group.has_offsets:
            found["problem"] = "its offsets may not be read"
        return found


def translate_group_deletion(
    cluster: ClusterIdentity, name: str, before: ReportedGroup, at: int
) -> list[Translated]:
    """A group that is not there any more."""
    step = GroupStep.DELETED if before.is_active else GroupStep.DELETED_AFTER_END
    facets = {GROUP_FACET: PRODUCER.custom_facet(**_names(cluster, name, step))}
    run = {"runId": before.run, "facets": facets}
    at = max(at, before.reported_at + 1)
    event = PRODUCER.run_event(step.value[0], _job(cluster, before.job), run, at=at)
    return [Translated(event, StateChange("groups", name, None))]


def _topics(group: Group, before: ReportedGroup | None) -> tuple[str, ...]:
    """What a group reads: what its members have, else where it has left offsets.

    Offsets of topics that it has given up stay for days; while it rebalances members have less.
    """
    found = group.assigned or set(group.committed)
    if before is not None and (group.is_rebalancing or not found):
        found = found | set(before.topics)
    return tuple(sorted(found))


def _names(cluster: ClusterIdentity, group: str, step: GroupStep) -> Json:
    found: Json = {
        "group": group,
        "clusterId": cluster.id,
        "clusters": list(dict.fromkeys((cluster.namespace, *cluster.others))),
        "reason": step.value[1],
    }
    if runtime := runtime_of(group):
        found["runtime"] = runtime
    return found


def _job(cluster: ClusterIdentity, name: str) -> Json:
    kind = PRODUCER.job_type("STREAMING", "KAFKA", "CONSUMER_GROUP", COMPLETE_SNAPSHOTS)
    return {
        "namespace": group_namespace(cluster.namespace),
        "name": name,
        "facets": {"jobType": kind},
    }


def _member(member: Any) -> Json:
    found: Json = {
        "client": member.client,
        "host": member.host,
        "partitions": sum(member.partitions.values()),
    }
    if member.instance:
        found["instance"] = member.instance
    return found
