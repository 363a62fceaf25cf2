"""The dbt project: orders by the hour, revenue by the night, and the night that failed."""

from collections.abc import Iterator

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
)
from headwater.demo.columns import derived
from headwater.demo.queries import fact_sql, summary_sql
from headwater.demo.tables import FACT, RAW, SUMMARY, Table
from headwater.model.values.instant import DAY, MINUTE, SECOND, format_instant

DBT = "dbt://shop-analytics"
HOURLY = JobName(DBT, "shop_analytics.hourly")
NIGHTLY = JobName(DBT, "shop_analytics.nightly")
FACT_MODEL = JobName(DBT, "shop_analytics.orders_fact")
FACT_TESTS = JobName(DBT, "shop_analytics.orders_fact.tests")
SUMMARY_MODEL = JobName(DBT, "shop_analytics.daily_revenue_summary")

NIGHT = 2 * HOUR
_RETRY_AFTER = 40 * MINUTE
_ENDED_AFTER = HOUR
_COUNTRIES = 11
_ROW_BYTES = 120
_BY = System("dbt")
_OWNER = "team:analytics"

FAILURE = (
    "Database Error in model daily_revenue_summary: the statement was cancelled, because "
    "warehouse TRANSFORM_S reached the credit quota of its resource monitor"
)
_STACK_TRACE = """\
Traceback (most recent call last):
  File "shop_analytics/run.py", line 41, in run_model
    result = adapter.execute(compiled.sql)
  File "shop_analytics/adapter.py", line 112, in execute
    raise DatabaseError(cursor.sfqid, cursor.reason)
shop_analytics.adapter.DatabaseError: statement cancelled: quota of TRANSFORM_S reached"""


def tell_warehouse(clock: Clock) -> Iterator[Happening]:
    """All events of dbt; the caller omits those in the future."""
    for slot in range(clock.begin, clock.now, HOUR):
        yield from _tell_hour(clock, slot)
    failing = last_night(clock.now)
    for day in range(round_down(clock.begin, DAY), clock.now, DAY):
        slot = day + NIGHT
        if slot >= clock.begin:
            yield from _tell_night(clock, slot, is_failing=slot == failing)


def last_night(now: int) -> int:
    """The newest nightly slot that has had the time to fail and be run again."""
    return round_down(now - _ENDED_AFTER - NIGHT, DAY) + NIGHT


def _tell_hour(clock: Clock, slot: int) -> Iterator[Happening]:
    start = slot + 5 * MINUTE
    project = _project(HOURLY, "Brings the marts up to date, by the hour.")
    run = _run(HOURLY, start, slot)
    orders = count_orders(slot - HOUR, slot)
    sql = fact_sql(FACT.is_changed(start, clock))
    yield _BY.run_event(start, "START", project, run)
    yield from _tell_model(clock, FACT_MODEL, sql, (RAW, FACT), (HOURLY, run), slot, start, orders)
    yield from _tell_tests(clock, (HOURLY, run), slot, start + 2 * MINUTE)
    yield _BY.run_event(start + 3 * MINUTE, "COMPLETE", project, run)


def _tell_night(clock: Clock, slot: int, is_failing: bool) -> Iterator[Happening]:
    start = slot + MINUTE
    if is_failing:
        yield from _tell_nightly(clock, slot, start, is_failing=True)
        start += _RETRY_AFTER
    yield from _tell_nightly(clock, slot, start, is_failing=False)


def _tell_nightly(clock: Clock, slot: int, start: int, is_failing: bool) -> Iterator[Happening]:
    project = _project(NIGHTLY, "Makes the summaries of the day that ended, by night.")
    run = _run(NIGHTLY, start, slot)
    tables = (FACT, SUMMARY)
    rows = None if is_failing else _COUNTRIES
    sql = summary_sql(SUMMARY.is_changed(start, clock))
    yield _BY.run_event(start, "START", project, run)
    yield from _tell_model(clock, SUMMARY_MODEL, sql, tables, (NIGHTLY, run), slot, start, rows)
    end = "FAIL" if is_failing else "COMPLETE"
    yield _BY.run_event(start + 3 * MINUTE, end, project, _failed(run) if is_failing else run)


def _tell_model(
    clock: Clock,
    name: JobName,
    sql: str,
    tables: tuple[Table, Table],
    within: tuple[JobName, Json],
    slot: int,
    start: int,
    rows: int | None,
) -> Iterator[Happening]:
    """A model's run; without rows it fails."""
    source, target = tables
    start, end = start + 20 * SECOND, start + 2 * MINUTE
    kind = {"processingType": "BATCH", "integration": "DBT", "jobType": "MODEL"}
    job = _BY.job(name, kind, _OWNER, target.description, sql)
    run = _run(name, start, slot, within)
    inputs = [source.described(_BY, start, clock)]
    output = derived(target, _BY, start, clock)
    yield _BY.run_event(start, "START", job, run, inputs, [output])
    if rows is None:
        yield _BY.run_event(end, "FAIL", job, _failed(run), inputs, [output])
    else:
        counted = {**output, **_BY.output_statistics(rows, _ROW_BYTES)}
        yield _BY.run_event(end, "COMPLETE", job, run, inputs, [counted])


def _tell_tests(
    clock: Clock, within: tuple[JobName, Json], slot: int, start: int
) -> Iterator[Happening]:
    kind = {"processingType": "BATCH", "integration": "DBT", "jobType": "TEST"}
    job = _BY.job(FACT_TESTS, kind, _OWNER, "What must hold of orders_fact.")
    start += 5 * SECOND
    run = _run(FACT_TESTS, start, slot, within)
    checked = _BY.facet("DataQualityAssertionsDatasetFacet", assertions=_assertions(slot))
    dataset = FACT.described(_BY, start, clock)
    dataset["inputFacets"] = {"dataQualityAssertions": checked}
    yield _BY.run_event(start, "START", job, run, [FACT.named()])
    yield _BY.run_event(start + 40 * SECOND, "COMPLETE", job, run, [dataset])


def _assertions(slot: int) -> list[Json]:
    # At night the customers of some orders arrive late: a warning, gone an hour later.
    is_late = slot % DAY == 3 * HOUR
    return [
        {"assertion": "unique", "column": "order_id", "success": True, "severity": "error"},
        {"assertion": "not_null", "column": "order_id", "success": True, "severity": "error"},
        {"assertion": "not_negative", "column": "revenue", "success": True, "severity": "error"},
        {
            "assertion": "not_null",
            "column": "customer_email_hash",
            "success": not is_late,
            "severity": "warn",
        },
    ]


def _project(name: JobName, text: str) -> Json:
    kind = {"processingType": "BATCH", "integration": "DBT", "jobType": "JOB"}
    return _BY.job(name, kind, _OWNER, text)


def _run(name: JobName, start: int, slot: int, within: tuple[JobName, Json] | None = None) -> Json:
    nominal = _BY.facet("NominalTimeRunFacet", nominalStartTime=format_instant(slot))
    facets = {"nominalTime": nominal}
    if within is not None:
        facets["parent"] = _BY.parent(within[0], within[1]["runId"])
    return {"runId": run_id(name, start), "facets": facets}


def _failed(run: Json) -> Json:
    error = _BY.facet(
        "ErrorMessageRunFacet",
        message=FAILURE,
        programmingLanguage="python",
        stackTrace=_STACK_TRACE,
    )
    return {**run, "facets": {**run["facets"], "errorMessage": error}}
