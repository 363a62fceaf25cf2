"""Waiting ends with what was waited for, and says how it stands where that does not come."""

import pytest

from testing.wait import wait_until


def test_it_ends_with_the_first_time_that_it_is_so() -> None:
    answers = iter([False, False, True, False])
    wait_until(lambda: next(answers))
    assert list(answers) == [False]


def test_it_looks_once_where_there_is_no_time() -> None:
    wait_until(lambda: True, seconds=0)
    with pytest.raises(AssertionError, match="still not so after 0 s: 3 of 5"):
        wait_until(lambda: False, lambda: "3 of 5", seconds=0)
