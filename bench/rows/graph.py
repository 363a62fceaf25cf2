"""What reading the graph costs: lineage, by column, as of a time, and what changed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import httpx2

from bench import load, process
from bench.client import Client
from bench.figure import Figure, Sample, ratios
from tests.services.headwater import Headwater
from tests.services.postgresql import PostgreSQL

HISTORY = 100_000
REPEATS = 5
# The same graph with a hundred times the history.
SHORT, LONG = 10_000, 1_000_000

NODE = f"dataset:{load.NAMESPACE}:layer9.t010"
# Within every history: all 500 jobs have run more than once by then.
AS_OF = "2025-01-01T05:00:00Z"
LATER = "2025-01-01T06:00:00Z"

Query = tuple[str, dict[str, str | int]]

WHOLE: Query = ("lineage", {"nodeId": NODE, "depth": 20})
NEAR: Query = ("lineage", {"nodeId": NODE, "depth": 2})
COLUMNS: Query = ("column-lineage", {"nodeId": NODE, "depth": 20})
PAST: Query = ("lineage", {"nodeId": NODE, "depth": 20, "as_of": AS_OF})
PAST_COLUMNS: Query = ("column-lineage", {"nodeId": NODE, "depth": 20, "as_of": AS_OF})
DIFF: Query = ("lineage/diff", {"nodeId": NODE, "depth": 20, "from": AS_OF, "to": LATER})


def lineage(client: Client) -> list[Figure]:
    """Reads of a graph of 500 jobs and 1,000 datasets, all connected, after 100,000 events."""
    with _filled(client, HISTORY) as server:
        return _figures(server.port, (server.pid,), "", is_judged=True)


def lineage_postgres(client: Client) -> list[Figure]:
    """The same on PostgreSQL, the database's CPU included; for comparison."""
    with PostgreSQL.start() as database, _filled(client, SHORT, database.url("graph")) as server:
        pids = (server.pid, database.pid)
        return _figures(server.port, pids, ", PostgreSQL", is_judged=False)


def _figures(port: int, pids: Sequence[int], where: str, is_judged: bool) -> list[Figure]:
    whole, near, columns, past, past_columns, diff = [], [], [], [], [], []
    for _ in range(REPEATS):
        whole.append(_cost(port, pids, WHOLE, 10))
        past.append(_cost(port, pids, PAST, 10))
        diff.append(_cost(port, pids, DIFF, 10))
        columns.append(_cost(port, pids, COLUMNS, 5))
        past_columns.append(_cost(port, pids, PAST_COLUMNS, 5))
        near.append(_cost(port, pids, NEAR, 100))
    limits = (80, 6, 250) if is_judged else (None, None, None)
    return [
        Figure(f"lineage depth 20, 1,500 nodes{where}", "CPU-ms", whole, limit=limits[0]),
        Figure(f"lineage depth 2{where}", "CPU-ms", near, limit=limits[1]),
        Figure(f"column lineage depth 20 of a dataset{where}", "CPU-ms", columns, limit=limits[2]),
        Figure(f"lineage as of a time, to now{where}", "x", ratios(past, whole), limit=2),
        Figure(f"columns as of a time, to now{where}", "x", ratios(past_columns, columns), limit=2),
        Figure(f"diff of two times, to lineage now{where}", "x", ratios(diff, whole), limit=2),
    ]


def lineage_history(client: Client) -> list[Figure]:
    """The same reads after 10,000 and after 1,000,000 events of the same graph, in turns."""
    queries = {
        "lineage depth 20": (WHOLE, 10),
        "lineage depth 2": (NEAR, 100),
        "column lineage": (COLUMNS, 5),
        "lineage as of a time": (PAST, 10),
    }
    with _filled(client, SHORT) as short, _filled(client, LONG) as long:
        figures = []
        for name, (query, reads) in queries.items():
            low, high = [], []
            for _ in range(REPEATS):
                low.append(_cost(short.port, (short.pid,), query, reads))
                high.append(_cost(long.port, (long.pid,), query, reads))
            what = f"{name} after {LONG:,} events, to after {SHORT:,}"
            figures.append(Figure(what, "x", ratios(high, low), limit=1.3))
    return figures


@contextmanager
def _filled(client: Client, events: int, store: str | None = None) -> Iterator[Headwater]:
    with Headwater.start(store) as server:
        print(f"  filling with {events:,} events", flush=True)
        client.send(server.port, partial(load.woven_batches, events))
        for query in (WHOLE, NEAR, COLUMNS, PAST, PAST_COLUMNS, DIFF):
            _cost(server.port, (server.pid,), query, 2)
        yield server


def _cost(port: int, pids: Sequence[int], query: Query, reads: int) -> Sample:
    """CPU-ms of one read."""
    path, parameters = query
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}/api/v1/", trust_env=False) as http:
        size = 0
        with process.meter(*pids) as reading:
            for _ in range(reads):
                answer = http.get(path, params=parameters, timeout=60)
                if answer.status_code != 200:
                    raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:200]}")
                size = len(answer.content)
    sample = Sample(reading.cpu * 1000 / reads, reading.steal)
    print(f"  {sample.value:8.1f} CPU-ms, {size / 1e6:6.2f} MB  {path} {parameters}", flush=True)
    return sample
