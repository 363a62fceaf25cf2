"""`headwater publish`: what it shows of targets, and how they are removed."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.store.engine import open_engine
from headwater.store.write.outbox_readers import only_publisher
from headwater.store.write.writer import open_writer
from testing.api import Api, open_api
from testing.commands import Run, check_one_line
from testing.events.minimal import run_event
from testing.stores import open_prepared

pytestmark = pytest.mark.usefixtures("no_settings")


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'target.db'}") as api:
        yield api


def event(number: int) -> bytes:
    return msgspec.json.encode(run_event(job=f"job-{number}"))


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with three events, of which a backend refuses one: it has no job there."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    engine = open_prepared(url)
    with closing(open_writer(engine)) as writer:
        writer.write([project(decode_event(event(number))) for number in range(3)])
    engine.dispose()
    return url


def test_once(store: str, target: Api, run: Run) -> None:
    arguments = ("publish", "openlineage", "--to", target.url, "--store", store)
    planned = json.loads(run(*arguments, "--dry-run", "-o", "json").out)
    assert [(each["action"], each["times"]) for each in planned] == [("register", 1), ("send", 3)]
    assert json.loads(run("publish", "status", "--store", store, "-o", "json").out) == []
    assert run(*arguments) == (0, "3 sent, 0 refused\n", "")
    assert target.event_count() == 3
    assert run(*arguments).out == "0 sent, 0 refused\n"
    assert run("publish", "again", target.url, "--store", store).status == 0
    assert run(*arguments).out == "3 sent, 0 refused\n"


def test_a_target_that_is_down(store: str, run: Run) -> None:
    options = ("--to", "http://127.0.0.1:1", "--name", "other", "--store", store)
    check_one_line(
        run("publish", "openlineage", *options), "http://127.0.0.1:1/api/v1/lineage: no answer"
    )
    (status,) = json.loads(run("publish", "status", "--store", store, "-o", "json").out)
    assert (status["target"], status["sent"], status["waiting"]) == ("other", 0, 3)
    assert "no answer" in status["last_error"]
    assert "other" in run("publish", "status", "--store", store).out
    removed = run("publish", "remove", "other", "--store", store)
    assert removed.out == "removed target other: 0 sent, 0 refused\n"
    assert run("publish", "status", "--store", store).out.startswith("no targets")
    check_one_line(run("publish", "remove", "other", "--store", store), "target 'other' not found")


def test_refused_events(store: str, target: Api, run: Run) -> None:
    """One from the future, which the target's clock does not take."""
    engine = open_engine(store)
    future = msgspec.json.encode(run_event(at="2999-01-01T00:00:00Z"))
    with closing(open_writer(engine)) as writer:
        writer.write([project(decode_event(future))])
    engine.dispose()
    outcome = run("publish", "openlineage", "--to", target.url, "--store", store)
    assert (outcome.status, outcome.out) == (1, "3 sent, 1 refused\n")
    again = run("publish", "openlineage", "--to", target.url, "--store", store)
    assert (again.status, again.out) == (0, "0 sent, 0 refused\n")
    found = json.loads(run("publish", "refused", target.url, "--store", store, "-o", "json").out)
    (refused,) = found
    assert refused["event_time"].startswith("2999") and "answered 4" in refused["reason"]
    shown = "".join(run("publish", "refused", target.url, "--store", store).out.split())
    job = run_event()["job"]
    assert f"{job['namespace']}/{job['name']}" in shown and refused["event"] in shown


def test_edits_are_named(store: str, target: Api, run: Run) -> None:
    edit = {
        "eventTime": "2024-05-01T10:00:00Z",
        "edit": {"actor": "ann", "entity": {"type": "job", "namespace": "n", "name": "j"}},
    }
    engine = open_engine(store)
    with closing(open_writer(engine)) as writer:
        writer.write([project(decode_event(msgspec.json.encode(edit)))])
    engine.dispose()
    arguments = ("publish", "openlineage", "--to", target.url, "--store", store)
    assert run(*arguments).out == "3 sent, 0 refused, 1 left out\n"
    again = run("publish", "again", target.url, "--store", store)
    assert again.out == f"4 events and edits wait for target {target.url}\n"


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("refused", "x"),
        ("openlineage", "--to", "http://x", "--check"),
        ("openlineage", "--to", "http://x", "--dry-run"),
    ],
)
def test_where_no_store_is_none_is_made(tmp_path: Path, run: Run, command: tuple[str, ...]) -> None:
    check_one_line(run("publish", *command, "--data", tmp_path / "typo"), "there is no store")
    assert not (tmp_path / "typo").exists()


def test_two_at_once(store: str, target: Api, run: Run) -> None:
    engine = open_engine(store)
    arguments = ("publish", "openlineage", "--to", target.url, "--store", store)
    with only_publisher(engine, target.url):
        for more in ((), ("--watch",)):
            check_one_line(run(*arguments, *more), "another process is publishing to target")
        assert run(*arguments, "--name", "other").status == 0
    assert run(*arguments).status == 0
    engine.dispose()


class TestKey:
    def test_a_variable_that_is_not_set(self, store: str, target: Api, run: Run) -> None:
        arguments = ("publish", "openlineage", "--to", target.url, "--store", store)
        outcome = run(*arguments, "--api-key-env", "TARGET_KEY")
        check_one_line(
            outcome, "environment variable TARGET_KEY, named by --api-key-env, is not set"
        )
        checked = run(*arguments, "--api-key-env", "TARGET_KEY", "--check", "-o", "json")
        assert checked.status == 1
        assert [step["step"] for step in json.loads(checked.out)] == ["store", "key"]

    def test_it_is_nowhere_shown(
        self, store: str, target: Api, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("TARGET_KEY", "very-s3cret")
        options = ("--to", target.url, "--api-key-env", "TARGET_KEY", "--store", store)
        for more in (("--check",), ("--dry-run",), ()):
            outcome = run("publish", "openlineage", *options, *more)
            assert outcome.status == 0
            assert "s3cret" not in outcome.out + outcome.err
        assert b"s3cret" not in (tmp_path / "store.db").read_bytes()

    @pytest.mark.parametrize("value", ["very\ns3cret", "very\rs3cret", "very-s3crét", "a s3cret"])
    def test_one_that_cannot_be_sent(
        self,
        store: str,
        target: Api,
        run: Run,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        value: str,
    ) -> None:
        monkeypatch.setenv("TARGET_KEY", value)
        options = ("--to", target.url, "--api-key-env", "TARGET_KEY", "--store", store)
        outcome = run("publish", "openlineage", *options)
        check_one_line(outcome, "environment variable TARGET_KEY holds")
        checked = run("publish", "openlineage", *options, "--check")
        assert checked.status == 1
        assert "s3c" not in outcome.err + checked.out + checked.err
        assert b"s3c" not in (tmp_path / "store.db").read_bytes()

    def test_white_space_around_it_is_left_out(
        self, store: str, target: Api, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TARGET_KEY", " s3cret\r\n")
        options = ("--to", target.url, "--api-key-env", "TARGET_KEY", "--store", store)
        assert run("publish", "openlineage", *options) == (0, "3 sent, 0 refused\n", "")


def test_a_name_that_another_has(store: str, target: Api, run: Run) -> None:
    """The same refusal, whether it is tried or done."""
    common = ("publish", "openlineage", "--name", "one", "--store", store)
    assert run(*common, "--to", target.url).status == 0
    other = (*common, "--to", "http://127.0.0.1:1")
    done = run(*other)
    check_one_line(done, f"target 'one' is openlineage at {target.url}")
    assert run(*other, "--dry-run") == done
    checked = run(*other, "--check", "-o", "json")
    (step,) = json.loads(checked.out)
    assert checked.status == 1 and step["detail"] in done.err


def test_settings_are_checked(store: str, run: Run) -> None:
    for url in ("nothing", "http://ann:pw@host"):
        outcome = run("publish", "openlineage", "--to", url, "--store", store)
        assert outcome.status == 2 and "--to" in outcome.err
    assert "pw" not in outcome.err.replace("no user, password", "")
