"""Continuous SQL: the queries of a ksqlDB cluster, the statements of Flink in a region."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from headwater.collect.confluent.http import PAGE_SIZE, Endpoint
from headwater.collect.confluent.reports import Json, KsqlReport
from headwater.errors import SourceUnavailable

_KSQL = "SHOW QUERIES EXTENDED; LIST STREAMS EXTENDED; LIST TABLES EXTENDED;"
_KSQL_JSON = {"Accept": "application/vnd.ksql.v1+json"}


def read_queries(api: Endpoint, ksqldb: KsqlReport) -> str:
    """A ksqlDB cluster's queries with their sources, and its streams and tables with topics."""
    body = {"ksql": _KSQL, "streamsProperties": {}}
    found = api.post("/ksql", body, headers=_KSQL_JSON)
    if not isinstance(found, list):
        raise SourceUnavailable(api.url, "it answers, but not as ksqlDB does")
    ksqldb.queries = list(_entries(found, "query_descriptions", "queryDescriptions"))
    ksqldb.sources = list(_entries(found, "source_descriptions", "sourceDescriptions"))
    ksqldb.is_done = True
    return f"{len(ksqldb.queries):,} ksqlDB queries"


def _entries(found: list[Any], kind: str, key: str) -> Iterator[Json]:
    for entity in found:
        if isinstance(entity, dict) and entity.get("@type") == kind:
            yield from (each for each in entity.get(key) or () if isinstance(each, dict))


def read_statements(api: Endpoint, organization: str, environment: str) -> Iterator[Json]:
    return api.pages(f"{_base(organization, environment)}/statements", _size())


def read_materialized_tables(api: Endpoint, organization: str, environment: str) -> Iterator[Json]:
    return api.pages(f"{_base(organization, environment)}/materialized-tables", _size())


def _base(organization: str, environment: str) -> str:
    parts = (quote(each, safe="") for each in (organization, environment))
    return "/sql/v1/organizations/{}/environments/{}".format(*parts)


def _size() -> dict[str, str]:
    return {"page_size": str(PAGE_SIZE)}
