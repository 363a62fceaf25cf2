"""The one way to wait: for something to become so, not for a time to pass."""

import time
from collections.abc import Callable

# Many times what a quiet machine takes: only what never comes about reaches it.
PATIENCE_SECONDS = 120.0

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.1


def wait_until(
    is_so: Callable[[], bool],
    otherwise: Callable[[], str] = lambda: "",
    *,
    seconds: float = PATIENCE_SECONDS,
) -> None:
    """Wait until something is so; `otherwise` says how it stands where it does not become so.

    It is looked at often at first, and then seldom enough to leave others room to get there.
    """
    give_up = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while not is_so():
        assert time.monotonic() < give_up, f"still not so after {seconds:g} s: {otherwise()}"
        time.sleep(pause)
        pause = min(1.3 * pause, _LONGEST_PAUSE)
