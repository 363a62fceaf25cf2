"""`/namespaces/{ns}/jobs`."""

from fastapi import APIRouter, Response
from sqlalchemy import Connection

from headwater.graph.view import View, Visit
from headwater.model.relations import Direction, Slot
from headwater.model.uses import NOW
from headwater.server.marquez.shapes import JobUse, Shape, job_shape, run_shape
from headwater.server.routing import Paging, Reading, found, json_response
from headwater.store.contents import read_facets
from headwater.store.graph_reader import StoreReader
from headwater.store.jobs import Job, find_job, list_jobs, read_names
from headwater.store.namespaces import find_namespace
from headwater.store.paging import Page
from headwater.store.runs import list_runs

router = APIRouter(tags=["jobs"])

_LATEST_RUNS = Page(limit=10, offset=0)


@router.get("/namespaces/{namespace:name}/jobs")
def get_jobs(namespace: str, connection: Reading, page: Paging) -> Response:
    """List a namespace's jobs by name, each with its latest runs."""
    found(find_namespace(connection, namespace), "namespace", namespace)
    jobs, total = list_jobs(connection, namespace, page)
    return json_response({"jobs": _shapes(connection, jobs), "totalCount": total})


@router.get("/namespaces/{namespace:name}/jobs/{job:name}")
def get_job(namespace: str, job: str, connection: Reading) -> Response:
    """Get a job: what it reads and writes now, and its latest runs."""
    wanted = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    return json_response(_shapes(connection, [wanted])[0])


def _shapes(connection: Connection, jobs: list[Job]) -> list[Shape]:
    facets = read_facets(connection, (job.id for job in jobs), Slot.JOB)
    uses = read_uses(connection, [job.id for job in jobs])
    names = read_names(connection, (job.parent for job in jobs if job.parent))
    runs = {job.id: list_runs(connection, job.id, _LATEST_RUNS) for job in jobs}
    run_facets = read_facets(
        connection, (run.key for some in runs.values() for run in some), Slot.RUN
    )
    return [
        job_shape(
            job,
            facets.get(job.id, {}),
            uses[job.id],
            [
                run_shape(run, run_facets.get(run.key, {}), (job.namespace, job.name))
                for run in runs[job.id]
            ],
            names.get(job.parent) if job.parent else None,
        )
        for job in jobs
    ]


def read_uses(connection: Connection, jobs: list[bytes]) -> dict[bytes, list[JobUse]]:
    """Read what jobs use now: what their newest executions used, and what is declared of them."""
    reader = StoreReader(connection)
    view = View(reader, NOW)
    visits = [Visit(job) for job in jobs]
    links = {way: view.links(visits, way) for way in (Direction.INPUT, Direction.OUTPUT)}
    names = reader.dataset_names(
        link.dataset for found in links.values() for some in found.values() for link in some
    )
    return {
        job: sorted(
            (
                JobUse(way, link.dataset, *names[link.dataset])
                for way, found in links.items()
                for link in found[Visit(job)]
            ),
            key=lambda use: (use.direction, use.namespace, use.name),
        )
        for job in jobs
    }
