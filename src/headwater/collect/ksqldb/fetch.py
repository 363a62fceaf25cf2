"""Reading a ksqlDB server: its streams and tables, and the queries that run in it."""

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from headwater.collect.ksqldb.settings import KsqldbSettings
from headwater.collect.rest import RestClient, RestUnavailable

Json = dict[str, Any]
Listed = TypeVar("Listed", bound=msgspec.Struct)

_MEDIA_TYPE = "application/vnd.ksql.v1+json"
_ADVICE = "is --url that of a ksqlDB server, and its user one who may list queries?"
_AT_ONCE = 4
_MAX_REASON = 300


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


class KsqldbApi:
    """The REST API of one server."""

    def __init__(self, settings: KsqldbSettings) -> None:
        self._http = RestClient(settings, _AT_ONCE)

    def close(self) -> None:
        self._http.close()

    def read_server(self) -> KsqldbServer:
        found = self._http.get("/info")
        described = found.get("KsqlServerInfo") if isinstance(found, dict) else None
        return self._convert(described, KsqldbServer)

    def read_sources(self) -> list[KsqldbSource]:
        found: list[KsqldbSource] = []
        for kind in ("STREAMS", "TABLES"):
            entities = self._run(f"LIST {kind} EXTENDED;")
            found += self._all(entities, "source_descriptions", "sourceDescriptions", KsqldbSource)
        return found

    def read_queries(self) -> list[KsqldbQuery]:
        """All queries, with what each reads; of older servers one after the other."""
        entities = self._run("SHOW QUERIES EXTENDED;", is_optional=True)
        if entities is not None:
            return self._all(entities, "query_descriptions", "queryDescriptions", KsqldbQuery)
        found: list[KsqldbQuery] = []
        for name in self._all(self._run("SHOW QUERIES;"), "queries", "queries", _ListedQuery):
            explained = self._run(f"EXPLAIN {name.id};", is_optional=True)
            for entity in explained or ():
                # One that was terminated since is none any more.
                if isinstance(entity, dict) and entity.get("@type") == "queryDescription":
                    found.append(self._convert(entity.get("queryDescription"), KsqldbQuery))
        return found

    def _run(self, statement: str, is_optional: bool = False) -> Any:
        """The entities that a statement is answered with; None where it is not understood."""
        body = {"ksql": statement, "streamsProperties": {}}
        status, found = self._http.post("/ksql", body, _MEDIA_TYPE, 400)
        if status == 400:
            if is_optional:
                return None
            raise self._unavailable(f"refused '{statement}': {_message(found)}")
        if not isinstance(found, list):
            raise self._unavailable(f"answered '{statement}' with no list of entities")
        return found

    def _all(self, entities: Iterable[Any], tag: str, key: str, kind: type[Listed]) -> list[Listed]:
        found: list[Listed] = []
        for entity in entities:
            if isinstance(entity, dict) and entity.get("@type") == tag:
                listed = entity.get(key)
                found += [
                    self._convert(each, kind)
                    for each in (listed if isinstance(listed, list) else ())
                ]
        return found

    def _convert(self, value: Any, kind: type[Listed]) -> Listed:
        try:
            return msgspec.convert(value, kind, strict=False)
        except (msgspec.ValidationError, RecursionError) as error:
            raise self._unavailable(f"answered something that is not ksqlDB's: {error}") from None

    def _unavailable(self, reason: str) -> RestUnavailable:
        return RestUnavailable(self._http.url, reason, _ADVICE)


class _ListedQuery(msgspec.Struct):
    id: str


def _message(found: Any) -> str:
    text = found.get("message") if isinstance(found, dict) else None
    return " ".join(str(text or "no reason is given").split())[:_MAX_REASON]
