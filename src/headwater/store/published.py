"""What catalogs were given: each target with its items, so that only what differs is published."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from headwater.errors import Conflict, NotFound
from headwater.store import tables
from headwater.store.write.packing import pack, unpack

_MAX_PROBLEM = 1_000


class CatalogTarget(NamedTuple):
    """A catalog that is published to; times are in microseconds since 1970."""

    name: str
    publisher: str
    address: str
    registered_at: int
    started_at: int | None
    ended_at: int | None
    created: int
    updated: int
    removed: int
    unchanged: int
    skipped: int
    failed: int
    problem: str | None


class ItemKey(NamedTuple):
    kind: str
    key: str


class PublishedItem(NamedTuple):
    """What a target has of an item; without a digest it was never taken."""

    key: ItemKey
    subject: str
    digest: bytes | None
    reference: str
    published_at: int | None
    problem: str | None = None


class ItemProblem(NamedTuple):
    """An item that a target did not take, and why."""

    key: ItemKey
    subject: str
    problem: str
    problem_at: int


def list_targets(connection: Connection) -> list[CatalogTarget]:
    query = select(*_columns()).order_by(tables.catalog_target.c.name)
    return [CatalogTarget._make(row) for row in connection.execute(query)]


def find_target(connection: Connection, name: str) -> CatalogTarget | None:
    query = select(*_columns()).where(tables.catalog_target.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else CatalogTarget._make(row)


def get_target(connection: Connection, name: str) -> CatalogTarget:
    found = find_target(connection, name)
    if found is None:
        raise NotFound("target", name, [each.name for each in list_targets(connection)][:5])
    return found


def check_same_target(found: CatalogTarget, publisher: str, address: str) -> None:
    """Refuse another catalog under the name of one that is known."""
    if (found.publisher, found.address) != (publisher, address):
        raise Conflict(
            f"target '{found.name}' is {found.publisher} at {found.address}; "
            f"remove it first (`headwater publish remove {found.name}`), or choose another name"
        )


def begin_pass(connection: Connection, name: str, publisher: str, address: str, at: int) -> None:
    """Note that a pass over a target begins; makes it known if it is not."""
    counts = dict.fromkeys(("created", "updated", "removed", "unchanged", "skipped", "failed"), 0)
    values = {"name": name, "publisher": publisher, "address": address, "registered_at": at}
    new = _insert(connection)(tables.catalog_target).values(**values, **counts, started_at=at)
    connection.execute(
        new.on_conflict_do_update(
            index_elements=["name"], set_={"started_at": at, **counts, "problem": None}
        )
    )


def note_counts(connection: Connection, name: str, counts: dict[str, int]) -> None:
    table = tables.catalog_target
    connection.execute(update(table).where(table.c.name == name).values(**counts))


def end_pass(connection: Connection, name: str, at: int, problem: str | None) -> None:
    table = tables.catalog_target
    values = {"ended_at": at, "problem": problem and problem[:_MAX_PROBLEM]}
    connection.execute(update(table).where(table.c.name == name).values(values))


def read_items(connection: Connection, target: str) -> dict[ItemKey, PublishedItem]:
    """All items of a target, without what they hold."""
    table = tables.published_item
    columns = (table.c[name] for name in PublishedItem._fields[1:])
    query = select(table.c.kind, table.c.key, *columns).where(table.c.target == target)
    return {
        ItemKey(kind, key): PublishedItem(ItemKey(kind, key), *rest)
        for kind, key, *rest in connection.execute(query)
    }


def read_body(connection: Connection, target: str, key: ItemKey) -> bytes | None:
    """What a target was last given of an item."""
    body = connection.execute(
        select(tables.published_item.c.body).where(*_is(target, key))
    ).scalar()
    return None if body is None else unpack(body)


def note_published(
    connection: Connection,
    target: str,
    item: PublishedItem,
    body: bytes,
) -> None:
    """Note what a target has of an item from now on."""
    values = {
        "subject": item.subject,
        "digest": item.digest,
        "body": pack(body),
        "reference": item.reference,
        "published_at": item.published_at,
        "problem": None,
        "problem_at": None,
    }
    _upsert(connection, target, item.key, values, values)


def note_problem(connection: Connection, target: str, problem: ItemProblem) -> None:
    """Note why a target did not take an item; what it has of it stays."""
    changed = {"problem": problem.problem[:_MAX_PROBLEM], "problem_at": problem.problem_at}
    new = {"subject": problem.subject, "reference": "", **changed}
    _upsert(connection, target, problem.key, new, changed)


def forget_items(connection: Connection, target: str, keys: Iterable[ItemKey]) -> None:
    for key in keys:
        connection.execute(delete(tables.published_item).where(*_is(target, key)))


def list_problems(connection: Connection, target: str, limit: int) -> list[ItemProblem]:
    """The newest items that a target did not take."""
    table = tables.published_item
    query = (
        select(table.c.kind, table.c.key, table.c.subject, table.c.problem, table.c.problem_at)
        .where(table.c.target == target, table.c.problem.is_not(None))
        .order_by(table.c.problem_at.desc(), table.c.kind, table.c.key)
        .limit(limit)
    )
    rows = connection.execute(query)
    return [ItemProblem(ItemKey(kind, key), *rest) for kind, key, *rest in rows]


def clear_problems(connection: Connection, target: str, keys: Iterable[ItemKey]) -> None:
    """Forget problems of items that there is nothing to publish of any more."""
    cleared = update(tables.published_item).values(problem=None, problem_at=None)
    for key in keys:
        connection.execute(cleared.where(*_is(target, key)))


def count_items(connection: Connection, target: str) -> int:
    table = tables.published_item
    query = select(func.count()).where(table.c.target == target, table.c.digest.is_not(None))
    return int(connection.execute(query).scalar_one())


def forget_digests(connection: Connection, target: str) -> int:
    """Let all items of a target be published again; how many there are."""
    table = tables.published_item
    changed = update(table).where(table.c.target == target).values(digest=None)
    return connection.execute(changed).rowcount


def remove_target(connection: Connection, name: str) -> CatalogTarget:
    """Forget a target and what it was given; the catalog keeps it."""
    items, targets = tables.published_item, tables.catalog_target
    # Written first: SQLite refuses a write after a read if another has written in between.
    connection.execute(delete(items).where(items.c.target == name))
    found = get_target(connection, name)
    connection.execute(delete(targets).where(targets.c.name == name))
    return found


def _upsert(
    connection: Connection, target: str, key: ItemKey, new: dict[str, Any], changed: dict[str, Any]
) -> None:
    table = tables.published_item
    statement = _insert(connection)(table).values(target=target, kind=key.kind, key=key.key, **new)
    connection.execute(
        statement.on_conflict_do_update(index_elements=["target", "kind", "key"], set_=changed)
    )


def _insert(connection: Connection) -> Any:
    return sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert


def _is(target: str, key: ItemKey) -> tuple[Any, ...]:
    table = tables.published_item
    return (table.c.target == target, table.c.kind == key.kind, table.c.key == key.key)


def _columns() -> list[Column[Any]]:
    return [tables.catalog_target.c[name] for name in CatalogTarget._fields]
