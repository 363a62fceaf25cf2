"""What looking after a store costs the server that does it."""

import time

from bench import process
from bench.client import Client
from bench.figure import Figure, Sample
from bench.rows.cost import batches, cost
from testing.services.headwater import Headwater

TURNS = 10
EVENTS_A_TURN = 20_000
_LONGEST_PRUNE_SECONDS = 120.0

# The load's events are all older than this: every prune finds work.
_RETENTION = {"HEADWATER__RETENTION__OLDER_THAN": "1h", "HEADWATER__RETENTION__EVERY": "1s"}


def prunes(client: Client) -> list[Figure]:
    """Memory over 200,000 events and ten prunes of the server's own: the second half adds none."""
    sizes = []
    with Headwater.start(env=_RETENTION) as server:
        for turn in range(TURNS):
            bodies = batches(EVENTS_A_TURN, after=turn * EVENTS_A_TURN)
            sent = cost(client, server, bodies, EVENTS_A_TURN)
            _await_prune(server)
            sizes.append(Sample(process.memory(server.pid), sent.steal))
            print(f"  {sizes[-1].value:.0f} MB after {turn + 1} prunes", flush=True)
    middle, last = sizes[TURNS // 2 - 1], sizes[-1]
    events = TURNS * EVENTS_A_TURN
    return [
        Figure(
            f"memory after {events:,} events and {TURNS} prunes, to half of them",
            "x",
            [Sample(last.value / middle.value, last.steal)],
            limit=1.1,
        ),
        Figure("the same, in all", "MB", [last]),
    ]


def _await_prune(server: Headwater) -> None:
    """Wait for a prune that began after the last event was stored: the second to end from now."""
    enough = _prunes(server) + 2
    give_up = time.monotonic() + _LONGEST_PRUNE_SECONDS
    while _prunes(server) < enough:
        if time.monotonic() > give_up:
            raise RuntimeError("the server did not prune")
        time.sleep(0.5)


def _prunes(server: Headwater) -> int:
    return server.log().count("pruned what is older")
