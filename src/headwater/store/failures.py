"""Failures of the database, reported as a store that does not answer, in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from headwater.errors import StoreUnavailable
from headwater.store.driver_errors import is_cancelled

__all__ = [
    "DataError",
    "DatabaseError",
    "DriverError",
    "PoolTimeout",
    "answering",
    "find_reason",
    "is_cancelled",
]

# What a database's driver raises, and what SQLAlchemy raises beside that.
DriverError = DBAPIError
DatabaseError = SQLAlchemyError


def find_reason(error: SQLAlchemyError) -> str:
    """The first line of the driver's error, without the failed statement."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0]


@contextmanager
def answering(failure: str = "the store does not answer", advice: str = "") -> Iterator[None]:
    """Whatever the database's driver raises within becomes StoreUnavailable; and so does a wait for
    a connection that all others have."""
    try:
        yield
    except (DBAPIError, PoolTimeout) as error:
        raise StoreUnavailable(f"{failure}: {find_reason(error)}{advice}") from error
