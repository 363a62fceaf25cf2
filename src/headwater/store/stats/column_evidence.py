"""Which jobs have SQL, and how the columns of jobs are known."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, func, literal, select, union_all

from headwater.emit.spec import INFERRING_AUTHOR
from headwater.model.relations import Direction, Slot
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store import tables
from headwater.store.query.paging import Page
from headwater.store.query.prepared import Prepared
from headwater.store.read.visibility.shown import UNLISTED_JOBS

# From the best: how the columns of a job's outputs are known, where any are.
OBSERVED, DECLARED, INFERRED, NONE = "observed", "declared", "inferred", "none"
_KINDS = (OBSERVED, DECLARED, INFERRED, NONE)

_HAS_SQL = (tables.facet.c.slot == int(Slot.JOB), tables.facet.c.name == "sql")


# A query in the place of a table, by its text: a facet of the dataset that stands for it.
QUERY_FACET = "headwater_query"
_IS_QUERY = (tables.facet.c.slot == int(Slot.DATASET), tables.facet.c.name == QUERY_FACET)


def all_queries(connection: Connection) -> list[bytes]:
    """Every dataset that stands for a query."""
    query = select(tables.facet.c.owner).where(*_IS_QUERY).distinct().order_by(tables.facet.c.owner)
    return [bytes(row[0]) for row in connection.execute(query)]


def all_sql_jobs(connection: Connection) -> list[bytes]:
    """Every job whose events ever had SQL."""
    query = select(tables.facet.c.owner).where(*_HAS_SQL).distinct().order_by(tables.facet.c.owner)
    return [bytes(row[0]) for row in connection.execute(query)]


_WITH_SQL = Prepared(
    lambda is_among: select(tables.facet.c.owner).where(is_among(tables.facet.c.owner), *_HAS_SQL)
)
_OUTPUTS = Prepared(
    lambda is_among: select(tables.job_dataset.c.dataset).where(
        is_among(tables.job_dataset.c.job),
        tables.job_dataset.c.direction == int(Direction.OUTPUT),
    )
)
_USERS = Prepared(
    lambda is_among: select(tables.job_dataset.c.job).where(is_among(tables.job_dataset.c.dataset))
)


def find_sql_jobs_near(
    connection: Connection, jobs: Iterable[bytes], datasets: Iterable[bytes]
) -> list[bytes]:
    """Those of some jobs with SQL, and of those that use what they write or other datasets: what
    is known of these may have changed."""
    touched = set(jobs)
    described = {*datasets, *(row[0] for row in _OUTPUTS.rows(connection, touched))}
    users = {row[0] for row in _USERS.rows(connection, described)}
    return sorted({row[0] for row in _WITH_SQL.rows(connection, touched | users)})


_QUERIES = Prepared(
    lambda is_among: select(tables.facet.c.owner).where(is_among(tables.facet.c.owner), *_IS_QUERY)
)
_USED = Prepared(
    lambda is_among: select(tables.job_dataset.c.dataset).where(is_among(tables.job_dataset.c.job))
)


def find_queries_near(
    connection: Connection, jobs: Iterable[bytes], datasets: Iterable[bytes]
) -> list[bytes]:
    """Those of some datasets, and of those that some jobs use, that stand for queries."""
    used = {*datasets, *(row[0] for row in _USED.rows(connection, set(jobs)))}
    return sorted({row[0] for row in _QUERIES.rows(connection, used)})


class JobColumns(NamedTuple):
    job: bytes
    namespace: str
    name: str
    kind: str


def _ranked() -> Any:
    """Each job that writes, with the best way its columns are known."""
    used, declared = tables.job_dataset, tables.declared_dataset
    nothing = (UNREPORTED, NO_CONTENT)
    is_inferred = declared.c.author == INFERRING_AUTHOR
    parts = union_all(
        select(used.c.job, case((used.c.columns.not_in(nothing), 0), else_=3).label("rank")).where(
            used.c.direction == int(Direction.OUTPUT)
        ),
        select(
            declared.c.job,
            case((declared.c.columns.in_(nothing), 3), (is_inferred, 2), else_=literal(1)).label(
                "rank"
            ),
        ).where(declared.c.direction == int(Direction.OUTPUT)),
    ).subquery("parts")
    return (
        select(parts.c.job, func.min(parts.c.rank).label("rank"))
        .where(parts.c.job.not_in(UNLISTED_JOBS))
        .group_by(parts.c.job)
        .subquery("ranked")
    )


def count_column_evidence(connection: Connection) -> dict[str, int]:
    """How many jobs that write anything have columns observed, declared, inferred, or none."""
    ranked = _ranked()
    query = select(ranked.c.rank, func.count()).group_by(ranked.c.rank)
    found = {_KINDS[rank]: count for rank, count in connection.execute(query)}
    return {kind: found.get(kind, 0) for kind in _KINDS}


def list_column_evidence(connection: Connection, kind: str, page: Page) -> list[JobColumns]:
    """Jobs whose columns are known in one way, by name."""
    ranked, job = _ranked(), tables.job
    query = (
        select(job.c.id, job.c.namespace, job.c.name)
        .join(ranked, ranked.c.job == job.c.id)
        .where(ranked.c.rank == _KINDS.index(kind))
        .order_by(job.c.namespace, job.c.name)
        .limit(page.limit)
        .offset(page.offset)
    )
    return [JobColumns(bytes(row[0]), row[1], row[2], kind) for row in connection.execute(query)]
