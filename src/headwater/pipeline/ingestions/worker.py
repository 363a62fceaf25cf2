"""One run of an ingestion, in a thread of its own."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from headwater.errors import HeadwaterError, SparkUnavailable
from headwater.leases import wait_after
from headwater.model.values.instant import SECOND
from headwater.pipeline.ingestions.absence import mark_unseen
from headwater.pipeline.ingestions.reading import Ingestion
from headwater.pipeline.ingestions.run_notes import RunNotes
from headwater.store.engine import Engine
from headwater.store.ingestions import StoredIngestion
from headwater.store.write.writer import open_writer

log = logging.getLogger(__name__)

# What failed is tried again after a minute, then less and less often.
RETRY_SECONDS = 60.0


class Stoppable(Protocol):
    """A run that ends after the batch under way on request."""

    def run(self) -> None: ...

    def stop(self) -> None: ...


# Puts a run together; may take long.
RunIngestion = Callable[[Ingestion, RunNotes], Stoppable]


class Worker:
    """Runs an ingestion once, or continuously until stopped, and notes how that ended."""

    def __init__(
        self,
        engine: Engine,
        ingestion: Ingestion,
        stored: StoredIngestion,
        started_at: int,
        open_run: RunIngestion,
        clock: Callable[[], int],
        *,
        notes_for_lake: bool = False,
    ) -> None:
        self._notes_for_lake = notes_for_lake
        self.ingestion = ingestion
        self.version = stored.version
        self._engine = engine
        self._failures = stored.failures
        self._open_run = open_run
        self._clock = clock
        is_debug = ingestion.is_debug
        self._notes = RunNotes(engine, stored.name, started_at, is_debug=is_debug, mark=self._mark)
        # A signal may ask it to stop in the very thread that holds it.
        self._lock = threading.RLock()
        self._running: Stoppable | None = None
        self._is_stopping = False
        name = f"headwater-ingest-{stored.name}"
        self._thread = threading.Thread(target=self.work, name=name, daemon=True)

    @property
    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def start(self) -> None:
        self._thread.start()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def stop(self) -> None:
        """Ask it to end after the batch under way."""
        with self._lock:
            self._is_stopping = True
            running = self._running
        if running is not None:
            running.stop()

    def work(self) -> str | None:
        """Run it to its end; returns why it failed, if it did."""
        problem = None
        try:
            self._run()
            self._notes.mark()
        except SparkUnavailable as error:
            # Who ends it may have ended its JVM as well, as service managers do.
            problem = None if self._is_stopping else error.message
        except HeadwaterError as error:
            problem = error.message
        except Exception as error:
            log.exception("%s failed", self.ingestion.name)
            problem = f"{type(error).__name__}: {error}"
        try:
            self._note_end(problem)
        except HeadwaterError as error:
            # It is begun still: so it runs again, as one that was cut short.
            log.warning("%s: its end cannot be noted: %s", self.ingestion.name, error.message)
        return problem

    def _run(self) -> None:
        if self._is_stopping:
            return
        running = self._open_run(self.ingestion, self._notes)
        with self._lock:
            self._running = running
            if self._is_stopping:
                running.stop()
        # Also where it is to stop: so it closes what was opened for it.
        running.run()

    def _mark(self) -> int:
        if (rule := self.ingestion.absence) is None:
            return 0
        writer = open_writer(self._engine, notes_for_lake=self._notes_for_lake)
        try:
            return mark_unseen(self._engine, writer, self.ingestion.name, rule)
        finally:
            writer.close()

    def _note_end(self, problem: str | None) -> None:
        if problem is not None:
            log.warning("%s: %s", self.ingestion.name, problem)
        schedule = self.ingestion.schedule
        has_closed = schedule.is_continuous and not schedule.is_open(self._clock())
        if self._is_stopping and problem is None and not has_closed:
            self._notes.interrupt()
        else:
            self._notes.end(problem, self.version[1], self._next_at(problem))

    def _next_at(self, problem: str | None) -> int | None:
        """When it runs next: by its schedule, or sooner after a failure."""
        at, schedule = self._clock(), self.ingestion.schedule
        next_at = schedule.next_after(at)
        if problem is None or next_at is None:
            return next_at
        retry_at = at + int(wait_after(RETRY_SECONDS, self._failures) * SECOND)
        return retry_at if schedule.is_continuous else min(next_at, retry_at)
