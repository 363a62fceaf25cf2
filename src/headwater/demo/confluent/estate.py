"""An account of Confluent Cloud as data: what the APIs of the stand-in answer from."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Json = dict[str, Any]


class Credentials(NamedTuple):
    """An API key and its secret."""

    key: str
    secret: str


@dataclass
class CloudTopic:
    name: str
    partitions: int = 6
    replication_factor: int = 3
    is_internal: bool = False
    configs: dict[str, str] = field(default_factory=dict)
    activity: dict[str, float] = field(default_factory=dict)
    """By metric: received_bytes, sent_records, ..."""


@dataclass
class CloudConnector:
    name: str
    id: str
    type: str
    config: dict[str, str]
    state: str = "RUNNING"
    trace: str = ""


@dataclass
class CloudGroup:
    """A consumer group; `lags` is by topic and partition: the offset and the end of the log."""

    id: str
    lags: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    state: str = "STABLE"


@dataclass
class CloudMirror:
    link: str
    source_topic: str
    mirror_topic: str
    status: str = "ACTIVE"


@dataclass
class CloudTable:
    """A topic that Tableflow makes a table of; `syncs` are states by integration."""

    topic: str
    formats: tuple[str, ...] = ("ICEBERG",)
    table_path: str = ""
    syncs: dict[str, str] = field(default_factory=dict)
    suspended: bool = False


@dataclass
class CloudCluster:
    id: str
    name: str
    credentials: Credentials
    cloud: str = "AWS"
    region: str = "us-east-1"
    bootstrap: str = ""
    topics: dict[str, CloudTopic] = field(default_factory=dict)
    connectors: dict[str, CloudConnector] = field(default_factory=dict)
    groups: dict[str, CloudGroup] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """The source cluster's id by the link's name."""
    mirrors: list[CloudMirror] = field(default_factory=list)
    tables: list[CloudTable] = field(default_factory=list)
    integrations: dict[str, Json] = field(default_factory=dict)
    """The configuration of each catalog integration by id."""

    @property
    def bootstrap_servers(self) -> str:
        host = f"pkc-{self.id.removeprefix('lkc-')}.{self.region}.{self.cloud.lower()}"
        return self.bootstrap or f"{host}.confluent.cloud:9092"

    def add_topic(self, name: str, **more: Any) -> CloudTopic:
        self.topics[name] = CloudTopic(name, **more)
        return self.topics[name]

    def add_connector(self, name: str, id: str, type: str, **config: str) -> CloudConnector:
        """Add one; `_` in the names of settings stands for a dot."""
        settings = {key.replace("_", "."): value for key, value in config.items()}
        own = {
            "name": name,
            "kafka.api.key": "****************",
            "kafka.api.secret": "****************",
            "tasks.max": "1",
        }
        self.connectors[name] = CloudConnector(name, id, type, {**own, **settings})
        return self.connectors[name]


@dataclass
class CloudKsqldb:
    id: str
    name: str
    kafka_cluster: str
    credentials: Credentials
    queries: list[Json] = field(default_factory=list)
    sources: list[Json] = field(default_factory=list)

    def add_source(
        self, name: str, topic: str, columns: dict[str, str], type: str = "STREAM"
    ) -> None:
        fields = [
            {"name": column, "schema": {"type": kind, "fields": None, "memberSchema": None}}
            for column, kind in columns.items()
        ]
        self.sources.append(
            {
                "name": name,
                "type": type,
                "topic": topic,
                "keyFormat": "KAFKA",
                "valueFormat": "AVRO",
                "fields": fields,
                "readQueries": [],
                "writeQueries": [],
            }
        )

    def add_query(self, id: str, statement: str, sources: list[str], sink: str) -> None:
        self.queries.append(
            {
                "id": id,
                "statementText": statement,
                "sources": sources,
                "sinks": [sink],
                "queryType": "PERSISTENT",
                "state": "RUNNING",
                "queryErrors": [],
                "consumerGroupId": f"_confluent-ksql-{self.id}query_{id}",
            }
        )


@dataclass
class CloudStatement:
    name: str
    sql: str
    pool: str
    properties: dict[str, str]
    phase: str = "RUNNING"
    detail: str = ""
    kind: str = "INSERT_INTO"


@dataclass
class CloudPool:
    id: str
    name: str
    cloud: str = "AWS"
    region: str = "us-east-1"


@dataclass
class CatalogTopic:
    """What the Stream Catalog has of a topic."""

    cluster: str
    topic: str
    tags: tuple[str, ...] = ()
    owner: str = ""
    owner_email: str = ""
    description: str = ""
    business_metadata: dict[str, Json] = field(default_factory=dict)


@dataclass
class CloudEnvironment:
    id: str
    name: str
    registry: Credentials
    flink: Credentials
    clusters: dict[str, CloudCluster] = field(default_factory=dict)
    ksqldb: dict[str, CloudKsqldb] = field(default_factory=dict)
    pools: list[CloudPool] = field(default_factory=list)
    statements: list[CloudStatement] = field(default_factory=list)
    subjects: dict[str, list[Json]] = field(default_factory=dict)
    """The versions of each subject, oldest first."""
    catalog: list[CatalogTopic] = field(default_factory=list)

    def add_schema(self, subject: str, schema: str, type: str = "AVRO", **more: Any) -> None:
        versions = self.subjects.setdefault(subject, [])
        number = 100_000 + sum(map(len, self.subjects.values()))
        kind = {} if type == "AVRO" else {"schemaType": type}
        found = {"subject": subject, "version": len(versions) + 1, "id": number}
        versions.append({**found, **kind, "schema": schema, **more})


@dataclass
class CloudEstate:
    """An organization with all that it has."""

    organization: str
    cloud: Credentials
    tableflow: Credentials
    environments: dict[str, CloudEnvironment] = field(default_factory=dict)

    def cluster(self, id: str) -> CloudCluster | None:
        clusters = (env.clusters.get(id) for env in self.environments.values())
        return next((each for each in clusters if each is not None), None)
