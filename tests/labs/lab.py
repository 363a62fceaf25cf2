"""A lab as people start it, and what is left of it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from labs.checks import wait_for

ROOT = Path(__file__).parents[2]
END_SECONDS = 120


class Lab:
    """The lab as people start it, with all its temporary files in a folder."""

    def __init__(self, module: str, folder: Path, *options: str) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *options],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def read_until(self, text: str) -> None:
        """Read what it prints, up to a line that has a text."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if text in line:
                return
        raise AssertionError(f"it ended before {text!r}:\n{''.join(self.lines)}")

    def interrupt(self) -> int:
        """Press Ctrl-C; gives the status, once nothing of it is left."""
        lab = psutil.Process(self.process.pid)
        family = wait_for("it has started something", lambda: lab.children(recursive=True))
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=END_SECONDS)
        self.lines.append(rest)
        assert not [process for process in family if process.is_running()]
        assert not list(self.folder.iterdir())
        return self.process.returncode


@contextmanager
def lab_started(module: str, folder: Path, *options: str) -> Iterator[Lab]:
    """A lab that is ended if the test fails."""
    lab = Lab(module, folder, *options)
    try:
        yield lab
    finally:
        if lab.process.poll() is None:
            lab.process.terminate()
            lab.process.communicate(timeout=END_SECONDS)
