"""Work that a server does every so often in a thread of its own, beside requests."""

import logging
import threading
from datetime import timedelta

from headwater.errors import HeadwaterError
from headwater.store.failures import answering

log = logging.getLogger(__name__)

# A store that hangs must not keep a server from ending; whatever is cut short is done again.
END_SECONDS = 1.0


class Stopped(Exception):
    """Ends work between two steps: the server is stopping."""


class Background:
    """Does its work again and again from `start` to `close`; what fails is tried again."""

    name = "background"

    def __init__(self, every: timedelta, first_after: timedelta) -> None:
        self.every = every
        self._first_after = min(first_after, every)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def work(self) -> None:
        raise NotImplementedError

    def start(self) -> None:
        self._thread = threading.Thread(
            target=self._run, name=f"headwater-{self.name}", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End after the step that is under way, if any; one that hangs is left behind."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(END_SECONDS)

    def pause(self, seconds: float) -> None:
        """Rest for a while; ends the work at once if the server is stopping."""
        if self._stopping.wait(seconds):
            raise Stopped

    def check_stopping(self) -> None:
        if self._stopping.is_set():
            raise Stopped

    def _run(self) -> None:
        wait = self._first_after
        while not self._stopping.wait(wait.total_seconds()):
            self._work()
            wait = self.every

    def _work(self) -> None:
        try:
            with answering():
                self.work()
        except Stopped:
            log.info("%s interrupted; the next one continues", self.name)
        except HeadwaterError as error:
            log.warning(
                "%s failed, will be tried again in %s: %s", self.name, self.every, error.message
            )
        except Exception:
            # Whatever it is, the server's work goes on.
            log.exception("%s failed, will be tried again in %s", self.name, self.every)
