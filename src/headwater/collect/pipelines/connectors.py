"""The connectors of managed platforms, as the classes of Kafka Connect that they are made of."""

import re
from collections.abc import Mapping

from headwater.model.connect.connector_templates import entries

_DEBEZIUM = "io.debezium.connector"
_JDBC = "io.confluent.connect.jdbc.JdbcSinkConnector"

SOURCES: Mapping[str, str] = {
    "alloydb": f"{_DEBEZIUM}.postgresql.PostgresConnector",
    "db2": f"{_DEBEZIUM}.db2.Db2Connector",
    "documentdb": f"{_DEBEZIUM}.mongodb.MongoDbConnector",
    "mariadb": f"{_DEBEZIUM}.mariadb.MariaDbConnector",
    "mongodb": f"{_DEBEZIUM}.mongodb.MongoDbConnector",
    "mysql": f"{_DEBEZIUM}.mysql.MySqlConnector",
    "oracle": f"{_DEBEZIUM}.oracle.OracleConnector",
    "planetscale": f"{_DEBEZIUM}.vitess.VitessConnector",
    "postgresql": f"{_DEBEZIUM}.postgresql.PostgresConnector",
    "sqlserver": f"{_DEBEZIUM}.sqlserver.SqlServerConnector",
    "supabase": f"{_DEBEZIUM}.postgresql.PostgresConnector",
    "vitess": f"{_DEBEZIUM}.vitess.VitessConnector",
}
DESTINATIONS: Mapping[str, str] = {
    "bigquery": "com.wepay.kafka.connect.bigquery.BigQuerySinkConnector",
    "clickhouse": "com.clickhouse.kafka.connect.ClickHouseSinkConnector",
    "databricks": "io.confluent.connect.databricks.deltalake.DatabricksDeltaLakeSinkConnector",
    "iceberg": "org.apache.iceberg.connect.IcebergSinkConnector",
    "mysql": _JDBC,
    "postgresql": _JDBC,
    "s3": "io.confluent.connect.s3.S3SinkConnector",
    "snowflake": "com.snowflake.kafka.connector.SnowflakeSinkConnector",
    "sqlserver": _JDBC,
}
_PORTS = {"mysql": "3306", "postgresql": "5432", "sqlserver": "1433"}


# Debezium's names of topics begin with one; a list may leave it out.
_NO_PREFIX = "-"
_ROUTER = {
    "transforms": "last",
    "transforms.last.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.last.replacement": "$1",
}
# Settings of sinks that give topics their tables: `TOPIC:TABLE,TOPIC:TABLE`, or with `=`.
_TABLE_MAP = re.compile(r"(?i).*\btopic2table\.?map")


def source_prefix(config: Mapping[str, str], prefix: str) -> str:
    """What a source puts before the names of tables; one that is nowhere given is made up."""
    given = config.get("topic.prefix") or config.get("database.server.name") or prefix.rstrip(".")
    return given or _NO_PREFIX


def with_table_names(config: Mapping[str, str], by_last_part: bool) -> dict[str, str]:
    """A destination whose tables have the last part of their topics' names, if so requested.

    Topics that its settings give a table keep their names, by which the settings know them.
    """
    if not by_last_part or "transforms" in config:
        return dict(config)
    mapped = "|".join(re.escape(topic) for topic in _mapped_topics(config))
    regex = rf"(?!(?:{mapped})$).*\.([^.]+)" if mapped else r".*\.([^.]+)"
    return {**config, **_ROUTER, "transforms.last.regex": regex}


def _mapped_topics(config: Mapping[str, str]) -> list[str]:
    texts = [value for key, value in config.items() if _TABLE_MAP.fullmatch(key)]
    pairs = [entry for text in texts for entry in entries(text)]
    return [re.split("[:=]", pair)[0].strip() for pair in pairs]


def connector_config(kind: str, settings: Mapping[str, str], is_source: bool) -> dict[str, str]:
    """A configuration of Kafka Connect; `connector.class` is empty where none is known."""
    config = dict(settings)
    name = re.sub(r"[^a-z0-9]", "", kind.lower().removesuffix("aws").removesuffix("hosted"))
    known = SOURCES if is_source else DESTINATIONS
    kind_class = config.get("connector.class") or known.get(name, "")
    config["connector.class"] = kind_class
    if kind_class == _JDBC and "connection.url" not in config and name in _PORTS:
        host, database = config.get("database.hostname"), config.get("database.database")
        if host and database:
            port = config.get("database.port", _PORTS[name])
            end = f";databaseName={database}" if name == "sqlserver" else f"/{database}"
            config["connection.url"] = f"jdbc:{name}://{host}:{port}{end}"
    return config
