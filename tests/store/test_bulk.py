"""Many events at once: if the store refuses one, that one alone is rejected."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from sqlalchemy import Engine, select

from headwater.errors import StoreUnavailable
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.intake import reject
from headwater.model.merge import Merged, Row
from headwater.model.project import project
from headwater.model.relations import Declaration, Rejected
from headwater.model.values.ids import dataset_id, digest
from headwater.store.tables import TABLES
from headwater.store.write.bulk import write_or_reject
from headwater.store.write.connections import Connection
from headwater.store.write.packing import unpack
from headwater.store.write.writer import Ready, Writer, open_writer, ready
from testing.events.full import dataset_event, encode
from tests.store.rows import Rows, differences, merged_rows, read_rows
from tests.store.samples import Passing, connect

RECEIVED_AT = 1_700_000_000_000_000
SCHEMA = {"fields": [{"name": "a", "type": "INT"}]}


def event(name: str) -> bytes:
    data = {"namespace": "db", "name": name, "facets": {"schema": SCHEMA}}
    return encode(dataset_event(dataset=data))


def facts_of(*names: str) -> list[Facts]:
    return [project(decode_event(event(name)), RECEIVED_AT) for name in names]


def merged(facts: Sequence[Facts]) -> Merged:
    all_of_them = Merged()
    for stated in facts:
        all_of_them.add(stated.all_rows())
    return all_of_them


def rows_of(*names: str) -> Rows:
    return merged_rows(merged(facts_of(*names)))


def ready_of(*names: str, more: Sequence[Facts] = ()) -> Ready:
    return ready(merged([*facts_of(*names), *more]))


class Refusing(Passing):
    """Refuses an event, alone or among others."""

    def __init__(self, inner: Connection, refused: bytes, error: Exception) -> None:
        super().__init__(inner)
        self.refused = digest(refused)
        self.error = error

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        if relation == "event" and any(row[1] == self.refused for row in rows):
            raise self.error
        super().upsert(relation, rows)


@pytest.fixture
def refuses_b(engine: Engine) -> Iterator[Writer]:
    """A writer whose store refuses the event of dataset b."""
    error = sqlite3.IntegrityError("value too strange\nof which more is said here")
    with closing(Writer(lambda: Refusing(connect(engine), event("b"), error))) as writer:
        yield writer


def rejected(engine: Engine) -> list[Rejected]:
    with engine.connect() as connection:
        query = select(*(TABLES["rejected"].c[name] for name in Rejected._fields))
        found = [Rejected._make(row) for row in connection.execute(query)]
    return [row._replace(payload=unpack(row.payload)) for row in found]


def test_what_is_taken_is_written_at_once(engine: Engine) -> None:
    with closing(open_writer(engine)) as writer:
        assert write_or_reject(writer, ready_of("a", "b", "c")) == 0
    assert differences(read_rows(engine), rows_of("a", "b", "c")) == {}


def test_nothing(engine: Engine) -> None:
    with closing(open_writer(engine)) as writer:
        assert write_or_reject(writer, {}) == 0


def test_one_that_is_refused_is_rejected_and_no_other(engine: Engine, refuses_b: Writer) -> None:
    assert write_or_reject(refuses_b, ready_of("a", "b", "c")) == 1
    stored = read_rows(engine)
    data = event("b")
    assert rejected(engine) == [
        Rejected(
            digest(data),
            RECEIVED_AT,
            "store",
            "$",
            "the store refuses it: value too strange",
            len(data),
            data,
        )
    ]
    # Its name may be counted on by others.
    expected = rows_of("a", "c")
    expected["dataset"] = rows_of("a", "b", "c")["dataset"]
    stored["rejected"] = stored["rejected_place"] = set()
    assert differences(stored, expected) == {}


def test_all_may_be_refused(engine: Engine, refuses_b: Writer) -> None:
    assert write_or_reject(refuses_b, ready_of("b")) == 1
    assert len(rejected(engine)) == 1
    assert read_rows(engine)["event"] == set()


def test_it_is_refused_again_when_it_comes_again(engine: Engine, refuses_b: Writer) -> None:
    for _ in range(2):
        assert write_or_reject(refuses_b, ready_of("a", "b")) == 1
    assert len(rejected(engine)) == 1


def test_when_it_was_received_is_kept(engine: Engine, refuses_b: Writer) -> None:
    write_or_reject(refuses_b, ready_of("a", "b"))
    with engine.connect() as connection:
        found = connection.execute(select(TABLES["event"].c.received_at)).scalars().all()
    assert found == [RECEIVED_AT]


def test_what_was_rejected_before_stays_so(engine: Engine, refuses_b: Writer) -> None:
    bad = reject(b"{", RECEIVED_AT, "kafka orders/0@7", "$", "invalid JSON")
    assert write_or_reject(refuses_b, ready_of("a", "b", more=[bad])) == 1
    assert {row.source for row in rejected(engine)} == {"store", "kafka orders/0@7"}


def test_later_rows_may_count_on_names_that_came_with_it(engine: Engine, refuses_b: Writer) -> None:
    """A task gives names and content once, with the first event that has them."""
    write_or_reject(refuses_b, ready_of("b"))
    other = encode({**dataset_event(), "dataset": {"namespace": "db", "name": "b"}})
    later = merged([project(decode_event(other), RECEIVED_AT)])
    rows = {name: some for name, some in ready(later).items() if name != "dataset"}
    assert write_or_reject(refuses_b, rows) == 0
    stored = read_rows(engine)
    assert {row[0] for row in stored["dataset"]} == {dataset_id("db", "b")}
    assert {row[0] for row in stored["content"]} == set(facts_of("b")[0].contents)


def test_a_store_that_is_away_is_reported(engine: Engine) -> None:
    """Nothing is rejected for it, at once or singly."""
    away = StoreUnavailable("away")
    with (
        closing(Writer(lambda: Refusing(connect(engine), event("b"), away))) as writer,
        pytest.raises(StoreUnavailable),
    ):
        write_or_reject(writer, ready_of("a", "b"))
    assert read_rows(engine)["event"] == set() and rejected(engine) == []


class GoingAway(Refusing):
    """Refuses an event among others; asked for it alone, the store is away."""

    def upsert(self, relation: str, rows: Sequence[Row]) -> None:
        if relation == "event" and len(rows) == 1:
            raise StoreUnavailable("away")
        super().upsert(relation, rows)


def test_one_that_goes_away_meanwhile_is_reported(engine: Engine) -> None:
    error = sqlite3.IntegrityError("no")
    with (
        closing(Writer(lambda: GoingAway(connect(engine), event("b"), error))) as writer,
        pytest.raises(StoreUnavailable),
    ):
        write_or_reject(writer, ready_of("a", "b"))
    assert rejected(engine) == []


@pytest.mark.parametrize("is_bulk", [False, True])
def test_a_row_that_no_database_can_hold(engine: Engine, is_bulk: bool) -> None:
    """Singly all are taken: no event states such a row."""
    rows = dict(ready_of("a", "b"))
    bad = Declaration(bytes(16), bytes(16), object())  # type: ignore[arg-type]
    rows["declaration"] = [*rows.get("declaration", ()), bad]
    with closing(open_writer(engine, is_bulk=is_bulk)) as writer:
        assert write_or_reject(writer, rows) == 0
        assert differences(read_rows(engine), rows_of("a", "b")) == {}
        # And it goes on with the next.
        assert write_or_reject(writer, ready_of("c")) == 0
    assert differences(read_rows(engine), rows_of("a", "b", "c")) == {}


@pytest.mark.parametrize("relation", ["content", "dataset"])
def test_a_name_or_content_that_no_database_can_hold(engine: Engine, relation: str) -> None:
    rows = dict(ready_of("a", "b"))
    width = len(rows[relation][0])
    rows[relation] = [(b"\xff" * 16, *[object()] * (width - 1)), *rows[relation]]
    with closing(open_writer(engine)) as writer:
        assert write_or_reject(writer, rows) == 0
    assert differences(read_rows(engine), rows_of("a", "b")) == {}
