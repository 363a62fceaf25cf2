"""A command run in this process, and a machine without settings."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.cli.start import run as run_command
from testing.commands import Outcome, Run
from tests.cli.shop import Shop, open_shop


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


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A server with a small pipeline in it."""
    with open_shop(tmp_path_factory.mktemp("shop")) as shop:
        yield shop


@pytest.fixture(params=["server", "store"])
def place(
    no_settings: None,
    request: pytest.FixtureRequest,
    shop: Shop,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    """The pipeline behind a server, or without one; where commands look for it."""
    where = shop.url if request.param == "server" else shop.store
    monkeypatch.setenv("HEADWATER_URL", where)
    return where


@pytest.fixture
def at_shop(no_settings: None, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """The pipeline behind a server that commands find by its variable."""
    monkeypatch.setenv("HEADWATER_URL", shop.url)
    return shop
