"""`headwater lake`: what its commands print, and how they end."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headwater.pipeline.lake.compaction import compacting
from headwater.pipeline.lake.lake import Lake
from headwater.store.engine import open_engine
from headwater.store.write.writer import open_writer
from testing.commands import Run, check_one_line, run_program
from testing.stores import open_prepared
from tests.pipeline.lakes import NOON, files, lake_events, payloads
from tests.store.samples import dataset_facts

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose store has three events that wait."""
    folder = tmp_path / "data"
    engine = open_prepared(f"sqlite:///{folder / 'headwater.db'}")
    write(folder, "a", "b", "c")
    yield folder
    engine.dispose()


def write(data: Path, *names: str) -> None:
    engine = open_engine(f"sqlite:///{data / 'headwater.db'}")
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        for name in names:
            writer.write([dataset_facts(name)])
    engine.dispose()


class TestFlush:
    def test_it_says_how_many(self, run: Run, data: Path) -> None:
        lake = data / "lake"
        for count in (3, 0):
            outcome = run("lake", "flush", "--data", str(data))
            assert outcome == (0, f"{count} events written to {lake}\n", "")
        write(data, "d", "e")
        assert run("lake", "flush", "--data", str(data)).out.startswith("2 events")
        assert len(payloads(Lake(lake))) == 5

    def test_for_programs(self, run: Run, data: Path) -> None:
        outcome = run("lake", "flush", "--data", str(data), "--output", "json")
        assert (outcome.status, outcome.err) == (0, "")
        assert json.loads(outcome.out) == {"folder": str(data / "lake"), "events": 3}

    def test_all_of_it(self, run: Run, data: Path, tmp_path: Path) -> None:
        """What is there already is there twice then, and read once."""
        run("lake", "flush", "--data", str(data))
        write(data, "d")
        assert run("lake", "flush", "--all", "--data", str(data)).out.startswith("4 events")
        assert len(payloads(Lake(data / "lake"))) == 4
        assert Lake(data / "lake").stats().events == 7

    def test_by_settings(
        self, run: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HEADWATER__DATA", str(data))
        monkeypatch.setenv("HEADWATER__LAKE__FOLDER", str(tmp_path / "elsewhere"))
        assert run("lake", "flush").out == f"3 events written to {tmp_path / 'elsewhere'}\n"
        assert not (data / "lake").exists()

    def test_into_a_folder_that_is_named(self, run: Run, data: Path, tmp_path: Path) -> None:
        other = tmp_path / "other"
        assert run("lake", "flush", "--data", str(data), "--lake", str(other)).status == 0
        assert len(payloads(Lake(other))) == 3

    def test_another_lake_has_all_of_it_if_requested(
        self, run: Run, data: Path, tmp_path: Path
    ) -> None:
        """Each event waits for one lake: whoever has another says so."""
        other = str(tmp_path / "other")
        run("lake", "flush", "--data", str(data))
        outcome = run("lake", "flush", "--data", str(data), "--lake", other)
        assert outcome.out == f"0 events written to {other}\n"
        run("lake", "flush", "--all", "--data", str(data), "--lake", other)
        assert payloads(Lake(Path(other))) == payloads(Lake(data / "lake"))

    def test_a_store_that_is_not_there_yet_is_made(self, run: Run, tmp_path: Path) -> None:
        outcome = run("lake", "flush", "--data", "new")
        assert outcome == (0, f"0 events written to {Path('new') / 'lake'}\n", "")

    @pytest.mark.parametrize("below", ["", "below"])
    def test_a_file_in_the_lakes_place(
        self, run: Run, data: Path, tmp_path: Path, below: str
    ) -> None:
        lake = tmp_path / "file" / below
        (tmp_path / "file").write_text("")
        outcome = run("lake", "flush", "--data", str(data), "--lake", str(lake))
        check_one_line(outcome, f"the lake at {lake} cannot be written", "irectory")
        assert run("lake", "flush", "--data", str(data)).out.startswith("3 events")

    def test_a_place_that_cannot_be_written(self, run: Run, data: Path) -> None:
        outcome = run("lake", "flush", "--data", str(data), "--lake", "/proc/none")
        check_one_line(outcome, "the lake at /proc/none cannot be written")

    def test_a_store_that_is_away(self, run: Run) -> None:
        outcome = run("lake", "flush", "--store", "postgresql://127.0.0.1:1/none")
        check_one_line(outcome, "refused")

    def test_a_store_that_is_locked(
        self, run: Run, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("headwater.store.engine.BUSY_SECONDS", 0.1)
        with closing(sqlite3.connect(data / "headwater.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            check_one_line(run("lake", "flush", "--data", str(data)), "database is locked")
            other.execute("ROLLBACK")
        assert run("lake", "flush", "--data", str(data)).out.startswith("3 events")

    @pytest.mark.integration
    def test_on_postgresql(self, postgresql_url: str, tmp_path: Path) -> None:
        arguments = ("lake", "flush", "--store", postgresql_url, "--data", str(tmp_path))
        assert run_program(*arguments).out == f"0 events written to {tmp_path / 'lake'}\n"


class TestCompact:
    def test_it_says_what_it_did(self, run: Run, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        for some in ("ab", "bc"):
            lake.add(lake_events(*some))
        for before, copies in (
            ("2 files of 1 days merged into 1", 1),
            ("0 files of 0 days merged into 0", 0),
        ):
            outcome = run("lake", "compact", "--lake", str(lake.folder))
            assert outcome == (0, f"{before}; {copies} duplicates removed\n", "")
        assert payloads(lake) == [b"a", b"b", b"c"]
        assert len(files(lake)) == 1

    def test_for_programs(self, run: Run, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        for some in ("ab", "bc"):
            lake.add(lake_events(*some))
        outcome = run("lake", "compact", "--lake", str(lake.folder), "-o", "json")
        assert json.loads(outcome.out) == {
            "folder": str(lake.folder),
            "days": 1,
            "files_removed": 2,
            "files_written": 1,
            "copies_removed": 1,
        }

    def test_beside_another(self, run: Run, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        lake.add(lake_events("a"))
        with compacting(lake.folder):
            outcome = run("lake", "compact", "--lake", str(lake.folder))
        check_one_line(outcome, "another compaction of the lake", "wait until it ends")

    def test_no_lake(self, run: Run, tmp_path: Path) -> None:
        assert run("lake", "compact", "--data", "none").status == 0
        assert not (tmp_path / "none").exists()

    def test_a_lake_that_cannot_be_written(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = Lake(tmp_path / "lake")
        for name in "ab":
            lake.add(lake_events(name))

        def fail(*_: object, **named: object) -> None:
            raise OSError("no room")

        monkeypatch.setattr("headwater.pipeline.lake.files.pq.ParquetWriter", fail)
        outcome = run("lake", "compact", "--lake", str(lake.folder))
        check_one_line(outcome, f"the lake at {lake.folder} cannot be written: no room")


class TestStats:
    def test_no_lake(self, run: Run, tmp_path: Path) -> None:
        outcome = run("lake", "stats", "--data", "none")
        assert outcome == (0, "no lake at none/lake; 0 events are waiting for it\n", "")
        found = json.loads(run("lake", "stats", "--data", "none", "-o", "json").out)
        assert found == [
            {
                "folder": str(Path("none") / "lake"),
                "days": 0,
                "files": 0,
                "events": 0,
                "bytes": 0,
                "first_day": None,
                "last_day": None,
                "waiting": None,
            }
        ]
        assert not (tmp_path / "none").exists()

    def test_no_lake_yet(self, run: Run, data: Path) -> None:
        outcome = run("lake", "stats", "--data", str(data))
        assert outcome == (0, f"no lake at {data / 'lake'}; 3 events are waiting for it\n", "")
        (found,) = json.loads(run("lake", "stats", "--data", str(data), "-o", "json").out)
        assert (found["events"], found["waiting"]) == (0, 3)

    def test_a_lake(self, run: Run, data: Path) -> None:
        lake = Lake(data / "lake")
        lake.add([*lake_events("a", "b"), *lake_events("c", at=-1)])
        size = sum(file.stat().st_size for file in files(lake))
        shown = run("lake", "stats", "--data", str(data)).out.splitlines()
        columns = "folder days files events bytes first day last day waiting"
        assert [line.split() for line in shown] == [
            columns.split(),
            [str(lake.folder), "2", "2", "3", str(size), "1969-12-31", "2026-01-31", "3"],
        ]
        (found,) = json.loads(run("lake", "stats", "--data", str(data), "-o", "json").out)
        assert (found["events"], found["last_day"], found["waiting"]) == (3, "2026-01-31", 3)

    @pytest.mark.parametrize("table", ["outbox", "outbox_reader"])
    def test_beside_a_store_of_an_older_version(self, run: Run, data: Path, table: str) -> None:
        with closing(sqlite3.connect(data / "headwater.db")) as connection:
            connection.execute(f"DROP TABLE {table}")
        (found,) = json.loads(run("lake", "stats", "--data", str(data), "-o", "json").out)
        assert found["waiting"] is None

    def test_a_store_that_is_none(self, run: Run) -> None:
        check_one_line(run("lake", "stats", "--store", "nonsense"), "not a URL")

    @pytest.mark.parametrize("command", ["stats", "compact"])
    def test_a_damaged_file_is_one_line(self, run: Run, tmp_path: Path, command: str) -> None:
        lake = Lake(tmp_path / "lake")
        for name in "ab":
            lake.add(lake_events(name, at=NOON))
        damaged = max(files(lake))
        damaged.write_bytes(b"")
        outcome = run("lake", command, "--lake", str(lake.folder))
        check_one_line(outcome, str(damaged), "headwater lake flush --all")

    @pytest.mark.parametrize("command", ["stats", "compact"])
    def test_a_folder_that_is_no_day_is_left_alone(
        self, run: Run, tmp_path: Path, command: str
    ) -> None:
        lake = Lake(tmp_path / "lake")
        lake.add(lake_events("a"))
        (lake.folder / "day=__HIVE_DEFAULT_PARTITION__").mkdir()
        assert run("lake", command, "--lake", str(lake.folder)).status == 0


def test_help_lists_the_commands(run: Run) -> None:
    outcome = run("lake", "--help")
    assert outcome.status == 0
    for command in ("flush", "compact", "stats"):
        assert command in outcome.out
