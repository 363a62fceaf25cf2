"""How the columns of jobs are known: observed, declared, inferred from SQL or not, and why."""

from typing import Any

from headwater.answers.inferred.jobs import FACET
from headwater.graph.node_id import job_node_id
from headwater.model.relations import Slot
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.read.facets import NO_FIELDS, read_facet_fields
from headwater.store.stats.column_evidence import (
    DECLARED,
    INFERRED,
    NONE,
    OBSERVED,
    count_column_evidence,
    list_column_evidence,
)

COLUMNS_KNOWN = (OBSERVED, DECLARED, INFERRED, NONE)


def columns_of_jobs(connection: Connection, kind: str, page: Page) -> dict[str, Any]:
    """The counts of all jobs that write anything, and a page of those of one kind."""
    counts = count_column_evidence(connection)
    jobs = list_column_evidence(connection, kind, page)
    facets = read_facet_fields(connection, [job.job for job in jobs], Slot.JOB, {"sql", FACET})
    shapes = [
        {
            "namespace": job.namespace,
            "name": job.name,
            "id": job_node_id(job.namespace, job.name),
            "columns": kind,
            "reasons": _reasons(facets.get(job.job, NO_FIELDS).by_facet, kind),
        }
        for job in jobs
    ]
    return {"jobs": shapes, "counts": counts, "totalCount": counts[kind]}


def _reasons(facets: dict[str, dict[str, Any]], kind: str) -> list[str]:
    """Why no columns, or not all of them, could be derived."""
    if kind in (OBSERVED, DECLARED):
        return []
    if not isinstance(facets.get("sql", {}).get("query"), str):
        return ["The job reports neither column lineage nor SQL"]
    problems = facets.get(FACET, {}).get("problems")
    if isinstance(problems, list):
        return [str(problem) for problem in problems]
    return ["Its SQL has not been read yet"]
