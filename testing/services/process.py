"""Runs a service as a child process on a free port, and ends it whatever becomes of the tests."""

import contextlib
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil


class StartFailed(Exception):
    """A service ended, or did not answer in time, while it was starting."""


def free_port() -> int:
    """A port of the loopback address that nothing holds.

    It lies below the kernel's range for outgoing connections (from 32768), so that no client
    takes it before the service does, nor while the service restarts.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise StartFailed("no free port between 20000 and 32000")


def bound_command(
    command: Sequence[str], death_signal: signal.Signals, user: str | None = None
) -> list[str]:
    """The command, run as `user`, that gets `death_signal` when the thread that starts it ends."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise StartFailed("setpriv is missing; it comes with util-linux")
    wrapper = [setpriv, "--pdeathsig", death_signal.name.removeprefix("SIG")]
    if user is not None:
        group = str(pwd.getpwnam(user).pw_gid)
        wrapper += ["--reuid", user, "--regid", group, "--clear-groups"]
    return [*wrapper, "--", *command]


@contextmanager
def signals_held() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM wait for the end of the block.

    One that came between the start of a process and the note of it would leave it behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: held.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for caught in held:
            signal.raise_signal(caught)


class Process:
    """One service: its process, its log, and a temporary directory.

    A subclass says how it is started and when it is ready. The process ends with `stop`, `kill`,
    `close` or the `with` block, and by `death_signal` when the thread that started it ends: start
    it from a thread that lives as long as the service is wanted.
    """

    name = "process"
    stop_signal = signal.SIGTERM
    death_signal = signal.SIGKILL
    standard_input = subprocess.DEVNULL
    # Many times what a quiet machine takes.
    start_seconds = 180.0
    stop_seconds = 60.0

    def __init__(self, user: str | None = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix=f"headwater-{self.name}-")
        self._child: subprocess.Popen[bytes] | None = None
        self.directory = Path(self._temporary.name)
        self.user = user
        if user is not None:
            shutil.chown(self.directory, user)

    def command(self) -> Sequence[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    def is_ready(self) -> bool:
        raise NotImplementedError

    @property
    def pid(self) -> int:
        if self._child is None:
            raise RuntimeError(f"{self.name} is not running")
        return self._child.pid

    def log(self) -> str:
        """All that the process has written to its output and error streams."""
        return self.log_file.read_text(errors="replace")

    def stop(self) -> int | None:
        """Ask the process to end; its exit status, minus the signal if it had to be killed."""
        return self._end(self.stop_signal)

    def kill(self) -> None:
        """End the process and its children at once, as a crash would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop the process if it runs, and start it on the same port and data."""
        self.stop()
        self.launch()

    def close(self) -> None:
        """Stop the process and remove its directory."""
        try:
            self.stop()
        finally:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def log_file(self) -> Path:
        return self.directory / "log"

    def launch(self) -> None:
        """Start the process and wait until it is ready."""
        command = bound_command(self.command(), self.death_signal, self.user)
        try:
            with self.log_file.open("ab") as log, signals_held():
                self._child = child = subprocess.Popen(
                    command,
                    stdin=self.standard_input,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=self.environment(),
                    cwd=self.directory,
                    # Ctrl-C reaches the tests only, which then stop the services in order.
                    start_new_session=True,
                )
            self._wait_until_ready(child)
        except BaseException:
            self.kill()
            raise

    def _wait_until_ready(self, child: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self.start_seconds
        while not (self.is_ready() and child.poll() is None):
            if child.poll() is not None:
                raise self._failure(f"ended with status {child.returncode}")
            if time.monotonic() > deadline:
                raise self._failure(f"was not ready after {self.start_seconds:g} s")
            time.sleep(0.05)

    def _failure(self, reason: str) -> StartFailed:
        tail = "\n".join(self.log().splitlines()[-30:])
        return StartFailed(f"{self.name} {reason}; the end of its log:\n{tail}")

    def _end(self, first_signal: signal.Signals) -> int | None:
        child, self._child = self._child, None
        if child is None:
            return None
        family = _descendants(child.pid)
        child.send_signal(first_signal)
        try:
            child.wait(self.stop_seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if child.stdin is not None:
            child.stdin.close()
        for descendant in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                descendant.kill()
        psutil.wait_procs(family, timeout=self.stop_seconds)
        return child.returncode


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
