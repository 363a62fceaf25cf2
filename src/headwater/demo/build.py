"""Parts of OpenLineage events: names, facets, ids; every one a plain function of its arguments."""

import math
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from headwater.emit.events import Producer
from headwater.model.values.instant import MINUTE

Json = dict[str, Any]

HOUR = 60 * MINUTE

# Orders a minute, on average; the evening has twice those of the morning.
_ORDERS_A_MINUTE = 38.0
_DAY_AND_NIGHT = 0.6
_MINUTES_A_DAY = 24 * 60


class Clock(NamedTuple):
    """When things happen in the example, all counted back from `now`."""

    now: int
    begin: int
    """The first event."""
    change: int
    """A column is added to the orders."""


class JobName(NamedTuple):
    namespace: str
    name: str


class Happening(NamedTuple):
    """An event and its time."""

    at: int
    event: Json


class System(NamedTuple):
    """One of the shop's systems, as a producer of events."""

    name: str

    @property
    def producer(self) -> Producer:
        return Producer(f"https://example.com/acme-shop/{self.name}")

    def facet(self, kind: str, **content: Any) -> Json:
        return self.producer.facet(kind, **content)

    def run_event(
        self,
        at: int,
        event_type: str,
        job: Json,
        run: Json,
        inputs: list[Json] | None = None,
        outputs: list[Json] | None = None,
    ) -> Happening:
        event = self.producer.run_event(event_type, job, run, inputs or [], outputs or [], at)
        return Happening(at, event)

    def job(self, name: JobName, kind: Json, owner: str, text: str, sql: str = "") -> Json:
        """A job with its type, owner, description and SQL."""
        facets = {
            "jobType": self.facet("JobTypeJobFacet", **kind),
            "ownership": self.facet("OwnershipJobFacet", owners=owners(owner)),
            "documentation": self.facet("DocumentationJobFacet", description=text),
        }
        if sql:
            facets["sql"] = self.facet("SQLJobFacet", query=sql, dialect="snowflake")
        return {**name._asdict(), "facets": facets}

    def parent(self, job: JobName, run_id: str) -> Json:
        return self.producer.parent(job._asdict(), run_id)

    def input_statistics(self, rows: int, row_bytes: int, **more: int) -> Json:
        return self.producer.input_statistics(rowCount=rows, size=rows * row_bytes, **more)

    def output_statistics(self, rows: int, row_bytes: int) -> Json:
        return self.producer.output_statistics(rowCount=rows, size=rows * row_bytes)


def owners(*names: str) -> list[Json]:
    return [{"name": name, "type": "OWNER"} for name in names]


def run_id(job: JobName, start: int) -> str:
    """A run id in the form of a UUID of version 7: its time first, the rest from job and time."""
    noise = int.from_bytes(sha256(f"{job} {start}".encode()).digest()[:10])
    bits = (start // 1_000) << 80 | noise
    bits = bits & ~(0xF << 76) | 7 << 76
    bits = bits & ~(0b11 << 62) | 0b10 << 62
    return str(UUID(int=bits))


def vary(name: str, at: int, most: int) -> int:
    """A number below `most` that looks random and is always the same."""
    return int.from_bytes(sha256(f"{name} {at}".encode()).digest()[:4]) % most


def count_orders(start: int, end: int) -> int:
    """How many orders came in between two times: more in the evening, fewer at night."""
    return int(_orders_until(end)) - int(_orders_until(start))


def _orders_until(at: int) -> float:
    minutes = at / MINUTE
    turn = math.tau / _MINUTES_A_DAY
    # The rate `1 - a sin(turn t)`, integrated: it grows always, as `a` is below 1.
    return _ORDERS_A_MINUTE * (minutes + _DAY_AND_NIGHT / turn * math.cos(turn * minutes))


def round_down(at: int, unit: int) -> int:
    return at - at % unit
