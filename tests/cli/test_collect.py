"""`headwater collect`: every collector is listed, checked and run alike, also other packages'."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import msgspec
import pytest
from pydantic import SecretStr

from headwater.cli.api.client import Client
from headwater.cli.api.delivery import Tally, deliver
from headwater.cli.output.printing import Output
from headwater.collect import COLLECTORS
from headwater.collect.files import FilesCollector, FilesSettings
from headwater.config import AuthSettings
from headwater.errors import NotFound, NotInstalled, ServerRefused
from headwater.plugins import Entry, Registry
from testing import outsider
from testing.api import Api, no_lake, open_api, serve
from testing.commands import PROGRAM, Outcome, Run, check_one_line, run_program
from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from testing.wait import wait_until

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture(scope="module")
def shared_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path_factory.mktemp('collect') / 'headwater.db'}") as api:
        yield api


@pytest.fixture
def api(shared_api: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    shared_api.empty()
    monkeypatch.setenv("HEADWATER_URL", shared_api.url)
    return shared_api


def lines(*numbers: int) -> bytes:
    events = (msgspec.json.encode(run_event(job=f"job-{number}")) for number in numbers)
    return b"".join(event + b"\n" for event in events)


class TestFiles:
    def test_a_folder_once(self, api: Api, run: Run) -> None:
        Path("events").mkdir()
        Path("events/one").write_bytes(lines(1, 2))
        Path("events/two").write_bytes(lines(3) + b"{]\n")
        outcome = run("collect", "files", "events")
        assert (outcome.status, outcome.out) == (1, "3 stored, 1 refused\n")
        assert "events/two:2: invalid JSON" in outcome.err
        again = run("collect", "files", "events")
        assert (again.status, again.out) == (0, "0 stored, 0 refused, 4 already sent\n")
        assert api.event_count() == 3

    def test_as_json(self, api: Api, run: Run) -> None:
        Path("one").write_bytes(lines(1) + b"{]\n")
        found = json.loads(run("collect", "files", "one", "-o", "json").out)
        assert (found["stored"], found["refused"]) == (1, 1)
        assert found["failures"][0]["line"] == 2

    def test_check(self, api: Api, run: Run) -> None:
        Path("one").write_bytes(lines(1))
        good = run("collect", "files", "one", "--check")
        assert good.status == 0 and "ok" in good.out and api.event_count() == 0
        bad = run("collect", "files", "one", "nowhere", "--check", "-o", "json")
        states = [step["state"] for step in json.loads(bad.out)]
        assert (bad.status, states) == (1, ["ok", "ok", "ok", "problem", "ok"])
        assert api.rejected() == []

    def test_check_tries_the_server_and_the_key(
        self, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("one").write_bytes(lines(1))

        def check(url: str) -> dict[str, str]:
            outcome = run("collect", "files", "one", "--check", "--server", url, "-o", "json")
            assert outcome.status == 1
            steps = json.loads(outcome.out)
            assert all(step["next"] for step in steps if step["state"] == "problem")
            return {step["step"]: step["state"] for step in steps}

        good = {"read": "ok", "positions": "ok"}
        assert check("http://127.0.0.1:1") == {"server": "problem", **good}
        keys = AuthSettings(keys=SecretStr("ann:a-long-enough-secret:read"))
        with serve(no_lake(f"sqlite:///{tmp_path / 'keys.db'}", auth=keys)) as url:
            assert check(url) == {"server": "ok", "key": "problem", **good}
            monkeypatch.setenv("HEADWATER_API_KEY", "a-long-enough-secret")
            assert check(url) == {"server": "ok", "key": "problem", **good}

    def test_nothing_there(self, api: Api, run: Run) -> None:
        Path("one").write_bytes(lines(1))
        for missing in ("nowhere", "*.json"):
            outcome = run("collect", "files", "one", missing)
            assert outcome.status == 2 and f"nothing at '{missing}'" in outcome.err
            assert "waiting" not in outcome.err
        assert api.event_count() == 0

    def test_settings_are_checked(self, run: Run) -> None:
        outcome = run("collect", "files", "")
        assert outcome.status == 2 and "a path is empty" in outcome.err
        outcome = run("collect", "files", "x", "--every", "soon")
        assert outcome.status == 2 and "not a duration" in outcome.err

    def test_no_server(self, run: Run) -> None:
        Path("one").write_bytes(lines(1))
        outcome = run("collect", "files", "one", "--server", "http://127.0.0.1:1")
        check_one_line(outcome, "no answer from http://127.0.0.1:1")


def test_what_the_server_wants_again_is_sent_again() -> None:
    Path("one").write_bytes(lines(1, 2))
    failed = [{"index": 1, "reason": "not yet", "retriable": True}]
    answers = iter([httpx2.Response(200, json={"failed_events": failed}), httpx2.Response(204)])
    transport = httpx2.MockTransport(lambda request: next(answers))
    with Client("http://server", transport) as client:
        collector = FilesCollector(FilesSettings(paths=("one",)), client.url)
        tally = Tally(Output.TEXT)
        with pytest.raises(ServerRefused, match="not yet; try again later"):
            deliver(collector, client, tally, lambda event: None)
        assert (tally.stored, tally.refused) == (0, 0)
        deliver(collector, client, tally, lambda event: None)
    assert (tally.stored, tally.refused) == (2, 0)


@contextmanager
def watching(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [str(PROGRAM), "collect", "files", *arguments, "--watch", "--every", "1s"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            yield child
        finally:
            child.kill()


def stop(child: "subprocess.Popen[str]", how: signal.Signals = signal.SIGINT) -> Outcome:
    child.send_signal(how)
    out, err = child.communicate(timeout=60)
    return Outcome(child.returncode, out, err)


@pytest.mark.integration
class TestWatch:
    def test_what_comes_is_sent(self, api: Api) -> None:
        """New files, further lines, a line in two parts; and it ends well."""
        folder = Path("events")
        folder.mkdir()
        (folder / "one").write_bytes(lines(1))
        with watching("events") as child:
            wait_until(lambda: api.event_count() == 1)
            with (folder / "one").open("ab") as file:
                file.write(lines(2, 3)[:-20])
            (folder / "two").write_bytes(lines(4))
            wait_until(lambda: api.event_count() == 3)
            with (folder / "one").open("ab") as file:
                file.write(lines(2, 3)[-20:])
            wait_until(lambda: api.event_count() == 4)
            outcome = stop(child, signal.SIGTERM)
        assert outcome == (0, "4 stored, 0 refused\n", "")

    def test_what_is_not_there_is_waited_for(self, api: Api) -> None:
        with watching("later", "*.json") as child:
            assert child.stderr is not None
            said = [child.stderr.readline() for _ in range(2)]
            Path("later").write_bytes(lines(1))
            Path("x.json").write_bytes(lines(2))
            wait_until(lambda: api.event_count() == 2)
            stop(child)
        assert said == [
            f"headwater: nothing at '{place}' yet; waiting for it\n"
            for place in ("later", "*.json")
        ]

    def test_standard_input_has_an_end(self, api: Api) -> None:
        command = [str(PROGRAM), "collect", "files", "-", "--watch"]
        ended = subprocess.run(command, input=lines(1, 2), capture_output=True, timeout=120)
        assert (ended.returncode, ended.stdout) == (0, b"2 stored, 0 refused\n")

    def test_killed_and_started_again_it_goes_on(self, api: Api) -> None:
        Path("one").write_bytes(lines(1))
        with watching("one") as child:
            wait_until(lambda: Path("one.emitted").exists())
            child.kill()
        with Path("one").open("ab") as file:
            file.write(lines(2))
        with watching("one") as child:
            wait_until(lambda: api.event_count() == 2)
            wait_until(lambda: json.loads(Path("one.emitted").read_bytes())["answered"] == 2)
            assert stop(child).out == "1 stored, 0 refused, 1 already sent\n"

    @pytest.mark.integration
    def test_a_server_that_is_away(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        Path("one").write_bytes(lines(1))
        with Headwater.start(data=tmp_path / "data") as server:
            monkeypatch.setenv("HEADWATER_URL", server.url)
            server.kill()
            with watching("one") as child:
                assert child.stderr is not None
                assert "no answer" in child.stderr.readline()
                server.launch()
                wait_until(lambda: _is_sent(1))
                with Path("one").open("ab") as file:
                    file.write(lines(2))
                wait_until(lambda: _is_sent(2))
                outcome = stop(child)
            assert outcome.out == "2 stored, 0 refused\n"
            assert "it works again" in outcome.err


def _is_sent(count: int) -> bool:
    kept = Path("one.emitted")
    return kept.exists() and json.loads(kept.read_bytes())["answered"] == count


@pytest.fixture
def others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which another package is installed."""
    place = tmp_path / "site"
    place.mkdir()
    outsider.install(place)
    paths = [str(place), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


@pytest.mark.usefixtures("others")
@pytest.mark.integration
class TestOtherPackages:
    def test_they_are_listed(self) -> None:
        found = json.loads(run_program("collect", "--list", "-o", "json").out)
        packages = {each["name"]: each["package"] for each in found}
        assert packages["clock"] == outsider.NAME
        # Ours are not replaced by others of the same name.
        assert packages["files"] == "headwater"
        publishers = json.loads(run_program("publish", "--list", "-o", "json").out)
        (status,) = (each for each in publishers if each["name"] == "status")
        assert status["package"] == outsider.NAME
        assert "cannot be used: `headwater publish status` is a command" in status["summary"]
        (clock,) = (each for each in found if each["name"] == "clock")
        assert clock["summary"] == "Lineage of clocks."

    def test_they_are_run_with_their_settings(self, api: Api) -> None:
        outcome = run_program("collect", "clock", "--zone", "town", "--job", "strike")
        assert outcome == (0, "1 stored, 0 refused\n", "")
        assert api.job("town", "strike")["name"] == "strike"

    def test_a_publisher_is_run(self, api: Api, tmp_path: Path) -> None:
        store = f"sqlite:///{api.engine.url.database}"
        api.store(lines(1).strip(), lines(2).strip())
        options = ("publish", "journal", "--store", store, "--file")
        assert run_program(*options, "journal", "--check").status == 0
        assert "register" in run_program(*options, "journal", "--dry-run").out
        assert run_program(*options, "journal") == (0, "2 sent, 0 refused\n", "")
        assert sorted(Path("journal").read_bytes().splitlines()) == lines(1, 2).splitlines()
        away = run_program(*options, "nowhere/journal")
        check_one_line(away, "nowhere/journal: No such file or directory")
        for name in ("journal", "nowhere/journal"):
            assert run_program("publish", "remove", name, "--store", store).status == 0

    def test_their_settings_are_in_the_help(self) -> None:
        outcome = run_program("collect", "clock", "--help")
        assert "--zone" in outcome.out and "Reports the hour." in outcome.out
        missing = run_program("collect", "clock")
        assert missing.status == 2 and "--zone" in missing.err

    def test_they_are_checked(self, api: Api) -> None:
        outcome = run_program("collect", "clock", "--zone", "town", "--check")
        assert outcome.status == 0 and "it ticks" in outcome.out

    def test_one_that_cannot_be_loaded_keeps_no_other(self) -> None:
        check_one_line(run_program("collect", "broken"), outsider.NAME, "out of order")
        check_one_line(run_program("collect", "needy"), "'cogwheels'", "is not installed")
        for group in ("collect", "publish"):
            outcome = run_program(group, "--help")
            assert outcome.status == 0 and "broken" in outcome.out


class TestRegistry:
    def test_a_missing_extra_is_named(self) -> None:
        own = {"x": Entry("tests.collect.needs_cogwheels:X", "Needs much.", extra="cogs")}
        with pytest.raises(NotInstalled, match=r"pip install 'headwater\[cogs\]'"):
            Registry("collector", "headwater.no_such_group", own).load("x")

    def test_an_unknown_name(self, run: Run) -> None:
        with pytest.raises(NotFound, match="collector 'fils' not found; did you mean"):
            COLLECTORS.load("fils")
        assert run("collect", "fils").status == 2

    def test_without_a_name_there_is_help(self, run: Run) -> None:
        outcome = run("collect")
        assert outcome.status == 0 and "files" in outcome.out


def test_names_do_not_hide_commands() -> None:
    """`publish status` is a command, whatever publishers there are."""
    from headwater.cli.commands.publish import app
    from headwater.publish import PUBLISHERS

    commands = {getattr(each.callback, "__name__", "") for each in app.registered_commands}
    assert commands == set(PUBLISHERS.reserved)
    assert not commands & set(PUBLISHERS.own)
