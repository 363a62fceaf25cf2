"""A small pipeline for commands: two ways from a topic to a board, an island, and a plan.

shop.orders -> cdc -> orders -> orders -> orders_fact -> report -> board
                             -> copy   -> orders_copy ->
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from testing.api import no_lake, serve
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event, schema

TOPICS = "kafka://broker:9092"
LAKE = "s3://lake"
REPORT = "[bold]report[/bold] ü"
BOARD = "board [1]"
ISLAND = "island\x1b[31m\n"

# When all of the first day has run, and all of the second.
FIRST = "2024-05-01T12:00:00Z"
SECOND = "2024-05-02T12:00:00Z"


class Shop(NamedTuple):
    """Where it can be asked: a server and, beside it, its store."""

    url: str
    store: str


@contextmanager
def open_shop(folder: Path) -> Iterator[Shop]:
    store = f"sqlite:///{folder / 'headwater.db'}"
    with serve(no_lake(store)) as url:
        answer = httpx2.post(f"{url}/api/v1/lineage", json=make_events(), trust_env=False)
        answer.raise_for_status()
        yield Shop(url, store)


def make_events() -> list[Json]:
    first, second = schema(id="int", price="int"), schema(id="int", price="int", coupon="text")
    source, topic = dataset("shop.orders", schema=first), dataset("orders", TOPICS)
    ids = _columns(id=_from(source, "id"))
    old = dataset("orders", TOPICS, schema=first, columnLineage=ids)
    new = dataset("orders", TOPICS, schema=second, columnLineage=ids)
    fact = dataset(
        "orders_fact",
        LAKE,
        schema=schema(revenue="decimal", price_hash="text"),
        columnLineage=_columns(
            revenue=_from(topic, "price", "AGGREGATION"),
            price_hash=_from(topic, "price", "TRANSFORMATION", masking=True),
        )
        | {"dataset": [_source(topic, "id", "INDIRECT", "FILTER")]},
    )
    copy = dataset("orders_copy", LAKE, schema=schema(price="int"))
    board = dataset(BOARD, LAKE, schema=schema(total="decimal"))
    planned = run_event(None, "2024-05-01T09:00:00Z", job="planned", inputs=[dataset("plans")])
    del planned["run"], planned["eventType"]
    return [
        planned,
        *_run("cdc", "2024-05-01T10:00", "2024-05-01T10:05", [source], [old]),
        *_run("orders", "2024-05-01T10:10", "2024-05-01T10:15", [topic], [fact]),
        *_run("copy", "2024-05-01T10:20", "2024-05-01T10:25", [topic], [copy]),
        *_run(REPORT, "2024-05-01T11:00", "2024-05-01T11:55", [fact, copy], [board]),
        *_run("isolate", "2024-05-01T10:00", "2024-05-01T10:05", [], [dataset(ISLAND, LAKE)]),
        *_run("cdc", "2024-05-02T10:00", "2024-05-02T10:05", [source], [new]),
        *_run("orders", "2024-05-02T10:10", "2024-05-02T10:15", [topic], [fact], end="FAIL"),
    ]


def _run(
    job: str, start: str, at: str, inputs: list[Json], outputs: list[Json], end: str = "COMPLETE"
) -> list[Json]:
    name = f"{job} {start}"
    return [
        run_event("START", f"{start}:00Z", name, job, inputs=inputs, outputs=outputs),
        run_event(end, f"{at}:00Z", name, job, inputs=inputs, outputs=outputs),
    ]


def _columns(**sources: Json) -> Json:
    return {"fields": {name: {"inputFields": [source]} for name, source in sources.items()}}


def _from(of: Json, field: str, subtype: str = "IDENTITY", masking: bool = False) -> Json:
    return _source(of, field, "DIRECT", subtype, masking)


def _source(of: Json, field: str, type: str, subtype: str, masking: bool = False) -> Json:
    how: dict[str, Any] = {"type": type, "subtype": subtype, "masking": masking}
    place = {"namespace": of["namespace"], "name": of["name"], "field": field}
    return {**place, "transformations": [how]}


__all__ = ["JOBS", "TABLES"]
