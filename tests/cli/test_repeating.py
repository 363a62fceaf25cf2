"""Work that is done again and again: how long it waits after a failure, and when it ends."""

import signal
from collections.abc import Iterator

import pytest

from headwater.cli.repeating import repeat
from headwater.errors import TargetUnavailable


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.parametrize(("asked", "waits"), [(None, [1, 2]), (7, [7, 7]), (1e9, [3600, 3600])])
def test_a_target_says_how_long_to_wait(asked: float | None, waits: list[float]) -> None:
    waited: list[float] = []

    def fail() -> None:
        if len(waited) == 2:
            raise KeyboardInterrupt
        raise TargetUnavailable("target", "busy", asked)

    with pytest.raises(KeyboardInterrupt):
        repeat(fail, 5, waited.append)
    assert waited == waits
