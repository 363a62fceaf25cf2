"""Asking a database in its own words: for searches, which ask much and often.

A text has `?` for a value and `?*` for a list that a column is `IN`; each database gets it as it
likes it. Nothing of what is requested is ever part of the text.
"""

import re
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from headwater.store.query.fetch import fetch_rows

_MARK = re.compile(r"IN \?\*|\?")


def ask(connection: Connection, text: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query, as the driver gives them."""
    if connection.dialect.name != "sqlite":
        return fetch_rows(connection, _for_postgres(text), tuple(values))
    sizes = tuple(len(value) if isinstance(value, list) else -1 for value in values)
    flat: list[Any] = []
    for value in values:
        if isinstance(value, list):
            flat += value
        else:
            flat.append(value)
    return fetch_rows(connection, _for_sqlite(text, sizes), tuple(flat))


@lru_cache(maxsize=512)
def _for_sqlite(text: str, sizes: tuple[int, ...]) -> str:
    left = iter(sizes)

    def mark(found: re.Match[str]) -> str:
        size = next(left)
        return "?" if size < 0 else f"IN ({', '.join('?' * size)})"

    return _MARK.sub(mark, text)


@lru_cache(maxsize=512)
def _for_postgres(text: str) -> str:
    return _MARK.sub(lambda found: "%s" if found.group() == "?" else "= ANY(%s)", text)
