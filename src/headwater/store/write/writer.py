"""Writing facts: one transaction for many events, merged by the database itself."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlalchemy import Engine

from headwater.errors import StoreUnavailable
from headwater.model.facts import Facts, content_row, name_row
from headwater.model.merge import CATALOG, Merged, Row
from headwater.model.values.memo import Memo
from headwater.store.driver_errors import DRIVER_ERRORS, is_deadlock, is_refusal
from headwater.store.search.index import Indexing, is_seen, term_key
from headwater.store.write.connections import (
    BulkPostgresConnection,
    Connection,
    PostgresConnection,
    SqliteConnection,
)
from headwater.store.write.packing import pack, unpack

# A digest weighs little; this remembers some hundred thousand.
_REMEMBERED_BYTES = 64_000_000
_RETRIES = 5

_PACKED = {
    name: tuple(index for index, column in enumerate(relation.columns) if column.is_packed)
    for name, relation in CATALOG.items()
}


# Rows by relation: merged, in the order of their keys, and packed.
Ready = Mapping[str, Sequence[Row]]

# What never changes under its id, and need not be written twice.
LASTING = ("dataset", "content")

# The same with the bodies of content that is new, unpacked.
Stated = tuple[Ready, Iterable[tuple[bytes, bytes]]]


class Writer:
    """Writes facts in groups. Not for several threads at once.

    Every event is noted for the readers of the outbox; for the lake only with `notes_for_lake`:
    without, somebody has taken it there.
    """

    def __init__(self, connect: Callable[[], Connection], notes_for_lake: bool = False) -> None:
        self._connect = connect
        self._notes_for_lake = notes_for_lake
        self._connection: Connection | None = None
        # Ids of names and digests of content known to be stored, as of one generation.
        self._stored: Memo[bool] = Memo(_REMEMBERED_BYTES, is_shared=False)
        self._generation: int | None = None

    def write(self, facts: Sequence[Facts], check: Callable[[], None] = lambda: None) -> None:
        """Store all or nothing; returns once it is durable. Nothing at all tests the store.

        `check` is called before the commit; what it raises ends the write, and nothing is stored.
        """
        self._try(lambda: self._merge(facts), check)

    def write_rows(self, rows: Ready) -> None:
        """Store what was merged and packed elsewhere, in the same way."""
        self._try(lambda: self._without_stored(rows))

    def _try(
        self, make_rows: Callable[[], Stated], check: Callable[[], None] = lambda: None
    ) -> None:
        for attempt in range(_RETRIES):
            try:
                return self._write(make_rows, check)
            except DRIVER_ERRORS as error:
                self._abandon()
                if is_deadlock(error):
                    if attempt < _RETRIES - 1:
                        continue
                    raise StoreUnavailable("the store is busy; try again") from None
                if is_refusal(error):
                    raise
                raise StoreUnavailable(f"the store cannot be written: {error}") from error
            except BaseException:
                self._abandon()
                raise
        return None

    def _write(self, make_rows: Callable[[], Stated], check: Callable[[], None]) -> None:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        self._remember_for(connection.begin())
        rows, bodies = make_rows()
        if not rows:
            connection.touch()
        for name in CATALOG:
            if some := rows.get(name):
                connection.upsert(name, some)
        found_by = self._fill_index(connection, rows, bodies)
        if events := rows.get("event"):
            connection.fill_outbox([row[:2] for row in events], self._notes_for_lake)
        check()
        connection.commit()
        for name in LASTING:
            for row in rows.get(name, ()):
                self._stored.put(row[0], True)
        for key in found_by:
            self._stored.put(key, True)

    def _fill_index(
        self, connection: Connection, rows: Ready, bodies: Iterable[tuple[bytes, bytes]]
    ) -> list[bytes]:
        """Index what is new for searches; gives the keys of what is then known to be there."""
        indexing = Indexing()
        jobs = [row for row in rows.get("job", ()) if self._is_new(row[0]) and is_seen(row)]
        for job in jobs:
            indexing.add_job(job)
        for dataset in rows.get("dataset", ()):
            indexing.add_dataset(dataset)
        for digest, body in bodies:
            indexing.add_content(digest, body)
        for edit in rows.get("edit_value", ()):
            indexing.add_edit(edit)
        entries = indexing.entries(lambda term: self._is_new(term_key(term)))
        if entries.words:
            connection.fill_index(entries)
        return [*(job[0] for job in jobs), *{term_key(term) for _, term in entries.parts}]

    def _merge(self, facts: Sequence[Facts]) -> Stated:
        merged = Merged()
        names, contents = {}, {}
        for stated in facts:
            merged.add(stated.rows)
            names.update(stated.names)
            contents.update(stated.contents)
        is_new = self._is_new
        merged.add_rows("dataset", [name_row(names[id]) for id in names if is_new(id)])
        new = [contents[id] for id in contents if is_new(id)]
        merged.add_rows("content", map(content_row, new))
        return ready(merged), [(facet.digest, facet.body) for facet in new]

    def _without_stored(self, rows: Ready) -> Stated:
        lasting = {
            name: [row for row in rows.get(name, ()) if self._is_new(row[0])] for name in LASTING
        }
        bodies = ((digest, unpack(body)) for digest, body in lasting["content"])
        return {**rows, **lasting}, bodies

    def _is_new(self, id: bytes) -> bool:
        return self._stored.get(id) is None

    def _remember_for(self, generation: int) -> None:
        if generation != self._generation:
            self._stored.clear()
            self._generation = generation

    def _abandon(self) -> None:
        """Give up the connection: whatever state it is in, the next write starts anew.

        So does the memory of what is stored: behind the next connection may be another database,
        a replica that took over and lacks the newest.
        """
        self._generation = None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abandon()

    def interrupt(self) -> None:
        """End the write that is under way, from another thread: it fails, and stores nothing."""
        connection = self._connection
        if connection is not None:
            connection.interrupt()

    def release_memory(self) -> None:
        """Let go of what only makes the next write quicker."""
        self._stored.forget_unused()
        if self._connection is not None:
            try:
                self._connection.release_memory()
            except DRIVER_ERRORS:
                self._abandon()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def ready(merged: Merged) -> Ready:
    """The rows of a batch as they are written."""
    filled = (name for name in CATALOG if merged.rows[name])
    return {name: pack_rows(name, merged.sorted_rows(name)) for name in filled}


def pack_rows(name: str, rows: Sequence[Row]) -> Sequence[Row]:
    """The rows of a relation, with their large values packed."""
    indexes = _PACKED[name]
    if not indexes:
        return rows
    packed = []
    for row in rows:
        values = list(row)
        for index in indexes:
            values[index] = pack(values[index])
        packed.append(tuple(values))
    return packed


def open_writer(engine: Engine, notes_for_lake: bool = False, is_bulk: bool = False) -> Writer:
    """Make the writer for a store; `is_bulk` for groups of many thousand rows."""
    if engine.dialect.name == "sqlite":
        return Writer(lambda: SqliteConnection(engine), notes_for_lake)
    kind = BulkPostgresConnection if is_bulk else PostgresConnection
    return Writer(lambda: kind(engine), notes_for_lake)
