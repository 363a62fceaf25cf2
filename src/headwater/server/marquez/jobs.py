"""`/jobs` and `/namespaces/{ns}/jobs`."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import msgspec
from fastapi import APIRouter, Depends, Query, Response
from msgspec import Raw

from headwater.errors import InvalidRequest
from headwater.graph.view import View, Visit
from headwater.model.gaps import Gaps
from headwater.model.relations import Direction, Slot
from headwater.model.run_states import RUN_STATES
from headwater.model.uses import NOW
from headwater.model.values.memo import Memo
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import memo_key
from headwater.server.marquez.shapes.examples import JOB
from headwater.server.marquez.shapes.jobs import (
    JobList,
    JobShape,
    JobUse,
    Names,
    job_shape,
    named_uses,
)
from headwater.server.marquez.shapes.runs import run_shape
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.lineage import uses
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.lineage.newest_runs import NewestRun, RunRow, read_latest_runs
from headwater.store.read.datasets import read_dataset_names
from headwater.store.read.facets import (
    NOTHING,
    Rows,
    Stated,
    facets_of,
    read_bodies,
    read_facet_rows,
    read_stated,
)
from headwater.store.read.jobs import JobOrder, JobRecord, find_job, list_jobs, read_names
from headwater.store.read.namespaces import has_namespace
from headwater.store.read.runs import make_run

router = APIRouter(tags=["jobs"])

# Jobs as they were shown last, and their runs: of ten, one is new when a job has run again. Their
# keys are all that goes into them: none can be stale.
_SHOWN: Memo[Raw] = Memo(16_000_000)
_RUNS: Memo[Raw] = Memo(8_000_000)
# Jobs that are read at once: what some thousand uses of each take is let go before the next.
_AT_ONCE = 25


def last_run_states(
    lastRunStates: Annotated[
        list[str] | None,
        Query(description=f"Only jobs whose newest run is in one of: {', '.join(RUN_STATES)}."),
    ] = None,
) -> list[str]:
    """States of runs, with commas between them or one a parameter."""
    states = [state for text in lastRunStates or () for state in text.split(",") if state]
    for state in states:
        if state.upper() not in RUN_STATES:
            known = ", ".join(RUN_STATES)
            raise InvalidRequest(
                "lastRunStates", f"'{state}' is not a run state; use one of {known}"
            )
    return [state.upper() for state in states]


States = Annotated[list[str], Depends(last_run_states)]
Sort = Annotated[JobOrder, Query(description="By name, or by last update, newest first.")]
_JOBS = answers(JobList, JobList([JOB], 1), 400, 404)


@router.get("/jobs", responses=_JOBS)
def get_all_jobs(
    connection: ReadConnection, page: Paging, states: States, sort: Sort = "updated_at"
) -> Response:
    """List the jobs of all namespaces, by last update, newest first."""
    jobs, total = list_jobs(connection, None, page, states, sort)
    shown: Any = _shown(connection, jobs)
    return json_response(JobList(shown, total))


@router.get("/namespaces/{namespace:name}/jobs", responses=_JOBS)
def get_jobs(
    namespace: str,
    connection: ReadConnection,
    page: Paging,
    states: States,
    sort: Sort = "name",
) -> Response:
    """List a namespace's jobs by name, each with its latest runs."""
    found(has_namespace(connection, namespace) or None, "namespace", namespace)
    jobs, total = list_jobs(connection, namespace, page, states, sort)
    shown: Any = _shown(connection, jobs)
    return json_response(JobList(shown, total))


@router.get("/namespaces/{namespace:name}/jobs/{job:name}", responses=answers(JobShape, JOB, 404))
def get_job(namespace: str, job: str, connection: ReadConnection) -> Response:
    """Get a job: its current inputs and outputs, and its latest runs.

    A job with a parent is found as `parent.child`, and as `child` if that is unique.
    """
    requested = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    return json_response(_shown(connection, [requested])[0])


class _Known(NamedTuple):
    """All that goes into what is shown of a job."""

    job: JobRecord
    stated: tuple[object, ...]
    uses: tuple[tuple[int, bytes], ...]
    parent: tuple[str, str] | None
    runs: tuple[RunRow, ...]
    run_facets: tuple[Rows, ...]
    gaps: Gaps


def _shown(connection: Connection, jobs: list[JobRecord]) -> list[Raw]:
    """Jobs as they are written, all together with as many uses as one answer may have."""
    parts = [jobs[start : start + _AT_ONCE] for start in range(0, len(jobs), _AT_ONCE)]
    reader = StoreReader(connection, uses.MOST_USES // max(len(parts), 1))
    return [shown for part in parts for shown in _show(connection, reader, part)]


def _show(connection: Connection, reader: StoreReader, jobs: list[JobRecord]) -> list[Raw]:
    """Jobs as they are written; those that have not changed since were written before."""
    ids = [job.id for job in jobs]
    stated = read_stated(connection, ids, Slot.JOB)
    view = View(reader, NOW)
    used = _read_used(view, ids)
    gaps = view.gaps(map(Visit, ids))
    parents = read_names(connection, {job.parent for job in jobs if job.parent})
    runs = read_latest_runs(connection, ids)
    every_run = (run[0] for some in runs.values() for run in some)
    run_facets = read_facet_rows(connection, every_run, Slot.RUN)
    known = [
        _Known(
            job,
            stated.get(job.id, NOTHING).key,
            used[job.id],
            parents.get(job.parent) if job.parent else None,
            its_runs := runs.get(job.id, ()),
            tuple([run_facets.get(run[0], ()) for run in its_runs]),
            gaps.get(job.id, ()),
        )
        for job in jobs
    ]
    keys = [memo_key(each) for each in known]
    shown = [_SHOWN.get(key) for key in keys]
    missing = [place for place, body in enumerate(shown) if body is None]
    needed = [stated.get(jobs[place].id, NOTHING).rows for place in missing]
    needed += [rows for place in missing for rows in known[place].run_facets]
    bodies = read_bodies(connection, needed)
    names = read_dataset_names(
        connection, {dataset for place in missing for _, dataset in known[place].uses}
    )
    for place in missing:
        words = stated.get(jobs[place].id, NOTHING)
        body = msgspec.json.encode(_shape(known[place], words, bodies, names))
        shown[place] = Raw(body)
        _SHOWN.put(keys[place], Raw(body), len(body))
    return [body for body in shown if body is not None]


def _shape(known: _Known, stated: Stated, bodies: Mapping[bytes, bytes], names: Names) -> JobShape:
    job = known.job
    runs: Any = [
        _run(row, facets, bodies, (job.namespace, job.name))
        for row, facets in zip(known.runs, known.run_facets, strict=True)
    ]
    named = named_uses(known.uses, names)
    return job_shape(job, stated.facets(bodies), named, runs, known.parent, known.gaps)


def _run(row: RunRow, facets: Rows, bodies: Mapping[bytes, bytes], job: tuple[str, str]) -> Raw:
    """A run as it is written, without the datasets it used."""
    key = memo_key((row, facets))
    if (shown := _RUNS.get(key)) is None:
        run = make_run(NewestRun._make(row))
        body = msgspec.json.encode(run_shape(run, facets_of(facets, bodies), job))
        shown = Raw(body)
        _RUNS.put(key, shown, len(body))
    return shown


def read_uses(connection: Connection, jobs: list[bytes]) -> dict[bytes, list[JobUse]]:
    """Read what jobs use now: what their newest executions used, and what is declared of them."""
    used = _read_used(View(StoreReader(connection), NOW), jobs)
    names = read_dataset_names(connection, {id for some in used.values() for _, id in some})
    return {job: named_uses(some, names) for job, some in used.items()}


def _read_used(view: View, jobs: list[bytes]) -> dict[bytes, tuple[tuple[int, bytes], ...]]:
    """The same by direction and id."""
    visits = [Visit(job) for job in jobs]
    inputs, outputs = (view.links(visits, way) for way in (Direction.INPUT, Direction.OUTPUT))
    return {
        visit.job: (
            *((int(Direction.INPUT), link.dataset) for link in inputs[visit]),
            *((int(Direction.OUTPUT), link.dataset) for link in outputs[visit]),
        )
        for visit in visits
    }
