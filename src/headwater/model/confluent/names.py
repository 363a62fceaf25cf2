"""Names of datasets and jobs and the ids of their nodes, both ways."""

import re
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from headwater.model.confluent.job_kinds import JobKind
from headwater.model.naming import DatasetName

CONFLUENT, DATABRICKS, AWS, GOOGLE, EXTERNAL = (
    "confluent",
    "databricks",
    "aws",
    "google",
    "external",
)

TOPIC, TABLEFLOW_TABLE, SCHEMA = "kafka_topic", "tableflow_table", "schema"
UC_TABLE, GLUE_TABLE, GOOGLE_TABLE = "uc_table", "glue_table", "google_table"
EXTERNAL_DATASET, CATALOG_TABLE = "external_dataset", "catalog_table"

# What a generator reads, which makes its records up.
GENERATOR = "DatagenSource"

_CONFLUENT = re.compile(r"confluent://(?P<env>[^/]+)/(?P<cluster>[^/]+)")
_TWO_PARTS = re.compile(r"(?P<system>aws|google)://(?P<first>[^/]+)/(?P<second>.+)")
# A workspace may be named by its URL, whose colons are no separators.
_WORKSPACE = re.compile(r"(?P<scope>https?://[^/:]+(?::\d+)?|[^:]*):(?P<name>.+)", re.DOTALL)
_SCOPED = re.compile(r"(?P<scope>[^:]*):(?P<name>.+)", re.DOTALL)
_NAMESPACED = re.compile(
    r"(?P<scope>[A-Za-z][\w+.-]*://[^/:]*(?::\d+(?=[:/]))?[^:]*|[^:/]+):(?P<name>.+)", re.DOTALL
)
_TABLE_TYPES = {DATABRICKS: UC_TABLE, AWS: GLUE_TABLE, GOOGLE: GOOGLE_TABLE}


class NodeId(NamedTuple):
    """A node id in its parts: `SYSTEM:TYPE:SCOPE:NAME`.

    `scope` is the environment, workspace, region, project, or namespace of what is external.
    """

    system: str
    type: str
    scope: str
    name: str

    def __str__(self) -> str:
        return ":".join(self)

    @property
    def is_table(self) -> bool:
        return self.type in _TABLE_TYPES.values()

    @property
    def node_type(self) -> str:
        """The node's type: tables of all catalogs have one."""
        return CATALOG_TABLE if self.is_table else self.type

    @property
    def catalog_type(self) -> str | None:
        """What tells tables of catalogs apart."""
        known = {
            UC_TABLE: "UNITY_CATALOG",
            GLUE_TABLE: "AWS_GLUE",
            GOOGLE_TABLE: "GOOGLE_DATA_LINEAGE",
        }
        return known.get(self.type)

    @property
    def is_short(self) -> bool:
        """Whether it leaves out where it is, so that it may mean several: a topic without its
        cluster, a table with an environment instead of its workspace."""
        if self.type == UC_TABLE:
            return bool(re.fullmatch(r"env-\w+", self.scope))
        is_in_cluster = self.system == CONFLUENT and self.type not in (TABLEFLOW_TABLE, SCHEMA)
        return is_in_cluster and "/" not in self.name

    def means(self, other: "NodeId") -> bool:
        """Whether this id, which may be a short one, can mean another one."""
        if self == other:
            return True
        if not self.is_short or (self.system, self.type) != (other.system, other.type):
            return False
        if self.type == UC_TABLE:
            return self.name == other.name
        return self.scope == other.scope and self.name == other.name.partition("/")[2]


def cluster_namespace(environment: str, cluster: str) -> str:
    """The namespace of what is in a Kafka cluster."""
    return f"{CONFLUENT}://{environment}/{cluster}"


def split_cluster(namespace: str) -> tuple[str, str] | None:
    """The environment and the cluster of a namespace; None if it is none of Confluent Cloud."""
    found = _CONFLUENT.fullmatch(namespace)
    return (found["env"], found["cluster"]) if found else None


def topic(environment: str, cluster: str, name: str) -> DatasetName:
    return DatasetName(cluster_namespace(environment, cluster), name)


def tableflow_table(environment: str, cluster: str, name: str) -> DatasetName:
    """The table that Tableflow makes of a topic; a topic's own name has no cluster before it."""
    return DatasetName(cluster_namespace(environment, cluster), f"{cluster}.{name}")


def uc_table(workspace: str, catalog: str, schema: str, table: str) -> DatasetName:
    return DatasetName(f"{DATABRICKS}://{workspace}", f"{catalog}.{schema}.{table}")


def other_table_names(table: DatasetName) -> list[DatasetName]:
    """What others call a table of a catalog: Unity Catalog's by the host of the workspace, as dbt
    and OpenLineage do, and BigQuery's by project and dataset."""
    system, _, place = table.namespace.partition("://")
    if system == DATABRICKS and (host := urlsplit(place).netloc):
        return [
            DatasetName(f"{each}://{host}", table.name) for each in (DATABRICKS, "unitycatalog")
        ]
    if system == GOOGLE and place.count("/") == 1:
        return [DatasetName("bigquery", f"{place.replace('/', '.')}.{table.name}")]
    return []


def glue_table(region: str, database: str, table: str) -> DatasetName:
    return DatasetName(f"{AWS}://{region}/{database}", table)


def google_table(project: str, dataset: str, table: str) -> DatasetName:
    return DatasetName(f"{GOOGLE}://{project}/{dataset}", table)


def dataset_node(namespace: str, name: str) -> NodeId:
    """The node of a dataset, by its name in OpenLineage."""
    if cluster := split_cluster(namespace):
        environment, cluster_id = cluster
        if name.startswith(f"{cluster_id}."):
            return NodeId(CONFLUENT, TABLEFLOW_TABLE, environment, name)
        if name == GENERATOR:
            return NodeId(CONFLUENT, EXTERNAL_DATASET, environment, f"{cluster_id}/{name}")
        return NodeId(CONFLUENT, TOPIC, environment, f"{cluster_id}/{name}")
    if namespace.startswith(f"{DATABRICKS}://"):
        return NodeId(DATABRICKS, UC_TABLE, namespace.removeprefix(f"{DATABRICKS}://"), name)
    if found := _TWO_PARTS.fullmatch(namespace):
        system = found["system"]
        type_ = _TABLE_TYPES[system]
        return NodeId(system, type_, found["first"], f"{found['second']}/{name}")
    node = NodeId(EXTERNAL, EXTERNAL_DATASET, namespace, name)
    if parse_node_id(str(node)) == node:
        return node
    return node._replace(scope=quote(namespace, safe="/"))


def job_node(namespace: str, name: str, kind: JobKind) -> NodeId:
    """The node of a job of a kind that has nodes."""
    type_ = kind.node_type or "connector"
    if cluster := split_cluster(namespace):
        return NodeId(CONFLUENT, type_, cluster[0], f"{cluster[1]}/{name}")
    if namespace.startswith(f"{DATABRICKS}://"):
        return NodeId(DATABRICKS, type_, namespace.removeprefix(f"{DATABRICKS}://"), name)
    if found := _TWO_PARTS.fullmatch(namespace):
        return NodeId(found["system"], type_, found["first"], f"{found['second']}/{name}")
    node = NodeId(EXTERNAL, type_, namespace, name)
    if parse_node_id(str(node)) == node:
        return node
    return node._replace(scope=quote(namespace, safe="/"))


def schema_node(environment: str, subject: str) -> NodeId:
    return NodeId(CONFLUENT, SCHEMA, environment, subject)


def member_node(environment: str, cluster: str, group: str, member: str) -> NodeId:
    return NodeId(CONFLUENT, "consumer_group", environment, f"{cluster}/{group}/{member}")


def parse_node_id(text: str) -> NodeId | None:
    """The parts of a node id; None if it is none."""
    parts = text.split(":", 2)
    if len(parts) < 3 or not all(parts):
        return None
    system, type_, rest = parts
    patterns = {DATABRICKS: _WORKSPACE, EXTERNAL: _NAMESPACED}
    found = patterns.get(system, _SCOPED).fullmatch(rest)
    return NodeId(system, type_, found["scope"], found["name"]) if found else None


def name_of_node(node: NodeId) -> DatasetName | None:
    """The namespace and the name in OpenLineage of a dataset's or a job's node; None where the id
    does not say them: a short one, a schema, a system that is not known."""
    if node.is_short or node.type == SCHEMA:
        return None
    if node.type == TABLEFLOW_TABLE:
        cluster = node.name.partition(".")[0]
        return DatasetName(cluster_namespace(node.scope, cluster), node.name)
    if node.system == CONFLUENT:
        cluster, _, name = node.name.partition("/")
        return DatasetName(cluster_namespace(node.scope, cluster), name)
    if node.system == DATABRICKS:
        return DatasetName(f"{DATABRICKS}://{node.scope}", node.name)
    if node.system in (AWS, GOOGLE):
        second, _, name = node.name.rpartition("/")
        return DatasetName(f"{node.system}://{node.scope}/{second}", name) if second else None
    if node.system == EXTERNAL:
        return DatasetName(unquote(node.scope), node.name)
    return None
