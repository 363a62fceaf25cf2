"""The dataset behind a table of streaming SQL, from the options of its CREATE statement.

What is known of each connector is data (`CONNECTORS`), in the template language of Kafka Connect's
connectors (`model/connect`), so that a topic or a table has one name, whichever system names it.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.model import naming
from headwater.model.connect.connector_names import name_location
from headwater.model.connect.connectors import describe
from headwater.model.naming import DatasetName

Options = Mapping[str, str]


class Physical(NamedTuple):
    """What a table stands for: `names` of datasets, else the reason why there are none.

    `is_dataset` is false for connectors that have none, such as `print` and `datagen`.
    """

    names: tuple[DatasetName, ...] = ()
    reason: str = ""
    is_dataset: bool = True


class _Connector(NamedTuple):
    """`row` is a row of the template language; `path` names an option that holds a location."""

    names: tuple[str, ...]
    row: Mapping[str, Any] = {}
    path: tuple[str, ...] = ()


# The name of the table itself, among the options that templates refer to.
_TABLE = "headwater.table"


def _cdc(scheme: str, port: int, name: str) -> dict[str, str]:
    return {
        "namespace": f"{scheme}://{{hostname}}:{{port|={port}}}",
        "name": "{@table}",
        "tables": name,
    }


_ICEBERG = {
    "location": "{warehouse}",
    "database_suffix": ".db",
    "suffix_where": ["catalog-type=hive", "catalog-type=glue"],
    "namespace": "{uri}",
    "name": "{@table}",
    # The database is the session's where it is not given, which is not known here.
    "tables": f"{{catalog-database}}.{{catalog-table|{_TABLE}}}",
}
_KAFKA = {
    "namespace": "kafka://{properties.bootstrap.servers}",
    "name": "{@table}",
    "tables": "{topic*}",
}

CONNECTORS: tuple[_Connector, ...] = (
    _Connector(("kafka", "upsert-kafka", "kafka-0.10", "kafka-0.11"), _KAFKA),
    _Connector(("jdbc",), {"url": "{url}", "tables": "{table-name}"}),
    _Connector(("filesystem",), path=("path",)),
    _Connector(("hudi",), path=("path",)),
    _Connector(("delta",), path=("table-path",)),
    _Connector(("iceberg",), _ICEBERG),
    _Connector(("paimon",), path=("path",)),
    _Connector(
        ("kinesis", "kinesis-legacy"),
        {"namespace": "kinesis://{headwater.endpoint}", "name": "{@table}", "tables": "{stream*}"},
    ),
    *(
        _Connector(
            (name, *(f"{name}-{version}" for version in range(1, 10))),
            {
                "namespace": f"{name}://{{headwater.host}}",
                "name": "{@table}",
                "tables": "{index*}",
            },
        )
        for name in ("elasticsearch", "opensearch")
    ),
    _Connector(("mongodb",), {"url": "{uri}", "tables": "{collection*}"}),
    _Connector(("mongodb-cdc",), {"url": "{scheme|=mongodb}://{hosts}", "tables": "{collection*}"}),
    _Connector(("mysql-cdc",), _cdc("mysql", 3306, "{database-name*}.{table-name*}")),
    _Connector(
        ("tidb-cdc", "oceanbase-cdc"), _cdc("mysql", 3306, "{database-name*}.{table-name*}")
    ),
    _Connector(
        ("postgres-cdc",),
        _cdc("postgres", 5432, "{database-name}.{schema-name|=public}.{table-name*}"),
    ),
    _Connector(
        ("oracle-cdc",), _cdc("oracle", 1521, "{database-name}.{schema-name*}.{table-name*}")
    ),
    _Connector(
        ("sqlserver-cdc",), _cdc("mssql", 1433, "{database-name}.{headwater.schema_table*}")
    ),
    _Connector(("db2-cdc",), _cdc("db2", 50000, "{database-name}.{headwater.schema_table*}")),
    _Connector(
        ("vitess-cdc",),
        {
            "namespace": "vitess://{hostname}:{port|=15991}",
            "name": "{@table}",
            "tables": "{keyspace}.{table-name*}",
        },
    ),
    _Connector(
        tuple(f"hbase-{version}" for version in ("1.4", "2.2", "2.6")),
        {
            "namespace": "hbase://{headwater.quorum}",
            "name": "{@table}",
            "tables": "{table-name}",
        },
    ),
)

# They make their rows up, or throw them away.
WITHOUT_DATASET = ("print", "blackhole", "datagen", "faker", "nexmark", "python-input-format")

_BY_NAME = {name: connector for connector in CONNECTORS for name in connector.names}
_CREDENTIALS = re.compile(r"(?<=://)[^/@:]*:[^/@]*@")


def describe_options(
    options: Options, dialect: str, table_name: str, bootstrap: str = ""
) -> Physical:
    """What a table stands for, and why it stands for nothing.

    `table_name` is the table's own name, without catalog and database. `bootstrap` is the Kafka
    cluster of ksqlDB and of Confluent Cloud, whose statements do not name it.
    """
    if dialect == "ksqldb":
        return _topic(options.get("KAFKA_TOPIC") or table_name, bootstrap)
    kind = options.get("connector", "").lower()
    if kind in WITHOUT_DATASET:
        return Physical((), f"The connector '{kind}' has no dataset.", is_dataset=False)
    if kind == "confluent" or (not kind and bootstrap):
        return _topic(table_name, bootstrap)
    if not kind:
        return Physical((), "There is no option 'connector': the catalog decides.")
    known = _BY_NAME.get(kind)
    if known is None:
        return Physical((), f"The connector '{kind}' is not known.")
    names = _names(known, {key: _public(value) for key, value in options.items()}, table_name)
    if not names:
        return Physical((), f"The options of '{kind}' do not name one dataset.")
    return Physical(names)


def describe_catalog_table(options: Options, database: str, table_name: str) -> Physical:
    """What a table of a catalog stands for, from the options of CREATE CATALOG."""
    kind = options.get("type", "").lower()
    public = {key: _public(value) for key, value in options.items()}
    if kind == "iceberg":
        names = _names(_BY_NAME[kind], {**public, "catalog-database": database}, table_name)
    elif kind == "paimon" and public.get("warehouse"):
        names = (name_location(public["warehouse"], f"{database}.{table_name}", ".db")[0],)
    else:
        names = ()
    if not names:
        return Physical((), f"The options of the catalog of type '{kind}' do not name its tables.")
    return Physical(names)


def _topic(topic: str, bootstrap: str) -> Physical:
    if not bootstrap:
        return Physical((), f"The Kafka cluster of the topic '{topic}' is not in the statement.")
    return Physical((naming.kafka(bootstrap, topic),))


def _names(known: _Connector, options: Options, table_name: str) -> tuple[DatasetName, ...]:
    for key in known.path:
        if options.get(key):
            return (naming.by_location(options[key]),)
    if not known.row:
        return ()
    kind = known.names[0]
    row = {"classes": [kind], "role": "sink", **known.row}
    config = {**options, **_derived(options), _TABLE: table_name, "connector.class": kind}
    # Connect's own name of a record's topic has no meaning here.
    config.pop("topics.regex", None)
    config.pop("connection.user", None)
    if options.get("username"):
        config["connection.user"] = options["username"]
    return tuple(each.name for each in describe(config, rows=[row]).externals)


def _derived(options: Options) -> dict[str, str]:
    """Parts of options that templates cannot take apart."""
    found = {"topic": options.get("topic", "").replace(";", ",")}
    first = re.split("[;,]", options.get("hosts", ""))[0].rpartition("://")[2].strip("/")
    found["headwater.host"] = first
    found["headwater.quorum"] = options.get("zookeeper.quorum", "").split(",")[0]
    table = options.get("table-name", "")
    schema = options.get("schema-name", "")
    found["headwater.schema_table"] = f"{schema}.{table}" if schema else table
    return {key: value for key, value in {**found, **_kinesis(options)}.items() if value}


def _kinesis(options: Options) -> dict[str, str]:
    """A stream's name and endpoint: `stream.arn` has both, with the region."""
    arn = options.get("stream.arn", "").split(":", 5)
    region = arn[3] if len(arn) == 6 else options.get("aws.region", "")
    stream = arn[5].removeprefix("stream/") if len(arn) == 6 else options.get("stream", "")
    endpoint = options.get("aws.endpoint", "").rpartition("://")[2].strip("/")
    default = f"kinesis.{region}.amazonaws.com" if region else ""
    return {"stream": stream, "headwater.endpoint": endpoint or default}


def _public(value: str) -> str:
    """A value without the user and password of an address."""
    return _CREDENTIALS.sub("", value)
