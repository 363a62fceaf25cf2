"""Group commit: requests that come while one transaction commits share the next one."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue

from headwater.errors import HeadwaterError, StoreUnavailable
from headwater.model.facts import Facts
from headwater.store.write.refusals import refusal_of
from headwater.store.write.turns import count_rows
from headwater.store.write.writer import Writer

log = logging.getLogger(__name__)

# A store that hangs must not keep a server from ending; nothing in it was acknowledged.
_END_SECONDS = 3.0
# So long after a failed write nothing is taken to work, unless a later one did.
FAILING_SECONDS = 10.0
# How long a check waits for its turn to write.
CHECK_SECONDS = 5.0
# Less than a commit takes, so that nobody who is alone waits for it, nor anybody notices.
_PAUSE_SECONDS = 0.0006
# Enough to share a commit's cost; few enough that no request waits long for strangers.
_MAX_EVENTS = 1_000
_MAX_ROWS = 20_000
# Longer than any write should take; senders wait about as long for an answer.
WRITE_SECONDS = 20.0


class Ticket:
    """Facts waiting to be durable; `done` is called once they are stored or failed."""

    __slots__ = ("done", "error", "facts", "is_given_up", "is_release", "rows")

    def __init__(self, facts: Sequence[Facts], done: Callable[["Ticket"], None]) -> None:
        self.facts = facts
        self.rows = sum(map(count_rows, facts))
        self.done = done
        self.is_given_up = False
        # Nothing to store: the writer lets memory go.
        self.is_release = False
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
        self._writing: list[Ticket] = []
        self._failed_at: float | None = None
        self._queue: SimpleQueue[Ticket | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="headwater-writer", daemon=True)
        self._thread.start()

    def submit(self, facts: Sequence[Facts], done: Callable[[Ticket], None]) -> Ticket:
        """Queue facts; `done` is called once they are durable or refused."""
        if self._is_closed:
            raise StoreUnavailable("the server is stopping; send again")
        ticket = Ticket(facts, done)
        self._queue.put(ticket)
        return ticket

    def give_up(self, ticket: Ticket) -> None:
        """See to it that facts nobody waits for any longer are not stored later.

        Those that wait are left out; a write that is under way is ended, and stores nothing.
        """
        ticket.is_given_up = True
        if ticket in self._writing:
            self._writer.interrupt()

    def write(self, facts: Sequence[Facts], seconds: float = WRITE_SECONDS) -> None:
        """Write and wait; raises what kept the facts from being stored."""
        future: Future[None] = Future()
        ticket = self.submit(facts, partial(_settle, future))
        try:
            future.result(seconds)
        except TimeoutError:
            self.give_up(ticket)
            raise StoreUnavailable("the store does not answer; try again") from None
        finally:
            # It holds what is raised, which holds this frame, and so the facts: no such circle.
            del future

    def check(self) -> None:
        """Raise if nothing can be written: a write has just failed, or another one does."""
        if self._failed_at is None:
            return
        # A small write may find room where those that are sent do not.
        if time.monotonic() < self._failed_at + FAILING_SECONDS:
            raise StoreUnavailable("the store could not be written; try again")
        self.write([], CHECK_SECONDS)

    def release_memory(self, seconds: float = CHECK_SECONDS) -> None:
        """Have the writer let go of memory in its turn, and wait for that a while."""
        is_done = threading.Event()
        ticket = Ticket([], lambda _: is_done.set())
        ticket.is_release = True
        if not self._is_closed:
            self._queue.put(ticket)
            is_done.wait(seconds)

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
                    # Those just answered send again at once, which makes the next group larger.
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
        events = rows = 0
        while ticket is not None:
            if ticket.is_release:
                self._writer.release_memory()
                ticket.done(ticket)
            else:
                group.append(ticket)
                events += len(ticket.facts)
                rows += ticket.rows
            if events >= _MAX_EVENTS or rows >= _MAX_ROWS or self._queue.empty():
                return group, True
            ticket = self._queue.get()
        return group, False

    def _commit(self, group: list[Ticket]) -> None:
        # Before it is looked at who gave up: who does so from here on finds it there.
        self._writing = group
        for ticket in group:
            if ticket.is_given_up:
                ticket.error = _given_up()
        remaining = [ticket for ticket in group if not ticket.is_given_up]
        if remaining:
            self._write(remaining)
        self._writing = []

    def _write(self, group: list[Ticket]) -> None:
        def check() -> None:
            # It may be past what could be interrupted.
            if any(ticket.is_given_up for ticket in group):
                raise _given_up()

        try:
            self._writer.write([facts for ticket in group for facts in ticket.facts], check)
            self._failed_at = None
        except StoreUnavailable as error:
            self._failed_at = time.monotonic()
            for ticket in group:
                # Another one: by its traceback this one holds the rows of all of them.
                ticket.error = StoreUnavailable(error.message)
        except Exception as error:
            if len(group) == 1:
                log.exception("the store refuses facts")
                group[0].error = refusal_of(error)
                return
            # One of them cannot be stored; the others must not suffer for it.
            for ticket in group:
                self._write([ticket])


def _given_up() -> StoreUnavailable:
    return StoreUnavailable("not stored in time; send again")


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
