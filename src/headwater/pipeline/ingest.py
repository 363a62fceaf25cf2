"""Taking events in from a feed, for as long as it goes on: batch by batch, each lost to nobody.

A batch is taken in by tasks (lake, then store); then the store records how far the feed is. What
fails in between is begun again from there. What may pass, such as a store that is away, is waited
for; what does not is reported.
"""

import fcntl
import logging
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headwater.errors import (
    BadConfig,
    Busy,
    HeadwaterError,
    LakeUnavailable,
    SourceChanged,
    SourceUnavailable,
    SparkUnavailable,
    StoreUnavailable,
)
from headwater.pipeline.driver_store import take_in_frame
from headwater.pipeline.feeds.feed import Feed, Moves, Positions
from headwater.pipeline.feeds.kafka_errors import find_reason, with_advice
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.lake.outbox import flush
from headwater.pipeline.observers import IngestObserver
from headwater.pipeline.spark.jvm import find_cause
from headwater.pipeline.tasks import Task
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.positions import move_position, read_positions
from headwater.store.write.writer import Writer, open_writer

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1
_LONGEST_WAIT = 30.0
# How often to ask whether the source is still the same: one made anew need not look new to Spark.
_CHECK_SECONDS = 10.0
# A batch under way may end; more than that would keep whoever stops us waiting.
STOP_SECONDS = 60.0
# A stream that waits for a source that is away cannot be stopped for minutes.
_END_SECONDS = 5.0
# A source in Python has so long to start, by Spark's own rule; several at once take longer.
TURN_SECONDS = 10.0
_starts = threading.Lock()
# Failures one after another, without a batch between them.
_TRIES_ONCE = 6
_TRIES_UNKNOWN = 5

_PASSING = (StoreUnavailable, LakeUnavailable, SourceUnavailable)
# Spark's source of Kafka has no errors of its own by which to tell them.
_OF_KAFKA = re.compile(r"org\.apache\.(?:kafka|spark\.sql\.kafka010)\.[\w.$]*(?:Exception|Error)")
_START_FAILED = "Python worker failed to connect back"
_TOO_BUSY = "Spark's Python did not start within ten seconds: this machine is too busy"
_MORE_PARTITIONS = "you must specify all TopicPartitions"
_REASON = re.compile(r"^Reason: (.+?)\.?$", re.MULTILINE)


@dataclass(frozen=True)
class Plan:
    """How an ingest runs. `every` is in seconds; None: take in what there is, then end."""

    name: str
    every: float | None
    flush_every: float = 60.0
    idle_after: float | None = None
    """End, all the same, after so many seconds without a message; None: never."""

    @property
    def has_end(self) -> bool:
        return self.every is None or self.idle_after is not None


class StreamIngest:
    """One feed into one store. It ends after the batch under way once `stopping` is set."""

    def __init__(
        self,
        spark: SparkSession,
        feed: Feed,
        task: Task,
        engine: Engine,
        folder: Path,
        plan: Plan,
        watcher: IngestObserver,
        stopping: threading.Event | None = None,
    ) -> None:
        self._spark = spark
        self._feed = feed
        self._task = task
        self._engine = engine
        self._folder = folder / "ingest"
        self._own_folder = self._folder / plan.name
        self._plan = plan
        self._watcher = watcher
        self._writer = _driver_writer(engine)
        self._stopping = stopping or threading.Event()
        self._failure: HeadwaterError | None = None
        self._tries = 0
        self._settled = ""
        self._flushed_at = self._checked_at = 0.0
        self._busy_at = time.monotonic()
        self._lag: int | None = None
        # A stream that could not be stopped may be at its batch still when the next one begins.
        self._at_work = threading.Lock()
        self._begun: int | None = None
        self._has_ended = False

    def stop(self) -> None:
        """Ask it to end after the batch under way; `run` then returns."""
        self._stopping.set()

    def run(self) -> None:
        """Take in until the end, or until stopped; raises what does not pass."""
        with self._alone(), closing(self._feed):
            try:
                self._run()
            except BaseException as error:
                self._watcher.ended(error)
                raise
            finally:
                self._has_ended = True
                self._close_writer()
            self._watcher.ended(None)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                return self._run_stream()
            except HeadwaterError as error:
                if self._stopping.is_set():
                    return None
                wait = self._wait_after(error)
                self._watcher.failed(error, wait)
                self._stopping.wait(wait)
        return None

    def _wait_after(self, error: HeadwaterError) -> float:
        """How long to wait before the next try; raises what does not pass."""
        if isinstance(error, BadConfig):
            raise error
        if isinstance(error, SourceChanged):
            return 0.0
        self._tries += 1
        if not isinstance(error, _PASSING):
            most: float = _TRIES_UNKNOWN
        else:
            most = _TRIES_ONCE if self._plan.has_end else float("inf")
        if self._tries >= most:
            raise error
        return float(min(2 ** (self._tries - 1), _LONGEST_WAIT))

    def _run_stream(self) -> None:
        self._failure, self._settled, self._begun = None, "", None
        self._checked_at = time.monotonic()
        frame = self._feed.open(self._spark, self._read_positions(), is_once=self._is_once)
        # From now on what comes is ours, also where we were to begin with the latest.
        self._move(self._feed.began())
        with ExitStack() as turn:
            if self._feed.is_in_python:
                turn.enter_context(_starts)
            query = self._start(frame)
            try:
                self._watcher.started(self._feed.datasets())
                if self._feed.is_in_python:
                    self._wait_for_start(query)
                turn.close()
                self._watch_from_start(query)
            except StreamingQueryException as error:
                failure = self._failure or self._explain(error)
                # Batches before it are done: taken in again, it would be the first each time.
                with suppress(HeadwaterError):
                    self._settle(query)
                raise failure from error
            finally:
                self._end(query)
        self._settle(query)
        self._flush()

    def _explain(self, error: Exception) -> HeadwaterError:
        """The error of a stream or a job that failed by itself."""
        # Of a stream's failure pyspark shows only the message; its stack has the causes.
        stack = str(getattr(error, "_stackTrace", None) or error)
        if _MORE_PARTITIONS in stack:
            return SourceChanged(self._feed.place, "the topic has new partitions")
        if _OF_KAFKA.search(stack):
            found = _REASON.search(stack)
            text = with_advice(found[1] if found else _describe(error), find_reason(stack))
            return SourceUnavailable(self._feed.place, text)
        reason = _describe(error)
        if _START_FAILED in reason:
            return SourceUnavailable(self._feed.place, _TOO_BUSY)
        return SparkUnavailable(reason)

    def _wait_for_start(self, query: StreamingQuery) -> None:
        """Until its source has answered, or has had its time, or nobody waits for it any more."""
        give_up = time.monotonic() + TURN_SECONDS
        while query.isActive and not self._stopping.is_set() and time.monotonic() < give_up:
            if self._begun is not None or query.lastProgress is not None:
                return
            self._stopping.wait(0.1)

    def _start(self, frame: DataFrame) -> StreamingQuery:
        # The store knows how far we are: what Spark notes is for this one run. Without a name, and
        # in a folder of its own: the stream before it may not have ended.
        self._clear("checkpoint*")
        checkpoint = tempfile.mkdtemp(prefix="checkpoint-", dir=self._own_folder.absolute())
        writer = frame.writeStream.foreachBatch(self._take_in)
        writer = writer.option("checkpointLocation", Path(checkpoint).as_uri())
        if self._is_once and self._feed.ends_by == "trigger":
            return writer.trigger(availableNow=True).start()
        seconds = self._plan.every or 0
        return writer.trigger(processingTime=f"{seconds} seconds").start()

    def _clear(self, names: str) -> None:
        """Remove what this or an ingest that was killed has left behind."""
        for left in self._own_folder.glob(names):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def _take_in(self, frame: DataFrame, batch: int) -> None:
        """One batch, called by Spark. What went wrong is kept: Spark would make a text of it."""
        started = time.monotonic()
        try:
            with self._at_work:
                if self._stopping.is_set():
                    # Not begun, so nothing is cut short; the stream ends with it.
                    raise SourceChanged(self._feed.place, "stopped")
                self._begun = batch
                self._feed.check()
                frame = self._feed.batch(frame)
                totals = take_in_frame(frame, self._task, self._writer, self._own_folder)
                self._move(self._feed.stored(totals.reached))
        except Exception as error:
            self._failure = error if isinstance(error, HeadwaterError) else self._explain(error)
            raise self._failure from error
        finally:
            if self._has_ended:
                self._close_writer()
        self._tries = 0
        if totals.messages:
            self._busy_at = time.monotonic()
        self._watcher.stored(totals, time.monotonic() - started)
        if totals.behind is not None:
            self._watcher.behind(totals.behind)

    def _watch_from_start(self, query: StreamingQuery) -> None:
        # Known before the first batch, which may take a while.
        self._busy_at = time.monotonic()
        if (waiting := self._feed.waiting()) is not None:
            self._lag = waiting
            self._watcher.settled(waiting)
        self._watch(query)

    def _watch(self, query: StreamingQuery) -> None:
        if self._is_once and self._feed.ends_by == "idle":
            threading.Thread(target=_stop_at_end, args=(query,), daemon=True).start()
        while not query.awaitTermination(_LOOK_SECONDS):
            self._settle(query)
            self._watcher.alive()
            self._check()
            if time.monotonic() - self._flushed_at > self._plan.flush_every:
                self._flush()
            if self._stopping.is_set():
                self._wait_for_batch(query)
                return
            if self._is_once and self._feed.is_through():
                return
            if self._is_idle():
                self._wait_for_batch(query)
                return

    def _is_idle(self) -> bool:
        """Whether nothing came for as long as the plan allows."""
        idle_after = self._plan.idle_after
        if idle_after is None or self._at_work.locked() or self._lag:
            return False
        return time.monotonic() - self._busy_at >= idle_after

    def _check(self) -> None:
        """Look whether the source is still what it was; raises SourceChanged if it is not."""
        if time.monotonic() - self._checked_at < _CHECK_SECONDS:
            return
        try:
            self._feed.check()
        except SourceChanged:
            raise
        except SourceUnavailable as error:
            # The stream waits for it as well, and tells where that is in vain.
            log.warning("%s; waiting for it", error.message)
        self._checked_at = time.monotonic()

    def _settle(self, query: StreamingQuery) -> None:
        """Move the positions in the store, once for each finished batch."""
        progress: Any = query.lastProgress
        source = progress["sources"][0] if progress is not None else {"endOffset": None}
        end = source["endOffset"]
        # pyspark makes a text of an offset that is not there.
        if end in (None, "None", self._settled):
            return
        self._move(self._feed.moved(end))
        self._feed.commit(end)
        self._settled = end
        self._lag = self._feed.lag(source)
        self._watcher.settled(self._lag)

    def _move(self, moves: Moves) -> None:
        with answering(), self._engine.begin() as connection:
            for partition, (value, incarnation) in sorted(moves.items()):
                move_position(connection, self._source, partition, value, incarnation)

    def _wait_for_batch(self, query: StreamingQuery) -> None:
        give_up = time.monotonic() + STOP_SECONDS
        while query.isActive and not self._is_done(query) and time.monotonic() < give_up:
            time.sleep(0.1)
        self._settle(query)

    def _is_done(self, query: StreamingQuery) -> bool:
        """Whether the last batch that began has ended, and Spark knows how far it came."""
        progress: Any = query.lastProgress
        if self._begun is None or progress is None:
            return self._begun is None
        is_batch = "addBatch" in progress["durationMs"]
        return bool(progress["batchId"] >= self._begun + (0 if is_batch else 1))

    def _end(self, query: StreamingQuery) -> None:
        """End a stream, or leave one that does not end in time to end by itself."""
        thread = threading.Thread(target=_stop, args=(query,), daemon=True)
        thread.start()
        thread.join(_END_SECONDS if self._stopping.is_set() else None)

    def _close_writer(self) -> None:
        """Unless a stream that could not be stopped is at its batch still: that closes it then."""
        if self._writer is not None and self._at_work.acquire(blocking=False):
            try:
                self._writer.close()
            finally:
                self._at_work.release()

    def _flush(self) -> None:
        """Carry on what came by other ways; the server of this store may do the same."""
        self._flushed_at = time.monotonic()
        if self._task.lake is not None:
            try:
                flush(self._engine, Lake(self._task.lake), lambda done: None)
            except HeadwaterError as error:
                log.warning("writing to the lake will be retried: %s", error.message)

    @property
    def _is_once(self) -> bool:
        return self._plan.every is None

    @property
    def _source(self) -> str:
        return f"ingest {self._plan.name}"

    def _read_positions(self) -> Positions:
        with answering(), self._engine.connect() as connection:
            return read_positions(connection, self._source)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One ingest of a name in a data folder: two would do everything twice."""
        self._own_folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{self._plan.name}.lock").open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Busy(
                    f"an ingest named '{self._plan.name}' is running on this data folder; stop it,"
                    " or give this one another --name"
                ) from None
            self._clear("spool-*")
            yield


def _driver_writer(engine: Engine) -> Writer | None:
    """SQLite has one writer, and it is here; to PostgreSQL tasks write themselves."""
    return open_writer(engine) if engine.dialect.name == "sqlite" else None


def _stop_at_end(query: StreamingQuery) -> None:
    """End a stream once there is nothing left that its source would give."""
    try:
        query.processAllAvailable()
    except Exception:
        # It failed, which is reported to whoever watches it as well.
        return
    _stop(query)


def _stop(query: StreamingQuery) -> None:
    """Stop a stream; after Spark's own time for it, what it does is of no account any more."""
    try:
        query.stop()
    except Exception as error:
        log.debug("a stream did not end: %s", error)


def _describe(error: Exception) -> str:
    """What was wrong in one line, without the frame that Spark puts around it."""
    if isinstance(error, StreamingQueryException):
        message = (error.getMessageParameters() or {}).get("message")
        return message.partition("\n")[0] if message else find_cause(error)
    return find_cause(error)
