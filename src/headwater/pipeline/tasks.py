"""What a Spark task does with its share of the events: merged facts, in the lake and stored.

The heart's own `project` and merge run here, in the Python of the executors. A task works through
its events in chunks, so that it needs the same memory however many there are. A chunk goes to the
lake first, then to the store: PostgreSQL from here; SQLite, which has one writer, from the driver,
to which the chunk's rows are handed in a file: that is half of what it costs to send them.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pyarrow as pa

from headwater.errors import HeadwaterError, InvalidEvent
from headwater.model.event import Kind, decode_event
from headwater.model.facet_readers import Facet, NamedDataset
from headwater.model.facts import Facts, content_row, name_row
from headwater.model.intake import check_intake, keep_rejected, reject
from headwater.model.merge import Merged, Row
from headwater.model.project import project
from headwater.model.relations import DeclaredDataset, EventRow, Rejected, RunDataset
from headwater.model.values.ids import digest
from headwater.model.values.memo import Memo
from headwater.pipeline.event_parts import IncludedParts
from headwater.pipeline.job_patterns import JobPatterns
from headwater.pipeline.lake.lake import Lake, LakeEvent
from headwater.pipeline.message import Message as Message
from headwater.pipeline.message import Reached as Reached
from headwater.store.engine import open_engine
from headwater.store.write.bulk import write_or_reject
from headwater.store.write.writer import Ready, Writer, open_writer, pack_rows, ready

# The columns that tasks give back: one chunk a row.
RESULT = "chunk binary"

CHUNK_EVENTS = 8_000
CHUNK_BYTES = 64_000_000
_PACKED_BYTES = 64_000_000
# Rows are many and none refers to itself: the search for circles takes a tenth of the time.
_GC_THRESHOLD = (50_000, 20, 100)


# Jobs and datasets, by kind and id.
Seen = set[tuple[int, bytes]]


class Chunk(msgspec.Struct):
    """What became of some messages."""

    messages: int = 0
    events: int = 0
    rejected: int = 0
    excluded: int = 0
    bytes: int = 0
    error: tuple[str, str] | None = None
    """The kind and the text of what kept it from being stored."""
    seen: Seen = set()
    """Jobs and datasets that its events name, by kind and id, where that is noted."""
    reached: dict[str, Reached] = {}
    """By partition, once all of a task is done."""

    def refuse(self, count: int) -> None:
        """Count events as rejected after all."""
        self.events -= count
        self.rejected += count


class Handed(msgspec.Struct):
    """A chunk with its rows, for the driver to store."""

    chunk: Chunk
    rows: dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Task:
    """Sent to the executors as it is."""

    read: Callable[[pa.RecordBatch], Iterator[Message]]
    max_ahead: int
    max_bytes: int
    jobs: JobPatterns = JobPatterns()
    parts: IncludedParts = IncludedParts()
    notes_seen: bool = False
    """Whether to note which jobs and datasets the events name."""
    lake: Path | None = None
    """Where events are kept as they came; None where they are there already, or are not to be."""
    store: str = ""
    """The store's URL, where tasks write to it themselves."""
    spool: Path = Path()
    """Where to put rows for the driver, if not."""
    reached: Callable[[], dict[str, Reached]] = dict
    """How far `read` came, of sources whose end only the reader sees."""
    is_known: bool = False
    """The messages were taken in before: nothing is checked that depends on when or by whom."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gc.set_threshold(*_GC_THRESHOLD)
        try:
            for work in self._chunks(batches):
                self._finish(work)
                yield _result(work.chunk)
            if reached := self.reached():
                yield _result(Chunk(reached=reached))
        except HeadwaterError as error:
            # The driver tells what to do about it; a stack trace through Spark would tell nobody.
            yield _result(Chunk(error=(type(error).__name__, error.message)))

    def _chunks(self, batches: Iterable[pa.RecordBatch]) -> Iterator["_Work"]:
        work = _Work()
        for batch in batches:
            for message in self.read(batch):
                work.add(message, self._state(message), self.notes_seen)
                if work.is_full:
                    yield work
                    work = _Work()
        if work.chunk.messages:
            yield work

    def _state(self, message: Message) -> Facts | None:
        """What a message states; None where it is not selected."""
        data, received_at, _, error, _, digest = message = _as_sent(message)
        try:
            if error is not None or data is None:
                raise InvalidEvent("$", error or "no value: a tombstone, or a message without one")
            if len(data) > self.max_bytes:
                raise InvalidEvent("$", f"{len(data):,} bytes; the limit is {self.max_bytes:,}")
            event = decode_event(self.parts.select(data), digest)
            if not self.is_known:
                check_intake(event, received_at, self.max_ahead)
            if not self.jobs.accept_event(event):
                return None
            return project(event, received_at)
        except InvalidEvent as refused:
            return _reject(message, refused)

    def _finish(self, work: "_Work") -> None:
        if self.lake is not None and work.events:
            Lake(self.lake).add(work.lake_events())
        rows = work.rows()
        if self.store:
            work.chunk.refuse(write_or_reject(writer_of(self.store), rows))
        else:
            hand_over(self.spool, work.chunk, rows)


class _Work:
    """A chunk on its way."""

    def __init__(self) -> None:
        self.chunk = Chunk()
        self.events: list[EventRow] = []
        self._merged = Merged()
        self._names: dict[bytes, NamedDataset] = {}
        self._contents: dict[bytes, Facet] = {}

    @property
    def is_full(self) -> bool:
        return self.chunk.messages >= CHUNK_EVENTS or self.chunk.bytes >= CHUNK_BYTES

    def add(self, message: Message, facts: Facts | None, notes_seen: bool = False) -> None:
        chunk = self.chunk
        chunk.messages += 1
        chunk.bytes += len(message.data or b"")
        if facts is None:
            chunk.excluded += 1
            return
        if "event" in facts.rows:
            chunk.events += 1
            self.events.append(EventRow._make(facts.rows["event"][0]))
        else:
            chunk.rejected += 1
        if notes_seen:
            chunk.seen.update(find_seen(facts))
        self._merged.add(facts.rows)
        self._names.update(facts.names)
        self._contents.update(facts.contents)

    def lake_events(self) -> list[LakeEvent]:
        return [
            LakeEvent(row.digest, row.at, row.received_at, row.kind, row.payload)
            for row in self.events
        ]

    def rows(self) -> Ready:
        """All that is to be stored. Names and content come with every chunk that refers to them:
        only whoever stores them knows whether they are there still."""
        self._merged.add_rows("dataset", map(name_row, self._names.values()))
        rows = dict(ready(self._merged))
        if self._contents:
            rows["content"] = [_packed(self._contents[digest]) for digest in sorted(self._contents)]
        return rows


def find_seen(facts: Facts) -> Iterator[tuple[int, bytes]]:
    """The job of an event and the datasets that it uses or declares, by kind and id."""
    for row in facts.rows.get("event", ()):
        event = EventRow._make(row)
        if event.job is not None and event.kind != Kind.EDIT:
            yield Kind.JOB, event.job
    for row in facts.rows.get("run_dataset", ()):
        yield Kind.DATASET, RunDataset._make(row).dataset
    for row in facts.rows.get("declared_dataset", ()):
        yield Kind.DATASET, DeclaredDataset._make(row).dataset


# Content is the same again and again, in other chunks and other tasks: packed once it is kept.
_packed_contents: Memo[Row] = Memo(_PACKED_BYTES)


def _packed(facet: Facet) -> Row:
    row = _packed_contents.get(facet.digest)
    if row is None:
        (row,) = pack_rows("content", [content_row(facet)])
        _packed_contents.put(facet.digest, row, len(row[1]))
    return row


def _as_sent(message: Message) -> Message:
    """A line that its source found bad is judged here, without its end, as if it had been sent by
    itself: so that it is kept under one id, in one wording, whichever way it came."""
    if message.error is None or not message.data or message.size is not None:
        return message
    return message._replace(data=message.data.rstrip(b"\r\n"), error=None)


def _reject(message: Message, refused: InvalidEvent) -> Facts:
    source = "".join(map(str, message.place))
    data = message.data or b""
    size = message.size
    facts = reject(data, message.received_at, source, refused.path, refused.reason, size)
    if not data:
        # Without bytes all would be one: their places distinguish them.
        row = Rejected._make(facts.rows["rejected"][0])
        return keep_rejected(row._replace(digest=digest(source.encode())))
    return facts


@cache
def writer_of(url: str) -> Writer:
    """The writer of this process: Spark uses a worker again and again."""
    return open_writer(open_engine(url), is_bulk=True)


def _result(chunk: Chunk) -> pa.RecordBatch:
    return pa.record_batch([pa.array([_ENCODER.encode(chunk)], pa.binary())], ["chunk"])


def read_result(data: bytes) -> Chunk:
    return _CHUNK.decode(data)


def hand_over(spool: Path, chunk: Chunk, rows: Ready) -> None:
    """Put a chunk where the driver finds it, whole."""
    name = uuid4().hex
    unfinished = spool / f".{name}"
    handed = Handed(chunk, {relation: list(some) for relation, some in rows.items()})
    unfinished.write_bytes(_ENCODER.encode(handed))
    unfinished.rename(spool / name)


def take_over(file: Path) -> Handed:
    return _HANDED.decode(file.read_bytes())


_ENCODER = msgspec.msgpack.Encoder()
_CHUNK = msgspec.msgpack.Decoder(Chunk)
_HANDED = msgspec.msgpack.Decoder(Handed)
