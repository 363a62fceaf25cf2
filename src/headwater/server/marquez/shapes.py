"""Marquez's JSON shapes, made from what the store knows."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Raw

from headwater.model import facets as known
from headwater.model.ids import digest
from headwater.model.instant import format_instant
from headwater.model.relations import Direction
from headwater.store.datasets import Dataset, State
from headwater.store.jobs import Job
from headwater.store.namespaces import Namespace
from headwater.store.runs import Run, RunUse

Shape = dict[str, Any]

_SCHEMA = known.decoder(known.Schema)
_ANY = msgspec.json.Decoder(dict[str, Any])
_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "STREAM": "STREAM", "SERVICE": "SERVICE"}
_STREAM_SCHEMES = ("kafka", "kinesis", "pulsar", "pubsub")


class JobUse(NamedTuple):
    """A dataset that a job reads or writes now."""

    direction: int
    dataset: bytes
    namespace: str
    name: str


def instant_or_none(micros: int | None) -> str | None:
    return None if micros is None else format_instant(micros)


def facet_fields(facets: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """A facet's fields; none where it is absent or no object."""
    body = facets.get(name)
    found = known.read(_ANY, body) if body is not None else None
    return found if isinstance(found, dict) else {}


def raw_facets(facets: Mapping[str, bytes]) -> dict[str, Raw]:
    return {name: Raw(body) for name, body in sorted(facets.items())}


def namespace_shape(namespace: Namespace) -> Shape:
    return {
        "name": namespace.name,
        "createdAt": instant_or_none(namespace.first_seen),
        "updatedAt": instant_or_none(namespace.last_seen),
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


def run_shape(run: Run, facets: Mapping[str, bytes], job: tuple[str, str] | None) -> Shape:
    duration = None
    if run.ended_at is not None and run.started_at is not None:
        duration = max(0, run.ended_at - run.started_at) // 1000
    return {
        "id": run.id,
        "createdAt": instant_or_none(run.created_at),
        "updatedAt": instant_or_none(run.updated_at),
        "nominalStartTime": instant_or_none(run.nominal_start),
        "nominalEndTime": instant_or_none(run.nominal_end),
        "state": run.state,
        "startedAt": instant_or_none(run.started_at),
        "endedAt": instant_or_none(run.ended_at),
        "durationMs": duration,
        "args": {},
        "job": None if job is None else {"namespace": job[0], "name": job[1]},
        "facets": raw_facets(facets),
    }


def run_uses_shape(uses: list[RunUse], contents: Mapping[bytes, bytes]) -> Shape:
    """The datasets of a run, each with the version it saw."""
    return {
        "inputDatasetVersions": [
            _run_use(use, contents) for use in uses if use.direction == Direction.INPUT
        ],
        "outputDatasetVersions": [
            _run_use(use, contents) for use in uses if use.direction == Direction.OUTPUT
        ],
    }


def _run_use(use: RunUse, contents: Mapping[bytes, bytes]) -> Shape:
    name = "inputStatistics" if use.direction == Direction.INPUT else "outputStatistics"
    body = contents.get(use.statistics) if use.statistics else None
    return {
        "datasetVersionId": {
            "namespace": use.namespace,
            "name": use.name,
            "version": dataset_version(use.dataset, use.schema),
        },
        "facets": {} if body is None else {name: Raw(body)},
    }


def dataset_version(dataset: bytes, schema: bytes | None) -> str:
    """Name a dataset's state by what it is, so that every process names it alike."""
    return str(UUID(bytes=digest(dataset + (schema or b""))))


def job_shape(
    job: Job,
    facets: Mapping[str, bytes],
    uses: list[JobUse],
    runs: list[Shape],
    parent: tuple[str, str] | None,
) -> Shape:
    parent_name = parent[1] if parent else None
    return {
        "id": {"namespace": job.namespace, "name": job.name},
        "type": job_type(facet_fields(facets, "jobType")),
        "name": job.name,
        "simpleName": job.name.removeprefix(f"{parent_name}.") if parent_name else job.name,
        "parentJobName": parent_name,
        "createdAt": instant_or_none(job.first_seen),
        "updatedAt": instant_or_none(job.last_seen),
        "namespace": job.namespace,
        "inputs": _used(uses, Direction.INPUT),
        "outputs": _used(uses, Direction.OUTPUT),
        "location": facet_fields(facets, "sourceCodeLocation").get("url"),
        "description": facet_fields(facets, "documentation").get("description"),
        "latestRun": runs[0] if runs else None,
        "latestRuns": runs,
        "facets": raw_facets(facets),
        "tags": whole_tags(facet_fields(facets, "tags")),
        "currentVersion": job_version(job.id, uses),
    }


def job_version(job: bytes, uses: list[JobUse]) -> str:
    """Name a job's state by what it reads and writes."""
    parts = [bytes((use.direction,)) + use.dataset for use in uses]
    return str(UUID(bytes=digest(b"".join((job, *parts)))))


def _used(uses: list[JobUse], direction: Direction) -> list[Shape]:
    return [
        {"namespace": use.namespace, "name": use.name} for use in uses if use.direction == direction
    ]


def dataset_shape(
    dataset: Dataset,
    state: State,
    facets: Mapping[str, bytes],
    contents: Mapping[bytes, bytes],
    lifecycle: str | None,
) -> Shape:
    schema = contents.get(state.schema) if state.schema else None
    columns = contents.get(state.columns) if state.columns else None
    stated = {"schema": schema, "columnLineage": columns}
    shown = {**facets, **{name: body for name, body in stated.items() if body is not None}}
    source = facet_fields(facets, "dataSource").get("name")
    fields: known.Schema | None = known.read(_SCHEMA, schema) if schema is not None else None
    return {
        "id": {"namespace": dataset.namespace, "name": dataset.name},
        "type": dataset_type(dataset.namespace, facet_fields(facets, "datasetType")),
        "name": dataset.name,
        "physicalName": dataset.name,
        "createdAt": instant_or_none(dataset.first_seen),
        "updatedAt": instant_or_none(dataset.last_seen),
        "namespace": dataset.namespace,
        "sourceName": source if isinstance(source, str) else dataset.namespace,
        "fields": fields_shape(fields, tags_by_field(facet_fields(facets, "tags"))),
        "tags": whole_tags(facet_fields(facets, "tags")),
        "lastModifiedAt": instant_or_none(state.written_at),
        "lastLifecycleState": lifecycle,
        "description": facet_fields(facets, "documentation").get("description"),
        "currentVersion": dataset_version(dataset.id, state.schema),
        "facets": raw_facets(shown),
        "deleted": False,
    }


def dataset_type(namespace: str, stated: Mapping[str, Any]) -> str:
    """Marquez knows tables and streams; `stated` is the datasetType facet."""
    kind = str(stated.get("datasetType", "")).upper()
    is_stream = namespace.partition(":")[0] in _STREAM_SCHEMES or kind in ("TOPIC", "STREAM")
    return "STREAM" if is_stream else "DB_TABLE"


def job_type(stated: Mapping[str, Any]) -> str:
    return _JOB_TYPES.get(str(stated.get("processingType", "BATCH")).upper(), "BATCH")


def _tags(stated: Mapping[str, Any]) -> list[dict[str, Any]]:
    tags = stated.get("tags")
    return [tag for tag in tags if isinstance(tag, dict)] if isinstance(tags, list) else []


def whole_tags(stated: Mapping[str, Any]) -> list[str]:
    """The tags of a thing itself, from its tags facet."""
    return sorted({str(tag.get("key")) for tag in _tags(stated) if not tag.get("field")})


def tags_by_field(stated: Mapping[str, Any]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    for tag in _tags(stated):
        if field := tag.get("field"):
            tags.setdefault(str(field), []).append(str(tag.get("key")))
    return tags


def fields_shape(schema: known.Schema | None, tags: Mapping[str, list[str]]) -> list[Shape]:
    return [_field(field, tags) for field in (schema.fields if schema else None) or ()]


def _field(field: known.SchemaField, tags: Mapping[str, list[str]], prefix: str = "") -> Shape:
    """A field as Marquez shows it, with the children that Marquez drops."""
    name = f"{prefix}{field.name}"
    shape: Shape = {
        "name": field.name,
        "type": field.type,
        "tags": sorted(tags.get(name, [])),
        "description": field.description,
    }
    if field.fields:
        shape["fields"] = [_field(child, tags, f"{name}.") for child in field.fields]
    return shape
