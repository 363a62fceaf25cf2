"""Reading commands on a store itself: `--server sqlite:///FILE`."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from headwater.cli.api.client import Client
from headwater.errors import InvalidRequest
from headwater.store.migrate import HEAD, REVISIONS
from testing.commands import Run, check_one_line, run_program
from tests.cli.shop import Shop

pytestmark = pytest.mark.usefixtures("no_settings")


def make_file(file: Path, *statements: str) -> str:
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return f"sqlite:///{file}"


def revision(number: str) -> tuple[str, str]:
    return (
        "CREATE TABLE alembic_version (version_num TEXT)",
        f"INSERT INTO alembic_version VALUES ('{number}')",
    )


@pytest.mark.parametrize("command", ["jobs", "datasets", "runs", "events"])
def test_every_reading_command_reads_it(run: Run, shop: Shop, command: str) -> None:
    from_store = run(command, "--server", shop.store, "-o", "json")
    assert from_store.status == 0
    assert from_store == run(command, "--server", shop.url, "-o", "json")


def test_by_its_variable(run: Run, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_URL", shop.store)
    assert run("jobs").status == 0


def test_one_that_is_not_there_is_not_made(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "new" / "headwater.db"
    outcome = run("lineage", "orders", "--server", f"sqlite:///{file}")
    check_one_line(outcome, "--server", "there is no store at", str(file))
    assert not file.parent.exists()


def test_a_file_of_something_else_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("no database, but long enough to be taken for one\n" * 100)
    make_file(other, "CREATE TABLE bookmarks (url TEXT)")
    before = other.read_bytes()
    check_one_line(run("jobs", "--server", f"sqlite:///{text}"), "not a database")
    check_one_line(run("jobs", "--server", f"sqlite:///{other}"), "not a Headwater store")
    assert other.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"text", "other.db"}


def test_an_older_one_gets_the_usage_to_upgrade(run: Run, tmp_path: Path) -> None:
    url = make_file(tmp_path / "old.db", *revision(REVISIONS[0]))
    check_one_line(run("jobs", "--server", url), REVISIONS[0], HEAD, "headwater db upgrade")


def test_a_newer_one_is_reported(run: Run, tmp_path: Path) -> None:
    url = make_file(tmp_path / "new.db", *revision("9999"))
    check_one_line(run("jobs", "--server", url), "9999", "newer")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("sqlite://", "name a file"),
        ("sqlite:///:memory:", "name a file"),
        ("sqlite:////proc", "no store at '/proc'"),
        ("postgresql://ada:hunter2@127.0.0.1:1/none", "refused"),
        ("postgresql://host:port/none", "not a URL; use sqlite"),
        ("mysql://host/db", "is not a URL"),
    ],
)
def test_what_is_no_store_is_one_line(run: Run, url: str, reason: str) -> None:
    outcome = run("jobs", "--server", url)
    check_one_line(outcome, reason)
    assert "hunter2" not in outcome.err


def test_nothing_is_written(run: Run, shop: Shop, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text("{}")
    check_one_line(
        run("emit", str(file), "--server", shop.store),
        "cannot write to a store",
        "the URL of a server",
    )
    with Client(shop.store) as client, pytest.raises(InvalidRequest):
        client.send("POST", "/api/v1/lineage", json={})


def test_a_refusal_names_the_store(shop: Shop) -> None:
    with Client(shop.store) as client:
        answer = client.send("GET", "/api/v1/nothing")
        assert answer.status_code == 404
        assert client.refusal(answer).message.startswith(f"{shop.store} answered 404")


@pytest.mark.slow
def test_the_server_is_loaded_for_stores_only() -> None:
    """So that help and completion stay quick."""
    code = "import headwater.cli.main, sys; print('fastapi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n"


@pytest.mark.integration
def test_on_postgresql(postgresql_url: str, tmp_path: Path) -> None:
    check_one_line(run_program("jobs", "--server", postgresql_url), "not a Headwater store")
    assert run_program("db", "upgrade", "--store", postgresql_url).status == 0
    assert run_program("jobs", "--server", postgresql_url) == (0, "no jobs\n", "")
    outcome = run_program("lineage", "orders", "--server", postgresql_url)
    check_one_line(outcome, "node 'orders' not found")
