"""Cluster links: each mirror topic comes from a topic of another cluster."""

from collections.abc import Callable, Iterator
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    UsedDataset,
    lineage_facet,
)
from headwater.collect.confluent.reports import ClusterReport, text
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.job_kinds import CLUSTER_LINK
from headwater.model.confluent.names import topic
from headwater.model.naming import DatasetName

Json = dict[str, Any]

# A mirror topic that was promoted is a topic like any other.
_ENDED = ("STOPPED", "PENDING_STOPPED")


def observe_links(
    cluster: ClusterReport, find: Callable[[str], ClusterReport | None]
) -> Iterator[Observation]:
    """The mirror topics of a cluster; `find` knows the clusters of the account by id."""
    links = {text(each, "link_name"): each for each in cluster.links}
    for mirror in cluster.mirrors:
        if text(mirror, "mirror_status") not in _ENDED:
            link = links.get(text(mirror, "link_name"), {})
            seen = _observe(cluster, link, mirror, find)
            yield Observation(cluster.where, reports.LINKS, seen)


def _observe(
    cluster: ClusterReport,
    link: Json,
    mirror: Json,
    find: Callable[[str], ClusterReport | None],
) -> SeenJob:
    other = text(link, "source_cluster_id") or text(link, "remote_cluster_id")
    source, gaps = _source(other, text(mirror, "source_topic_name"), find(other))
    name = text(mirror, "mirror_topic_name")
    output = topic(cluster.environment_id, cluster.id, name)
    facet = PRODUCER.custom_facet(
        link_name=text(mirror, "link_name"),
        link_state=text(link, "link_state") or None,
        source_cluster_id=other or None,
        destination_cluster_id=cluster.id,
        mirror_status=text(mirror, "mirror_status"),
    )
    error = text(mirror, "mirror_topic_error")
    has_error = error not in ("", "NO_ERROR", "NOT_SET")
    return SeenJob(
        CLUSTER_LINK,
        DatasetName(cluster.namespace, f"cluster-link/{text(mirror, 'link_name')}/{name}"),
        {names.CLUSTER_LINK: facet},
        [UsedDataset(source)] if source else [],
        [UsedDataset(output, lineage_facet([source]) if source else {})],
        gaps,
        error if has_error else None,
    )


def _source(
    id: str, name: str, cluster: ClusterReport | None
) -> tuple[DatasetName | None, list[GapEntry]]:
    """The topic that is mirrored; of a cluster of another account by the cluster's id."""
    if cluster is not None:
        return topic(cluster.environment_id, cluster.id, name), []
    if not id:
        sentence = "The link does not say which cluster its topics come from."
        return None, [GapEntry("input", name, sentence)]
    sentence = f"The cluster {id} is none that the key may read: name it in [clusters]."
    return DatasetName(f"kafka://{id}", name), [GapEntry("input", f"{id}/{name}", sentence)]
