"""Consumer groups as parts of the jobs that read by them: shown as the job, not beside it.

A broker knows a group and nothing of its job. A job that says by which group it reads (a facet, the
SQL of Flink, the name of a sink connector) is the whole that the group's own job is a part of.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from headwater.model import facets
from headwater.model.project.projection import Projection
from headwater.model.relations import StreamJob, StreamRole
from headwater.model.values.consumer_groups import (
    GROUP_FACET,
    GROUPS_FACET,
    connect_group,
    group_id,
    reader_ids,
    spark_reader_id,
)

_KAFKA = "kafka://"
_BARE = "kafka"
_IN_SQL = re.compile(r"'properties\.group\.id'\s*=\s*'([^']+)'")


class _Group(msgspec.Struct):
    group: str = ""
    clusters: list[str] = []


class _Groups(msgspec.Struct):
    groups: list[str] = []


class _JobType(msgspec.Struct):
    integration: str = ""
    jobType: str = ""


class _Connector(msgspec.Struct):
    connector: str = ""


class _Sql(msgspec.Struct):
    query: str = ""


_GROUP = facets.decoder(_Group)
_GROUPS = facets.decoder(_Groups)
_JOB_TYPE = facets.decoder(_JobType)
_CONNECTOR = facets.decoder(_Connector)
_SQL = facets.decoder(_Sql)


def project_consumer_groups(projection: Projection) -> None:
    """The job as a group, or as one that reads by groups."""
    if GROUP_FACET in projection.run_facets:
        _project_group(projection)
        return
    inputs = [(each.namespace or "", each.name) for each in projection.event.inputs]
    topics = [each for each in inputs if _is_topic(each[0])]
    if not topics:
        return
    for id in set(_readings(projection, topics)):
        _add(projection, id, StreamRole.WHOLE)


def _project_group(projection: Projection) -> None:
    body = projection.run_facets[GROUP_FACET].body
    found: _Group | None = facets.read(_GROUP, body)
    if found is None or not found.group:
        return
    topics = [each.name for each in projection.event.inputs]
    for cluster in found.clusters:
        for id in reader_ids(cluster, found.group, topics):
            _add(projection, id, StreamRole.PART)


def _add(projection: Projection, id: bytes, role: StreamRole) -> None:
    assert projection.job is not None
    row = StreamJob(projection.job, id, role, projection.at)
    projection.facts.add("stream_job", row)


def _is_topic(namespace: str) -> bool:
    return namespace.startswith(_KAFKA) or namespace == _BARE


def _readings(projection: Projection, topics: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    clusters = {namespace for namespace, _ in topics}
    for group in _named_groups(projection):
        yield from (group_id(cluster, group) for cluster in clusters)
    if _job_type(projection).integration.upper() == "SPARK":
        yield from (spark_reader_id(*each) for each in topics)


def _named_groups(projection: Projection) -> Iterator[str]:
    """The groups that an event names: by itself, or in the words of its runtime."""
    if facet := projection.job_facets.get(GROUPS_FACET):
        found: _Groups | None = facets.read(_GROUPS, facet.body)
        yield from (found.groups if found else ())
    kind = _job_type(projection)
    if kind.integration.upper() == "KAFKA_CONNECT" and kind.jobType.upper() == "SINK":
        yield connect_group(_connector(projection))
    sql = projection.job_facets.get("sql")
    if sql is not None and b"properties.group.id" in sql.body:
        query: _Sql | None = facets.read(_SQL, sql.body)
        yield from _IN_SQL.findall(query.query if query else "")


def _job_type(projection: Projection) -> _JobType:
    facet = projection.job_facets.get("jobType")
    found: _JobType | None = facets.read(_JOB_TYPE, facet.body) if facet else None
    return found or _JobType()


def _connector(projection: Projection) -> str:
    """The connector's own name: that of its job may be another."""
    assert projection.event.job is not None
    for name in ("kafka_connect", "kafka_connect_rest"):
        facet = projection.run_facets.get(name)
        found: _Connector | None = facets.read(_CONNECTOR, facet.body) if facet else None
        if found is not None and found.connector:
            return found.connector
    return projection.event.job.name
