"""What tasks hand over is stored while they work, and all of it whatever becomes of them."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from headwater.errors import (
    BadConfig,
    HeadwaterError,
    LakeUnavailable,
    SparkUnavailable,
    StoreUnavailable,
)
from headwater.pipeline import driver_store, tasks
from headwater.pipeline.driver_store import Totals, take_in_frame
from headwater.pipeline.job_patterns import JobPatterns
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.tasks import Message
from headwater.store.tables import TABLES
from tests.pipeline.frames import Frame, as_frame, make_task, numbered, wait_for
from tests.pipeline.lakes import NOON, payloads
from tests.pipeline.test_tasks import DESCRIBED
from tests.store.stores import Store, open_store

BAD = Message(b"{", NOON, ("kafka ", "orders", "/", 0, "@", 99))


@pytest.fixture
def store(sqlite_url: str) -> Iterator[Store]:
    """SQLite: to another store tasks write themselves."""
    with open_store(sqlite_url) as store:
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "ingest"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "CHUNK_EVENTS", 2)
    monkeypatch.setattr(driver_store, "LOOK_SECONDS", 0.001)


TakeIn = Callable[..., Totals]


@pytest.fixture
def take_in(store: Store, folder: Path) -> TakeIn:
    """Take in all of a frame, by the driver's writer."""

    def take_in(frame: Frame, *rest: Any, **settings: Any) -> Totals:
        task = make_task(**settings)
        return take_in_frame(as_frame(frame), task, store.writer, folder, *rest)

    return take_in


def count(store: Store, relation: str = "event") -> int:
    return len(store.rows()[relation])


def raising(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


class TestDriver:
    def test_all_is_stored_and_counted(self, store: Store, take_in: TakeIn, lake: Lake) -> None:
        unwanted = numbered(6, 7, job={"namespace": "scheduler", "name": "other"})
        frame = Frame(numbered(0, 1, 2), [BAD], numbered(3, 4), unwanted)
        jobs = JobPatterns(exclude=("other",))
        totals = take_in(frame, jobs=jobs, lake=lake.folder)
        every = [*numbered(0, 1, 2, 3, 4), *unwanted, BAD]
        size = sum(len(message.data or b"") for message in every)
        assert totals == Totals(messages=8, events=5, rejected=1, excluded=2, bytes=size)
        assert (count(store), count(store, "rejected")) == (5, 1)
        assert len(payloads(lake)) == 5

    def test_nothing(self, store: Store, take_in: TakeIn, folder: Path) -> None:
        assert take_in(Frame()) == Totals()
        assert not list(folder.iterdir())

    def test_chunks_are_stored_while_the_job_runs(self, store: Store, take_in: TakeIn) -> None:
        """Tasks wait for nobody; the driver has done most of its work when they end."""
        stored = threading.Event()
        seen: list[int] = []

        def look() -> None:
            wait_for(stored)
            seen.append(count(store))

        told: list[int] = []

        def progress(totals: Totals) -> None:
            told.append(totals.messages)
            stored.set()

        totals = take_in(Frame(numbered(0, 1), look, numbered(2, 3, 4)), progress)
        assert seen == [2]
        assert (told[0], len(told), told[-1]) == (2, 3, 5)
        assert totals.messages == 5

    def test_what_the_store_refuses_is_counted(
        self, take_in: TakeIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(driver_store, "write_or_reject", lambda writer, rows: 1)
        totals = take_in(Frame(numbered(0, 1, 2, 3)))
        assert (totals.messages, totals.events, totals.rejected) == (4, 2, 2)

    def test_names_come_with_the_first_chunk_for_all(self, store: Store, take_in: TakeIn) -> None:
        take_in(Frame(numbered(*range(6), inputs=DESCRIBED)))
        assert (count(store, "dataset"), count(store, "content")) == (2, 1)

    def test_a_prune_between_two_chunks_takes_no_content_from_the_second(
        self, store: Store, take_in: TakeIn
    ) -> None:
        stored = threading.Event()

        def prune() -> None:
            wait_for(stored)
            with store.engine.begin() as connection:
                connection.execute(TABLES["content"].delete())
                connection.execute(text("UPDATE store_state SET generation = generation + 1"))

        frame = Frame(numbered(0, 1, inputs=DESCRIBED), prune, numbered(2, 3, inputs=DESCRIBED))
        take_in(frame, lambda totals: stored.set())
        assert count(store, "content") == 1


class TestFailures:
    def test_of_the_job_are_raised_once_all_is_stored_that_was_handed_over(
        self, store: Store, take_in: TakeIn
    ) -> None:
        failure = RuntimeError("an executor was lost")
        frame = Frame(numbered(*range(6)), raising(failure))
        with pytest.raises(RuntimeError) as raised:
            take_in(frame)
        assert raised.value is failure
        assert count(store) == 6

    def test_even_where_the_job_was_faster_than_the_driver(
        self, store: Store, take_in: TakeIn
    ) -> None:
        ended = threading.Event()

        def end() -> None:
            ended.set()
            raise RuntimeError

        with pytest.raises(RuntimeError):
            take_in(Frame(numbered(*range(8)), end), lambda totals: wait_for(ended))
        assert count(store) == 8

    @pytest.mark.parametrize(
        ("raised", "expected"),
        [
            (StoreUnavailable("away"), StoreUnavailable),
            (LakeUnavailable("full"), LakeUnavailable),
            (BadConfig("key", "why"), SparkUnavailable),
        ],
    )
    @pytest.mark.parametrize("has_writer", [True, False])
    def test_of_a_task_are_raised_as_what_they_were(
        self,
        store: Store,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        raised: HeadwaterError,
        expected: type[HeadwaterError],
        has_writer: bool,
    ) -> None:
        """A text comes from the executors, and has to be told from others."""
        monkeypatch.setattr(tasks, "writer_of", lambda url: store.writer)
        monkeypatch.setattr(Lake, "add", lambda self, events: raising(raised)())
        task = make_task(store="" if has_writer else "some URL", lake=folder / "lake")
        writer = store.writer if has_writer else None
        frame = Frame([BAD, BAD], numbered(1))
        with pytest.raises(HeadwaterError) as found:
            take_in_frame(as_frame(frame), task, writer, folder)
        assert type(found.value) is expected
        assert found.value.message == raised.message
        # What came before it is stored.
        assert count(store, "rejected") == 1

    def test_of_the_store_are_raised(
        self, store: Store, take_in: TakeIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def write(*_: object) -> int:
            raise StoreUnavailable("locked")

        monkeypatch.setattr(driver_store, "write_or_reject", write)
        with pytest.raises(StoreUnavailable, match="locked"):
            take_in(Frame(numbered(1, 2, 3)))

    def test_a_cluster_cannot_write_to_sqlite(self, take_in: TakeIn, folder: Path) -> None:
        for master in ("spark://host:7077", "yarn", "k8s://host"):
            with pytest.raises(BadConfig, match="PostgreSQL") as refused:
                take_in(Frame(numbered(1), master=master))
            assert refused.value.key == "spark.master"
        assert not folder.exists()

    @pytest.mark.parametrize("master", ["local", "local[*]", "local-cluster[2,1,512]"])
    def test_this_machine_can(self, take_in: TakeIn, master: str) -> None:
        assert take_in(Frame(numbered(1), master=master)).events == 1


class TestSpool:
    def test_is_in_the_folder_and_gone_in_the_end(self, take_in: TakeIn, folder: Path) -> None:
        frame = Frame(numbered(1))
        for _ in range(2):
            take_in(frame)
        first, second = frame.spools
        assert first != second
        assert first.parent == second.parent == folder
        assert not list(folder.iterdir())

    @pytest.mark.parametrize("error", [RuntimeError("a"), StoreUnavailable("b"), SystemExit(1)])
    def test_is_gone_when_the_job_fails(
        self, take_in: TakeIn, folder: Path, error: BaseException
    ) -> None:
        with pytest.raises(type(error)):
            take_in(Frame(numbered(1, 2), raising(error)))
        assert not list(folder.iterdir())

    def test_is_gone_when_the_store_fails(self, take_in: TakeIn, folder: Path) -> None:
        with pytest.raises(RuntimeError):
            take_in(Frame(numbered(1, 2)), lambda totals: raising(RuntimeError())())
        assert not list(folder.iterdir())

    def test_a_relative_folder_is_found_by_tasks(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They work elsewhere."""
        monkeypatch.chdir(tmp_path)
        frame = Frame(numbered(1))
        take_in_frame(as_frame(frame), make_task(), store.writer, Path("data"))
        assert frame.spools[0].parent == tmp_path / "data"


class TestTasks:
    """Where tasks store by themselves."""

    @pytest.fixture(autouse=True)
    def _writer_of_tasks(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tasks, "writer_of", lambda url: store.writer)

    def test_their_chunks_are_added_up(self, store: Store, folder: Path) -> None:
        told: list[Totals] = []
        frame = Frame(numbered(0, 1, 2, 3), [BAD], master="spark://host:7077")
        task = make_task(store="some URL")
        totals = take_in_frame(as_frame(frame), task, None, folder, told.append)
        assert (totals.messages, totals.events, totals.rejected) == (5, 4, 1)
        assert told == [totals]
        assert count(store) == 4
        assert not folder.exists()
