"""Jobs and their versions in Marquez's shape."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from headwater.model.aspects import JOB_TYPE
from headwater.model.gaps import Gaps
from headwater.model.job_types import job_type
from headwater.model.relations import Direction
from headwater.server.marquez.shapes.common import (
    NameShape,
    VersionId,
    facet_fields,
    facet_text,
    instant_or_none,
    job_version,
    raw_facets,
    simple_name,
    whole_tags,
)
from headwater.server.marquez.shapes.gaps import GapShape, add_gaps
from headwater.server.marquez.shapes.runs import RunShape
from headwater.store.read.jobs import JobRecord


class JobUse(NamedTuple):
    """A dataset that a job currently reads or writes."""

    direction: int
    dataset: bytes
    namespace: str
    name: str


Names = Mapping[bytes, tuple[str, str]]


def named_uses(uses: Iterable[tuple[int, bytes]], names: Names) -> list[JobUse]:
    """Uses with the names of their datasets, in the order of these."""
    found = [JobUse(way, id, *names[id]) for way, id in uses if id in names]
    return sorted(found, key=lambda use: (use.direction, use.namespace, use.name))


class JobShape(Struct):
    """A job: its current inputs and outputs, and its latest runs."""

    id: NameShape
    type: str
    name: str
    simpleName: str
    parentJobName: str | None
    parentJobUuid: str | None
    createdAt: str | None
    updatedAt: str | None
    namespace: str
    inputs: list[NameShape]
    outputs: list[NameShape]
    location: str | None
    context: dict[str, Any]
    description: str | None
    latestRun: RunShape | None
    latestRuns: list[RunShape]
    facets: dict[str, Any]
    tags: list[str]
    labels: list[str]
    currentVersion: str
    incomplete: bool | UnsetType = UNSET
    gapSummary: str | UnsetType = UNSET
    gaps: list[GapShape] | UnsetType = UNSET


class JobList(Struct):
    """Jobs, and the total count."""

    jobs: list[JobShape]
    totalCount: int


class JobVersionShape(Struct):
    """The inputs, outputs and code of a job during an interval."""

    id: VersionId
    name: str
    namespace: str
    version: str
    createdAt: str | None
    inputs: list[NameShape]
    outputs: list[NameShape]
    location: str | None
    context: dict[str, Any]
    latestRun: RunShape | None
    facets: dict[str, Any]


class JobVersionList(Struct):
    """Versions of a job, newest first."""

    versions: list[JobVersionShape]
    totalCount: int


def job_shape(
    job: JobRecord,
    facets: Mapping[str, bytes],
    uses: list[JobUse],
    runs: list[RunShape],
    parent: tuple[str, str] | None,
    gaps: Gaps = (),
) -> JobShape:
    parent_name = parent[1] if parent else None
    location = facet_text(facets, "sourceCodeLocation", "url")
    shape = JobShape(
        NameShape(job.namespace, job.name),
        job_type(facet_fields(facets, JOB_TYPE).get("processingType")),
        job.name,
        simple_name(job.name, parent_name),
        parent_name,
        str(UUID(bytes=job.parent)) if job.parent and parent else None,
        instant_or_none(job.first_seen),
        instant_or_none(job.last_seen),
        job.namespace,
        used(uses, Direction.INPUT),
        used(uses, Direction.OUTPUT),
        location,
        context_of(facets),
        facet_text(facets, "documentation", "description"),
        runs[0] if runs else None,
        runs,
        raw_facets(facets),
        whole_tags(facet_fields(facets, "tags")),
        [],
        job_version(job.id, ((use.direction, use.dataset) for use in uses), location),
    )
    add_gaps(shape, gaps)
    return shape


def context_of(facets: Mapping[str, bytes]) -> dict[str, Any]:
    """The context that clients of Marquez's API gave a job, with its SQL under their key."""
    query = facet_text(facets, "sql", "query")
    return ({} if query is None else {"sql": query}) | facet_fields(facets, "context")


def used(uses: list[JobUse], direction: Direction) -> list[NameShape]:
    return [NameShape(use.namespace, use.name) for use in uses if use.direction == direction]
