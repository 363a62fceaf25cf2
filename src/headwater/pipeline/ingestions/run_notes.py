"""How a run of an ingestion goes, noted in the store as it goes on."""

import logging
import time
from collections.abc import Callable, Sequence

from headwater.errors import HeadwaterError
from headwater.model.values.instant import now
from headwater.pipeline.driver_store import Totals
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.ingestions import (
    StoredIngestionRun,
    add_members,
    end_run,
    interrupt_run,
    note_run,
)

log = logging.getLogger(__name__)

# Batches may come several a second.
_NOTE_SECONDS = 2.0
# How often a run that goes on marks what was not seen for a time, as others do at their end.
MARK_SECONDS = 600.0


class RunNotes:
    """Counts one run; a store that does not answer is no reason for the run to stop."""

    def __init__(
        self,
        engine: Engine,
        name: str,
        started_at: int,
        *,
        is_debug: bool = False,
        mark: Callable[[], int] = lambda: 0,
    ) -> None:
        self._mark = mark
        self._marked_at = time.monotonic()
        self._engine = engine
        self._name = name
        self._run = StoredIngestionRun(name, started_at)
        self._is_debug = is_debug
        self._known: set[tuple[int, bytes]] = set()
        self._new: set[tuple[int, bytes]] = set()
        self._has_news = False
        self._noted_at = 0.0

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        sources = ", ".join(f"{namespace} {name}" for namespace, name in inputs)
        log.info("%s: ingesting from %s", self._name, sources)

    def stored(self, totals: Totals, seconds: float) -> None:
        run = self._run
        self._run = run._replace(
            stored=run.stored + totals.events,
            rejected=run.rejected + totals.rejected,
            excluded=run.excluded + totals.excluded,
            problem=None,
        )
        self._new |= totals.seen - self._known
        self._has_news = True
        if self._is_debug and totals.messages:
            counts = (totals.events, seconds, totals.rejected, totals.excluded)
            text = "%s: stored %d events in %.1f s, %d rejected, %d excluded"
            log.info(text, self._name, *counts)
        self.alive()

    def settled(self, lag: int | None) -> None:
        if lag is not None and lag != self._run.lag:
            self._run = self._run._replace(lag=lag)
            self._has_news = True

    def behind(self, seconds: float) -> None:
        """Of sources that count time: the lag is in messages."""

    def alive(self) -> None:
        at = time.monotonic()
        if (self._has_news or self._new) and at - self._noted_at >= _NOTE_SECONDS:
            self._noted_at = at
            self._note()
        if at - self._marked_at >= MARK_SECONDS and not self._run.lag:
            self._marked_at = at
            try:
                self.mark()
            except HeadwaterError as error:
                log.warning("%s: marking is tried again later: %s", self._name, error.message)

    def failed(self, error: HeadwaterError, wait: float) -> None:
        log.warning("%s: %s; trying again in %g s", self._name, error.message, wait)
        self._run = self._run._replace(problem=error.message)
        self._note()

    def ended(self, error: BaseException | None) -> None:
        """Whoever runs it notes the end, with when the next one is due."""

    def mark(self) -> None:
        """Mark what was not seen for a time, if the ingestion does so."""
        self.note_members()
        if marked := self._mark():
            log.info("%s: %d jobs and datasets marked as deleted", self._name, marked)
            self._run = self._run._replace(marked=self._run.marked + marked)
            self._has_news = True

    def note_members(self) -> None:
        """Note what was seen, for those that are missing later on to be known."""
        if self._new:
            new = set(self._new)
            with answering(), self._engine.begin() as connection:
                add_members(connection, self._name, new)
            self._known |= new
            self._new -= new

    def end(self, problem: str | None, revision: int, next_at: int | None) -> None:
        """Note the end of the run; raises StoreUnavailable."""
        run = self._run._replace(ended_at=self._end_time(), problem=problem)
        with answering(), self._engine.begin() as connection:
            end_run(connection, run, revision, next_at, is_failed=problem is not None)

    def interrupt(self) -> None:
        """Note that the run was stopped before its end; raises StoreUnavailable."""
        run = self._run._replace(ended_at=self._end_time())
        with answering(), self._engine.begin() as connection:
            interrupt_run(connection, run)

    def _end_time(self) -> int:
        """Now, and after the start even where the clock was set back."""
        return max(now(), self._run.started_at + 1)

    def _note(self) -> None:
        try:
            self.note_members()
            with answering(), self._engine.begin() as connection:
                note_run(connection, self._run)
            self._has_news = False
        except HeadwaterError as error:
            log.debug("%s: its progress is noted later: %s", self._name, error.message)
