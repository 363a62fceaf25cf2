"""Is a store sound? The database's own check, and that what rows refer to is there."""

from collections.abc import Callable, Iterator

import zstandard
from sqlalchemy import Column, Connection, Engine, inspect, select
from sqlalchemy.exc import DBAPIError

from headwater.model.facet_readers import is_content_of
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store import tables
from headwater.store.maintenance.references import REFERENCES
from headwater.store.migrate import HEAD, REVISIONS, current_revision
from headwater.store.write.packing import unpack

# Called with the current check.
Progress = Callable[[str], None]

_SHOWN = 3


def check_store(engine: Engine, progress: Progress = lambda step: None) -> list[str]:
    """Look at everything; each finding is one sentence, and none means that all is well."""
    try:
        with engine.connect() as connection:
            return list(_check(connection, progress))
    except DBAPIError as error:
        # A damaged file may not even be read.
        return [f"the store cannot be read: {str(error.orig).partition(chr(10))[0]}"]


def _check(connection: Connection, progress: Progress) -> Iterator[str]:
    progress("revision")
    findings = list(_check_revision(connection))
    yield from findings
    if connection.dialect.name == "sqlite":
        progress("pages and indexes")
        yield from _check_pages(connection)
    if findings:
        # Without its tables there is nothing more to look at.
        return
    progress("tables")
    present = set(inspect(connection).get_table_names())
    if missing := sorted(set(tables.METADATA.tables) - present):
        yield f"tables are missing: {', '.join(missing)}"
        return
    for column in REFERENCES:
        progress(f"{column.table.name}.{column.name}")
        yield from _check_references(connection, column)
    progress("content")
    yield from _check_contents(connection)


def _check_revision(connection: Connection) -> Iterator[str]:
    revision = current_revision(connection)
    if revision is None:
        yield "the store is empty; `headwater db upgrade` creates its tables"
    elif revision not in REVISIONS:
        yield f"the store is at revision {revision}, which this version does not support"
    elif revision != HEAD:
        yield f"the store is at revision {revision}, not {HEAD}; run `headwater db upgrade`"


def _check_pages(connection: Connection) -> Iterator[str]:
    for line in connection.exec_driver_sql("PRAGMA integrity_check").scalars():
        if line != "ok":
            yield f"SQLite finds: {line}"


def _check_references(connection: Connection, column: Column[bytes]) -> Iterator[str]:
    """Every digest that rows refer to must have its content."""
    content = tables.content.alias()
    is_stored = select(1).where(content.c.digest == column).exists()
    query = select(column).where(column.not_in((NO_CONTENT, UNREPORTED)), ~is_stored).distinct()
    missing = sorted(connection.execute(query).scalars())
    if missing:
        where = f"{column.table.name}.{column.name}"
        yield f"{where} refers to {len(missing)} contents that are missing: {_some(missing)}"


def _check_contents(connection: Connection) -> Iterator[str]:
    """Content must be what its digest says; reads all of it."""
    table = tables.content
    damaged = []
    rows = connection.execution_options(yield_per=1_000).execute(select(table))
    for digest, body in rows:
        try:
            is_whole = is_content_of(digest, unpack(body))
        except zstandard.ZstdError:
            is_whole = False
        if not is_whole:
            damaged.append(digest)
    if damaged:
        yield f"{len(damaged)} contents are damaged: {_some(damaged)}"


def _some(digests: list[bytes]) -> str:
    shown = ", ".join(digest.hex() for digest in digests[:_SHOWN])
    return f"{shown} ..." if len(digests) > _SHOWN else shown
