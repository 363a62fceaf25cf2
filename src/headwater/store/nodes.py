"""Finding nodes: by names that are like a text, or all of them."""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, case, func, literal, or_, select, union, union_all

from headwater.store import tables
from headwater.store.datasets import IS_SHOWN
from headwater.store.entities import is_shown


class Node(NamedTuple):
    """A dataset or job by name."""

    kind: str
    id: bytes
    namespace: str
    name: str


_SHOWN = {"dataset": IS_SHOWN, "job": is_shown(tables.job, tables.job.c.last_seen)}
_KINDS = (("dataset", tables.dataset), ("job", tables.job))


def find_like(connection: Connection, text: str, limit: int) -> list[Node]:
    """Find nodes by name: the same, then ending so, beginning so, holding it; shortest first.

    `NAMESPACE|NAME`, and any last part of that, finds one in its namespace.
    """
    wanted = text.strip()
    if not wanted or "\0" in wanted:
        return []
    queries = [_like(kind, table, wanted) for kind, table in _KINDS]
    every = union_all(*queries).subquery()
    order = (every.c.rank, func.length(every.c.name), every.c.name, every.c.namespace, every.c.kind)
    rows = connection.execute(select(every).order_by(*order).limit(limit)).all()
    return [Node(*row[:4]) for row in rows]


def _like(kind: str, table: Table, text: str) -> Any:
    """Without regard to case, as far as the database knows it; what is the same counts anyway."""
    name, whole = table.c.name, table.c.namespace + "|" + table.c.name
    forms = [(name, whole, text), (func.lower(name), func.lower(whole), text.lower())]
    rank = case(
        (or_(*(or_(own == wanted, full == wanted) for own, full, wanted in forms)), 0),
        (or_(*(own.endswith(wanted, autoescape=True) for own, _, wanted in forms)), 1),
        (or_(*(own.startswith(wanted, autoescape=True) for own, _, wanted in forms)), 2),
        else_=3,
    )
    is_like = or_(*(full.contains(wanted, autoescape=True) for _, full, wanted in forms))
    return select(
        literal(kind).label("kind"),
        table.c.id,
        table.c.namespace,
        table.c.name,
        rank.label("rank"),
    ).where(is_like, _SHOWN[kind])


def list_ids(connection: Connection, at: int, most: int) -> tuple[list[bytes], list[bytes]]:
    """List jobs and datasets first heard of by a time, in the order of their ids."""
    job, used, said = tables.job, tables.job_dataset, tables.declared_dataset
    jobs = select(job.c.id).where(job.c.first_seen <= at).order_by(job.c.id).limit(most)
    datasets = union(
        select(used.c.dataset).where(used.c.first_seen <= at),
        select(said.c.dataset).where(said.c.first_said <= at),
    ).limit(most)
    found = connection.execute(jobs).scalars().all(), connection.execute(datasets).scalars().all()
    return list(found[0]), sorted(found[1])
