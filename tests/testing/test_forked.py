"""Commands as forks: each has the folder, the environment, the packages and the end of its own."""

import signal
from pathlib import Path

import pytest

from testing.commands import run_program
from testing.forked import Forker

PACKAGE = "import os, pathlib, sys, time\n"


def run_code(forker: Forker, tmp_path: Path, code: str, seconds: float = 100) -> int:
    """Run what a package does that a command loads: the one of its errors."""
    (tmp_path / "broken.py").write_text(PACKAGE + code)
    (tmp_path / "broken-1.dist-info").mkdir(exist_ok=True)
    points = "[headwater.collectors]\nbroken = broken:X\n"
    (tmp_path / "broken-1.dist-info" / "entry_points.txt").write_text(points)
    (tmp_path / "broken-1.dist-info" / "METADATA").write_text("Name: broken\nVersion: 1\n")
    return forker.run(Path("headwater"), ("collect", "broken"), tmp_path, seconds)


@pytest.mark.slow
def test_each_is_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("ONLY_HERE", "yes")
    forker = Forker()
    told = "print(pathlib.Path.cwd(), os.environ['ONLY_HERE'], repr(sys.stdin.read()))\n"
    try:
        assert run_code(forker, tmp_path, told + "sys.exit(7)") == 7
        assert (tmp_path / "out").read_text() == f"{tmp_path} yes ''\n"
        killed = run_code(forker, tmp_path, "time.sleep(600)", seconds=0.5)
        assert killed == -signal.SIGKILL
        monkeypatch.delenv("PYTHONPATH")
        assert forker.run(Path("headwater"), ("--version",), tmp_path, 100) == 0
    finally:
        forker.close()


@pytest.mark.slow
def test_it_ends_as_the_program_does() -> None:
    assert run_program("no-such-command").status == 2
    assert "Usage: headwater" in run_program("--help").out
