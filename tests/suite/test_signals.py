"""Tests may press Ctrl-C, also where the suite was started with SIGINT ignored."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.suite.signals import IGNORING

ROOT = Path(__file__).parents[2]
# In short sleeps: one that begins as the signal arrives is not interrupted by it.
SLEEPER = "import time; print('begun', flush=True)\nwhile True: time.sleep(0.05)"


def test_ctrl_c_interrupts_a_test() -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_interrupts_what_a_test_starts() -> None:
    command = [sys.executable, "-c", SLEEPER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            child.send_signal(signal.SIGINT)
            _, told = child.communicate(timeout=60)
        finally:
            child.kill()
    assert b"KeyboardInterrupt" in told


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["-n", "1"]], ids=["alone", "by workers"])
def test_both_also_where_sigint_is_ignored(options: list[str]) -> None:
    command = [*IGNORING, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
    done = subprocess.run(
        [*command, str(Path(__file__).relative_to(ROOT)), "-k", "test_ctrl_c"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0
