"""Judging what clusters have: what the graph does not know, and what is out of use; pure."""

from collections.abc import Iterable, Iterator

from headwater.answers.discovery.estate import Estate, FoundGroup, FoundTopic
from headwater.answers.discovery.findings import EstateFinding, FindingKind
from headwater.model.values.consumer_groups import CONNECT, SPARK, connector_of, runtime_of

_MOST_NAMES = 5


def judge(estate: Estate) -> Iterator[EstateFinding]:
    """What needs a person, of each topic and group at most one thing: the gravest."""
    read = {topic for group in estate.groups for topic in group.topics if not group.is_deleted}
    for topic in estate.topics:
        if not topic.is_internal:
            yield from _judge_topic(topic, topic.chosen in read)
    for group in estate.groups:
        yield from _judge_group(estate, group)


def _judge_topic(topic: FoundTopic, has_group: bool) -> Iterator[EstateFinding]:
    def found(kind: FindingKind, reason: str) -> EstateFinding:
        return EstateFinding(kind, topic.id, topic.name, topic.name.namespace, reason, topic.since)

    readers = topic.readers or has_group
    if topic.is_deleted:
        if count := len(topic.others):
            jobs = "1 job" if count == 1 else f"{count} jobs"
            yield found(FindingKind.DELETED_TOPIC, f"It was deleted, and {jobs} still name it")
    elif not topic.others and not topic.is_described:
        reading = "groups read it" if readers else "nobody is known to read it"
        yield found(FindingKind.UNKNOWN_TOPIC, f"No job is known to write or read it; {reading}")
    elif not topic.writers:
        missing = "writes it" if readers else "writes or reads it"
        yield found(FindingKind.NO_PRODUCER, f"No job is known that {missing}")
    elif not readers:
        yield found(FindingKind.NO_READER, "No job or group is known that reads it")


def _judge_group(estate: Estate, group: FoundGroup) -> Iterator[EstateFinding]:
    def found(kind: FindingKind, reason: str, since: int) -> EstateFinding:
        return EstateFinding(kind, group.job, group.name, group.cluster, reason, since)

    # What Spark and Connect make they also remove: their jobs tell of their ends.
    name = str(group.facet.get("group") or group.name.name)
    runtime = runtime_of(name)
    if group.is_deleted:
        if not runtime:
            at = group.ended_at if group.ended_at is not None else group.since
            yield found(FindingKind.VANISHED_GROUP, "The group is not there any more", at)
        return
    if group.is_described:
        return
    if group.wholes:
        named = {topic for whole in group.wholes for topic in estate.inputs.get(whole, ())}
        if more := group.topics - named:
            jobs = _listed(estate.names[each].name for each in group.wholes if each in estate.names)
            read = _listed(estate.names[each].name for each in more if each in estate.names)
            reason = f"It reads {read}, which its job {jobs} does not name"
            yield found(FindingKind.UNKNOWN_INPUT, reason, group.since)
        return
    topics = _listed(estate.names[each].name for each in group.topics if each in estate.names)
    if runtime == CONNECT:
        reason = f"Connector {connector_of(name)} reads {topics}, and nobody reports it"
        yield found(FindingKind.UNKNOWN_CONNECTOR, reason, group.since)
    else:
        who = "A Spark program" if runtime == SPARK else "It"
        reason = f"{who} reads {topics}, and no job is known to read by this group"
        yield found(FindingKind.UNKNOWN_GROUP, reason, group.since)


def _listed(names: Iterable[str]) -> str:
    found = sorted(names)
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return ", ".join(found[:_MOST_NAMES]) + more if found else "nothing"
