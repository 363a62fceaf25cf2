"""Erasing events from store and lake: all that names somebody goes, all else stays."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from headwater.errors import Busy, InvalidRequest
from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.project import project
from headwater.model.values.instant import DAY, now
from headwater.pipeline.erase import Erasure, FoundEvents
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.lake.outbox import flush
from headwater.store import tables
from headwater.store.maintenance.check import check_store
from headwater.store.maintenance.leftovers import (
    count_leftovers,
    find_copies,
    list_other_places,
)
from headwater.store.maintenance.rebuild_lock import only_rebuild
from headwater.store.maintenance.selection import HoldingText, InNamespace, Selection
from headwater.store.write.outbox import count_waiting
from headwater.store.write.outbox_readers import register
from headwater.store.write.writer import open_writer
from testing.events.minimal import dataset, run_event, schema
from tests.properties.strategies import rows_of
from tests.store.rows import Rows, differences
from tests.store.stores import Store

WHO = "anna@example.com"


def encode(event: dict[str, Any]) -> bytes:
    return msgspec.json.encode(event)


OWNED = {"owners": [{"name": WHO}]}
OTHERS = [
    encode(run_event(inputs=[dataset("orders", schema=schema(id="INT"))])),
    encode(run_event("COMPLETE", "2024-05-01T10:05:00Z", outputs=[dataset("report")])),
    encode(run_event(job="other", run="r2", inputs=[dataset("orders")])),
]
ORDERS = dataset("orders", ownership=OWNED)
EDIT = {
    "actor": WHO,
    "entity": {"type": "job", "namespace": "scheduler", "name": "load"},
    "set": {"documentation": {"description": "hers"}},
}
HERS = [
    encode(run_event("RUNNING", "2024-05-01T10:02:00Z", inputs=[ORDERS])),
    encode(run_event(job=f"export_{WHO}", run="r3", outputs=[dataset("export")])),
    encode(run_event(job="third", run="r4", outputs=[dataset("x", "s3://Anna@EXAMPLE.com")])),
    encode({"eventTime": "2024-05-01T11:00:00Z", "edit": EDIT}),
    # Spelled with escapes.
    encode(run_event(job="fifth", run="r5")).replace(b"fifth", b"\\u0061nna\\u0040example.com"),
]
BROKEN = b'{"eventTime": "2024-05-01T10:00:00Z", "job": "anna@example.com", "cut off'


def facts_of(payload: bytes) -> Facts:
    return project(decode_event(payload))


def rows_without_log(store: Store) -> Rows:
    """All rows but those by which the log tells that something was erased."""
    rows = store.rows()
    edits = {row for row in rows["event"] if b'"erasure":' in row[-1]}
    bodies = {row for row in rows["content"] if row[-1].startswith(b'{"id":')}
    return rows | {
        "event": rows["event"] - edits,
        "content": rows["content"] - bodies,
        "edit_value": {row for row in rows["edit_value"] if row[3] != "erasure"},
        "named": {row for row in rows["named"] if row[1] != "headwater"},
    }


@pytest.fixture
def filled(store: Store, lake: Lake) -> Store:
    """Most of it is in the lake; the last events wait for it."""
    register(store.engine, "backend", "openlineage", "http://127.0.0.1:9/")
    store.write([[facts_of(event)] for event in (*OTHERS, *HERS[:-1])])
    flush(store.engine, lake)
    store.write([[facts_of(HERS[-1])], [take_in(BROKEN, now(), DAY, "POST").facts]])
    return store


def find(store: Store, lake: Lake, selection: Selection | None = None) -> FoundEvents:
    return Erasure(store.engine, lake, selection or HoldingText(WHO)).find()


def erase(store: Store, lake: Lake, selection: Selection | None = None) -> dict[str, int]:
    erasure = Erasure(store.engine, lake, selection or HoldingText(WHO))
    return dict(erasure.apply(erasure.find(), "operator", notes_for_lake=True))


def check_erased(store: Store, lake: Lake) -> None:
    expected = rows_of(facts_of(event) for event in OTHERS)
    assert differences(rows_without_log(store), expected) == {}
    assert not {event.payload for event in lake.read()} & {*HERS}
    assert check_store(store.engine) == []
    with store.engine.connect() as connection:
        assert count_leftovers(connection, HoldingText(WHO)) == {}
        for table in (tables.search_word, tables.search_part):
            assert not [row for row in connection.execute(select(table)) if "anna" in str(row)]
        places = {(row.at, row.digest) for row in connection.execute(select(tables.event))}
        noted = {(row.at, row.digest) for row in connection.execute(select(tables.outbox))}
        assert noted <= places
    flush(store.engine, lake)
    assert not {event.payload for event in lake.read()} & {*HERS}


class TestMatching:
    def test_all_that_names_somebody_goes(self, filled: Store, lake: Lake) -> None:
        found = find(filled, lake)
        assert (found.events, found.rejected) == (5, 1)
        assert found.kinds == {"run": 4, "edit": 1}
        assert (found.in_store, found.in_lake) == (5, 4)
        counts = erase(filled, lake)
        assert (counts["event"], counts["lake"], counts["rejected"]) == (5, 4, 1)
        check_erased(filled, lake)
        assert find(filled, lake).is_empty

    def test_the_log_tells_that_and_not_what(self, filled: Store, lake: Lake) -> None:
        erase(filled, lake)
        with filled.engine.connect() as connection:
            assert count_waiting(connection) == 2
        flush(filled.engine, lake)
        logged = [event.payload for event in lake.read() if b"erasure" in event.payload]
        began, ended = sorted(logged, key=lambda payload: b'"ended"' in payload)
        assert b"anna" not in began + ended
        value = msgspec.json.decode(ended)["edit"]["set"]["erasure"]
        assert value.pop("id") == msgspec.json.decode(began)["edit"]["set"]["erasure"]["id"]
        assert value == {
            "selected": "matching",
            "state": "ended",
            "events": 5,
            "rejected": 1,
            "lake": 4,
        }

    def test_nothing_is_left_in_the_file(self, filled: Store, lake: Lake, tmp_path: Path) -> None:
        if filled.engine.dialect.name != "sqlite":
            return
        filled.writer.close()
        filled.engine.dispose()
        assert b"export_anna" in b"".join(file.read_bytes() for file in tmp_path.glob("store.db*"))
        erase(filled, lake)
        assert b"anna" not in b"".join(file.read_bytes() for file in tmp_path.glob("store.db*"))

    def test_writers_of_other_processes_store_anew_what_went(
        self, filled: Store, lake: Lake
    ) -> None:
        """What is sent again is taken in again, and what it refers to is there."""
        erase(filled, lake)
        filled.write([[facts_of(event)] for event in HERS])
        expected = rows_of(facts_of(event) for event in (*OTHERS, *HERS))
        assert differences(rows_without_log(filled), expected) == {}
        assert check_store(filled.engine) == []

    @pytest.mark.parametrize("text", ["", "  ", "ab"])
    def test_a_text_that_is_everywhere_is_refused(self, text: str) -> None:
        with pytest.raises(InvalidRequest, match="shorter than 3"):
            HoldingText(text)


class TestNamespace:
    def test_no_job_or_dataset_of_it_is_left(self, filled: Store, lake: Lake) -> None:
        selection = InNamespace("s3://Anna@EXAMPLE.com")
        erase(filled, lake, selection)
        expected = [event for event in (*OTHERS, *HERS) if event != HERS[2]]
        rows = rows_without_log(filled)
        assert (
            differences(
                rows | {"rejected": set(), "rejected_place": set()},
                rows_of(facts_of(event) for event in expected),
            )
            == {}
        )
        with filled.engine.connect() as connection:
            assert count_leftovers(connection, selection) == {}

    def test_of_jobs_and_edits_too(self, filled: Store, lake: Lake) -> None:
        erase(filled, lake, InNamespace("scheduler"))
        assert not rows_without_log(filled)["job"]
        assert not rows_without_log(filled)["event"]


class Interrupted(Exception):
    pass


class TestInterrupted:
    def test_wherever_it_is_run_again(self, filled: Store, lake: Lake) -> None:
        """After each interruption the store is whole, and has all of them or none."""
        everything = differences(rows_without_log(filled), {name: set() for name in filled.rows()})
        for stop in ("reading", "removing", "the lake"):
            with pytest.raises(Interrupted):
                interrupted = Erasure(filled.engine, lake, HoldingText(WHO), stopping_at(stop))
                interrupted.apply(interrupted.find(), "operator", notes_for_lake=True)
            assert check_store(filled.engine) == []
            if stop != "the lake":
                now_there = rows_without_log(filled)
                assert everything == differences(now_there, {name: set() for name in now_there})
        erase(filled, lake)
        check_erased(filled, lake)

    def test_not_beside_a_rebuild(self, filled: Store) -> None:
        with only_rebuild(filled.engine), pytest.raises(Busy), only_rebuild(filled.engine):
            pass
        with only_rebuild(filled.engine):
            pass


def stopping_at(name: str) -> Any:
    def progress(step: str, done: int, total: int | None) -> None:
        if step.startswith(name):
            raise Interrupted

    return progress


class TestMeanwhile:
    def test_what_others_send_stays(self, filled: Store, lake: Lake) -> None:
        """Their first evidence came after the search, and hers was the only one before."""
        again = encode(run_event(job="third", run="r9", at="2024-05-01T12:00:00Z"))
        erasure = Erasure(filled.engine, lake, HoldingText(WHO))
        found = erasure.find()
        filled.write([[facts_of(again)]])
        erasure.apply(found, "operator", notes_for_lake=True)
        expected = rows_of(facts_of(event) for event in (*OTHERS, again))
        assert differences(rows_without_log(filled), expected) == {}

    def test_a_prune_between_is_noticed(self, filled: Store, lake: Lake) -> None:
        erasure = Erasure(filled.engine, lake, HoldingText(WHO))
        found = erasure.find()
        filled.empty()
        with pytest.raises(Busy, match="run it again"):
            erasure.apply(found, "operator", notes_for_lake=True)


class TestOtherPlaces:
    def test_files_that_may_hold_them(self, filled: Store, lake: Lake, tmp_path: Path) -> None:
        names = {"copy.db": b"SQLite format 3\0...", "dump": b"PGDMP...", "notes.txt": b"anna"}
        for name, content in names.items():
            (tmp_path / name).write_bytes(content)
        found = find_copies(filled.engine, [tmp_path], lake.folder)
        assert {file.name for file in found} == {"copy.db", "dump"}
        with filled.engine.connect() as connection:
            assert list_other_places(connection) == ["target backend (http://127.0.0.1:9/)"]

    def test_what_pruned_events_gave_is_reported(self, filled: Store, lake: Lake) -> None:
        """No event says it any more: it is found by its name."""
        with filled.engine.begin() as connection:
            connection.execute(tables.event.delete())
        with filled.engine.connect() as connection:
            left = count_leftovers(connection, HoldingText(WHO))
        assert left["job"] == 2
        assert left["dataset"] == 1


def test_it_needs_no_lake(store: Store) -> None:
    store.writer.close()
    store.writer = open_writer(store.engine)
    store.write([[facts_of(event)] for event in (*OTHERS, *HERS)])
    erasure = Erasure(store.engine, None, HoldingText(WHO))
    erasure.apply(erasure.find(), "operator", notes_for_lake=False)
    expected = rows_of(facts_of(event) for event in OTHERS)
    assert differences(rows_without_log(store), expected) == {}
