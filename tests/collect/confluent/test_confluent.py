"""An account of Confluent Cloud as lineage: the two stories of the example, and what is beside."""

import json
from typing import Any

import pytest

from headwater.collect.confluent import ConfluentCollector
from headwater.collect.rest import RestUnavailable
from headwater.demo.confluent.estate import CloudMirror, CloudStatement
from testing.stand_ins.confluent import OpenCloud, open_cloud
from tests.collect.confluent.extraction import Extraction, run

SHOP = "confluent://env-abc/lkc-123"
LB = "confluent://env-26wn6m/lkc-mjnq51"
WORKSPACE = "databricks://https://dbc-7c6e0c41-4172.cloud.databricks.com"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Extraction:
    """What the example is, for tests that only look."""
    with open_cloud(tmp_path_factory.mktemp("cloud")) as opened:
        extraction = run(opened.settings())
        assert opened.cloud.refused == []
        assert extraction.errors == []
        return extraction


def test_from_a_database_to_delta(found: Extraction) -> None:
    tables = [f"postgres://db.example.com:5432 orders.public.{t}" for t in ("orders", "customers")]
    topics = [f"{SHOP} orders", f"{SHOP} customers"]
    assert found.edges("postgres-cdc-source") == (tables, topics)
    assert found.edges("lksqlc-1/CSAS_ENRICHED_ORDERS_7") == (topics, [f"{SHOP} enriched_orders"])
    delta = "databricks://dbc-7c6e0c41-4172.cloud.databricks.com sales.enriched_orders"
    inputs, outputs = found.edges("delta-sink")
    assert (inputs, outputs[0]) == ([f"{SHOP} enriched_orders"], delta)
    assert outputs[1:] == [f"{SHOP} dlq-lcc-delta1"]


def test_from_a_generator_to_unity_catalog(found: Extraction) -> None:
    orders, enriched = (f"{LB} lineage_bridge.{name}" for name in ("orders_v2", "enriched_orders"))
    assert found.edges("lb-uc-75083e95-datagen-orders") == ([f"{LB} DatagenSource"], [orders])
    assert found.edges("enrich-orders") == ([orders], [enriched])
    table = f"{LB} lkc-mjnq51.lineage_bridge.enriched_orders"
    assert found.edges("tableflow/lineage_bridge.enriched_orders") == ([enriched], [table])
    unity = f"{WORKSPACE} lb_uc_75083e95.lkc-mjnq51.lineage_bridge_enriched_orders"
    assert found.edges("tableflow/lineage_bridge.enriched_orders/tci-uc1") == ([table], [unity])


def test_facets_are_those_that_are_documented(found: Extraction) -> None:
    connector = found.job_facet("postgres-cdc-source", "confluent_connector")
    documented = ("connector_class", "connector_type", "cluster_id", "environment_id")
    assert [connector[key] for key in documented] == [
        "PostgresCdcSource",
        "source",
        "lkc-123",
        "env-abc",
    ]
    orders = found.datasets[f"{SHOP} orders"]
    topic = orders["confluent_kafka"]
    assert (topic["partitions"], topic["replication_factor"]) == (6, 3)
    assert (topic["cluster_id"], topic["environment_id"]) == ("lkc-123", "env-abc")
    assert topic["tags"] == ["production"]
    assert topic["configs"] == {"retention.ms": "604800000"}
    assert topic["business_metadata"] == {"Domain": {"name": "sales", "steward": "Ada"}}
    assert [field["name"] for field in orders["schema"]["fields"]] == [
        "order_id",
        "customer_id",
        "amount",
    ]
    assert orders["documentation"]["description"].startswith("Every order")
    assert orders["ownership"]["owners"][0]["name"] == "orders@example.com"
    source = found.jobs["postgres-cdc-source"]["inputs"][0]["facets"]["dataSource"]
    assert source["uri"] == "jdbc:postgresql://db.example.com:5432/orders"


def test_jobs_are_completed_runs_of_their_kind(found: Extraction) -> None:
    kinds = {name: event["job"]["facets"]["jobType"] for name, event in found.jobs.items()}
    assert {kind["integration"] for kind in kinds.values()} == {"CONFLUENT"}
    assert kinds["enrich-orders"]["jobType"] == "FLINK_JOB"
    assert kinds["billing"]["jobType"] == "CONSUMER_GROUP"
    assert {event["eventType"] for event in found.jobs.values()} == {"COMPLETE"}
    assert {event["job"]["namespace"] for event in found.jobs.values()} == {
        SHOP,
        LB,
        "confluent://env-26wn6m/lkc-arc777",
    }


def test_topics_have_their_kafka_name_as_the_other_one(found: Extraction) -> None:
    (other,) = found.datasets[f"{SHOP} orders"]["symlinks"]["identifiers"]
    broker = "pkc-123.us-east-1.aws.confluent.cloud:9092"
    assert other == {"namespace": f"kafka://{broker}", "name": "orders", "type": "TABLE"}


def column(found: Extraction, job: str, name: str) -> list[str]:
    facets = found.jobs[job]["outputs"][0]["facets"]
    inputs = facets["columnLineage"]["fields"][name]["inputFields"]
    return [f"{each['name']}.{each['field']}" for each in inputs]


def test_columns_of_flink_ksqldb_and_sinks(found: Extraction) -> None:
    prefix = "lineage_bridge.orders_v2"
    assert column(found, "enrich-orders", "total") == [f"{prefix}.price", f"{prefix}.quantity"]
    query = "lksqlc-1/CSAS_ENRICHED_ORDERS_7"
    assert "customers.name" in column(found, query, "CUSTOMER_NAME")
    assert column(found, "delta-sink", "AMOUNT") == ["enriched_orders.AMOUNT"]


def test_consumer_groups_are_jobs_but_those_of_connectors(found: Extraction) -> None:
    assert found.edges("billing") == ([f"{SHOP} orders"], [])
    group = found.job_facet("billing", "confluent_consumer_group")
    assert (group["lag"], group["total_lag"]) == ({"orders": 25}, 25)
    assert [each["consumer_id"] for each in group["members"]] == [
        "billing-1-6f0c",
        "billing-2-91ab",
    ]
    assert "connect-lcc-delta1" not in found.jobs
    lag = found.job_facet("delta-sink", "confluent_consumer_group")
    assert lag["total_lag"] == 3


def test_mirror_topics_come_from_their_source(found: Extraction) -> None:
    job = "cluster-link/to-archive/lineage_bridge.enriched_orders"
    mirror = "confluent://env-26wn6m/lkc-arc777 lineage_bridge.enriched_orders"
    assert found.edges(job) == ([f"{LB} lineage_bridge.enriched_orders"], [mirror])


def test_a_mirror_of_a_cluster_elsewhere_is_a_gap(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    cluster.links["far"] = "CIL-69l7S1"
    cluster.mirrors += [CloudMirror("far", "a", "a"), CloudMirror("far", "b", "b", "STOPPED")]
    found = run(opened.settings())
    assert found.edges("cluster-link/far/a")[0] == ["kafka://CIL-69l7S1 a"]
    assert found.gaps("cluster-link/far/a")[0]["name"] == "CIL-69l7S1/a"
    assert "cluster-link/far/b" not in found.jobs


def test_glue_and_a_table_whose_catalog_failed(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-26wn6m"].clusters["lkc-mjnq51"]
    cluster.integrations["tci-glue"] = {"kind": "AwsGlue", "provider_integration_id": "cspi-1"}
    cluster.tables[0].syncs = {"tci-glue": "FAILED", "tci-gone": "SYNCED"}
    cluster.integrations["tci-gone"] = {"kind": "Unity", "catalog_name": "c"}
    opened.cloud.faults = {}
    found = run(opened.settings())
    job = "tableflow/lineage_bridge.orders_v2/tci-glue"
    glue = "aws://us-east-1/lkc-mjnq51 lineage_bridge_orders_v2"
    assert found.edges(job)[1] == [glue]
    assert found.jobs[job]["eventType"] == "FAIL"
    error = found.jobs[job]["run"]["facets"]["errorMessage"]["message"]
    assert error == "cannot reach the catalog"


def statement(opened: OpenCloud, sql: str, name: str = "s1", **more: Any) -> None:
    environment = opened.estate.environments["env-26wn6m"]
    properties = {"sql.current-catalog": "lineage-bridge", "sql.current-database": "lb-cluster"}
    added = CloudStatement(name, sql, "lfcp-1", properties, **more)
    environment.statements.append(added)


def test_a_view_is_what_it_reads(opened: OpenCloud) -> None:
    view = "CREATE VIEW cheap AS SELECT order_id, item, price FROM `lineage_bridge.orders_v2`"
    statement(opened, view, "v1", phase="COMPLETED", kind="CREATE_VIEW")
    target = "`lineage_bridge.enriched_orders`"
    statement(opened, f"INSERT INTO {target} SELECT order_id, item, price FROM cheap")
    found = run(opened.settings())
    assert found.edges("s1")[0] == [f"{LB} lineage_bridge.orders_v2"]
    assert column(found, "s1", "total") == ["lineage_bridge.orders_v2.price"]
    assert "v1" not in found.jobs


def test_a_table_of_another_database_and_one_that_makes_rows_up(opened: OpenCloud) -> None:
    statement(opened, "CREATE TABLE fake (a STRING) WITH ('connector'='faker')", "t1")
    sql = (
        "EXECUTE STATEMENT SET BEGIN "
        "INSERT INTO `lineage_bridge.orders_v2` (order_id) SELECT a FROM fake; "
        "INSERT INTO `lineage_bridge.orders_v2` (order_id) "
        "SELECT order_id FROM `lb-archive`.`lineage_bridge.enriched_orders`; END"
    )
    statement(opened, sql)
    found = run(opened.settings())
    archive = "confluent://env-26wn6m/lkc-arc777 lineage_bridge.enriched_orders"
    assert found.edges("s1") == ([archive], [f"{LB} lineage_bridge.orders_v2"])


def test_what_is_not_understood_of_a_statement_is_a_gap(opened: OpenCloud) -> None:
    statement(opened, "INSERT INTO `lineage_bridge.orders_v2` SELECT f(", "broken")
    statement(opened, "INSERT INTO `lineage_bridge.orders_v2` SELECT a FROM nowhere", "lost")
    statement(opened, "SELECT * FROM `lineage_bridge.orders_v2`", "look")
    statement(
        opened,
        "INSERT INTO `lineage_bridge.orders_v2` SELECT * FROM `lineage_bridge.orders_v2`",
        "failed",
        phase="FAILED",
        detail="it ran out of memory",
    )
    found = run(opened.settings())
    assert found.gaps("broken")
    assert [gap["description"] for gap in found.gaps("lost")] == ["There is no topic of this name."]
    assert "look" not in found.jobs
    assert found.jobs["failed"]["eventType"] == "FAIL"
    assert (
        found.jobs["failed"]["run"]["facets"]["errorMessage"]["message"] == "it ran out of memory"
    )


def test_failed_and_custom_connectors(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    broken = cluster.add_connector("broken", "lcc-9", "sink")
    broken.config |= {"connector.class": "S3_SINK", "topics": "orders", "s3.bucket.name": "lake"}
    broken.state = "FAILED"
    broken.trace = "Caused by: no access with key hunter2secret\n at x"
    broken.config["aws.secret.access.key"] = "hunter2secret"
    custom = cluster.add_connector("custom", "clcc-1", "source")
    custom.config |= {"confluent.connector.type": "CUSTOM", "confluent.custom.plugin.id": "ccp-1"}
    custom.config["connector.class"] = "com.example.FancySource"
    pattern = cluster.add_connector("all-orders", "lcc-10", "sink")
    pattern.config |= {"connector.class": "S3_SINK", "topics.regex": ".*orders"}
    pattern.config["s3.bucket.name"] = "lake"
    found = run(opened.settings())
    assert found.jobs["broken"]["eventType"] == "FAIL"
    error = found.jobs["broken"]["run"]["facets"]["errorMessage"]["message"]
    assert error == "no access with key ***"
    assert "hunter2secret" not in json.dumps(found.jobs["broken"])
    assert found.job_facet("custom", "confluent_connector")["is_custom"] is True
    assert found.gaps("custom")
    assert found.edges("all-orders")[0] == [f"{SHOP} orders", f"{SHOP} enriched_orders"]


def test_a_bigquery_table_has_the_documented_name(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    sink = cluster.add_connector("bq", "lcc-11", "sink")
    sink.config |= {
        "connector.class": "BigQuerySink",
        "topics": "orders",
        "project": "my-project",
        "datasets": "analytics",
    }
    found = run(opened.settings())
    assert found.edges("bq")[1] == ["google://my-project/analytics orders"]
    (other,) = found.jobs["bq"]["outputs"][0]["facets"]["symlinks"]["identifiers"]
    assert (other["namespace"], other["name"]) == ("bigquery", "my-project.analytics.orders")


def test_a_group_of_a_connectors_name_is_another_job(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    cluster.groups["delta-sink"] = cluster.groups["billing"]
    cluster.groups["delta-sink"].id = "delta-sink"
    found = run(opened.settings())
    assert "delta-sink (consumer group)" in found.jobs


def test_activity_shows_clients_that_nothing_names(opened: OpenCloud) -> None:
    cluster = opened.estate.environments["env-abc"].clusters["lkc-123"]
    cluster.topics["customers"].activity = {"sent_records": 10, "received_records": 7}
    cluster.topics["dlq-lcc-delta1"].activity = {"sent_records": 3}
    found = run(opened.settings(enable_metrics=True))
    metrics = found.datasets[f"{SHOP} customers"]["confluent_kafka"]["metrics"]
    assert metrics == {
        "metrics_received_records": 7,
        "metrics_sent_records": 10,
        "metrics_active": True,
    }
    # The customers are written by the connector and read by the query: both are known.
    assert [gap["name"] for gap in found.gaps("extraction")] == ["dlq-lcc-delta1"]


def test_only_some_environments_and_clusters(opened: OpenCloud) -> None:
    found = run(opened.settings(environment_ids=("env-26wn6m",), cluster_ids=("lkc-arc777",)))
    assert {name.split(" ")[0] for name in found.datasets} == {"confluent://env-26wn6m/lkc-arc777"}


def test_a_statement_of_another_cluster_is_left_out(opened: OpenCloud) -> None:
    found = run(opened.settings(environment_ids=("env-26wn6m",), cluster_ids=("lkc-arc777",)))
    assert not [name for name in found.jobs if name.endswith("enrich-orders")]
    (statement,) = opened.estate.environments["env-26wn6m"].statements
    statement.sql = (
        "INSERT INTO `lb-archive`.`lineage_bridge.enriched_orders` "
        "SELECT order_id FROM `lineage_bridge.orders_v2`"
    )
    found = run(opened.settings(environment_ids=("env-26wn6m",), cluster_ids=("lkc-arc777",)))
    archived = "confluent://env-26wn6m/lkc-arc777 lineage_bridge.enriched_orders"
    assert found.edges("enrich-orders") == ([f"{LB} lineage_bridge.orders_v2"], [archived])
    assert found.gaps("enrich-orders") == []


def test_a_cluster_that_is_nowhere_is_an_error(opened: OpenCloud) -> None:
    with pytest.raises(RestUnavailable, match="has no cluster 'lkc-zz'") as raised:
        run(opened.settings(cluster_ids=("lkc-zz",)))
    assert "lkc-123" in raised.value.next_step


def test_check_says_which_clusters_have_no_key(opened: OpenCloud) -> None:
    keys = tuple(each for each in opened.values["keys"] if not each.startswith("lkc-123"))
    steps = ConfluentCollector(opened.settings(keys=keys), "http://server").check()
    details = {step.name: step.detail for step in steps}
    assert details["clusters"] == "3 Kafka clusters, no API key (--keys) for lkc-123"


def test_subjects_of_every_strategy_and_format(opened: OpenCloud) -> None:
    environment = opened.estate.environments["env-abc"]
    schema = '{"type": "object", "title": "Due", "properties": {"on": {"type": "string"}}}'
    environment.clusters["lkc-123"].add_topic("invoices")
    environment.clusters["lkc-123"].add_topic("mixed")
    environment.clusters["lkc-123"].add_topic("proto")
    environment.add_schema("invoices-value", schema, "JSON")
    environment.add_schema("invoices-key", '"string"')
    proto = 'syntax = "proto3"; package shop; message Bid { string id = 1; }'
    environment.add_schema("proto-value", proto, "PROTOBUF")
    for name in ("A", "B"):
        record = {"type": "record", "name": name, "fields": [{"name": "x", "type": "int"}]}
        environment.add_schema(f"mixed-{name}", json.dumps(record))
    record = {"type": "record", "name": "Alone", "namespace": "shop", "fields": []}
    environment.add_schema("shop.Alone", json.dumps(record))
    environment.add_schema("broken-value", "{")
    found = run(opened.settings())

    def fields(topic: str) -> list[str]:
        return [each["name"] for each in found.datasets[f"{SHOP} {topic}"]["schema"]["fields"]]

    assert fields("invoices") == ["on"]
    assert "kafka_key" in found.datasets[f"{SHOP} invoices"]
    assert fields("proto") == ["id"]
    assert fields("mixed") == ["A", "B"]
    registry = f"schema-registry://{opened.cloud.url.removeprefix('http://')}"
    assert {f"{registry} shop.Alone", f"{registry} broken-value"} <= set(found.datasets)
    (subject,) = found.datasets[f"{registry} broken-value"]["schema_registry"]["subjects"]
    assert subject["problems"]
