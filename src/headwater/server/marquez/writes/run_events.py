"""Changes of a run by a client: OpenLineage events, as its producer would send them."""

from collections.abc import Mapping
from typing import Any

from headwater.emit.events import Producer
from headwater.errors import NotFound
from headwater.server.edits.writes import Editor
from headwater.store.engine import Connection
from headwater.store.read.jobs import read_names
from headwater.store.read.runs import find_run

API = Producer.of_part("api")

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
    """An event of a run, with the actor who reported it as a facet."""
    run_facets = {"headwater_actor": API.run_facet(name=editor.actor)}
    run_facets |= {name: _facet(name, values) for name, values in facets.items()}
    run = {"runId": run_id, "facets": run_facets}
    event = API.run_event(type, {"namespace": job[0], "name": job[1]}, run)
    # The editor sets it: no two of its writes are of the same time.
    del event["eventTime"]
    return event


def _facet(name: str, values: Json) -> Json:
    if name == "nominalTime":
        return API.facet("NominalTimeRunFacet", **values)
    return API.run_facet(**values)
