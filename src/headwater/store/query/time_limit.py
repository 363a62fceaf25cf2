"""An end to the time that a question to the store may take, whatever the store does.

A database stops a statement by itself (`statement_timeout`), unless it is the database that hangs;
SQLite has no such limit. So a connection is tied to the limit of who took it, and whoever watches
the clock ends what the connection is at, from another thread.
"""

import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from headwater.errors import TimeIsOver
from headwater.store.driver_errors import DRIVER_ERRORS

_CURRENT: ContextVar["TimeLimit | None"] = ContextVar("time_limit", default=None)


class TimeLimit:
    """The time one caller has; `end` may be called from any thread, and again."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        # Whether nobody asks anything any more.
        self.is_ended = False
        self._driver: Any = None

    @contextmanager
    def current(self) -> Iterator[None]:
        """Tie the connections that are taken within to this limit."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def tie(self, driver: Any) -> None:
        """Raises if the time is over already: a pool would take a connection that is ended at once
        for a database that is gone, and drop those of all others."""
        if self.is_over:
            raise TimeIsOver(self.seconds)
        self._driver = driver
        if self.is_over:
            # Since then, by whoever watches the clock.
            self.end()

    def untie(self) -> None:
        """Let go of a connection before it is another's."""
        self.is_ended = True
        self._driver = None

    def end(self) -> None:
        """End what the connection is at; its caller gets the driver's error."""
        self.is_over = True
        if self._driver is not None:
            interrupt(self._driver)


def tie_to_limit(driver: Any) -> None:
    """Tie a connection that was taken from a pool to the limit of who took it, if there is one."""
    limit = _CURRENT.get()
    if limit is not None:
        limit.tie(driver)


def interrupt(driver: Any) -> None:
    """End the statement a driver is at. One of PostgreSQL loses its connection: its server may not
    answer, and to ask it to cancel would be to wait for it again."""
    if isinstance(driver, sqlite3.Connection):
        with suppress(sqlite3.Error):
            driver.interrupt()
    else:
        with (
            suppress(OSError, *DRIVER_ERRORS),
            socket.socket(fileno=os.dup(driver.pgconn.socket)) as other,
        ):
            other.shutdown(socket.SHUT_RDWR)
