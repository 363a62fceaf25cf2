"""Commands whose extra is not installed: one line, with the one that installs it."""

import sys
from collections.abc import Callable

import pytest

from headwater.cli.start import needed_extras
from headwater.extras import LIBRARIES
from testing.commands import Run, check_one_line

pytestmark = pytest.mark.usefixtures("no_settings")

Without = Callable[..., None]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Without:
    """Take the libraries of extras away."""

    def without(*extras: str) -> None:
        for extra in extras:
            for library in LIBRARIES[extra]:
                monkeypatch.setitem(sys.modules, library, None)

    return without


@pytest.mark.parametrize(
    ("missing", "command", "named"),
    [
        (LIBRARIES, "serve", "server"),
        (LIBRARIES, "lineage orders", "cli"),
        (LIBRARIES, "ingest kafka", "server,lake,spark"),
        (LIBRARIES, "--help", "cli"),
        (LIBRARIES, "", "cli"),
        (["server"], "serve", "server"),
        (["cli"], "serve", "server"),
        (["lake"], "lake stats", "lake"),
        (["lake", "spark"], "ingest files events", "lake,spark"),
        (["spark"], "rebuild", "spark"),
        (["postgres"], "db stats --store postgresql://nobody@127.0.0.1:1/none", "postgres"),
        (["postgres"], "serve --store postgresql://nobody@127.0.0.1:1/none", "postgres"),
        (["postgres"], "lineage orders --server postgresql://nobody@127.0.0.1:1/x", "postgres"),
    ],
)
def test_the_line_to_install_it(
    run: Run, without: Without, missing: list[str], command: str, named: str
) -> None:
    without(*missing)
    line = f"is not installed; pip install 'headwater[{named}]'"
    check_one_line(run(*command.split()), line)


def test_what_a_command_needs_on_its_way_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.server.in_process.open_store", _load_fastapi)
    check_one_line(
        run("lineage", "orders", "--server", "sqlite:///none.db"),
        "fastapi is not installed; pip install 'headwater[server]'",
    )


def _load_fastapi(url: str) -> None:
    raise ModuleNotFoundError("No module named 'fastapi.routing'", name="fastapi.routing")


def test_a_fault_of_ours_is_not_taken_for_a_missing_extra(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "headwater.server.in_process", None)
    with pytest.raises(ModuleNotFoundError, match="in_process"):
        run("lineage", "orders", "--server", "sqlite:///none.db")


def test_help_needs_no_more_than_the_commands_themselves(run: Run, without: Without) -> None:
    without("postgres", "lake", "spark", "java")
    assert run("ingest", "kafka", "--help").status == 0
    assert needed_extras(["ingest", "kafka", "--help"]) == ("cli",)


def test_a_lake_that_is_asked_for_needs_its_extra(
    run: Run, without: Without, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("lake")
    monkeypatch.setenv("HEADWATER__LAKE__IS_ON", "true")
    check_one_line(run("serve"), "pyarrow is not installed; pip install 'headwater[lake]'")


def test_a_lake_is_on_by_default_where_its_extra_is_installed(run: Run, without: Without) -> None:
    def shown() -> str:
        lines = run("config", "show").out.splitlines()
        return next(line.split()[1] for line in lines if line.startswith("lake.is_on"))

    assert shown() == "True"
    without("lake")
    assert shown() == "False"
