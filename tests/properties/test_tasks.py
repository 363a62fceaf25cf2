"""However a task's events are cut, and in whatever order its chunks are stored: the same rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from headwater.model.values.instant import DAY
from headwater.pipeline import tasks
from headwater.pipeline.feeds.kafka import read_messages
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.tasks import Chunk, Task, read_result, take_over
from headwater.store.write.bulk import write_or_reject
from tests.pipeline.corpus import comparable, facts_of_all
from tests.properties.strategies import deliveries, event_lists, rows_of
from tests.store.rows import Rows, differences
from tests.store.stores import Store, open_store

BAD = (b"{}", b"{", b"", b"\xff", b'{"eventTime":"2999-01-01T00:00:00Z"}')


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """What tasks hand over is stored here."""
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('tasks') / 'store.db'}") as store:
        yield store


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The same by a writer of events, as a server has it."""
    with open_store(f"sqlite:///{tmp_path_factory.mktemp('writer') / 'store.db'}") as store:
        yield store


def as_batch(values: Sequence[bytes], first: int) -> pa.RecordBatch:
    """Messages as Spark's source of Kafka gives them to a task."""
    columns = {
        "value": pa.array(values, pa.binary()),
        "topic": pa.array(["lineage"] * len(values), pa.string()),
        "partition": pa.array([0] * len(values), pa.int32()),
        "offset": pa.array(range(first, first + len(values)), pa.int64()),
    }
    return pa.RecordBatch.from_pydict(columns)


def as_batches(values: Sequence[Sequence[bytes]]) -> Iterator[pa.RecordBatch]:
    first = 0
    for batch in values:
        yield as_batch(batch, first)
        first += len(batch)


def run_task(task: Task, values: Sequence[Sequence[bytes]]) -> list[Chunk]:
    results = task(as_batches(values))
    return [read_result(row) for batch in results for row in batch.column(0).to_pylist()]


def handed_over(spool: Path) -> list[Path]:
    """The chunks as they were put there, one after another."""
    return sorted(spool.iterdir(), key=lambda file: file.stat().st_mtime_ns)


def store_handed(store: Store, files: Sequence[Path]) -> Rows:
    for file in files:
        assert write_or_reject(store.writer, take_over(file).rows) == 0
    return comparable(store.rows())


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_tasks_give_what_a_writer_of_all_events_does(
    store: Store, other: Store, tmp_path_factory: pytest.TempPathFactory, data: DataObject
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    sent = [*data.draw(event_lists()), *data.draw(st.lists(st.sampled_from(BAD[:2]), max_size=2))]
    # Two tasks, whose events overlap.
    shares = [data.draw(deliveries(sent)), data.draw(deliveries(sent))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "CHUNK_EVENTS", data.draw(st.integers(1, 5)))
        chunks = [
            chunk
            for share in shares
            for chunk in run_task(Task(read_messages, DAY, 10**9, spool=folder), share)
        ]
    messages = sum(len(batch) for share in shares for batch in share)
    assert sum(chunk.messages for chunk in chunks) == messages
    assert sum(chunk.events + chunk.rejected for chunk in chunks) == messages
    store.empty()
    other.empty()
    stored = store_handed(store, data.draw(st.permutations(handed_over(folder))))
    stated = facts_of_all(sent)
    assert differences(stored, comparable(other.write([stated]))) == {}
    assert differences(stored, comparable(rows_of(stated))) == {}


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_the_lake_has_every_event_that_is_not_rejected(
    tmp_path_factory: pytest.TempPathFactory, data: DataObject
) -> None:
    sent = data.draw(event_lists(max_size=4))
    folder = tmp_path_factory.mktemp("run")
    lake = Lake(folder / "lake")
    (folder / "spool").mkdir()
    task = Task(read_messages, DAY, 10**9, lake=lake.folder, spool=folder / "spool")
    chunks = run_task(task, [[*sent, *BAD]])
    rejected = sum(chunk.rejected for chunk in chunks)
    stated = facts_of_all(sent)
    kept = {row[-1] for facts in stated for row in facts.rows.get("event", ())}
    assert {event.payload for event in lake.read()} == kept
    assert rejected == len(BAD) + sum("event" not in facts.rows for facts in stated)


def test_what_has_no_bytes_is_distinguished_by_its_place(tmp_path: Path) -> None:
    run_task(Task(read_messages, DAY, 10**9, spool=tmp_path), [[b""], [b""]])
    rows = [row for file in handed_over(tmp_path) for row in take_over(file).rows["rejected"]]
    assert sorted(row[2] for row in rows) == ["kafka lineage/0@0", "kafka lineage/0@1"]


def test_a_chunk_is_whole_when_it_is_seen(tmp_path: Path) -> None:
    """Whoever lists the folder meanwhile sees only names with a dot, or all of a chunk."""
    seen: list[set[str]] = []

    def read(batch: pa.RecordBatch) -> Iterator[tasks.Message]:
        for message in read_messages(batch):
            seen.append({file.name[0] for file in tmp_path.iterdir()})
            yield message

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "CHUNK_EVENTS", 1)
        run_task(Task(read, DAY, 10**9, spool=tmp_path), [[b"{}", b"{ }", b"[]"]])
    assert all("." not in names for names in seen)
    assert len(handed_over(tmp_path)) == 3
