"""What a client says of a run: no edit but an OpenLineage event, as its producer would send it."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from headwater.errors import NotFound
from headwater.model.spec import RUN_EVENT, RUN_FACET, facet_schema, producer
from headwater.server.edits.writes import Editor
from headwater.store.read.jobs import read_names
from headwater.store.read.runs import find_run

PRODUCER = producer("api")

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
        "schemaURL": RUN_EVENT,
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
    return facet_schema("NominalTimeRunFacet") if name == "nominalTime" else RUN_FACET
