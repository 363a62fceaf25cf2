"""The rows of the table, in the order they are run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.client import Client
from bench.figure import Figure
from bench.rows.bridge import bridge_lineage
from bench.rows.collect import (
    collect_confluent,
    collect_connect,
    collect_dbt,
    collect_flink,
    collect_registry,
)
from bench.rows.connect import connect_apply, connect_worker
from bench.rows.estate import estate, estate_large
from bench.rows.ingest import batch_sqlite, single_postgres, single_sqlite, wide
from bench.rows.kafka import kafka_stream
from bench.rows.kafka_estate import collect_kafka
from bench.rows.kinesis import kinesis_cost
from bench.rows.live import live_tabs
from bench.rows.mixed import readers_and_writers
from bench.rows.pipeline import bulk, bulk_growth, projection
from bench.rows.publish import publish
from bench.rows.reads import reads, reads_history, reads_postgres
from bench.rows.search import search
from bench.rows.size import growth, memory, start
from bench.rows.spark import spark_listening
from bench.rows.ui import web_ui, web_ui_columns
from bench.rows.upkeep import prunes


@dataclass(frozen=True)
class Row:
    name: str
    measure: Callable[[Client], Sequence[Figure]]
    is_full_only: bool = False


ROWS = (
    Row("start", start),
    Row("single-sqlite", single_sqlite),
    Row("batch-sqlite", batch_sqlite),
    Row("single-postgres", single_postgres),
    Row("wide", wide),
    Row("memory", memory),
    Row("reads", reads),
    Row("readers-and-writers", readers_and_writers),
    Row("live-tabs", live_tabs, is_full_only=True),
    Row("search", search),
    Row("estate", estate),
    Row("ui", web_ui),
    Row("bulk", bulk),
    Row("kafka-stream", kafka_stream),
    Row("spark-listening", spark_listening),
    Row("ui-columns", web_ui_columns, is_full_only=True),
    Row("connect-apply", connect_apply, is_full_only=True),
    Row("connect-worker", connect_worker, is_full_only=True),
    Row("collect-connect", collect_connect, is_full_only=True),
    Row("collect-kafka", collect_kafka, is_full_only=True),
    Row("collect-confluent", collect_confluent, is_full_only=True),
    Row("collect-registry", collect_registry, is_full_only=True),
    Row("collect-flink", collect_flink, is_full_only=True),
    Row("collect-dbt", collect_dbt, is_full_only=True),
    Row("kinesis-cost", kinesis_cost, is_full_only=True),
    Row("publish", publish, is_full_only=True),
    Row("projection", projection, is_full_only=True),
    Row("estate-large", estate_large, is_full_only=True),
    Row("reads-postgres", reads_postgres, is_full_only=True),
    Row("prunes", prunes, is_full_only=True),
    Row("bridge-lineage", bridge_lineage, is_full_only=True),
    Row("growth", growth, is_full_only=True),
    Row("reads-history", reads_history, is_full_only=True),
    Row("bulk-growth", bulk_growth, is_full_only=True),
)
