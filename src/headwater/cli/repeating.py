"""Work that a command does again and again until it is stopped, in spite of failures."""

import signal
import time
from collections.abc import Callable

import typer

from headwater.errors import (
    Busy,
    HeadwaterError,
    ServerRefused,
    ServerUnreachable,
    SourceUnavailable,
    StoreUnavailable,
    TargetUnavailable,
)

# What a later try may not meet again.
_PASSING = (
    Busy,
    ServerRefused,
    ServerUnreachable,
    SourceUnavailable,
    StoreUnavailable,
    TargetUnavailable,
)
_FIRST_WAIT_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 60.0
# However long a target asks to be left alone.
_LONGEST_REQUESTED_SECONDS = 3_600.0


def repeat(
    work: Callable[[], None],
    every_seconds: float,
    sleep: Callable[[float], None] = time.sleep,
    is_at_end: Callable[[], bool] = lambda: False,
) -> None:
    """Work, wait, and work again, until Ctrl-C or SIGTERM, or until there is no more to do.

    After a failure it waits longer, and as long as it is required to.

    A failure is printed when it begins and when its reason changes, and so is its end.
    """
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.default_int_handler)
    wait, failing = _FIRST_WAIT_SECONDS, ""
    while True:
        try:
            work()
        except _PASSING as error:
            if error.message != failing:
                typer.echo(_failure(error), err=True)
            failing = error.message
            requested = getattr(error, "retry_after", None) or 0.0
            sleep(max(wait, min(requested, _LONGEST_REQUESTED_SECONDS)))
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)
            continue
        if failing:
            typer.echo("headwater: it works again", err=True)
        if is_at_end():
            return
        wait, failing = _FIRST_WAIT_SECONDS, ""
        sleep(every_seconds)


def _failure(error: HeadwaterError) -> str:
    return f"headwater: {error.message}; trying again until it works, Ctrl-C stops"
