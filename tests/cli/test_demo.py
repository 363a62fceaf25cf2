"""`headwater demo`: from an empty folder to a server with something in it."""

import os
import re
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

import httpx2
import msgspec
import psutil
import pytest

from headwater.cli.demo.folder import DemoStore, Note
from headwater.demo import example
from headwater.model.values import instant
from testing.commands import Run, check_one_line, run_program
from testing.services.headwater import Headwater
from testing.wait import wait_until

pytestmark = pytest.mark.usefixtures("no_settings")


# Several times what a quiet machine takes.
SPARK_SECONDS = 300


class Demo(Headwater):
    """One `headwater demo`; without its live scene unless something else is said."""

    stop_signal = signal.SIGINT

    def command(self) -> Sequence[str]:
        program = super().command()[0]
        options = self._extra or ["--no-spark"]
        return [program, "demo", "--port", str(self.port), "--data", str(self.data), *options]

    def wait_for(self, text: str) -> None:
        """Wait until it has said something."""
        wait_until(lambda: text in self.log(), self.log, seconds=SPARK_SECONDS)


def note_of(folder: Path) -> Note:
    return msgspec.json.decode((folder / "example.json").read_bytes(), type=Note)


class TestFolder:
    """What is loaded when: without a server."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The start of the example is enough to tell."""
        whole = example.make_events
        monkeypatch.setattr(example, "make_events", lambda now: whole(now)[:300])

    def test_it_is_loaded_once(self, tmp_path: Path) -> None:
        store = DemoStore(tmp_path / "new")
        assert store.load() is None
        counts = store.count()
        assert counts.events == 300
        assert min(counts) > 0
        note = store.load()
        assert note == note_of(tmp_path / "new")
        assert note is not None
        assert note.is_loaded
        assert store.count() == counts

    def test_half_a_load_is_completed(self, tmp_path: Path) -> None:
        store = DemoStore(tmp_path)
        store.load()
        counts = store.count()
        half = Note(example.VERSION, note_of(tmp_path).now, is_loaded=False)
        (tmp_path / "example.json").write_bytes(msgspec.json.encode(half))
        assert store.load() is None
        assert store.count() == counts
        assert note_of(tmp_path).is_loaded

    def test_an_older_example_is_replaced(self, tmp_path: Path) -> None:
        store = DemoStore(tmp_path)
        store.load()
        old = Note(example.VERSION - 1, instant.now() - 90 * instant.DAY, is_loaded=True)
        (tmp_path / "example.json").write_bytes(msgspec.json.encode(old))
        assert store.load() is None
        assert store.count().events == 300
        assert note_of(tmp_path).now > old.now

    def test_the_live_scene_is_noted_once_it_was_played(self, tmp_path: Path) -> None:
        store = DemoStore(tmp_path)
        store.load()
        assert store.find_live() is None
        before = instant.now()
        store.keep_live()
        played_at = DemoStore(tmp_path).find_live()
        assert played_at is not None
        assert played_at >= before
        assert note_of(tmp_path).is_loaded
        store.forget_live()
        assert store.find_live() is None

    def test_the_live_scene_goes_with_an_older_example(self, tmp_path: Path) -> None:
        store = DemoStore(tmp_path)
        store.load()
        store.keep_live()
        store.live.orders.mkdir(parents=True)
        old = note_of(tmp_path)
        old.version -= 1
        (tmp_path / "example.json").write_bytes(msgspec.json.encode(old))
        store.load()
        assert store.find_live() is None
        assert not store.live.folder.exists()

    def test_somebody_elses_store_is_left_alone(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "mine" / "headwater.db"
        file.parent.mkdir()
        file.write_bytes(b"precious")
        outcome = run("demo", "--once", "--port", "0", "--data", str(file.parent))
        check_one_line(outcome, "--data", "mine", "not the demo's")
        assert file.read_bytes() == b"precious"
        assert list(file.parent.iterdir()) == [file]


def test_a_port_in_use_is_reported_before_anything_is_loaded(run: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = run("demo", "--port", port, "--data", str(tmp_path / "new"))
    check_one_line(outcome, "--port", port, "in use", "0 for any")
    assert not (tmp_path / "new").exists()


def test_what_would_have_no_effect_is_refused(run: Run, tmp_path: Path) -> None:
    outcome = run("demo", "--again", "--no-spark", "--data", str(tmp_path / "new"))
    check_one_line(outcome, "--again", "--no-spark")
    assert not (tmp_path / "new").exists()


@pytest.mark.integration
class TestDemo:
    def test_once_loads_checks_and_ends(self, tmp_path: Path) -> None:
        arguments = ("demo", "--once", "--no-spark", "--port", "0", "--data", "here")
        first = run_program(*arguments)
        assert (first.status, first.err) == (0, "")
        assert re.search(r"7 namespaces, 10 jobs, 10 datasets, \d+ runs, [\d,]+ events", first.out)
        assert "http://127.0.0.1:" in first.out
        (loaded,) = re.findall(r"Loaded into here: (.*)\.", first.out)
        second = run_program(*arguments)
        assert (second.status, second.err) == (0, "")
        assert f"Found in here: {loaded}." in second.out

    def test_it_works_whatever_the_settings_around_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "headwater.toml").write_text(
            'store = "postgresql://nowhere/x"\n[server]\nhost = "0.0.0.0"\nport = 1\n'
        )
        monkeypatch.setenv("HEADWATER__AUTH__KEYS", "ada:hw_0123456789abcdef0123456789:read")
        outcome = run_program("demo", "--once", "--no-spark", "--port", "0", "--data", "here")
        assert (outcome.status, outcome.err) == (0, "")

    def test_the_example_is_in_no_lake_but_its_own(self, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        settings = {"HEADWATER__LAKE__FOLDER": str(mine), "HEADWATER__LAKE__EVERY": "1s"}
        with Demo.start(data=tmp_path / "demo", env=settings):
            wait_until(lambda: (tmp_path / "demo" / "lake").exists() or mine.exists())
        assert not mine.exists()

    def test_it_shows_the_answers_of_the_commands(self, tmp_path: Path) -> None:
        out = run_program("demo", "--once", "--no-spark", "--port", "0", "--data", "here").out
        shown = re.findall(r"^\$ headwater (.*)\n((?:.+\n|\n(?=\d+ changes))+)", out, re.M)
        assert len(shown) == 3
        for command, rest in shown:
            asked = run_program(*command.split(), "--server", "sqlite:///here/headwater.db")
            assert _ageless(asked.out) == _ageless(rest)
        for line in (
            "upstream of dashboards.executive_revenue ",
            "dashboards.executive_revenue.revenue_last_7_days ",
            "shop.commerce.orders.price ",
            "+ column coupon_code text on postgres://commerce-db:5432|shop.commerce.orders",
        ):
            assert line in out
        assert "INDIRECT" not in out

    def test_what_it_tells_to_try_works_and_ctrl_c_ends_it(self) -> None:
        with Demo.start() as service:
            service.wait_for("(Ctrl-C stops the server)")
            asked = re.findall(r"curl -s '(.*)'", service.log())
            assert 1 <= len(asked) <= 2
            answers = [httpx2.get(url, trust_env=False) for url in asked]
            assert [answer.status_code for answer in answers] == [200] * len(asked)
            assert {"COMPLETED", "FAILED"} <= {run["state"] for run in answers[0].json()["runs"]}
            commands = re.findall(r"^  headwater (.*)", service.log(), re.M)
            assert {command.split()[0] for command in commands} == {"lineage", "path", "diff"}
            for command in commands:
                outcome = run_program(*command.split())
                assert (outcome.status, outcome.err) == (0, "")
                assert outcome.out
            assert service.stop() == 0
            assert "Traceback" not in service.log()


@pytest.mark.integration
class TestCtrlC:
    """While the live scene is under way: Spark ends with the server."""

    @pytest.mark.parametrize("step", ["Starting Spark", "files have come"])
    def test_it_ends_what_was_started(self, step: str) -> None:
        with Demo.start(extra=["--again"]) as service:
            service.wait_for(step)
            started = psutil.Process(service.pid).children(recursive=True)
            assert started
            assert service.stop() == 130
            assert not [process for process in started if process.is_running()]
            assert "Traceback" not in service.log()
            assert "the next start shows it" in service.log()

    def test_a_demo_that_is_killed_leaves_no_spark_behind(self) -> None:
        with Demo.start(extra=["--again"]) as service:
            service.wait_for("files have come")
            started = psutil.Process(service.pid).children(recursive=True)
            os.kill(service.pid, signal.SIGKILL)
            wait_until(lambda: not [process for process in started if _is_alive(process)])


def _is_alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _ageless(text: str) -> str:
    """Without what changes while one reads it."""
    return re.sub(r" +", " ", re.sub(r"(\d+ \w+ ago|just now)", "...", text))


@pytest.mark.slow
def test_an_account_of_confluent_cloud(tmp_path: Path) -> None:
    arguments = ("demo", "confluent", "--once", "--port", "0", "--data", str(tmp_path))
    outcome = run_program(*arguments)
    assert (outcome.status, outcome.err) == (0, "")
    assert "22 stored, 0 refused" in outcome.out
    for name in ("crawl-sales", "lksqlc-1/CSAS_ENRICHED_ORDERS_7", "DatagenSource"):
        assert name in outcome.out
