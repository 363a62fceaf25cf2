"""What the facets of datasets and jobs say of their nodes: where they are, attributes, tags."""

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.answers.bridge.nodes import LineageNode
from headwater.model.confluent import facets as confluent
from headwater.model.confluent.names import NodeId, member_node, schema_node, split_cluster
from headwater.model.naming import DatasetName

Json = dict[str, Any]
Facets = Mapping[str, Json]

# In every facet, and no property of a node.
_FORMAL = frozenset(("_producer", "_schemaURL", "_deleted"))
# Fields of the node itself.
_PLACES = frozenset(("cluster_id", "environment_id", "cluster_name", "environment_name", "tags"))
_OF_DATASETS = (confluent.TOPIC, confluent.TABLEFLOW)
_OF_JOBS = (
    confluent.CONNECTOR,
    confluent.KSQLDB_QUERY,
    confluent.FLINK_STATEMENT,
    confluent.CONSUMER_GROUP,
    confluent.CLUSTER_LINK,
)


def dataset_properties(name: DatasetName, facets: Facets) -> Json:
    """The fields of a dataset's node that its facets say."""
    attributes = _attributes(facets, _OF_DATASETS)
    schema = facets.get("schema", {}).get("fields")
    if isinstance(schema, list) and schema:
        attributes["fields"] = schema
    source = facets.get("dataSource", {})
    if source.get("uri"):
        attributes["data_source"] = {"name": source.get("name"), "uri": source["uri"]}
    return _properties(name, facets, attributes, _OF_DATASETS)


def job_properties(name: DatasetName, facets: Facets) -> Json:
    """The fields of a job's node that its facets say."""
    attributes = _attributes(facets, _OF_JOBS)
    if isinstance(query := facets.get("sql", {}).get("query"), str):
        attributes["sql"] = query
    return _properties(name, facets, attributes, _OF_JOBS)


def registered_subjects(environment: str, facets: Facets) -> Iterator[LineageNode]:
    """The schemas that a registry has for a topic."""
    subjects = facets.get("schema_registry", {}).get("subjects")
    for subject in subjects if isinstance(subjects, list) else ():
        if isinstance(subject, dict) and subject.get("subject") and not subject.get("isDeleted"):
            name = str(subject["subject"])
            node = schema_node(environment, name)
            attributes = {key: value for key, value in subject.items() if key != "subject"}
            yield _part_of_confluent(node, name, attributes)


def group_members(group: NodeId, facets: Facets) -> Iterator[LineageNode]:
    """The members of a consumer group."""
    members = facets.get(confluent.CONSUMER_GROUP, {}).get("members")
    cluster, _, name = group.name.partition("/")
    for member in members if isinstance(members, list) else ():
        if isinstance(member, dict) and member.get("consumer_id"):
            id = str(member["consumer_id"])
            node = member_node(group.scope, cluster, name, id)
            yield _part_of_confluent(node, id, member, cluster)


def _part_of_confluent(
    node: NodeId, name: str, attributes: Json, cluster: str | None = None
) -> LineageNode:
    return LineageNode(
        node_id=str(node),
        system="confluent",
        node_type=node.node_type,  # type: ignore[arg-type]
        qualified_name=node.name,
        display_name=name,
        environment_id=node.scope,
        cluster_id=cluster,
        attributes=attributes,
    )


def _attributes(facets: Facets, names: tuple[str, ...]) -> Json:
    return {
        key: value
        for name in names
        for key, value in facets.get(name, {}).items()
        if key not in _FORMAL and key not in _PLACES
    }


def _properties(
    name: DatasetName, facets: Facets, attributes: Json, places: tuple[str, ...]
) -> Json:
    stated = {
        key: value
        for facet in places
        for key, value in facets.get(facet, {}).items()
        if key in _PLACES and key != "tags" and isinstance(value, str)
    }
    if cluster := split_cluster(name.namespace):
        stated = {"environment_id": cluster[0], "cluster_id": cluster[1], **stated}
    if isinstance(text := facets.get("documentation", {}).get("description"), str) and text:
        attributes["description"] = text
    return {**stated, "attributes": attributes, "tags": _tags(facets)}


def _tags(facets: Facets) -> list[str]:
    """The tags of a thing itself: of a tags facet, and of Confluent's own."""
    whole = facets.get("tags", {}).get("tags")
    found = [
        str(tag.get("key"))
        for tag in (whole if isinstance(whole, list) else ())
        if isinstance(tag, dict) and not tag.get("field")
    ]
    own = facets.get(confluent.TOPIC, {}).get("tags")
    found += [str(tag) for tag in (own if isinstance(own, list) else ())]
    return list(dict.fromkeys(found))
