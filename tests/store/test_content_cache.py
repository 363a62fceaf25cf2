"""Content as it is understood: read once a digest, and left out where there is none."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, Engine

from headwater.model import facets
from headwater.model.column_map import ColumnMap, InputColumn
from headwater.model.values.ids import NO_CONTENT, UNREPORTED, dataset_id, digest
from headwater.store import tables
from headwater.store.read.content_cache import COLUMN_MAPS, SCHEMAS, SNAPSHOT_TYPES, Readings
from headwater.store.write.packing import pack
from tests.store.samples import COLUMN_MAP


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        yield connection


def put(connection: Connection, *values: Any) -> list[bytes]:
    """Store values as content; gives their digests."""
    bodies = [msgspec.json.encode(value) for value in values]
    rows = [{"digest": digest(body), "body": pack(body)} for body in bodies]
    connection.execute(tables.content.insert(), rows)
    return [digest(body) for body in bodies]


class Recording:
    """Reads a body as its length, and keeps what it has read."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def __call__(self, body: bytes) -> int:
        self.seen.append(body)
        return len(body)


def test_all_that_is_behind_digests_is_read(connection: Connection) -> None:
    values = ["a", "b" * 5_000, "c" * 90]
    digests = put(connection, *values)
    lengths = [len(value) + 2 for value in values]
    found = Readings(len, 1_000_000).read(connection, [*digests, digests[0]])
    assert found == dict(zip(digests, lengths, strict=True))


def test_none_and_nothing_are_left_out(connection: Connection) -> None:
    (stored,) = put(connection, "a")
    readings = Readings(len, 1_000_000)
    assert readings.read(connection, [None, NO_CONTENT, UNREPORTED]) == {}
    assert readings.read(connection, []) == {}
    assert readings.read(connection, [None, stored, NO_CONTENT, UNREPORTED]) == {stored: 3}


def test_content_that_is_missing_is_left_out_until_it_is_there(connection: Connection) -> None:
    readings = Readings(len, 1_000_000)
    missing = digest(b'"a"')
    assert readings.read(connection, [missing]) == {}
    put(connection, "a")
    assert readings.read(connection, [missing]) == {missing: 3}


def test_what_was_read_is_remembered(connection: Connection) -> None:
    recording = Recording()
    readings = Readings(recording, 1_000_000)
    one, other = put(connection, "a", "bc")
    readings.read(connection, [one])
    connection.execute(tables.content.delete().where(tables.content.c.digest == one))
    assert readings.read(connection, [one, other]) == {one: 3, other: 4}
    assert recording.seen == [b'"a"', b'"bc"']


def test_a_reading_that_is_false_is_remembered_too(connection: Connection) -> None:
    recording = Recording()
    readings = Readings(lambda body: recording(body) == 0, 1_000_000)
    (stored,) = put(connection, "a")
    for _ in range(2):
        assert readings.read(connection, [stored]) == {stored: False}
    assert len(recording.seen) == 1


def test_memory_is_counted_by_what_bodies_grow_to(connection: Connection) -> None:
    recording = Recording()
    (large,) = put(connection, "a" * 2_000)
    for growth, reads in ((1, 1), (10, 2)):
        recording.seen.clear()
        readings = Readings(recording, 40_000, growth)
        for _ in range(2):
            assert readings.read(connection, [large]) == {large: 2_002}
        assert len(recording.seen) == reads


@pytest.mark.parametrize(
    ("value", "emits_snapshots"),
    [
        ({"emissionPattern": {"eventContentMode": "COMPLETE_SNAPSHOT"}}, True),
        ({"emissionPattern": {"eventContentMode": "DELTA"}}, False),
        ({"emissionPattern": {"eventContentMode": ["COMPLETE_SNAPSHOT"]}}, False),
        ({"emissionPattern": {}}, False),
        ({"emissionPattern": None}, False),
        ({"emissionPattern": "COMPLETE_SNAPSHOT"}, False),
        ({"processingType": "STREAMING"}, False),
        (["COMPLETE_SNAPSHOT"], False),
    ],
)
def test_a_job_type_may_say_that_events_are_snapshots(
    connection: Connection, value: object, emits_snapshots: bool
) -> None:
    (stored,) = put(connection, value)
    assert SNAPSHOT_TYPES.read(connection, [stored]) == {stored: emits_snapshots}


def test_column_maps_are_spelled_out(connection: Connection) -> None:
    stored, odd = put(connection, COLUMN_MAP, {"fields": 7})
    source = InputColumn(dataset_id("db", "source"), "a")
    assert COLUMN_MAPS.read(connection, [stored, odd]) == {
        stored: ColumnMap({"a": (source,)}),
        odd: ColumnMap({}),
    }


def test_schemas_have_their_fields(connection: Connection) -> None:
    inner = {"name": "street", "type": "STRING"}
    stored, odd = put(connection, {"fields": [{"name": "address", "fields": [inner]}]}, [7])
    assert SCHEMAS.read(connection, [stored, odd]) == {
        stored: facets.Schema(
            [facets.SchemaField("address", fields=[facets.SchemaField("street", "STRING")])]
        ),
        odd: facets.Schema(),
    }
