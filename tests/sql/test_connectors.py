"""Each connector's options, and the dataset that they name."""

import pytest

from headwater.model.connect.connectors import describe
from headwater.model.naming import DatasetName
from headwater.sql import analyze
from headwater.sql.connectors import (
    CONNECTORS,
    WITHOUT_DATASET,
    describe_catalog_table,
    describe_options,
)

NAMED: list[tuple[str, dict[str, str], str, str]] = [
    (
        "kafka",
        {"topic": "orders", "properties.bootstrap.servers": "k1:9092,k2:9092"},
        "kafka://k1:9092",
        "orders",
    ),
    (
        "upsert-kafka",
        {"topic": "a.b-c", "properties.bootstrap.servers": "SASL_SSL://k1"},
        "kafka://k1:9092",
        "a.b-c",
    ),
    (
        "jdbc",
        {"url": "jdbc:postgresql://u:secret@db:5433/shop?password=secret", "table-name": "users"},
        "postgres://db:5433",
        "shop.public.users",
    ),
    (
        "jdbc",
        {"url": "jdbc:mysql://db/shop?user=a&password=secret", "table-name": "users"},
        "mysql://db:3306",
        "shop.users",
    ),
    (
        "jdbc",
        {"url": "jdbc:oracle:thin:@//db:1521/orcl", "username": "APP", "table-name": "USERS"},
        "oracle://db:1521",
        "orcl.APP.USERS",
    ),
    ("filesystem", {"path": "s3a://lake/orders/"}, "s3://lake", "orders"),
    ("filesystem", {"path": "s3://key:secret@lake/orders"}, "s3://lake", "orders"),
    ("filesystem", {"path": "file:///tmp/orders"}, "file", "/tmp/orders"),
    (
        "filesystem",
        {"path": "abfss://c@a.dfs.core.windows.net/x"},
        "abfss://c@a.dfs.core.windows.net",
        "x",
    ),
    ("hudi", {"path": "hdfs://nn:8020/hudi/t"}, "hdfs://nn:8020", "/hudi/t"),
    ("delta", {"table-path": "gs://lake/t"}, "gs://lake", "t"),
    (
        "iceberg",
        {"catalog-type": "hadoop", "warehouse": "s3://lake/wh", "catalog-database": "shop"},
        "s3://lake",
        "wh/shop/t",
    ),
    (
        "iceberg",
        {
            "catalog-type": "hive",
            "warehouse": "hdfs://nn/wh",
            "catalog-database": "shop",
            "catalog-table": "orders",
        },
        "hdfs://nn:8020",
        "/wh/shop.db/orders",
    ),
    ("paimon", {"path": "s3://lake/shop.db/orders"}, "s3://lake", "shop.db/orders"),
    (
        "kinesis",
        {"stream": "clicks", "aws.region": "eu-west-1"},
        "kinesis://kinesis.eu-west-1.amazonaws.com",
        "clicks",
    ),
    (
        "kinesis",
        {"stream.arn": "arn:aws:kinesis:us-east-1:012345678901:stream/clicks"},
        "kinesis://kinesis.us-east-1.amazonaws.com",
        "clicks",
    ),
    (
        "elasticsearch-7",
        {"hosts": "http://u:secret@es:9200;http://es2:9200", "index": "users"},
        "elasticsearch://es:9200",
        "users",
    ),
    ("opensearch", {"hosts": "https://os:9200", "index": "users"}, "opensearch://os:9200", "users"),
    (
        "mongodb",
        {"uri": "mongodb://u:secret@m:27018", "database": "shop", "collection": "users"},
        "mongodb://m:27018",
        "shop.users",
    ),
    (
        "mongodb-cdc",
        {"hosts": "m1:27017,m2:27017", "database": "shop", "collection": "users"},
        "mongodb://m1:27017",
        "shop.users",
    ),
    (
        "mysql-cdc",
        {"hostname": "db", "database-name": "shop", "table-name": "orders", "password": "secret"},
        "mysql://db:3306",
        "shop.orders",
    ),
    (
        "tidb-cdc",
        {"hostname": "db", "port": "4000", "database-name": "shop", "table-name": "orders"},
        "mysql://db:4000",
        "shop.orders",
    ),
    (
        "postgres-cdc",
        {
            "hostname": "db",
            "port": "5433",
            "database-name": "shop",
            "schema-name": "inv",
            "table-name": "items",
        },
        "postgres://db:5433",
        "shop.inv.items",
    ),
    (
        "oracle-cdc",
        {
            "hostname": "db",
            "database-name": "ORCL",
            "schema-name": "INV",
            "table-name": "ITEMS",
        },
        "oracle://db:1521",
        "ORCL.INV.ITEMS",
    ),
    (
        "sqlserver-cdc",
        {"hostname": "db", "database-name": "shop", "table-name": "dbo.items"},
        "mssql://db:1433",
        "shop.dbo.items",
    ),
    (
        "db2-cdc",
        {
            "hostname": "db",
            "database-name": "shop",
            "schema-name": "APP",
            "table-name": "ITEMS",
        },
        "db2://db:50000",
        "shop.APP.ITEMS",
    ),
    (
        "vitess-cdc",
        {"hostname": "vt", "keyspace": "shop", "table-name": "items"},
        "vitess://vt:15991",
        "shop.items",
    ),
    (
        "hbase-2.2",
        {"zookeeper.quorum": "zk1:2181,zk2:2181", "table-name": "shop:users"},
        "hbase://zk1:2181",
        "shop:users",
    ),
]


def physical_name(
    options: dict[str, str], dialect: str, table_name: str, bootstrap: str = ""
) -> DatasetName | None:
    """The one dataset that a table stands for."""
    names = describe_options(options, dialect, table_name, bootstrap).names
    return names[0] if len(names) == 1 else None


@pytest.mark.parametrize(("kind", "options", "namespace", "name"), NAMED)
def test_options_name_a_dataset(
    kind: str, options: dict[str, str], namespace: str, name: str
) -> None:
    found = physical_name({"connector": kind, **options}, "flink", "t")
    assert found == DatasetName(namespace, name)
    assert "secret" not in "".join(found or ())


def test_each_connector_has_a_case() -> None:
    tried = {kind for kind, *_ in NAMED}
    assert all(tried & set(connector.names) for connector in CONNECTORS)


@pytest.mark.parametrize("kind", WITHOUT_DATASET)
def test_some_connectors_have_no_dataset(kind: str) -> None:
    found = describe_options({"connector": kind}, "flink", "t")
    assert found.names == ()
    assert not found.is_dataset
    assert kind in found.reason


def test_several_topics_are_several_datasets() -> None:
    options = {
        "connector": "kafka",
        "topic": "a;b",
        "properties.bootstrap.servers": "k:9092",
    }
    names = describe_options(options, "flink", "t").names
    assert [name.name for name in names] == ["a", "b"]
    assert physical_name(options, "flink", "t") is None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"connector": "made-up", "topic": "t"},
        {"connector": "kafka", "topic": "t"},
        {"connector": "kafka", "topic-pattern": "a.*", "properties.bootstrap.servers": "k:1"},
        {"connector": "kafka", "topic": "${topic}", "properties.bootstrap.servers": "k:1"},
        {"connector": "mysql-cdc", "hostname": "h", "database-name": "d", "table-name": "o_.*"},
        {"connector": "elasticsearch", "hosts": "http://h:1", "index": "users-{ts|yyyy}"},
        {"connector": "filesystem"},
        {"connector": "iceberg", "catalog-type": "hadoop", "warehouse": "s3://lake/wh"},
    ],
)
def test_what_does_not_name_one_dataset_says_why(options: dict[str, str]) -> None:
    found = describe_options(options, "flink", "t")
    assert found.names == ()
    assert found.is_dataset
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("options", "namespace", "name"),
    [
        (
            {"type": "iceberg", "catalog-type": "hive", "warehouse": "s3://lake/wh"},
            "s3://lake",
            "wh/shop.db/orders",
        ),
        (
            {"type": "iceberg", "catalog-type": "hadoop", "warehouse": "s3://lake/wh"},
            "s3://lake",
            "wh/shop/orders",
        ),
        (
            {"type": "paimon", "warehouse": "s3://k:secret@lake/wh"},
            "s3://lake",
            "wh/shop.db/orders",
        ),
    ],
)
def test_a_catalog_names_its_tables(options: dict[str, str], namespace: str, name: str) -> None:
    found = describe_catalog_table(options, "shop", "orders")
    assert found.names == ((namespace, name),)


@pytest.mark.parametrize("options", [{}, {"type": "generic_in_memory"}, {"type": "paimon"}])
def test_a_catalog_that_does_not_name_its_tables_says_so(options: dict[str, str]) -> None:
    found = describe_catalog_table(options, "shop", "orders")
    assert found.names == ()
    assert found.reason


def test_ksqldb_names_topics_of_its_cluster() -> None:
    assert physical_name({"KAFKA_TOPIC": "orders"}, "ksqldb", "S", "k:9092") == (
        "kafka://k:9092",
        "orders",
    )
    assert physical_name({}, "ksqldb", "S", "k:9092") == ("kafka://k:9092", "S")
    assert "orders" in describe_options({"KAFKA_TOPIC": "orders"}, "ksqldb", "S").reason


def test_confluent_names_the_topic_after_the_table() -> None:
    assert physical_name({"connector": "confluent"}, "flink", "t", "k:9092") == (
        "kafka://k:9092",
        "t",
    )


def test_a_table_has_the_name_that_connect_gives_it() -> None:
    url = "jdbc:postgresql://db:5432/shop"
    config = {
        "connector.class": "JdbcSinkConnector",
        "connection.url": url,
        "topics": "users",
    }
    options = {"connector": "jdbc", "url": url, "table-name": "users"}
    assert describe(config).externals[0].name == physical_name(options, "flink", "t")


def test_a_topic_without_a_name_is_that_of_its_stream() -> None:
    """ksqlDB writes names without quotes in capitals, and a topic has the name of its stream."""
    text = (
        "CREATE STREAM s (id INT) WITH (KAFKA_TOPIC='orders'); CREATE STREAM {} AS SELECT * FROM s;"
    )
    for name, topic in (("late", "LATE"), ("`late`", "late")):
        first, second = analyze(text.format(name), "ksqldb", kafka="k:9092")
        assert [each.dataset for each in first.outputs] == [DatasetName("kafka://k:9092", "orders")]
        assert [each.dataset for each in second.outputs] == [DatasetName("kafka://k:9092", topic)]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("'connector'='own'", "The connector 'own' is not known."),
        ("'connector'='kafka', 'topic'='a'", "The options of 'kafka' do not name one dataset."),
        (
            "'connector'='kafka', 'topic'='a;b', 'properties.bootstrap.servers'='k:9092'",
            "The table stands for several datasets: kafka://k:9092 a, kafka://k:9092 b.",
        ),
    ],
)
def test_a_table_without_one_dataset_is_reported(options: str, reason: str) -> None:
    (statement,) = analyze(f"CREATE TABLE t (id INT) WITH ({options})", "flink")
    assert [(each.kind, each.message) for each in statement.problems] == [("table", reason)]


def test_a_table_that_has_no_dataset_is_no_problem() -> None:
    (statement,) = analyze("CREATE TABLE t (id INT) WITH ('connector'='print')", "flink")
    assert statement.problems == []
