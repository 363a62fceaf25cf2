"""What a growing store and process cost: memory, start, and the price of an event at 1,000,000."""

import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from bench.rows.cost import WARM_UP, batches, cost, singles
from testing.services.headwater import Headwater

REPEATS = 5
COUNTED = 5_000
SMALL = 10_000
SIZES = (100_000, 1_000_000)


def start(client: Client) -> list[Figure]:
    """From the command to the first answer, on an empty store."""
    cpu, wall = [], []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        with process.meter() as reading, Headwater.start() as server:
            seconds = time.perf_counter() - begun
            used = process.tree_cpu(server.pid)
        cpu.append(Sample(used, reading.steal))
        wall.append(Sample(seconds, reading.steal))
    return [
        Figure("start to first answer, empty store", "CPU-s", cpu, limit=2.0),
        Figure("the same, as time passed", "s", wall),
    ]


def memory(client: Client, events: int = 100_000, last: int = 2_000) -> list[Figure]:
    """Resident memory after 100,000 events, the last of them sent singly."""
    with Headwater.start() as server:
        cost(client, server, batches(events - last), events - last)
        tail = cost(client, server, singles(last, after=events - last), last)
        size = Sample(process.memory(server.pid), tail.steal)
    return [Figure(f"memory after {events:,} events", "MB", [size], limit=250)]


def growth(client: Client, sizes: Sequence[int] = SIZES) -> list[Figure]:
    """The price of an event and its bytes, as the store grows over the same graph.

    At every size the large store's server takes turns with one on a copy of the small store:
    the machine is not the same at 10,000 and, minutes later, at 1,000,000.
    """
    figures = []
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        small, large = Path(folder, "small"), Path(folder, "large")
        begun = _make_small(client, small)
        shutil.copytree(small, large)
        with Headwater.start(data=large) as server:
            for size in sizes:
                _grow(client, server, begun, size - REPEATS * COUNTED)
                figures += _compare(client, server, small, size)
                begun = size
                figures.append(_bytes_an_event(large, size))
    return figures


def _make_small(client: Client, data: Path) -> int:
    """Fill a store so that warm-up and one count bring it to SMALL; return its events."""
    events = SMALL - COUNTED - WARM_UP
    with Headwater.start(data=data) as server:
        client.send(server.port, batches(events))
    return events


def _grow(client: Client, server: Headwater, begin: int, end: int) -> None:
    print(f"  growing from {begin:,} to {end:,} events", flush=True)
    cost(client, server, batches(end - begin, after=begin), end - begin)


def _compare(client: Client, server: Headwater, small: Path, size: int) -> list[Figure]:
    low, high = [], []
    for after in range(size - REPEATS * COUNTED, size, COUNTED):
        low.append(_on_copy(client, small))
        high.append(cost(client, server, singles(COUNTED, after=after), COUNTED))
    return [
        Figure(f"one event at {size:,}, to one at {SMALL:,}", "x", ratios(high, low), limit=1.3),
        Figure(f"one event at {size:,}", "CPU-ms", high),
        Figure(f"one event at {SMALL:,}, in turns with it", "CPU-ms", low),
    ]


def _on_copy(client: Client, small: Path) -> Sample:
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        data = shutil.copytree(small, Path(folder, "data"))
        with Headwater.start(data=data) as server:
            client.send(server.port, singles(WARM_UP, after=SMALL - COUNTED - WARM_UP))
            return cost(client, server, singles(COUNTED, after=SMALL - COUNTED), COUNTED)


def _bytes_an_event(data: Path, size: int) -> Figure:
    sample = Sample(process.database_bytes(data) / size, 0.0)
    return Figure(f"database an event, at {size:,} events", "bytes", [sample], limit=2048)
