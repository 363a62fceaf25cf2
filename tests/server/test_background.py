"""Work in the background comes again and again, whatever becomes of it, and ends when told to."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from headwater.errors import StoreUnavailable
from headwater.server.background import periodic
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
