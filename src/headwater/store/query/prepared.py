"""Queries for rows by id, compiled once: a walk asks the same few many times over."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sqlalchemy import ARRAY, BindParameter, ColumnElement, Connection, LargeBinary, any_, bindparam
from sqlalchemy.sql.expression import ClauseElement

from headwater.store.query.fetch import fetch_rows
from headwater.store.query.paging import in_parts

IsAmong = Callable[[ColumnElement[Any]], ColumnElement[bool]]

_MARK = "__[POSTCOMPILE_ids]"


class Prepared:
    """A query whose ids are given with each call, on either database.

    SQLAlchemy writes the statement once for each database; after that the driver is called with
    plain values, at a fraction of the cost.
    """

    def __init__(self, build: Callable[[IsAmong], ClauseElement]) -> None:
        self._build = build
        self._for = cache(self._compile)

    def rows(
        self, connection: Connection, ids: Iterable[bytes], **values: Any
    ) -> list[tuple[Any, ...]]:
        """The rows of all ids, as the driver gives them; each id is requested once."""
        query = self._for(connection.dialect.name, connection.dialect)
        if isinstance(query, _Positional):
            return [
                row
                for part in in_parts(ids)
                for row in fetch_rows(connection, *query.statement(part, values))
            ]
        text, constants = query
        requested = sorted(set(ids))
        return (
            fetch_rows(connection, text, {**constants, **values, "ids": requested})
            if requested
            else []
        )

    def _compile(self, name: str, dialect: Any) -> "_Positional | tuple[str, dict[str, Any]]":
        if name == "sqlite":
            listed: BindParameter[Any] = bindparam("ids", expanding=True)
            compiled: Any = self._build(lambda column: column.in_(listed)).compile(dialect=dialect)
            return _Positional(compiled.string, compiled.positiontup, dict(compiled.params))
        array = bindparam("ids", type_=ARRAY(LargeBinary))
        built: Any = self._build(lambda column: column == any_(array)).compile(dialect=dialect)
        return built.string, dict(built.params)


class _Positional:
    """A statement of SQLite: a place for every id."""

    def __init__(self, text: str, order: list[str], constants: dict[str, Any]) -> None:
        self._text = text
        self._order = order
        self._constants = constants
        self._texts: dict[int, str] = {}

    def statement(self, ids: list[bytes], values: dict[str, Any]) -> tuple[str, tuple[Any, ...]]:
        text = self._texts.get(len(ids))
        if text is None:
            text = self._text.replace(_MARK, ", ".join("?" * len(ids)))
            self._texts[len(ids)] = text
        known = {**self._constants, **values}
        flat: list[Any] = []
        for name in self._order:
            if name == "ids":
                flat += ids
            else:
                flat.append(known[name])
        return text, tuple(flat)
