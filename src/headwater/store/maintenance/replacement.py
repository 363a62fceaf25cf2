"""A fresh store that is filled beside another and then takes its place, while servers go on.

What the old store has and the new one lacks, such as events that came meanwhile, is brought over
at the end, while nobody writes: `bring_over` is called for it within.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Engine, Table, text, update

from headwater.store import tables
from headwater.store.write.packing import unpack
from headwater.store.write.writer import Writer

# What no event says, and is taken over as it is.
KEPT = (
    tables.rejected,
    tables.rejected_place,
    tables.api_key,
    tables.position,
    tables.collector,
    tables.publisher,
    tables.catalog_target,
    tables.published_item,
    tables.ingestion,
    tables.ingestion_run,
    tables.ingestion_member,
    tables.outbox_reader,
    tables.outbox,
    tables.refused_event,
    tables.task,
    tables.event_set,
    tables.event_set_member,
)
# What waits for the lake is found anew: it is what the lake does not have.
_WHICH = {tables.outbox.name: "reader > 0"}

# Later than any time.
EVER = 2**63 - 1

AT_ONCE = 2_000


class Kept(NamedTuple):
    """An event that the old store holds."""

    at: int
    digest: bytes
    received_at: int
    payload: bytes


class Replacement(Protocol):
    """A store that is being made."""

    url: str

    def writer(self, notes_for_lake: bool = False) -> Writer: ...

    def note_pruned(self, before: int) -> None:
        """Note that events of before a time are missing where it is filled from."""

    def read_missing(self, received_before: int = EVER) -> Iterator[list[Kept]]:
        """The events that the old store has and this one has not, some at a time."""

    def take_place(self, bring_over: Callable[[], object]) -> None:
        """Put this store in the old one's place, all or nothing."""

    def close(self) -> None:
        """Remove what is left of it."""


@contextmanager
def replacement(engine: Engine) -> Iterator[Replacement]:
    """Make an empty store beside another. Leftovers of one that was interrupted are removed."""
    from headwater.store.maintenance.replacement_postgres import PostgresReplacement
    from headwater.store.maintenance.replacement_sqlite import SqliteReplacement

    made: Replacement
    if engine.dialect.name == "sqlite":
        made = SqliteReplacement(engine)
    else:
        made = PostgresReplacement(engine)
    try:
        yield made
    finally:
        made.close()


def read_missing(
    connection: Connection, old: str, new: str, received_before: int
) -> Iterator[list[Kept]]:
    """Compare the events of two schemas of one connection, in the order of their keys."""
    query = text(
        f"SELECT at, digest, received_at, payload FROM {old}.event AS one"
        " WHERE (at, digest) > (:at, :digest) AND received_at < :received_before"
        f" AND NOT EXISTS (SELECT 1 FROM {new}.event AS other"
        " WHERE other.at = one.at AND other.digest = one.digest)"
        f" ORDER BY at, digest LIMIT {AT_ONCE}"
    )
    place = {"at": -(2**63), "digest": b"", "received_before": received_before}
    while rows := connection.execute(query, place).all():
        yield [Kept(row.at, row.digest, row.received_at, unpack(row.payload)) for row in rows]
        place |= {"at": rows[-1].at, "digest": rows[-1].digest}


def copy_kept(connection: Connection, old: str, new: str, some: Sequence[Table] = KEPT) -> None:
    for table in some:
        columns = _columns(table)
        which = _WHICH.get(table.name, "true")
        connection.execute(
            text(
                f"INSERT INTO {new}.{table.name} ({columns})"
                f" SELECT {columns} FROM {old}.{table.name} WHERE {which} ON CONFLICT DO NOTHING"
            )
        )


def note_pruned(connection: Connection, before: int) -> None:
    connection.execute(update(tables.store_state).values(pruned_before=before))


def _columns(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.columns)
