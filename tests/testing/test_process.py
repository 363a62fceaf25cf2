"""What every service gets from its base: a clear failure to start, and a sure end."""

import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from testing.services.process import Process, StartFailed, free_port, signals_held

pytestmark = pytest.mark.integration

STUBBORN = """
import pathlib, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("child").write_text(str(child.pid))
time.sleep(600)
"""


class Script(Process):
    """A Python script that is ready when it has written a child's process id."""

    name = "script"
    stop_seconds = 0.5
    program = sys.executable
    text = ""

    def command(self) -> Sequence[str]:
        return [self.program, "-c", self.text]

    def is_ready(self) -> bool:
        return self.child_file.exists() and self.child_file.read_text() != ""

    @property
    def child_file(self) -> Path:
        return self.directory / "child"


@pytest.fixture
def script() -> Iterator[Script]:
    with Script() as service:
        yield service


def test_a_failed_start_shows_the_log(script: Script) -> None:
    script.text = "raise SystemExit('the port is taken')"
    with pytest.raises(StartFailed, match=r"(?s)ended with status 1.*the port is taken"):
        script.launch()


def test_a_start_that_takes_too_long_fails(script: Script) -> None:
    # It writes long before the second is over, which Python might not.
    script.program, script.text = "sh", "echo waiting; exec sleep 600"
    script.start_seconds = 1.0
    with pytest.raises(StartFailed, match=r"(?s)not ready after 1 s.*waiting"):
        script.launch()
    with pytest.raises(RuntimeError):
        _ = script.pid


def test_stop_ends_a_process_that_ignores_it_and_its_children(script: Script) -> None:
    script.text = STUBBORN
    script.launch()
    child = psutil.Process(int(script.child_file.read_text()))
    assert script.stop() == -signal.SIGKILL
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert script.stop() is None


def test_a_signal_that_is_held_comes_at_the_end_of_the_block() -> None:
    steps = []
    with pytest.raises(KeyboardInterrupt), signals_held():
        signal.raise_signal(signal.SIGINT)
        steps.append("went on")
    assert steps == ["went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_free_port_can_be_bound() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", free_port()))
