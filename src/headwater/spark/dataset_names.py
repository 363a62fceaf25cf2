"""The dataset name of a plan node: a topic, a table, files; read from the JVM."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from headwater.emit.gaps import GapEntry
from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.jdbc import JdbcQuery, name_jdbc
from headwater.spark.datasets.providers import Options, describe_options, find_provider
from headwater.spark.datasets.scala import read_map
from headwater.spark.datasets.unknown import unknown_input

# A node, table or source in the JVM, behind py4j.
Java = Any


class PlanRelation(NamedTuple):
    """A dataset that a plan reads or writes, with its other name if it has one."""

    name: DatasetName
    other: DatasetName | None = None
    is_topic: bool = False
    is_pattern: bool = False
    query: JdbcQuery | None = None
    """What a database answers in the place of a table, which the dataset then stands for."""
    label: str | None = None
    """What the program itself calls it, wherever it is: `lake.db.orders`."""


# Catalogs whose tables are known by the service that has them, not by where their files are.
_BY_URI = frozenset(("hive", "jdbc", "nessie", "rest"))
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
        return [name_catalog_table(table.get())]
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
        return "" if leaf is None else str(leaf.conf().getConfString(name, ""))

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


def name_catalog_table(table: Java) -> PlanRelation:
    """A table of Spark's own catalog: files, under a name."""
    return table_at(str(table.location()), table_name(table.identifier()))


def table_name(identifier: Java) -> str:
    """A name in Spark's own catalog, with its database."""
    database = identifier.database()
    name = str(identifier.table())
    return f"{database.get()}.{name}" if database.isDefined() else f"default.{name}"


def _of_jdbc(relation: Java) -> list[PlanRelation]:
    options = relation.jdbcOptions()
    given = {"url": str(options.url()), "dbtable": str(options.tableOrQuery())}
    return name_provider("jdbc", given)


def _of_hive(leaf: Java) -> list[PlanRelation]:
    """A table of a Hive metastore, in a format that Hive itself reads."""
    return [name_catalog_table(leaf.tableMeta())]


def _of_table(leaf: Java) -> list[PlanRelation]:
    """A table of a catalog, or a source with options, such as Kafka."""
    return _name_table(leaf, leaf)


def _of_scan(leaf: Java) -> list[PlanRelation]:
    return _name_table(leaf, leaf.relation())


def _of_stream(leaf: Java) -> list[PlanRelation]:
    """A V1 source, identified by its description; a table of Spark's own catalog by its name."""
    table = leaf.catalogTable()
    if table.isDefined():
        return [name_catalog_table(table.get())]
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
    location = _location(table)
    if not identifier.isDefined():
        if location and _is_iceberg(table):
            # Read by its name as a path: `format("iceberg").load("lake.db.orders")`.
            return [_in_catalog(leaf, location, *_split_catalog(str(table.name())))]
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
    return [_in_catalog(leaf, location, catalogue, name)]


def _is_metadata(table: Java) -> bool:
    """Whether a table of Iceberg is one of those about another, such as `db.orders.snapshots`."""
    kind = table.table().getClass().getSuperclass()
    return str(kind.getSimpleName()) == "BaseMetadataTable"


def _name_metadata(leaf: Java, table: Java, catalogue: str, name: str) -> PlanRelation:
    """It says that it is where the other is, whose rows it does not have."""
    kind = name.rpartition(".")[2]
    return _in_catalog(leaf, f"{_location(table)}.{kind}", catalogue, name)


def _location(table: Java) -> str | None:
    found = table.properties().get("location")
    return None if found is None else str(found)


def _is_iceberg(table: Java) -> bool:
    return str(table.getClass().getName()).startswith("org.apache.iceberg.")


def _split_catalog(name: str) -> tuple[str, str]:
    """The catalog and the rest of a name; a path has none."""
    catalogue, dot, rest = name.partition(".")
    return ("", "") if "/" in name or not dot else (catalogue, rest)


def _in_catalog(leaf: Java, location: str, catalogue: str, name: str) -> PlanRelation:
    """A table of a catalog, which is known by its files, by its service, or both."""
    if not name:
        return PlanRelation(naming.by_location(location))
    conf = leaf.conf()
    kind, uri = (
        str(conf.getConfString(f"spark.sql.catalog.{catalogue}.{key}", ""))
        for key in ("type", "uri")
    )
    if uri and kind in _BY_URI:
        metastore = f"hive://{urlsplit(uri).netloc}" if kind == "hive" else uri
        found = PlanRelation(naming.by_location(location), DatasetName(metastore, name))
    else:
        found = table_at(location, name)
    return found._replace(label=f"{catalogue}.{name}")


def name_created(plan: Java, catalog: Java, identifier: Java) -> PlanRelation:
    """A table that a plan has just created in a catalog."""
    location = _location(catalog.loadTable(identifier))
    name = str(identifier.toString())
    if location is None:
        return PlanRelation(DatasetName(str(catalog.name()), name))
    return _in_catalog(plan, location, str(catalog.name()), name)


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


def table_at(location: str, name: str) -> PlanRelation:
    """A table is named by where it is; what its catalog calls it is its other name."""
    path = naming.by_location(location)
    return PlanRelation(path, name_in_catalog(path, name))


def name_in_catalog(path: DatasetName, name: str) -> DatasetName:
    """What a catalog calls the table at a path."""
    return naming.in_warehouse(path.namespace, _warehouse(path.name, name), name)


def _warehouse(path: str, name: str) -> str:
    """The parts of a table's path that are not of the table itself."""
    parts, own = path.split("/"), name.split(".")
    return "/".join(parts[: -len(own)] if parts[-len(own) :] == own else parts[:-1])


_LEAVES: dict[str, Callable[[Java], list[PlanRelation]]] = {
    "DataSourceV2Relation": _of_table,
    "DataSourceV2ScanRelation": _of_scan,
    "HiveTableRelation": _of_hive,
    "LogicalRelation": _of_files,
    "StreamingDataSourceV2Relation": _of_table,
    "StreamingDataSourceV2ScanRelation": _of_scan,
    "StreamingExecutionRelation": _of_stream,
}
