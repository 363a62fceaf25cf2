"""The example estate: two stories of orders, from a database and from a generator to catalogs.

PostgreSQL -> connector -> topic -> ksqlDB -> Delta -> Glue, in `env-abc`; and generator -> topic ->
Flink -> Tableflow -> Unity Catalog, in `env-26wn6m`.
"""

import json
from typing import Any

from headwater.demo.confluent.estate import (
    CatalogTopic,
    CloudCluster,
    CloudEnvironment,
    CloudEstate,
    CloudGroup,
    CloudKsqldb,
    CloudMirror,
    CloudPool,
    CloudStatement,
    CloudTable,
    Credentials,
)
from headwater.model.values.instant import format_instant, now

Json = dict[str, Any]

ORGANIZATION = "9bb441c4-edef-46ac-8a41-c49e44a3fd9a"
WORKSPACE = "https://dbc-7c6e0c41-4172.cloud.databricks.com"
_DATABASE = "db.example.com"
_ORDERS_SQL = (
    "CREATE STREAM ENRICHED_ORDERS WITH (KAFKA_TOPIC='enriched_orders') AS "
    "SELECT O.ORDER_ID, O.AMOUNT, C.NAME AS CUSTOMER_NAME "
    "FROM ORDERS O JOIN CUSTOMERS C ON O.CUSTOMER_ID = C.CUSTOMER_ID EMIT CHANGES;"
)
_FLINK_SQL = (
    "INSERT INTO `lineage_bridge.enriched_orders` "
    "SELECT order_id, UPPER(item) AS item, price * quantity AS total "
    "FROM `lineage_bridge.orders_v2` WHERE quantity > 0;"
)


def build_example() -> CloudEstate:
    """The whole estate; its keys are for this machine alone, and secret to nobody."""
    estate = CloudEstate(
        ORGANIZATION, Credentials("CLOUD", "cloud-secret"), Credentials("TABLE", "table-secret")
    )
    for environment in (_orders_of_a_shop(), _orders_of_a_generator()):
        estate.environments[environment.id] = environment
    return estate


def _orders_of_a_shop() -> CloudEnvironment:
    environment = CloudEnvironment(
        "env-abc", "shop", Credentials("SHOPSR", "sr-secret"), Credentials("SHOPFLINK", "fl-secret")
    )
    cluster = CloudCluster("lkc-123", "shop-cluster", Credentials("SHOPKAFKA", "kafka-secret"))
    environment.clusters[cluster.id] = cluster
    cluster.add_topic("orders", configs={"retention.ms": "604800000"})
    cluster.add_topic("customers", configs={"cleanup.policy": "compact"})
    cluster.add_topic("enriched_orders")
    cluster.add_topic("dlq-lcc-delta1", partitions=1)
    _add_connectors(cluster)
    _add_groups(cluster)
    environment.ksqldb["lksqlc-1"] = _ksqldb()
    columns = {"order_id": "long", "customer_id": "long", "amount": "double"}
    environment.add_schema("orders-value", _avro("Order", columns))
    environment.add_schema(
        "customers-value", _avro("Customer", {"customer_id": "long", "name": "string"})
    )
    enriched = {"ORDER_ID": "long", "AMOUNT": "double", "CUSTOMER_NAME": "string"}
    environment.add_schema("enriched_orders-value", _avro("EnrichedOrder", enriched))
    environment.catalog += [
        CatalogTopic(
            cluster.id,
            "orders",
            tags=("production",),
            owner="Orders team",
            owner_email="orders@example.com",
            description="Every order of the shop, as it is placed.",
            business_metadata={"Domain": {"name": "sales", "steward": "Ada"}},
        ),
        CatalogTopic(cluster.id, "customers", tags=("PII", "production")),
    ]
    return environment


def _add_connectors(cluster: CloudCluster) -> None:
    source = cluster.add_connector("postgres-cdc-source", "lcc-pg1", "source")
    source.config |= {
        "connector.class": "PostgresCdcSource",
        "database.hostname": _DATABASE,
        "database.port": "5432",
        "database.user": "cdc",
        "database.password": "****************",
        "database.dbname": "orders",
        "database.server.name": "shop",
        "table.include.list": "public.orders, public.customers",
        "output.data.format": "AVRO",
        "transforms": "route",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": r"shop\.public\.(.*)",
        "transforms.route.replacement": "$1",
    }
    sink = cluster.add_connector("delta-sink", "lcc-delta1", "sink")
    sink.config |= {
        "connector.class": "DatabricksDeltaLakeSink",
        "topics": "enriched_orders",
        "input.data.format": "AVRO",
        "delta.lake.host.name": "dbc-7c6e0c41-4172.cloud.databricks.com",
        "delta.lake.http.path": "sql/protocolv1/o/1/0",
        "delta.lake.token": "****************",
        "delta.lake.database": "sales",
    }


def _add_groups(cluster: CloudCluster) -> None:
    cluster.groups = {
        "billing": CloudGroup(
            "billing",
            {("orders", 0): (980, 1_000), ("orders", 1): (1_015, 1_020)},
            ["billing-1-6f0c", "billing-2-91ab"],
        ),
        "connect-lcc-delta1": CloudGroup(
            "connect-lcc-delta1", {("enriched_orders", 0): (400, 403)}, ["connector-0"]
        ),
    }


def _ksqldb() -> CloudKsqldb:
    ksqldb = CloudKsqldb(
        "lksqlc-1", "shop-ksqldb", "lkc-123", Credentials("SHOPKSQL", "ksql-secret")
    )
    order = {"ORDER_ID": "BIGINT", "CUSTOMER_ID": "BIGINT", "AMOUNT": "DOUBLE"}
    ksqldb.add_source("ORDERS", "orders", order)
    ksqldb.add_source(
        "CUSTOMERS", "customers", {"CUSTOMER_ID": "BIGINT", "NAME": "STRING"}, "TABLE"
    )
    enriched = {"ORDER_ID": "BIGINT", "AMOUNT": "DOUBLE", "CUSTOMER_NAME": "STRING"}
    ksqldb.add_source("ENRICHED_ORDERS", "enriched_orders", enriched)
    ksqldb.add_query(
        "CSAS_ENRICHED_ORDERS_7", _ORDERS_SQL, ["ORDERS", "CUSTOMERS"], "ENRICHED_ORDERS"
    )
    return ksqldb


def _orders_of_a_generator() -> CloudEnvironment:
    environment = CloudEnvironment(
        "env-26wn6m",
        "lineage-bridge",
        Credentials("LBSR", "lb-sr-secret"),
        Credentials("LBFLINK", "lb-flink-secret"),
    )
    cluster = CloudCluster("lkc-mjnq51", "lb-cluster", Credentials("LBKAFKA", "lb-kafka-secret"))
    archive = CloudCluster(
        "lkc-arc777", "lb-archive", Credentials("ARCKAFKA", "arc-secret"), region="us-west-2"
    )
    environment.clusters = {cluster.id: cluster, archive.id: archive}
    cluster.add_topic("lineage_bridge.orders_v2", activity={"received_records": 3_600})
    cluster.add_topic("lineage_bridge.enriched_orders")
    datagen = cluster.add_connector("lb-uc-75083e95-datagen-orders", "lcc-dg1", "source")
    datagen.config |= {
        "connector.class": "DatagenSource",
        "kafka.topic": "lineage_bridge.orders_v2",
        "quickstart": "ORDERS",
        "output.data.format": "AVRO",
    }
    environment.pools = [CloudPool("lfcp-1", "lb-pool")]
    properties = {
        "sql.current-catalog": environment.name,
        "sql.current-database": cluster.name,
    }
    environment.statements = [CloudStatement("enrich-orders", _FLINK_SQL, "lfcp-1", properties)]
    _add_tables(cluster)
    _add_mirror(archive, cluster)
    order = {"order_id": "string", "item": "string", "price": "double", "quantity": "int"}
    environment.add_schema("lineage_bridge.orders_v2-value", _avro("Order", order))
    enriched = {"order_id": "string", "item": "string", "total": "double"}
    environment.add_schema("lineage_bridge.enriched_orders-value", _avro("Enriched", enriched))
    return environment


def _add_tables(cluster: CloudCluster) -> None:
    cluster.integrations["tci-uc1"] = {
        "kind": "Unity",
        "workspace_endpoint": WORKSPACE,
        "catalog_name": "lb_uc_75083e95",
        "client_id": "client",
        "client_secret": "****************",
    }
    for number, topic in enumerate(("lineage_bridge.orders_v2", "lineage_bridge.enriched_orders")):
        path = f"s3://confluent-tableflow/org-1/env-26wn6m/{cluster.id}/v1/table-{number}"
        table = CloudTable(topic, ("DELTA",), path, {"tci-uc1": "SYNCED"})
        cluster.tables.append(table)


def _add_mirror(archive: CloudCluster, source: CloudCluster) -> None:
    archive.links["to-archive"] = source.id
    topic = "lineage_bridge.enriched_orders"
    archive.add_topic(topic)
    archive.mirrors.append(CloudMirror("to-archive", topic, topic))


def crawler_event() -> Json:
    """What a Glue crawler reports of the Delta table, as an event of its own."""
    return {
        "eventTime": format_instant(now()),
        "eventType": "COMPLETE",
        "producer": "https://headwater.example/demo/crawler",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "3f5e83fa-3480-44ff-99c5-ff943904e5e8", "facets": {}},
        "job": {"namespace": "aws://us-east-1/lineage_bridge", "name": "crawl-sales", "facets": {}},
        "inputs": [
            {
                "namespace": "databricks://dbc-7c6e0c41-4172.cloud.databricks.com",
                "name": "sales.enriched_orders",
            }
        ],
        "outputs": [{"namespace": "aws://us-east-1/lineage_bridge", "name": "enriched_orders"}],
    }


def _avro(name: str, columns: dict[str, str]) -> str:
    fields = [{"name": column, "type": kind} for column, kind in columns.items()]
    return json.dumps(
        {"type": "record", "name": name, "namespace": "com.example", "fields": fields}
    )
