"""Three named ingestions under one supervisor that is killed or ended: nothing lost, none late."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from headwater.model.values.instant import MINUTE, now
from headwater.pipeline.ingestions.description import save_ingestion
from headwater.store.ingestions import (
    StoredIngestion,
    StoredIngestionRun,
    list_ingestion_runs,
    list_ingestions,
    request_run,
)
from headwater.store.migrate import upgrade
from testing.services.ingest import PATIENCE_SECONDS, Ingest
from testing.wait import wait_until
from tests.faults.taken_in import check_same_rows, foreign_events
from tests.faults.test_ingest import check_no_stacks, new_events
from tests.store.stores import opened

pytestmark = [pytest.mark.integration, pytest.mark.long]

# Added two minutes ago: so all of them are to run at once.
SCHEDULES = {"stream": "continuous", "minutely": "* * * * *", "nightly": "0 0 1 1 *"}
COUNT = 600


class Supervised(Ingest):
    """`headwater ingest run --all`, which is ready as soon as it looks."""

    def is_ready(self) -> bool:
        return "as their schedules say" in self.new_log()


class Scene:
    """A supervisor of three ingestions, each of a folder, and what was put there."""

    def __init__(self, service: Supervised, folder: Path) -> None:
        self.service = service
        self.sent: list[bytes] = []
        self._folder = folder
        with opened(service.store) as engine:
            upgrade(engine)
            for name, schedule in SCHEDULES.items():
                self.write(name)
                broker = {"brokerConfig": {"place": str(folder / name)}}
                body = {"connection": {"config": broker}, "schedule": schedule}
                with engine.begin() as connection:
                    save_ingestion(connection, name, body, "ada", now() - 2 * MINUTE)

    def write(self, name: str) -> None:
        """One more file for an ingestion."""
        events = new_events(COUNT)
        self.sent += events
        (self._folder / name).mkdir(exist_ok=True)
        (self._folder / name / f"{len(self.sent)}.ndjson").write_bytes(b"\n".join(events) + b"\n")

    def rows(self) -> dict[str, StoredIngestion]:
        with opened(self.service.store) as engine, engine.connect() as connection:
            return {each.name: each for each in list_ingestions(connection)}

    def newest_run(self, name: str) -> StoredIngestionRun:
        with opened(self.service.store) as engine, engine.connect() as connection:
            return list_ingestion_runs(connection, name)[0]

    def is_running(self, name: str) -> bool:
        with opened(self.service.store) as engine, engine.connect() as connection:
            runs = list_ingestion_runs(connection, name)
        return bool(runs) and runs[0].ended_at is None

    def request(self, name: str) -> None:
        with opened(self.service.store) as engine, engine.begin() as connection:
            request_run(connection, name, now())

    def wait(self, is_so: Callable[[], bool]) -> None:
        wait_until(is_so, lambda: self.service.log()[-5_000:], seconds=4 * PATIENCE_SECONDS)

    def wait_for_begun(self) -> None:
        """All three are at it, and none has come to its end."""
        self.wait(lambda: all(row.is_begun for row in self.rows().values()))

    def wait_for_all(self) -> None:
        """Everything is stored, and known to be; a machine that is too busy is tried again."""
        self.wait(lambda: set(self.sent) == foreign_events(self.service.store))
        self.wait(lambda: not self.rows()["nightly"].is_begun)
        self.wait(lambda: not any(row.failures for row in self.rows().values()))

    def check(self) -> None:
        check_same_rows(self.service.store, self.sent, self._folder)
        check_no_stacks(self.service.log())


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One supervisor for all tests, which are in order."""
    folder = tmp_path_factory.mktemp("supervised")
    service = Supervised.prepare("--all", data=folder / "data", kind="run")
    service.data.mkdir()
    with service:
        yield Scene(service, folder)


def test_killed_while_spark_starts_for_all_three(scene: Scene) -> None:
    scene.service.restart()
    scene.request("nightly")
    scene.wait_for_begun()
    before = scene.rows()
    scene.service.send_signal(signal.SIGKILL)
    scene.service.wait_for_end()
    scene.service.restart()
    scene.wait_for_all()
    rows = scene.rows()
    # What was cut short has run again, and the schedules are what they were.
    assert rows["nightly"].next_at == before["nightly"].next_at
    assert rows["nightly"].all_stored == COUNT
    assert rows["stream"].is_begun
    scene.check()


def test_killed_amid_what_they_read(scene: Scene) -> None:
    before = scene.rows()["nightly"]
    for name in SCHEDULES:
        scene.write(name)
    scene.request("nightly")
    stored = len(foreign_events(scene.service.store))
    scene.wait(lambda: len(foreign_events(scene.service.store)) > stored)
    scene.service.send_signal(signal.SIGKILL)
    scene.service.wait_for_end()
    scene.write("minutely")
    scene.service.restart()
    scene.wait_for_all()
    assert scene.rows()["nightly"].next_at == before.next_at
    scene.check()


def test_its_jvm_killed(scene: Scene) -> None:
    """Out of memory, for one: what ran is tried again, in another."""
    _is_at_work(scene)
    cut = scene.newest_run("stream").started_at
    for java in _javas(scene.service.pid):
        java.kill()
    scene.write("stream")
    scene.wait(lambda: scene.rows()["stream"].failures == 1)
    assert "Spark ended unexpectedly" in (scene.rows()["stream"].problem or "")
    scene.wait_for_all()
    assert scene.newest_run("stream").started_at > cut
    scene.check()


@pytest.mark.parametrize("whom", ["itself", "its group"])
def test_sigterm_ends_it_after_the_batch(scene: Scene, whom: str) -> None:
    """Also with its JVM, as service managers send it."""
    _is_at_work(scene)
    for name in SCHEDULES:
        scene.write(name)
    if whom == "itself":
        scene.service.send_signal(signal.SIGTERM)
    else:
        os.killpg(scene.service.pid, signal.SIGTERM)
    assert scene.service.wait_for_end() == 0
    row = scene.rows()["stream"]
    # Cut short, not failed: it goes on as soon as one runs again, who need not wait for a lease.
    assert row.is_begun and row.failures == 0 and row.lease_until < now()
    check_no_stacks(scene.service.log())
    scene.service.restart()
    scene.request("nightly")
    scene.wait_for_all()
    scene.check()


def test_ctrl_c(scene: Scene) -> None:
    """As a terminal does it, to all of its processes."""
    _is_at_work(scene)
    os.killpg(scene.service.pid, signal.SIGINT)
    assert scene.service.wait_for_end() == 0
    scene.check()


def test_sigterm_while_spark_starts(scene: Scene) -> None:
    scene.service.restart()
    scene.wait(lambda: scene.is_running("stream"))
    scene.service.send_signal(signal.SIGTERM)
    assert scene.service.wait_for_end() == 0
    scene.check()


def _javas(pid: int) -> list[psutil.Process]:
    children = psutil.Process(pid).children(recursive=True)
    return [each for each in children if each.name() == "java"]


def _is_at_work(scene: Scene) -> None:
    """Wait until the stream runs, whatever happened before."""
    if not scene.service.is_running:
        scene.service.restart()
    scene.wait(lambda: scene.is_running("stream"))
    scene.service.wait_for("stream: ingesting from")
