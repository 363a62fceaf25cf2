"""Finding nodes: by names that are like a text, or all of them."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    and_,
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

from headwater.model.search_text import MAX_TERM, SHORTEST_PART, words_of
from headwater.store import tables
from headwater.store.read.visibility.pages import list_namespace_names
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    JOB_IS_KNOWN,
    JOB_IS_LISTED,
)
from headwater.store.search.terms import read_holders


class NodeRecord(NamedTuple):
    """A dataset or job by name."""

    kind: str
    id: bytes
    namespace: str
    name: str


_MAY_END_ID = re.compile("[0-9a-f]+")
# Where more names than this have a word, all are looked through.
_CANDIDATES = 2_000
_IS_LISTED = {"dataset": DATASET_IS_LISTED, "job": JOB_IS_LISTED}
_KINDS = (("dataset", tables.dataset), ("job", tables.job))


def find_like(
    connection: Connection, text: str, limit: int, only_listed: bool = False
) -> list[NodeRecord]:
    """Find nodes by name: the same, then ending so, beginning so, holding it; shortest first.

    `NAMESPACE|NAME`, and any last part of that, finds one in its namespace. By its whole name also
    a job that is known but not listed is found, unless only what is listed is requested.
    """
    requested = text.strip()
    if not requested or "\0" in requested:
        return []
    lower = _lower_by_locale if connection.dialect.name == "postgresql" else func.lower
    among = _find_candidates(connection, requested)
    queries = [
        _like(kind, table, requested, lower, only_listed)
        if among is None
        else _like(kind, table, requested, lower, only_listed).where(table.c.id.in_(among))
        for kind, table in _KINDS
    ]
    every = union_all(*queries).subquery()
    order = (every.c.rank, func.length(every.c.name), every.c.name, every.c.namespace, every.c.kind)
    rows = connection.execute(select(every).order_by(*order).limit(limit)).all()
    return [NodeRecord(*row[:4]) for row in rows]


def _find_candidates(connection: Connection, text: str) -> list[bytes] | None:
    """What may hold a text in its name, by the rarest of its words; None if that may be anything.

    A word in the middle of a text is a word of the name; the first may be the end of one, the last
    the beginning of one. What is in a namespace's own name holds for all that is in it.
    """
    within, mark, rest = text.lower().rpartition("|")
    if not mark and any(text.lower() in name.lower() for name in _list_namespaces(connection)):
        return None
    fewest: list[bytes] | None = None
    words = words_of(rest)
    for place, word in enumerate(words):
        if not SHORTEST_PART <= len(word) < MAX_TERM:
            continue
        is_first = place == 0 and not mark
        if is_first and (word[0].isdigit() or _MAY_END_ID.fullmatch(word)):
            # Ends of numbers and ids are not in the index.
            continue
        found = read_holders(connection, word, is_first, place == len(words) - 1, _CANDIDATES)
        if found is not None and (fewest is None or len(found) < len(fewest)):
            fewest = found
    return fewest


def _list_namespaces(connection: Connection) -> set[str]:
    return {name for _, table in _KINDS for name in list_namespace_names(connection, table)}


def _lower_by_locale(text: ColumnElement[Any]) -> ColumnElement[Any]:
    """The columns are sorted by bytes, and would be lowered so; the database may know better."""
    lowered = func.lower(text.op("COLLATE")(literal_column('"default"')))
    # What it is compared with must not ask for the columns' own order.
    return type_coerce(lowered, Text())


def _like(
    kind: str,
    table: Table,
    text: str,
    lower: Callable[[ColumnElement[Any]], ColumnElement[Any]],
    only_listed: bool,
) -> Any:
    """Without regard to case, as far as the database knows it; what is the same counts anyway."""
    parts = table.c.name, table.c.namespace
    name, namespace = map(lower, parts)
    forms = [
        (parts[0], parts[1] + "|" + parts[0], text),
        (name, namespace + "|" + name, text.lower()),
    ]
    is_same = or_(*(or_(own == requested, full == requested) for own, full, requested in forms))
    is_shown = _IS_LISTED[kind]
    if kind == "job" and not only_listed:
        is_shown = or_(is_shown, and_(is_same, JOB_IS_KNOWN))
    rank = case(
        (is_same, 0),
        (or_(*(own.endswith(requested, autoescape=True) for own, _, requested in forms)), 1),
        (or_(*(own.startswith(requested, autoescape=True) for own, _, requested in forms)), 2),
        else_=3,
    )
    is_like = or_(*(full.contains(requested, autoescape=True) for _, full, requested in forms))
    return select(
        literal(kind).label("kind"),
        table.c.id,
        table.c.namespace,
        table.c.name,
        rank.label("rank"),
    ).where(is_like, is_shown)


def find_holding(connection: Connection, pieces: list[str], limit: int) -> list[NodeRecord]:
    """Find nodes whose names hold any of some pieces, as many as are looked through."""
    requested = [piece for piece in pieces if "\0" not in piece]
    found: list[NodeRecord] = []
    for kind, table in _KINDS if requested else ():
        is_like = or_(*(table.c.name.contains(piece, autoescape=True) for piece in requested))
        query = select(table.c.id, table.c.namespace, table.c.name).where(is_like, _IS_LISTED[kind])
        found += [NodeRecord(kind, *row) for row in connection.execute(query.limit(limit))]
    return found


def list_ids(connection: Connection, at: int, most: int) -> tuple[list[bytes], list[bytes]]:
    """List jobs and datasets first reported by a time, in the order of their ids."""
    job, used, declared = tables.job, tables.job_dataset, tables.declared_dataset
    jobs = select(job.c.id).where(job.c.first_seen <= at).order_by(job.c.id).limit(most)
    datasets = union(
        select(used.c.dataset).where(used.c.first_seen <= at),
        select(declared.c.dataset).where(declared.c.first_said <= at),
    ).limit(most)
    found = connection.execute(jobs).scalars().all(), connection.execute(datasets).scalars().all()
    return list(found[0]), sorted(found[1])
