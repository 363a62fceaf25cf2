"""What a source or sink is called, by the options it was given."""

import pytest

from headwater.model.naming import DatasetName
from headwater.spark.datasets.jdbc import find_query, name_jdbc, name_jdbc_query
from headwater.spark.datasets.providers import Options, describe_options, find_provider


@pytest.mark.parametrize(
    ("kind", "options", "namespace", "name"),
    [
        (
            "mongodb",
            {"connection.uri": "mongodb://u:p@h:27018/shop.orders"},
            "mongodb://h:27018",
            "shop.orders",
        ),
        (
            "com.mongodb.spark.sql.connector.MongoTable",
            {"connection.uri": "mongodb://h", "database": "shop", "collection": "orders"},
            "mongodb://h:27017",
            "shop.orders",
        ),
        (
            "org.apache.spark.sql.cassandra",
            {"keyspace": "shop", "table": "orders", "spark.cassandra.connection.host": "c1,c2"},
            "cassandra://c1:9042",
            "shop.orders",
        ),
        (
            "org.elasticsearch.spark.sql.DefaultSource",
            {"es.nodes": "e1,e2", "es.resource": "orders/_doc"},
            "elasticsearch://e1:9200",
            "orders",
        ),
        ("bigquery", {"table": "p:d.orders"}, "bigquery", "p.d.orders"),
        ("bigquery", {"path": "d.orders", "parentProject": "p"}, "bigquery", "p.d.orders"),
        (
            "net.snowflake.spark.snowflake.DefaultSource",
            {
                "sfUrl": "org-a.snowflakecomputing.com",
                "sfDatabase": "db",
                "sfSchema": "s",
                "dbtable": "orders",
            },
            "snowflake://org-a",
            "db.s.orders",
        ),
        (
            "io.github.spark_redshift_community.spark.redshift",
            {
                "url": "jdbc:redshift://c.x1.eu-west-1.redshift.amazonaws.com:5439/dev?user=u",
                "dbtable": "orders",
            },
            "redshift://c.eu-west-1:5439",
            "dev.public.orders",
        ),
        (
            "aws-kinesis",
            {"kinesis.streamName": "orders", "kinesis.region": "eu-west-1"},
            "kinesis://kinesis.eu-west-1.amazonaws.com",
            "orders",
        ),
        ("delta", {"path": "s3a://lake/orders"}, "s3://lake", "orders"),
    ],
)
def test_by_options(kind: str, options: dict[str, str], namespace: str, name: str) -> None:
    provider = find_provider(kind)
    assert provider is not None
    found = provider.name(Options(options))
    assert found is not None
    assert found.name == DatasetName(namespace, name)


def test_what_options_do_not_name() -> None:
    for kind in ("jdbc", "delta", "mongodb", "cassandra", "es", "bigquery", "snowflake", "kinesis"):
        provider = find_provider(kind)
        assert provider is not None
        assert provider.name(Options({})) is None
    assert find_provider("com.example.Shelf") is None


def test_settings_of_the_session() -> None:
    provider = find_provider("mongodb")
    assert provider is not None
    settings = {"spark.mongodb.read.connection.uri": "mongodb://h:1/shop.orders"}
    found = provider.name(Options({}, lambda name: settings.get(name, "")))
    assert found is not None
    assert found.name == DatasetName("mongodb://h:1", "shop.orders")


def test_a_query_of_a_warehouse() -> None:
    provider = find_provider("snowflake")
    assert provider is not None
    options = {"sfURL": "a.snowflakecomputing.com", "sfDatabase": "db", "query": "SELECT 1"}
    found = provider.name(Options(options))
    assert found is not None and found.query is not None
    assert found.name.namespace == "snowflake://a"
    assert found.name.name.startswith("db.(query ")
    assert found.query.dialect == "snowflake"


def test_options_are_described_without_secrets() -> None:
    options = {"board": "top", "password": "x1", "apiKey": "x2", "url": "x3", "at": "http://u:x4@h"}
    assert describe_options(options) == "apiKey=..., at=..., board=top, password=..., url=..."


@pytest.mark.parametrize(
    ("url", "table", "namespace", "name"),
    [
        ("jdbc:postgresql://u:p@h/shop", "orders", "postgres://h:5432", "shop.public.orders"),
        ("jdbc:postgresql://a:1,b:2/shop?currentSchema=s", "o", "postgres://a:1", "shop.s.o"),
        ("jdbc:postgresql://h/shop", '"Sales"."Orders"', "postgres://h:5432", "shop.Sales.Orders"),
        (
            "jdbc:sqlserver://h:1433;databaseName=shop;password=p",
            "orders",
            "mssql://h:1433",
            "shop.dbo.orders",
        ),
        ("jdbc:mysql://h/shop?user=u", "orders", "mysql://h:3306", "shop.orders"),
        ("jdbc:mariadb://h/shop", "other.orders", "mariadb://h:3306", "other.orders"),
        ("jdbc:oracle:thin:@//h:1521/svc", "hr.emp", "oracle://h:1521", "svc.hr.emp"),
        ("jdbc:oracle:thin:u/p@h:1521:orcl", "hr.emp", "oracle://h:1521", "orcl.hr.emp"),
        ("jdbc:sqlite:/data/shop.db", "orders", "sqlite:/data/shop.db", "orders"),
        ("jdbc:derby:/data/shop;create=true", "orders", "derby:/data/shop", "orders"),
        ("jdbc:trino://h:8080/hive/sales", "orders", "trino://h:8080", "hive.sales.orders"),
        ("jdbc:clickhouse://h:8123/db", "orders", "clickhouse://h:8123", "db.orders"),
    ],
)
def test_by_url(url: str, table: str, namespace: str, name: str) -> None:
    assert name_jdbc(url, table) == DatasetName(namespace, name)


@pytest.mark.parametrize(
    ("table", "query"),
    [
        ("orders", None),
        ("(SELECT 1) t", "SELECT 1"),
        ("(SELECT 1) AS t", "SELECT 1"),
        (
            "(SELECT max(a) FROM (SELECT 1 a) x) SPARK_GEN_SUBQ_17",
            "SELECT max(a) FROM (SELECT 1 a) x",
        ),
    ],
)
def test_a_query_in_the_place_of_a_table(table: str, query: str | None) -> None:
    assert find_query(table) == query


def test_a_query_has_one_name() -> None:
    url = "jdbc:postgresql://h/shop"
    name, query = name_jdbc_query(url, "SELECT a\n FROM b; ")
    assert name == name_jdbc_query(url, "SELECT a FROM b")[0]
    assert name != name_jdbc_query(url, "SELECT a FROM c")[0]
    assert (query.text, query.dialect) == ("SELECT a\n FROM b", "postgres")
