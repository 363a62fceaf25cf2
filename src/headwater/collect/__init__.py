"""Collectors: each reads what another system knows and gives it as OpenLineage events.

One folder a system, with the same two halves: `fetch.py` does the input and returns what the system
says, `translate.py` makes events of it and does no I/O. docs/adding-a-system.md walks through one.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from headwater.config import Section
from headwater.plugins import CheckStep, Entry, Registry

COLLECTORS = Registry(
    kind="collector",
    group="headwater.collectors",
    own={
        "confluent": Entry(
            "headwater.collect.confluent:ConfluentCollector",
            "An account of Confluent Cloud: topics, connectors, SQL, groups, schemas, Tableflow.",
            extra="registry",
        ),
        "connect": Entry(
            "headwater.collect.connect:ConnectCollector",
            "Connectors of a Kafka Connect cluster, by its REST API.",
        ),
        "dbt": Entry(
            "headwater.collect.dbt:DbtCollector",
            "A dbt project: models, tests, metrics and exposures, by column.",
            extra="sql",
        ),
        "files": Entry(
            "headwater.collect.files:FilesCollector",
            "OpenLineage events in files: JSON or NDJSON, plain or gzipped.",
        ),
        "flink": Entry(
            "headwater.collect.flink:FlinkCollector",
            "Jobs of a Flink cluster, by its REST API, with the columns of their SQL.",
        ),
        "glue": Entry(
            "headwater.collect.glue:GlueCollector",
            "Tables, crawlers and jobs of the AWS Glue Data Catalog.",
            extra="aws",
        ),
        "google": Entry(
            "headwater.collect.google:GoogleCollector",
            "Tables of BigQuery, and the lineage that Google's Data Lineage API has of them.",
        ),
        "ksqldb": Entry(
            "headwater.collect.ksqldb:KsqldbCollector",
            "Streams, tables and persistent queries of ksqlDB, by its REST API.",
            extra="sql",
        ),
        "kafka": Entry(
            "headwater.collect.kafka:KafkaCollector",
            "Topics, consumer groups and access rules of a Kafka cluster, by its admin protocol.",
            extra="kafka",
        ),
        "pipelines": Entry(
            "headwater.collect.pipelines:PipelinesCollector",
            "Pipelines of a managed platform, by its exported list: Streamkap's and the like.",
        ),
        "schema-registry": Entry(
            "headwater.collect.schema_registry:SchemaRegistryCollector",
            "Schemas of topics in a schema registry: Confluent's API, and those that speak it.",
            extra="registry",
        ),
        "unity-catalog": Entry(
            "headwater.collect.unity_catalog:UnityCatalogCollector",
            "Tables of Databricks' Unity Catalog, and the notebooks, jobs and queries around them.",
        ),
    },
)


class Collected(NamedTuple):
    """An OpenLineage event as JSON, or why something that was found is none.

    `source` says where it was found, as users name it: a file, a connector, a topic.
    """

    data: bytes
    source: str
    line: int | None = None
    element: int | None = None
    error: str | None = None
    is_unfinished: bool = False
    """No event yet: it may be still being written. It will be found again."""
    share: float | None = None
    """How much of the source has been read, from 0 to 1."""
    position: Any = None
    """What the collector needs to know again when this was delivered."""

    @property
    def place(self) -> str:
        """Where it is, as one text: `FILE:LINE`, `FILE[ELEMENT]`, or the source alone."""
        if self.line is not None:
            return f"{self.source}:{self.line}"
        return self.source if self.element is None else f"{self.source}[{self.element}]"


class Collector(Protocol):
    """Reads one system. It is made with its settings and used by one thread."""

    settings_class: ClassVar[type[Section]]

    def __init__(self, settings: Any, destination: str) -> None:
        """`destination` names where the events go: a position holds for one destination."""

    def check(self) -> Sequence[CheckStep]:
        """Try each thing that is needed, up to the first that fails; changes nothing."""

    def collect(self) -> Iterable[Collected]:
        """Read what is new since the last call, or all there is; then end.

        Raises SourceUnavailable where the system does not answer: the next call may work.
        """


@runtime_checkable
class Resumable(Protocol):
    """A collector that continues where it stopped."""

    skipped: int
    """How many events were passed over, because they were delivered before."""

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        """Note that these, in the order of `collect`, need not be delivered again."""


@runtime_checkable
class Located(Protocol):
    """A collector that users give places to, which may not be there, or have an end."""

    @property
    def is_at_end(self) -> bool:
        """Whether nothing more will come, however long it is waited for."""

    def find_missing(self) -> Sequence[str]:
        """The places where nothing is; where nobody waits for them, they are mistakes."""
