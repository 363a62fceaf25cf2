"""Minutes of old samples become hours: of each hour its newest counters, at its last minute."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, bindparam, delete, select, tuple_

from headwater.model.merge import CATALOG, Row
from headwater.model.values.instant import MINUTE
from headwater.store import tables
from headwater.store.maintenance.exclusive import merge_rows, removing

_ROWS_AT_ONCE = 2_000
_HOUR = 60

_TABLE = tables.sample
_KEY = tuple(_TABLE.c[name] for name in ("run", "dataset", "direction", "minute"))


def is_old_minute(horizon: int) -> ColumnElement[bool]:
    """In an hour that ended before the horizon, and not yet that hour's row."""
    minute = _TABLE.c.minute
    # A remainder is negative before 1970, unless it is made twice.
    minute_of_hour = (minute % _HOUR + _HOUR) % _HOUR
    return (minute < horizon // MINUTE // _HOUR * _HOUR) & (minute_of_hour != _HOUR - 1)


def roll_up_samples(engine: Engine, horizon: int) -> Iterator[int]:
    """Roll up what is old; yields how many minutes each step took in."""
    after: Row | None = None
    while True:
        with engine.connect() as connection:
            if not _find_minutes(connection, horizon, after):
                return
        with removing(engine) as connection:
            minutes = _find_minutes(connection, horizon, after)
            _replace(connection, minutes)
        yield len(minutes)
        if len(minutes) < _ROWS_AT_ONCE:
            return
        after = minutes[-1][: len(_KEY)]


def _find_minutes(connection: Connection, horizon: int, after: Row | None) -> Sequence[Row]:
    query = select(_TABLE).where(is_old_minute(horizon)).order_by(*_KEY).limit(_ROWS_AT_ONCE)
    if after is not None:
        query = query.where(tuple_(*_KEY) > tuple_(*after))
    return [tuple(row) for row in connection.execute(query)]


def _replace(connection: Connection, minutes: Sequence[Row]) -> None:
    """Merge each minute into its hour; the counters are cumulative, so the newest say it all."""
    if not minutes:
        return
    merge = CATALOG["sample"].merge
    hours: dict[Row, Row] = {}
    for run, dataset, direction, minute, *counters in minutes:
        key = (run, dataset, direction, minute // _HOUR * _HOUR + _HOUR - 1)
        row = (*key, *counters)
        hours[key] = merge(hours[key], row) if key in hours else row
    merge_rows(connection, "sample", list(hours.values()))
    names = [f"its_{column.name}" for column in _KEY]
    conditions = [column == bindparam(name) for column, name in zip(_KEY, names, strict=True)]
    keys: list[dict[str, Any]] = [dict(zip(names, row, strict=False)) for row in minutes]
    connection.execute(delete(_TABLE).where(*conditions), keys)
