"""Events of an estate in Confluent Cloud: both stories that LineageBridge's documents tell."""

from collections.abc import Iterator

import msgspec

from headwater.collect import Collected
from headwater.emit.events import Json, Producer
from headwater.model.confluent import facets as confluent
from headwater.model.confluent.job_kinds import INTEGRATION
from headwater.model.confluent.names import cluster_namespace

ENVIRONMENT, CLUSTER = "env-26wn6m", "lkc-mjnq51"
CONFLUENT = cluster_namespace(ENVIRONMENT, CLUSTER)
WORKSPACE = "databricks://https://dbc-7c6e0c41-4172.cloud.databricks.com"
GLUE = "aws://us-east-1/lineage_bridge"
POSTGRES = "postgres://db.example.com:5432"
BOOTSTRAP = "kafka://pkc-1.eu-west-1.aws.confluent.cloud:9092"
UC_TABLE = "lb_uc_75083e95.lkc-mjnq51.lineage_bridge_orders_v2"

PRODUCER = Producer.of_part("confluent")
_AT = 1_777_608_000_000_000


def dataset(name: str, namespace: str = CONFLUENT, **facets: Json) -> Json:
    return {"namespace": namespace, "name": name, **({"facets": facets} if facets else {})}


def topic(name: str) -> Json:
    """A topic, with its Kafka name and its schema."""
    return dataset(
        name,
        symlinks=PRODUCER.symlinks([(BOOTSTRAP, name)]),
        confluent_kafka=PRODUCER.custom_facet(
            cluster_id=CLUSTER,
            environment_id=ENVIRONMENT,
            partitions=6,
            replication_factor=3,
            tags=["pii"],
        ),
        schema=PRODUCER.facet(
            "SchemaDatasetFacet",
            fields=[{"name": "order_id", "type": "string", "description": "Its number."}],
        ),
        schema_registry=PRODUCER.custom_facet(
            registry="https://psrc-1.confluent.cloud",
            subjects=[{"subject": f"{name}-value", "version": 3}],
        ),
    )


def job(
    name: str,
    kind: str,
    inputs: list[Json],
    outputs: list[Json],
    at: int = _AT,
    namespace: str = CONFLUENT,
    facets: Json | None = None,
) -> Json:
    """What was seen of a job once, as a run of its own."""
    job_type = PRODUCER.job_type("STREAMING", INTEGRATION, kind)
    its = {"namespace": namespace, "name": name, "facets": {"jobType": job_type, **(facets or {})}}
    run = {"runId": f"{name}-{at}"}
    return PRODUCER.run_event("COMPLETE", its, run, inputs, outputs, at)


def connector(name: str, connector_type: str, inputs: list[Json], outputs: list[Json]) -> Json:
    facet = PRODUCER.custom_facet(
        connector_class="PostgresCdcSource" if connector_type == "source" else "SnowflakeSink",
        connector_type=connector_type,
        cluster_id=CLUSTER,
        environment_id=ENVIRONMENT,
    )
    return job(name, "CONNECTOR", inputs, outputs, facets={confluent.CONNECTOR: facet})


def sql_job(name: str, kind: str, query: str, source: str, target: str) -> Json:
    sql = PRODUCER.facet("SQLJobFacet", query=query)
    return job(name, kind, [dataset(source)], [dataset(target)], facets={"sql": sql})


def estate_events() -> Iterator[Json]:
    """Both stories: PostgreSQL to Glue, and a generator to Unity Catalog."""
    for name in (
        "orders",
        "enriched",
        "lineage_bridge.orders_v2",
        "lineage_bridge.enriched_orders",
    ):
        yield PRODUCER.dataset_event(topic(name), _AT)
    generated = dataset("DatagenSource")
    yield connector(
        "lb-uc-75083e95-datagen-orders", "source", [generated], [topic("lineage_bridge.orders_v2")]
    )
    yield sql_job(
        "enrich-orders",
        "FLINK_JOB",
        "INSERT INTO enriched_orders SELECT * FROM orders_v2",
        "lineage_bridge.orders_v2",
        "lineage_bridge.enriched_orders",
    )
    uc = dataset(UC_TABLE, WORKSPACE)
    tableflow = dataset(f"{CLUSTER}.lineage_bridge.orders_v2")
    yield job(
        "tableflow/lineage_bridge.orders_v2",
        "TABLEFLOW",
        [dataset("lineage_bridge.orders_v2")],
        [tableflow, uc],
    )
    daily = dataset("main.sales.daily_orders", WORKSPACE)
    yield job("daily-orders", "NOTEBOOK", [uc], [daily], namespace=WORKSPACE)
    table = dataset("shop.public.orders", POSTGRES)
    yield connector("postgres-orders", "source", [table], [dataset("orders")])
    yield sql_job("CSAS_ENRICHED_1", "KSQLDB_QUERY", "CREATE STREAM ...", "orders", "enriched")
    delta = dataset("main.sales.orders", WORKSPACE)
    yield connector("delta-sink", "sink", [dataset("enriched")], [delta])
    crawled = dataset("orders", GLUE)
    yield job("glue-crawler", "CATALOG_QUERY", [delta], [crawled], namespace=GLUE)
    members = [{"consumer_id": "c-1", "client_id": "app", "instance_id": None}]
    group = PRODUCER.custom_facet(group_id="app", members=members, total_lag=3)
    yield job(
        "app", "CONSUMER_GROUP", [dataset("enriched")], [], facets={confluent.CONSUMER_GROUP: group}
    )


def collected() -> Iterator[Collected]:
    """The same as a collector gives them."""
    for event in estate_events():
        yield Collected(msgspec.json.encode(event), "estate")
