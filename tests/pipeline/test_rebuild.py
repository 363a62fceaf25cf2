"""A store made anew from the lake by a real Spark: nothing is lost, and nobody disturbed."""

import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from headwater.cli.main import run as run_command
from headwater.errors import Busy, LakeUnavailable
from headwater.model.intake import take_in
from headwater.model.relations import EventRow
from headwater.model.values.instant import DAY, now
from headwater.pipeline import rebuild as rebuilding
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.lake.outbox import flush
from headwater.pipeline.rebuild import rebuild
from headwater.store import tables
from headwater.store.engine import open_engine
from headwater.store.keys import add_key
from headwater.store.maintenance.check import check_store
from headwater.store.maintenance.prune import prune
from headwater.store.positions import move_position
from headwater.store.write.writer import open_writer
from testing import load
from testing.events import history
from testing.events.full import encode
from testing.services.headwater import Headwater
from testing.stores import open_prepared
from testing.wait import wait_until
from tests.faults.load import JSON, PATH, Load, new_client
from tests.faults.stored import check_quiet
from tests.faults.stored import check_store as check_server
from tests.pipeline.corpus import cut, doubled, expected_rows, make_corpus, stored_rows
from tests.pipeline.lakes import files
from tests.properties.strategies import facts_of, rows_of
from tests.store.replacing import generation, leftovers, live_writers, waiting
from tests.store.rows import differences, read_rows
from tests.store.stores import Store, open_store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.integration,
    # PySpark leaves it to the collector to close what results came through.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

# With what people said, which no way in from outside brings.
EDITS = [
    history.join(10, "orders", "orders_v2"),
    history.delete_job(11, "etl"),
    history.edit(12, {"type": "dataset", "namespace": "db", "name": "x"}, set={"description": "y"}),
]
PATIENCE_SECONDS = 600

Progress = Callable[[str, int, int | None], None]


@cache
def all_events() -> list[bytes]:
    return [*make_corpus().good, *map(encode, EDITS)]


class Rebuilt:
    """A store, its lake, and the Spark that makes it anew."""

    def __init__(self, store: Store, lake: Lake, spark: "SparkSession", folder: Path) -> None:
        self.store = store
        self.engine = store.engine
        self.lake = lake
        self._spark = spark
        self.folder = folder

    def rebuild(self, progress: Progress = lambda step, done, total: None) -> Totals:
        return rebuild(self.engine, self._spark, self.lake, self.folder, progress)

    def write(self, events: list[bytes], is_carried: bool = True) -> None:
        """Store events, and carry them on into the lake if asked to, a few at a time."""
        for some in cut(events, 100):
            self.store.writer.write([facts_of(event) for event in some])
            if is_carried:
                flush(self.engine, self.lake)

    def check(self, events: list[bytes]) -> None:
        expected = rows_of(map(facts_of, events))
        found = read_rows(self.engine)
        assert differences({**found, "rejected": set(), "rejected_place": set()}, expected) == {}
        assert check_store(self.engine) == []
        assert leftovers(self.engine) == []
        assert not list(self.folder.glob("session-*"))


@pytest.fixture
def rebuilt(store: Store, lake: Lake, spark: "SparkSession", tmp_path: Path) -> Rebuilt:
    return Rebuilt(store, lake, spark, tmp_path / "data")


def at_step(name: str, action: Callable[[], Any]) -> Progress:
    """Do something, once, when a rebuild comes to a step."""
    is_done = False

    def progress(step: str, done: int, total: int | None) -> None:
        nonlocal is_done
        if step == name and not is_done:
            is_done = True
            action()

    return progress


class TestTheSame:
    def test_all_that_there_was(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events())
        add_key(rebuilt.engine, "key", ["read"])
        rejected = take_in(b"no event", now(), DAY, "http").facts
        rebuilt.store.writer.write([rejected])
        with rebuilt.engine.begin() as connection:
            move_position(connection, "ingest x", "0", 5, "incarnation")
        kept = (tables.rejected, tables.api_key, tables.position)
        with rebuilt.engine.connect() as connection:
            before = [connection.execute(select(table)).all() for table in kept]
        number = generation(rebuilt.engine)
        totals = rebuilt.rebuild()
        assert (totals.events, totals.messages, totals.rejected) == (
            len(all_events()),
            len(all_events()),
            0,
        )
        rebuilt.check(all_events())
        assert generation(rebuilt.engine) > number
        assert waiting(rebuilt.engine) == set()
        with rebuilt.engine.connect() as connection:
            assert all(before)
            assert [connection.execute(select(table)).all() for table in kept] == before

    def test_when_each_was_received(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events()[:50])
        query = select(tables.event.c.digest, tables.event.c.received_at)
        with rebuilt.engine.connect() as connection:
            before = set(connection.execute(query))
        rebuilt.rebuild()
        with rebuilt.engine.connect() as connection:
            assert set(connection.execute(query)) == before

    def test_again_and_again(self, rebuilt: Rebuilt) -> None:
        """Spark uses its processes again, and they remember what they stored."""
        rebuilt.write(all_events())
        generations = []
        for _ in range(3):
            rebuilt.rebuild()
            generations.append(generation(rebuilt.engine))
            rebuilt.check(all_events())
        assert generations == sorted(set(generations))

    def test_in_many_parts(self, rebuilt: Rebuilt, monkeypatch: pytest.MonkeyPatch) -> None:
        """Small shares, and more of them than are given to Spark at once."""
        monkeypatch.setattr(rebuilding, "SHARE_BYTES", 1)
        monkeypatch.setattr(rebuilding, "SHARES_A_TASK", 1)
        rebuilt.write(all_events())
        assert len(rebuilding.share_out(rebuilt.lake.files())) > 4
        told: list[tuple[int, int | None]] = []

        def progress(step: str, done: int, total: int | None) -> None:
            if step == "events":
                told.append((done, total))

        rebuilt.rebuild(progress)
        rebuilt.check(all_events())
        assert {total for _, total in told} == {len(all_events())}
        assert [done for done, _ in told] == sorted(done for done, _ in told)
        assert told[0][0] == 0 and told[-1][0] == len(all_events())

    def test_what_was_pruned_comes_back(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events())
        assert prune(rebuilt.engine, now())
        rebuilt.rebuild()
        rebuilt.check(all_events())


class TestTheLake:
    def test_with_copies(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events())
        copies = list(rebuilt.lake.read())
        for some in cut(copies, 100):
            rebuilt.lake.add(some)
        totals = rebuilt.rebuild()
        assert totals.events == 2 * len(all_events())
        rebuilt.check(all_events())
        rebuilt.lake.compact()
        assert rebuilt.rebuild().events == len(all_events())
        rebuilt.check(all_events())

    def test_compacted_meanwhile(self, rebuilt: Rebuilt) -> None:
        """The files that were listed are gone when they are to be read."""
        rebuilt.write(all_events())
        rebuilt.lake.add(list(rebuilt.lake.read()))
        before = files(rebuilt.lake)
        rebuilt.rebuild(at_step("events", rebuilt.lake.compact))
        assert not before & files(rebuilt.lake)
        rebuilt.check(all_events())
        assert waiting(rebuilt.engine) == set()

    def test_listed_while_it_is_compacted(
        self, store: Store, lake: Lake, spark: "SparkSession", tmp_path: Path
    ) -> None:
        """A list of a folder that changes may lack what goes and what comes."""

        class Changing(Lake):
            is_changing = True

            def files(self) -> list[Path]:
                found = super().files()
                if not self.is_changing:
                    return found
                self.is_changing = False
                return [file for file in found if not file.name.startswith("c-")]

        rebuilt = Rebuilt(store, Changing(lake.folder), spark, tmp_path / "data")
        rebuilt.write(all_events())
        lake.add(list(lake.read())[:200])
        lake.compact()
        lake.add(list(lake.read())[:1])
        store.empty()
        rebuilt.rebuild()
        rebuilt.check(all_events())

    def test_that_never_stops_growing(self, rebuilt: Rebuilt) -> None:
        """An ingest writes a file every few seconds: whoever waits for the last waits for ever."""
        rebuilt.write(all_events())
        more = load.events(100, start_run=5_000)
        written: list[bytes] = []

        def grow(step: str, done: int, total: int | None) -> None:
            if step == "events":
                written.append(next(more))
                rebuilt.write(written[-1:])

        rebuilt.rebuild(grow)
        assert written
        rebuilt.check([*all_events(), *written])

    def test_that_is_empty(self, rebuilt: Rebuilt) -> None:
        """As it is where the lake was never on: the store has it all, and notes it."""
        rebuilt.write(all_events(), is_carried=False)
        shutil.rmtree(rebuilt.lake.folder, ignore_errors=True)
        totals = rebuilt.rebuild()
        assert totals.events == len(all_events())
        rebuilt.check(all_events())
        assert len(waiting(rebuilt.engine)) == len(all_events())
        flush(rebuilt.engine, rebuilt.lake)
        rebuilt.rebuild()
        rebuilt.check(all_events())

    def test_of_nothing(self, rebuilt: Rebuilt) -> None:
        assert rebuilt.rebuild() == Totals()
        rebuilt.check([])

    def test_that_lacks_some(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events()[::2])
        with closing(open_writer(rebuilt.engine)) as writer:
            # Without a note for the lake, as while it is off.
            writer.write([facts_of(event) for event in all_events()[1::2]])
        assert waiting(rebuilt.engine) == set()
        rebuilt.rebuild()
        rebuilt.check(all_events())
        noted = {facts_of(event).rows["event"][0][1] for event in all_events()[1::2]}
        assert waiting(rebuilt.engine) == noted
        flush(rebuilt.engine, rebuilt.lake)
        assert len(list(rebuilt.lake.read())) == len(all_events())

    def test_without_its_store(
        self, lake: Lake, spark: "SparkSession", tmp_path: Path, store: Store
    ) -> None:
        """Another store, which has nothing: not even its file, where it is one."""
        Rebuilt(store, lake, spark, tmp_path / "data").write(all_events())
        with open_store(f"sqlite:///{tmp_path / 'elsewhere' / 'lost.db'}") as found:
            rebuilt = Rebuilt(found, lake, spark, tmp_path / "data")
            rebuilt.rebuild()
            rebuilt.check(all_events())


def _cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-20])


def _spoil(file: Path) -> None:
    """Change bytes in the middle of the payloads: the footer stays whole."""
    data = bytearray(file.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 8] = bytes(byte ^ 0xFF for byte in data[middle : middle + 8])
    file.write_bytes(data)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


class TestDamage:
    @pytest.mark.parametrize("damage", [_cut_short, _spoil, _empty])
    def test_a_file_of_the_lake(self, rebuilt: Rebuilt, damage: Callable[[Path], None]) -> None:
        rebuilt.write(all_events())
        file = max(files(rebuilt.lake), key=lambda file: file.stat().st_size)
        whole = file.read_bytes()
        damage(file)
        number = generation(rebuilt.engine)
        with pytest.raises(LakeUnavailable, match=re.escape(str(file))):
            rebuilt.rebuild()
        rebuilt.check(all_events())
        assert generation(rebuilt.engine) == number
        file.write_bytes(whole)
        rebuilt.rebuild()
        rebuilt.check(all_events())

    def test_an_event_that_this_version_cannot_read(self, rebuilt: Rebuilt) -> None:
        """In the old store, for another version took it in: it is kept as rejected."""
        rebuilt.write(all_events()[:20])
        odd = b'{"eventTime": "never"}'
        row = EventRow(5, b"0123456789abcdef", 7, 0, 0, None, None, odd)
        with rebuilt.engine.begin() as connection:
            connection.execute(tables.event.insert().values(row._asdict()))
        totals = rebuilt.rebuild()
        assert (totals.events, totals.rejected, totals.messages) == (20, 1, 21)
        rebuilt.check(all_events()[:20])
        with rebuilt.engine.connect() as connection:
            (found,) = connection.execute(select(tables.rejected)).all()
        assert (found.source, found.path, found.payload) == ("store", "$.job", odd)
        assert differences(
            stored_rows(rebuilt.engine), expected_rows([*all_events()[:20], odd])
        ).keys() <= {"rejected", "rejected_place"}


class TestMeanwhile:
    def test_what_others_write_is_there(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events())
        with live_writers(rebuilt.engine) as writers:
            for _ in range(2):
                rebuilt.rebuild()
        assert [writer.refusals for writer in writers] == [[], []]
        written = [event for writer in writers for event in writer.stored]
        rebuilt.check([*all_events(), *written])
        flush(rebuilt.engine, rebuilt.lake)
        assert {event.payload for event in rebuilt.lake.read()} >= set(written)

    def test_another_rebuild_is_reported(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events())
        told: list[str] = []

        def again() -> None:
            with pytest.raises(Busy) as raised:
                rebuilt.rebuild()
            told.append(raised.value.message)

        rebuilt.rebuild(at_step("events", again))
        assert len(told) == 1 and "another rebuild" in told[0]
        rebuilt.check(all_events())

    def test_what_fails_changes_nothing(self, rebuilt: Rebuilt) -> None:
        rebuilt.write(all_events()[:100])
        rebuilt.write(all_events()[100:], is_carried=False)

        def fail() -> None:
            raise KeyboardInterrupt

        for step in ("events", "copying what the lake does not have", "replacing the store"):
            with pytest.raises(KeyboardInterrupt):
                rebuilt.rebuild(at_step(step, fail))
            rebuilt.check(all_events())
        rebuilt.rebuild()
        rebuilt.check(all_events())

    def test_a_server_answers_and_goes_on(self, rebuilt: Rebuilt) -> None:
        """Under load, and read from; while what it takes in is carried on into the same lake."""
        url = rebuilt.engine.url.render_as_string(hide_password=False)
        before = list(load.events(200, start_run=100_000))
        with Headwater.start(url, rebuilt.lake.folder.parent) as server:
            with new_client(server.url) as client:
                for event in before[:100]:
                    assert client.post(PATH, content=event, headers=JSON).status_code == 201
            with (
                Load(server.url, senders=2) as sent,
                repeated(lambda: read_from(server)) as wrong,
                repeated(lambda: flush(rebuilt.engine, rebuilt.lake)) as failures,
            ):
                sent.wait_for_more(100)
                for _ in range(2):
                    rebuilt.rebuild()
                    sent.wait_for_more(20)
            assert (sent.wrong, sent.refusals, sent.unanswered) == ([], [], set())
            assert (wrong, failures) == ([], [])
            check_server(server, {*before[:100], *sent.acknowledged})
            with new_client(server.url) as client:
                # Of the same jobs and datasets, with facets that were stored before.
                for event in before[100:]:
                    assert client.post(PATH, content=event, headers=JSON).status_code == 201
            check_server(server, before)
            check_facets(server, before[-1])
            check_quiet(server)
        assert check_store(rebuilt.engine) == []
        flush(rebuilt.engine, rebuilt.lake)
        kept = {event.payload for event in rebuilt.lake.read()}
        assert {*before, *sent.acknowledged} <= kept


PATHS = (
    "/readyz",
    "/api/v1/namespaces",
    "/api/v1/namespaces/bench/jobs?limit=5",
    "/api/v1/namespaces/db:%2F%2Fbench/datasets?limit=5",
    "/api/v1/events/lineage?limit=5",
)


@contextmanager
def repeated(work: Callable[[], object]) -> Iterator[list[BaseException]]:
    """Do something again and again, in a thread; gives what went wrong."""
    stopped = threading.Event()
    wrong: list[BaseException] = []

    def run() -> None:
        while not stopped.is_set():
            try:
                work()
            except BaseException as error:
                wrong.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield wrong
    finally:
        stopped.set()
        thread.join()


def read_from(server: Headwater) -> None:
    with new_client(server.url) as client:
        for path in PATHS:
            answer = client.get(path)
            assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:300]}"


def check_facets(server: Headwater, event: bytes) -> None:
    """Whatever an event says of its datasets can be read."""
    for dataset in json.loads(event)["outputs"]:
        namespace, name = (dataset[key].replace("/", "%2F") for key in ("namespace", "name"))
        with new_client(server.url) as client:
            answer = client.get(f"/api/v1/namespaces/{namespace}/datasets/{name}")
        assert answer.status_code == 200
        fields = {field["name"] for field in answer.json()["fields"]}
        assert fields == {field["name"] for field in dataset["facets"]["schema"]["fields"]}


class TestCommand:
    @pytest.fixture
    def run(
        self,
        spark: "SparkSession",
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> Callable[..., tuple[int, str, str]]:
        """Run the command here, in the session that is open."""

        def run(*arguments: str) -> tuple[int, str, str]:
            monkeypatch.setattr(
                "headwater.pipeline.spark.session.session", lambda *_, **__: nullcontext(spark)
            )
            monkeypatch.setattr(sys, "argv", ["headwater", "rebuild", *arguments])
            status = 0
            try:
                run_command()
            except SystemExit as end:
                status = int(end.code or 0)
            return status, *capsys.readouterr()

        return run

    def arguments(self, rebuilt: Rebuilt, *rest: str) -> list[str]:
        url = rebuilt.engine.url.render_as_string(hide_password=False)
        return ["--store", url, "--data", str(rebuilt.lake.folder.parent), *rest]

    def test_tells_how_many(self, rebuilt: Rebuilt, run: Callable[..., Any]) -> None:
        rebuilt.write(all_events(), is_carried=False)
        lake = re.escape(str(rebuilt.lake.folder))
        status, out, err = run(*self.arguments(rebuilt))
        assert (status, err) == (0, "")
        assert re.fullmatch(rf"rebuilt from {len(all_events())} events of {lake} in \d+ s\n", out)
        # What waited was carried on first.
        assert waiting(rebuilt.engine) == set()
        status, out, err = run(*self.arguments(rebuilt, "--output", "json"))
        answer = json.loads(out)
        assert answer.pop("seconds") >= 0 and answer.pop("bytes") > 0
        assert answer == {
            "lake": str(rebuilt.lake.folder),
            "messages": len(all_events()),
            "events": len(all_events()),
            "rejected": 0,
            "excluded": 0,
        }
        rebuilt.check(all_events())

    def test_from_a_copy_of_the_lake(self, rebuilt: Rebuilt, run: Callable[..., Any]) -> None:
        """What waits is for the lake itself, and goes on waiting for it."""
        rebuilt.write(all_events()[:100])
        copy = rebuilt.folder / "copy"
        shutil.copytree(rebuilt.lake.folder, copy)
        rebuilt.write(all_events()[100:], is_carried=False)
        before = waiting(rebuilt.engine)
        assert run(*self.arguments(rebuilt, "--lake", str(copy)))[0] == 0
        rebuilt.check(all_events())
        assert waiting(rebuilt.engine) == before
        assert len(list(Lake(copy).read())) == 100

    def test_what_is_wrong_is_one_line(self, rebuilt: Rebuilt, run: Callable[..., Any]) -> None:
        rebuilt.write(all_events())
        status, _, err = run(*self.arguments(rebuilt, "--lake", "/no/such/folder"))
        assert status == 2 and "/no/such/folder" in err
        file = min(files(rebuilt.lake))
        _cut_short(file)
        status, out, err = run(*self.arguments(rebuilt))
        assert (status, out) == (1, "")
        assert str(file) in err and len(err.splitlines()) == 1
        rebuilt.check(all_events())

    def test_what_could_not_be_read_is_reported(
        self, rebuilt: Rebuilt, run: Callable[..., Any]
    ) -> None:
        row = EventRow(5, b"0123456789abcdef", 7, 0, 0, None, None, b"{}")
        with rebuilt.engine.begin() as connection:
            connection.execute(tables.event.insert().values(row._asdict()))
        status, out, _ = run(*self.arguments(rebuilt))
        assert status == 0
        assert out.endswith("\n1 rejected: headwater events --rejected\n")


def run_rebuild(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, with a Spark of its own."""
    program = str(Path(sys.executable).with_name("headwater"))
    return subprocess.run(
        [program, "rebuild", *arguments], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )


class TestExecutorsApart:
    """Processes that have neither this one's memory nor its folder."""

    MASTER = "local-cluster[2,1,1024]"

    def test_both_databases(
        self, rebuilt: Rebuilt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for events in cut(doubled(all_events()), 200):
            rebuilt.write(events)
        url = rebuilt.engine.url.render_as_string(hide_password=False)
        # Relative, as people give them: executors work elsewhere.
        data = str(rebuilt.lake.folder.parent.relative_to(tmp_path))
        where = ["--store", url, "--data", data, "--output", "json"]
        ended = run_rebuild(*where, "--master", self.MASTER)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert json.loads(ended.stdout)["events"] >= len(all_events())
        rebuilt.check(all_events())
        assert waiting(rebuilt.engine) == set()


@pytest.mark.long
class TestKilled:
    """In a process of its own: the old store is as it was, and the next one works."""

    PROGRAM = """
import os, signal, sys, time, threading
from pathlib import Path
from headwater.config import SparkSettings
from headwater.pipeline.lake.lake import Lake
from headwater.pipeline.rebuild import rebuild
from headwater.pipeline.spark.session import session
from headwater.store.engine import open_engine

url, lake, folder, at, seconds = sys.argv[1:]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def progress(step, done, total):
    if step == at:
        if float(seconds):
            threading.Timer(float(seconds), die).start()
        else:
            die()

with session(SparkSettings(master="local[2]"), "killed", folder=Path(folder)) as spark:
    rebuild(open_engine(url), spark, Lake(Path(lake)), Path(folder), progress)
"""

    def kill(self, rebuilt: Rebuilt, step: str, seconds: float) -> int:
        url = rebuilt.engine.url.render_as_string(hide_password=False)
        places = (url, str(rebuilt.lake.folder), str(rebuilt.folder))
        command = [sys.executable, "-c", self.PROGRAM, *places, step, str(seconds)]
        return subprocess.run(command, timeout=PATIENCE_SECONDS).returncode

    def rebuild_when_free(self, rebuilt: Rebuilt) -> None:
        def is_rebuilt() -> bool:
            try:
                rebuilt.rebuild()
            except Busy:
                return False
            return True

        wait_until(is_rebuilt, lambda: "held by a process that is gone")

    @pytest.mark.parametrize(
        "step", ["events", "copying what the lake does not have", "replacing the store"]
    )
    def test_at_a_step(self, rebuilt: Rebuilt, step: str) -> None:
        rebuilt.write(all_events()[:100])
        rebuilt.write(all_events()[100:], is_carried=False)
        number = generation(rebuilt.engine)
        assert self.kill(rebuilt, step, 0) == -9
        found = read_rows(rebuilt.engine)
        assert differences(found, rows_of(map(facts_of, all_events()))) == {}
        assert generation(rebuilt.engine) == number
        self.rebuild_when_free(rebuilt)
        rebuilt.check(all_events())

    def test_at_any_time(self, rebuilt: Rebuilt, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whatever it came to: all is there, before it and after it."""
        events = [*all_events(), *load.events(3_000)]
        rebuilt.write(events[:2_000])
        rebuilt.write(events[2_000:], is_carried=False)
        random = Random(1)
        for _ in range(6):
            step = random.choice(("events", "replacing the store"))
            assert self.kill(rebuilt, step, random.uniform(0.01, 1.5)) in (0, -9)
            found = read_rows(rebuilt.engine)
            assert differences(found, rows_of(map(facts_of, events))) == {}
            assert check_store(rebuilt.engine) == []
        self.rebuild_when_free(rebuilt)
        rebuilt.check(events)


@pytest.fixture
def mine(postgresql_url: str) -> Iterator[str]:
    """A store in another schema than the usual one."""
    engine = open_engine(postgresql_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA mine")
        connection.exec_driver_sql("CREATE TABLE notes (id int)")
        connection.exec_driver_sql("INSERT INTO notes VALUES (1)")
    engine.dispose()
    yield f"{postgresql_url}?options=-csearch_path%3Dmine"


def test_a_schema_of_its_own(
    mine: str, postgresql_url: str, lake: Lake, spark: "SparkSession", tmp_path: Path
) -> None:
    usual = open_prepared(postgresql_url)
    with open_store(mine) as store:
        store.writer = open_writer(store.engine, notes_for_lake=True)
        rebuilt = Rebuilt(store, lake, spark, tmp_path / "data")
        rebuilt.write(all_events())
        rebuilt.rebuild()
        rebuilt.check(all_events())
    with usual.connect() as connection:
        assert connection.exec_driver_sql("SELECT id FROM notes").scalar() == 1
        assert connection.execute(select(tables.event)).all() == []
        query = "SELECT count(*) FROM pg_tables WHERE schemaname = 'mine'"
        assert connection.exec_driver_sql(query).scalar() == len(tables.METADATA.tables) + 1
    usual.dispose()
