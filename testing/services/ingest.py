"""The ingest of this project, started as its users start it, with a Spark of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from testing.commands import Outcome
from testing.services.process import Process, bound_command
from testing.wait import wait_until

PROGRAM = (str(Path(sys.executable).with_name("headwater")),)
# Spark alone takes a quarter of a minute to start, and many times that on a machine at work.
PATIENCE_SECONDS = 300.0


class Ingest(Process):
    """One `headwater ingest` that goes on until it is stopped."""

    name = "ingest"
    start_seconds = PATIENCE_SECONDS
    stop_seconds = 120.0

    def __init__(
        self,
        arguments: Sequence[str],
        data: Path,
        store: str | None,
        env: Mapping[str, str],
        program: Sequence[str],
        kind: str,
    ) -> None:
        super().__init__()
        self._kind = kind
        self.data = data
        self.store = store or f"sqlite:///{data / 'headwater.db'}"
        self._arguments = arguments
        self._env = env
        self._program = program
        self._log_start = 0

    @classmethod
    def start(
        cls,
        *arguments: str,
        data: Path,
        store: str | None = None,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        kind: str = "kafka",
    ) -> Self:
        """Start it, and wait until it takes in."""
        service = cls.prepare(
            *arguments, data=data, store=store, env=env, program=program, kind=kind
        )
        try:
            service.restart()
        except BaseException:
            service.close()
            raise
        return service

    @classmethod
    def prepare(
        cls,
        *arguments: str,
        data: Path,
        store: str | None = None,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        kind: str = "kafka",
    ) -> Self:
        """Have it ready to be started by `restart` or `launch`."""
        return cls(arguments, data, store, env or {}, program, kind)

    def restart(self) -> None:
        self.stop()
        self._log_start = len(self.log())
        self.launch()

    def command(self) -> Sequence[str]:
        storage = ["--store", self.store, "--data", str(self.data)]
        return [*self._program, "ingest", self._kind, *self._arguments, *storage]

    def environment(self) -> dict[str, str]:
        return clean_environment(self._env)

    def is_ready(self) -> bool:
        return "ingesting from" in self.new_log()

    def log(self) -> str:
        return super().log() if self.log_file.exists() else ""

    def new_log(self) -> str:
        """What it has written since it was started last."""
        return self.log()[self._log_start :]

    def wait_for(self, text: str, count: int = 1, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until it has written something, so often since it was started."""

        def has_said() -> bool:
            is_running = self.is_running
            has_said = self.new_log().count(text) >= count
            assert has_said or is_running, f"it ended before '{text}':\n{self.new_log()[-5_000:]}"
            return has_said

        wait_until(has_said, lambda: f"no '{text}' in:\n{self.new_log()[-5_000:]}", seconds=seconds)

    def wait_for_end(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Wait until it ends by itself; its exit status, minus the signal that killed it."""
        assert self._child is not None
        return self._child.wait(seconds)

    @property
    def is_running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill_group(self) -> None:
        """End it and its JVM at once. What Spark's Python does is for them to end."""
        os.killpg(self.pid, signal.SIGKILL)
        self.wait_for_end()


def run_headwater(*arguments: str, env: Mapping[str, str] | None = None) -> Outcome:
    """Run a command to its end."""
    ended = subprocess.run(
        bound_command([*PROGRAM, *arguments], signal.SIGKILL),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(env or {}),
    )
    return Outcome(ended.returncode, ended.stdout, ended.stderr)


def clean_environment(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without settings of whoever runs the tests."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("HEADWATER")}
    return {**own, **env}
