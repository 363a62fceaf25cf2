"""`/jobs/runs/{id}` and a job's runs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from headwater.model.relations import Slot
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import raw_facets
from headwater.server.marquez.shapes.examples import RUN
from headwater.server.marquez.shapes.runs import RunFacets, RunList, RunShape, read_run_shapes
from headwater.server.openapi.document import answers
from headwater.store.read.facets import read_facets
from headwater.store.read.jobs import find_job, read_names
from headwater.store.read.runs import count_runs, find_run, list_runs

router = APIRouter(tags=["runs"])

_FACETS = RunFacets(RUN.id, {"nominalTime": {"nominalStartTime": "2026-01-31T00:00:00Z"}})


@router.get("/jobs/runs/{run_id:name}", responses=answers(RunShape, RUN, 404))
def get_run(run_id: str, connection: ReadConnection) -> Response:
    """Get a run: its state, times, facets, and what it read and wrote."""
    run = found(find_run(connection, run_id), "run", run_id)
    names = read_names(connection, [run.job] if run.job else [])
    return json_response(read_run_shapes(connection, [run], names)[0])


@router.get("/jobs/runs/{run_id:name}/facets", responses=answers(RunFacets, _FACETS, 400, 404))
def get_run_facets(
    run_id: str,
    connection: ReadConnection,
    type: Annotated[Literal["run", "job"], Query(description="Whose facets.")],
) -> Response:
    """Get the facets of a run, or those of its job."""
    run = found(find_run(connection, run_id), "run", run_id)
    owner, slot = (run.key, Slot.RUN) if type == "run" else (run.job, Slot.JOB)
    facets = read_facets(connection, [owner], slot).get(owner, {}) if owner else {}
    return json_response(RunFacets(run.id, raw_facets(facets)))


@router.get(
    "/namespaces/{namespace:name}/jobs/{job:name}/runs",
    responses=answers(RunList, RunList([RUN], 1), 400, 404),
)
def get_runs(namespace: str, job: str, connection: ReadConnection, page: Paging) -> Response:
    """List a job's runs, newest first."""
    requested = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    runs = list_runs(connection, requested.id, page)
    names = {requested.id: (requested.namespace, requested.name)}
    total = count_runs(connection, requested.id)
    return json_response(RunList(read_run_shapes(connection, runs, names), total))
