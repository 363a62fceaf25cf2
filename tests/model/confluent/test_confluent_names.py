"""Names of Confluent Cloud and their node ids: as documented, and both ways."""

import pytest

from headwater.model.confluent.job_kinds import (
    CONNECTOR,
    CONSUMER_GROUP,
    FLINK_JOB,
    KSQLDB_QUERY,
    kind_of,
)
from headwater.model.confluent.names import (
    NodeId,
    dataset_node,
    job_node,
    member_node,
    name_of_node,
    other_table_names,
    parse_node_id,
    schema_node,
    split_cluster,
    tableflow_table,
)
from headwater.model.naming import DatasetName

DATASETS = [
    (
        "confluent://env-abc/lkc-123",
        "DatagenSource",
        "confluent:external_dataset:env-abc:lkc-123/DatagenSource",
    ),
    ("confluent://env-abc/lkc-123", "orders", "confluent:kafka_topic:env-abc:lkc-123/orders"),
    (
        "confluent://env-abc/lkc-123",
        "lkc-123.orders",
        "confluent:tableflow_table:env-abc:lkc-123.orders",
    ),
    (
        "databricks://workspace-1",
        "main.sales.orders",
        "databricks:uc_table:workspace-1:main.sales.orders",
    ),
    (
        "databricks://https://dbc-7c6e0c41-4172.cloud.databricks.com",
        "main.sales.orders",
        "databricks:uc_table:https://dbc-7c6e0c41-4172.cloud.databricks.com:main.sales.orders",
    ),
    ("aws://us-west-2/my-database", "orders", "aws:glue_table:us-west-2:my-database/orders"),
    ("google://my-project/analytics", "orders", "google:google_table:my-project:analytics/orders"),
    (
        "postgres://db.example.com:5432",
        "shop.public.orders",
        "external:external_dataset:postgres://db.example.com:5432:shop.public.orders",
    ),
    ("bigquery", "p.d.t", "external:external_dataset:bigquery:p.d.t"),
    ("s3://bucket", "a:b/c", "external:external_dataset:s3://bucket:a:b/c"),
    (
        "arn:aws:glue:us-east-1:123",
        "table/db/t",
        "external:external_dataset:arn%3Aaws%3Aglue%3Aus-east-1%3A123:table/db/t",
    ),
]


@pytest.mark.parametrize(("namespace", "name", "id"), DATASETS)
def test_a_dataset_and_its_node_name_each_other(namespace: str, name: str, id: str) -> None:
    node = dataset_node(namespace, name)
    assert str(node) == id
    assert parse_node_id(id) == node
    assert name_of_node(node) == (namespace, name)


@pytest.mark.parametrize(
    ("kind", "namespace", "name", "id"),
    [
        (CONNECTOR, "confluent://e/lkc-1", "pg", "confluent:connector:e:lkc-1/pg"),
        (
            KSQLDB_QUERY,
            "confluent://e/lkc-1",
            "lksqlc-1/CSAS_A_1",
            "confluent:ksqldb_query:e:lkc-1/lksqlc-1/CSAS_A_1",
        ),
        (FLINK_JOB, "confluent://e/lkc-1", "enrich", "confluent:flink_job:e:lkc-1/enrich"),
        (CONSUMER_GROUP, "confluent://e/lkc-1", "g:1", "confluent:consumer_group:e:lkc-1/g:1"),
        (CONNECTOR, "databricks://workspace-1", "etl", "databricks:connector:workspace-1:etl"),
        (
            CONNECTOR,
            "spark://host:7077",
            "job",
            "external:connector:spark://host:7077:job",
        ),
    ],
)
def test_a_job_and_its_node_name_each_other(
    kind: object, namespace: str, name: str, id: str
) -> None:
    node = job_node(namespace, name, kind)  # type: ignore[arg-type]
    assert str(node) == id
    assert parse_node_id(id) == node
    assert name_of_node(node) == (namespace, name)


def test_the_same_topic_of_two_clusters_is_two_nodes() -> None:
    one, other = (dataset_node(f"confluent://e/{each}", "orders") for each in ("lkc-1", "lkc-2"))
    assert one != other
    short = parse_node_id("confluent:kafka_topic:e:orders")
    assert short is not None
    assert short.is_short
    assert name_of_node(short) is None
    assert short.means(one)
    assert short.means(other)
    assert not short.means(dataset_node("confluent://other/lkc-1", "orders"))


def test_a_table_may_be_named_by_the_environment_it_is_fed_from() -> None:
    short = parse_node_id("databricks:uc_table:env-26wn6m:main.sales.orders")
    assert short is not None
    assert short.means(dataset_node("databricks://workspace-1", "main.sales.orders"))
    assert not short.means(dataset_node("databricks://workspace-1", "main.sales.other"))


@pytest.mark.parametrize("text", ["", "orders", "a:b", "confluent:kafka_topic:env", "::a:b", "a::"])
def test_what_is_no_node_id(text: str) -> None:
    assert parse_node_id(text) is None


def test_catalog_tables_are_one_type_of_node() -> None:
    node = dataset_node("aws://r/d", "t")
    assert (node.node_type, node.catalog_type) == ("catalog_table", "AWS_GLUE")
    assert NodeId("confluent", "kafka_topic", "e", "c/t").catalog_type is None


def test_schemas_members_and_tables_of_topics() -> None:
    assert str(schema_node("e", "orders-value")) == "confluent:schema:e:orders-value"
    assert name_of_node(schema_node("e", "orders-value")) is None
    assert str(member_node("e", "lkc-1", "g", "m")) == "confluent:consumer_group:e:lkc-1/g/m"
    assert tableflow_table("e", "lkc-1", "t") == ("confluent://e/lkc-1", "lkc-1.t")
    assert split_cluster("kafka://b:9092") is None


def test_a_job_of_anybody_is_shown_as_a_connector() -> None:
    assert kind_of("FLINK_JOB") is FLINK_JOB
    assert kind_of(None) is CONNECTOR


@pytest.mark.parametrize(
    ("table", "others"),
    [
        (
            ("databricks://https://dbc-1.cloud.databricks.com", "main.sales.orders"),
            [
                ("databricks://dbc-1.cloud.databricks.com", "main.sales.orders"),
                ("unitycatalog://dbc-1.cloud.databricks.com", "main.sales.orders"),
            ],
        ),
        (("google://acme/sales", "orders"), [("bigquery", "acme.sales.orders")]),
        (("databricks://workspace-1", "main.sales.orders"), []),
        (("aws://us-east-1/sales", "orders"), []),
        (("confluent://env-1/lkc-1", "orders"), []),
    ],
)
def test_others_call_a_table_otherwise(
    table: tuple[str, str], others: list[tuple[str, str]]
) -> None:
    assert other_table_names(DatasetName(*table)) == others
