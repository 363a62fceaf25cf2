"""The job that a job is part of, and those that are part of it."""

from headwater.answers.results import FamilyJob, JobFamily, NodeName
from headwater.graph.node_id import ParsedNodeId, job_node_id
from headwater.model.run_states import state_of
from headwater.model.uses import NOW
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.lineage.newest_runs import NewestRun, read_newest_runs
from headwater.store.read.jobs import JobRecord, list_children, read_jobs


def family_shape(connection: Connection, node: ParsedNodeId, limit: int) -> JobFamily:
    """The children by name, as many as requested, and a count of all."""
    own = read_jobs(connection, [node.id])[node.id]
    parents = read_jobs(connection, [own.parent] if own.parent else [])
    children, total = list_children(connection, own.id, limit)
    runs = read_newest_runs(connection, [*parents, *(child.id for child in children)], NOW)
    return JobFamily(
        NodeName(job_node_id(own.namespace, own.name), own.namespace, own.name),
        next((_shape(parent, runs) for parent in parents.values()), None),
        [_shape(child, runs) for child in children],
        total,
    )


def _shape(job: JobRecord, runs: dict[bytes, NewestRun]) -> FamilyJob:
    run = runs.get(job.id)
    return FamilyJob(
        job_node_id(job.namespace, job.name),
        job.namespace,
        job.name,
        state_of(run)[0] if run is not None else None,
        None if job.last_seen is None else format_instant(job.last_seen),
    )
