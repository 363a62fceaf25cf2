"""Reading a ksqlDB server: its streams and tables, and the queries that run in it."""

from collections.abc import Callable
from typing import Any

import msgspec

from headwater.collect.ksqldb.answers import (
    LIST_STREAMS,
    LIST_TABLES,
    MEDIA_TYPE,
    SHOW_QUERIES,
    KsqldbQuery,
    KsqldbServer,
    KsqldbSource,
    Listed,
    read_entities,
    read_queries,
    read_sources,
)
from headwater.collect.ksqldb.settings import KsqldbSettings
from headwater.collect.rest import RestClient, RestUnavailable

Json = dict[str, Any]

_ADVICE = "is --url that of a ksqlDB server, and its user one who may list queries?"
_AT_ONCE = 4
_MAX_REASON = 300


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
        for statement in (LIST_STREAMS, LIST_TABLES):
            found += self._read(read_sources, self._run(statement))
        return found

    def read_queries(self) -> list[KsqldbQuery]:
        """All queries, with what each reads; of older servers one after the other."""
        entities = self._run(SHOW_QUERIES, is_optional=True)
        if entities is not None:
            return self._read(read_queries, entities)
        found: list[KsqldbQuery] = []
        for name in self._read(_read_listed, self._run("SHOW QUERIES;")):
            explained = self._run(f"EXPLAIN {name.id};", is_optional=True)
            for entity in explained or ():
                # One that was terminated since is none any more.
                if isinstance(entity, dict) and entity.get("@type") == "queryDescription":
                    found.append(self._convert(entity.get("queryDescription"), KsqldbQuery))
        return found

    def _run(self, statement: str, is_optional: bool = False) -> Any:
        """The entities that a statement is answered with; None where it is not understood."""
        body = {"ksql": statement, "streamsProperties": {}}
        status, found = self._http.post("/ksql", body, MEDIA_TYPE, 400)
        if status == 400:
            if is_optional:
                return None
            raise self._unavailable(f"refused '{statement}': {_message(found)}")
        if not isinstance(found, list):
            raise self._unavailable(f"answered '{statement}' with no list of entities")
        return found

    def _read(self, read: Callable[[list[Any]], list[Listed]], entities: list[Any]) -> list[Listed]:
        try:
            return read(entities)
        except (msgspec.ValidationError, RecursionError) as error:
            raise self._unavailable(f"answered something that is not ksqlDB's: {error}") from None

    def _convert(self, value: Any, kind: type[Listed]) -> Listed:
        def convert(values: list[Any]) -> list[Listed]:
            return [msgspec.convert(each, kind, strict=False) for each in values]

        return self._read(convert, [value])[0]

    def _unavailable(self, reason: str) -> RestUnavailable:
        return RestUnavailable(self._http.url, reason, _ADVICE)


class _ListedQuery(msgspec.Struct):
    id: str


def _read_listed(entities: list[Any]) -> list[_ListedQuery]:
    return read_entities(entities, "queries", "queries", _ListedQuery)


def _message(found: Any) -> str:
    text = found.get("message") if isinstance(found, dict) else None
    return " ".join(str(text or "no reason is given").split())[:_MAX_REASON]
