"""A lab from its start to its end: in order, also when it fails or is interrupted."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import psutil
from confluent_kafka import KafkaException

from headwater.errors import HeadwaterError
from labs.checks import LabFailed
from testing.services.process import StartFailed

_INTERRUPTED = 130
_FAILURES = (LabFailed, StartFailed, HeadwaterError, KafkaException, TimeoutError)

T = TypeVar("T")
# Titles, and what each step does with the stage.
Steps = Sequence[tuple[str, Callable[[T], None]]]
# Plays the lab on a port, or on any; and leaves it running at the end, or not.
Play = Callable[[int | None, bool], None]


def run_lab(name: str, description: str | None, play: Play) -> int:
    """Return 0 if all was as expected."""
    options = _parse(name, description)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    began = time.monotonic()
    try:
        play(options.port, options.keep)
    except KeyboardInterrupt:
        print("\nstopped", flush=True)
        status = _INTERRUPTED
    except _FAILURES as error:
        print(f"lab: {error}", file=sys.stderr, flush=True)
        status = 1
    else:
        print(f"\nDone in {time.monotonic() - began:.0f} s.")
        status = 0
    return status if _has_nothing_left() else 1


def play_steps(stage: T, steps: Steps[T], url: str, keeps: bool) -> None:
    """Play one after the other; afterwards leave the server running, if that is wished."""
    for number, (title, play) in enumerate(steps, 1):
        print(f"\n{number}. {title}", flush=True)
        play(stage)
    if keeps:
        _wait_for_interrupt(url)


def _wait_for_interrupt(url: str) -> None:
    print(f"\nOpen {url} in a browser; Ctrl-C stops the lab.", flush=True)
    try:
        signal.pause()
    except KeyboardInterrupt:
        print()


def _interrupt(*_: object) -> None:
    """End in order; a second Ctrl-C would leave behind what the first has not ended yet."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _parse(name: str, description: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=description)
    parser.add_argument("--port", type=int, help="of the server; any free one without it")
    parser.add_argument(
        "--keep", action="store_true", help="leave the server running at the end, until Ctrl-C"
    )
    return parser.parse_args()


def _has_nothing_left() -> bool:
    """Tell whether every process that was started has ended."""
    children = psutil.Process().children(recursive=True)
    left = [each for each in children if each.status() != psutil.STATUS_ZOMBIE]
    for process in left:
        print(f"lab: still running: {process}", file=sys.stderr)
    return not left
