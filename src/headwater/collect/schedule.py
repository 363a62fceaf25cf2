"""Runs collectors by themselves, and whatever else has passes: each on its own, so that one that
hangs holds up no other."""

import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from headwater.collect import Collected
from headwater.collect.delivery import SendEvents, deliver
from headwater.errors import HeadwaterError
from headwater.leases import LEASE_SECONDS, LOOK_SECONDS, wait_after
from headwater.model.values.instant import SECOND, now

log = logging.getLogger(__name__)

# Of an interval: collectors that were started together do not look together for ever.
_JITTER = 0.1


class PassResult(NamedTuple):
    """What one pass over a system did."""

    stored: int = 0
    refused: int = 0
    error: str | None = None
    first_refusal: str | None = None

    @property
    def is_failed(self) -> bool:
        return self.error is not None


class ScheduledPlan(Protocol):
    """What runs by itself, and when; spans in seconds."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def every(self) -> float: ...

    @property
    def max_pass(self) -> float: ...

    def open(self, destination: Any, /) -> Any: ...


class Board(Protocol):
    """Where it is noted what collectors do: who runs one, when, and with what result.

    Times are in microseconds since 1970.
    """

    def take_lease(self, plan: ScheduledPlan) -> bool:
        """Be the one who runs it, for a while; False where another is."""

    def is_requested(self, plan: ScheduledPlan) -> bool:
        """Whether somebody requested a pass since the last one began."""

    def started(self, plan: ScheduledPlan) -> None: ...

    def ended(self, plan: ScheduledPlan, result: PassResult, next_at: int) -> None: ...

    def release(self, plan: ScheduledPlan) -> None: ...


class Scheduler:
    """Runs collectors from `start` to `close`, each in threads of its own."""

    @property
    def loop_class(self) -> type["CollectorLoop"]:
        return CollectorLoop

    def __init__(
        self, plans: Sequence[ScheduledPlan], destination: Any, send: SendEvents, board: Board
    ) -> None:
        self._stopping = threading.Event()
        self._loops = [
            self.loop_class(plan, destination, send, board, self._stopping) for plan in plans
        ]
        self._threads = [
            threading.Thread(target=loop.run, name=f"headwater-pass-{plan.name}", daemon=True)
            for loop, plan in zip(self._loops, plans, strict=True)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self, seconds: float = 1.0) -> None:
        """End; a pass that is under way is left behind, and what it did not deliver comes again."""
        self._stopping.set()
        give_up = time.monotonic() + seconds
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, give_up - time.monotonic()))


class CollectorLoop:
    """One collector, again and again."""

    def __init__(
        self,
        plan: ScheduledPlan,
        destination: Any,
        send: SendEvents,
        board: Board,
        stopping: threading.Event,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._plan = plan
        self._destination = destination
        self._send = send
        self._board = board
        self._stopping = stopping
        self._jitter = jitter
        self._collector: Any = None
        self._failures = 0
        self._under_way: Pass | None = None
        self._renew_at = 0.0

    def run(self) -> None:
        due = time.monotonic()
        while not self._stopping.is_set():
            try:
                due = self._look(due)
            except HeadwaterError as error:
                # The board itself does not answer: nothing can be noted, and nothing is run.
                log.warning("collector %s waits: %s", self._plan.name, error.message)
            except Exception:
                # Whatever it is, this collector goes on.
                log.exception("collector %s", self._plan.name)
                due = time.monotonic() + self.next_wait()
            self._stopping.wait(LOOK_SECONDS)
        if self._under_way is None or not self._under_way.is_alive:
            self._release()

    def _look(self, due: float) -> float:
        """Run a pass if it is time, or if somebody wants one; when the next one is due."""
        if not self._hold_lease():
            # Who takes it over looks at once.
            return time.monotonic()
        if self._under_way is not None and self._under_way.is_alive:
            # It took too long and hangs still: no second one beside it.
            return due
        if time.monotonic() < due and not self._board.is_requested(self._plan):
            return due
        self._board.started(self._plan)
        result = self._run_pass()
        self.note(result)
        wait = self.next_wait()
        self._board.ended(self._plan, result, now() + int(wait * SECOND))
        return time.monotonic() + wait

    def note(self, result: PassResult) -> None:
        self._failures = self._failures + 1 if result.is_failed else 0

    def next_wait(self) -> float:
        """How long until the next pass: longer after failures, and never quite the same."""
        wait = wait_after(self._plan.every, self._failures)
        return wait * (1 + _JITTER * self._jitter())

    def _run_pass(self) -> PassResult:
        if self._collector is None:
            try:
                self._collector = self._plan.open(self._destination)
            except HeadwaterError as error:
                return PassResult(error=error.message)
        self._under_way = self._begin(self._collector)
        give_up = time.monotonic() + self._plan.max_pass
        while not self._under_way.is_done(LOOK_SECONDS):
            if time.monotonic() >= give_up:
                # Its state is not known any more: the next pass is by a new one.
                self._collector = None
                limit = f"{self._plan.max_pass:,.0f} s"
                return PassResult(error=f"the pass took longer than {limit} and was given up")
            if self._stopping.is_set():
                return self._under_way.so_far("the server was stopped")
            self._hold_lease()
        return self._under_way.so_far(None)

    def _begin(self, collector: Any) -> "Pass":
        """Begin a pass, in a thread of its own."""
        return Pass(lambda note: deliver(collector, self._send, note.event, is_watching=True))

    def _hold_lease(self) -> bool:
        """Whether this one is to run it; a lease that is fresh is not requested again."""
        at = time.monotonic()
        if at >= self._renew_at:
            if not self._board.take_lease(self._plan):
                return False
            self._renew_at = at + LEASE_SECONDS / 3
        return True

    def _release(self) -> None:
        try:
            self._board.release(self._plan)
        except HeadwaterError as error:
            log.debug("the lease of %s ends by itself: %s", self._plan.name, error.message)


class Pass:
    """One pass in a thread of its own."""

    def __init__(self, run: Callable[["Pass"], None]) -> None:
        self._stored = self._refused = 0
        self._first_refusal: str | None = None
        self._error: str | None = None
        self._thread = threading.Thread(target=self._run, args=(run,), daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def is_done(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def so_far(self, error: str | None) -> PassResult:
        return PassResult(self._stored, self._refused, self._error or error, self._first_refusal)

    def event(self, event: Collected, reason: str | None) -> None:
        """Note that an event was stored, or why it was refused."""
        refusal = None if reason is None else f"{event.place}: {reason}"
        self.add(int(reason is None), int(reason is not None), refusal)

    def add(self, stored: int, refused: int, refusal: str | None) -> None:
        """Note how much was stored and refused."""
        self._stored += stored
        self._refused += refused
        if refused and self._first_refusal is None:
            self._first_refusal = refusal

    def _run(self, run: Callable[["Pass"], None]) -> None:
        try:
            run(self)
        except HeadwaterError as error:
            self._error = error.message
        except Exception as error:
            # What runs may be a stranger's.
            log.exception("a pass failed")
            self._error = f"{type(error).__name__}: {error}"
