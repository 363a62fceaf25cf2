"""The programs of a lab, each in a process of its own."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from labs.checks import LabFailed
from testing.services.process import Process

ROOT = Path(__file__).parents[1]
# Spark starts in seconds, but in many times as many on a busy machine.
_BATCH_SECONDS = 180.0


class Program(Process):
    """A module of the lab, run as a program; what it writes is in its log."""

    standard_input = subprocess.PIPE
    stop_seconds = 60.0

    def __init__(self, module: str, options: Sequence[str]) -> None:
        self.name = module.rpartition(".")[2]
        super().__init__()
        self._command = [sys.executable, "-m", module, *options]

    @classmethod
    def start(cls, module: str, options: Sequence[str]) -> Self:
        program = cls(module, options)
        try:
            program.launch()
        except BaseException:
            program.close()
            raise
        return program

    def command(self) -> Sequence[str]:
        return self._command

    def environment(self) -> dict[str, str]:
        # It is run in its own directory, where there is no lab.
        inherited = super().environment()
        path = [str(ROOT), *filter(None, [inherited.get("PYTHONPATH")])]
        return {**inherited, "PYTHONPATH": ":".join(path)}

    def is_ready(self) -> bool:
        """What it does is seen in the graph."""
        return True

    def tell(self, *commands: str) -> None:
        """Write lines to its standard input."""
        self.check()
        child = self._running()
        assert child.stdin is not None
        child.stdin.write("".join(f"{command}\n" for command in commands).encode())
        child.stdin.flush()

    def check(self) -> None:
        """Raise if it has ended by itself."""
        if self._child is not None and (status := self._child.poll()) is not None:
            raise self._ended(status)

    def finish(self) -> None:
        """Wait until it ends, and raise if it does not end well."""
        try:
            status = self._running().wait(_BATCH_SECONDS)
        except subprocess.TimeoutExpired:
            raise LabFailed(str(self._failure(f"took over {_BATCH_SECONDS:g} s"))) from None
        if status != 0:
            raise self._ended(status)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            raise RuntimeError(f"{self.name} was never started, or was stopped")
        return self._child

    def _ended(self, status: int) -> LabFailed:
        return LabFailed(str(self._failure(f"ended with status {status}")))
