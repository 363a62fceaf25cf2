"""Erasing events from a store, with all that rests on them alone; in one transaction.

`erasable` has what the events state, and what others state of the same rows: values that are no
others' are taken out, rows without any left are removed, and then what nothing refers to.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Engine, bindparam, delete, select, tuple_, update

from headwater.model.merge import CATALOG, Row
from headwater.model.unmerge import take_out
from headwater.store import tables
from headwater.store.maintenance.erasable import WIDTHS, ArrivalMark, StatedRows, read_arrivals
from headwater.store.maintenance.exclusive import change_generation, merge_rows, removing
from headwater.store.maintenance.references import count_references
from headwater.store.maintenance.selection import Selection
from headwater.store.query.paging import in_parts
from headwater.store.search import index
from headwater.store.write.outbox import Place
from headwater.store.write.packing import pack, unpack

_KEYS_AT_ONCE = 500
_REJECTED_AT_ONCE = 200
# Where a dataset is used; one that is nowhere any more has no name either.
_DATASETS: tuple[Column[Any], ...] = (
    tables.run_dataset.c.dataset,
    tables.job_dataset.c.dataset,
    tables.declared_dataset.c.dataset,
    tables.facet.c.owner,
    tables.alias.c.dataset,
    tables.alias.c.other,
    tables.lifecycle.c.dataset,
    tables.lifecycle.c.previous,
    tables.edit_value.c.entity,
)


def erase_from_store(
    engine: Engine,
    selection: Selection,
    places: Iterable[Place],
    gone: StatedRows,
    rest: StatedRows,
    since: ArrivalMark,
) -> Counter[str]:
    """Remove events, by their keys, and what rests on them; all or nothing.

    `rest` is what all others state that were there at a mark. Returns how many rows of each table
    went or changed.
    """
    counts: Counter[str] = Counter()
    with removing(engine) as connection:
        overwrite_removed(connection)
        for payload in read_arrivals(connection, since):
            rest.add_shared(payload, gone)
        counts["event"] = _remove_events(connection, places)
        counts["rejected"] = _remove_rejected(connection, selection)
        _remove_errors(connection, selection)
        before, after = index.Indexing(), index.Indexing()
        for name in CATALOG:
            if gone.rows.rows[name] and name != "dataset":
                counts[name] += _take_out(connection, name, gone, rest, before, after)
        counts["dataset"] = _remove_names(connection, gone, rest, before, after)
        _insert_contents(connection, rest)
        counts["content"] = _remove_contents(connection, gone, rest)
        index.remove_entries(connection, before, after)
        change_generation(connection)
    return +counts


def forget_removed(engine: Engine) -> None:
    """Remove what is left of texts that were removed: parts of words, pages of the log."""
    with removing(engine) as connection:
        # By itself, as it looks at all of them; prunes leave some as well.
        overwrite_removed(connection)
        index.remove_unused_parts(connection)
        change_generation(connection)
    if engine.dialect.name == "sqlite":
        # What readers still need of it goes with a later one.
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def overwrite_removed(connection: Connection) -> None:
    """On SQLite, overwrite what is removed: its text would stay in the file."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")


def _remove_events(connection: Connection, places: Iterable[Place]) -> int:
    """Remove events, with every note of them."""
    values = [{"its_at": at, "its_digest": digest} for at, digest in sorted(places)]
    removed: Counter[str] = Counter()
    notes = (tables.outbox, tables.refused_event, tables.event_set_member)
    for table in (*notes, tables.event):
        its = (table.c.at == bindparam("its_at"), table.c.digest == bindparam("its_digest"))
        for start in range(0, len(values), _KEYS_AT_ONCE):
            part = values[start : start + _KEYS_AT_ONCE]
            removed[table.name] += connection.execute(delete(table).where(*its), part).rowcount
    return removed["event"]


def find_rejected(connection: Connection, selection: Selection) -> Iterator[bytes]:
    """The digests of rejected bodies that are selected, or whose reason or origin tells."""
    table = tables.rejected
    columns = (table.c[name] for name in ("digest", "payload", "source", "path", "reason"))
    query = select(*columns).order_by(table.c.digest).limit(_REJECTED_AT_ONCE)
    rows = connection.execute(query).all()
    while rows:
        places = _read_places(connection, [row.digest for row in rows])
        for row in rows:
            texts = (row.source, row.path, row.reason, *places.get(row.digest, ()))
            if selection.has_rejected(unpack(row.payload)) or any(map(selection.has_text, texts)):
                yield row.digest
        rows = connection.execute(query.where(table.c.digest > rows[-1].digest)).all()


def _read_places(connection: Connection, digests: Iterable[bytes]) -> dict[bytes, list[str]]:
    """Everywhere that rejected bodies came from, by digest."""
    place, found = tables.rejected_place, defaultdict[bytes, list[str]](list)
    for part in in_parts(digests):
        query = select(place.c.digest, place.c.source).where(place.c.digest.in_(part))
        for digest, source in connection.execute(query):
            found[digest].append(source)
    return found


def _remove_rejected(connection: Connection, selection: Selection) -> int:
    table = tables.rejected
    digests = list(find_rejected(connection, selection))
    for part in in_parts(digests):
        for each in (tables.rejected_place, table):
            connection.execute(delete(each).where(each.c.digest.in_(part)))
    return len(digests)


def _remove_errors(connection: Connection, selection: Selection) -> None:
    """What targets answered may repeat what they were sent."""
    reader, refused = tables.outbox_reader, tables.refused_event
    for row in connection.execute(select(reader.c.id, reader.c.last_error)).all():
        if row.last_error and selection.has_text(row.last_error):
            forgotten = {"last_error": None, "last_error_at": None}
            connection.execute(update(reader).where(reader.c.id == row.id).values(forgotten))
    for row in connection.execute(select(refused)).all():
        if selection.has_text(row.reason):
            its = (
                refused.c[column.name] == getattr(row, column.name)
                for column in refused.primary_key
            )
            connection.execute(delete(refused).where(*its))


def _take_out(
    connection: Connection,
    name: str,
    gone: StatedRows,
    rest: StatedRows,
    before: index.Indexing,
    after: index.Indexing,
) -> int:
    """Take what events state out of the rows of a relation."""
    stated, others = gone.rows.rows[name], rest.rows.rows[name]
    changed: list[tuple[Row, Row | None]] = []
    for stored in read_by_key(connection, name, stated):
        key = stored[: WIDTHS[name]]
        left = take_out(name, stored, stated[key], others.get(key))
        if left != stored:
            changed.append((stored, left))
    delete_by_key(connection, name, [stored[: WIDTHS[name]] for stored, _ in changed])
    merge_rows(connection, name, [left for _, left in changed if left is not None])
    if name == "job":
        for stored, left in changed:
            _index_job(stored, before)
            _index_job(left, after)
    elif name == "edit_value":
        for stored, _ in changed:
            before.add_edit(stored)
        for row in _edits_of(connection, {stored[0] for stored, _ in changed}):
            after.add_edit(row)
    return len(changed)


def _index_job(row: Row | None, indexing: index.Indexing) -> None:
    if row is not None and index.is_seen(row):
        indexing.add_job(row)


def _edits_of(connection: Connection, entities: Iterable[bytes]) -> Iterator[Row]:
    table = tables.edit_value
    for part in in_parts(entities):
        query = select(table).where(table.c.entity.in_(part))
        yield from (tuple(row) for row in connection.execute(query))


def _remove_names(
    connection: Connection,
    gone: StatedRows,
    rest: StatedRows,
    before: index.Indexing,
    after: index.Indexing,
) -> int:
    """Remove the names of datasets that nobody else states, and that nothing refers to."""
    kept = {id for (id,) in rest.rows.rows["dataset"]}
    ids = [id for (id,) in gone.rows.rows["dataset"] if id not in kept]
    used: set[bytes] = set()
    for column in _DATASETS:
        for part in in_parts(ids):
            used.update(connection.execute(select(column).where(column.in_(part))).scalars())
    unused = {*ids} - used
    rows = [row for row in gone.rows.rows["dataset"].values() if row[0] in unused]
    for row in rows:
        before.add_dataset(row)
    delete_by_key(connection, "dataset", [row[:1] for row in rows])
    _keep_namespaces(connection, {*before.namespaces()}, after)
    return len(rows)


def _keep_namespaces(connection: Connection, namespaces: set[bytes], after: index.Indexing) -> None:
    """A namespace that still has a job or a dataset is still found by its name."""
    for table in (tables.dataset, tables.job):
        for namespace in sorted(namespaces):
            query = select(table.c.namespace).where(table.c.namespace_id == namespace)
            if table is tables.job:
                query = query.where(table.c.first_seen.is_not(None))
            row = connection.execute(query.limit(1)).first()
            if row is not None:
                after.add_namespace(namespace, row.namespace)


def _insert_contents(connection: Connection, rest: StatedRows) -> None:
    """A value that shows again may refer to content that a prune removed."""
    stored = {row[0] for row in read_by_key(connection, "content", ((id,) for id in rest.contents))}
    missing = rest.contents.keys() - stored
    referred = count_references(connection, missing)
    words = index.Indexing()
    rows = []
    for digest in sorted(missing):
        if referred[digest]:
            rows.append((digest, pack(rest.contents[digest])))
            words.add_content(digest, rest.contents[digest])
    merge_rows(connection, "content", rows)
    index.insert_entries(connection, words.entries())


def _remove_contents(connection: Connection, gone: StatedRows, rest: StatedRows) -> int:
    digests = gone.contents.keys() - rest.contents.keys()
    referred = count_references(connection, digests)
    unused = [digest for digest in digests if not referred[digest]]
    index.remove_contents(connection, unused)
    delete_by_key(connection, "content", [(digest,) for digest in unused])
    return len(unused)


def read_by_key(connection: Connection, name: str, keys: Iterable[Row]) -> Iterator[Row]:
    """The rows of a relation that have one of some keys."""
    table = tables.TABLES[name]
    for part in _parts(keys):
        its = tuple_(*table.primary_key).in_(part)
        yield from (tuple(row) for row in connection.execute(select(table).where(its)))


def delete_by_key(connection: Connection, name: str, keys: Sequence[Row]) -> None:
    table = tables.TABLES[name]
    for part in _parts(keys):
        connection.execute(delete(table).where(tuple_(*table.primary_key).in_(part)))


def _parts(keys: Iterable[Row]) -> Iterator[list[Row]]:
    ordered = sorted(keys)
    for start in range(0, len(ordered), _KEYS_AT_ONCE):
        yield ordered[start : start + _KEYS_AT_ONCE]
