"""What a lab expects: said as a line if it is so, and the end of the lab if it is not."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class LabFailed(Exception):
    """Something is not as the lab expects it; its text is fit to show."""


def check(is_so: bool, what: str, found: object = "") -> None:
    """Say that something is so, or end the lab with what was found instead."""
    if not is_so:
        raise LabFailed(f"not so: {what}" + (f"; found {found}" if found != "" else ""))
    print(f"   ok: {what}", flush=True)


def wait_for(what: str, ask: Callable[[], Found | None], seconds: float = 300.0) -> Found:
    """Ask until there is an answer that is not empty; `ask` may raise to give up at once."""
    give_up = time.monotonic() + seconds
    while not (found := ask()):
        if time.monotonic() > give_up:
            raise LabFailed(f"not so within {seconds:g} s: {what}")
        time.sleep(0.25)
    return found
