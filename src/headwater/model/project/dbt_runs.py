"""What is one in dbt, whoever reports it: the run of a job in one call of dbt, by the call's id."""

from uuid import UUID, uuid5

import msgspec

from headwater.model import facets
from headwater.model.facet_readers import Facet, NamedRun, Parent
from headwater.model.values.ids import run_key

# The run facet of dbt-ol, and of the collector.
DBT_RUN = "dbt_run"
_PROJECT_JOB = "dbt-run-"


class _DbtRun(msgspec.Struct):
    invocation_id: str = ""


class _JobType(msgspec.Struct):
    jobType: str = ""


_DBT_RUN = facets.decoder(_DbtRun)
_JOB_TYPE = facets.decoder(_JobType)


def dbt_run_id(invocation: UUID, namespace: str, job: str) -> str:
    """The run of a job in one call of dbt: a call runs each node once."""
    return str(uuid5(invocation, f"{namespace}\n{job}"))


def read_invocation(body: bytes) -> UUID | None:
    """The id of the call that the content of a run's facet names; None where it names none."""
    found: _DbtRun | None = facets.read(_DBT_RUN, body)
    try:
        return UUID(found.invocation_id) if found else None
    except ValueError:
        return None


def is_project_run(job: str, job_type: Facet | None) -> bool:
    """Whether a job is all that dbt is called for: what is above its run is no part of the call."""
    found: _JobType | None = facets.read(_JOB_TYPE, job_type.body) if job_type else None
    return found.jobType.upper() == "JOB" if found else job.startswith(_PROJECT_JOB)


def join_parent(invocation: UUID, stated: Parent) -> Parent:
    """The runs above that of a node: those of the same call by its id, as their own events are."""
    root = stated.root
    if root is not None and (root == stated.parent or root.job_name.startswith(_PROJECT_JOB)):
        root = _joined(invocation, root)
    return Parent(_joined(invocation, stated.parent), root)


def _joined(invocation: UUID, run: NamedRun) -> NamedRun:
    namespace, name = run.job_namespace, run.job_name
    id = run_key(namespace, name, dbt_run_id(invocation, namespace, name))
    return run._replace(id=id, name=None)
