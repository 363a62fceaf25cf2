"""What an event states of its job, its run, and the runs above it."""

from headwater.model.event import TERMINAL, EventType
from headwater.model.project.projection import Projection
from headwater.model.project.same_runs import SAME_RUN, same_run_facet
from headwater.model.relations import JobRow, RunRow, Slot
from headwater.model.values.ids import is_uuid, namespace_id


def project_job(projection: Projection) -> None:
    """The job and its facets; its parent comes from the run's facet."""
    job = projection.event.job
    assert job is not None and projection.job is not None
    for name, facet in projection.job_facets.items():
        projection.add_facet(projection.job, Slot.JOB, name, facet)
    at, parent = projection.at, projection.parent
    projection.facts.add(
        "job",
        JobRow(
            projection.job,
            namespace_id(job.namespace),
            job.namespace,
            job.name,
            at,
            at,
            parent.parent.job if parent else None,
            projection.stamp if parent else None,
        ),
    )


def project_run(projection: Projection) -> None:
    """The run: the times of its events, its state and its parent."""
    event = projection.event
    assert event.run is not None and projection.run is not None
    for name, facet in projection.run_facets.items():
        projection.add_facet(projection.run, Slot.RUN, name, facet)
    is_other = projection.run != projection.reported_run
    if is_other and projection.reported_run is not None:
        # By this the run is found by the id that its producer gave it.
        facet = same_run_facet(projection.run)
        projection.add_facet(projection.reported_run, Slot.RUN, SAME_RUN, facet)
    at, stamp, kind, parent = projection.at, projection.stamp, event.type, projection.parent
    is_start = kind is EventType.START
    is_terminal = kind in TERMINAL
    root = parent.root if parent else None
    nominal = projection.run_facets.get("nominalTime")
    times = nominal.meaning if nominal else None
    code = projection.job_facets.get("sourceCodeLocation")
    sql = projection.job_facets.get("sql")
    projection.facts.add(
        "run",
        RunRow(
            projection.run,
            None if is_other or is_uuid(event.run.runId) else event.run.runId,
            projection.job,
            stamp,
            parent.parent.id if parent else None,
            parent.parent.job if parent else None,
            root.id if root else None,
            root.job if root else None,
            stamp if parent else None,
            at,
            at,
            at if is_start else None,
            at if is_start else None,
            at if kind is EventType.RUNNING else None,
            at if kind is EventType.RUNNING else None,
            at if "run_dataset" in projection.facts.rows else None,
            int(kind) if is_terminal else None,
            stamp if is_terminal else None,
            times[0] if times else None,
            times[1] if times else None,
            stamp if times else None,
            code.digest if code else None,
            stamp if code else None,
            sql.digest if sql else None,
            stamp if sql else None,
        ),
    )


def project_parents(projection: Projection) -> None:
    """The runs and jobs a parent facet names, so that they can be shown by name."""
    parent, at = projection.parent, projection.at
    for named in (parent.parent, parent.root) if parent else ():
        if named is None or named.id == projection.run:
            continue
        names = (namespace_id(named.job_namespace), named.job_namespace, named.job_name)
        projection.facts.add("job", JobRow(named.job, *names, at, at))
        projection.facts.add("run", RunRow(named.id, named.name, named.job, projection.stamp))
