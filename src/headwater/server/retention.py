"""Retention on a schedule: a thread that prunes the store every so often."""

import logging
import threading
from datetime import timedelta

from sqlalchemy import Engine

from headwater.config import RetentionSettings
from headwater.durations import parse_duration
from headwater.errors import HeadwaterError
from headwater.model.instant import MICROSECOND, now
from headwater.store.prune import prune

log = logging.getLogger(__name__)

# After the start, so that a server that is being restarted does not prune each time; and soon
# enough that one restarted every day still does.
_FIRST_AFTER = timedelta(minutes=1)


class _Stopped(Exception):
    """Ends a prune between two transactions."""


class Retention:
    """Prunes in the background from `start` to `close`; nothing at all unless it is set."""

    def __init__(
        self, engine: Engine, settings: RetentionSettings, first_after: timedelta = _FIRST_AFTER
    ) -> None:
        self._engine = engine
        self._older_than = settings.older_than
        self._every = parse_duration(settings.every)
        self._first_after = min(first_after, self._every)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._older_than:
            self._thread = threading.Thread(
                target=self._run, name="headwater-retention", daemon=True
            )
            self._thread.start()

    def close(self) -> None:
        """End after the transaction that is under way, if any."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        wait = self._first_after
        while not self._stopping.wait(wait.total_seconds()):
            self._prune()
            wait = self._every

    def _prune(self) -> None:
        horizon = now() - parse_duration(self._older_than) // MICROSECOND
        try:
            gone = prune(self._engine, horizon, progress=self._check_stopping)
        except _Stopped:
            log.info("prune interrupted; the next one goes on")
        except HeadwaterError as error:
            log.warning("prune failed, will be tried again in %s: %s", self._every, error.message)
        except Exception:
            # Whatever it is, the server's work goes on.
            log.exception("prune failed, will be tried again in %s", self._every)
        else:
            rows = ", ".join(f"{count:,} {name}" for name, count in gone.items())
            log.info("pruned what is older than %s: %s", self._older_than, rows or "nothing")

    def _check_stopping(self, step: str, done: int, total: int | None) -> None:
        if self._stopping.is_set():
            raise _Stopped
