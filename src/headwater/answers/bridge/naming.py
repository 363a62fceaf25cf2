"""The names in OpenLineage of nodes, also of those whose ids leave out where they are."""

from headwater.answers.bridge.nodes import SCHEMA_TYPE, LineageNode
from headwater.model.confluent.names import (
    AWS,
    CONFLUENT,
    DATABRICKS,
    GOOGLE,
    TOPIC,
    cluster_namespace,
    google_table,
    name_of_node,
)
from headwater.model.naming import DatasetName

# What LineageBridge puts where a node does not say it.
_UNKNOWN_ENVIRONMENT, _DEFAULT_CLUSTER = "unknown", "default"
_DEFAULT_WORKSPACE, _DEFAULT_REGION = "default", "us-east-1"


def openlineage_name(node: LineageNode) -> DatasetName:
    """The namespace and name of a node: what its id says, else what its fields say."""
    if node.node_type == SCHEMA_TYPE:
        environment = node.environment_id or _UNKNOWN_ENVIRONMENT
        return DatasetName(f"schema-registry://{environment}", node.qualified_name or node.node_id)
    found = name_of_node(node.id) if node.id is not None else None
    if found is not None and found.name and not node.qualified_name.startswith("glue://"):
        return found
    parts = node.qualified_name.split(".")
    if node.system == GOOGLE and node.is_dataset and len(parts) == 3 and all(parts):
        # LineageBridge names BigQuery's tables whole.
        return google_table(*parts)
    return DatasetName(_namespace(node), _name(node))


def _namespace(node: LineageNode) -> str:
    given = {name: str(value) for name, value in node.attributes.items() if value}
    environment = node.environment_id or _UNKNOWN_ENVIRONMENT
    cluster = node.cluster_id or _DEFAULT_CLUSTER
    if node.system == DATABRICKS:
        return f"{DATABRICKS}://{given.get('workspace_url', _DEFAULT_WORKSPACE)}"
    if node.system == AWS:
        region = given.get("region") or given.get("aws_region") or _DEFAULT_REGION
        return f"{AWS}://{region}/{given.get('database') or cluster}"
    if node.system == GOOGLE:
        project = given.get("project_id") or environment
        return f"{GOOGLE}://{project}/{given.get('dataset_id') or cluster}"
    if node.system == CONFLUENT:
        return cluster_namespace(environment, cluster)
    return f"{node.system}://{environment}/{cluster}"


def _name(node: LineageNode) -> str:
    name = node.qualified_name or node.display_name or node.node_id
    if node.node_type == TOPIC and node.cluster_id:
        return name.removeprefix(f"{node.cluster_id}/")
    # `glue://DATABASE/TABLE`.
    return name.rpartition("/")[2] or name if name.startswith("glue://") else name
