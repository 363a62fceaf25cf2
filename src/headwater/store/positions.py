"""How far sources outside the store, such as a topic's partitions, have been ingested."""

from typing import NamedTuple

from sqlalchemy import Connection, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from headwater.model.values.instant import now
from headwater.store import tables


class SourcePosition(NamedTuple):
    value: int
    incarnation: str
    """Which source of that name it is; one that was created again starts at the beginning."""
    moved_at: int


def read_positions(connection: Connection, source: str) -> dict[str, SourcePosition]:
    """Read how far a source is, by its partitions; one that has not begun is absent."""
    table = tables.position
    query = select(table.c.partition, *(table.c[name] for name in SourcePosition._fields))
    rows = connection.execute(query.where(table.c.source == source))
    return {partition: SourcePosition(*rest) for partition, *rest in rows}


def move_position(
    connection: Connection, source: str, partition: str, value: int, incarnation: str = ""
) -> None:
    """Note how far a partition is; it moves back only where another incarnation began.

    In the transaction that stores what was taken in, so that neither is there without the other.
    """
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    table = tables.position
    place = {"source": source, "partition": partition}
    moved = {"incarnation": incarnation, "value": value, "moved_at": now()}
    statement = insert(table).values(place | moved)
    new = statement.excluded
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=list(place),
            set_={name: new[name] for name in moved},
            where=or_(new.value > table.c.value, new.incarnation != table.c.incarnation),
        )
    )
