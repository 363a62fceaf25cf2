"""Collectors that run by themselves: at their interval, alone, whatever one of them does."""

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import pytest
from pydantic import Field

from headwater.collect import Collected
from headwater.collect.plans import CollectorPlan
from headwater.collect.schedule import CollectorLoop, PassResult, ScheduledPlan, Scheduler
from headwater.config import Section
from headwater.errors import SourceUnavailable, StoreUnavailable
from headwater.plugins import CheckStep
from testing.wait import wait_until


class ScriptedSettings(Section):
    name: str = Field(description="Which one.")


class ScriptedCollector:
    """Does what a test says."""

    settings_class: ClassVar[type[Section]] = ScriptedSettings

    def __init__(self, work: Callable[[], Iterator[Collected]]) -> None:
        self.collect = work

    def check(self) -> Sequence[CheckStep]:
        return []


class ScriptedPlan(CollectorPlan):
    """A plan that opens what a test has made."""

    work: Callable[[], Iterator[Collected]]

    def open(self, destination: str) -> Any:
        return ScriptedCollector(self.work)


def plan(
    work: Callable[[], Iterator[Collected]],
    name: str = "one",
    every: float = 0.01,
    most: float = 60,
) -> ScriptedPlan:
    made = ScriptedPlan(name, "scripted", every, most, ScriptedSettings(name=name))
    made.work = work
    return made


class MemoryBoard:
    """What was noted, in memory."""

    def __init__(self) -> None:
        self.results: list[tuple[str, PassResult, int]] = []
        self.is_free = True
        self.released: list[str] = []
        self.requested = False

    def take_lease(self, plan: ScheduledPlan) -> bool:
        return self.is_free

    def is_requested(self, plan: ScheduledPlan) -> bool:
        return self.requested

    def started(self, plan: ScheduledPlan) -> None:
        self.requested = False

    def ended(self, plan: ScheduledPlan, result: PassResult, next_at: int) -> None:
        self.results.append((plan.name, result, next_at))

    def release(self, plan: ScheduledPlan) -> None:
        self.released.append(plan.name)

    def of(self, name: str) -> list[PassResult]:
        return [result for who, result, _ in self.results if who == name]


@pytest.fixture(autouse=True)
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.collect.schedule.LOOK_SECONDS", 0.01)


def two_events() -> Iterator[Collected]:
    yield Collected(b"{}", "a")
    yield Collected(b"", "b", error="no event")


def accept(events: Sequence[bytes]) -> list[str | None]:
    return [None] * len(events)


def run_until(board: MemoryBoard, is_so: Callable[[], bool], *plans: CollectorPlan) -> None:
    scheduler = Scheduler(plans, "http://server", accept, board)
    scheduler.start()
    try:
        wait_until(is_so)
    finally:
        scheduler.close(10.0)


def test_again_and_again() -> None:
    board = MemoryBoard()
    run_until(board, lambda: len(board.results) >= 3, plan(two_events))
    assert set(board.of("one")) == {PassResult(1, 1, None, "b: no event")}
    assert board.released == ["one"]


def test_a_failure_is_noted_and_the_others_go_on() -> None:
    def fail() -> Iterator[Collected]:
        yield Collected(b"{}", "a")
        raise SourceUnavailable("http://connect", "no answer")

    def crash() -> Iterator[Collected]:
        raise ZeroDivisionError("a stranger's mistake")
        yield

    board = MemoryBoard()
    names = ("bad", "odd", "good")
    plans = [plan(work, name) for work, name in zip((fail, crash, two_events), names, strict=True)]
    run_until(board, lambda: all(len(board.of(name)) >= 2 for name in names), *plans)
    assert board.of("bad")[0] == PassResult(1, 0, "http://connect: no answer")
    assert board.of("odd")[0].error == "ZeroDivisionError: a stranger's mistake"
    assert board.of("good")[0].error is None


def test_failures_wait_longer_and_longer() -> None:
    def fail() -> Iterator[Collected]:
        raise SourceUnavailable("x", "no answer")
        yield

    waits = []
    loop = CollectorLoop(
        plan(fail, every=100), "d", accept, MemoryBoard(), threading.Event(), lambda: 0.0
    )
    for _ in range(5):
        waits.append(loop.next_wait())
        loop.note(PassResult(error="no answer"))
    assert waits == [100, 200, 400, 800, 900]
    loop.note(PassResult())
    assert loop.next_wait() == 100


def test_one_that_hangs_holds_up_nobody_and_is_not_started_twice() -> None:
    release, begun = threading.Event(), []

    def hang() -> Iterator[Collected]:
        begun.append(1)
        release.wait(60)
        yield Collected(b"{}", "late")

    board = MemoryBoard()
    is_so = lambda: bool(board.of("stuck")) and len(board.of("good")) >= 5  # noqa: E731
    try:
        run_until(board, is_so, plan(hang, "stuck", most=0.05), plan(two_events, "good"))
    finally:
        release.set()
    assert board.of("stuck")[0].error == "the pass took longer than 0 s and was given up"
    assert len(begun) == 1
    assert "stuck" not in board.released


def test_who_has_no_lease_runs_nothing() -> None:
    board, other = MemoryBoard(), MemoryBoard()
    board.is_free = False
    run_until(other, lambda: len(other.results) >= 3, plan(two_events))
    scheduler = Scheduler([plan(two_events)], "d", accept, board)
    scheduler.start()
    board.is_free = True
    wait_until(lambda: len(board.results) >= 1)
    scheduler.close(10.0)


def test_on_request_before_its_time() -> None:
    board = MemoryBoard()
    scheduler = Scheduler([plan(two_events, every=3_600)], "d", accept, board)
    scheduler.start()
    try:
        wait_until(lambda: len(board.results) == 1)
        board.requested = True
        wait_until(lambda: len(board.results) == 2)
    finally:
        scheduler.close(10.0)


def test_a_board_that_does_not_answer_is_waited_for() -> None:
    class AwayBoard(MemoryBoard):
        tries = 0

        def take_lease(self, plan: ScheduledPlan) -> bool:
            self.tries += 1
            if self.tries < 4:
                raise StoreUnavailable("the store is away")
            return True

    board = AwayBoard()
    run_until(board, lambda: bool(board.results), plan(two_events))
    assert board.tries >= 4
