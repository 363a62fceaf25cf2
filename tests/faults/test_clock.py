"""The clock set back: what is stored is what events say, not when they came."""

import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import msgspec
import pytest
from sqlalchemy import Engine, select

from headwater.model.intake import take_in
from headwater.model.values import instant
from headwater.store import tables
from testing import load
from testing.events.minimal import run_event
from testing.services.headwater import Headwater
from tests.faults.load import JSON, PATH, new_client
from tests.faults.stored import check_quiet, check_store, events_read
from tests.store.rows import differences
from tests.store.stores import open_store

pytestmark = pytest.mark.integration

# The server with a clock that is as many seconds off as a file says, at any moment.
WITH_ANOTHER_CLOCK = """
import datetime, pathlib, sys, time
file = pathlib.Path(sys.argv.pop(1))
real, real_ns, moment = time.time, time.time_ns, datetime.datetime

class Moment(moment):
    @classmethod
    def now(cls, tz=None):
        return moment.fromtimestamp(time.time(), tz)

time.time = lambda: real() + int(file.read_text())
time.time_ns = lambda: real_ns() + int(file.read_text()) * 1_000_000_000
datetime.datetime = Moment
from headwater.model.values import instant
assert instant.datetime is Moment
from headwater.cli.main import run
run()
"""


class WithAnotherClock(Headwater):
    """A server whose clock the test sets."""

    def set_clock(self, seconds: int) -> None:
        # At once, so that the server never reads half of it.
        new = self._clock.with_suffix(".new")
        new.write_text(str(seconds))
        new.rename(self._clock)

    @property
    def _clock(self) -> Path:
        return self.directory / "clock"

    def command(self) -> Sequence[str]:
        if not self._clock.exists():
            self.set_clock(0)
        program = [sys.executable, "-c", WITH_ANOTHER_CLOCK, str(self._clock)]
        return [*program, *super().command()[1:]]


@pytest.fixture
def server() -> Iterator[WithAnotherClock]:
    with WithAnotherClock.start() as service:
        yield service


def event_now(run: str) -> bytes:
    return msgspec.json.encode(run_event(at=datetime.now(UTC).isoformat(), run=run))


def post(client: httpx2.Client, event: bytes) -> int:
    return client.post(PATH, content=event, headers=JSON).status_code


def test_set_back_while_the_server_runs(server: WithAnotherClock) -> None:
    sent = set()
    with new_client(server.url) as client:
        for number, hours in enumerate((0, -1, -20, 0)):
            server.set_clock(3600 * hours)
            event = event_now(f"run-{number}")
            assert post(client, event) == 201
            sent.add(event)
        assert events_read(client) == sent
    check_store(server, sent)
    check_quiet(server)


def test_set_back_by_days_refuses_what_seems_to_come_from_the_future(
    server: WithAnotherClock,
) -> None:
    """Told to the sender and kept as rejected; the same event is taken once the clock is right."""
    server.set_clock(-int(timedelta(days=3).total_seconds()))
    event = event_now("run")
    with new_client(server.url) as client:
        assert post(client, event) == 422
        (kept,) = client.get("/api/v1/events/rejected").json()["rejected"]
        assert "check the sender's clock" in kept["reason"]
        assert kept["payload"].encode() == event
        received = datetime.fromisoformat(kept["receivedAt"])
        assert received < datetime.now(UTC) - timedelta(days=2)
        server.set_clock(0)
        assert post(client, event) == 201
        assert events_read(client) == {event}
    check_quiet(server)


def received(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.execute(select(tables.event.c.received_at)).scalars())


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_smaller_time_of_receipt_changes_nothing(
    database: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Forwards, backwards, and again: one state, and each event is kept as it first came."""
    if database == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.db'}"
    else:
        url = str(request.getfixturevalue("postgresql_url"))
    events = [*load.events(40), b'{"eventTime":"soon","job":1}']
    now = time.time_ns() // 1_000
    with open_store(url) as store, open_store(f"sqlite:///{tmp_path / 'other.db'}") as other:
        for number, event in enumerate(events):
            back = now - number * instant.MINUTE
            store.writer.write([take_in(event, back, instant.DAY, "http").facts])
            other.writer.write([take_in(event, now + number, instant.DAY, "http").facts])
        before = set(received(store.engine))
        assert min(before) < now - 30 * instant.MINUTE
        for event in events:
            store.writer.write([take_in(event, now - instant.DAY, instant.DAY, "http").facts])
        assert set(received(store.engine)) == before
        assert differences(store.rows(), other.rows()) == {}
