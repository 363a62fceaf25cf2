"""The lab step by step: each does something, shows what the graph says of it, and checks that."""

from collections.abc import Callable

from labs.checks import check
from labs.flink.graph import Look
from labs.flink.stage import Stage
from labs.spark.graph import column_sources, labels
from testing.commands import run_program

INGESTION, WINDOWS = "iceberg-ingestion", "supplier-stats"
BATCH_JOB = "SupplierStats.write lake.db.supplier_stats (4232e9)"
_NO_ORDER = b"Dear supplier, please send two chairs."

# By hand: what the columns are made of.
_STATS_TOPIC = {
    "topic supplier-stats.window_start": {"topic orders.bid_time": "TRANSFORMATION"},
    "topic supplier-stats.window_end": {"topic orders.bid_time": "TRANSFORMATION"},
    "topic supplier-stats.supplier": {"topic orders.supplier": "IDENTITY"},
    "topic supplier-stats.total_price": {"topic orders.price": "AGGREGATION"},
    "topic supplier-stats.count": {},
}
_STATS_TABLE = {
    "table supplier_stats.supplier": {"table orders.supplier": "IDENTITY"},
    "table supplier_stats.bid_date": {"table orders.bid_time": "TRANSFORMATION"},
    "table supplier_stats.bid_hour": {"table orders.bid_time": "TRANSFORMATION"},
    "table supplier_stats.total_price": {"table orders.price": "AGGREGATION"},
    "table supplier_stats.total_count": {},
    "table orders.supplier": {"topic orders.supplier": "TRANSFORMATION"},
    "table orders.bid_time": {"topic orders.bid_time": "IDENTITY"},
    "table orders.price": {"topic orders.price": "IDENTITY"},
}
_BEFORE = {"job orders-source", "topic orders", f"job {WINDOWS}", "topic supplier-stats"}
_CHAIN = {
    "job orders-source",
    "topic orders",
    f"job {INGESTION}",
    "table orders",
    f"job {BATCH_JOB}",
    "table supplier_stats",
}


def declare(stage: Stage) -> None:
    """See what a job will do before it has run."""
    _run(stage, "declare", str(stage.folder / "jobs.yaml"))
    script = str(stage.script(WINDOWS))
    _run(stage, "sql", script, "--emit", "--job-namespace", "fh-local")
    found = labels(stage.graph.show_upstream("supplier-stats"))
    check(found == _BEFORE, "the way to supplier-stats is there before anything runs", found)
    columns = _columns(stage, "supplier-stats")
    check(columns == _STATS_TOPIC, "every column has the expected sources", columns)
    check(stage.graph.runs(WINDOWS) == [], "no run yet")


def run_windows(stage: Stage) -> None:
    """See one run, whoever reports it, and how far it is."""
    job = stage.submit(WINDOWS)
    stage.write_orders(seconds=30)
    look = _look_with(stage, WINDOWS, read=stage.orders)
    # Windows of five seconds, one for each of two suppliers; the last waits for later orders.
    look = _look_with(stage, WINDOWS, read=look.read, written=10)
    topic = len(stage.kafka.consume_all("supplier-stats"))
    stage.graph.show_looks(look)
    check(look.written == topic, f"the {topic} rows that were counted are in the topic", look)
    both = {"integration/flink", "collect/flink"}
    stage.wait("both have reported", lambda: both <= stage.graph.producers(WINDOWS))
    stage.graph.show_runs(WINDOWS)
    runs = [run["id"].replace("-", "") for run in stage.graph.runs(WINDOWS)]
    check(runs == [job], "Flink's own listener and the collector report one run", runs)
    columns = _columns(stage, "supplier-stats")
    check(columns == _STATS_TOPIC, "its columns are what they were to be", columns)


def ingest(stage: Stage) -> None:
    """See one chain from the topic by Flink, Iceberg and Spark, by column."""
    stage.submit(INGESTION)
    look = _look_with(stage, INGESTION, read=stage.orders, written=stage.orders)
    stage.graph.show_looks(look)
    table = stage.folder / "lake" / "db" / "orders"
    stage.wait("a snapshot of the table", lambda: list(table.glob("data/*.parquet")))
    stage.run_batch()
    stage.wait_for_state("COMPLETED", BATCH_JOB)
    found = labels(stage.graph.show_upstream("db.supplier_stats"))
    check(found == _CHAIN, "one chain from the topic by Iceberg to the statistics", found)
    columns = _columns(stage, "db.supplier_stats")
    check(columns == _STATS_TABLE, "every column has the expected sources", columns)


def cancel(stage: Stage) -> None:
    """See ABORT, and what the job did so far."""
    job = stage.graph.runs(WINDOWS)[0]["id"].replace("-", "")
    stage.flink.cancel(job)
    stage.wait_for_state("ABORTED", WINDOWS)
    stage.graph.show_runs(WINDOWS)
    found = labels(stage.graph.show_upstream("supplier-stats"))
    check(found == _BEFORE, "what it did so far stays", found)


def fail(stage: Stage) -> None:
    """See the run that failed, why, and who is hit."""
    stage.kafka.produce("orders", [_NO_ORDER])
    stage.wait_for_state("FAILED", INGESTION)
    stage.graph.show_runs(INGESTION)
    failed = stage.graph.runs(INGESTION)[0]["id"]
    # Flink's own listener says that it failed, and the collector why.
    why = stage.wait("why", lambda: stage.graph.facets(failed).get("errorMessage"))
    error = why["message"]
    check("Unrecognized token 'Dear'" in error, "the run has the root of the failure", error)
    ill = [job["name"] for job in stage.graph.show_health()]
    check(ill == [INGESTION], "health names the job, and no other", ill)
    found = labels(stage.graph.show_downstream(INGESTION))
    hit = {f"job {INGESTION}", "table orders", f"job {BATCH_JOB}", "table supplier_stats"}
    check(found == hit, "who is hit: the table and the statistics, not the windows", found)


def end(stage: Stage) -> None:
    """See all jobs as they ended."""
    stage.graph.show_jobs()
    states = {job: stage.graph.state(job) for job in (INGESTION, WINDOWS, BATCH_JOB)}
    expected = {INGESTION: "FAILED", WINDOWS: "ABORTED", BATCH_JOB: "COMPLETED"}
    check(states == expected, "each job is in the state that it ended in", states)


STEPS: tuple[tuple[str, Callable[[Stage], None]], ...] = (
    ("Before anything runs: a declared job, and a script of SQL", declare),
    ("A Flink job sums up orders by window: two report it, and it is one", run_windows),
    ("A second one writes orders into Iceberg, and Spark reads them", ingest),
    ("A job is cancelled", cancel),
    ("A failure: an invalid message arrives", fail),
    ("The end", end),
)


def _run(stage: Stage, *command: str) -> None:
    shown = " ".join(each.rpartition("/")[2] for each in command)
    stage.graph.say_command(shown)
    outcome = run_program(*command, "--server", stage.graph.url)
    print((outcome.out + outcome.err).strip(), flush=True)
    check(outcome.status == 0, "the command ends well", outcome.status)


def _columns(stage: Stage, name: str) -> dict[str, dict[str, str]]:
    """All columns of the answer but those that they begin with."""
    found = column_sources(stage.graph.show_columns(name))
    return {name: ways for name, ways in found.items() if not name.startswith("topic orders.")}


def _look_with(stage: Stage, job: str, read: int, written: int = 0) -> Look:
    def look() -> Look | None:
        found = stage.graph.look(job)
        return found if found and found.read == read and found.written >= written else None

    return stage.wait(f"{job} has read {read} rows, and written {written}", look)
