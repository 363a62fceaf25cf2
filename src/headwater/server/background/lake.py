"""Writes the server's events to the lake periodically, outside of requests."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from headwater.config import LakeSettings, RetentionSettings
from headwater.durations import parse_duration
from headwater.errors import LakeUnavailable
from headwater.model.values.instant import MICROSECOND, now
from headwater.server.background.periodic import Background
from headwater.store.engine import Engine
from headwater.store.write.outbox import count_waiting

log = logging.getLogger(__name__)

FIRST_AFTER = timedelta(seconds=10)
# After the first prune.
EXPIRE_AFTER = timedelta(minutes=5)
# Without -P a file of the folder that the server runs in could take a module's place.
COMMAND = (sys.executable, "-P", "-m", "headwater.pipeline.lake.carry")


class LakeWork(Background):
    """Work on the lake, each time in a separate process."""

    def __init__(
        self, engine: Engine, folder: Path, every: str, is_on: bool, first_after: timedelta
    ) -> None:
        super().__init__(parse_duration(every), first_after)
        self._engine = engine
        self._folder = folder
        self._is_on = is_on
        self._child: subprocess.Popen[bytes] | None = None
        # So that no process is started once the server is stopping.
        self._starting = threading.Lock()

    def start(self) -> None:
        if self._is_on:
            super().start()

    def close(self) -> None:
        """End the process that is at work, if any: what it has not done is done by the next."""
        self._stopping.set()
        with self._starting:
            child = self._child
        if child is not None:
            child.terminate()
        super().close()
        if child is not None:
            child.kill()

    def _run_process(self, **further: object) -> dict[str, Any]:
        """Run a process; its answer."""
        child = self._start_child()
        output, _ = child.communicate(json.dumps(self._request() | further).encode())
        self._child = None
        answer = _read_answer(output)
        if answer is None:
            self.check_stopping()
            reason = f"the process that writes to the lake ended with status {child.returncode}"
            raise LakeUnavailable(reason)
        if "error" in answer:
            raise LakeUnavailable(answer["error"])
        return answer

    def _start_child(self) -> subprocess.Popen[bytes]:
        with self._starting:
            self.check_stopping()
            try:
                self._child = subprocess.Popen(
                    COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    # Ctrl-C is for the server, which then ends its child in order.
                    start_new_session=True,
                )
            except OSError as error:
                raise LakeUnavailable(f"no process can be started: {error}") from error
            return self._child

    def _request(self) -> dict[str, object]:
        return {
            "store": self._engine.url.render_as_string(hide_password=False),
            "folder": str(self._folder),
            "parent": os.getpid(),
        }


class LakeFlush(LakeWork):
    """Writes events in the background, unless switched off.

    `observe` is called with the number of waiting events after each check.
    """

    name = "lake"

    def __init__(
        self,
        engine: Engine,
        folder: Path,
        settings: LakeSettings,
        observe: Callable[[int], None] = lambda waiting: None,
    ) -> None:
        super().__init__(engine, folder, settings.every, settings.is_on, FIRST_AFTER)
        self._observe = observe

    def work(self) -> None:
        waiting = self._count()
        self._observe(waiting)
        if waiting:
            count = int(self._run_process()["carried"])
            log.info("wrote %d events to the lake at %s", count, self._folder)

    def _count(self) -> int:
        with self._engine.connect() as connection:
            return count_waiting(connection)


class LakeExpiry(LakeWork):
    """Removes old events from the lake that the store has pruned, if that is set."""

    name = "expiry of the lake"

    def __init__(
        self,
        engine: Engine,
        folder: Path,
        lake: LakeSettings,
        retention: RetentionSettings,
        first_after: timedelta = EXPIRE_AFTER,
    ) -> None:
        is_on = lake.is_on and bool(retention.lake)
        super().__init__(engine, folder, retention.every, is_on, first_after)
        self._older_than = retention.lake

    def work(self) -> None:
        before = now() - parse_duration(self._older_than) // MICROSECOND
        count = int(self._run_process(expire_before=before)["expired"])
        log.info("removed %d events older than %s from the lake", count, self._older_than)


def _read_answer(output: bytes) -> dict[str, Any] | None:
    """The output of a child; None if it was ended before."""
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        return None
    return answer
