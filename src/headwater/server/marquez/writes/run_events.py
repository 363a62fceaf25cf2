"""What a client says of a run: no edit but an OpenLineage event, as its producer would send it."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from headwater import __version__
from headwater.errors import NotFound
from headwater.server.editing import Editor
from headwater.store.jobs import read_names
from headwater.store.runs import find_run

PRODUCER = f"https://headwater.example/api/{__version__}"
# The facet in which a run keeps the arguments that it was made with.
RUN_ARGS = "headwater_args"
_SPEC = "https://openlineage.io/spec"

Json = dict[str, Any]
Name = tuple[str, str]


def find_run_job(connection: Connection, run_id: str) -> Name:
    """The namespace and name of the job that a run is of."""
    run = find_run(connection, run_id)
    job = read_names(connection, [run.job]).get(run.job) if run and run.job else None
    if job is None:
        raise NotFound("run", run_id)
    return job


def run_event(
    editor: Editor, type: str, run_id: str, job: Name, facets: Mapping[str, Json] = {}
) -> Json:
    """An event of a run; who said so is a facet of it."""
    told = {"headwater_actor": {"name": editor.actor}, **facets}
    return {
        "eventType": type,
        "producer": PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": run_id,
            "facets": {
                name: {"_producer": PRODUCER, "_schemaURL": _schema_url(name), **facet}
                for name, facet in told.items()
            },
        },
        "job": {"namespace": job[0], "name": job[1]},
    }


def _schema_url(name: str) -> str:
    if name == "nominalTime":
        kind = "NominalTimeRunFacet"
        return f"{_SPEC}/facets/1-0-1/{kind}.json#/$defs/{kind}"
    return f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunFacet"
