"""Finding nodes: by names that are like a text, or all of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    case,
    func,
    literal,
    literal_column,
    or_,
    select,
    type_coerce,
    union,
    union_all,
)

from headwater.store import tables
from headwater.store.read.datasets import IS_SHOWN
from headwater.store.read.visibility import is_shown


class NodeRecord(NamedTuple):
    """A dataset or job by name."""

    kind: str
    id: bytes
    namespace: str
    name: str


_SHOWN = {"dataset": IS_SHOWN, "job": is_shown(tables.job, tables.job.c.last_seen)}
_KINDS = (("dataset", tables.dataset), ("job", tables.job))


def find_like(connection: Connection, text: str, limit: int) -> list[NodeRecord]:
    """Find nodes by name: the same, then ending so, beginning so, holding it; shortest first.

    `NAMESPACE|NAME`, and any last part of that, finds one in its namespace.
    """
    wanted = text.strip()
    if not wanted or "\0" in wanted:
        return []
    lower = _lower_by_locale if connection.dialect.name == "postgresql" else func.lower
    queries = [_like(kind, table, wanted, lower) for kind, table in _KINDS]
    every = union_all(*queries).subquery()
    order = (every.c.rank, func.length(every.c.name), every.c.name, every.c.namespace, every.c.kind)
    rows = connection.execute(select(every).order_by(*order).limit(limit)).all()
    return [NodeRecord(*row[:4]) for row in rows]


def _lower_by_locale(text: ColumnElement[Any]) -> ColumnElement[Any]:
    """The columns are sorted by bytes, and would be lowered so; the database may know better."""
    lowered = func.lower(text.op("COLLATE")(literal_column('"default"')))
    # What it is compared with must not ask for the columns' own order.
    return type_coerce(lowered, Text())


def _like(
    kind: str, table: Table, text: str, lower: Callable[[ColumnElement[Any]], ColumnElement[Any]]
) -> Any:
    """Without regard to case, as far as the database knows it; what is the same counts anyway."""
    parts = table.c.name, table.c.namespace
    name, namespace = map(lower, parts)
    forms = [
        (parts[0], parts[1] + "|" + parts[0], text),
        (name, namespace + "|" + name, text.lower()),
    ]
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


def find_holding(connection: Connection, pieces: list[str], limit: int) -> list[NodeRecord]:
    """Find nodes whose names hold any of some pieces, as many as are looked through."""
    wanted = [piece for piece in pieces if "\0" not in piece]
    found: list[NodeRecord] = []
    for kind, table in _KINDS if wanted else ():
        is_like = or_(*(table.c.name.contains(piece, autoescape=True) for piece in wanted))
        query = select(table.c.id, table.c.namespace, table.c.name).where(is_like, _SHOWN[kind])
        found += [NodeRecord(kind, *row) for row in connection.execute(query.limit(limit))]
    return found


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
