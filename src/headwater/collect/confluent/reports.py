"""What was read of an account, in Confluent's own words, and what could not be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from headwater.collect.ksqldb.answers import KsqldbQuery, KsqldbSource
from headwater.collect.schema_registry.fetch import Reference, RegisteredSchema
from headwater.model.confluent.names import cluster_namespace

Json = dict[str, Any]

# The parts of a cluster, and of an environment, which fail each by itself.
TOPICS, CONNECTORS, GROUPS, LINKS = "topics", "connectors", "consumer groups", "cluster links"
CLUSTERS, REGISTRIES = "Kafka clusters", "schema registries"
KSQLDB_CLUSTERS, POOLS = "ksqlDB clusters", "compute pools"
TABLEFLOW, QUERIES, STATEMENTS = "Tableflow", "ksqlDB queries", "Flink statements"
SCHEMAS, CATALOG, METRICS = "schemas", "Stream Catalog", "activity"


class PartProblem(NamedTuple):
    """A part that could not be read: why, and what to do about that."""

    environment: str
    where: str
    part: str
    reason: str
    next_step: str
    is_temporary: bool = False
    """Whether another try may do better, with nothing corrected."""
    is_without_key: bool = False

    def __str__(self) -> str:
        return f"{self.part} of {self.where}: {self.reason}; {self.next_step}"


class GroupReport(NamedTuple):
    """A consumer group; `lags` is None where it commits no offsets."""

    group: Json
    lags: Sequence[Json] | None
    members: Sequence[Json]


class CatalogEntry(NamedTuple):
    """What the Stream Catalog has of a topic."""

    tags: tuple[str, ...]
    owner: str
    owner_email: str
    description: str
    business_metadata: Mapping[str, Any]


@dataclass
class ClusterReport:
    """A Kafka cluster."""

    environment_id: str
    environment_name: str
    id: str
    name: str
    bootstraps: tuple[str, ...]
    rest_url: str
    region: str = ""
    topics: list[Json] = field(default_factory=list)
    configs: dict[str, dict[str, str]] = field(default_factory=dict)
    connectors: dict[str, Json] = field(default_factory=dict)
    groups: list[GroupReport] = field(default_factory=list)
    links: list[Json] = field(default_factory=list)
    mirrors: list[Json] = field(default_factory=list)
    tables: list[Json] = field(default_factory=list)
    integrations: list[Json] = field(default_factory=list)
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)

    @property
    def namespace(self) -> str:
        return cluster_namespace(self.environment_id, self.id)

    @property
    def where(self) -> str:
        return f"{self.environment_id}/{self.id}"

    @cached_property
    def topics_by_name(self) -> dict[str, Json]:
        """The topics once they are read."""
        return {text(each, "topic_name"): each for each in self.topics}


@dataclass
class KsqlReport:
    """A ksqlDB cluster: its queries, and the streams and tables that they use."""

    id: str
    name: str
    kafka_cluster: str
    url: str
    queries: list[KsqldbQuery] = field(default_factory=list)
    sources: list[KsqldbSource] = field(default_factory=list)
    is_done: bool = False


class SubjectReport(NamedTuple):
    """The newest version of a subject, and what it refers to."""

    schema: RegisteredSchema
    references: Mapping[Reference, RegisteredSchema]


@dataclass
class EnvironmentReport:
    """An environment with all that is in it."""

    id: str
    name: str
    clusters: list[ClusterReport] = field(default_factory=list)
    registry_url: str = ""
    registry_id: str = ""
    compatibility: str = ""
    subjects: list[SubjectReport] = field(default_factory=list)
    catalog: dict[tuple[str, str], CatalogEntry] = field(default_factory=dict)
    ksqldb: list[KsqlReport] = field(default_factory=list)
    pools: list[Json] = field(default_factory=list)
    statements: list[Json] = field(default_factory=list)
    materialized: list[Json] = field(default_factory=list)
    problems: list[PartProblem] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    others: list[ClusterReport] = field(default_factory=list)
    """Clusters that are not to be read: statements may name them."""
    is_narrowed: bool = False
    """Whether there may be clusters beside these."""

    def leaves_out(self, namespace: str) -> bool:
        """Whether a namespace is that of a cluster that is not to be read."""
        return any(each.namespace == namespace for each in self.others)

    def has_read(self, part: str) -> bool:
        """Whether the schemas, or the catalog, were read, or there are none."""
        return part in self.done or (REGISTRIES in self.done and not self.registry_url)

    def has_failed(self, part: str) -> bool:
        """Whether a part could not be read now, and perhaps could before."""
        return any(each.part == part and not each.is_without_key for each in self.problems)


def text(value: Any, *path: str) -> str:
    """What is at a path in JSON, as text; empty where it is not there."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return str(value) if value not in (None, "") else ""


def inner(value: Any, *path: str) -> Json:
    """The object at a path in JSON; empty where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
