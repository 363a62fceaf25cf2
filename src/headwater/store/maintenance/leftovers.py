"""What a store still holds of what was erased, and where else it may be."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlalchemy import Connection, Engine, Text, select

from headwater.store import tables
from headwater.store.engine import sqlite_file
from headwater.store.maintenance.selection import Selection
from headwater.store.write.outbox import LAKE
from headwater.store.write.packing import unpack

# Made from the others, and without what has gone from them.
_DERIVED = ("search_word", "search_part")
# What files begin with that hold events: SQLite, a dump of PostgreSQL, Parquet.
_BEGINNINGS = (b"SQLite format 3\0", b"PGDMP", b"PAR1")


def count_leftovers(connection: Connection, selection: Selection) -> Counter[str]:
    """Count rows that still name what was erased, by table.

    Rows that events gave which were pruned, and are nowhere any more; keys and positions.
    """
    counts: Counter[str] = Counter()
    for table in tables.METADATA.sorted_tables:
        texts = [column for column in table.columns if isinstance(column.type, Text)]
        if not texts or table.name in _DERIVED:
            continue
        for row in connection.execution_options(yield_per=1_000).execute(select(*texts)):
            names = zip(texts, row, strict=True)
            counts[table.name] += any(
                text is not None and selection.has_value(column.name, text)
                for column, text in names
            )
    if selection.kind == "matching":
        rows = connection.execution_options(yield_per=1_000).execute(select(tables.content.c.body))
        counts["content"] = sum(selection.has_rejected(unpack(body)) for (body,) in rows)
    return +counts


def find_copies(engine: Engine, folders: Iterable[Path], lake: Path) -> list[Path]:
    """Backups, and other files that hold events, in folders: all but the store and the lake."""
    own: set[Path] = set()
    searched = {folder.absolute() for folder in folders}
    if engine.dialect.name == "sqlite":
        store = sqlite_file(engine).absolute()
        own = {store, *(store.with_name(store.name + end) for end in ("-wal", "-shm"))}
        searched.add(store.parent)
    found = {file for folder in searched for file in _files(folder) if file not in own}
    return sorted(
        file for file in found if _holds_events(file) and not _is_of_lake(file, lake.absolute())
    )


def _is_of_lake(file: Path, lake: Path) -> bool:
    """Files of the lake were seen to, but for those that are not finished."""
    return lake in file.parents and not file.name.startswith(".")


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from (path for path in folder.rglob("*") if path.is_file())
    except OSError:
        return


def _holds_events(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(16).startswith(_BEGINNINGS)
    except OSError:
        # It cannot be read, but it may well be one.
        return True


def list_other_places(connection: Connection) -> list[str]:
    """Where events came from and went to: topics, files, targets."""
    position, reader = tables.position, tables.outbox_reader
    sources = connection.execute(select(position.c.source).distinct()).scalars()
    targets = connection.execute(select(reader.c.name, reader.c.address).where(reader.c.id != LAKE))
    return [
        *sorted(f"source {source}" for source in sources),
        *sorted(f"target {row.name} ({row.address})" for row in targets),
    ]
