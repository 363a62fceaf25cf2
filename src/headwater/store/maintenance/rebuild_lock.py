"""One rebuild of a store at a time, and no erasure meanwhile: it would bring back what went."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from headwater.errors import Busy
from headwater.store.engine import sqlite_file

_REBUILD_LOCK = 0x4845_4146


@contextmanager
def only_rebuild(engine: Engine) -> Iterator[None]:
    """Be the only one who makes a store anew; the lock ends with this process."""
    if engine.dialect.name == "sqlite":
        with _only_of_file(engine):
            yield
    else:
        with _only_of_database(engine):
            yield


@contextmanager
def _only_of_file(engine: Engine) -> Iterator[None]:
    store = sqlite_file(engine)
    file = store.with_name(store.name + ".rebuilding.lock")
    with file.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Where its holder has ended just now it is gone, and of no use any more.
            is_ours = os.path.samestat(os.fstat(held.fileno()), file.stat())
        except OSError:
            is_ours = False
        if not is_ours:
            raise Busy(f"another rebuild of {store} is under way, or an erasure")
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


@contextmanager
def _only_of_database(engine: Engine) -> Iterator[None]:
    lock = {"lock": _REBUILD_LOCK}
    held = engine.connect()
    try:
        is_held = held.scalar(text("SELECT pg_try_advisory_lock(:lock)"), lock)
        held.commit()
        if not is_held:
            raise Busy("another rebuild of this store is under way, or an erasure")
        yield
        # It would end with the session, but a little later.
        with suppress(DBAPIError):
            held.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)
    finally:
        # Not back to the pool: the lock is the session's.
        held.invalidate()
        held.close()
