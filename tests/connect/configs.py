"""Configurations of connectors that need nothing but Kafka."""

from pathlib import Path

from headwater.model.connect.connectors import TRANSFORM_CLASS

Config = dict[str, str]

OURS = {"transforms": "openlineage", "transforms.openlineage.type": TRANSFORM_CLASS}
_TOPIC_MADE = {
    "topic.creation.default.replication.factor": "1",
    "topic.creation.default.partitions": "2",
}
_STRINGS = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.storage.StringConverter",
}


def file_source(file: Path, topic: str, **more: str) -> Config:
    """A source that writes the lines of a file."""
    return {
        "connector.class": "FileStreamSource",
        "file": str(file),
        "topic": topic,
        "tasks.max": "1",
        **_TOPIC_MADE,
        **OURS,
        **more,
    }


def file_sink(file: Path, topics: str, **more: str) -> Config:
    """A sink that appends to a file."""
    return {
        "connector.class": "FileStreamSink",
        "file": str(file),
        "topics": topics,
        "tasks.max": "1",
        "consumer.override.auto.offset.reset": "earliest",
        **_STRINGS,
        **OURS,
        **more,
    }


def schema_source(topic: str, schemas: int = 1, **more: str) -> Config:
    """A generator; with two schemas it uses one after the other."""
    return {
        "connector.class": "org.apache.kafka.connect.tools.SchemaSourceConnector",
        "topic": topic,
        "id": "0",
        "num.messages": "1000000",
        "throughput": "20",
        "multiple.schema": str(schemas > 1).lower(),
        "partition.count": "1",
        "tasks.max": "1",
        **_TOPIC_MADE,
        **OURS,
        **more,
    }


def failing(mode: str, **more: str) -> Config:
    """A source that fails: `connector-failure` or `task-failure`."""
    return {
        "connector.class": "org.apache.kafka.connect.tools.MockSourceConnector",
        "mock_mode": mode,
        "delay_ms": "200",
        "tasks.max": "1",
        **OURS,
        **more,
    }
