"""Columns of jobs that report SQL and no column lineage: derived, and recorded as an event.

The event is a JobEvent of a producer of its own: lake, rebuild and every reader treat it like any
other, and whatever a run observed or anybody declared outranks it (`graph/edge_rules.py`). A job
facet has the key of what it was derived from, so that nothing is derived twice, and the problems.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from headwater.emit.events import Producer
from headwater.emit.spec import SQL_LINEAGE
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.view import Link, View, Visit
from headwater.model.aspects import JOB_TYPE
from headwater.model.naming import DatasetName
from headwater.model.relations import Direction, Slot
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.model.uses import NOW, Evidence, Name, newest_schema
from headwater.model.values.ids import dataset_id, digest
from headwater.model.values.instant import format_instant, parse_instant
from headwater.sql.job_lineage import DerivedLineage, JobTable, derive_job_lineage
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.content_cache import COLUMN_TYPES
from headwater.store.read.facets import NO_FIELDS, read_facet_fields

Json = dict[str, Any]

FACET = "headwater_sqlLineage"
# Changes when the same SQL may give other columns: everything is derived again then.
_RULES = "2"
_MAX_SQL = 500_000
_STATED = (EdgeKind.OBSERVED, EdgeKind.DECLARED)
# Systems whose SQL is a dialect of its own, by the scheme of a namespace or `jobType.integration`.
_DIALECTS = {
    "athena": "athena",
    "awsathena": "athena",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "flink": "flink",
    "hive": "hive",
    "ksql": "ksqldb",
    "ksqldb": "ksqldb",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "presto": "presto",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "spark": "spark",
    "sqlite": "sqlite",
    "teradata": "teradata",
    "trino": "trino",
}

_PRODUCER = Producer.of_part(SQL_LINEAGE)


class SqlJob(NamedTuple):
    """A job with SQL whose outputs have no columns of their own."""

    name: Name
    text: str
    dialect: str
    inputs: list[JobTable]
    outputs: list[JobTable]
    reported_at: int
    derived_before: Json

    @property
    def key(self) -> str:
        """Of all that goes into what is derived."""
        tables = [
            [side, table.dataset, sorted(table.names), list(table.columns.items())]
            for side, some in (("in", self.inputs), ("out", self.outputs))
            for table in sorted(some)
        ]
        return digest(msgspec.json.encode([_RULES, self.text, self.dialect, tables])).hex()


def infer_columns(
    connection: Connection, jobs: Iterable[bytes], check: Callable[[], None] = lambda: None
) -> Iterator[Json]:
    """The events that bring what is derived of some jobs up to date; none for most."""
    view = View(StoreReader(connection), NOW)
    for job in _read_sql_jobs(connection, view, list(jobs)):
        check()
        if job.derived_before.get("key") != job.key:
            yield derived_event(job, _derive(connection, view, job))


def _read_sql_jobs(connection: Connection, view: View, jobs: list[bytes]) -> Iterator[SqlJob]:
    facets = read_facet_fields(connection, jobs, Slot.JOB, {"sql", FACET, JOB_TYPE})
    with_sql = [
        job
        for job in jobs
        if _text(facets.get(job, NO_FIELDS).by_facet.get("sql", {}).get("query"))
    ]
    names = view.reader.job_names(with_sql)
    hidden = view.hidden(with_sql)
    outputs = view.links(map(Visit, with_sql), Direction.OUTPUT)
    inputs = view.links(map(Visit, with_sql), Direction.INPUT)
    for job in with_sql:
        written = [link for link in outputs[Visit(job)] if link.kind in _STATED]
        if job in hidden or job not in names or all(_has_columns(link) for link in written):
            continue
        read = [link for link in inputs[Visit(job)] if link.kind in _STATED]
        stated = facets[job].by_facet
        uses = [use for link in (*read, *written) for use in link.uses]
        times = [use.reported_at for use in uses if use.word != Evidence.INFERRED]
        into = describe_tables(connection, view, [link.dataset for link in written])
        yield SqlJob(
            names[job],
            _text(stated["sql"].get("query")),
            _dialect(stated, into),
            describe_tables(connection, view, [link.dataset for link in read]),
            into,
            max(times),
            stated.get(FACET, {}),
        )


def _has_columns(link: Link) -> bool:
    return bool(link.columns) and not link.has_inferred_columns


def _text(query: object) -> str:
    return query if isinstance(query, str) and 0 < len(query) <= _MAX_SQL else ""


def _dialect(facets: dict[str, Json], outputs: list[JobTable]) -> str:
    """What the job says, or the system that runs it or keeps what it writes; else to be found."""
    stated = facets["sql"].get("dialect")
    if isinstance(stated, str) and stated.lower() in _DIALECTS:
        return _DIALECTS[stated.lower()]
    system = system_of_job(facets.get(JOB_TYPE, {}).get("integration"), "")
    systems = [system, *(system_of_dataset(table.dataset.namespace) for table in outputs)]
    return next((_DIALECTS[each] for each in systems if each in _DIALECTS), "")


def describe_tables(connection: Connection, view: View, datasets: list[bytes]) -> list[JobTable]:
    """Datasets as tables that SQL may name."""
    view.load_users(datasets, Direction)
    members = {dataset: view.classes.names(dataset) for dataset in datasets}
    names = view.reader.dataset_names([name for some in members.values() for name in some])
    schemas = {dataset: newest_schema(view.users(dataset)) for dataset in datasets}
    types = COLUMN_TYPES.read(connection, [use.schema for use in schemas.values() if use])
    return [
        JobTable(
            DatasetName(*names[dataset]),
            tuple(sorted({names[name].name for name in members[dataset] if name in names})),
            types.get(use.schema, {}) if (use := schemas[dataset]) else {},
        )
        for dataset in datasets
        if dataset in names
    ]


def _derive(connection: Connection, view: View, job: SqlJob) -> DerivedLineage:
    """Derive; a table that the job does not report is taken if it exists beside the others."""
    found = derive_job_lineage(job.text, job.dialect, job.inputs, job.outputs)
    if not found.unknown_tables:
        return found
    completed = {
        dataset_id(*name)
        for table in found.unknown_tables
        for name in _completions(table, [*job.inputs, *job.outputs])
    }
    existing = list(view.reader.dataset_names(completed))
    shown = [dataset for dataset in existing if view.has_dataset(dataset)]
    if not shown:
        return found
    more = describe_tables(connection, view, sorted(map(view.chosen, shown)))
    return derive_job_lineage(job.text, job.dialect, [*job.inputs, *more], job.outputs)


def _completions(table: str, known: list[JobTable]) -> Iterator[DatasetName]:
    """A table's name with what is left out of it, as the job's other datasets have it."""
    parts = table.split(".")
    for each in known:
        namespace, name = each.dataset
        leading = name.split(".")[: -len(parts)] if name.count(".") >= len(parts) else []
        yield DatasetName(namespace, ".".join((*leading, *parts)))


def _time_of(derived: Json) -> int | None:
    """When what was derived before counts from; anybody may send such a facet."""
    try:
        return parse_instant(str(derived.get("time")))
    except ValueError:
        return None


def derived_event(job: SqlJob, found: DerivedLineage) -> Json:
    """What was derived, as of when its evidence was reported; never before what it replaces."""
    before = _time_of(job.derived_before)
    at = job.reported_at if before is None else max(job.reported_at, before + 1)
    unknown = [f"'{table}' is not among the inputs of the job" for table in found.unknown_tables]
    facet = _PRODUCER.custom_facet(
        key=job.key,
        time=format_instant(at),
        dialect=job.dialect,
        problems=[*unknown, *found.problems],
    )
    outputs = [
        {
            "namespace": output.namespace,
            "name": output.name,
            "facets": {"columnLineage": _PRODUCER.facet("ColumnLineageDatasetFacet", **columns)},
        }
        for output, columns in found.columns.items()
    ]
    inputs = [{"namespace": each.namespace, "name": each.name} for each in found.inputs]
    described = {"namespace": job.name.namespace, "name": job.name.name, "facets": {FACET: facet}}
    return _PRODUCER.job_event(described, inputs if outputs else [], outputs, at)
