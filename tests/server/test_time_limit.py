"""Reads that would take for ever: each ends with its time, and the next one works."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest

from headwater.server.http import parameters
from testing.api import Api, error_of
from testing.events.minimal import run_event

# A statement that does not end by itself, once for each database.
ENDLESS = {
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT count(*) AS slept FROM n",
    "postgresql": "SELECT count(pg_sleep(1)) AS slept FROM generate_series(1, 100000)",
}
SECONDS = 0.1


@contextmanager
def endless(api: Api, table: str, *, after_rows: bool = False) -> Iterator[None]:
    """While within, whoever reads a table waits for ever; at once, or after the rows it has."""
    statement = ENDLESS[api.engine.dialect.name]
    with api.engine.begin() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {table}_away")
        view = f"SELECT {table}_away.* FROM ({statement}) AS slow, {table}_away"
        if after_rows:
            view = f"SELECT * FROM {table}_away UNION ALL {view}"
        connection.exec_driver_sql(f"CREATE VIEW {table} AS {view}")
    try:
        yield
    finally:
        with api.engine.begin() as connection:
            connection.exec_driver_sql(f"DROP VIEW {table}")
            connection.exec_driver_sql(f"ALTER TABLE {table}_away RENAME TO {table}")


def check_over(answer: httpx2.Response, seconds: float = SECONDS) -> None:
    error = error_of(answer, 503)
    assert f"took longer than {seconds:g} s" in error["message"]
    assert "server.max_read_seconds" in error["message"]
    assert int(answer.headers["retry-after"]) > 0


def test_a_request_asks_for_less_time(api: Api) -> None:
    api.store(run_event())
    with endless(api, "event"):
        # More at once than there are connections for reading.
        for _ in range(12):
            check_over(api.get("/events/lineage", timeout=SECONDS))
    assert api.get("/events/lineage", timeout=60).json()["totalCount"] == 1


def test_the_server_has_a_limit_of_its_own(
    sqlite_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parameters, "PROBE_SECONDS", SECONDS)
    sqlite_api.store(run_event())
    with endless(sqlite_api, "store_state"):
        check_over(sqlite_api.client.get("/readyz"))
    assert sqlite_api.client.get("/readyz").status_code == 200


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "nan", "1e9"])
def test_what_is_no_time(sqlite_api: Api, seconds: str) -> None:
    error_of(sqlite_api.get("/events/lineage", timeout=seconds), 400, "timeout")


def test_a_read_ends_between_its_rows(sqlite_api: Api) -> None:
    """SQLite gives the first row at once, and looks for the others while they are read."""
    sqlite_api.store(run_event(outputs=[{"namespace": "db", "name": "orders"}]))
    with endless(sqlite_api, "dataset", after_rows=True):
        for _ in range(3):
            check_over(sqlite_api.get("/namespaces/scheduler/jobs/load", timeout=SECONDS))


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 1e-3])
def test_a_time_that_is_over_before_a_connection_is_there(api: Api, seconds: float) -> None:
    """Only this request ends: those of others, whose connections it shares, go on."""
    api.store(run_event())
    for _ in range(20):
        answer = api.get("/namespaces", timeout=seconds)
        if answer.status_code != 200:
            check_over(answer, seconds)
        assert api.get("/namespaces").status_code == 200
