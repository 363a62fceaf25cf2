"""`/namespaces/{ns}/jobs/{j}/versions`: what a job read and wrote, and the code it ran."""

from collections.abc import Mapping
from typing import NamedTuple

from fastapi import APIRouter, Response

from headwater.model.relations import Direction, Slot
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.jobs import read_uses
from headwater.server.marquez.shapes.common import (
    VersionId,
    facet_text,
    instant_or_none,
    job_version,
    raw_facets,
    text_of,
)
from headwater.server.marquez.shapes.examples import JOB_VERSION
from headwater.server.marquez.shapes.jobs import (
    JobVersionList,
    JobVersionShape,
    context_of,
    named_uses,
    used,
)
from headwater.server.marquez.shapes.runs import RunShape, read_run_shapes
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.lineage.newest_runs import NewestRun, read_latest_runs
from headwater.store.read.content_cache import FIELDS
from headwater.store.read.datasets import read_dataset_names
from headwater.store.read.facets import read_facets
from headwater.store.read.job_versions import read_footprints
from headwater.store.read.jobs import JobRecord, find_job
from headwater.store.read.runs import read_runs

router = APIRouter(tags=["jobs"])

_PATH = "/namespaces/{namespace:name}/jobs/{job:name}/versions"


class _Version(NamedTuple):
    """A state of a job, since when, and the newest run that was in it."""

    id: str
    since: int | None
    uses: frozenset[tuple[int, bytes]]
    location: str | None
    run: bytes | None


@router.get(_PATH, responses=answers(JobVersionList, JobVersionList([JOB_VERSION], 1), 400, 404))
def get_job_versions(
    namespace: str, job: str, connection: ReadConnection, page: Paging
) -> Response:
    """List the versions of a job, newest first, derived from its newest 5,000 runs."""
    requested = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    facets = read_facets(connection, [requested.id], Slot.JOB).get(requested.id, {})
    versions = _list_versions(connection, requested, facets)
    shown = versions[page.offset : page.offset + page.limit]
    return json_response(
        JobVersionList(_shapes(connection, requested, facets, shown, versions), len(versions))
    )


@router.get(_PATH + "/{version:name}", responses=answers(JobVersionShape, JOB_VERSION, 404))
def get_job_version(namespace: str, job: str, version: str, connection: ReadConnection) -> Response:
    """Get a version of a job."""
    requested = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    facets = read_facets(connection, [requested.id], Slot.JOB).get(requested.id, {})
    versions = _list_versions(connection, requested, facets)
    same = (each for each in versions if each.id == version.lower())
    known = found(next(same, None), "version", version)
    return json_response(_shapes(connection, requested, facets, [known], versions)[0])


def _list_versions(
    connection: Connection, job: JobRecord, facets: Mapping[str, bytes]
) -> list[_Version]:
    """What is so now, then what the newest runs did before, the latest first."""
    footprints = read_footprints(connection, job.id)
    locations = FIELDS.read(connection, (each.code for each in footprints))
    versions: dict[str, _Version] = {}
    for each in footprints:
        location = text_of(locations.get(each.code or b"", {}), "url")
        id = job_version(job.id, each.uses, location)
        newer = versions.get(id)
        run = newer.run if newer else each.run
        versions[id] = _Version(id, each.first_event, each.uses, location, run)
    now = _current(connection, job, facets)
    others = [version for version in versions.values() if version.id != now.id]
    others.sort(key=lambda version: (version.since or 0, version.id), reverse=True)
    return [versions.get(now.id, now), *others]


def _current(connection: Connection, job: JobRecord, facets: Mapping[str, bytes]) -> _Version:
    """The job as it is shown now, which may be what several runs did together, or a design."""
    uses = frozenset(
        (use.direction, use.dataset) for use in read_uses(connection, [job.id])[job.id]
    )
    location = facet_text(facets, "sourceCodeLocation", "url")
    rows = read_latest_runs(connection, [job.id]).get(job.id, ())
    latest = NewestRun._make(rows[0]) if rows else None
    since, run = (latest.first_event, latest.id) if latest else (job.last_seen, None)
    return _Version(job_version(job.id, uses, location), since, uses, location, run)


def _shapes(
    connection: Connection,
    job: JobRecord,
    facets: Mapping[str, bytes],
    shown: list[_Version],
    versions: list[_Version],
) -> list[JobVersionShape]:
    names = read_dataset_names(connection, {id for each in shown for _, id in each.uses})
    runs = read_runs(connection, {each.run for each in shown if each.run})
    jobs = {job.id: (job.namespace, job.name)}
    read = read_run_shapes(connection, runs.values(), jobs)
    by_key = dict(zip(runs, read, strict=True))
    return [
        _shape(job, facets if each is versions[0] else {}, each, names, by_key) for each in shown
    ]


def _shape(
    job: JobRecord,
    facets: Mapping[str, bytes],
    version: _Version,
    names: Mapping[bytes, tuple[str, str]],
    runs: Mapping[bytes, RunShape],
) -> JobVersionShape:
    uses = named_uses(version.uses, names)
    return JobVersionShape(
        VersionId(job.namespace, job.name, version.id),
        job.name,
        job.namespace,
        version.id,
        instant_or_none(version.since),
        used(uses, Direction.INPUT),
        used(uses, Direction.OUTPUT),
        version.location,
        context_of(facets),
        runs.get(version.run or b""),
        raw_facets(facets),
    )
