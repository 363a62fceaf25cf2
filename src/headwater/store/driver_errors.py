"""What the drivers of the databases raise, of those that are installed: SQLite needs no other."""

import sqlite3
from typing import Any

from sqlalchemy.exc import DBAPIError

# By the names that every driver in Python has for its errors.
_DRIVERS: list[Any] = [sqlite3]
try:
    import psycopg
except ModuleNotFoundError:
    pass
else:
    _DRIVERS.append(psycopg)

DRIVER_ERRORS: tuple[type[Exception], ...] = (DBAPIError, *(each.Error for each in _DRIVERS))

_REFUSALS: tuple[type[Exception], ...] = (
    *(each.DataError for each in _DRIVERS),
    *(each.IntegrityError for each in _DRIVERS),
    sqlite3.InterfaceError,
)
_WRONG_CALLS: tuple[type[Exception], ...] = tuple(each.ProgrammingError for each in _DRIVERS)

# PostgreSQL's codes of them.
_DEADLOCK = "40P01"
_CANCELLED = "57014"


def is_refusal(error: Exception) -> bool:
    """Whether something is wrong with the rows, not with the store."""
    # Without a state of the server's, its driver did not get as far as asking it; SQLite has none.
    is_unasked = isinstance(error, _WRONG_CALLS) and _state(error) is None
    return isinstance(error, _REFUSALS) or is_unasked


def is_deadlock(error: Exception) -> bool:
    """Whether the database chose this transaction to end, so that others can go on."""
    return _state(error) == _DEADLOCK


def is_cancelled(error: Exception) -> bool:
    """Whether the database ended a statement because it took too long; SQLAlchemy's errors too."""
    return _state(getattr(error, "orig", error)) == _CANCELLED


def _state(error: object) -> str | None:
    found: str | None = getattr(error, "sqlstate", None)
    return found
