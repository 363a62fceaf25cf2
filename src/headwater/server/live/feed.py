"""What came, read from the store every second and handed to all streams of this server.

It is read once for all of them, and only while there are any. A stream that does not keep up loses
single announcements, never that there were some: it is informed that anything may have changed.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from threading import Lock
from typing import NamedTuple

import msgspec

from headwater.errors import StoreUnavailable
from headwater.graph.node_id import field_node_id, job_node_id
from headwater.model.values.instant import now
from headwater.server.background.periodic import Background
from headwater.store.engine import Connection, Engine
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.stats.recent import Recent, RecentReader, StreamMark

EVERY = timedelta(seconds=1)
# After a failure: the store is left alone for a while.
_EVERY_AFTER_FAILURE = timedelta(seconds=10)
MOST_STREAMS = 1_000
# Announcements that wait for a stream, and that are kept for those that come back.
MOST_WAITING = 16
MOST_KEPT = 120
# Pages that read again in a second, over all streams: what keeps them up to date must not take the
# server from those who send events.
PAGES_A_SECOND = 5
LEAST_SECONDS = 2.0


class Changed(msgspec.Struct):
    """What came: node ids of jobs and datasets; `isAll` if any may have changed.

    A page reads again what it shows of them, but not sooner than `againAfterSeconds` after it last
    did: longer the more pages are open.
    """

    nodes: list[str]
    events: int
    rejected: int
    isAll: bool
    againAfterSeconds: float


class Announcement(NamedTuple):
    mark: StreamMark
    changed: Changed

    def encode(self) -> bytes:
        body = msgspec.json.encode(self.changed)
        return b"event: changed\nid: %b\ndata: %b\n\n" % (write_mark(self.mark), body)


def write_mark(mark: StreamMark) -> bytes:
    return ".".join(map(str, mark)).encode()


def read_mark(text: str) -> StreamMark | None:
    """The mark of an announcement; None if it is none."""
    parts = text.split(".")
    if len(parts) != len(StreamMark._fields) or not all(p.isascii() and p.isdigit() for p in parts):
        return None
    return StreamMark(*(int(part[:20]) for part in parts))


class LiveStream:
    """One of them: what is to be sent to it next."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)

    def put(self, message: bytes, instead: bytes) -> None:
        """Add a message; if too many wait, one that says as much takes the place of all."""
        if self._waiting.full():
            with suppress(asyncio.QueueEmpty):
                while True:
                    self._waiting.get_nowait()
            message = instead
        self._waiting.put_nowait(message)

    async def next(self, seconds: float) -> bytes | None:
        """The next message; None if there is none for so long."""
        try:
            return await asyncio.wait_for(self._waiting.get(), seconds)
        except TimeoutError:
            return None


class LiveFeed(Background):
    """Reads while there are streams, and tells all of them."""

    name = "announcing what came"

    def __init__(self, engine: Engine) -> None:
        super().__init__(EVERY, EVERY)
        self._engine = engine
        self._reader = RecentReader()
        self._streams: set[LiveStream] = set()
        self._lock = Lock()
        self._mark: StreamMark | None = None
        self._kept: deque[Announcement] = deque(maxlen=MOST_KEPT)
        # From here on what is kept is complete.
        self._kept_since: StreamMark | None = None

    @property
    def is_reading(self) -> bool:
        return self._mark is not None

    @property
    def again_after_seconds(self) -> float:
        return max(LEAST_SECONDS, len(self._streams) / PAGES_A_SECOND)

    def open(self, after: StreamMark | None, has_come_back: bool) -> LiveStream:
        """A stream; one that has come back first receives what it missed since its mark."""
        with self._lock:
            if len(self._streams) >= MOST_STREAMS:
                raise StoreUnavailable(f"{MOST_STREAMS:,} streams are open; try again later")
            stream = LiveStream(asyncio.get_running_loop())
            if has_come_back:
                missed = self._since(after)
                if missed is None or len(missed) >= MOST_WAITING:
                    # Where nothing is read yet, the first announcement says the same.
                    missed = [Announcement(self._mark, self._anything())] if self._mark else []
                for one in missed:
                    stream.put(one.encode(), one.encode())
            self._streams.add(stream)
        return stream

    def close_stream(self, stream: LiveStream) -> None:
        with self._lock:
            self._streams.discard(stream)

    def work(self) -> None:
        self.every = _EVERY_AFTER_FAILURE
        if self._streams:
            with self._engine.connect() as connection:
                self._read(connection)
        elif self._mark is not None:
            with self._lock:
                self._mark = self._kept_since = None
                self._kept.clear()
        self.every = EVERY

    def _read(self, connection: Connection) -> None:
        recent = self._reader.read(connection, self._mark) if self._mark else None
        if recent is not None:
            is_any = recent.events or recent.rejected
            changed = self._changed(connection, recent) if is_any else None
            self._announce(recent.mark, changed)
            return
        # Begun, or begun anew: what came since a page read what it shows is not known.
        mark = self._reader.start(connection, now())
        with self._lock:
            self._kept.clear()
            self._kept_since = mark
        self._announce(mark, self._anything())

    def _changed(self, connection: Connection, recent: Recent) -> Changed:
        if recent.touched is None:
            return Changed([], recent.events, recent.rejected, True, self.again_after_seconds)
        reader = StoreReader(connection)
        jobs = reader.job_names(recent.touched.jobs).values()
        datasets = reader.dataset_names(recent.touched.datasets).values()
        nodes = [job_node_id(job.namespace, job.name) for job in jobs]
        nodes += [field_node_id(dataset.namespace, dataset.name, "") for dataset in datasets]
        counts = recent.events, recent.rejected
        return Changed(sorted(nodes), *counts, False, self.again_after_seconds)

    def _announce(self, mark: StreamMark, changed: Changed | None) -> None:
        with self._lock:
            self._mark = mark
            if changed is None:
                return
            announced = Announcement(mark, changed)
            if len(self._kept) == MOST_KEPT:
                self._kept_since = self._kept[0].mark
            self._kept.append(announced)
            message, instead = announced.encode(), self._encode_all(mark)
            loops = {stream.loop for stream in self._streams}
        for loop in loops:
            # A loop that has ended has no streams to tell.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._put, loop, message, instead)

    def _put(self, loop: asyncio.AbstractEventLoop, message: bytes, instead: bytes) -> None:
        with self._lock:
            streams = [stream for stream in self._streams if stream.loop is loop]
        for stream in streams:
            stream.put(message, instead)

    def _since(self, mark: StreamMark | None) -> Sequence[Announcement] | None:
        """What is kept since a mark; None if not all of it is."""
        since = self._kept_since
        if mark is None or since is None or mark[:2] != since[:2] or mark.at < since.at:
            return None
        return [one for one in self._kept if one.mark > mark]

    def _anything(self) -> Changed:
        return Changed([], 0, 0, True, self.again_after_seconds)

    def _encode_all(self, mark: StreamMark) -> bytes:
        return Announcement(mark, self._anything()).encode()
