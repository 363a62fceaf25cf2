"""What one event costs: singly, in batches, on PostgreSQL, and with 2,000 columns."""

from functools import partial

from bench.client import Client
from bench.figure import Figure, Sample, ratios
from bench.process import Floor
from bench.rows.cost import WARM_UP, batches, cost, singles, warm_headwater
from testing import load
from testing.services.postgresql import PostgreSQL

REPEATS = 5
COUNTED = 4_000
NEW_WIDE = 10
REPEATED_WIDE = 50


def single_sqlite(client: Client) -> list[Figure]:
    """One event a request, against the floor: the pairs are interleaved, every server is fresh."""
    pairs = [(_on_headwater(client), _on_floor(client)) for _ in range(REPEATS)]
    own, floor = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return [
        Figure("one event a request, SQLite", "CPU-ms", own, limit=1.0),
        Figure("the same, to the floor", "x", ratios(own, floor), limit=3.0),
        Figure("the floor: same HTTP stack, shell decode, durable append", "CPU-ms", floor),
    ]


def _on_headwater(client: Client) -> Sample:
    with warm_headwater(client) as server:
        return cost(client, server, singles(COUNTED, after=WARM_UP), COUNTED)


def _on_floor(client: Client) -> Sample:
    with Floor.start() as server:
        client.send(server.port, singles(WARM_UP))
        return cost(client, server, singles(COUNTED, after=WARM_UP), COUNTED)


def batch_sqlite(client: Client) -> list[Figure]:
    """Batches of 100, each time next to single events on the same server."""
    pairs = [_single_and_batch(client) for _ in range(REPEATS)]
    single, batch = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return [
        Figure("batches of 100, to single events", "x", ratios(batch, single), limit=0.5),
        Figure("batches of 100, an event", "CPU-ms", batch),
    ]


def _single_and_batch(client: Client) -> tuple[Sample, Sample]:
    half = COUNTED // 2
    with warm_headwater(client) as server:
        single = cost(client, server, singles(half, after=WARM_UP), half)
        batch = cost(client, server, batches(COUNTED, after=WARM_UP + half), COUNTED)
    return single, batch


def single_postgres(client: Client) -> list[Figure]:
    """One event a request on PostgreSQL: the server and all the database's processes together."""
    samples = []
    with PostgreSQL.start() as database:
        for repeat in range(REPEATS):
            with warm_headwater(client, database.url(f"bench_{repeat}")) as server:
                bodies = singles(COUNTED, after=WARM_UP)
                samples.append(cost(client, server, bodies, COUNTED, database=database.pid))
    what = "one event a request, PostgreSQL, server and database"
    return [Figure(what, "CPU-ms", samples, limit=2.5)]


def wide(client: Client) -> list[Figure]:
    """Events of 2,000 columns x 2 inputs: facets never seen, then the same in new runs."""
    new, repeated = [], []
    with warm_headwater(client) as server:
        client.send(server.port, partial(load.wide_events, range(1), range(1)), connections=1)
        for first in range(1, 1 + REPEATS * NEW_WIDE, NEW_WIDE):
            fresh = partial(load.wide_events, range(first, first + NEW_WIDE), range(1))
            last = range(first + NEW_WIDE - 1, first + NEW_WIDE)
            known = partial(load.wide_events, last, range(1, 1 + REPEATED_WIDE))
            new.append(cost(client, server, fresh, NEW_WIDE, connections=1))
            repeated.append(cost(client, server, known, REPEATED_WIDE, connections=1))
    return [
        Figure("2,000 columns x 2 inputs, new", "CPU-ms", new, limit=100),
        Figure("2,000 columns x 2 inputs, repeated", "CPU-ms", repeated, limit=10),
    ]
