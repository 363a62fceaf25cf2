"""The server's events reach the lake by themselves, and its requests do not notice."""

import json
import logging
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import httpx2
import msgspec
import psutil
import pytest
from pydantic import ValidationError
from sqlalchemy import Engine

from headwater.config import LakeSettings, Settings, load_settings
from headwater.pipeline.lake.lake import Lake
from headwater.server.background import lake as server_lake
from headwater.server.background.lake import LakeFlush
from headwater.server.background.periodic import Stopped
from headwater.store.engine import open_engine
from headwater.store.write.outbox import count_waiting
from headwater.store.write.writer import open_writer
from testing.api import JSON, serve
from testing.events.minimal import run_event
from testing.stores import open_prepared
from testing.wait import wait_until
from tests.server.test_background import is_running
from tests.store.samples import dataset_facts

SOON = timedelta(milliseconds=1)
EVERY = timedelta(milliseconds=100)
THREAD = "headwater-lake"


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time comes at once, and the next ones as quickly as no setting allows."""
    monkeypatch.setattr(server_lake, "FIRST_AFTER", SOON)
    monkeypatch.setattr(server_lake, "parse_duration", lambda _: EVERY)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.integration)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgresql_url"))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_prepared(f"sqlite:///{tmp_path / 'store.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "data" / "lake")


def settings_of(store: str, lake: Lake, **values: object) -> Settings:
    return Settings(
        store=store,
        data=lake.folder.parent,
        lake=LakeSettings.model_validate({"every": "1s"} | values),
    )


def events(first: int, count: int) -> list[bytes]:
    return [
        msgspec.json.encode(run_event(run=f"run-{number}"))
        for number in range(first, first + count)
    ]


def post(url: str, *events: bytes) -> None:
    for event in events:
        answer = httpx2.post(
            f"{url}/api/v1/lineage", content=event, headers={"content-type": JSON}, trust_env=False
        )
        assert answer.status_code == 201, answer.text


def write(engine: Engine, *names: str) -> None:
    with closing(open_writer(engine, notes_for_lake=True)) as writer:
        for name in names:
            writer.write([dataset_facts(name)])


def payloads(lake: Lake) -> set[bytes]:
    return {event.payload for event in lake.read()}


def waiting(engine: Engine) -> int:
    with engine.connect() as connection:
        return count_waiting(connection)


def children() -> list[psutil.Process]:
    """The processes that carry events on, started by this one."""
    return [
        child
        for child in psutil.Process().children()
        if child.status() != psutil.STATUS_ZOMBIE
        and "headwater.pipeline.lake.carry" in child.cmdline()
    ]


def is_ignoring(process: psutil.Process, number: signal.Signals) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    (ignored,) = re.findall(r"^SigIgn:\s+(\w+)", status, re.M)
    return bool(int(ignored, 16) >> (number - 1) & 1)


@pytest.mark.slow
class TestServer:
    def test_what_is_posted_is_in_the_lake_soon(
        self, store_url: str, lake: Lake, soon: None, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO, "headwater.server.background.lake")
        sent = events(0, 5)
        with serve(settings_of(store_url, lake)) as url:
            post(url, *sent)
            wait_until(lambda: payloads(lake) == set(sent))
            more = events(5, 2)
            post(url, *more)
            wait_until(lambda: payloads(lake) == {*sent, *more})
        assert not is_running(THREAD)
        assert f"events to the lake at {lake.folder}" in caplog.text
        assert [folder.name for folder in lake.days()] == ["day=2024-05-01"]

    def test_what_is_rejected_is_not(self, lake: Lake, soon: None, tmp_path: Path) -> None:
        (good,) = events(0, 1)
        with serve(settings_of(f"sqlite:///{tmp_path / 'store.db'}", lake)) as url:
            bad = httpx2.post(f"{url}/api/v1/lineage", json={}, trust_env=False)
            assert bad.status_code == 422
            post(url, good)
            wait_until(lambda: payloads(lake) == {good})

    def test_what_was_left_is_carried_on_after_a_restart(
        self, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = f"sqlite:///{tmp_path / 'store.db'}"
        sent = events(0, 3)
        with serve(settings_of(store, lake, every="1h")) as url:
            post(url, *sent)
        assert not lake.folder.exists()
        monkeypatch.setattr(server_lake, "FIRST_AFTER", SOON)
        with serve(settings_of(store, lake, every="1h")):
            wait_until(lambda: payloads(lake) == set(sent))

    def test_switched_off_it_writes_nothing(self, lake: Lake, soon: None, tmp_path: Path) -> None:
        store = f"sqlite:///{tmp_path / 'store.db'}"
        with serve(settings_of(store, lake, is_on=False)) as url:
            post(url, *events(0, 3))
            assert not is_running(THREAD)
        assert not lake.folder.exists()
        with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
            assert connection.execute("SELECT * FROM outbox").fetchall() == []

    def test_how_many_wait_is_measured(self, lake: Lake, soon: None, tmp_path: Path) -> None:
        # They cannot be carried on, so that they still wait when they are counted.
        lake.folder.parent.mkdir()
        lake.folder.write_text("not a folder")
        with serve(settings_of(f"sqlite:///{tmp_path / 'store.db'}", lake)) as url:

            def metrics() -> str:
                return httpx2.get(f"{url}/metrics", trust_env=False).text

            assert "headwater_lake_waiting_events 0.0" in metrics()
            post(url, *events(0, 3))
            wait_until(lambda: "headwater_lake_waiting_events 3.0" in metrics())

    def test_a_lake_that_cannot_be_written_is_stated_once_a_try(
        self, lake: Lake, soon: None, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        lake.folder.parent.mkdir()
        lake.folder.write_text("not a folder")
        sent = events(0, 3)

        with serve(settings_of(f"sqlite:///{tmp_path / 'store.db'}", lake)) as url:
            post(url, *sent[:2])
            wait_until(lambda: len(found_failures(caplog)) > 2)
            post(url, sent[2])
            assert httpx2.get(f"{url}/readyz", trust_env=False).status_code == 200
            lake.folder.unlink()
            wait_until(lambda: payloads(lake) == set(sent))
        failures = found_failures(caplog)
        assert {(record.levelno, record.exc_info) for record in failures} == {
            (logging.WARNING, None)
        }
        times = sorted(record.created for record in failures)
        pauses = [later - earlier for earlier, later in pairwise(times)]
        assert min(pauses) > EVERY.total_seconds() / 2
        assert not is_running(THREAD)

    def test_a_stop_is_prompt(self, lake: Lake, tmp_path: Path) -> None:
        with serve(settings_of(f"sqlite:///{tmp_path / 'store.db'}", lake, every="1h")) as url:
            post(url, *events(0, 1))
            assert is_running(THREAD)
        # Not in an hour, when it would be its turn again.
        wait_until(lambda: not is_running(THREAD))


def found_failures(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.getMessage().startswith("lake failed")]


class TestFlush:
    def test_as_often_as_the_setting_says(self, engine: Engine, lake: Lake) -> None:
        for setting, every in (("5s", timedelta(seconds=5)), ("1h", timedelta(hours=1))):
            assert LakeFlush(engine, lake.folder, LakeSettings(every=setting)).every == every

    @pytest.mark.slow
    def test_a_start_while_the_store_is_locked(
        self,
        engine: Engine,
        lake: Lake,
        soon: None,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Whoever may not write reads meanwhile; and carries on once it may."""
        write(engine, "a")
        monkeypatch.setattr("headwater.store.engine.BUSY_SECONDS", 0.1)
        locked = open_engine(str(engine.url))
        with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with closing(LakeFlush(locked, lake.folder, LakeSettings(every="1s"))) as flush:
                flush.start()
                wait_until(lambda: len(payloads(lake)) == 1)
                assert waiting(engine) == 1
                other.execute("ROLLBACK")
                wait_until(lambda: waiting(engine) == 0)
        locked.dispose()

    def test_switched_off_there_is_no_thread(self, engine: Engine, lake: Lake, soon: None) -> None:
        write(engine, "a")
        before = threading.active_count()
        with closing(LakeFlush(engine, lake.folder, LakeSettings(is_on=False))) as flush:
            flush.start()
            assert threading.active_count() == before
        assert waiting(engine) == 1

    def test_a_store_that_is_away_is_one_line(
        self, engine: Engine, lake: Lake, soon: None, caplog: pytest.LogCaptureFixture
    ) -> None:
        with closing(LakeFlush(engine, lake.folder, LakeSettings(every="1s"))) as flush:
            with engine.begin() as connection:
                connection.exec_driver_sql("ALTER TABLE outbox RENAME TO gone")
            flush.start()
            wait_until(lambda: len(found_failures(caplog)) > 0)
        failure = found_failures(caplog)[0]
        assert (failure.levelno, failure.exc_info) == (logging.WARNING, None)
        assert "no such table: outbox" in failure.getMessage()

    @pytest.mark.slow
    def test_so_is_one_that_goes_away_meanwhile(
        self, engine: Engine, lake: Lake, soon: None, caplog: pytest.LogCaptureFixture
    ) -> None:
        write(engine, "a")
        with engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE event RENAME TO gone")
        with closing(LakeFlush(engine, lake.folder, LakeSettings(every="1s"))) as flush:
            flush.start()
            wait_until(lambda: len(found_failures(caplog)) > 0)
        failure = found_failures(caplog)[0]
        assert (failure.levelno, failure.exc_info) == (logging.WARNING, None)
        assert "no such table: event" in failure.getMessage()

    @pytest.mark.slow
    def test_nothing_to_do_is_not_stated_and_starts_nothing(
        self,
        engine: Engine,
        lake: Lake,
        caplog: pytest.LogCaptureFixture,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        caplog.set_level(logging.INFO, "headwater")
        told: list[int] = []
        flush = LakeFlush(engine, lake.folder, LakeSettings(), told.append)
        write(engine, "a", "b")
        flush.work()
        with monkeypatch.context() as patched:
            patched.setattr(subprocess, "Popen", None)
            flush.work()
        assert caplog.messages == [f"wrote 2 events to the lake at {lake.folder}"]
        assert told == [2, 0]


@pytest.mark.slow
class TestChild:
    """Each time the work is done by a process of its own."""

    @pytest.fixture
    def hanging(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that never ends, whatever it is told."""
        code = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
        argument = "headwater.pipeline.lake.carry"
        monkeypatch.setattr(server_lake, "COMMAND", (sys.executable, "-c", code, argument))

    @pytest.fixture
    def flush(self, engine: Engine, lake: Lake, soon: None) -> Iterator[LakeFlush]:
        write(engine, *"abcde")
        with closing(LakeFlush(engine, lake.folder, LakeSettings())) as flush:
            yield flush

    def test_it_is_reported_nothing_that_others_can_list(
        self, flush: LakeFlush, hanging: None
    ) -> None:
        """The URL of a store may hold a password."""
        command = server_lake.COMMAND
        flush.start()
        wait_until(lambda: len(children()) == 1)
        (child,) = children()
        assert tuple(child.cmdline()) == command
        assert all("store.db" not in value for value in child.environ().values())
        assert os.getsid(child.pid) == child.pid

    def test_parquet_is_loaded_nowhere_else(self, tmp_path: Path) -> None:
        """It takes a fifth of a second, and 70 MB that no allocator gives back."""
        code = (
            "import sys; from pathlib import Path; from headwater.config import LakeSettings; "
            "from headwater.server.background.lake import LakeFlush; "
            "from headwater.store.engine import open_engine; "
            "from headwater.store.migrate import upgrade; "
            "from headwater.store.write.outbox import count_waiting; "
            "from headwater.store.write.writer import open_writer; "
            "from tests.store.samples import dataset_facts; "
            "engine = open_engine('sqlite:///store.db'); upgrade(engine); "
            "writer = open_writer(engine, notes_for_lake=True); writer.write([dataset_facts()]); "
            "LakeFlush(engine, Path('lake'), LakeSettings()).work(); "
            "print(count_waiting(engine.connect()), len(list(Path('lake').glob('*/*')))); "
            "print([name for name in sys.modules if name.startswith(('pyarrow', 'numpy'))])"
        )
        root = Path(__file__).parents[2]
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        assert (done.stdout, done.stderr) == ("0 1\n[]\n", "")

    def test_a_stop_in_the_middle_loses_nothing(
        self,
        flush: LakeFlush,
        engine: Engine,
        lake: Lake,
        tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """Events are on disk, and it waits until it may say so in the store."""
        caplog.set_level(logging.INFO)
        with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            flush.start()
            wait_until(lambda: len(payloads(lake)) == 5)
            flush.close()
            # Sooner than it gives the store up, which would be a failure.
            wait_until(lambda: "lake interrupted; the next one continues" in caplog.messages)
            other.execute("ROLLBACK")
        assert found_failures(caplog) == []
        assert waiting(engine) == 5
        with closing(LakeFlush(engine, lake.folder, LakeSettings())) as again:
            again.start()
            wait_until(lambda: waiting(engine) == 0)
        assert (len(payloads(lake)), lake.stats().events) == (5, 10)

    def test_one_that_does_not_end_is_ended(self, flush: LakeFlush, hanging: None) -> None:
        flush.start()
        wait_until(lambda: any(is_ignoring(child, signal.SIGTERM) for child in children()))
        flush.close()
        wait_until(lambda: children() == [] and not is_running(THREAD))

    def test_none_is_started_once_the_server_stops(self, flush: LakeFlush) -> None:
        flush.close()
        with pytest.raises(Stopped):
            flush.work()
        assert children() == []

    @pytest.mark.parametrize(
        ("code", "reason"),
        [
            ("import os; os.kill(os.getpid(), 9)", "ended with status -9"),
            ("raise SystemExit(3)", "ended with status 3"),
            ("print('nonsense')", "ended with status 0"),
            ('print(\'{"error": "no room"}\')', "no room"),
        ],
    )
    def test_one_that_fails_is_one_line(
        self,
        flush: LakeFlush,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        code: str,
        reason: str,
    ) -> None:
        monkeypatch.setattr(server_lake, "COMMAND", (sys.executable, "-c", code))
        flush.start()
        wait_until(lambda: len(found_failures(caplog)) > 1)
        flush.close()
        failure = found_failures(caplog)[0]
        assert (failure.levelno, failure.exc_info) == (logging.WARNING, None)
        assert reason in failure.getMessage()

    def test_one_that_cannot_be_started(
        self, flush: LakeFlush, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(server_lake, "COMMAND", ("/none",))
        flush.start()
        wait_until(lambda: len(found_failures(caplog)) > 0)
        assert "no process can be started" in found_failures(caplog)[0].getMessage()

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child")
    def test_it_ends_with_a_server_that_is_killed(self, tmp_path: Path) -> None:
        """Another starts one and is killed, while it waits for a store that is locked."""
        store = f"sqlite:///{tmp_path / 'store.db'}"
        engine = open_prepared(store)
        write(engine, "a")
        engine.dispose()
        code = (
            "import json, os, subprocess, sys; "
            "child = subprocess.Popen(json.loads(sys.argv[1]), stdin=-1, stdout=-1); "
            "told = {'store': sys.argv[2], 'folder': 'lake', 'parent': os.getpid()}; "
            "child.stdin.write(json.dumps(told).encode()); child.stdin.close(); "
            "print(child.pid, flush=True); child.wait()"
        )
        command = [sys.executable, "-c", code, json.dumps(server_lake.COMMAND), store]
        with (
            closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other,
            subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path) as parent,
        ):
            other.execute("BEGIN IMMEDIATE")
            assert parent.stdout is not None
            child = psutil.Process(int(parent.stdout.readline()))
            wait_until(lambda: len(payloads(Lake(tmp_path / "lake"))) == 1)
            os.kill(parent.pid, signal.SIGKILL)
            parent.wait()
            wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)

    def test_one_that_is_late_does_nothing(self, engine: Engine, lake: Lake) -> None:
        """The server that started it is no longer its parent."""
        write(engine, "a")
        told = {"store": str(engine.url), "folder": str(lake.folder), "parent": os.getpid() + 1}
        done = subprocess.run(
            server_lake.COMMAND, input=json.dumps(told), capture_output=True, text=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert waiting(engine) == 1


@pytest.mark.slow
def test_parquet_is_loaded_only_where_the_lake_is_touched() -> None:
    """It takes a fifth of a second, and a start would wait for it."""
    code = (
        "import headwater.cli.main, headwater.server.app, sys; "
        "print([name for name in sys.modules if name.startswith(('pyarrow', 'numpy'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


class TestSettings:
    def test_the_lake_is_in_the_data_folder_unless_set(self) -> None:
        assert Settings().lake.is_on
        assert Settings(data=Path("/d")).lake_folder == Path("/d/lake")
        settings = Settings(data=Path("/d"), lake=LakeSettings(folder="/elsewhere"))
        assert settings.lake_folder == Path("/elsewhere")

    def test_by_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HEADWATER__LAKE__IS_ON", "false")
        monkeypatch.setenv("HEADWATER__LAKE__EVERY", "5m")
        found = load_settings().lake
        assert (found.is_on, found.every) == (False, "5m")

    @pytest.mark.parametrize("wrong", [{"every": ""}, {"every": "soon"}, {"every": "0s"}])
    def test_spans_that_are_none_are_refused(self, wrong: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            LakeSettings.model_validate(wrong)
