"""What a store holds after a fault: all that was acknowledged, and no loose ends."""

import re
from collections.abc import Iterable
from itertools import count

import httpx2
import msgspec
from sqlalchemy import ColumnElement, Connection, exists, or_, select, text

from headwater.model.column_map import read_column_map
from headwater.model.event import Kind
from headwater.model.values.ids import UNREPORTED
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.write.packing import unpack
from testing import load
from testing.services.headwater import Headwater
from tests.faults.load import JSON, PATH, new_client

_PAGE = 1_000
_FRESH_RUN = 600_000

_USED = (tables.run_dataset, tables.job_dataset, tables.declared_dataset)
_CONTENTS = (
    *(table.c[name] for table in _USED for name in ("schema", "columns")),
    tables.run_dataset.c.version,
    tables.run_dataset.c.statistics,
    tables.facet.c.digest,
    tables.run.c.sql,
)
# A column that points, and the key it points to.
_REFERENCES = (
    *((column, tables.content.c.digest) for column in _CONTENTS),
    *((table.c.dataset, tables.dataset.c.id) for table in _USED),
    (tables.run_dataset.c.run, tables.run.c.id),
    (tables.job_dataset.c.job, tables.job.c.id),
    (tables.event.c.run, tables.run.c.id),
    (tables.event.c.job, tables.job.c.id),
    (tables.run.c.job, tables.job.c.id),
)


class _Page(msgspec.Struct):
    events: list[msgspec.Raw]


def events_read(client: httpx2.Client) -> set[bytes]:
    """All events as the server gives them out, page by page."""
    found: set[bytes] = set()
    for number in count():
        query = f"limit={_PAGE}&offset={number * _PAGE}&sortDirection=asc"
        answer = client.get(f"/api/v1/events/lineage?{query}")
        assert answer.status_code == 200, answer.text
        page = msgspec.json.decode(answer.content, type=_Page)
        found.update(bytes(event) for event in page.events)
        if len(page.events) < _PAGE:
            return found
    raise AssertionError


def events_in(url: str) -> set[bytes]:
    """All events in a store, read without a server."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            query = select(tables.event.c.payload)
            return {unpack(payload) for payload in connection.execute(query).scalars()}
    finally:
        engine.dispose()


def check_consistent(url: str) -> None:
    """The file is whole, and whatever a row points to is there."""
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
            loose = {
                f"{column.table.name}.{column.name}": number
                for column, key in _REFERENCES
                if (number := _count_loose(connection, column, key))
            }
            assert loose == {}, f"rows point to what is not there: {loose}"
            unnamed = _column_map_inputs(connection) - _dataset_ids(connection)
            assert not unnamed, f"column maps point to {len(unnamed)} datasets that are not there"
    finally:
        engine.dispose()


def _count_loose(
    connection: Connection, column: ColumnElement[bytes], key: ColumnElement[bytes]
) -> int:
    is_loose = (column != UNREPORTED) & ~exists().where(key == column)
    if column is tables.event.c.job:
        # Edits are about other things as well.
        is_loose &= tables.event.c.kind != Kind.EDIT
    return len(connection.execute(select(column).where(is_loose).distinct()).all())


def _column_map_inputs(connection: Connection) -> set[bytes]:
    """The datasets that all stated column maps name as sources."""
    content = tables.content
    is_column_map = or_(*(content.c.digest.in_(select(table.c.columns)) for table in _USED))
    bodies = connection.execute(select(content.c.body).where(is_column_map)).scalars()
    return {
        source.dataset
        for body in bodies
        for sources in read_column_map(unpack(body)).outputs.values()
        for source in sources
    }


def _dataset_ids(connection: Connection) -> set[bytes]:
    return set(connection.execute(select(tables.dataset.c.id)).scalars())


def check_store(server: Headwater, acknowledged: Iterable[bytes]) -> None:
    """All that was acknowledged is there, the store is consistent, and more can be stored."""
    with new_client(server.url) as client:
        lost = set(acknowledged) - events_read(client)
        assert not lost, f"{len(lost)} acknowledged events are lost"
        check_consistent(server.store)
        check_stores_more(server)


def check_stores_more(server: Headwater) -> None:
    with new_client(server.url) as client:
        for event in load.events(2, start_run=_FRESH_RUN):
            answer = client.post(PATH, content=event, headers=JSON)
            assert answer.status_code == 201, answer.text
            assert event in events_read(client)


def check_quiet(server: Headwater) -> None:
    """Nothing went wrong that the server had not foreseen."""
    log = server.log()
    assert re.search(r"Traceback|\bERROR\b|\bCRITICAL\b", log) is None, log[-5_000:]
