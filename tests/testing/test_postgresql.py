"""The PostgreSQL that tests and benchmarks start: it works, is durable, and leaves nothing."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from testing.services.postgresql import PostgreSQL
from testing.wait import wait_until

pytestmark = pytest.mark.integration

KILLED_WHILE_IT_RUNS = """
import os, signal
from testing.services.postgresql import PostgreSQL
from testing.wait import wait_until
service = PostgreSQL.start()
print(service.directory, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def show(url: str, setting: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT current_setting(%s)", [setting]).fetchone()
    assert row is not None
    return str(row[0])


def family(pid: int) -> list[psutil.Process]:
    postmaster = psutil.Process(pid)
    return [postmaster, *postmaster.children(recursive=True)]


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_answers_queries_with_durability_on(postgresql: PostgreSQL) -> None:
    url = postgresql.url("postgres")
    assert show(url, "fsync") == "on"
    assert show(url, "synchronous_commit") == "on"
    assert show(url, "listen_addresses") == "127.0.0.1"
    assert show(url, "unix_socket_directories") == ""


def test_url_creates_a_database_once(postgresql: PostgreSQL) -> None:
    name = "odd name/é"
    with psycopg.connect(postgresql.url(name)) as connection:
        connection.execute("CREATE TABLE kept (id int)")
    with psycopg.connect(postgresql.url(name)) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)
    postgresql.drop(name)


def test_each_test_has_an_empty_database(postgresql_url: str) -> None:
    with psycopg.connect(postgresql_url) as connection:
        query = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(query).fetchone() == (0,)


def test_restart_and_crash_keep_port_and_data() -> None:
    with PostgreSQL.start() as service:
        url = service.url("kept")
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS id")
        first = service.pid
        service.restart()
        assert service.pid != first
        service.kill()
        service.restart()
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT id FROM kept").fetchone() == (1,)


def test_stop_leaves_no_process_and_close_no_files() -> None:
    service = PostgreSQL.start()
    processes = family(service.pid)
    assert len(processes) > 1
    assert service.stop() == 0
    assert all(is_gone(process) for process in processes)
    service.close()
    assert not service.directory.exists()


def test_a_killed_test_run_leaves_no_process() -> None:
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", KILLED_WHILE_IT_RUNS], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == -signal.SIGKILL, run.stderr
    directory = Path(run.stdout.strip())
    wait_until(lambda: not processes_in(directory), lambda: str(processes_in(directory)))
    assert "received immediate shutdown request" in (directory / "log").read_text()
    shutil.rmtree(directory)


def processes_in(directory: Path) -> list[psutil.Process]:
    """The processes that work in a directory, as all of a cluster's do."""
    return [
        process
        for process in psutil.process_iter(["cwd"])
        if process.info["cwd"] and Path(process.info["cwd"]).is_relative_to(directory)
    ]
