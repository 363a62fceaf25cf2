"""Continuous SQL: the queries of a ksqlDB cluster, the statements of Flink in a region."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import msgspec

from headwater.collect.confluent.http import PAGE_SIZE, Endpoint
from headwater.collect.confluent.reports import Json, KsqlReport
from headwater.collect.ksqldb import answers
from headwater.errors import SourceUnavailable

_KSQL = " ".join((answers.SHOW_QUERIES, answers.LIST_STREAMS, answers.LIST_TABLES))
_KSQL_JSON = {"Accept": answers.MEDIA_TYPE}


def read_queries(api: Endpoint, ksqldb: KsqlReport) -> str:
    """A ksqlDB cluster's queries with their sources, and its streams and tables with topics."""
    body = {"ksql": _KSQL, "streamsProperties": {}}
    found = api.post("/ksql", body, headers=_KSQL_JSON)
    try:
        entities = msgspec.convert(found, list[Any])
        ksqldb.queries = answers.read_queries(entities)
        ksqldb.sources = answers.read_sources(entities)
    except (msgspec.ValidationError, RecursionError):
        raise SourceUnavailable(api.url, "it answers, but not as ksqlDB does") from None
    ksqldb.is_done = True
    return f"{len(ksqldb.queries):,} ksqlDB queries"


def read_statements(api: Endpoint, organization: str, environment: str) -> Iterator[Json]:
    return api.pages(f"{_base(organization, environment)}/statements", _size())


def read_materialized_tables(api: Endpoint, organization: str, environment: str) -> Iterator[Json]:
    return api.pages(f"{_base(organization, environment)}/materialized-tables", _size())


def _base(organization: str, environment: str) -> str:
    parts = (quote(each, safe="") for each in (organization, environment))
    return "/sql/v1/organizations/{}/environments/{}".format(*parts)


def _size() -> dict[str, str]:
    return {"page_size": str(PAGE_SIZE)}
