"""The lab step by step: each does something, shows what the graph says of it, and checks that."""

from collections.abc import Callable

import psutil

from headwater.model.values.instant import now
from labs.checks import check
from labs.spark.graph import Look, column_sources, labels
from labs.spark.stage import Stage

STREAMS = ("orders-source", "iceberg-ingestion", "supplier-stats")
BATCH_JOB = "SupplierStats.write lake.db.supplier_stats (4232e9)"

_ORDERS = "order_id string, item string, price decimal(10,2), supplier string, bid_time timestamp"
_NO_ORDER = b"Dear supplier, please send two chairs."

# By hand: what the columns are made of.
_ORDERS_TOPIC = {
    "topic orders.bid_time": {"rate orders-source.timestamp": "TRANSFORMATION"},
    "topic orders.price": {"rate orders-source.value": "TRANSFORMATION"},
    # Chosen by the value, and not made of it.
    "topic orders.supplier": {},
}
_SUPPLIER_STATS_TOPIC = {
    "topic supplier-stats.window_start": {"topic orders.bid_time": "TRANSFORMATION"},
    "topic supplier-stats.window_end": {"topic orders.bid_time": "TRANSFORMATION"},
    "topic supplier-stats.supplier": {"topic orders.supplier": "IDENTITY"},
    "topic supplier-stats.total_price": {"topic orders.price": "AGGREGATION"},
    "topic supplier-stats.count": {},
    "topic supplier-stats.key": {"topic orders.supplier": "IDENTITY"},
    **_ORDERS_TOPIC,
}
_SUPPLIER_STATS_TABLE = {
    "table supplier_stats.supplier": {"table orders.supplier": "IDENTITY"},
    "table supplier_stats.bid_date": {"table orders.bid_time": "TRANSFORMATION"},
    "table supplier_stats.bid_hour": {"table orders.bid_time": "TRANSFORMATION"},
    "table supplier_stats.total_price": {"table orders.price": "AGGREGATION"},
    "table supplier_stats.total_count": {},
    "table orders.supplier": {"topic orders.supplier": "IDENTITY"},
    "table orders.bid_time": {"topic orders.bid_time": "TRANSFORMATION"},
    "table orders.price": {"topic orders.price": "TRANSFORMATION"},
    **_ORDERS_TOPIC,
}
# Spark's own source of rows, which the orders are made up from.
_MADE_UP = {"rate orders-source", "job orders-source", "topic orders"}
_CHAIN = {
    *_MADE_UP,
    "job iceberg-ingestion",
    "table orders",
    f"job {BATCH_JOB}",
    "table supplier_stats",
}


def run_streams(stage: Stage) -> None:
    """Start all streams; see them in the graph, and see them move."""
    stage.streams.tell(f"sql CREATE TABLE lake.db.orders ({_ORDERS}) USING iceberg")
    stage.streams.tell(*(f"start {name}" for name in STREAMS))
    first = [_look_with_rows(stage, name) for name in STREAMS]
    stage.graph.show_looks(first)
    found = labels(stage.graph.show_upstream("supplier-stats"))
    expected = {*_MADE_UP, "job supplier-stats", "topic supplier-stats"}
    check(found == expected, "the stream's whole way is there while it runs", found)
    columns = column_sources(stage.graph.show_columns("supplier-stats"))
    _check_columns(columns, _SUPPLIER_STATS_TOPIC)
    later = [_look_further(stage, look) for look in first]
    stage.graph.show_looks(later)
    check(all(look.state == "RUNNING" for look in later), "all streams are RUNNING", later)
    rows = [(before.written, after.written) for before, after in zip(first, later, strict=True)]
    check(all(before < after for before, after in rows), "each has written more rows", rows)


def join_groups(stage: Stage) -> None:
    """See what the broker knows of the streams: two consumer groups, which are no jobs beside."""
    stage.wait("the groups of two streams", lambda: len(stage.list_groups()) == 2)
    cluster = f"kafka://{stage.kafka.bootstrap}"
    findings = stage.graph.show_discovery(stage.kafka.bootstrap, stage.folder / "collected")
    groups = stage.graph.collected_groups(cluster)
    check(groups == stage.list_groups(), f"the broker's {len(groups)} groups are collected", groups)
    found = labels(stage.graph.show_readers(f"{cluster}|orders"))
    jobs = {each for each in found if each.startswith("job ")}
    streams = {"job iceberg-ingestion", "job supplier-stats"}
    check(jobs == streams, "each is one job with its stream, and none by itself", jobs)
    kinds = {each["name"]: each["kind"] for each in findings}
    check(kinds == {"supplier-stats": "noReader"}, "what nobody reads is found, no more", kinds)


def run_batch(stage: Stage) -> None:
    """See one chain from the topic to the statistics, by column."""
    stage.run_batch()
    stage.wait_for_state("COMPLETED", BATCH_JOB)
    found = labels(stage.graph.show_upstream("db.supplier_stats"))
    check(found == _CHAIN, "one chain from the topic over Iceberg to the statistics", found)
    columns = column_sources(stage.graph.show_columns("db.supplier_stats"))
    _check_columns(columns, _SUPPLIER_STATS_TABLE)


def fail(stage: Stage) -> None:
    """See the run that failed, why, and who is hit."""
    stage.kafka.produce("orders", [_NO_ORDER])
    stage.wait_for_state("FAILED", "iceberg-ingestion")
    stage.graph.show_runs("iceberg-ingestion")
    (failed,) = stage.graph.runs("iceberg-ingestion")
    error = stage.graph.facets(failed["id"])["errorMessage"]["message"]
    check("MALFORMED_RECORD_IN_PARSING" in error, "the run has the error", error)
    ill = [job["name"] for job in stage.graph.show_health()]
    check(ill == ["iceberg-ingestion"], "health names the stream, and no other", ill)
    found = labels(stage.graph.show_downstream("iceberg-ingestion"))
    hit = {"job iceberg-ingestion", "table orders", f"job {BATCH_JOB}", "table supplier_stats"}
    check(found == hit, "who is hit: the table and the statistics, not the windows", found)


def restart(stage: Stage) -> None:
    """See a second run of the same query, and how it differs from the first."""
    since = now()
    (failed,) = stage.graph.runs("iceberg-ingestion")
    stage.streams.tell("start iceberg-ingestion lenient")
    stage.wait_for_state("RUNNING", "iceberg-ingestion")
    look = _look_with_rows(stage, "iceberg-ingestion")
    stage.graph.show_runs("iceberg-ingestion")
    stage.graph.show_looks([look])
    runs = [run["id"] for run in stage.graph.runs("iceberg-ingestion")]
    check(runs == [look.run, failed["id"]], "a second run, besides the failed one", runs)
    query = stage.graph.facets(failed["id"])["spark_stream"]["queryId"]
    check(look.query == query, f"both are of query {query}", look.query)
    check(look.read == look.written + 1, "one message was left out, and nothing else", look)
    changes = stage.graph.show_changes(since, now())
    mended = {"added topic orders.order_id -> table orders INDIRECT/FILTER"}
    check(changes == mended, "how it was mended: order_id now decides about rows", changes)


def change_schema(stage: Stage) -> None:
    """See what changed, and which run brought it."""
    since = now()
    changed = ("orders-source", "iceberg-ingestion")
    stage.streams.tell(*(f"stop {name}" for name in changed))
    stage.wait_for_state("ABORTED", *changed)
    stage.streams.tell("sql ALTER TABLE lake.db.orders ADD COLUMN currency string")
    stage.streams.tell("start orders-source currency", "start iceberg-ingestion lenient currency")
    stage.wait_for_state("RUNNING", *changed)
    stage.run_batch()
    stage.wait("a second run of the batch job", lambda: len(stage.graph.runs(BATCH_JOB)) == 2)
    stage.wait_for_state("COMPLETED", BATCH_JOB)
    changes = stage.graph.show_changes(since, now())
    added = {
        "added topic orders.currency",
        "added rate orders-source.value -> topic orders.currency DIRECT/TRANSFORMATION",
        "added table orders.currency",
        "added topic orders.currency -> table orders.currency DIRECT/IDENTITY",
    }
    check(changes == added, "the new column, from the topic into the table; no more", changes)
    table = str(stage.folder / "lake/db/orders")
    versions = [len(each["fields"]) for each in stage.graph.show_versions(table)]
    check(versions == [5, 6], "the table has a second version, of six columns", versions)


def end(stage: Stage) -> None:
    """See that they say so, and that their processes are gone."""
    family = [(program := psutil.Process(stage.streams.pid)), *program.children(recursive=True)]
    stage.streams.stop()
    stage.wait_for_state("ABORTED", *STREAMS)
    stage.graph.show_jobs()
    left = [process.pid for process in family if process.is_running()]
    check(not left, f"the {len(family)} processes of the streams are gone", left)


STEPS: tuple[tuple[str, Callable[[Stage], None]], ...] = (
    (
        "Three streams run: orders are made up, go into Iceberg, and are summed up by window",
        run_streams,
    ),
    ("The broker's consumer groups are joined with the streams that read by them", join_groups),
    ("A batch job reads the table that is being written to", run_batch),
    ("A failure: an invalid message arrives", fail),
    ("A restart: the stream continues where it was, and skips invalid messages", restart),
    ("A new column: orders get a currency, in the topic and in the table", change_schema),
    ("The end: the streams are stopped", end),
)


def _check_columns(found: dict[str, dict[str, str]], expected: dict[str, dict[str, str]]) -> None:
    """Check all columns but those that they begin with."""
    made = {name: ways for name, ways in found.items() if not name.startswith("rate ")}
    check(made == expected, "every column has the expected sources", made)


def _look_with_rows(stage: Stage, name: str) -> Look:
    def look() -> Look | None:
        found = stage.graph.look(name)
        return found if found and found.written else None

    return stage.wait(f"{name} has written rows", look)


def _look_further(stage: Stage, before: Look) -> Look:
    def look() -> Look | None:
        found = stage.graph.look(before.job)
        return found if found and found.written > before.written else None

    return stage.wait(f"{before.job} has written more than {before.written} rows", look)
