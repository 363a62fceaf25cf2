"""Which events are of one run though their producers gave it ids of their own: by a system's id."""

from collections.abc import Mapping
from uuid import UUID

import msgspec

from headwater.model import facets
from headwater.model.facet_readers import Facet, Parent
from headwater.model.project.dbt_runs import (
    DBT_RUN,
    dbt_run_id,
    is_project_run,
    join_parent,
    read_invocation,
)
from headwater.model.project.flink_runs import FLINK_JOB, run_key_of
from headwater.model.values.ids import digest, run_key

# The run facets in which systems name their own runs.
SYSTEM_FACETS = (FLINK_JOB, DBT_RUN)
# Of a run by the id that its producer gave it: the run that it is. No event has this facet.
SAME_RUN = "headwater_same_run"


class _SameRun(msgspec.Struct):
    runId: str


_SAME_RUN = facets.decoder(_SameRun)


def find_same_run(namespace: str, job: str, run_facets: Mapping[str, bytes]) -> bytes | None:
    """The key of the run that a job's run is, by the content of its facets; None: its own."""
    if (flink := run_facets.get(FLINK_JOB)) is not None:
        return run_key_of(flink)
    invocation = _invocation(run_facets)
    if invocation is None:
        return None
    return run_key(namespace, job, dbt_run_id(invocation, namespace, job))


def join_parents(
    parent: Parent | None, job: str, job_type: Facet | None, run_facets: Mapping[str, bytes]
) -> Parent | None:
    """The runs above a run, keyed as their own events are."""
    invocation = _invocation(run_facets)
    if parent is None or invocation is None or is_project_run(job, job_type):
        return parent
    return join_parent(invocation, parent)


def same_run_facet(run: bytes) -> Facet:
    body = msgspec.json.encode({"runId": str(UUID(bytes=run))})
    return Facet(digest(body), body)


def read_same_run(body: bytes) -> bytes | None:
    found: _SameRun | None = facets.read(_SAME_RUN, body)
    return run_key("", "", found.runId) if found else None


def _invocation(run_facets: Mapping[str, bytes]) -> UUID | None:
    body = run_facets.get(DBT_RUN)
    return read_invocation(body) if body is not None else None
