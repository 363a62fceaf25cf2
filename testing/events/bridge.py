"""A small estate for catalogs: a database, connectors, topics, a job, tables in three catalogs."""

from typing import Any

import msgspec

from testing.events.minimal import dataset, run_event, schema

UNITY = "unitycatalog://workspace-1"
GLUE = "arn:aws:glue:eu-west-1:123456789012"
KAFKA = "kafka://broker:9092"
DATABASE = "postgres://shop:5432"

_COLUMNS = {"order_id": "int", "customer": "string", "amount": "decimal"}


def column_lineage(source: Any, *names: str) -> Any:
    """Each column comes from the one of the same name."""
    return {
        "fields": {
            name: {
                "inputFields": [
                    {"namespace": source["namespace"], "name": source["name"], "field": name}
                ]
            }
            for name in names
        }
    }


def job_type(integration: str, kind: str) -> Any:
    return {
        "jobType": {
            "processingType": "STREAMING",
            "integration": integration,
            "jobType": kind,
        }
    }


def estate(with_tables: bool = True) -> list[bytes]:
    """A table of a database -> topic -> topic -> tables in Unity Catalog, Glue and BigQuery."""
    orders_table = dataset("shop.public.orders", DATABASE)
    orders = dataset("orders", KAFKA)
    enriched = dataset("orders.enriched", KAFKA)
    events = [
        _run(1, "orders-source", "KAFKA_CONNECT", "SOURCE", orders_table, orders),
        _run(2, "enrich", "FLINK", "JOB", orders, enriched),
    ]
    if with_tables:
        tables = [
            ("main.sales.orders", UNITY),
            ("table/sales/orders", GLUE),
            ("acme.sales.orders", "bigquery"),
        ]
        for number, (name, namespace) in enumerate(tables, start=3):
            target = dataset(name, namespace)
            events.append(_run(number, f"sink-{number}", "KAFKA_CONNECT", "SINK", enriched, target))
    return events


def _run(number: int, job: str, integration: str, kind: str, source: Any, target: Any) -> bytes:
    facets = {"schema": schema(**_COLUMNS)}
    lineage = column_lineage(source, *_COLUMNS)
    return msgspec.json.encode(
        run_event(
            "COMPLETE",
            at=f"2024-05-01T10:00:{number:02d}Z",
            run=f"01890000-0000-7000-8000-00000000000{number}",
            job=job,
            job_facets=job_type(integration, kind),
            inputs=[{**source, "facets": facets}],
            outputs=[{**target, "facets": {**facets, "columnLineage": lineage}}],
        )
    )
