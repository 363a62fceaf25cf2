"""A command run in this process, and a machine without settings."""

import os
import sys
from pathlib import Path

import pytest

from headwater.cli.main import run as run_command
from tests.cli.commands import Outcome, Run


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty folder, and no settings of whoever runs the tests."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.upper().startswith("HEADWATER")]:
        monkeypatch.delenv(name)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process, as its entry point does."""

    def run(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["headwater", *arguments])
        status = 0
        try:
            run_command()
        except SystemExit as end:
            status = int(end.code or 0)
        return Outcome(status, *capsys.readouterr())

    return run
