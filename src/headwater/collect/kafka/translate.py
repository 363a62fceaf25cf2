"""What a cluster says of its topics, as events: how each is, who may use it, what is mirrored;
no I/O."""

import hashlib
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from headwater.collect.kafka.reports import AccessRule, ClusterTopic, Denied
from headwater.collect.kafka.state import ReportedTopic, StateChange
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry, all_gaps_facets
from headwater.model.naming import kafka
from headwater.model.values.consumer_groups import (
    COLLECTOR_NAMESPACE,
    TOPIC_FACET,
    collector_job_name,
)

Json = dict[str, Any]

PRODUCER = Producer.of_part("collect/kafka")
# The topics that MirrorMaker keeps for itself, by the alias of a cluster.
_OF_MIRRORMAKER = re.compile(
    r"(heartbeats|.+\.checkpoints\.internal|mm2-offset-syncs\..+\.internal)"
)
_MOST_RULES = 100


class Translated(NamedTuple):
    """An event, and what is known once it is delivered."""

    event: Json
    change: StateChange


class ClusterIdentity(NamedTuple):
    """What is the same for all events of a cluster: its id, and the namespace of its topics."""

    id: str
    namespace: str
    others: tuple[str, ...] = ()
    """Further namespaces by which others may know it: those of all its brokers."""


def translate_topic(
    cluster: ClusterIdentity,
    topic: ClusterTopic,
    rules: Sequence[AccessRule] | None,
    mirrors: Mapping[str, str],
    before: ReportedTopic | None,
    at: int,
) -> Translated | None:
    """What has changed of a topic, at a time in microseconds since 1970; None for nothing.

    Rules that may not be read are None: then those that were reported stay.
    """
    facets: Json = {TOPIC_FACET: PRODUCER.custom_facet(**_describe(cluster, topic, mirrors))}
    if rules is not None:
        facets["kafka_access"] = PRODUCER.custom_facet(**_access(topic, rules))
    digest = digest_of(facets)
    if before is not None and before.digest == digest and not before.is_deleted:
        return None
    if before is not None and before.is_deleted:
        facets |= _lifecycle("CREATE")
    at = at if before is None else max(at, before.at + 1)
    return _event(cluster, topic.name, facets, ReportedTopic(digest, at))


def translate_deletion(
    cluster: ClusterIdentity, name: str, before: ReportedTopic, at: int
) -> Translated | None:
    """A topic that is not there any more; None where that was reported."""
    if before.is_deleted:
        return None
    facets: Json = {
        TOPIC_FACET: PRODUCER.custom_facet(clusterId=cluster.id, isDeleted=True),
        **_lifecycle("DROP"),
    }
    known = ReportedTopic(before.digest, max(at, before.at + 1), is_deleted=True)
    return _event(cluster, name, facets, known)


def translate_mirrors(
    cluster: ClusterIdentity, topics: Iterable[str], mirrors: Mapping[str, str], at: int
) -> list[Translated]:
    """For each cluster that MirrorMaker copies from, a job of all its topics that are here."""
    names = sorted(topics)
    found = []
    for alias, bootstrap in sorted(mirrors.items()):
        copied = [name for name in names if _origin(name, {alias: bootstrap})]
        inputs, outputs = [], []
        for name in copied:
            origin = kafka(bootstrap, name.removeprefix(f"{alias}."))
            lineage = PRODUCER.facet(
                "LineageFacet", inputs=[{**origin._asdict(), "type": "DATASET"}]
            )
            inputs.append({**origin._asdict(), "facets": {}})
            outputs.append(_dataset(cluster, name, {"lineage": lineage}))
        kind = PRODUCER.job_type("STREAMING", "KAFKA", "MIRROR")
        job = {
            "namespace": f"kafka-mirror://{cluster.namespace.partition('://')[2]}",
            "name": alias,
            "facets": {"jobType": kind},
        }
        event = PRODUCER.job_event(job, inputs, outputs, at=at)
        digest = digest_of([alias, bootstrap, copied])
        found.append(Translated(event, StateChange("lists", f"mirror {alias}", digest)))
    return found


def translate_gaps(cluster: ClusterIdentity, denied: Iterable[Denied], at: int) -> Translated:
    """What may not be read of a cluster: gaps of the collector's own job, whose one run each list
    replaces the last of."""
    gaps = [
        GapEntry("other", each.what, f"The cluster did not tell: {each.reason}") for each in denied
    ]
    facets = all_gaps_facets(PRODUCER, gaps)
    kind = PRODUCER.job_type("BATCH", "HEADWATER", "COLLECTOR")
    job = {
        "namespace": COLLECTOR_NAMESPACE,
        "name": collector_job_name(cluster.namespace),
        "facets": {"jobType": kind},
    }
    run = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{cluster.id}\n{cluster.namespace}"))
    event = PRODUCER.run_event("COMPLETE", job, {"runId": run, "facets": facets}, at=at)
    return Translated(event, StateChange("lists", "gaps", digest_of(sorted(set(gaps)))))


def digest_of(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]


def _event(cluster: ClusterIdentity, name: str, facets: Json, known: ReportedTopic) -> Translated:
    event = PRODUCER.dataset_event(_dataset(cluster, name, facets), known.at)
    return Translated(event, StateChange("topics", name, known))


def _dataset(cluster: ClusterIdentity, name: str, facets: Json) -> Json:
    return {"namespace": cluster.namespace, "name": name, "facets": facets}


def _lifecycle(change: str) -> Json:
    facet = PRODUCER.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange=change)
    return {"lifecycleStateChange": facet}


def _describe(cluster: ClusterIdentity, topic: ClusterTopic, mirrors: Mapping[str, str]) -> Json:
    found: Json = {
        "clusterId": cluster.id,
        "partitions": topic.partitions,
        "replicationFactor": topic.replication,
    }
    if topic.is_internal or _OF_MIRRORMAKER.fullmatch(topic.name):
        found["isInternal"] = True
    if topic.config is not None:
        found["config"] = dict(topic.config)
    if origin := _origin(topic.name, mirrors):
        found["mirrorOf"] = origin
    return found


def _origin(topic: str, mirrors: Mapping[str, str]) -> Json | None:
    """The topic that one is a copy of, as MirrorMaker names copies: `ALIAS.TOPIC`."""
    if _OF_MIRRORMAKER.fullmatch(topic):
        return None
    for alias, bootstrap in mirrors.items():
        if topic.startswith(f"{alias}.") and topic != f"{alias}.":
            return dict(kafka(bootstrap, topic.removeprefix(f"{alias}."))._asdict())
    return None


def _access(topic: ClusterTopic, rules: Sequence[AccessRule]) -> Json:
    """The rules about a topic, in their order; one without any takes earlier ones back."""
    about = [each for each in rules if each.is_about("topic", topic.name)]
    listed = [
        {
            "principal": each.principal,
            "operation": each.operation,
            "permission": each.permission,
            "host": each.host,
            "resource": each.name,
            "pattern": each.pattern,
        }
        for each in sorted(about)[:_MOST_RULES]
    ]
    if not listed:
        return {"_deleted": True}
    return {"grants": listed, **({"grantCount": len(about)} if len(about) > _MOST_RULES else {})}
