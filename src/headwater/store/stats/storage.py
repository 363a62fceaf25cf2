"""How much a store holds, and how fast it grows."""

from typing import NamedTuple

from sqlalchemy import Connection, Engine, func, inspect, select, text

from headwater.model.values.instant import DAY, format_instant
from headwater.store import tables
from headwater.store.engine import sqlite_file

DAYS = 14


class TableStats(NamedTuple):
    """Bytes include indexes; None where the database cannot tell."""

    name: str
    rows: int
    bytes: int | None


class DayStats(NamedTuple):
    """The events of one day in UTC, by their own time."""

    day: str
    events: int


class Stats(NamedTuple):
    tables: list[TableStats]
    bytes: int
    days: list[DayStats]
    events_per_day: float
    bytes_per_day: int


def read_stats(engine: Engine, now: int) -> Stats:
    """Count rows, measure tables, and tell the growth of the last days.

    Growth in bytes is an estimate: what an event takes on average, all tables counted, times the
    events a day.
    """
    with engine.connect() as connection:
        names = sorted(set(tables.METADATA.tables) & set(inspect(connection).get_table_names()))
        sizes = _sqlite_sizes(connection) if engine.dialect.name == "sqlite" else None
        found = [
            TableStats(
                name,
                _count(connection, name),
                sizes.get(name) if sizes is not None else _postgres_size(connection, name),
            )
            for name in names
        ]
        days = _read_days(connection, now) if "event" in names else []
        total = _total_bytes(engine, connection)
    # The day that is not over would make growth look slower than it is.
    whole = days[:-1]
    per_day = sum(day.events for day in whole) / len(whole) if whole else 0.0
    events = next((table.rows for table in found if table.name == "event"), 0)
    # Without the room that a prune has left empty, where the database can tell.
    used = sum(table.bytes or 0 for table in found) or total
    return Stats(found, total, days, per_day, round(used / events * per_day) if events else 0)


def _count(connection: Connection, name: str) -> int:
    query = select(func.count()).select_from(tables.METADATA.tables[name])
    return int(connection.execute(query).scalar() or 0)


def _sqlite_sizes(connection: Connection) -> dict[str, int]:
    """The pages of each table and its indexes; empty where SQLite was built without `dbstat`."""
    options = connection.exec_driver_sql("PRAGMA compile_options").scalars().all()
    if "ENABLE_DBSTAT_VTAB" not in options:
        return {}
    query = (
        "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name "
        "WHERE s.aggregate = TRUE GROUP BY m.tbl_name"
    )
    return {name: int(size) for name, size in connection.exec_driver_sql(query)}


def _postgres_size(connection: Connection, name: str) -> int:
    query = text("SELECT pg_total_relation_size(to_regclass(quote_ident(:name)))")
    return int(connection.execute(query, {"name": name}).scalar() or 0)


def _total_bytes(engine: Engine, connection: Connection) -> int:
    if engine.dialect.name != "sqlite":
        query = text("SELECT pg_database_size(current_database())")
        return int(connection.execute(query).scalar() or 0)
    file = sqlite_file(engine)
    # The log holds what is not in the file yet.
    parts = (file, file.with_name(file.name + "-wal"))
    return sum(part.stat().st_size for part in parts if part.exists())


def _read_days(connection: Connection, now: int) -> list[DayStats]:
    table = tables.event
    days = []
    first = now // DAY - (DAYS - 1)
    for day in range(first, first + DAYS):
        within = (table.c.at >= day * DAY, table.c.at < (day + 1) * DAY)
        count = connection.execute(select(func.count()).where(*within)).scalar()
        days.append(DayStats(format_instant(day * DAY)[:10], int(count or 0)))
    return days
