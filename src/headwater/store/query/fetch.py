"""The rows of a statement as the driver gives them, without SQLAlchemy's cost for each row."""

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from headwater.store.driver_errors import DRIVER_ERRORS


def fetch_rows(connection: Connection, text: str, values: Any) -> list[tuple[Any, ...]]:
    """Run a statement and read all its rows.

    SQLite looks for each row only when it is read, and is interrupted there as well: what the
    driver raises then is what SQLAlchemy makes of it elsewhere.
    """
    result = connection.exec_driver_sql(text, values)
    assert result.cursor is not None
    try:
        return list(result.cursor.fetchall())
    except DRIVER_ERRORS as error:
        raise _wrapped(connection, text, error) from error
    finally:
        result.close()


def _wrapped(connection: Connection, text: str, error: Exception) -> BaseException:
    base = connection.dialect.loaded_dbapi.Error
    return DBAPIError.instance(text, None, error, base, hide_parameters=True)
