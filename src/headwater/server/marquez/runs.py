"""`/jobs/runs/{id}` and a job's runs."""

from fastapi import APIRouter, Response

from headwater.model.relations import Slot
from headwater.server.marquez.shapes import run_shape, run_uses_shape
from headwater.server.routing import Paging, Reading, found, json_response
from headwater.store.contents import read_contents, read_facets
from headwater.store.jobs import find_job, read_names
from headwater.store.runs import find_run, list_run_uses, list_runs

router = APIRouter(tags=["runs"])


@router.get("/jobs/runs/{run_id:name}")
def get_run(run_id: str, connection: Reading) -> Response:
    """Get a run: its state, times, facets, and what it read and wrote."""
    run = found(find_run(connection, run_id), "run", run_id)
    facets = read_facets(connection, [run.key], Slot.RUN)
    uses = list_run_uses(connection, [run.key])
    contents = read_contents(connection, (use.statistics for use in uses))
    job = read_names(connection, [run.job]).get(run.job) if run.job else None
    return json_response(
        run_shape(run, facets.get(run.key, {}), job) | run_uses_shape(uses, contents)
    )


@router.get("/namespaces/{namespace:name}/jobs/{job:name}/runs")
def get_runs(namespace: str, job: str, connection: Reading, page: Paging) -> Response:
    """List a job's runs, newest first."""
    wanted = found(find_job(connection, namespace, job), "job", f"{namespace}/{job}")
    runs = list_runs(connection, wanted.id, page)
    facets = read_facets(connection, (run.key for run in runs), Slot.RUN)
    shapes = [run_shape(run, facets.get(run.key, {}), (namespace, job)) for run in runs]
    return json_response({"runs": shapes})
