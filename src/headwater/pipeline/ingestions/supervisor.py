"""Runs ingestions as their schedules say, each in a thread, one process at a time for each."""

import fcntl
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from headwater.errors import Busy, HeadwaterError
from headwater.leases import LEASE_SECONDS, LOOK_SECONDS, wait_after
from headwater.model.values.instant import SECOND, now
from headwater.pipeline.ingestions.reading import Ingestion, read_ingestion
from headwater.pipeline.ingestions.worker import RETRY_SECONDS, RunIngestion, Worker
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.ingestions import (
    StoredIngestion,
    list_ingestions,
    note_problem,
    release_holder,
    start_run,
    take_ingestion,
)

log = logging.getLogger(__name__)

# A batch under way may end.
STOP_SECONDS = 80.0


class Sessions(Protocol):
    """What runs of ingestions need in common, such as Spark."""

    def fits(self, ingestion: Ingestion) -> bool:
        """Whether one can run in what is open, if anything is."""

    def close(self) -> None:
        """End what is open; the next run opens it anew, with what that one needs."""


class Supervisor:
    """Looks every second which ingestion is due, was changed, paused or removed."""

    def __init__(
        self,
        engine: Engine,
        holder: str,
        run: RunIngestion,
        sessions: Sessions,
        clock: Callable[[], int] = now,
        *,
        notes_for_lake: bool = False,
    ) -> None:
        self._notes_for_lake = notes_for_lake
        self._engine = engine
        self._holder = holder
        self._open_run = run
        self._sessions = sessions
        self._clock = clock
        self._stopping = threading.Event()
        self._workers: dict[str, Worker] = {}
        self._renew_at: dict[str, float] = {}
        self._read: dict[str, tuple[object, Ingestion | HeadwaterError]] = {}
        self._is_draining = False

    def stop(self) -> None:
        """Ask it to end after the batches under way; `run` then returns."""
        self._stopping.set()

    @property
    def is_busy(self) -> bool:
        return bool(self._workers)

    def run(self) -> None:
        """Work ingestions off until stopped."""
        try:
            while not self._stopping.is_set():
                self._try_look()
                self._stopping.wait(LOOK_SECONDS)
        finally:
            self._end()

    def _try_look(self) -> None:
        try:
            self.look()
        except HeadwaterError as error:
            log.warning("the ingestions are waiting: %s", error.message)
        except Exception:
            # Whatever it is, the ingestions go on.
            log.exception("the supervisor failed; it looks again")

    def look(self) -> None:
        """Stop what is not to run any more, and start what is due."""
        with answering(), self._engine.connect() as connection:
            found = {each.name: each for each in list_ingestions(connection)}
        for name, worker in list(self._workers.items()):
            if worker.is_over:
                del self._workers[name]
            elif not self._may_go_on(worker, found.get(name)):
                worker.stop()
        if self._is_draining and not self._workers:
            self._sessions.close()
            self._is_draining = False
        for name, stored in found.items():
            if self._hold(name) and name not in self._workers and not self._is_draining:
                self._start_if_due(stored)

    def _may_go_on(self, worker: Worker, stored: StoredIngestion | None) -> bool:
        if stored is None or stored.is_paused or stored.version != worker.version:
            return False
        schedule = worker.ingestion.schedule
        if schedule.is_continuous and not schedule.is_open(self._clock()):
            return False
        return self._hold(stored.name) and not self._is_draining

    def _hold(self, name: str) -> bool:
        """Whether this process is to run it; a lease that is fresh is not requested again."""
        at = time.monotonic()
        if at < self._renew_at.get(name, 0.0):
            return True
        held_at = now()
        until = held_at + int(LEASE_SECONDS * SECOND)
        with answering(), self._engine.begin() as connection:
            is_held = take_ingestion(connection, name, self._holder, held_at, until)
        self._renew_at[name] = at + LEASE_SECONDS / 3 if is_held else 0.0
        return is_held

    def _start_if_due(self, stored: StoredIngestion) -> None:
        at = self._clock()
        ingestion = self._ingestion(stored)
        if not is_due(stored, at):
            return
        if isinstance(ingestion, HeadwaterError):
            self._note_problem(stored, ingestion, at)
        elif ingestion.schedule.is_continuous and not ingestion.schedule.is_open(at):
            return
        elif not self._sessions.fits(ingestion):
            # Others run in what would have to be opened anew: they end after their batch.
            self._is_draining = True
        else:
            self._start(stored, ingestion, at)

    def _start(self, stored: StoredIngestion, ingestion: Ingestion, at: int) -> None:
        # After whatever the store has, by whichever clock.
        known = (stored.requested_at, stored.started_at, stored.ended_at)
        started_at = max(at, *((each or 0) + 1 for each in known))
        with answering(), self._engine.begin() as connection:
            if not start_run(connection, stored.name, self._holder, started_at):
                # It was removed, and perhaps added again.
                del self._renew_at[stored.name]
                return
        worker = Worker(
            self._engine,
            ingestion,
            stored,
            started_at,
            self._open_run,
            self._clock,
            notes_for_lake=self._notes_for_lake,
        )
        self._workers[stored.name] = worker
        worker.start()

    def _ingestion(self, stored: StoredIngestion) -> Ingestion | HeadwaterError:
        """What an ingestion is to do, read once for each of its changes."""
        known = self._read.get(stored.name)
        if known is None or known[0] != stored.version:
            known = self._read[stored.name] = (stored.version, _read(stored))
        return known[1]

    def _note_problem(self, stored: StoredIngestion, problem: HeadwaterError, at: int) -> None:
        next_at = at + int(wait_after(RETRY_SECONDS, stored.failures) * SECOND)
        with answering(), self._engine.begin() as connection:
            note_problem(connection, stored.name, problem.message, at, next_at)

    def _end(self) -> None:
        for worker in self._workers.values():
            worker.stop()
        give_up = time.monotonic() + STOP_SECONDS
        for worker in self._workers.values():
            worker.join(max(0.0, give_up - time.monotonic()))
        self._sessions.close()
        try:
            with answering(), self._engine.begin() as connection:
                release_holder(connection, self._holder, now())
        except HeadwaterError as error:
            log.debug("the leases end by themselves: %s", error.message)


def is_due(stored: StoredIngestion, at: int) -> bool:
    """Whether an ingestion is to run: requested, cut short, or by its schedule."""
    if stored.is_paused:
        return False
    is_time = stored.next_at is not None and stored.next_at <= at
    return is_time or stored.is_requested or stored.is_begun


def _read(stored: StoredIngestion) -> Ingestion | HeadwaterError:
    try:
        return read_ingestion(stored.name, json.loads(stored.body))
    except HeadwaterError as error:
        return error


@contextmanager
def supervising(engine: Engine, folder: Path, holder: str) -> Iterator[None]:
    """One supervisor on a data folder; it takes over at once what the last one there held."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "supervisor.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Busy(f"a supervisor of ingestions runs on {folder.parent} already") from None
        file.seek(0)
        # It has ended, whatever the store says: the lock was free.
        if before := file.read().strip():
            with answering(), engine.begin() as connection:
                release_holder(connection, before, now())
        file.truncate(0)
        file.write(holder)
        file.flush()
        yield
