"""A store in PostgreSQL that takes another's place: its tables move into the other's schema."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from headwater.errors import StoreUnavailable
from headwater.model.values.instant import now
from headwater.store.engine import in_schema, open_engine
from headwater.store.maintenance.rebuild_lock import only_rebuild
from headwater.store.maintenance.replacement import (
    EVER,
    Kept,
    copy_kept,
    note_pruned,
    read_missing,
)
from headwater.store.migrate import VERSION_TABLE, upgrade
from headwater.store.tables import (
    METADATA,
    api_key,
    catalog_target,
    collector,
    event_set,
    event_set_member,
    ingestion,
    ingestion_member,
    ingestion_run,
    outbox,
    outbox_reader,
    position,
    published_item,
    publisher,
    refused_event,
    rejected,
    rejected_place,
    task,
)
from headwater.store.write.connections import GENERATION_LOCK, LonePostgresConnection
from headwater.store.write.writer import Writer

_NEW = "headwater_rebuilding"
_OLD = "headwater_replaced"

# Readers are waited for so long: for a table while we hold no other, which is no harm but to them;
# and else, where they may wait for us as well, before PostgreSQL would notice and end one.
FIRST_WAIT = "2s"
_NEXT_WAIT = "200ms"
_LOCK_NOT_AVAILABLE = "55P03"
# Tries while writers wait; and how often, after they had their turn.
LOOKS = 300
_QUEUES = 4
TRIES = 10

_TABLES = [*METADATA.tables, VERSION_TABLE]
# Views and foreign keys of others: they would go with the old tables.
_DEPENDENTS = text("""
    WITH ours AS (SELECT oid FROM pg_class
        WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY(:tables))
    SELECT ev_class::regclass::text FROM pg_depend JOIN pg_rewrite ON pg_rewrite.oid = objid
        WHERE classid = 'pg_rewrite'::regclass AND refobjid IN (TABLE ours)
    UNION SELECT conrelid::regclass::text FROM pg_constraint
        WHERE confrelid IN (TABLE ours) AND conrelid NOT IN (TABLE ours)
    ORDER BY 1
""")
# What others may do with the tables, as the statements that let them.
_GRANTS = text("""
    SELECT format('GRANT %s ON %I.%I TO %s%s', privilege_type, current_schema(), relname,
        coalesce(quote_ident(rolname), 'PUBLIC'),
        CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
    FROM pg_class, aclexplode(relacl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
    WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY(:tables)
        AND grantee <> relowner
""")


class PostgresReplacement:
    """Tables in a schema of their own, until they are moved."""

    def __init__(self, engine: Engine) -> None:
        self._old = engine
        self._order = _TABLES
        self._held = ExitStack()
        self._held.enter_context(only_rebuild(engine))
        self.url = in_schema(engine.url, _NEW)
        self._engine = open_engine(self.url)
        try:
            self._make()
        except BaseException:
            self.close()
            raise

    def _make(self) -> None:
        with self._old.begin() as connection:
            if names := connection.scalars(_DEPENDENTS, {"tables": _TABLES}).all():
                raise StoreUnavailable(
                    f"{', '.join(names)} depends on tables that are replaced: "
                    "drop it, and create it again afterwards"
                )
            for schema in (_NEW, _OLD):
                connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
            connection.execute(text(f"CREATE SCHEMA {_NEW}"))
            self._schema = str(connection.scalar(text("SELECT quote_ident(current_schema())")))
        upgrade(self._engine)
        with self._engine.begin() as connection:
            # No other's number: Spark uses processes again, and with them what their writers
            # remember as stored, if only in a store that was being made here before.
            connection.execute(text("UPDATE store_state SET generation = :now"), {"now": now()})

    def writer(self, notes_for_lake: bool = False) -> Writer:
        return Writer(lambda: LonePostgresConnection(self._engine), notes_for_lake)

    def note_pruned(self, before: int) -> None:
        with self._engine.begin() as connection:
            note_pruned(connection, before)

    def read_missing(self, received_before: int = EVER) -> Iterator[list[Kept]]:
        with self._engine.connect() as connection:
            for rows in read_missing(connection, self._schema, _NEW, received_before):
                connection.commit()
                yield rows

    def take_place(self, bring_over: Callable[[], object]) -> None:
        for attempt in range(1, TRIES + 1):
            try:
                with self._old.begin() as connection:
                    self._swap(connection, bring_over)
                return
            except DBAPIError as error:
                if not _is_lock_timeout(error) or attempt == TRIES:
                    raise StoreUnavailable(f"the store cannot be replaced: {error.orig}") from error
                time.sleep(0.5)

    def _swap(self, connection: Connection, bring_over: Callable[[], object]) -> None:
        lock = text("SELECT pg_advisory_xact_lock(:lock)")
        connection.execute(lock, {"lock": GENERATION_LOCK})
        bring_over()
        with self._engine.begin() as new:
            # Who carries events on meanwhile does so again: that is harmless.
            copy_kept(new, self._schema, _NEW, [rejected, rejected_place, outbox])
        self._wait_for_readers(connection)
        # Others write there without the lock above: a key revoked until now is to stay revoked.
        own = [api_key, position, collector, publisher, outbox_reader, refused_event]
        own += [ingestion, ingestion_run, ingestion_member]
        own += [task, event_set, event_set_member]
        kept = [*own, catalog_target, published_item]
        copy_kept(connection, self._schema, _NEW, kept)
        generation = text(f"SELECT max(generation) + 1 FROM {self._schema}.store_state")
        next_generation = connection.scalar(generation)
        self._move(connection)
        connection.execute(
            text(f"UPDATE {self._schema}.store_state SET generation = :generation"),
            {"generation": next_generation},
        )

    def _wait_for_readers(self, connection: Connection) -> None:
        """Lock all tables: while nobody reads, if there is such a moment; else readers wait."""
        for attempt in range(1, LOOKS + _QUEUES + 1):
            try:
                with connection.begin_nested():
                    if attempt <= LOOKS:
                        connection.execute(text(self._lock_of(*self._order) + " NOWAIT"))
                    else:
                        self._queue(connection)
                return
            except DBAPIError as error:
                if not _is_lock_timeout(error) or attempt == LOOKS + _QUEUES:
                    raise
                time.sleep(0.001)

    def _queue(self, connection: Connection) -> None:
        """Keep those waiting who come, in their first query or in a later one.

        Who waits for us in a later query has a table of an earlier one. We give up, and begin with
        that table the next time: then he, and who reads in the same order, waits before he has any.
        """
        for name in self._order:
            wait = FIRST_WAIT if name == self._order[0] else _NEXT_WAIT
            connection.execute(text(f"SET LOCAL lock_timeout = '{wait}'"))
            try:
                connection.execute(text(self._lock_of(name)))
            except DBAPIError:
                self._order = sorted(self._order, key=lambda other: other != name)
                raise

    def _lock_of(self, *names: str) -> str:
        tables = ", ".join(f'{self._schema}."{name}"' for name in names)
        return f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE"

    def _move(self, connection: Connection) -> None:
        grants = connection.scalars(_GRANTS, {"tables": _TABLES}).all()
        connection.execute(text(f"CREATE SCHEMA {_OLD}"))
        for name in _TABLES:
            for here, there in ((self._schema, _OLD), (_NEW, self._schema)):
                connection.execute(text(f'ALTER TABLE {here}."{name}" SET SCHEMA {there}'))
            # Without what depends on it: we would not know what goes.
            connection.execute(text(f'DROP TABLE {_OLD}."{name}"'))
        connection.execute(text(f"DROP SCHEMA {_OLD}"))
        for grant in grants:
            connection.exec_driver_sql(grant)

    def close(self) -> None:
        self._engine.dispose()
        try:
            with self._old.begin() as connection:
                connection.execute(text(f"DROP SCHEMA IF EXISTS {_NEW} CASCADE"))
        except DBAPIError:
            # The next one begins with removing it.
            pass
        finally:
            self._held.close()


def _is_lock_timeout(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE
