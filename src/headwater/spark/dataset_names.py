"""The dataset name of a plan node: a topic, a table, files; read from the JVM."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress

from headwater.emit.gaps import GapEntry
from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.catalogs import (
    location_of,
    name_catalog_table,
    table_of_catalog,
)
from headwater.spark.datasets.jdbc import name_jdbc
from headwater.spark.datasets.providers import Options, describe_options, find_provider
from headwater.spark.datasets.scala import read_map
from headwater.spark.datasets.session import find_setting
from headwater.spark.datasets.unknown import unknown_input
from headwater.spark.relations import Java, PlanRelation

# Sources and sinks that report the path of their files.
_OF_FILES = frozenset(("DeltaSink", "DeltaSource", "FileSink", "FileSource", "FileStreamSource"))
# Leaves that are no datasets: rows of the program itself, and what Spark makes up for a trial.
_WITHOUT_NAME = frozenset(("LocalRelation", "OneRowRelation", "Range"))
# Parts of a table of Iceberg, which is the same table: `db.orders.branch_audit`.
_REFERENCE = re.compile(r"\.(branch|tag|snapshot_id|at_timestamp)_[^.]+$")
# Files as Spark names them, and folders of partitions, at the end of a path.
_PARTITIONS = re.compile(r"(?:/[^/=]+=[^/=]*)*(?:/part-[^/]*)?/?$")
_DESCRIBED = re.compile(r"(\w+)\[(.*)\]", re.DOTALL)


def name_leaf(leaf: Java, query_name: str = "") -> list[PlanRelation]:
    """The datasets that a leaf of a plan reads; none where it is data that has no name.

    What is made up for one query alone has the name of that query.
    """
    reading = _LEAVES.get(_kind(leaf))
    if reading is None:
        return []
    relations = reading(leaf)
    if not relations and query_name:
        return _made_up(leaf, query_name)
    return relations


def _made_up(leaf: Java, query_name: str) -> list[PlanRelation]:
    """Spark's sources for trials: rows at a rate."""
    if "Scan" not in _kind(leaf) or not _kind(leaf.relation().table()).startswith("Rate"):
        return []
    return [PlanRelation(DatasetName("rate", query_name))]


def _kind(node: Java) -> str:
    return str(node.getClass().getSimpleName())


def describe_leaf(leaf: Java) -> GapEntry | None:
    """What a leaf without a name is, for a report of what is missing; None if nothing is.

    A provider that is not known is described by its class, and its options without secrets.
    """
    kind = _kind(leaf)
    if kind in _WITHOUT_NAME or kind not in _LEAVES:
        # Operators without children are no sources: they are reported as operators.
        return None
    found, options = kind, ""
    if kind == "StreamingExecutionRelation":
        found = str(leaf.source().getClass().getName())
    elif kind == "LogicalRelation":
        found = str(leaf.relation().getClass().getName())
        options = describe_options(_relation_options(leaf.relation()))
    elif "V2" in kind:
        relation = leaf.relation() if "Scan" in kind else leaf
        if _kind(relation.table()).startswith("Rate"):
            return None
        found = f"{relation.table().getClass().getName()} {relation.table().name()}"
        options = describe_options(_table_options(relation))
    return unknown_input(found, options)


def _of_files(leaf: Java) -> list[PlanRelation]:
    """Files, a table of Spark's own catalog that they are, or what else a relation is."""
    relation = leaf.relation()
    if _kind(relation) == "JDBCRelation":
        return _of_jdbc(relation)
    table = leaf.catalogTable()
    if table.isDefined():
        return [name_catalog_table(table.get(), leaf)]
    if _kind(relation) == "DeltaCDFRelation":
        # The changes of a table of Delta's are of that table.
        log = relation.snapshotWithSchemaMode().snapshot().deltaLog()
        return [PlanRelation(naming.by_location(str(log.dataPath().toString())))]
    if not hasattr_java(relation, "location"):
        return name_provider(str(relation.getClass().getName()), _relation_options(relation), leaf)
    paths = relation.location().rootPaths()
    names = [name_files(str(paths.apply(place))) for place in range(paths.size())]
    return [PlanRelation(name) for name in dict.fromkeys(names)]


def name_files(location: str) -> DatasetName:
    """Files by the folder that they are in as a whole: `/orders` of `/orders/day=1/part-0.json`."""
    return naming.by_location(_PARTITIONS.sub("", location) or location)


def name_provider(
    kind: str, options: Mapping[str, str], leaf: Java | None = None
) -> list[PlanRelation]:
    """The dataset that a provider reads or writes with its options, by the table of providers."""
    if "Kafka" in kind:
        return name_topics(options)
    provider = find_provider(kind)
    if provider is None:
        return []

    def setting(name: str) -> str:
        return "" if leaf is None else find_setting(leaf, name)

    found = provider.name(Options(options, setting))
    return [] if found is None else [PlanRelation(found.name, query=found.query)]


def hasattr_java(object: Java, method: str) -> bool:
    """Whether an object of the JVM has a method; py4j only finds out when it is called."""
    methods = object.getClass().getMethods()
    return any(str(each.getName()) == method for each in methods)


def _relation_options(relation: Java) -> dict[str, str]:
    """The options that a relation was made with, where its class keeps them, as most do."""
    if _kind(relation) == "KafkaRelation":
        return read_map(_private(relation, "sourceOptions"))
    for name in ("parameters", "params", "options", "jdbcOptions"):
        with suppress(Exception):
            found = getattr(relation, name)()
            if hasattr_java(found, "parameters"):
                found = found.parameters()
            return read_map(found)
    return {}


def _private(object: Java, name: str) -> Java:
    """A field of an object of the JVM that no method gives."""
    field = object.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(object)


def _table_options(relation: Java) -> dict[str, str]:
    given = relation.options().asCaseSensitiveMap()
    return {str(key): str(given.get(key)) for key in given.keySet()}


def _of_jdbc(relation: Java) -> list[PlanRelation]:
    options = relation.jdbcOptions()
    given = {"url": str(options.url()), "dbtable": str(options.tableOrQuery())}
    return name_provider("jdbc", given)


def _of_hive(leaf: Java) -> list[PlanRelation]:
    """A table of a Hive metastore, in a format that Hive itself reads."""
    return [name_catalog_table(leaf.tableMeta(), leaf)]


def _of_table(leaf: Java) -> list[PlanRelation]:
    """A table of a catalog, or a source with options, such as Kafka."""
    return _name_table(leaf, leaf)


def _of_scan(leaf: Java) -> list[PlanRelation]:
    return _name_table(leaf, leaf.relation())


def _of_stream(leaf: Java) -> list[PlanRelation]:
    """A V1 source, identified by its description; a table of Spark's own catalog by its name."""
    table = leaf.catalogTable()
    if table.isDefined():
        return [name_catalog_table(table.get(), leaf)]
    return name_described(str(leaf.source().toString()))


def _name_table(leaf: Java, relation: Java) -> list[PlanRelation]:
    """The dataset that a table of the second kind is."""
    table, identifier, catalog = relation.table(), relation.identifier(), relation.catalog()
    if _kind(table) == "RowLevelOperationTable":
        # What MERGE and its like put around a table that they rewrite.
        table = table.table()
    if "Kafka" in _kind(table):
        return name_topics(_table_options(relation))
    if _kind(table) == "TextSocketTable":
        options = relation.options()
        return [
            PlanRelation(
                DatasetName(f"socket://{options.get('host')}:{options.get('port')}", "lines")
            )
        ]
    if _kind(table) == "JDBCTable" and identifier.isDefined():
        return [PlanRelation(name_jdbc(_url_of(table), str(identifier.get().toString())))]
    location = location_of(table)
    if not identifier.isDefined():
        if location and _is_iceberg(table):
            # Read by its name as a path: `format("iceberg").load("lake.db.orders")`.
            return [table_of_catalog(leaf, location, *_split_catalog(str(table.name())))]
        return name_provider(str(table.getClass().getName()), _table_options(relation), leaf)
    name = str(identifier.get().toString())
    catalogue = str(catalog.get().name()) if catalog.isDefined() else "spark"
    if _is_iceberg(table):
        name = _REFERENCE.sub("", name)
        if _is_metadata(table):
            return [_name_metadata(leaf, table, catalogue, name)]
    if location is None:
        return [PlanRelation(DatasetName(catalogue, name))]
    if "/" in str(identifier.get().name()):
        # A path in the place of a name: delta.`/data/orders`.
        return [PlanRelation(naming.by_location(location))]
    return [table_of_catalog(leaf, location, catalogue, name)]


def _is_metadata(table: Java) -> bool:
    """Whether a table of Iceberg is one of those about another, such as `db.orders.snapshots`."""
    kind = table.table().getClass().getSuperclass()
    return str(kind.getSimpleName()) == "BaseMetadataTable"


def _name_metadata(leaf: Java, table: Java, catalogue: str, name: str) -> PlanRelation:
    """It says that it is where the other is, whose rows it does not have."""
    kind = name.rpartition(".")[2]
    return table_of_catalog(leaf, f"{location_of(table)}.{kind}", catalogue, name)


def _is_iceberg(table: Java) -> bool:
    return str(table.getClass().getName()).startswith("org.apache.iceberg.")


def _split_catalog(name: str) -> tuple[str, str]:
    """The catalog and the rest of a name; a path has none."""
    catalogue, dot, rest = name.partition(".")
    return ("", "") if "/" in name or not dot else (catalogue, rest)


def _url_of(table: Java) -> str:
    return str(table.jdbcOptions().url())


def name_topics(options: Mapping[str, str]) -> list[PlanRelation]:
    """The topics that are read, or the one that is written."""
    known = {key.lower(): value for key, value in options.items()}
    brokers = known.get("kafka.bootstrap.servers", "")
    if not brokers:
        return []
    if pattern := known.get("subscribepattern"):
        return [PlanRelation(naming.kafka(brokers, pattern), is_topic=True, is_pattern=True)]
    topics = known.get("topic") or known.get("subscribe") or _assigned(known.get("assign")) or ""
    return [
        PlanRelation(naming.kafka(brokers, topic.strip()), is_topic=True)
        for topic in topics.split(",")
        if topic.strip()
    ]


def _assigned(partitions: str | None) -> str:
    """The topics of partitions that are chosen one by one, as `{"orders": [0, 1]}`."""
    try:
        return ",".join(json.loads(partitions or "{}"))
    except (TypeError, ValueError):
        return ""


def name_described(text: str) -> list[PlanRelation]:
    """The dataset in the description of a source or sink: `FileSink[file:/a/b]`."""
    found = _DESCRIBED.fullmatch(text)
    if found is None or found[1] not in _OF_FILES:
        return []
    return [PlanRelation(name_files(found[2]))]


_LEAVES: dict[str, Callable[[Java], list[PlanRelation]]] = {
    "DataSourceV2Relation": _of_table,
    "DataSourceV2ScanRelation": _of_scan,
    "HiveTableRelation": _of_hive,
    "LogicalRelation": _of_files,
    "StreamingDataSourceV2Relation": _of_table,
    "StreamingDataSourceV2ScanRelation": _of_scan,
    "StreamingExecutionRelation": _of_stream,
}
