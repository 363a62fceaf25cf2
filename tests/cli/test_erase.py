"""`headwater db erase` and `headwater lake expire`: what they print, and how they end."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from headwater.model.intake import take_in
from headwater.model.values.instant import DAY, now
from headwater.store.write.writer import open_writer
from testing.commands import Run, run_program
from testing.stores import open_prepared
from tests.pipeline.test_erase import BROKEN, HERS, OTHERS, WHO, facts_of

# They run the installed program, each in a process of its own.
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_settings")]

ERASE = ("db", "erase", "--matching", WHO)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which five events and a rejected body name somebody; and a backup."""
    folder = tmp_path / "data"
    engine = open_prepared(f"sqlite:///{folder / 'headwater.db'}")
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        writer.write([*map(facts_of, (*OTHERS, *HERS)), take_in(BROKEN, now(), DAY, "").facts])
    engine.dispose()
    run_program("lake", "flush", "--data", str(folder))
    run_program("db", "backup", str(folder / "before.db"), "--data", str(folder))
    return folder


def test_counts_then_erases_and_lists_what_may_hold_them(data: Path) -> None:
    place = ("--data", str(data))
    dry = run_program(*ERASE, "--dry-run", *place)
    told = (
        "5 events (1 of kind edit, 4 of kind run), 5 in the store and 5 in the lake; "
        "1 rejected bodies"
    )
    assert (dry.status, dry.out) == (0, f"would be erased: {told}\n")
    done = run_program(*ERASE, "--yes", *place)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"erased: {told}"
    assert lines[1].startswith("rows removed or changed: ")
    assert lines[2:4] == ["may still hold them:", f"  file {data / 'before.db'}"]
    again = json.loads(run_program(*ERASE, "--yes", "--output", "json", *place).out)
    assert (again["events"], again["rejected"], again["stillNamedBy"]) == (0, 0, {})
    assert run_program("db", "check", *place).out == "no problems found\n"


def test_it_asks_first(data: Path) -> None:
    program = Path(sys.executable).with_name("headwater")
    command: list[str | Path] = [program, "db", "erase", "--namespace", "scheduler", "--data", data]
    ended = subprocess.run(command, input="n\n", capture_output=True, text=True)
    assert ended.returncode == 1
    assert "would be erased: 8 events" in ended.stderr
    assert "Erase them for good?" in ended.stderr
    assert ended.stdout.strip() == ""
    assert "8 in the store" in run_program(*map(str, command[1:]), "--dry-run").out


def test_the_text_from_standard_input(data: Path) -> None:
    program = Path(sys.executable).with_name("headwater")
    command: list[str | Path] = [
        program,
        "db",
        "erase",
        "--matching",
        "-",
        "--dry-run",
        "--data",
        data,
    ]
    ended = subprocess.run(command, input=f"{WHO}\n", capture_output=True, text=True)
    assert ended.stdout.startswith("would be erased: 5 events")


@pytest.mark.parametrize("given", [(), ("--matching", "anna", "--namespace", "x")])
def test_one_of_the_two(run: Run, given: tuple[str, ...]) -> None:
    outcome = run("db", "erase", *given)
    assert outcome.status == 2
    assert "give one of the two" in outcome.err


def test_expire(data: Path, run: Run) -> None:
    place = ("--data", str(data))
    nothing = run("lake", "expire", *place)
    assert nothing.status == 2
    assert "retention.lake" in nothing.err
    assert run("lake", "expire", "--older-than", "soon").status == 2
    run_program("db", "prune", "--older-than", "30d", *place)
    dry = run_program("lake", "expire", "--older-than", "30d", "--dry-run", *place)
    assert dry.out == f"0 events would be removed from {data / 'lake'}\n"
    done = run_program("lake", "expire", "--older-than", "30d", "--output", "json", *place)
    assert json.loads(done.out) == {"folder": str(data / "lake"), "events": 0, "files": 0}
