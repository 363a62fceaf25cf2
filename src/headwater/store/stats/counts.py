"""How many there are of each thing."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select, union

from headwater.store import tables


class StoreCounts(NamedTuple):
    namespaces: int
    jobs: int
    datasets: int
    runs: int
    events: int


def count_all(connection: Connection) -> StoreCounts:
    """Count what is stored; cheap only while a store is small."""
    names = union(select(tables.dataset.c.namespace), select(tables.job.c.namespace)).subquery()
    counted = (names, tables.job, tables.dataset, tables.run, tables.event)
    queries = (select(func.count()).select_from(table) for table in counted)
    return StoreCounts(*(int(connection.execute(query).scalar() or 0) for query in queries))
