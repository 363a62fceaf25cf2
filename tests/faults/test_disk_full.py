"""A full disk: senders are told to wait, nothing is lost, and room is all it takes to go on."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import pytest

from testing.services.headwater import Headwater
from testing.services.postgresql import PostgreSQL
from testing.wait import wait_until
from tests.faults.load import Load, check_refused, new_client
from tests.faults.stored import check_quiet, check_store, events_read

pytestmark = pytest.mark.integration

DISK_BYTES = 48_000_000
ROOM_BYTES = 600_000


class Disk(Protocol):
    """Where a server keeps its data, and how that is filled."""

    folder: Path

    def fill(self, server: Headwater) -> None:
        """Leave little room."""

    def free(self) -> None:
        """Make room again."""


class SmallDisk:
    """A file system of its own; a filler takes what is left of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, server: Headwater) -> None:
        with self._filler.open("wb", buffering=0) as filler:
            # Piece by piece: the server takes of the same room meanwhile.
            while self._room() > ROOM_BYTES:
                filler.write(bytes(100_000))

    def free(self) -> None:
        self._filler.unlink()

    def _room(self) -> int:
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize


class Quota:
    """A limit on how long the server's files may get; needs no rights."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pid = 0

    def fill(self, server: Headwater) -> None:
        longest = max(file.stat().st_size for file in self.folder.iterdir())
        self._pid = server.pid
        self._limit(longest + ROOM_BYTES)

    def free(self) -> None:
        # A limit ends with its process.
        with suppress(ProcessLookupError):
            self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        _, most = resource.prlimit(self._pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self._pid, resource.RLIMIT_FSIZE, (size, most))


# Only root may mount; a quota does for everyone.
KINDS = ["quota", "small disk"] if os.geteuid() == 0 else ["quota"]


@pytest.fixture(params=KINDS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    if request.param == "quota":
        yield Quota(tmp_path)
        return
    with mounted(tmp_path):
        yield SmallDisk(tmp_path)


@contextmanager
def mounted(folder: Path) -> Iterator[None]:
    options = f"size={DISK_BYTES}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def small_postgresql() -> Iterator[tuple[PostgreSQL, SmallDisk]]:
    """A cluster with one database on a disk of its own; its log is on another."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    with PostgreSQL.start() as service:
        folder = service.directory / "small"
        folder.mkdir()
        with mounted(folder):
            space = folder / "space"
            space.mkdir()
            assert service.user is not None
            shutil.chown(space, service.user)
            service.create("full", space)
            try:
                yield service, SmallDisk(folder)
            finally:
                # It has files open there.
                service.stop()


def test_a_full_disk(disk: Disk) -> None:
    with Headwater.start(data=disk.folder) as server:
        check_full(server, disk)


def check_full(server: Headwater, disk: Disk) -> None:
    """It refuses, says so and reads; and goes on once there is room."""
    with Load(server.url) as load:
        load.wait_for_more()
        disk.fill(server)
        load.wait_for_refusals(20)
        with new_client(server.url) as client:
            assert client.get("/healthz").status_code == 200
            assert load.acknowledged & events_read(client)
            # Who sends events elsewhere while one server is not ready learns it here.
            wait_until(lambda: client.get("/readyz").status_code == 503)
            disk.free()
            load.wait_for_more()
            wait_until(lambda: client.get("/readyz").status_code == 200)
    assert load.wrong == []
    assert load.unanswered == set()
    for answer in load.refusals:
        check_refused(answer)
    check_store(server, load.acknowledged)
    check_quiet(server)


def test_a_kill_while_the_disk_is_full(disk: Disk) -> None:
    """What was acknowledged before is there once there is room to start."""
    with Headwater.start(data=disk.folder) as server:
        with Load(server.url) as load:
            load.wait_for_more()
            disk.fill(server)
            load.wait_for_refusals()
            server.kill()
        disk.free()
        server.restart()
        check_store(server, load.acknowledged)
        check_quiet(server)


def test_readiness_returns_by_itself(disk: Disk) -> None:
    """A server that is sent nothing while it is not ready finds out when it can write again."""
    with Headwater.start(data=disk.folder) as server, new_client(server.url) as client:
        with Load(server.url) as load:
            load.wait_for_more()
            disk.fill(server)
            load.wait_for_refusals(20)
            wait_until(lambda: client.get("/readyz").status_code == 503)
        disk.free()
        wait_until(lambda: client.get("/readyz").status_code == 200)
        check_quiet(server)


def test_a_full_disk_of_postgresql(small_postgresql: tuple[PostgreSQL, SmallDisk]) -> None:
    """The tables cannot grow: the same as for a file of SQLite."""
    service, disk = small_postgresql
    with Headwater.start(store=service.url("full")) as server:
        check_full(server, disk)
