"""The one table of providers: what a source or sink is called, by the options it was given.

A row is `is_run` if a test has run it against the real system; the others follow the documentation
of their connector. `docs/spark.md` has the same table, written from this one.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from headwater.model import naming
from headwater.model.naming import DatasetName
from headwater.spark.datasets.jdbc import JdbcQuery, find_query, name_jdbc, name_jdbc_query


class NamedSource(NamedTuple):
    """What options name: a dataset, or a query that stands for one."""

    name: DatasetName
    query: JdbcQuery | None = None


class Options:
    """The options of a source or sink, whatever their case; then the session's settings."""

    def __init__(
        self,
        given: Mapping[str, str],
        setting: Callable[[str], str] = lambda _: "",
    ) -> None:
        self._given = {key.lower(): value for key, value in given.items()}
        self._setting = setting

    def get(self, *names: str, default: str = "") -> str:
        """The first of these options that is given."""
        for name in names:
            if value := self._given.get(name.lower()):
                return value
        # A setting of the session has its connector in its name: `spark.mongodb.read.database`.
        for name in names:
            if name.startswith("spark.") and (value := self._setting(name)):
                return value
        return default


Namer = Callable[[Options], NamedSource | None]


class Provider(NamedTuple):
    """A kind of source or sink: by the names of its format, and by parts of its classes' names."""

    formats: tuple[str, ...]
    classes: tuple[str, ...]
    options: str
    namespace: str
    dataset: str
    is_run: bool
    name: Namer


def find_provider(kind: str) -> Provider | None:
    """The provider of a format or a class: `mongodb`, `com.mongodb.spark.sql.MongoTable`."""
    whole = kind.lower()
    for provider in PROVIDERS:
        if whole in provider.formats or any(each in whole for each in provider.classes):
            return provider
    return None


def _jdbc(options: Options) -> NamedSource | None:
    url, table = options.get("url"), options.get("dbtable", "table")
    query = options.get("query") or find_query(table)
    if not url or not (query or table):
        return None
    if query:
        return NamedSource(*name_jdbc_query(url, query))
    return NamedSource(name_jdbc(url, table))


def _delta(options: Options) -> NamedSource | None:
    path = options.get("path")
    return NamedSource(naming.by_location(path)) if path else None


def _mongodb(options: Options) -> NamedSource | None:
    prefixes = ("", "spark.mongodb.read.", "spark.mongodb.write.", "spark.mongodb.")

    def find(*names: str) -> str:
        return options.get(*(prefix + name for prefix in prefixes for name in names))

    # mongodb://user:password@host:27017/database.collection
    uri = urlsplit(find("connection.uri", "uri"))
    database, _, collection = uri.path.strip("/").partition(".")
    database, collection = find("database") or database, find("collection") or collection
    if not database or not collection:
        return None
    host = uri.netloc.rpartition("@")[2].split(",")[0] or "localhost"
    address = host if ":" in host or uri.scheme.endswith("+srv") else f"{host}:27017"
    return NamedSource(DatasetName(f"mongodb://{address}", f"{database}.{collection}"))


def _cassandra(options: Options) -> NamedSource | None:
    keyspace, table = options.get("keyspace"), options.get("table")
    if not keyspace or not table:
        return None
    host = options.get("spark.cassandra.connection.host", default="localhost").split(",")[0]
    address, _, in_host = host.partition(":")
    port = in_host or options.get("spark.cassandra.connection.port")
    return NamedSource(
        naming.cassandra(address, int(port) if port.isdigit() else None, keyspace, table)
    )


def _elasticsearch(options: Options) -> NamedSource | None:
    read, written = "es.resource.read", "es.resource.write"
    resource = options.get("es.resource", "path", "resource", read, written, f"spark.{read}")
    if not resource:
        return None
    nodes = options.get("es.nodes", "spark.es.nodes", default="localhost").split(",")[0]
    host, _, in_host = nodes.rpartition("://")[2].partition(":")
    port = in_host or options.get("es.port", "spark.es.port", default="9200")
    return NamedSource(DatasetName(f"elasticsearch://{host}:{port}", resource.split("/")[0]))


def _bigquery(options: Options) -> NamedSource | None:
    if query := options.get("query"):
        return _warehouse_query("bigquery", options.get("parentProject", "project"), query)
    table = options.get("table", "path").replace(":", ".", 1).strip("`")
    parts = [part for part in table.split(".") if part]
    if len(parts) == 1:
        parts = [options.get("dataset"), *parts]
    if len(parts) == 2:
        parts = [options.get("project", "parentProject"), *parts]
    if len(parts) != 3 or not all(parts):
        return None
    return NamedSource(naming.bigquery(*parts))


def _snowflake(options: Options) -> NamedSource | None:
    account = re.split(r"\.snowflakecomputing\.", options.get("sfURL", "sfurl"))[0]
    account = account.rpartition("://")[2]
    database, schema = options.get("sfDatabase"), options.get("sfSchema", default="PUBLIC")
    if not account or not database:
        return None
    if query := options.get("query"):
        found = _warehouse_query("snowflake", database, query)
        return found._replace(name=found.name._replace(namespace=f"snowflake://{account}"))
    table = options.get("dbtable")
    parts = table.split(".")
    if not table or len(parts) > 3:
        return None
    whole = [database, schema][: 3 - len(parts)] + parts
    return NamedSource(naming.snowflake(account, *whole))


def _warehouse_query(dialect: str, database: str, query: str) -> NamedSource:
    name, found = name_jdbc_query(f"jdbc:{dialect}://host/{database}", query)
    return NamedSource(name._replace(namespace=dialect), found)


def _kinesis(options: Options) -> NamedSource | None:
    stream = options.get("streamName", "kinesis.streamName", "stream")
    endpoint = options.get("endpointUrl", "kinesis.endpointUrl")
    region = options.get("region", "kinesis.region", "awsRegion")
    host = urlsplit(endpoint).netloc or endpoint
    if not host and region:
        host = f"kinesis.{region}.amazonaws.com"
    return NamedSource(naming.kinesis(host, stream)) if host and stream else None


PROVIDERS: tuple[Provider, ...] = (
    Provider(
        ("jdbc",),
        ("jdbcrelation", "jdbctable"),
        "`url`, `dbtable` or `query`",
        "`postgres://HOST:PORT` (by the URL)",
        "`DATABASE.SCHEMA.TABLE`",
        True,
        _jdbc,
    ),
    Provider(
        ("delta",),
        ("deltadatasource", "deltatable", "deltasink", "deltasource"),
        "`path`, or a table",
        "`file`, `s3://BUCKET`",
        "the path",
        True,
        _delta,
    ),
    Provider(
        ("mongodb", "mongo"),
        ("mongo",),
        "`connection.uri`, `database`, `collection`",
        "`mongodb://HOST:PORT`",
        "`DATABASE.COLLECTION`",
        False,
        _mongodb,
    ),
    Provider(
        ("org.apache.spark.sql.cassandra", "cassandra"),
        ("cassandra",),
        "`keyspace`, `table`, `spark.cassandra.connection.host`",
        "`cassandra://HOST:PORT`",
        "`KEYSPACE.TABLE`",
        False,
        _cassandra,
    ),
    Provider(
        ("es", "elasticsearch", "org.elasticsearch.spark.sql", "opensearch"),
        ("elasticsearch", "opensearch"),
        "`es.nodes`, `es.port`, `es.resource` or the path",
        "`elasticsearch://HOST:PORT`",
        "the index",
        False,
        _elasticsearch,
    ),
    Provider(
        ("bigquery", "com.google.cloud.spark.bigquery"),
        ("bigquery",),
        "`table` or the path, `dataset`, `project`; `query`",
        "`bigquery`",
        "`PROJECT.DATASET.TABLE`",
        False,
        _bigquery,
    ),
    Provider(
        ("snowflake", "net.snowflake.spark.snowflake"),
        ("snowflake",),
        "`sfURL`, `sfDatabase`, `sfSchema`, `dbtable`; `query`",
        "`snowflake://ACCOUNT`",
        "`DATABASE.SCHEMA.TABLE`",
        False,
        _snowflake,
    ),
    Provider(
        (
            "redshift",
            "io.github.spark_redshift_community.spark.redshift",
            "com.databricks.spark.redshift",
        ),
        ("redshift",),
        "`url`, `dbtable`; `query`",
        "`redshift://CLUSTER.REGION:PORT`",
        "`DATABASE.SCHEMA.TABLE`",
        False,
        _jdbc,
    ),
    Provider(
        ("kinesis", "aws-kinesis"),
        ("kinesis",),
        "`streamName`, `endpointUrl` or `region`",
        "`kinesis://HOST`",
        "the stream",
        False,
        _kinesis,
    ),
)

_SECRET = re.compile(r"passw|secret|token|key|credential|auth|user|jaas|cert|url|uri|pem|sas", re.I)


def describe_options(options: Mapping[str, str]) -> str:
    """The options of a provider that is not known, without any that may be a secret."""
    shown = {key: value for key, value in options.items() if not key.startswith("__")}
    return ", ".join(
        f"{key}={'...' if _SECRET.search(key) or '@' in value else value[:80]}"
        for key, value in sorted(shown.items())
    )
