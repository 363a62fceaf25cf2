"""PostgreSQL away for a while, or at a new address: senders wait, and no restart is needed."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx2
import psutil
import pytest
from sqlalchemy import make_url

from headwater.model.intake import take_in
from headwater.store.engine import open_engine
from headwater.store.migrate import upgrade
from testing import load as bench_load
from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from testing.services.process import StartFailed
from testing.wait import wait_until
from tests.faults.forwarder import Forwarder
from tests.faults.load import JSON, PATH, Load, check_refused, new_client
from tests.faults.stored import check_consistent, check_quiet, check_store, events_in
from tests.faults.test_stop import stop_in_time
from tests.store.stores import open_store

pytestmark = pytest.mark.integration

READS = ("/readyz", "/api/v1/namespaces", "/api/v1/events/lineage", "/api/v1/events/rejected")
# A read or a write is answered within this, whatever the store does.
ANSWER_SECONDS = 10
HUNG_SECONDS = 30
# So many jobs the load has; their runs take turns.
JOBS = 500


@pytest.fixture(scope="module")
def second() -> Iterator[PostgreSQL]:
    """A cluster that these tests may stop; they leave it running."""
    with PostgreSQL.start() as service:
        yield service


def check_away(server: Headwater) -> None:
    """The process lives, and says of everything else that it is not to be had now."""
    with new_client(server.url) as client:
        assert client.get("/healthz").status_code == 200
        for path in READS:
            started = time.monotonic()
            check_refused(client.get(path))
            assert time.monotonic() - started < ANSWER_SECONDS
        (event,) = bench_load.events(1, start_run=700_000)
        check_refused(client.post(PATH, content=event, headers=JSON))


def is_ready(server: Headwater) -> bool:
    with new_client(server.url) as client:
        return client.get("/readyz").status_code == 200


@pytest.mark.parametrize("seconds", [1, pytest.param(60, marks=pytest.mark.long)])
def test_stopped_for_a_while(seconds: int, second: PostgreSQL) -> None:
    with Headwater.start(store=second.url("away")) as server:
        first = server.pid
        with Load(server.url) as load:
            load.wait_for_more()
            second.stop()
            load.wait_for_refusals()
            check_away(server)
            time.sleep(seconds)
            check_away(server)
            second.restart()
            wait_until(lambda: is_ready(server))
            load.wait_for_more()
        assert load.wrong == []
        assert load.unanswered == set()
        for answer in load.refusals:
            check_refused(answer)
        assert server.pid == first
        check_store(server, load.acknowledged)
        check_quiet(server)


@contextmanager
def hung(service: PostgreSQL) -> Iterator[None]:
    """Connections stay open and nothing is answered: a host that died without a word."""
    postmaster = psutil.Process(service.pid)
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in reversed(processes):
            process.resume()


@pytest.mark.long
def test_hung_for_a_while(second: PostgreSQL) -> None:
    """Senders are told to come back, in time for those that wait half a minute."""
    before = list(bench_load.events(10))
    (during,) = bench_load.events(1, start_run=700_000)
    with (
        Headwater.start(store=second.url("hung")) as server,
        httpx2.Client(base_url=server.url, timeout=HUNG_SECONDS, trust_env=False) as client,
    ):
        post_all(server, before)
        assert is_ready(server)
        with hung(second):
            assert client.get("/healthz").status_code == 200
            check_refused(client.post(PATH, content=during, headers=JSON))
            for path in READS:
                check_refused(client.get(path))
        wait_until(lambda: is_ready(server))
        check_store(server, before)
        check_quiet(server)


def test_readiness_while_it_hangs(second: PostgreSQL) -> None:
    """A server under load, with all its connections waiting, says within seconds that it waits."""
    with (
        Headwater.start(store=second.url("hung_under_load")) as server,
        httpx2.Client(base_url=server.url, timeout=HUNG_SECONDS, trust_env=False) as client,
        Load(server.url) as load,
    ):
        load.wait_for_more()
        with hung(second):
            for _ in range(3):
                check_refused(client.get("/readyz"))
            tag = client.post("/api/v1/namespaces/bench/jobs/job_0000/tags/a")
            check_refused(tag)
        wait_until(lambda: is_ready(server))
        load.wait_for_more()


@pytest.mark.long
def test_a_stop_while_it_hangs(second: PostgreSQL) -> None:
    (event,) = bench_load.events(1)
    with (
        Headwater.start(store=second.url("hung_at_stop")) as server,
        ThreadPoolExecutor(1) as thread,
        new_client(server.url) as client,
    ):
        post_all(server, list(bench_load.events(10, start_run=JOBS)))
        with hung(second):
            sent = thread.submit(client.post, PATH, content=event, headers=JSON)
            time.sleep(0.5)
            stop_in_time(server)
            check_refused(sent.result())


def test_a_start_while_it_is_stopped(second: PostgreSQL) -> None:
    """The server says so in one line; there is no store to begin with."""
    url = second.url("away_at_start")
    with Headwater.start(store=url) as server:
        server.stop()
        second.stop()
        try:
            with pytest.raises(StartFailed, match="ended with status 1"):
                server.restart()
        finally:
            second.restart()
        (line,) = [line for line in server.log().splitlines() if line.startswith("headwater: ")]
        assert "cannot be opened" in line
        check_quiet(server)


def through(forwarder: Forwarder, url: str) -> str:
    return make_url(url).set(port=forwarder.port).render_as_string(hide_password=False)


def port_of(url: str) -> int:
    port = make_url(url).port
    assert port is not None
    return port


def prepare(url: str, events: list[bytes]) -> None:
    """Bring a store to what a server holds that was sent these events."""
    with open_store(url) as store:
        for event in events:
            store.writer.write([take_in(event, 0, 2**62, "http").facts])


def post_all(server: Headwater, events: list[bytes]) -> None:
    with new_client(server.url) as client:
        for event in events:
            answer = client.post(PATH, content=event, headers=JSON)
            assert answer.status_code == 201, answer.text


def test_a_new_address_with_the_same_data(postgresql: PostgreSQL, second: PostgreSQL) -> None:
    name = "failover_same"
    old, new = postgresql.url(name), second.url(name)
    before = list(bench_load.events(100))
    prepare(new, before)
    with (
        Forwarder(port_of(old)) as forwarder,
        Headwater.start(store=through(forwarder, old)) as server,
    ):
        post_all(server, before)
        forwarder.point_to(port_of(new))
        with Load(server.url, start_run=JOBS) as load:
            load.wait_for_more(200)
        assert load.wrong == []
        assert load.unanswered == set()
        # Some may have been on the way when the address changed; the load that follows is stored.
        assert len(load.refusals) <= 20
        check_store(server, load.acknowledged | set(before))
        check_quiet(server)
    assert events_in(new) >= load.acknowledged | set(before)
    postgresql.drop(name)


def test_a_new_address_that_lacks_the_newest(postgresql: PostgreSQL, second: PostgreSQL) -> None:
    """A replica behind its primary: what it lacks is lost, what is stored from then on is whole."""
    name = "failover_behind"
    old, new = postgresql.url(name), second.url(name)
    engine = open_engine(new)
    upgrade(engine)
    engine.dispose()
    with (
        Forwarder(port_of(old)) as forwarder,
        Headwater.start(store=through(forwarder, old)) as server,
    ):
        post_all(server, list(bench_load.events(100)))
        forwarder.point_to(port_of(new))
        # Other runs of the same jobs.
        after = list(bench_load.events(100, start_run=JOBS))
        with new_client(server.url) as client:
            client.post(PATH, content=after[0], headers=JSON)
        post_all(server, after)
        check_quiet(server)
    assert events_in(new) == set(after)
    check_consistent(new)
    postgresql.drop(name)
