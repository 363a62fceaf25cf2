"""What refers to content: the only list of the columns that hold a digest."""

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import Connection, except_, func, select

from headwater.store import tables
from headwater.store.query.paging import in_parts

REFERENCES = (
    *(tables.run_dataset.c[name] for name in ("schema", "columns", "version", "statistics")),
    *(tables.job_dataset.c[name] for name in ("schema", "columns")),
    *(tables.declared_dataset.c[name] for name in ("schema", "columns")),
    tables.facet.c.digest,
    tables.edit_value.c.digest,
    *(tables.run.c[name] for name in ("code", "sql")),
    tables.reported_gaps.c.gaps,
)


def list_unreferenced(connection: Connection) -> list[bytes]:
    """List the content that nothing refers to, in the order of its digests."""
    # One chain, which both databases read from left to right, each part once.
    query = except_(
        select(tables.content.c.digest),
        *(select(column).where(column.is_not(None)) for column in REFERENCES),
    )
    return sorted(connection.execute(query).scalars())


def count_references(connection: Connection, digests: Iterable[bytes]) -> Counter[bytes]:
    """Count how often each digest is referred to; those that never are have no count."""
    counts: Counter[bytes] = Counter()
    for part in in_parts(digests):
        for column in REFERENCES:
            query = select(column, func.count()).where(column.in_(part)).group_by(column)
            for digest, count in connection.execute(query):
                counts[digest] += count
    return counts
