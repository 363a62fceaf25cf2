"""Group commit: requests share transactions, are durable when told, and do not fail each other."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest
from sqlalchemy import Engine, select

from headwater.errors import StoreUnavailable
from headwater.model.facts import Facts
from headwater.model.merge import Row
from headwater.store.tables import TABLES
from headwater.store.write.connections import Connection
from headwater.store.write.group_commit import GroupCommit, Ticket
from headwater.store.write.writer import Writer, open_writer
from tests.store.rows import read_rows
from tests.store.samples import Passing, bad_facts, connect, dataset_facts


class Gated(Passing):
    """Commits only while the gate is open, and counts how often."""

    def __init__(self, inner: Connection, gate: "Gate") -> None:
        super().__init__(inner)
        self.gate = gate

    def commit(self) -> None:
        self.gate.reached.set()
        assert self.gate.opened.wait(30)
        super().commit()
        self.gate.commits += 1


class Gate:
    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self.commits = 0


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def gated(engine: Engine, gate: Gate) -> Iterator[GroupCommit]:
    commits = GroupCommit(Writer(lambda: Gated(connect(engine), gate)))
    yield commits
    gate.opened.set()
    commits.close()


def names(engine: Engine) -> set[str]:
    with engine.connect() as connection:
        return set(connection.execute(select(TABLES["dataset"].c.name)).scalars())


def test_requests_that_wait_share_one_transaction(
    engine: Engine, gate: Gate, gated: GroupCommit
) -> None:
    told: SimpleQueue[Ticket] = SimpleQueue()
    gated.submit([dataset_facts("first")], told.put)
    assert gate.reached.wait(30)
    for index in range(20):
        gated.submit([dataset_facts(f"t{index}"), dataset_facts(f"u{index}")], told.put)
    assert told.empty()
    gate.opened.set()
    tickets = [told.get(timeout=30) for _ in range(21)]
    assert [ticket.error for ticket in tickets] == [None] * 21
    assert gate.commits == 2
    assert len(names(engine)) == 41


def test_a_group_does_not_grow_without_end(gate: Gate, gated: GroupCommit) -> None:
    told: SimpleQueue[Ticket] = SimpleQueue()
    gated.submit([Facts()], told.put)
    assert gate.reached.wait(30)
    for _ in range(25):
        gated.submit([Facts()] * 100, told.put)
    gate.opened.set()
    for _ in range(26):
        told.get(timeout=30)
    assert gate.commits == 1 + 3


def test_each_is_durable_when_reported(engine: Engine) -> None:
    commits = GroupCommit(open_writer(engine))
    missing: list[str] = []

    def submit(name: str) -> None:
        told = threading.Event()

        def done(ticket: Ticket) -> None:
            if ticket.error is not None or name not in names(engine):
                missing.append(name)
            told.set()

        commits.submit([dataset_facts(name)], done)
        assert told.wait(30)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(submit, [f"t{index}" for index in range(60)]))
    commits.close()
    assert missing == []
    assert len(names(engine)) == 60


def test_one_that_cannot_be_stored_does_not_fail_the_others(
    engine: Engine, gate: Gate, gated: GroupCommit
) -> None:
    told: SimpleQueue[Ticket] = SimpleQueue()
    gated.submit([dataset_facts("first")], told.put)
    assert gate.reached.wait(30)
    for index in range(6):
        facts = bad_facts() if index % 3 == 1 else dataset_facts(f"t{index}")
        gated.submit([facts, dataset_facts(f"beside {index}")], told.put)
    gate.opened.set()
    tickets = [told.get(timeout=30) for _ in range(7)]
    assert [ticket.error is None for ticket in tickets] == [
        True,
        True,
        False,
        True,
        True,
        False,
        True,
    ]
    good = (0, 2, 3, 5)
    assert names(engine) == {"first"} | {f"t{i}" for i in good} | {f"beside {i}" for i in good}


def test_write_waits_and_raises_what_went_wrong(engine: Engine) -> None:
    commits = GroupCommit(open_writer(engine))
    commits.write([dataset_facts("good")])
    assert names(engine) == {"good"}
    with pytest.raises(Exception, match="object"):
        commits.write([bad_facts()])
    commits.write([dataset_facts("after")])
    commits.close()
    assert names(engine) == {"good", "after"}


def test_a_store_that_is_not_there_is_reported_to_all(engine: Engine) -> None:
    class Absent(Passing):
        def begin(self) -> int:
            raise StoreUnavailable("not there")

    commits = GroupCommit(Writer(lambda: Absent(connect(engine))))
    told: SimpleQueue[Ticket] = SimpleQueue()
    for index in range(5):
        commits.submit([dataset_facts(f"t{index}")], told.put)
    commits.close()
    errors = [told.get(timeout=30).error for _ in range(5)]
    assert all(isinstance(error, StoreUnavailable) for error in errors)


def test_closing_stores_what_was_submitted(engine: Engine, gate: Gate) -> None:
    commits = GroupCommit(Writer(lambda: Gated(connect(engine), gate)))
    told: list[Ticket] = []
    for index in range(30):
        commits.submit([dataset_facts(f"t{index}")], told.append)
    closing = threading.Thread(target=commits.close)
    closing.start()
    assert gate.reached.wait(30)
    assert closing.is_alive()
    gate.opened.set()
    closing.join(30)
    assert not closing.is_alive()
    assert [ticket.error for ticket in told] == [None] * 30
    assert len(names(engine)) == 30


def test_who_delivers_and_observes_is_given_the_group(engine: Engine) -> None:
    delivered: list[int] = []
    observed: list[tuple[int, float]] = []
    commits = GroupCommit(
        open_writer(engine),
        deliver=lambda group: delivered.append(len(group)),
        observe=lambda group, seconds: observed.append((len(group), seconds)),
    )
    for index in range(10):
        commits.submit([dataset_facts(f"t{index}")], lambda _: None)
    commits.close()
    assert sum(delivered) == 10
    assert [count for count, _ in observed] == delivered
    assert all(seconds >= 0 for _, seconds in observed)
    assert len(read_rows(engine)["event"]) == 10


def fail(*_: object) -> None:
    raise RuntimeError("the caller's own fault")


def test_a_caller_that_fails_does_not_keep_others_of_its_group_waiting(
    gate: Gate, gated: GroupCommit
) -> None:
    told: SimpleQueue[Ticket] = SimpleQueue()
    gated.submit([dataset_facts("first")], told.put)
    assert gate.reached.wait(30)
    gated.submit([dataset_facts("second")], fail)
    gated.submit([dataset_facts("third")], told.put)
    gate.opened.set()
    assert [told.get(timeout=30).error for _ in range(2)] == [None, None]


def test_an_observer_that_fails_does_not_end_the_thread(engine: Engine) -> None:
    commits = GroupCommit(open_writer(engine), observe=fail)
    try:
        commits.write([dataset_facts("first")])
        told = threading.Event()
        commits.submit([dataset_facts("second")], lambda _: told.set())
        assert told.wait(5)
    finally:
        commits.close()


def test_what_was_given_up_is_not_stored_later(
    engine: Engine, gate: Gate, gated: GroupCommit
) -> None:
    """Who was told to send again must not find it stored: not what waited for its turn."""
    told: SimpleQueue[Ticket] = SimpleQueue()
    gated.submit([dataset_facts("first")], told.put)
    assert gate.reached.wait(30)
    waiting = gated.submit([dataset_facts("waiting")], told.put)
    gated.submit([dataset_facts("wanted")], told.put)
    gated.give_up(waiting)
    gate.opened.set()
    tickets = [told.get(timeout=30) for _ in range(3)]
    assert [isinstance(ticket.error, StoreUnavailable) for ticket in tickets] == [
        False,
        True,
        False,
    ]
    assert names(engine) == {"first", "wanted"}


def test_a_write_that_is_given_up_is_ended(engine: Engine) -> None:
    """Nor what was being written."""

    class Slow(Passing):
        def upsert(self, relation: str, rows: Sequence[Row]) -> None:
            begun.set()
            assert proceed.wait(30)
            super().upsert(relation, rows)

    begun, proceed = threading.Event(), threading.Event()
    told: SimpleQueue[Ticket] = SimpleQueue()
    commits = GroupCommit(Writer(lambda: Slow(connect(engine))))
    ticket = commits.submit([dataset_facts("slow")], told.put)
    assert begun.wait(30)
    commits.give_up(ticket)
    proceed.set()
    assert isinstance(told.get(timeout=30).error, StoreUnavailable)
    assert names(engine) == set()
    # Sent again, it is stored.
    commits.write([dataset_facts("slow")])
    commits.close()
    assert names(engine) == {"slow"}


class Releasing(Passing):
    """Notes in which thread memory was let go of; may fail to."""

    def __init__(self, inner: Connection, threads: list[str], error: Exception | None) -> None:
        super().__init__(inner)
        self.threads = threads
        self.error = error

    def release_memory(self) -> None:
        self.threads.append(threading.current_thread().name)
        if self.error is not None:
            raise self.error
        super().release_memory()


@pytest.mark.parametrize("error", [None, sqlite3.OperationalError("disk I/O error")])
def test_memory_is_let_go_of_between_two_writes(engine: Engine, error: Exception | None) -> None:
    threads: list[str] = []
    commits = GroupCommit(Writer(lambda: Releasing(connect(engine), threads, error)))
    try:
        commits.release_memory()
        assert threads == []
        commits.write([dataset_facts("before")])
        commits.release_memory()
        assert threads == ["headwater-writer"]
        commits.write([dataset_facts("after")])
    finally:
        commits.close()
    assert names(engine) == {"before", "after"}
    commits.release_memory()
    assert len(threads) == 1
