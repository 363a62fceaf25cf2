"""The topics of an environment: what their cluster, their schemas and the catalog say of them."""

import re
from collections.abc import Iterator
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import PRODUCER, Observation, SeenDataset
from headwater.collect.confluent.reports import (
    CatalogEntry,
    ClusterReport,
    EnvironmentReport,
    SubjectReport,
)
from headwater.collect.connect.columns import TopicColumns
from headwater.collect.connect.schemas import paths_of
from headwater.collect.schema_registry.parsing import parse_schema
from headwater.collect.schema_registry.places import Places
from headwater.collect.schema_registry.translate import SubjectHistory, describe_subjects
from headwater.model.confluent import facets as names
from headwater.model.confluent.names import topic
from headwater.model.naming import DatasetName, kafka

Json = dict[str, Any]

_OF_SCHEMAS = {"schema", "schema_registry", "kafka_key", "version", "documentation", "tags"}
_OF_CATALOG = {"documentation", "ownership", "tags"}
# Stands for whichever cluster of an environment has the topic of a subject.
_ANY_CLUSTER = "any-cluster:9092"


class EnvironmentTopics:
    """All topics of an environment, with the facets of each and its columns."""

    def __init__(self, environment: EnvironmentReport) -> None:
        self._environment = environment
        self._by_topic: dict[str, list[SubjectHistory]] = {}
        self._without_topic: list[SubjectHistory] = []
        self._divide_subjects()
        self._schemas = {
            name: describe_subjects(environment.registry_url, subjects)
            for name, subjects in self._by_topic.items()
        }
        self.unread = _unread(environment)
        self._columns: dict[str, TopicColumns | None] = {}

    def facets(self, cluster: ClusterReport, name: str) -> Json:
        """What is known of a topic, whether or not its cluster lists it."""
        entry = self._environment.catalog.get((cluster.id, name))
        found = {"symlinks": _symlinks(cluster, name)} if cluster.bootstraps else {}
        found |= self._schemas.get(name, {})
        found[names.TOPIC] = self._own_facet(cluster, name, entry)
        found |= _catalog_facets(entry, found) if entry else {}
        return found

    def lively(self, cluster: ClusterReport, name: str) -> dict[str, Json]:
        """What changes all the time of a topic, by its facet."""
        activity = _activity(cluster, name)
        return {names.TOPIC: {"metrics": activity}} if activity else {}

    def columns(self, name: str) -> TopicColumns | None:
        """The columns of a topic by its schemas; None where it has none."""
        if name not in self._columns:
            self._columns[name] = self._read_columns(name)
        return self._columns[name]

    def fields(self, name: str) -> list[Json]:
        """The fields of a topic's values, then those of its keys."""
        found = self._schemas.get(name, {})
        value = found.get("schema", {}).get("fields", [])
        return [*value, *found.get("kafka_key", {}).get("fields", [])]

    def observations(self) -> Iterator[Observation]:
        for cluster in self._environment.clusters:
            for name in cluster.topics_by_name:
                yield self._observe(cluster, name)
        for subject in self._without_topic:
            facets = describe_subjects(self._environment.registry_url, [subject])
            seen = SeenDataset(subject.place.dataset, facets)
            yield Observation(self._environment.id, reports.SCHEMAS, seen)

    def _observe(self, cluster: ClusterReport, name: str) -> Observation:
        facets = self.facets(cluster, name)
        dataset = topic(cluster.environment_id, cluster.id, name)
        seen = SeenDataset(dataset, facets, self.lively(cluster, name), self.unread)
        return Observation(cluster.where, reports.TOPICS, seen)

    def _divide_subjects(self) -> None:
        clusters = self._environment.clusters
        topics = {name for cluster in clusters for name in cluster.topics_by_name}
        are_all_known = all(reports.TOPICS in cluster.done for cluster in clusters)
        places = Places(self._environment.registry_url or "http://none", {"": _ANY_CLUSTER}, {})
        for subject in self._environment.subjects:
            history = self._history(places, subject)
            name = history.place.dataset.name
            is_of_topic = history.place.dataset == kafka(_ANY_CLUSTER, name)
            if is_of_topic and (name in topics or not are_all_known):
                self._by_topic.setdefault(name, []).append(history)
            elif not (is_of_topic and self._environment.is_narrowed):
                # Of a record, or of a topic that is not there: it stands for itself.
                self._without_topic.append(_by_itself(places, history))

    def _history(self, places: Places, subject: SubjectReport) -> SubjectHistory:
        return SubjectHistory(
            places.find(subject.schema),
            (subject.schema,),
            self._environment.compatibility,
            subject.references,
        )

    def _own_facet(self, cluster: ClusterReport, name: str, entry: CatalogEntry | None) -> Json:
        found = cluster.topics_by_name.get(name, {})
        body: Json = {
            "cluster_id": cluster.id,
            "environment_id": cluster.environment_id,
            "cluster_name": cluster.name,
            "environment_name": cluster.environment_name,
            "partitions": found.get("partitions_count"),
            "replication_factor": found.get("replication_factor"),
            "is_internal": found.get("is_internal"),
            "configs": cluster.configs.get(name),
            "tags": list(entry.tags) if entry else None,
            "owner": entry.owner or None if entry else None,
            "business_metadata": dict(entry.business_metadata) if entry else None,
        }
        return PRODUCER.custom_facet(
            **{key: value for key, value in body.items() if value not in (None, {}, [])}
        )

    def _read_columns(self, name: str) -> TopicColumns | None:
        key: tuple[Any, ...] = ()
        value: tuple[Any, ...] = ()
        for subject in self._by_topic.get(name, ()):
            part = "key" if subject.place.part == "key" else "value"
            found = paths_of(parse_schema(subject.newest, subject.references, part), part)
            if part == "key":
                key += found
            else:
                value += found
        return TopicColumns(key, value) if value else None


def _unread(environment: EnvironmentReport) -> frozenset[str]:
    """The facets of topics that lack what could not be read."""
    found: set[str] = set()
    if not environment.has_read(reports.SCHEMAS):
        found |= _OF_SCHEMAS
    if not environment.has_read(reports.CATALOG):
        found |= _OF_CATALOG
    if environment.has_failed(reports.CATALOG):
        # It has the topic's tags and owner too, beside what the cluster says.
        found.add(names.TOPIC)
    return frozenset(found)


def _by_itself(places: Places, history: SubjectHistory) -> SubjectHistory:
    own = DatasetName(places.registry, history.newest.subject)
    return history._replace(place=history.place._replace(dataset=own, part="subject"))


def _symlinks(cluster: ClusterReport, name: str) -> Json:
    return PRODUCER.symlinks([kafka(each, name) for each in cluster.bootstraps])


def _catalog_facets(entry: CatalogEntry, known: Json) -> Json:
    """A topic's description, owner and tags; tags of the schema stay beside them."""
    found: Json = {}
    if entry.description:
        found["documentation"] = PRODUCER.facet(
            "DocumentationDatasetFacet", description=entry.description
        )
    if owner := entry.owner_email or entry.owner:
        owners = [{"name": owner, "type": "OWNER"}]
        found["ownership"] = PRODUCER.facet("OwnershipDatasetFacet", owners=owners)
    if entry.tags:
        own = [{"key": tag, "value": "true", "source": "STREAM_CATALOG"} for tag in entry.tags]
        tags = [*known.get("tags", {}).get("tags", []), *own]
        found["tags"] = PRODUCER.facet("TagsDatasetFacet", tags=tags)
    return found


def _activity(cluster: ClusterReport, name: str) -> Json:
    """What the metrics API counted of a topic, where it was read."""
    if reports.METRICS not in cluster.done:
        return {}
    counted = cluster.metrics.get(name, {})
    found = {f"metrics_{re.sub(r'[^a-z_]', '_', key)}": value for key, value in counted.items()}
    return {**found, "metrics_active": any(counted.values())}
