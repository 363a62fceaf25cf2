"""What every row does: send a part of the load and take its cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from bench import process
from bench.client import CONNECTIONS, Bodies, Client, Sent
from bench.figure import Sample
from bench.process import Server
from testing import load
from testing.services.headwater import Headwater

WARM_UP = 1_000  # events: every job once, both its events


def cost(
    client: Client,
    server: Server,
    bodies: Bodies,
    events: int,
    connections: int = CONNECTIONS,
    database: int | None = None,
) -> Sample:
    """Send a number of events; return CPU-ms an event, with the database's if its pid is given."""
    pids = (server.pid,) if database is None else (server.pid, database)
    with process.meter(*pids) as reading:
        sent = client.send(server.port, bodies, connections)
    sample = Sample(reading.cpu * 1000 / events, reading.steal)
    _say(sample, sent, events)
    return sample


def singles(count: int, after: int = 0) -> Bodies:
    """Make the events that follow the first `after` ones, one a request."""
    return partial(load.events, count, start_run=after // 2)


def batches(count: int, after: int = 0) -> Bodies:
    """Make the events that follow the first `after` ones, 100 a request."""
    return partial(load.batches, count, start_run=after // 2)


@contextmanager
def warm_headwater(client: Client, store: str | None = None) -> Iterator[Headwater]:
    """Run a server on an empty store, and send it the warm-up."""
    with Headwater.start(store) as server:
        client.send(server.port, singles(WARM_UP))
        yield server


def _say(sample: Sample, sent: Sent, events: int) -> None:
    print(
        f"  {sample.value:8.3f} CPU-ms an event, {events / sent.seconds:7,.0f} events a second,"
        f" p50 {sent.p50:.1f} ms, p95 {sent.p95:.1f} ms, steal {sample.steal:.1%}",
        flush=True,
    )
