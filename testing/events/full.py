"""Events with all that the spec requires, an input and an output; as values and as bytes."""

from typing import Any

import msgspec

from headwater.model.event import Event, decode_event

Json = dict[str, Any]

RUN = "01890000-0000-7000-8000-000000000001"
PARENT_RUN = "01890000-0000-7000-8000-00000000000a"
ROOT_RUN = "01890000-0000-7000-8000-00000000000b"
PRODUCER = "https://example.org/tests/1.0"


def run_event(event_type: str | None = "START", **rest: Any) -> Json:
    return {
        "eventType": event_type,
        "eventTime": "2024-05-01T12:00:00Z",
        "run": {"runId": RUN},
        "job": {"namespace": "scheduler", "name": "load"},
        "inputs": [{"namespace": "db", "name": "orders"}],
        "outputs": [{"namespace": "db", "name": "totals"}],
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        **rest,
    }


def job_event(**rest: Any) -> Json:
    return {
        "eventTime": "2024-05-01T12:00:00Z",
        "job": {"namespace": "scheduler", "name": "load"},
        "inputs": [{"namespace": "db", "name": "orders"}],
        "outputs": [{"namespace": "db", "name": "totals"}],
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/JobEvent",
        **rest,
    }


def dataset_event(**rest: Any) -> Json:
    return {
        "eventTime": "2024-05-01T12:00:00Z",
        "dataset": {"namespace": "db", "name": "orders"},
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
        **rest,
    }


def edit_event(**edit: Any) -> Json:
    entity = {"type": "dataset", "namespace": "db", "name": "orders"}
    return {
        "eventTime": "2024-05-01T12:00:00Z",
        "edit": {"actor": "ada", "entity": entity, **edit},
    }


def encode(event: Json) -> bytes:
    return msgspec.json.encode(event)


def decode(event: Json) -> Event:
    return decode_event(encode(event))


def micro_batch_event() -> Json:
    """What OpenLineage's own listener for Spark says of a batch of a stream."""
    application = {"run": {"runId": PARENT_RUN}, "job": {"namespace": "scheduler", "name": "shop"}}
    kind = {"processingType": "STREAMING", "integration": "SPARK"}
    return run_event(
        run={"runId": RUN, "facets": {"parent": application}},
        job={"namespace": "scheduler", "name": "shop.filter", "facets": {"jobType": kind}},
        producer="https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark",
    )
