"""`headwater doctor` and `headwater config show`."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.store.engine import open_engine
from headwater.store.migrate import HEAD
from headwater.store.write.writer import open_writer
from testing.events.full import encode
from testing.events.history import run
from testing.services.headwater import Headwater
from testing.services.process import free_port
from testing.stores import open_prepared

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, with nothing set."""
    monkeypatch.chdir(tmp_path)
    for variable in ("HEADWATER_CONFIG", "HEADWATER__STORE", "HEADWATER__SERVER__PORT"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def examine(status: int = 0) -> dict[str, dict[str, str]]:
    outcome = RUNNER.invoke(app, ["doctor", "--output", "json"])
    assert outcome.exit_code == status, outcome.output
    return {finding["check"]: finding for finding in json.loads(outcome.stdout)}


def shown() -> dict[str, dict[str, str]]:
    outcome = RUNNER.invoke(app, ["config", "show", "--output", "json"])
    assert outcome.exit_code == 0, outcome.output
    return {row["setting"]: row for row in json.loads(outcome.stdout)}


def test_an_empty_machine_is_well() -> None:
    findings = examine()
    assert {finding["state"] for finding in findings.values()} == {"ok"}
    assert "does not exist yet" in findings["store"]["found"]


class TestServer:
    """A server that runs is looked at from here."""

    def examine(self, *options: str, status: int = 0) -> dict[str, dict[str, str]]:
        outcome = RUNNER.invoke(app, ["doctor", "--output", "json", *options])
        assert outcome.exit_code == status, outcome.output
        return {finding["check"]: finding for finding in json.loads(outcome.stdout)}

    @pytest.mark.integration
    def test_one_that_is_well(self) -> None:
        # One of its own: what others sent to a shared one may have gaps.
        with Headwater.start() as server:
            findings = self.examine("--server", server.url)
        assert list(findings) == ["server", "ready", "key", "version", "clock", "lineage"]
        assert {finding["state"] for finding in findings.values()} == {"ok"}

    @pytest.mark.integration
    def test_one_that_wants_a_key(self, monkeypatch: pytest.MonkeyPatch) -> None:
        secret = "hw_0123456789abcdef0123456789"
        with Headwater.start(env={"HEADWATER__AUTH__KEYS": f"ada:{secret}:read"}) as server:
            key = self.examine("--server", server.url, status=1)["key"]
            assert key["state"] == "problem"
            assert key["what_to_do"] == "put an API key into HEADWATER_API_KEY"
            monkeypatch.setenv("HEADWATER_API_KEY", secret)
            assert self.examine("--server", server.url)["key"]["state"] == "ok"

    def test_one_that_is_not_there(self) -> None:
        findings = self.examine("--server", f"http://127.0.0.1:{free_port()}", status=1)
        assert findings["server"]["state"] == "problem"
        assert "refused" in findings["server"]["found"]


def test_jobs_with_gaps_are_counted_with_what_was_not_recognised_most(folder: Path) -> None:
    events = [
        run("load", "COMPLETE", 0, 1, ["a"], ["b"], gaps=["input LogicalRDD", "output NoIdea"]),
        run("next", "COMPLETE", 0, 2, ["b"], ["c"], gaps=["input LogicalRDD"]),
        run("fine", "COMPLETE", 0, 3, ["b"], ["d"], gaps=[]),
    ]
    engine = open_prepared(f"sqlite:///{folder / 'headwater-data' / 'headwater.db'}")
    with closing(open_writer(engine)) as writer:
        writer.write([project(decode_event(encode(event))) for event in events])
    engine.dispose()
    found = examine()["lineage"]
    assert found["state"] == "warning"
    assert found["found"] == (
        "2 jobs have gaps; not recognised, by jobs: LogicalRDD (2), NoIdea (1)"
    )


def test_a_store_in_use_is_well(folder: Path) -> None:
    engine = open_prepared(f"sqlite:///{folder / 'headwater-data' / 'headwater.db'}")
    engine.dispose()
    assert examine()["store"]["found"].endswith(f"revision {HEAD}")


def test_an_older_store_is_a_warning(folder: Path) -> None:
    engine = open_engine(f"sqlite:///{folder / 'headwater-data' / 'headwater.db'}")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        connection.commit()
    engine.dispose()
    store = examine()["store"]
    assert store["state"] == "warning"
    assert store["what_to_do"] == "run: headwater db upgrade"


def test_a_store_that_does_not_answer_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER__STORE", "postgresql://ada:hunter2@127.0.0.1:1/none")
    store = examine(status=1)["store"]
    assert store["state"] == "problem"
    assert "hunter2" not in json.dumps(store)


def test_settings_that_cannot_be_read_are_a_problem(folder: Path) -> None:
    (folder / "headwater.toml").write_text("stroe = 'x'")
    settings = examine(status=1)["settings"]
    assert settings["state"] == "problem"
    assert "stroe" in settings["found"]


def test_config_show_tells_where_each_value_came_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "headwater.toml").write_text("[server]\nhost = '127.0.0.2'\nport = 1\n")
    monkeypatch.setenv("HEADWATER__SERVER__PORT", "7000")
    rows = shown()
    assert rows["server.host"] == {
        "setting": "server.host",
        "value": "127.0.0.2",
        "from": "headwater.toml",
    }
    assert rows["server.port"]["value"] == "7000"
    assert rows["server.port"]["from"] == "HEADWATER__SERVER__PORT"
    assert rows["data"]["from"] == "default"


def test_config_show_masks_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER__STORE", "postgresql://ada:hunter2@db/x?password=hunter3")
    assert shown()["store"]["value"] == "postgresql://ada:***@db/x"
