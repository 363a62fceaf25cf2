"""What ksqlDB answers, whoever runs it: queries, streams and tables, and their types; no I/O."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

Json = dict[str, Any]
Listed = TypeVar("Listed", bound=msgspec.Struct)

MEDIA_TYPE = "application/vnd.ksql.v1+json"
SHOW_QUERIES = "SHOW QUERIES EXTENDED;"
LIST_STREAMS, LIST_TABLES = "LIST STREAMS EXTENDED;", "LIST TABLES EXTENDED;"


class KsqldbServer(msgspec.Struct, rename={"kafka_cluster": "kafkaClusterId"}):
    """A server as it describes itself; all servers of a cluster have one service id."""

    version: str = ""
    kafka_cluster: str = ""
    service: str = msgspec.field(default="", name="ksqlServiceId")
    status: str = msgspec.field(default="RUNNING", name="serverStatus")


class FieldSchema(msgspec.Struct):
    type: str = ""
    fields: "list[SourceField] | None" = None
    memberSchema: "FieldSchema | None" = None
    parameters: Json | None = None


class SourceField(msgspec.Struct):
    name: str
    schema: FieldSchema | None = None


class KsqldbSource(msgspec.Struct, rename="camel"):
    """A stream or a table: a topic, read in one way."""

    name: str
    topic: str = ""
    type: str = "STREAM"
    fields: list[SourceField] | None = None
    key_format: str = ""
    value_format: str = ""
    window_type: str | None = None
    partitions: int = 0
    statement: str = ""


class TopicPartition(msgspec.Struct):
    topic: str = ""
    partition: int = 0


class PartitionOffset(msgspec.Struct, rename="camel"):
    topic_partition_entity: TopicPartition
    end_offset: int = 0
    committed_offset: int = -1


class QueryTask(msgspec.Struct, rename="camel"):
    topic_offsets: list[PartitionOffset] | None = None


class QueryError(msgspec.Struct, rename="camel"):
    error_message: str = ""
    type: str = ""
    timestamp: int = 0


class KsqldbQuery(msgspec.Struct, rename="camel"):
    id: str
    statement_text: str = ""
    sources: list[str] | None = None
    sinks: list[str] | None = None
    query_type: str = "PERSISTENT"
    state: str | None = None
    consumer_group_id: str = ""
    query_errors: list[QueryError] | None = None
    tasks_metadata: list[QueryTask] | None = None
    ksql_host_query_status: dict[str, str] | None = None


def read_queries(entities: Iterable[Any]) -> list[KsqldbQuery]:
    """The queries among the entities of an answer; raises msgspec.ValidationError."""
    return read_entities(entities, "query_descriptions", "queryDescriptions", KsqldbQuery)


def read_sources(entities: Iterable[Any]) -> list[KsqldbSource]:
    """The streams and tables among the entities of an answer; raises msgspec.ValidationError."""
    return read_entities(entities, "source_descriptions", "sourceDescriptions", KsqldbSource)


def read_entities(entities: Iterable[Any], tag: str, key: str, kind: type[Listed]) -> list[Listed]:
    found: list[Listed] = []
    for entity in entities:
        if isinstance(entity, dict) and entity.get("@type") == tag:
            listed = entity.get(key)
            found += [
                msgspec.convert(each, kind, strict=False)
                for each in (listed if isinstance(listed, list) else ())
            ]
    return found


def type_text(schema: FieldSchema | None) -> str:
    """A type as ksqlDB writes it: `ARRAY<STRUCT<A INTEGER>>`, `DECIMAL(4, 2)`."""
    if schema is None:
        return ""
    if schema.type == "DECIMAL" and schema.parameters:
        numbers = (schema.parameters.get("precision"), schema.parameters.get("scale"))
        return f"DECIMAL({numbers[0]}, {numbers[1]})"
    if schema.type == "STRUCT":
        fields = ", ".join(f"{each.name} {type_text(each.schema)}" for each in schema.fields or ())
        return f"STRUCT<{fields}>"
    if schema.type in ("ARRAY", "MAP") and schema.memberSchema is not None:
        member = type_text(schema.memberSchema)
        return f"ARRAY<{member}>" if schema.type == "ARRAY" else f"MAP<STRING, {member}>"
    return schema.type
