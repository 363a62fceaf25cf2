"""A store in PostgreSQL that takes another's place: its tables move into the other's schema."""

import time
from collections.abc import Callable, Iterator

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from headwater.errors import Busy, StoreUnavailable
from headwater.store.connections import GENERATION_LOCK, LonePostgresConnection
from headwater.store.engine import in_schema, open_engine
from headwater.store.migrate import VERSION_TABLE, upgrade
from headwater.store.replacement import Kept, copy_kept, read_missing
from headwater.store.tables import METADATA
from headwater.store.writer import Writer

_NEW = "headwater_rebuilding"
_OLD = "headwater_replaced"
_REBUILD_LOCK = 0x4845_4146

# We give up before PostgreSQL would find that we and a reader wait for each other, and end one.
_LOCK_TIMEOUT = "500ms"
_TRIES = 60


class PostgresReplacement:
    """Tables in a schema of their own, until they are moved."""

    def __init__(self, engine: Engine) -> None:
        self._old = engine
        self._held = engine.connect()
        self._lock()
        with engine.begin() as connection:
            for schema in (_NEW, _OLD):
                connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
            connection.execute(text(f"CREATE SCHEMA {_NEW}"))
            self._schema = str(connection.scalar(text("SELECT quote_ident(current_schema())")))
        self.url = in_schema(engine.url, _NEW)
        self._engine = open_engine(self.url)
        upgrade(self._engine)

    def writer(self, fills_outbox: bool = False) -> Writer:
        return Writer(lambda: LonePostgresConnection(self._engine), fills_outbox)

    def read_missing(self) -> Iterator[list[Kept]]:
        with self._engine.connect() as connection:
            for rows in read_missing(connection, self._schema, _NEW):
                connection.commit()
                yield rows

    def take_place(self, bring_over: Callable[[], None]) -> None:
        for attempt in range(_TRIES):
            try:
                with self._old.begin() as connection:
                    self._swap(connection, bring_over)
                return
            except OperationalError as error:
                # A query that reads is at work; between two of them there is room.
                if getattr(error.orig, "sqlstate", None) != "55P03" or attempt == _TRIES - 1:
                    raise StoreUnavailable(f"the store cannot be replaced: {error.orig}") from error
                time.sleep(0.5)

    def _swap(self, connection: Connection, bring_over: Callable[[], None]) -> None:
        lock = text("SELECT pg_advisory_xact_lock(:lock)")
        connection.execute(lock, {"lock": GENERATION_LOCK})
        bring_over()
        with self._engine.begin() as new:
            copy_kept(new, self._schema, _NEW)
        generation = text(f"SELECT max(generation) + 1 FROM {self._schema}.store_state")
        next_generation = connection.scalar(generation)
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'"))
        connection.execute(text(f"CREATE SCHEMA {_OLD}"))
        for name in (*METADATA.tables, VERSION_TABLE):
            for here, there in ((self._schema, _OLD), (_NEW, self._schema)):
                connection.execute(text(f'ALTER TABLE {here}."{name}" SET SCHEMA {there}'))
        connection.execute(
            text(f"UPDATE {self._schema}.store_state SET generation = :generation"),
            {"generation": next_generation},
        )
        connection.execute(text(f"DROP SCHEMA {_OLD} CASCADE"))

    def _lock(self) -> None:
        """One at a time: a lock that ends with this session."""
        take = text("SELECT pg_try_advisory_lock(:lock)")
        is_held = self._held.scalar(take, {"lock": _REBUILD_LOCK})
        self._held.commit()
        if not is_held:
            self._held.close()
            raise Busy("another rebuild of this store is under way")

    def close(self) -> None:
        self._engine.dispose()
        try:
            with self._old.begin() as connection:
                connection.execute(text(f"DROP SCHEMA IF EXISTS {_NEW} CASCADE"))
        except DBAPIError:
            # The next one begins with removing it.
            pass
        finally:
            # Not back to the pool: the lock is the session's.
            self._held.invalidate()
            self._held.close()
