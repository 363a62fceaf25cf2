"""Who asks at once gets one answer; an answer that failed is worked out again."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from headwater.answers.shared import MOST_BYTES, MOST_KEPT, SharedAnswers


def test_who_asks_meanwhile_gets_the_same_answer() -> None:
    shared, begun, go = SharedAnswers(), threading.Event(), threading.Event()
    worked_out = []

    def work_out() -> bytes:
        worked_out.append(1)
        begun.set()
        assert go.wait(60)
        return b"answer"

    with ThreadPoolExecutor(5) as threads:
        first = threads.submit(shared.get, "key", work_out)
        assert begun.wait(60)
        others = [threads.submit(shared.get, "key", work_out) for _ in range(4)]
        go.set()
        assert {each.result() for each in (first, *others)} == {b"answer"}
    assert shared.get("key", work_out) == b"answer"
    assert len(worked_out) == 1


def test_a_failure_is_told_and_not_kept() -> None:
    shared = SharedAnswers()

    def fail() -> bytes:
        raise LookupError("gone")

    with pytest.raises(LookupError):
        shared.get("key", fail)
    assert shared.get("key", lambda: b"answer") == b"answer"


def test_who_waits_has_a_time_of_its_own() -> None:
    shared, begun, go = SharedAnswers(), threading.Event(), threading.Event()

    def work_out() -> bytes:
        begun.set()
        assert go.wait(60)
        return b"late"

    def end() -> bytes:
        raise LookupError("the time is over")

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(shared.get, "key", work_out)
        assert begun.wait(60)
        try:
            with pytest.raises(LookupError, match="the time is over"):
                shared.get("key", end, lambda: True)
        finally:
            go.set()
        assert first.result() == b"late"


def test_a_failure_of_another_is_not_ones_own() -> None:
    shared, begun, go = SharedAnswers(), threading.Event(), threading.Event()

    def fail() -> bytes:
        begun.set()
        assert go.wait(60)
        raise LookupError("its time is over")

    waits = threading.Event()

    def is_over() -> bool:
        waits.set()
        return False

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(shared.get, "key", fail)
        assert begun.wait(60)
        other = threads.submit(shared.get, "key", lambda: b"answer", is_over)
        assert waits.wait(60)
        go.set()
        assert other.result() == b"answer"
        with pytest.raises(LookupError):
            first.result()


def test_the_oldest_go() -> None:
    shared = SharedAnswers()
    for number in range(MOST_KEPT + 1):
        shared.get(number, lambda: b"old")
    assert shared.get(0, lambda: b"new") == b"new"
    assert shared.get(MOST_KEPT, lambda: b"new") == b"old"


def test_large_ones_go_though_they_are_few() -> None:
    shared = SharedAnswers()
    large = b"x" * (MOST_BYTES // 2)
    for number in range(3):
        assert shared.get(number, lambda: large) == large
    assert shared.get(0, lambda: b"new") == b"new"
    assert shared.get(2, lambda: b"new") == large


def test_the_largest_is_given_and_not_kept() -> None:
    shared = SharedAnswers()
    larger = b"x" * (MOST_BYTES + 1)
    assert shared.get("key", lambda: larger) == larger
    assert shared.get("key", lambda: b"new") == b"new"
