"""What a task makes of its messages: chunks, rejections, and rows for a store and the lake."""

import gc
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.errors import LakeUnavailable, StoreUnavailable
from headwater.model.event import Kind, decode_event
from headwater.model.merge import CATALOG, Merged, Row
from headwater.model.project import project
from headwater.model.relations import RELATIONS, EventRow, Rejected, RejectedPlace
from headwater.model.values.ids import dataset_id, digest
from headwater.model.values.instant import SECOND, parse_instant
from headwater.pipeline import tasks
from headwater.pipeline.job_patterns import JobPatterns
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.tasks import Chunk, Handed, Message, Task, hand_over, take_over
from headwater.store.write.packing import unpack
from headwater.store.write.writer import open_writer, pack_rows, ready
from testing.events import history
from testing.events.full import (
    Json,
    dataset_event,
    edit_event,
    job_event,
    micro_batch_event,
    run_event,
)
from tests.pipeline.frames import PLACE, chunks_of, handed_by, make_task, message, numbered
from tests.pipeline.lakes import NOON, payloads
from tests.properties.relation_rows import rows
from tests.store.rows import differences, merged_rows
from tests.store.stores import Store

HOUR = 3_600 * SECOND
SCHEMA = {"fields": [{"name": "a", "type": "INT"}]}
DESCRIBED = [{"namespace": "db", "name": "orders", "facets": {"schema": SCHEMA}}]


@pytest.fixture(autouse=True)
def _gc_threshold() -> Iterator[None]:
    """Tasks set it for their process, which here is that of all tests."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "spool"
    folder.mkdir()
    return folder


@pytest.fixture
def three_a_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "CHUNK_EVENTS", 3)


def rejected(handed: Handed) -> list[Rejected]:
    found = [Rejected._make(row) for row in handed.rows.get("rejected", ())]
    return [row._replace(payload=unpack(row.payload)) for row in found]


def reject_of(spool: Path, given: Message, **settings: Any) -> Rejected:
    """The one rejection that a message becomes."""
    (handed,) = handed_by(make_task(spool=spool, **settings), [given])
    size = len(given.data or b"")
    assert handed.chunk == Chunk(messages=1, rejected=1, bytes=size)
    assert handed.rows.keys() == {"rejected", "rejected_place"}
    (row,) = rejected(handed)
    return row


class TestChunks:
    def test_so_many_messages(self, spool: Path, three_a_chunk: None) -> None:
        task = make_task(spool=spool)
        chunks = chunks_of(task, numbered(0, 1), numbered(2, 3, 4), numbered(5, 6))
        assert [chunk.messages for chunk in chunks] == [3, 3, 1]
        assert [chunk.events for chunk in chunks] == [3, 3, 1]

    def test_none_is_empty(self, spool: Path, three_a_chunk: None) -> None:
        task = make_task(spool=spool)
        assert [chunk.messages for chunk in chunks_of(task, numbered(*range(6)))] == [3, 3]
        assert chunks_of(task) == chunks_of(task, [], []) == []

    def test_so_many_bytes(self, spool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        messages = numbered(*range(5))
        size = len(messages[0].data or b"")
        monkeypatch.setattr(tasks, "CHUNK_BYTES", size + 1)
        chunks = chunks_of(make_task(spool=spool), messages)
        assert [chunk.bytes for chunk in chunks] == [2 * size, 2 * size, size]

    def test_messages_that_state_nothing_count_as_well(
        self, spool: Path, three_a_chunk: None
    ) -> None:
        """Or a task that is given nothing else would hold them all."""
        unwanted = JobPatterns(exclude=("*",))
        chunks = chunks_of(make_task(spool=spool, jobs=unwanted), numbered(*range(7)))
        assert [(chunk.messages, chunk.excluded) for chunk in chunks] == [(3, 3), (3, 3), (1, 1)]
        bad = [Message(b"%d" % number, NOON, (number,)) for number in range(4)]
        chunks = chunks_of(make_task(spool=spool), bad)
        assert [(chunk.messages, chunk.rejected) for chunk in chunks] == [(3, 3), (1, 1)]

    def test_each_is_done_before_the_next_is_read(self, spool: Path, three_a_chunk: None) -> None:
        """However many there are, one chunk is held."""
        read: list[int] = []

        def messages() -> Iterator[Message]:
            for number, each in enumerate(numbered(*range(9))):
                read.append(number)
                yield each

        results = make_task(spool=spool)([messages()])
        for count in (1, 2, 3):
            next(results)
            assert len(read) == 3 * count == 3 * len(list(spool.iterdir()))

    def test_what_is_stored_is_what_one_by_one_would_be(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, three_a_chunk: None
    ) -> None:
        """By the writer that tasks on PostgreSQL have of their own."""
        bulk = open_writer(store.engine, is_bulk=True)
        monkeypatch.setattr(tasks, "writer_of", lambda url: bulk)
        events = [*numbered(*range(8), inputs=DESCRIBED), *kinds()]
        chunks = chunks_of(make_task(store="some URL"), events)
        assert [chunk.messages for chunk in chunks] == [3, 3, 3, 1]
        expected = Merged()
        for each in events:
            expected.add(project(decode_event(each.data or b""), NOON).all_rows())
        assert differences(store.rows(), merged_rows(expected)) == {}
        bulk.close()


class TestRejected:
    def test_what_its_source_could_not_read(self, spool: Path) -> None:
        given = Message(b"{a beginning", NOON, ("file ", "a.json", ":7"), "too long a line", 5_000)
        row = reject_of(spool, given)
        assert row == Rejected(
            digest(b"{a beginning"), NOON, "file a.json:7", "$", "too long a line", 5_000,
            b"{a beginning",
        )  # fmt: skip

    def test_what_is_no_json(self, spool: Path) -> None:
        row = reject_of(spool, Message(b'{"eventTime": ', NOON, PLACE))
        assert (row.source, row.path, row.size) == ("kafka orders/0@12", "$", 14)
        assert "invalid JSON" in row.reason and row.payload == b'{"eventTime": '

    def test_what_is_no_event_tells_where(self, spool: Path) -> None:
        row = reject_of(spool, message(run_event(run={"runId": 5})))
        assert row.path == "$.run.runId"

    def test_what_is_too_long(self, spool: Path) -> None:
        given = message(run_event())
        size = len(given.data or b"")
        row = reject_of(spool, given, max_bytes=size - 1)
        assert row.reason == f"{size:,} bytes; the limit is {size - 1:,}"
        assert (row.size, row.payload) == (size, given.data)
        assert chunks_of(make_task(spool=spool, max_bytes=size), [given])[0].events == 1

    def test_of_what_is_very_long_the_beginning_is_kept(self, spool: Path) -> None:
        row = reject_of(spool, Message(b"x" * 3_000_000, NOON, PLACE))
        assert (row.size, row.payload) == (3_000_000, b"x" * 1_000_000)

    def test_a_tombstone_is_known_by_its_place(self, spool: Path) -> None:
        row = reject_of(spool, Message(None, NOON, PLACE))
        assert row == Rejected(
            digest(b"kafka orders/0@12"), NOON, "kafka orders/0@12", "$",
            "no value: a tombstone, or a message without one", 0, b"",
        )  # fmt: skip

    def test_tombstones_and_empty_messages_are_kept_apart(self, spool: Path) -> None:
        empty = [
            Message(data, NOON, ("kafka ", "orders", "/", 0, "@", offset))
            for offset, data in enumerate((None, None, b"", b""))
        ]
        (handed,) = handed_by(make_task(spool=spool), [*empty, empty[0]])
        assert sorted(row.source for row in rejected(handed)) == [
            f"kafka orders/0@{offset}" for offset in range(4)
        ]

    def test_the_same_bytes_elsewhere_are_one_with_every_place(self, spool: Path) -> None:
        bad = [Message(b"{", NOON, ("kafka ", offset)) for offset in range(3)]
        (handed,) = handed_by(make_task(spool=spool), [*bad, bad[0]])
        (row,) = rejected(handed)
        places = {RejectedPlace._make(each) for each in handed.rows["rejected_place"]}
        assert places == {RejectedPlace(row.digest, f"kafka {offset}", NOON) for offset in range(3)}
        assert handed.chunk.rejected == 4

    def test_beside_them_the_rest_is_taken_in(self, spool: Path, lake: Lake) -> None:
        good = numbered(1, 2)
        given = [good[0], Message(b"{", NOON, PLACE), Message(None, NOON, PLACE), good[1]]
        (handed,) = handed_by(make_task(spool=spool, lake=lake.folder), given)
        size = sum(len(each.data or b"") for each in given)
        assert handed.chunk == Chunk(messages=4, events=2, rejected=2, bytes=size)
        assert payloads(lake) == sorted(each.data or b"" for each in good)


class TestChecks:
    """What an event from outside must not be, though it may be so in the lake."""

    AHEAD = message(run_event(eventTime="2026-01-31T13:00:00.000001Z"))
    EDIT = message(edit_event(set={"documentation": {"description": "x"}}))

    def test_the_future_is_refused(self, spool: Path) -> None:
        assert reject_of(spool, self.AHEAD, max_ahead=HOUR).path == "$.eventTime"

    def test_unless_it_is_near(self, spool: Path) -> None:
        task = make_task(spool=spool, max_ahead=HOUR + 1)
        assert chunks_of(task, [self.AHEAD])[0].events == 1

    def test_edits_are_refused(self, spool: Path) -> None:
        assert reject_of(spool, self.EDIT).path == "$.edit"

    def test_what_is_known_was_checked_when_it_came(self, spool: Path) -> None:
        task = make_task(spool=spool, is_known=True)
        (chunk,) = chunks_of(task, [self.AHEAD, self.EDIT])
        assert (chunk.events, chunk.rejected) == (2, 0)

    def test_though_it_must_still_be_an_event(self, spool: Path) -> None:
        reject_of(spool, Message(b"{}", NOON, PLACE), is_known=True)

    def test_when_it_was_received_is_kept(self, spool: Path) -> None:
        at = parse_instant("2025-01-01T00:00:00Z")
        given = message(run_event())._replace(received_at=at)
        (handed,) = handed_by(make_task(spool=spool), [given])
        (row,) = handed.rows["event"]
        assert EventRow._make(row).received_at == at


class TestJobs:
    def named(self, event: Json, name: str) -> Message:
        return message({**event, "job": {"namespace": "scheduler", "name": name}})

    def test_only_those_that_are_requested(self, spool: Path, lake: Lake) -> None:
        """Neither stored nor in the lake, but counted."""
        jobs = JobPatterns(include=("etl_*",), exclude=("*_test",))
        names = ("etl_load", "etl_load_test", "other")
        given = [self.named(event, name) for event in (run_event(), job_event()) for name in names]
        (handed,) = handed_by(make_task(spool=spool, jobs=jobs, lake=lake.folder), given)
        assert handed.chunk.messages == 6
        assert (handed.chunk.events, handed.chunk.excluded) == (2, 4)
        assert handed.chunk.bytes == sum(len(each.data or b"") for each in given)
        assert [row[3] for row in handed.rows["job"]] == ["etl_load"]
        assert lake.stats().events == 2

    def test_events_of_datasets_have_none(self, spool: Path) -> None:
        jobs = JobPatterns(include=("etl_*",), exclude=("*",))
        given = [message(dataset_event()), message(run_event())]
        (chunk,) = chunks_of(make_task(spool=spool, jobs=jobs), given)
        assert (chunk.events, chunk.excluded) == (1, 1)

    def test_what_is_no_event_is_rejected_whoever_is_requested(self, spool: Path) -> None:
        reject_of(spool, Message(b"{", NOON, PLACE), jobs=JobPatterns(include=("none",)))

    def test_a_task_that_worked_can_be_sent(self, spool: Path) -> None:
        task = make_task(spool=spool, jobs=JobPatterns(exclude=("loa?",)))
        assert chunks_of(task, numbered(1))[0].excluded == 1
        again: Task = pickle.loads(pickle.dumps(task))
        assert chunks_of(again, numbered(1))[0].excluded == 1


class TestLake:
    def test_it_has_events_before_the_store(
        self, spool: Path, lake: Lake, monkeypatch: pytest.MonkeyPatch, three_a_chunk: None
    ) -> None:
        seen: list[int] = []

        def hand(*given: Any) -> None:
            seen.append(len(payloads(lake)))
            hand_over(*given)

        monkeypatch.setattr(tasks, "hand_over", hand)
        chunks_of(make_task(spool=spool, lake=lake.folder), numbered(*range(5)))
        assert seen == [3, 5]

    def test_they_are_as_they_came(self, spool: Path, lake: Lake) -> None:
        data = b' {"dataset": {"name": "orders", "namespace": "db"},'
        data += b'\n "eventTime": "2024-05-01T12:00:00+02:00"} '
        chunks_of(make_task(spool=spool, lake=lake.folder), [Message(data, NOON, PLACE)])
        at = parse_instant("2024-05-01T10:00:00Z")
        kept = data.strip()
        assert list(lake.read()) == [LakeEvent(digest(kept), at, NOON, Kind.DATASET, kept)]

    def test_without_events_nothing_is_written(self, spool: Path, lake: Lake) -> None:
        chunks_of(make_task(spool=spool, lake=lake.folder), [Message(b"{", NOON, PLACE)])
        assert not lake.folder.exists()

    def test_events_that_it_does_not_take_are_not_handed_over(
        self, spool: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        task = make_task(spool=spool, lake=tmp_path / "file" / "lake")
        (chunk,) = chunks_of(task, numbered(1))
        assert chunk.error is not None and chunk.messages == 0
        assert not list(spool.iterdir())


class TestErrors:
    @pytest.mark.parametrize("kind", [StoreUnavailable, LakeUnavailable])
    def test_are_the_last_chunk(
        self,
        spool: Path,
        lake: Lake,
        monkeypatch: pytest.MonkeyPatch,
        three_a_chunk: None,
        kind: type[Exception],
    ) -> None:
        calls = iter([None, kind("it is away")])

        def add(self: Lake, events: list[LakeEvent]) -> int:
            if error := next(calls):
                raise error
            return 1

        monkeypatch.setattr(Lake, "add", add)
        chunks = chunks_of(make_task(spool=spool, lake=lake.folder), numbered(*range(9)))
        assert [chunk.messages for chunk in chunks] == [3, 0]
        assert [chunk.error for chunk in chunks] == [None, (kind.__name__, "it is away")]

    def test_a_store_that_is_away(self) -> None:
        task = make_task(store="postgresql://127.0.0.1:1/none")
        (chunk,) = chunks_of(task, numbered(1))
        tasks.writer_of.cache_clear()
        assert chunk.error is not None
        kind, text = chunk.error
        assert kind == "StoreUnavailable" and "refused" in text

    def test_others_are_for_spark_to_tell(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            chunks_of(make_task(spool=tmp_path / "none"), numbered(1))

    def test_what_the_store_refuses_is_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "writer_of", lambda url: None)
        monkeypatch.setattr(tasks, "write_or_reject", lambda writer, rows: 2)
        given = [*numbered(1, 2, 3), Message(b"{", NOON, PLACE)]
        (chunk,) = chunks_of(make_task(store="some URL"), given)
        assert (chunk.messages, chunk.events, chunk.rejected) == (4, 1, 3)


class TestNamesAndContent:
    IDS = (dataset_id("db", "orders"), dataset_id("db", "totals"))

    def given(self, handed: Handed) -> tuple[set[bytes], int]:
        return (
            {row[0] for row in handed.rows.get("dataset", ())},
            len(handed.rows.get("content", ())),
        )

    def test_come_with_every_chunk_that_refers_to_them(
        self, spool: Path, three_a_chunk: None
    ) -> None:
        """The store may have lost them meanwhile, to a prune."""
        task = make_task(spool=spool)
        handed = handed_by(task, numbered(*range(6), inputs=DESCRIBED), kinds())
        assert self.given(handed[0]) == self.given(handed[1]) == (set(self.IDS), 1)
        assert dataset_id("db", "new") in self.given(handed[2])[0]

    def test_content_is_packed_once(
        self, spool: Path, monkeypatch: pytest.MonkeyPatch, three_a_chunk: None
    ) -> None:
        # Of no other test: what was packed once is kept.
        new = [{**DESCRIBED[0], "facets": {"schema": {"fields": [{"name": uuid4().hex}]}}}]
        packed = []

        def pack(name: str, rows: Sequence[Row]) -> Sequence[Row]:
            packed.append(name)
            return pack_rows(name, rows)

        monkeypatch.setattr(tasks, "pack_rows", pack)
        handed = handed_by(make_task(spool=spool), numbered(*range(6), inputs=new))
        assert packed == ["content"]
        assert handed[0].rows["content"] == handed[1].rows["content"]


def kinds() -> list[Message]:
    """An event of a job and one of a dataset."""
    new = {"namespace": "db", "name": "new"}
    return [message(job_event(outputs=[new])), message(dataset_event())]


class TestHandOver:
    def test_rows_are_as_they_were(self, spool: Path) -> None:
        """Of every kind that an event may state; Spark's tasks know no types beyond these."""
        data = {"namespace": "db", "name": "orders"}
        facets = {
            "schema": SCHEMA,
            "symlinks": {"identifiers": [{"namespace": "hive", "name": "o", "type": "TABLE"}]},
            "lifecycleStateChange": {"lifecycleStateChange": "DROP"},
            "columnLineage": {
                "fields": {"a": {"inputFields": [{"namespace": "db", "name": "x", "field": "b"}]}}
            },
        }
        statistics = {"outputStatistics": {"rowCount": 3, "size": 2**62}}
        outputs = [{**data, "facets": facets, "outputFacets": statistics}]
        run = {"runId": "not a UUID", "facets": {"processing_engine": {"version": "é\U0001f600"}}}
        events = [
            run_event(run=run, outputs=outputs),
            run_event("COMPLETE", eventTime="0001-01-01T00:00:00Z", outputs=outputs),
            job_event(),
            dataset_event(dataset={**data, "facets": facets}),
            edit_event(set={"documentation": {"description": "x"}}),
            edit_event(set={"deleted": True}),
            edit_event(entity={"type": "tag", "name": "pii"}, set={"documentation": {}}),
            micro_batch_event(),
            history.run("load", "COMPLETE", 0, 1, ["a"], ["b"], gaps=["input LogicalRDD"]),
        ]
        given = [message(event) for event in events]
        bad = Message(b"\xff\x00", NOON, PLACE, "é", 2**40)
        (handed,) = handed_by(make_task(spool=spool, is_known=True), [*given, bad])
        expected = Merged()
        for each in given:
            expected.add(project(decode_event(each.data or b""), NOON).all_rows())
        found = {name: list(some) for name, some in ready(expected).items()}
        refused = {name: handed.rows[name] for name in ("rejected", "rejected_place")}
        assert handed.rows == {**found, **refused}
        assert handed.rows.keys() == RELATIONS.keys()
        assert all(type(row) is tuple for some in handed.rows.values() for row in some)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=5)
    @given(data=st.data())
    @pytest.mark.parametrize("relation", CATALOG)
    def test_rows_of_any_relation(self, spool: Path, relation: str, data: st.DataObject) -> None:
        merged = Merged()
        merged.add_rows(relation, data.draw(st.lists(rows(CATALOG[relation]), min_size=1)))
        given = ready(merged)
        for file in spool.iterdir():
            file.unlink()
        chunk = Chunk(messages=3, events=2, rejected=1, excluded=1, bytes=2**40)
        hand_over(spool, chunk, given)
        (file,) = spool.iterdir()
        assert take_over(file) == Handed(chunk, {relation: list(given[relation])})

    def test_a_file_is_whole_when_it_has_its_name(
        self, spool: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[str] = []
        rename = Path.rename

        def watch(self: Path, to: Path) -> Path:
            seen.extend(file.name for file in spool.iterdir())
            take_over(self)
            return rename(self, to)

        monkeypatch.setattr(Path, "rename", watch)
        hand_over(spool, Chunk(messages=1), {})
        (file,) = spool.iterdir()
        assert seen == [f".{file.name}"]

    def test_none_has_the_name_of_another(self, spool: Path) -> None:
        for number in range(20):
            hand_over(spool, Chunk(messages=number), {})
        found = {take_over(file).chunk.messages for file in spool.iterdir()}
        assert found == set(range(20))
