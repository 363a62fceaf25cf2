"""Running commands, in this process and as the installed program, and how they must fail."""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from testing.forked import Forker


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Outcome]


PROGRAM = Path(sys.executable).with_name("headwater")
# Those that run nothing now: as many as commands ran beside each other.
_idle: list[Forker] = []


def run_program(*arguments: str, seconds: float = 300) -> Outcome:
    """Run the program in a process of its own: best for what opens a store."""
    try:
        forker = _idle.pop()
    except IndexError:
        forker = Forker()
    with tempfile.TemporaryDirectory(prefix="headwater-run-") as folder:
        outputs = Path(folder)
        status = forker.run(PROGRAM, arguments, outputs, seconds)
        _idle.append(forker)
        return Outcome(status, *((outputs / name).read_text() for name in ("out", "err")))


def run_installed(*arguments: str, seconds: float = 300) -> Outcome:
    """Run the installed program as its users do, with all that a new Python takes for it."""
    ended = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=seconds)
    return Outcome(ended.returncode, ended.stdout, ended.stderr)


def check_one_line(outcome: Outcome, *parts: str) -> None:
    """One line that says what is wrong, and exit code 1."""
    assert outcome.status == 1
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith("headwater: ")
    for part in parts:
        assert part in line
