"""Names of datasets: OpenLineage's own client is the reference where it has a rule."""

from collections.abc import Sequence

import pytest
from openlineage.client.naming import dataset as reference

from headwater.model import naming
from headwater.model.naming import DatasetName

AGREED: list[tuple[DatasetName, reference.DatasetNaming]] = [
    (
        naming.postgres("db", 5433, "shop", "public", "orders"),
        reference.Postgres("db", "5433", "shop", "public", "orders"),
    ),
    (
        naming.db2("db", 50001, "shop", "main", "orders"),
        reference.DB2("db", "50001", "shop", "main", "orders"),
    ),
    (
        naming.crate("db", 5432, "crate", "doc", "orders"),
        reference.CrateDB("db", "5432", "crate", "doc", "orders"),
    ),
    (
        naming.oracle("db", 1521, "XEPDB1", "SHOP", "ORDERS"),
        reference.Oracle("db", "1521", "XEPDB1", "SHOP", "ORDERS"),
    ),
    (
        naming.trino("trino", 8443, "hive", "shop", "orders"),
        reference.Trino("trino", "8443", "hive", "shop", "orders"),
    ),
    (
        naming.mysql("db", 3307, "shop", "orders"),
        reference.MySQL("db", "3307", "shop", "orders"),
    ),
    (
        naming.teradata("db", 1026, "shop", "orders"),
        reference.Teradata("db", "1026", "shop", "orders"),
    ),
    (
        naming.hive("metastore", 10001, "shop", "orders"),
        reference.Hive("metastore", "10001", "shop", "orders"),
    ),
    (
        naming.cassandra("db", 9043, "shop", "orders"),
        reference.Cassandra("db", "9043", "shop", "orders"),
    ),
    (
        naming.redshift("shop", "eu-west-1", 5440, "dev", "public", "orders"),
        reference.Redshift("shop", "eu-west-1", "5440", "dev", "public", "orders"),
    ),
    (
        naming.snowflake("org-account", "SHOP", "PUBLIC", "ORDERS"),
        reference.Snowflake("org", "account", "SHOP", "PUBLIC", "ORDERS"),
    ),
    (
        naming.bigquery("project", "shop", "orders"),
        reference.BigQuery("project", "shop", "orders"),
    ),
    (
        naming.athena("eu-west-1", "AwsDataCatalog", "shop", "orders"),
        reference.Athena("eu-west-1", "AwsDataCatalog", "shop", "orders"),
    ),
    (
        naming.glue("eu-west-1", "123456789012", "shop", "orders"),
        reference.AWSGlue("eu-west-1", "123456789012", "shop", "orders"),
    ),
    (naming.kafka("broker:9093", "orders"), reference.Kafka("broker", "9093", "orders")),
    (naming.s3("lake", "shop/orders"), reference.S3("lake", "shop/orders")),
    (naming.gcs("lake", "shop/orders"), reference.GCS("lake", "shop/orders")),
    (
        naming.abfss("lake", "account.dfs.core.windows.net", "shop/orders"),
        reference.ABFSS("lake", "account", "shop/orders"),
    ),
    (
        naming.wasbs("lake", "account.dfs.core.windows.net", "shop/orders"),
        reference.WASBS("lake", "account", "shop/orders"),
    ),
    (
        naming.hdfs("namenode", 8021, "/shop/orders"),
        reference.HDFS("namenode", "8021", "/shop/orders"),
    ),
    (naming.local_file("/shop/orders.csv"), reference.LocalFileSystem("/shop/orders.csv")),
    (
        naming.pubsub("project", "orders"),
        reference.PubSubNaming(reference.PubSubResourceType.TOPIC, "project", "orders"),
    ),
]


@pytest.mark.parametrize(
    ("ours", "theirs"), AGREED, ids=[type(theirs).__name__ for _, theirs in AGREED]
)
def test_names_are_those_of_openlineage(ours: DatasetName, theirs: reference.DatasetNaming) -> None:
    assert ours == (theirs.get_namespace(), theirs.get_name())


def test_sql_server_is_named_like_postgres() -> None:
    found = naming.mssql("db", 1434, "shop", "dbo", "orders")
    assert found == ("mssql://db:1434", "shop.dbo.orders")


def test_unity_catalog_has_no_port() -> None:
    found = naming.unity_catalog("dbc-1.cloud.databricks.com", "main", "shop", "orders")
    assert found == ("unitycatalog://dbc-1.cloud.databricks.com", "main.shop.orders")


def test_kinesis_is_named_as_spark_does() -> None:
    found = naming.kinesis("kinesis.eu-west-1.amazonaws.com", "orders")
    assert found == ("kinesis://kinesis.eu-west-1.amazonaws.com", "orders")


@pytest.mark.parametrize(
    ("found", "namespace"),
    [
        (naming.postgres("h", None, "d", "s", "t"), "postgres://h:5432"),
        (naming.mssql("h", None, "d", "s", "t"), "mssql://h:1433"),
        (naming.db2("h", None, "d", "s", "t"), "db2://h:50000"),
        (naming.crate("h", None, "d", "s", "t"), "crate://h:5432"),
        (naming.oracle("h", None, "d", "s", "t"), "oracle://h:1521"),
        (naming.trino("h", None, "d", "s", "t"), "trino://h:8080"),
        (naming.mysql("h", None, "d", "t"), "mysql://h:3306"),
        (naming.teradata("h", None, "d", "t"), "teradata://h:1025"),
        (naming.hive("h", None, "d", "t"), "hive://h:10000"),
        (naming.cassandra("h", None, "d", "t"), "cassandra://h:9042"),
        (naming.redshift("c", "r", None, "d", "s", "t"), "redshift://c.r:5439"),
        (naming.hdfs("h", None, "/p"), "hdfs://h:8020"),
    ],
)
def test_a_missing_port_is_the_usual_one(found: DatasetName, namespace: str) -> None:
    assert found.namespace == namespace


@pytest.mark.parametrize(
    ("bootstrap", "namespace"),
    [
        ("broker", "kafka://broker:9092"),
        ("b:9093,a:9092", "kafka://b:9093"),
        (" b , a:9092", "kafka://b:9092"),
        (["b:9093", "a:9092"], "kafka://b:9093"),
        (("a",), "kafka://a:9092"),
        ("SASL_SSL://b:9093,SASL_SSL://a:9093", "kafka://b:9093"),
        ("[::1]:9093", "kafka://[::1]:9093"),
        ("[::1]", "kafka://[::1]:9092"),
    ],
)
def test_a_bootstrap_list_names_its_first_broker(
    bootstrap: str | Sequence[str], namespace: str
) -> None:
    assert naming.kafka(bootstrap, "orders") == (namespace, "orders")


@pytest.mark.parametrize("bootstrap", ["", " ", [], [""]])
def test_a_bootstrap_list_without_brokers_is_refused(bootstrap: str | Sequence[str]) -> None:
    with pytest.raises(ValueError, match="at least one broker"):
        naming.kafka(bootstrap, "orders")


@pytest.mark.parametrize(
    ("key", "name"), [("/shop/orders/", "shop/orders"), ("shop", "shop"), ("", "/"), ("/", "/")]
)
def test_object_keys_have_no_slash_around_them(key: str, name: str) -> None:
    assert naming.s3("lake", key).name == name
    assert naming.gcs("lake", key).name == name
    assert naming.abfss("lake", "host", key).name == name
    assert naming.wasbs("lake", "host", key).name == name


@pytest.mark.parametrize(("path", "name"), [("/shop/orders/", "/shop/orders"), ("/", "/")])
def test_file_paths_keep_their_first_slash_only(path: str, name: str) -> None:
    assert naming.hdfs("namenode", 8020, path).name == name
    assert naming.local_file(path).name == name
