"""Work in the background comes again and again, whatever becomes of it, and ends when told to."""

import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from headwater.errors import StoreUnavailable
from headwater.server.background import periodic
from headwater.server.background.memory import GiveMemoryBack
from headwater.server.background.periodic import Background
from testing.wait import PATIENCE_SECONDS, wait_until

SOON = timedelta(milliseconds=1)
NEVER = timedelta(days=1)


class Work(Background):
    """Does what a test says, and counts how often."""

    name = "work"

    def __init__(
        self, act: Callable[["Work"], None], every: timedelta = SOON, first_after: timedelta = SOON
    ) -> None:
        super().__init__(every, first_after)
        self._act = act
        self.times = 0

    def work(self) -> None:
        self.times += 1
        self._act(self)


@contextmanager
def started(work: Work) -> Iterator[Work]:
    with closing(work):
        work.start()
        yield work


def fail(error: Exception) -> Callable[[Work], None]:
    def act(_: Work) -> None:
        raise error

    return act


def is_running(name: str) -> bool:
    return any(thread.name == name for thread in threading.enumerate())


def test_it_is_done_again_and_again() -> None:
    with started(Work(lambda _: None)) as work:
        wait_until(lambda: work.times > 2)
        assert is_running("headwater-work")
    assert not is_running("headwater-work")
    done = work.times
    time.sleep(0.02)
    assert work.times == done


def test_it_does_not_begin_later_than_it_comes_again() -> None:
    with started(Work(lambda _: None, every=SOON, first_after=NEVER)) as work:
        wait_until(lambda: work.times > 0)


def test_an_error_that_was_foreseen_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with started(Work(fail(StoreUnavailable("it is locked")))) as work:
        wait_until(lambda: work.times > 2)
    first = caplog.records[0]
    assert first.getMessage() == "work failed, will be tried again in 0:00:00.001000: it is locked"
    assert (first.levelno, first.exc_info) == (logging.WARNING, None)


def test_any_other_comes_with_where_it_happened(caplog: pytest.LogCaptureFixture) -> None:
    with started(Work(fail(ValueError("a fault")))) as work:
        wait_until(lambda: work.times > 2)
    first = caplog.records[0]
    assert first.levelno == logging.ERROR
    assert first.exc_info is not None and "ValueError: a fault" in caplog.text


def test_it_ends_between_two_steps(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    def go_on(work: Work) -> None:
        while True:
            work.check_stopping()

    with started(Work(go_on)) as work:
        wait_until(lambda: work.times > 0)
    assert not is_running("headwater-work")
    assert caplog.messages == ["work interrupted; the next one continues"]


def test_a_step_that_hangs_keeps_no_server_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic, "END_SECONDS", 0.05)
    released = threading.Event()

    def hang(_: Work) -> None:
        released.wait(PATIENCE_SECONDS)

    work = Work(hang)
    work.start()
    try:
        wait_until(lambda: work.times > 0)
        began = time.monotonic()
        work.close()
        assert time.monotonic() - began < PATIENCE_SECONDS / 2
    finally:
        released.set()
    wait_until(lambda: not is_running("headwater-work"))


def test_what_was_not_started_can_be_closed() -> None:
    Work(lambda _: None).close()


class TestGivingMemoryBack:
    def test_once_it_has_grown(self) -> None:
        """Something that refers to itself goes, though no collection was due."""
        sizes = iter([100_000_000, 110_000_000, 150_000_000, 90_000_000])
        work = GiveMemoryBack(read_bytes=lambda: next(sizes))
        circle = Circle()
        circle.itself = circle
        gone = weakref.ref(circle)
        gc.disable()
        try:
            del circle
            work.work()
            assert gone() is not None
            work.work()
            assert gone() is None
        finally:
            gc.enable()

    def test_everything_that_can_is_let_go_of(self) -> None:
        sizes = iter([100_000_000, 150_000_000, 90_000_000])
        released: list[str] = []
        work = GiveMemoryBack([lambda: released.append("writer")], lambda: next(sizes))
        work.work()
        assert released == ["writer"]

    @pytest.mark.parametrize(
        ("sizes", "times"),
        [
            # Amid work: too little.
            ([100, 110, 120], 0),
            # Nothing goes on any more.
            ([100, 120, 120, 105], 1),
            ([100, 103, 103], 0),
            # Once is enough, unless it has grown again.
            ([100, 120, 120, 105, 105, 105], 1),
            ([100, 140, 105, 120, 120, 105], 2),
            # What a release amid work had to leave is let go of after it, and tried once.
            ([100, 190, 150, 145, 145, 105], 2),
            ([100, 190, 150, 145, 145, 140, 140, 140], 2),
        ],
    )
    def test_less_is_enough_once_it_is_quiet(self, sizes: list[int], times: int) -> None:
        """Megabytes at the beginning and at each look, and once more after each release."""
        left = iter(sizes)
        released: list[str] = []
        work = GiveMemoryBack(
            [lambda: released.append("writer")], lambda: next(left, sizes[-1]) * 1_000_000
        )
        for _ in range(len(sizes) - 1):
            work.work()
        assert len(released) == times


class Circle:
    itself: object = None
