"""SQLite locked by another process for longer than the server waits for it."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from headwater.store.engine import BUSY_SECONDS
from testing.services.headwater import Headwater
from tests.faults.load import Load, check_refused, new_client
from tests.faults.stored import check_quiet, check_store, events_read

pytestmark = pytest.mark.integration

# A read that waited for the lock would take longer.
READ_SECONDS = BUSY_SECONDS


@contextmanager
def locked(server: Headwater) -> Iterator[None]:
    """Write to the store's file from this process, and do not come to an end."""
    file = server.store.removeprefix("sqlite:///")
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


@pytest.mark.parametrize("seconds", [BUSY_SECONDS, pytest.param(60, marks=pytest.mark.long)])
def test_locked_by_another_process(seconds: int) -> None:
    with Headwater.start() as server:
        with Load(server.url) as load:
            load.wait_for_more()
            with locked(server), new_client(server.url) as client:
                began = time.monotonic()
                load.wait_for_refusals(1)
                time.sleep(max(0.0, began + seconds - time.monotonic()))
                acknowledged = set(load.acknowledged)
                for path in ("/healthz", "/api/v1/namespaces"):
                    started = time.monotonic()
                    assert client.get(path).status_code == 200
                    assert time.monotonic() - started < READ_SECONDS
                assert acknowledged <= events_read(client)
            load.wait_for_more()
        assert load.wrong == []
        assert load.unanswered == set()
        for answer in load.refusals:
            check_refused(answer)
        check_store(server, load.acknowledged)
        check_quiet(server)
