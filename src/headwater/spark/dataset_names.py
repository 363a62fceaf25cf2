"""The dataset name of a plan node: a topic, a table, files; read from the JVM."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from headwater.model import naming
from headwater.model.naming import DatasetName

# A node, table or source in the JVM, behind py4j.
Java = Any


class PlanRelation(NamedTuple):
    """A dataset that a plan reads or writes, with its other name if it has one."""

    name: DatasetName
    other: DatasetName | None = None
    is_topic: bool = False
    is_pattern: bool = False


# Catalogs whose tables are known by the service that has them, not by where their files are.
_BY_URI = frozenset(("hive", "jdbc", "nessie", "rest"))
# Sources and sinks that report the path of their files.
_OF_FILES = frozenset(("FileStreamSource", "FileSource", "FileSink"))
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


def _of_files(leaf: Java) -> list[PlanRelation]:
    """Files, a table of Spark's own catalog that they are, or a table behind JDBC."""
    relation = leaf.relation()
    if _kind(relation) == "JDBCRelation":
        return _of_jdbc(relation)
    table = leaf.catalogTable()
    if table.isDefined():
        return [name_catalog_table(table.get())]
    paths = relation.location().rootPaths()
    return [
        PlanRelation(naming.by_location(str(paths.apply(place)))) for place in range(paths.size())
    ]


def name_catalog_table(table: Java) -> PlanRelation:
    """A table of Spark's own catalog: files, under a name."""
    identifier = table.identifier()
    database = identifier.database()
    name = str(identifier.table())
    whole = f"{database.get()}.{name}" if database.isDefined() else name
    return table_at(str(table.location()), whole)


def _of_jdbc(relation: Java) -> list[PlanRelation]:
    options = relation.jdbcOptions()
    return [PlanRelation(name_jdbc(str(options.url()), str(options.tableOrQuery())))]


def _of_table(leaf: Java) -> list[PlanRelation]:
    """A table of a catalog, or a source with options, such as Kafka."""
    return _name_table(leaf, leaf)


def _of_scan(leaf: Java) -> list[PlanRelation]:
    return _name_table(leaf, leaf.relation())


def _of_stream(leaf: Java) -> list[PlanRelation]:
    """A V1 source, identified by its description."""
    return name_described(str(leaf.source().toString()))


def _name_table(leaf: Java, relation: Java) -> list[PlanRelation]:
    """The dataset that a table of the second kind is."""
    table, identifier, catalog = relation.table(), relation.identifier(), relation.catalog()
    if _kind(table) == "RowLevelOperationTable":
        # What MERGE and its like put around a table that they rewrite.
        table = table.table()
    if "Kafka" in _kind(table):
        given = relation.options().asCaseSensitiveMap()
        return name_topics({str(key): str(given.get(key)) for key in given.keySet()})
    if _kind(table) == "TextSocketTable":
        options = relation.options()
        return [
            PlanRelation(
                DatasetName(f"socket://{options.get('host')}:{options.get('port')}", "lines")
            )
        ]
    if not identifier.isDefined():
        return []
    location = table.properties().get("location")
    name = str(identifier.get().toString())
    catalogue = str(catalog.get().name()) if catalog.isDefined() else "spark"
    if location is None:
        return [PlanRelation(DatasetName(catalogue, name))]
    conf = leaf.conf()
    kind, uri = (
        str(conf.getConfString(f"spark.sql.catalog.{catalogue}.{key}", ""))
        for key in ("type", "uri")
    )
    if uri and kind in _BY_URI:
        metastore = f"hive://{urlsplit(uri).netloc}" if kind == "hive" else uri
        return [PlanRelation(naming.by_location(str(location)), DatasetName(metastore, name))]
    return [table_at(str(location), name)]


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
    return [PlanRelation(naming.by_location(found[2]))]


def table_at(location: str, name: str) -> PlanRelation:
    """A table is named by where it is; what its catalog calls it is its other name."""
    path = naming.by_location(location)
    warehouse = _warehouse(path.name, name)
    return PlanRelation(path, naming.in_warehouse(path.namespace, warehouse, name))


def _warehouse(path: str, name: str) -> str:
    """The parts of a table's path that are not of the table itself."""
    parts, own = path.split("/"), name.split(".")
    return "/".join(parts[: -len(own)] if parts[-len(own) :] == own else parts[:-1])


def name_jdbc(url: str, table: str) -> DatasetName:
    """A JDBC table; user and options of the URL are omitted."""
    parts = urlsplit(url.removeprefix("jdbc:"))
    scheme = {"postgresql": "postgres"}.get(parts.scheme, parts.scheme)
    host = parts.hostname or ""
    database = parts.path.strip("/")
    named = _JDBC.get(scheme)
    if named is None:
        return DatasetName(f"{scheme}://{host}", f"{database}.{table}")
    return named(host, parts.port, database, table)


def _with_schema(name: Callable[..., DatasetName], default: str) -> Callable[..., DatasetName]:
    def named(host: str, port: int | None, database: str, table: str) -> DatasetName:
        schema, dot, rest = table.partition(".")
        parts = (schema, rest) if dot else (default, table)
        return name(host, port, database, *parts)

    return named


_JDBC: dict[str, Callable[..., DatasetName]] = {
    "postgres": _with_schema(naming.postgres, "public"),
    "sqlserver": _with_schema(naming.mssql, "dbo"),
    "mysql": naming.mysql,
}
_LEAVES: dict[str, Callable[[Java], list[PlanRelation]]] = {
    "DataSourceV2Relation": _of_table,
    "DataSourceV2ScanRelation": _of_scan,
    "LogicalRelation": _of_files,
    "StreamingDataSourceV2Relation": _of_table,
    "StreamingDataSourceV2ScanRelation": _of_scan,
    "StreamingExecutionRelation": _of_stream,
}
