"""Consumer groups of applications: what they read, how far behind they are, who is in them."""

from collections.abc import Collection, Iterator
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    UsedDataset,
)
from headwater.collect.confluent.reports import ClusterReport, GroupReport, text
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.job_kinds import CONSUMER_GROUP
from headwater.model.confluent.names import topic
from headwater.model.naming import DatasetName

Json = dict[str, Any]


def observe_groups(
    cluster: ClusterReport, others: Collection[str], taken: Collection[str]
) -> Iterator[Observation]:
    """All groups but those of connectors and queries (`others`), which are jobs themselves.

    `taken` are names of other jobs of the cluster: a group of such a name is another job.
    """
    for group in cluster.groups:
        name = text(group.group, "consumer_group_id")
        if name and name not in others:
            shown = f"{name} (consumer group)" if name in taken else name
            seen = _observe(cluster, group, shown)
            yield Observation(cluster.where, reports.GROUPS, seen)


def _observe(cluster: ClusterReport, group: GroupReport, shown: str) -> SeenJob:
    lag: dict[str, int] = {}
    for each in group.lags or ():
        name, behind = text(each, "topic_name"), each.get("lag")
        if name:
            lag[name] = lag.get(name, 0) + (behind if isinstance(behind, int) else 0)
    own = {
        "group_id": text(group.group, "consumer_group_id"),
        "state": text(group.group, "state"),
        "type": text(group.group, "type"),
        "is_simple": group.group.get("is_simple") is True,
        "partition_assignor": text(group.group, "partition_assignor"),
        "members": sorted(map(_member, group.members), key=lambda each: str(each["consumer_id"])),
        "cluster_id": cluster.id,
        "environment_id": cluster.environment_id,
    }
    inputs = [topic(cluster.environment_id, cluster.id, name) for name in sorted(lag)]
    # Members come and go with every rebalance, as lag does.
    lively = PRODUCER.custom_facet(**own, lag=lag, total_lag=sum(lag.values()))
    return SeenJob(
        CONSUMER_GROUP,
        DatasetName(cluster.namespace, shown),
        {},
        [UsedDataset(each) for each in inputs],
        gaps=list(_gaps(group, lag)),
        lively={names.CONSUMER_GROUP: lively},
    )


def _member(found: Json) -> Json:
    return {key: found.get(key) for key in ("consumer_id", "client_id", "instance_id")}


def _gaps(group: GroupReport, lag: Collection[str]) -> Iterator[GapEntry]:
    if not lag:
        name = text(group.group, "consumer_group_id")
        sentence = "The group has no committed offsets: what it reads is not known."
        yield GapEntry("input", name, sentence)
