"""One corpus of events of every kind, good and bad, and the rows that every way must make of it."""

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any, NamedTuple, TypeVar

from hypothesis import HealthCheck, given, settings
from sqlalchemy import Engine, select

from headwater.model.facts import Facts
from headwater.model.intake import take_in
from headwater.model.values.instant import DAY, now
from headwater.pipeline.own_lineage import NAMESPACE
from headwater.store import tables
from headwater.store.write.packing import unpack
from testing import load
from testing.events import history
from testing.events.full import dataset_event, edit_event, encode, job_event, run_event
from tests.properties.strategies import event_lists, facts_of, rows_of
from tests.store.rows import Rows, read_rows

# Who brought what was rejected, and when, is all that may differ.
_SOURCE = 1
SEED = 7

T = TypeVar("T")


class Corpus(NamedTuple):
    """Events as they are sent: `good` ones, `bad` ones that are JSON, and what is `broken`."""

    good: list[bytes]
    bad: list[bytes]
    broken: list[bytes]

    @property
    def json(self) -> list[bytes]:
        return [*self.good, *self.bad]

    @property
    def all(self) -> list[bytes]:
        return [*self.json, *self.broken]


@cache
def make_corpus() -> Corpus:
    """A few hundred events, the same in every run."""
    good = [*_of_model(), *_of_graph(), *load.events(120), load.wide_event(300), *_of_strategies()]
    return Corpus(list(dict.fromkeys(good)), _bad(), _broken())


def doubled(events: Iterable[bytes], seed: int = SEED) -> list[bytes]:
    """All of them twice, in an order that has nothing to do with theirs."""
    order = [*events] * 2
    Random(seed).shuffle(order)
    return order


def cut(events: list[T], size: int) -> list[list[T]]:
    return [events[start : start + size] for start in range(0, len(events), size)]


def as_array(events: Iterable[bytes]) -> bytes:
    return b"[" + b",\n ".join(events) + b"]"


def expected_rows(events: Iterable[bytes], own: Iterable[bytes] = ()) -> Rows:
    """The reference: what each states, merged in memory; of the pipeline's `own` as well."""
    stated = [take_in(event, now(), DAY, "").facts for event in events]
    return comparable(rows_of([*stated, *map(facts_of, own)]))


def stored_rows(engine: Engine) -> Rows:
    return comparable(read_rows(engine))


def comparable(rows: Rows) -> Rows:
    rejected = {(*row[:_SOURCE], *row[_SOURCE + 1 :]) for row in rows["rejected"]}
    return {**rows, "rejected": rejected, "rejected_place": set()}


def own_events(engine: Engine) -> list[bytes]:
    """What the pipeline tells of itself: events of a job in its namespace."""
    event, job = tables.event, tables.job
    query = select(event.c.payload).join(job, job.c.id == event.c.job)
    with engine.connect() as connection:
        rows = connection.execute(query.where(job.c.namespace == NAMESPACE))
        return [unpack(payload) for payload in rows.scalars()]


def facts_of_all(events: Iterable[bytes]) -> list[Facts]:
    return [take_in(event, now(), DAY, "").facts for event in events]


def _of_model() -> list[bytes]:
    kinds: list[str | None] = ["START", "RUNNING", "OTHER", "COMPLETE", "FAIL", "ABORT", None]
    described = {"facets": {"documentation": {"description": "\u00e9\U0001f600 \u0000 \ud7ff"}}}
    found: list[dict[str, Any]] = [
        *(run_event(kind) for kind in kinds),
        run_event("COMPLETE", eventTime="2024-05-01T12:00:00.000001+05:30"),
        run_event("START", eventTime="1969-07-20T20:17:40Z", run={"runId": "manual__1"}),
        run_event("START", job={"namespace": "s", "name": "\u540d\u524d " * 40}),
        job_event(),
        job_event(job={"namespace": "scheduler", "name": "load", **described}),
        dataset_event(),
        dataset_event(dataset={"namespace": "db", "name": "orders", **described}),
    ]
    half = (
        b'{"eventTime":"2024-05-01T12:00:00Z","dataset":{"namespace":"db","name":"half","facets":'
    )
    return [*map(encode, found), half + rb'{"custom":{"text":"\ud800"}}}}']


def _of_graph() -> list[bytes]:
    orders = history.dataset("orders", schema=["id", "price"], symlinks=[("s3|orders", "TABLE")])
    totals = history.dataset(
        "totals", schema=["sum"], columns={"sum": ["orders.price", "?orders.id"]}, rows_by=["x.y"]
    )
    renamed = history.dataset("totals_v2", lifecycle="RENAME", renamed_from="totals")
    found = [
        history.run("etl", "START", 0, 1, [orders], [totals], parent=9),
        history.run("etl", "RUNNING", 1, 1, [orders], [], job_type=history.SNAPSHOTS),
        history.run("etl", "COMPLETE", 2, 1, [], [totals]),
        history.run("app", "FAIL", 3, 9),
        history.declare("etl", 4, ["orders"], ["totals"], author="https://a.example"),
        history.declare("etl", 5, ["orders"], []),
        history.describe(6, renamed),
        history.describe(7, history.dataset("totals", lifecycle="DROP")),
    ]
    return list(map(encode, found))


def _of_strategies() -> list[bytes]:
    """What the property tests send, edits left out: those are not taken in from outside."""
    found: list[bytes] = []

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=120,
        suppress_health_check=list(HealthCheck),
    )
    @given(event_lists())
    def gather(events: list[bytes]) -> None:
        found.extend(events)

    gather()
    return [event for event in found if b'"edit"' not in event][:250]


def _bad() -> list[bytes]:
    found: list[Any] = [
        {},
        5,
        "text",
        None,
        edit_event(),
        run_event(eventTime="2999-01-01T00:00:00Z"),
        run_event(eventTime="yesterday"),
        run_event(eventType="BOILING"),
        run_event(run={"runId": 5}),
        job_event(job={"namespace": "scheduler"}),
        dataset_event(dataset={"namespace": "db", "name": "a\u0000b"}),
    ]
    return list(map(encode, found))


def _broken() -> list[bytes]:
    """Not JSON, each on one line."""
    return [
        b"{",
        b"no json at all",
        encode(run_event())[:-1],
        encode(run_event()) + b" and more",
        encode(run_event())[:-1] + b",}",
        b'{"eventTime": "\xff\xfe"}',
    ]
