"""Two servers on one store, sent everything twice and at once, hold what a single one does."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import msgspec
import pytest

from headwater.store.engine import open_engine
from testing import load
from testing.events.full import micro_batch_event
from testing.services.headwater import Headwater
from tests.store.rows import Rows, differences, read_rows

pytestmark = pytest.mark.integration

SENDERS = 3  # for each server
BATCH = 40
NOON = "2024-05-01T12:00:00Z"
# The first two are one instant: all that is said then ties.
TIMES = (NOON, "2024-05-01T14:00:00+02:00", "2024-05-01T11:59:00Z")
TYPES = ("START", "RUNNING", "COMPLETE", "FAIL", None)
PRODUCERS = ("https://a.example/1.0.0", "https://a.example/1.1.0", "https://b.example")
RUN = "01890a5d-ac96-774b-bcce-b302099a8057"
DAY = "01890a5d-ac96-774b-bcce-b302099a8000"
ORDERS = {"namespace": "kafka://broker:9092", "name": "orders"}
TOTALS = {"namespace": "db", "name": "totals"}
JOB = {"namespace": "shop", "name": "sum"}

Json = dict[str, Any]


def schema(*names: str) -> Json:
    return {"fields": [{"name": name, "type": "STRING"} for name in names]}


def column_map(column: str) -> Json:
    field = ORDERS | {"field": column, "transformations": [{"type": "DIRECT", "masking": True}]}
    return {"fields": {"sum": {"inputFields": [field]}}, "dataset": [ORDERS | {"field": "day"}]}


def run_event(number: int, kind: str | None, time: str, producer: str) -> Json:
    """Events of a few runs that differ in all they say, number by number."""
    parent = {"run": {"runId": DAY}, "job": {"namespace": "shop", "name": f"day{number % 2}"}}
    root = {"run": {"runId": "manual__1"}, "job": {"namespace": "shop", "name": "root"}}
    facets: Json = {
        "schema": schema("sum", f"c{number % 3}"),
        "columnLineage": column_map(f"c{number % 4}"),
        "tags": {"tags": [{"key": f"tag{number % 5}"}]},
        "version": {"datasetVersion": str(number % 7)},
        "symlinks": {"identifiers": [{"namespace": "s3://b", "name": "totals", "type": "TABLE"}]},
    }
    if number % 6 == 0:
        facets = dict.fromkeys(facets, {"_deleted": True})
    counted = {"outputStatistics": {"rowCount": number, "size": number % 3}}
    return {
        "eventTime": time,
        "eventType": kind,
        "producer": producer,
        "run": {
            "runId": RUN if number % 2 else f"manual__{number % 3}",
            "facets": {
                "parent": parent | ({"root": root} if number % 3 else {}),
                "headwater_gaps": {"gaps": [{"kind": "input", "name": f"Leaf{number % 3}"}]},
            },
        },
        "job": JOB | {"facets": {"sql": {"query": f"SELECT {number % 4}"}}},
        "inputs": [ORDERS | {"facets": {"schema": schema("day", f"c{number % 4}")}}],
        "outputs": [TOTALS | {"facets": facets, "outputFacets": counted}],
    }


def static_events(time: str, producer: str, number: int) -> list[Json]:
    """What is said at design time."""
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": ORDERS}
    entry = TOTALS | {"type": "DATASET", "inputs": [ORDERS | {"type": "DATASET", "field": "day"}]}
    said = {"eventTime": time, "producer": producer}
    return [
        said | {"job": JOB | {"facets": {"lineage": {"entries": [entry]}}}, "inputs": [TOTALS]},
        said | {"job": JOB | {"facets": {"documentation": {"description": f"{number}"}}}},
        said | {"dataset": TOTALS | {"facets": {"lifecycleStateChange": change}}},
        said | {"dataset": ORDERS | {"facets": {"schema": schema("day"), "custom": [number]}}},
    ]


def handmade_events() -> list[bytes]:
    """Ties at one instant, late events, facets taken back, and what cannot be taken in."""
    events: list[Json] = []
    for number, said in enumerate(product(TYPES, TIMES, PRODUCERS)):
        events.append(run_event(number, *said))
    for number, (time, producer) in enumerate(product(TIMES, PRODUCERS)):
        events += static_events(time, producer, number)
    events += [
        micro_batch_event(),
        {"eventTime": NOON},
        {"eventTime": "soon", "job": JOB},
        {"eventTime": NOON, "job": 1},
    ]
    return [msgspec.json.encode(event) for event in events]


def send(url: str, events: list[bytes], seed: int) -> None:
    """Send events one by one and in batches, as it comes; all must be answered for good."""
    random = Random(seed)
    headers = {"content-type": "application/json"}
    with httpx2.Client(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
        while events:
            if random.random() < 0.5:
                body, path, good = events[0], "/api/v1/lineage", {201, 400, 422}
                events = events[1:]
            else:
                count = random.randint(1, BATCH)
                body = b"[" + b",".join(events[:count]) + b"]"
                path, good = "/api/v1/lineage/batch", {200, 204, 422}
                events = events[count:]
            answer = client.post(path, content=body)
            assert answer.status_code in good, answer.text


def shares(events: list[bytes], seed: int) -> list[list[bytes]]:
    """Everything twice, in a random order, dealt to the senders of one server."""
    order = events * 2
    Random(seed).shuffle(order)
    return [order[index::SENDERS] for index in range(SENDERS)]


def stop(server: Headwater) -> None:
    """Stop a server, which must end by itself and have nothing to complain of."""
    assert server.stop() != -signal.SIGKILL
    assert "Traceback" not in server.log(), server.log()


def stored_rows(url: str) -> Rows:
    engine = open_engine(url)
    try:
        return read_rows(engine)
    finally:
        engine.dispose()


@pytest.fixture(scope="module")
def events() -> list[bytes]:
    return [*handmade_events(), *load.events(300)]


@pytest.fixture(scope="module")
def expected(events: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    """What one server on SQLite holds, sent everything once and in order."""
    with Headwater.start(data=tmp_path_factory.mktemp("data")) as server:
        send(server.url, events, seed=0)
        stop(server)
        yield stored_rows(server.store)


def test_two_servers_on_postgresql(
    events: list[bytes], expected: Rows, postgresql_url: str
) -> None:
    with (
        Headwater.start(store=postgresql_url) as one,
        Headwater.start(store=postgresql_url) as two,
        ThreadPoolExecutor(2 * SENDERS) as threads,
    ):
        sent = []
        for number, server in enumerate((one, two)):
            for place, share in enumerate(shares(events, seed=number)):
                sent.append(threads.submit(send, server.url, share, SENDERS * number + place))
        for sender in sent:
            sender.result()
        stop(one)
        stop(two)
    assert differences(stored_rows(postgresql_url), expected) == {}


def test_two_servers_on_one_sqlite_file(
    events: list[bytes], expected: Rows, tmp_path: Path
) -> None:
    """Not how it should be run, but it must not lose or change anything."""
    with (
        Headwater.start(data=tmp_path) as one,
        Headwater.start(data=tmp_path) as two,
        ThreadPoolExecutor(2) as threads,
    ):
        sent = []
        for number, server in enumerate((one, two)):
            share = [event for share in shares(events, seed=number) for event in share]
            sent.append(threads.submit(send, server.url, share, number))
        for sender in sent:
            sender.result()
        stop(one)
        stop(two)
    assert differences(stored_rows(one.store), expected) == {}


def test_the_events_cover_what_they_should(events: list[bytes], expected: Rows) -> None:
    assert len(events) > 350
    # Only edits are missing: they are made through the API.
    empty = {name for name, rows in expected.items() if not rows}
    assert empty == {"named", "hidden", "edit_value"}
    assert len(expected["rejected"]) == 3
    assert len(expected["event"]) == len(set(events)) - 3
