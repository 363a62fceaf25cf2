"""Running commands, in this process and as the installed program, and how they must fail."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


def run_program(*arguments: str, seconds: float = 300) -> Outcome:
    """Run the installed program: what opens a store is best left to a process of its own."""
    program = Path(sys.executable).with_name("headwater")
    ended = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=seconds)
    return Outcome(ended.returncode, ended.stdout, ended.stderr)


def check_one_line(outcome: Outcome, *parts: str) -> None:
    """One line that says what is wrong, and exit code 1."""
    assert outcome.status == 1
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith("headwater: ")
    for part in parts:
        assert part in line
