"""`headwater db`: what its commands print, and how they end."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from headwater.store.write.writer import open_writer
from testing.commands import Run, check_one_line, run_program
from testing.stores import open_prepared
from tests.store.test_prune import OLD, ended_run, reads

# They run the installed program, each in a process of its own.
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_settings")]


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with three old runs that say the same."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    engine = open_prepared(url)
    with closing(open_writer(engine)) as writer:
        for number in range(1, 4):
            writer.write(ended_run(number, OLD + number, inputs=reads("orders")))
    engine.dispose()
    return url


def test_prune_tells_what_went(store: str) -> None:
    dry = run_program("db", "prune", "--older-than", "30d", "--dry-run", "--store", store)
    assert (dry.status, dry.err) == (0, "")
    assert dry.out.splitlines()[0] == "would be removed"
    ran = run_program("db", "prune", "--older-than", "4w", "--store", store)
    assert ran.out.splitlines()[0] == "removed"
    assert ran.out.splitlines()[1:] == dry.out.splitlines()[1:]
    assert [line.split() for line in ran.out.splitlines()[2:]] == [
        ["event", "4"],
        ["run", "1"],
        ["run_dataset", "1"],
    ]
    again = run_program("db", "prune", "--older-than", "30d", "--store", store)
    assert again.out == "nothing is older than that\n"


def test_prune_as_json(store: str) -> None:
    ran = run_program("db", "prune", "--older-than", "30d", "--output", "json", "--store", store)
    assert {"table": "run", "rows": 1} in json.loads(ran.out)


@pytest.mark.parametrize("span", ["", "0d", "30", "d", "-1d", "30 days", "9999999w"])
def test_a_span_that_is_none(run: Run, span: str) -> None:
    outcome = run("db", "prune", "--older-than", span)
    assert outcome.status == 2
    assert "30d" in outcome.err


def test_backup_check_and_restore(store: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    made = run_program("db", "backup", str(backup), "--store", store)
    assert made.out == f"{backup}: {backup.stat().st_size:,} bytes\n"
    refused = run_program("db", "restore", str(backup), "--store", store)
    check_one_line(refused, "not empty", "--force")
    other = f"sqlite:///{tmp_path / 'other.db'}"
    restored = run_program("db", "restore", str(backup), "--store", other)
    assert restored.out == f"restored from {backup}\n"
    assert run_program("db", "check", "--store", other).out == "no problems found\n"


def test_check_ends_with_1_if_it_finds_anything(tmp_path: Path) -> None:
    outcome = run_program("db", "check", "--store", f"sqlite:///{tmp_path / 'new.db'}")
    assert outcome.status == 1
    assert "the store is empty" in outcome.out


def test_stats(store: str) -> None:
    shown = run_program("db", "stats", "--store", store)
    assert shown.status == 0
    assert "run_dataset" in shown.out and "events a day" in shown.out
    found = json.loads(run_program("db", "stats", "--output", "json", "--store", store).out)
    (events,) = [table for table in found["tables"] if table["name"] == "event"]
    assert events["rows"] == 6
    assert len(found["days"]) == 14


@pytest.mark.parametrize("command", [["stats"], ["prune", "--older-than", "1d"], ["restore", "x"]])
def test_a_store_that_is_not_there(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "x").write_text("")
    nowhere = "postgresql://127.0.0.1:1/none"
    check_one_line(run_program("db", *command, "--store", nowhere), "refused")
