"""The streaming half: change capture, enrichment, the warehouse sink, and a consumer gone silent.

Streams run for days. They say START once and RUNNING from then on: by the hour in the past, by
the minute of late; what they have counted since their START comes along.
"""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.demo.build import (
    HOUR,
    Clock,
    Happening,
    JobName,
    Json,
    System,
    count_orders,
    round_down,
    run_id,
    vary,
)
from headwater.demo.columns import derived
from headwater.demo.tables import (
    ALERTS,
    CUSTOMER_CHANGES,
    CUSTOMERS,
    ENRICHED,
    ORDER_CHANGES,
    ORDERS,
    RAW,
    Table,
)
from headwater.model.values.instant import MINUTE, SECOND

CONNECT = "kafka-connect://connect:8083"
FLINK = "flink://shop-streams:8081"

BY_THE_MINUTE = 6 * HOUR
SILENT_FOR = 4 * HOUR
# Of a hundred orders, so many come with a new or changed customer, or raise an alert.
_CUSTOMERS_IN_100 = 22
_ALERTS_IN_100 = 1
_ROW_BYTES = 310

_DEBEZIUM = System("debezium")
_FLINK = System("flink")
_SINK = System("warehouse-sink")


class DemoStream(NamedTuple):
    """A job that runs on and on."""

    by: System
    name: JobName
    integration: str
    owner: str
    text: str
    reads: tuple[Table, ...]
    writes: tuple[Table, ...]

    def job(self) -> Json:
        kind = {
            "processingType": "STREAMING",
            "integration": self.integration,
            "jobType": "CONNECTOR" if self.name.namespace == CONNECT else "JOB",
        }
        return self.by.job(self.name, kind, self.owner, self.text)


CAPTURE = DemoStream(
    _DEBEZIUM,
    JobName(CONNECT, "commerce-postgres-source"),
    "DEBEZIUM",
    "team:streaming",
    "Reads the write-ahead log of the shop's database, and writes each change to a topic.",
    (ORDERS, CUSTOMERS),
    (ORDER_CHANGES, CUSTOMER_CHANGES),
)
ENRICHMENT = DemoStream(
    _FLINK,
    JobName(FLINK, "order-enrichment"),
    "FLINK",
    "team:streaming",
    "Joins each order with the customer as of the time of the order.",
    (ORDER_CHANGES, CUSTOMER_CHANGES),
    (ENRICHED,),
)
SINK = DemoStream(
    _SINK,
    JobName(CONNECT, "warehouse-orders-sink"),
    "KAFKA_CONNECT",
    "team:data-platform",
    "Loads enriched orders into the warehouse, a file a minute.",
    (ENRICHED,),
    (RAW,),
)
SCREENING = DemoStream(
    _FLINK,
    JobName(FLINK, "fraud-screening"),
    "FLINK",
    "team:risk",
    "Scores each enriched order, and writes an alert where it looks wrong.",
    (ENRICHED,),
    (ALERTS,),
)


def tell_streams(clock: Clock) -> Iterator[Happening]:
    """All that the streams say."""
    yield from _tell_run(CAPTURE, clock, clock.begin, clock.now)
    yield from _tell_redeployed(ENRICHMENT, clock)
    yield from _tell_run(SINK, clock, clock.begin + 2 * MINUTE, clock.now)
    # Neither COMPLETE nor FAIL follows: it is this silence that somebody should notice.
    yield from _tell_run(SCREENING, clock, clock.begin + 3 * MINUTE, clock.now - SILENT_FOR)
    yield _tell_change(clock)


def _tell_redeployed(stream: DemoStream, clock: Clock) -> Iterator[Happening]:
    """The new column asks for a new version of the job: one run ends, the next begins."""
    redeployed = clock.change + ENRICHED.delay
    end = redeployed - 2 * MINUTE
    first = clock.begin + MINUTE
    yield from _tell_run(stream, clock, first, end - 1)
    run = {"runId": run_id(stream.name, first)}
    yield stream.by.run_event(end, "COMPLETE", stream.job(), run)
    yield from _tell_run(stream, clock, redeployed, clock.now)


def _tell_change(clock: Clock) -> Happening:
    """The connector meets the altered table in the log."""
    run = {"runId": run_id(CAPTURE.name, clock.begin)}
    altered = ORDERS.described(CAPTURE.by, clock.change, clock)
    altered["facets"]["lifecycleStateChange"] = CAPTURE.by.facet(
        "LifecycleStateChangeDatasetFacet", lifecycleStateChange="ALTER"
    )
    at = clock.change + 20 * SECOND
    return CAPTURE.by.run_event(at, "RUNNING", CAPTURE.job(), run, inputs=[altered])


def _tell_run(stream: DemoStream, clock: Clock, start: int, last: int) -> Iterator[Happening]:
    """One run, from its START to its last event."""
    run = {"runId": run_id(stream.name, start)}
    for at in _beats(start, last, clock.now):
        # All datasets now and then; in between, only the numbers.
        is_full = (at - start) % HOUR == 0
        yield stream.by.run_event(
            at,
            "START" if at == start else "RUNNING",
            stream.job() if is_full else stream.name._asdict(),
            run,
            [_input(stream, table, clock, start, at, is_full) for table in stream.reads],
            [_output(stream, table, clock, start, at, is_full) for table in stream.writes],
        )


def _beats(start: int, last: int, now: int) -> Iterator[int]:
    recent = start + round_down(max(0, now - BY_THE_MINUTE - start), HOUR)
    yield from range(start, min(recent, last + 1), HOUR)
    yield from range(recent, last + 1, MINUTE)


def _input(
    stream: DemoStream, table: Table, clock: Clock, start: int, at: int, is_full: bool
) -> Json:
    dataset = table.described(stream.by, at, clock) if is_full else table.named()
    rows = _count(table, start, at)
    more = {}
    if table.at.namespace.startswith("kafka:"):
        more["lag"] = vary(f"{stream.name} {table.at}", at, 60)
    return {**dataset, **stream.by.input_statistics(rows, _ROW_BYTES, **more)}


def _output(
    stream: DemoStream, table: Table, clock: Clock, start: int, at: int, is_full: bool
) -> Json:
    dataset = derived(table, stream.by, at, clock) if is_full else table.named()
    rows = _count(table, start, at)
    return {**dataset, **stream.by.output_statistics(rows, _ROW_BYTES)}


def _count(table: Table, start: int, at: int) -> int:
    orders = count_orders(start, at)
    if table in (CUSTOMERS, CUSTOMER_CHANGES):
        return orders * _CUSTOMERS_IN_100 // 100
    if table is ALERTS:
        return orders * _ALERTS_IN_100 // 100
    return orders
