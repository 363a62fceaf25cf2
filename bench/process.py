"""What processes cost: CPU with all threads and children, stolen time, memory, files."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import httpx2
import psutil

from testing.services.headwater import Headwater
from testing.services.process import Process, free_port

ROOT = Path(__file__).parent.parent
_IDLE_WITHIN_SECONDS = 300
# Seconds of CPU in a second.
_IDLE_CPU = 0.05


class Floor(Process):
    """One server of bench.floor."""

    name = "floor"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()

    @classmethod
    def start(cls) -> Self:
        service = cls()
        try:
            service.launch()
        except BaseException:
            service.close()
            raise
        return service

    def command(self) -> Sequence[str]:
        options = ["--port", str(self.port), "--data", str(self.directory)]
        return [sys.executable, "-m", "bench.floor", *options]

    def environment(self) -> dict[str, str]:
        # It is run in its own directory, where there is no bench.
        return {**super().environment(), "PYTHONPATH": str(ROOT)}

    def is_ready(self) -> bool:
        try:
            answer = httpx2.get(f"http://127.0.0.1:{self.port}/readyz", trust_env=False)
        except httpx2.TransportError:
            return False
        return answer.status_code == 200


Server = Headwater | Floor


@dataclass
class Reading:
    """What passed inside a `meter` block; filled in at its end."""

    cpu: float = 0.0  # seconds, of all the processes measured
    steal: float = 0.0  # share of the machine's CPU time that its host gave to others
    seconds: float = 0.0


@contextmanager
def meter(*pids: int) -> Iterator[Reading]:
    """Measure the CPU of process trees, and the machine's stolen time, over a block."""
    reading = Reading()
    stolen, total = _machine_times()
    started, cpu = time.perf_counter(), sum(map(tree_cpu, pids))
    yield reading
    reading.cpu = sum(map(tree_cpu, pids)) - cpu
    reading.seconds = time.perf_counter() - started
    stolen_after, total_after = _machine_times()
    # The kernel counts in ticks of 10 ms: a short block may see none.
    reading.steal = (stolen_after - stolen) / max(total_after - total, 0.01)


def wait_until_idle(pid: int) -> None:
    """Wait for what a server works out once after its start, and after much has come."""
    for _ in range(_IDLE_WITHIN_SECONDS):
        with meter(pid) as reading:
            time.sleep(1)
        if reading.cpu < _IDLE_CPU:
            return
    raise RuntimeError(f"process {pid} does not come to rest")


def tree_cpu(pid: int) -> float:
    """Return the CPU seconds of a process with all its threads and children, ended ones included.

    A child that ended is counted by the parent that waited for it: for PostgreSQL's postmaster
    this is every backend and worker there has been.
    """
    while True:
        try:
            root = psutil.Process(pid)
            return sum(_with_waited(each) for each in (root, *root.children(recursive=True)))
        except psutil.NoSuchProcess as gone:
            # A child ended while being read and is now in its parent's sum: read all again.
            if gone.pid == pid:
                raise RuntimeError(f"process {pid} ended while it was measured") from gone


def _with_waited(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _machine_times() -> tuple[float, float]:
    times = psutil.cpu_times()
    # Guest time is part of user time already.
    return times.steal, sum(times) - times.guest - times.guest_nice


def memory(pid: int) -> float:
    """Return resident memory in MB."""
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def database_bytes(data: Path) -> int:
    """Return the size of the SQLite database with its log."""
    files = list(data.glob("headwater.db*"))
    if not files:
        raise RuntimeError("there is no headwater.db in the server's data folder")
    return sum(file.stat().st_size for file in files)
