"""Facts and connections that the tests of writing share."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Engine

from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.merge import Row
from headwater.model.project import project
from headwater.model.relations import Declaration
from headwater.store.search.index import Entries
from headwater.store.write.connections import Connection, PostgresConnection, SqliteConnection

MAPPED_FIELD = {"inputFields": [{"namespace": "db", "name": "source", "field": "a"}]}
COLUMN_MAP = {"fields": {"a": MAPPED_FIELD}}


def dataset_facts(name: str = "orders", **facets: object) -> Facts:
    """What an event about one dataset states."""
    event = {
        "eventTime": "2024-05-01T10:00:00Z",
        "dataset": {"namespace": "db", "name": name, "facets": facets},
    }
    return project(decode_event(msgspec.json.encode(event)))


def bad_facts() -> Facts:
    """An event and its content, then a row in a later relation that no database can hold."""
    facts = dataset_facts("bad", schema={"fields": [{"name": "a"}]})
    facts.add("declaration", Declaration(bytes(16), bytes(16), object()))  # type: ignore[arg-type]
    return facts


class Passing:
    """A connection that passes everything on: the base of those that watch or disturb."""

    def __init__(self, inner: Connection) -> None:
        self.inner = inner

    def begin(self) -> int:
        return self.inner.begin()

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        self.inner.upsert(relation, rows)

    def fill_outbox(self, events: Sequence[Row], is_for_lake: bool = True) -> None:
        self.inner.fill_outbox(events, is_for_lake)

    def fill_index(self, entries: Entries) -> None:
        self.inner.fill_index(entries)

    def touch(self) -> None:
        self.inner.touch()

    def interrupt(self) -> None:
        self.inner.interrupt()

    def release_memory(self) -> None:
        self.inner.release_memory()

    def commit(self) -> None:
        self.inner.commit()

    def abandon(self) -> None:
        self.inner.abandon()

    def close(self) -> None:
        self.inner.close()


def connect(engine: Engine) -> Connection:
    """A connection for a writer of that store."""
    if engine.dialect.name == "sqlite":
        return SqliteConnection(engine)
    return PostgresConnection(engine)
