"""Taking events in from a feed, for as long as it goes on: batch by batch, each lost to nobody.

A batch is taken in by tasks (lake, then store); then the store is told how far the feed is. What
fails in between is begun again from there. What may pass, such as a store that is away, is waited
for; what does not is told.
"""

import fcntl
import logging
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from headwater.errors import (
    Busy,
    HeadwaterError,
    LakeUnavailable,
    SourceChanged,
    SourceUnavailable,
    SparkUnavailable,
    StoreUnavailable,
)
from headwater.pipeline.feeds import Feed, Moves, Positions
from headwater.pipeline.jvm import find_cause
from headwater.pipeline.lake import Lake
from headwater.pipeline.outbox import flush
from headwater.pipeline.storing import take_in_frame
from headwater.pipeline.tasks import Task
from headwater.pipeline.watching import Watcher
from headwater.store.positions import move_position, read_positions
from headwater.store.writer import Writer, open_writer

log = logging.getLogger(__name__)

_LOOK_SECONDS = 1
_LONGEST_WAIT = 30.0
# A batch under way may end; more than that would keep whoever stops us waiting.
_STOP_SECONDS = 60.0
# Failures one after another, without a batch between them.
_TRIES_ONCE = 6
_TRIES_UNKNOWN = 5

_PASSING = (StoreUnavailable, LakeUnavailable, SourceUnavailable)


@dataclass(frozen=True)
class Plan:
    """How an ingest runs. `every` is in seconds; None: take in what there is, then end."""

    name: str
    every: float | None
    flush_every: float = 60.0


class Ingest:
    """One feed into one store."""

    def __init__(
        self,
        spark: SparkSession,
        feed: Feed,
        task: Task,
        engine: Engine,
        folder: Path,
        plan: Plan,
        watcher: Watcher,
    ) -> None:
        self._spark = spark
        self._feed = feed
        self._task = task
        self._engine = engine
        self._folder = folder / "ingest"
        self._plan = plan
        self._watcher = watcher
        self._writer = _driver_writer(engine)
        self._stopping = threading.Event()
        self._failure: HeadwaterError | None = None
        self._tries = 0
        self._settled = ""
        self._flushed_at = 0.0

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
        if isinstance(error, SourceChanged):
            return 0.0
        self._tries += 1
        if not isinstance(error, _PASSING):
            most: float = _TRIES_UNKNOWN
        else:
            most = _TRIES_ONCE if self._is_once else float("inf")
        if self._tries >= most:
            raise error
        return float(min(2 ** (self._tries - 1), _LONGEST_WAIT))

    def _run_stream(self) -> None:
        self._failure, self._settled = None, ""
        frame = self._feed.open(self._spark, self._read_positions(), is_once=self._is_once)
        # From now on what comes is ours, also where we were to begin with the latest.
        self._move(self._feed.began())
        query = self._start(frame)
        self._watcher.started(self._feed.datasets())
        try:
            self._watch(query)
        except StreamingQueryException as error:
            raise self._failure or self._explain(error) from error
        finally:
            query.stop()
        self._settle(query)
        self._flush()

    def _explain(self, error: Exception) -> HeadwaterError:
        """What Spark says of a stream or a job that failed by itself."""
        text = find_cause(error)
        # Spark's source of Kafka has no errors of its own by which to tell them.
        if "org.apache.kafka" in str(error) or "sql.kafka010" in str(error):
            return SourceUnavailable(self._feed.place, text)
        return SparkUnavailable(text)

    def _start(self, frame: DataFrame) -> StreamingQuery:
        checkpoint = self._folder / self._plan.name / "checkpoint"
        # The store knows how far we are: what Spark notes is for this one run.
        shutil.rmtree(checkpoint, ignore_errors=True)
        checkpoint.mkdir(parents=True)
        writer = frame.writeStream.foreachBatch(self._take_in).queryName(self._plan.name)
        writer = writer.option("checkpointLocation", checkpoint.absolute().as_uri())
        if self._is_once and self._feed.has_end:
            return writer.trigger(availableNow=True).start()
        seconds = self._plan.every or 0
        return writer.trigger(processingTime=f"{seconds} seconds").start()

    def _take_in(self, frame: DataFrame, batch: int) -> None:
        """One batch, called by Spark. What went wrong is kept: Spark would make a text of it."""
        started = time.monotonic()
        try:
            if self._stopping.is_set():
                # Not begun, so nothing is cut short; the stream ends with it.
                raise SourceChanged(self._feed.place, "stopped")
            self._feed.check()
            totals = take_in_frame(frame, self._task, self._writer, self._folder)
        except Exception as error:
            self._failure = error if isinstance(error, HeadwaterError) else self._explain(error)
            raise self._failure from error
        self._tries = 0
        self._watcher.stored(totals, time.monotonic() - started)

    def _watch(self, query: StreamingQuery) -> None:
        if self._is_once and not self._feed.has_end:
            threading.Thread(target=_end, args=(query,), daemon=True).start()
        while not query.awaitTermination(_LOOK_SECONDS):
            self._settle(query)
            self._watcher.alive()
            if time.monotonic() - self._flushed_at > self._plan.flush_every:
                self._flush()
            if self._stopping.is_set():
                self._wait_for_batch(query)
                return

    def _settle(self, query: StreamingQuery) -> None:
        """Tell the store how far the feed is, once for each batch that is done."""
        progress: Any = query.lastProgress
        source = progress["sources"][0] if progress is not None else {"endOffset": None}
        end = source["endOffset"]
        if end is None or end == self._settled:
            return
        self._move(self._feed.moved(end))
        self._feed.commit(end)
        self._settled = end
        self._watcher.settled(self._feed.lag(source))

    def _move(self, moves: Moves) -> None:
        with _store_answers(), self._engine.begin() as connection:
            for partition, (value, incarnation) in sorted(moves.items()):
                move_position(connection, self._source, partition, value, incarnation)

    def _wait_for_batch(self, query: StreamingQuery) -> None:
        give_up = time.monotonic() + _STOP_SECONDS
        while query.isActive and query.status["isTriggerActive"] and time.monotonic() < give_up:
            time.sleep(0.1)
        self._settle(query)

    def _flush(self) -> None:
        """Carry on what came by other ways; the server of this store may do the same."""
        self._flushed_at = time.monotonic()
        if self._task.lake is not None:
            try:
                flush(self._engine, Lake(self._task.lake), lambda done: None)
            except HeadwaterError as error:
                log.warning("the lake will be tried again: %s", error.message)

    @property
    def _is_once(self) -> bool:
        return self._plan.every is None

    @property
    def _source(self) -> str:
        return f"ingest {self._plan.name}"

    def _read_positions(self) -> Positions:
        with _store_answers(), self._engine.connect() as connection:
            return read_positions(connection, self._source)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One ingest of a name in a data folder: two would do everything twice."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{self._plan.name}.lock").open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Busy(
                    f"an ingest called '{self._plan.name}' is running on this data folder; stop it,"
                    " or give this one another --name"
                ) from None
            yield


def _driver_writer(engine: Engine) -> Writer | None:
    """SQLite has one writer, and it is here; to PostgreSQL tasks write themselves."""
    return open_writer(engine) if engine.dialect.name == "sqlite" else None


def _end(query: StreamingQuery) -> None:
    """End a stream once there is nothing left that its source would give."""
    try:
        query.processAllAvailable()
    except Exception:
        # It failed, which whoever watches it is told as well.
        return
    query.stop()


@contextmanager
def _store_answers() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        reason = str(error.orig).partition("\n")[0]
        raise StoreUnavailable(f"the store does not answer: {reason}") from error

