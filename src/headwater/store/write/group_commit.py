"""Group commit: requests that come while one transaction commits share the next one."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue

from headwater.errors import HeadwaterError, NotStorable, StoreUnavailable
from headwater.model.facts import Facts
from headwater.store.write.writer import Writer

log = logging.getLogger(__name__)

# A store that hangs must not keep a server from ending; nothing in it was acknowledged.
_END_SECONDS = 3.0
# Less than a commit takes, so that nobody who is alone waits for it, nor anybody notices.
_PAUSE_SECONDS = 0.0006
# Enough to share a commit's cost; few enough that no request waits long for strangers.
_MAX_EVENTS = 1_000


class Ticket:
    """Facts waiting to be durable; `done` is called once they are stored or failed."""

    __slots__ = ("done", "error", "facts")

    def __init__(self, facts: Sequence[Facts], done: Callable[["Ticket"], None]) -> None:
        self.facts = facts
        self.done = done
        self.error: HeadwaterError | None = None


class GroupCommit:
    """A thread that writes what is submitted to it, as many at once as are waiting."""

    def __init__(
        self,
        writer: Writer,
        deliver: Callable[[list[Ticket]], None] | None = None,
        observe: Callable[[list[Ticket], float], None] | None = None,
    ) -> None:
        self._writer = writer
        self._deliver = deliver or _report_all
        self._observe = observe
        self._is_closed = False
        self._queue: SimpleQueue[Ticket | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="headwater-writer", daemon=True)
        self._thread.start()

    def submit(self, facts: Sequence[Facts], done: Callable[[Ticket], None]) -> None:
        """Queue facts; `done` is called once they are durable or refused."""
        if self._is_closed:
            raise StoreUnavailable("the server is stopping; send again")
        self._queue.put(Ticket(facts, done))

    def write(self, facts: Sequence[Facts]) -> None:
        """Write and wait; raises what kept the facts from being stored."""
        future: Future[None] = Future()
        self.submit(facts, lambda ticket: _settle(future, ticket))
        future.result()

    def close(self) -> None:
        """Write what was submitted, then end."""
        self._is_closed = True
        self._queue.put(None)
        self._thread.join(_END_SECONDS)
        if not self._thread.is_alive():
            self._writer.close()

    def _run(self) -> None:
        is_open = True
        while is_open:
            group, is_open = self._take()
            if group:
                started = time.monotonic()
                self._commit(group)
                self._report(group, time.monotonic() - started)
                if len(group) > 1:
                    # Those just told send again at once: with them the next group is the larger.
                    time.sleep(_PAUSE_SECONDS)

    def _report(self, group: list[Ticket], seconds: float) -> None:
        try:
            self._deliver(group)
            if self._observe is not None:
                self._observe(group, seconds)
        except Exception:
            # A caller's fault must not end the thread that all others wait for.
            log.exception("reporting that facts are stored failed")

    def _take(self) -> tuple[list[Ticket], bool]:
        ticket = self._queue.get()
        group: list[Ticket] = []
        events = 0
        while ticket is not None:
            group.append(ticket)
            events += len(ticket.facts)
            if events >= _MAX_EVENTS or self._queue.empty():
                return group, True
            ticket = self._queue.get()
        return group, False

    def _commit(self, group: list[Ticket]) -> None:
        try:
            self._writer.write([facts for ticket in group for facts in ticket.facts])
        except StoreUnavailable as error:
            for ticket in group:
                ticket.error = error
        except Exception as error:
            if len(group) == 1:
                log.exception("the store refuses facts")
                group[0].error = NotStorable(f"the store refuses it: {_first_line(error)}")
                return
            # One of them cannot be stored; the others must not suffer for it.
            for ticket in group:
                self._commit([ticket])


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _settle(future: Future[None], ticket: Ticket) -> None:
    if ticket.error is None:
        future.set_result(None)
    else:
        future.set_exception(ticket.error)


def _report_all(group: list[Ticket]) -> None:
    for ticket in group:
        try:
            ticket.done(ticket)
        except Exception:
            log.exception("reporting that facts are stored failed")
