"""A database that fails is a store that does not answer, told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from headwater.errors import StoreUnavailable


@contextmanager
def answering() -> Iterator[None]:
    """Whatever the database's driver raises within becomes StoreUnavailable."""
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).partition("\n")[0]
        raise StoreUnavailable(f"the store does not answer: {reason}") from error
