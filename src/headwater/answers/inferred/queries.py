"""Inputs that are queries of a database in the place of a table: resolved to the tables they read.

A producer that hands a query to a database (Spark by JDBC) reports it as a dataset with the text in
a facet. What the query reads is recorded as a job of the query's name, which writes that dataset:
every walk then goes on to the tables, by column.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.answers.inferred.jobs import FACET, SqlJob, derived_event, describe_tables
from headwater.graph.view import View
from headwater.model.naming import DatasetName
from headwater.model.relations import Direction, Slot
from headwater.model.systems import system_of_dataset
from headwater.model.uses import NOW
from headwater.model.values.ids import dataset_id, job_id
from headwater.sql.job_lineage import JobTable, derive_job_lineage
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.facets import NO_FIELDS, read_facet_fields
from headwater.store.stats.column_evidence import QUERY_FACET

Json = dict[str, Any]

# Where a name has no schema; as producers name the tables of these databases.
_SCHEMAS = {"crate": "doc", "db2": "public", "mssql": "dbo", "oracle": "public"}
_SCHEMAS |= {"postgres": "public", "redshift": "public"}


def infer_queries(
    connection: Connection, datasets: Iterable[bytes], check: Callable[[], None] = lambda: None
) -> Iterator[Json]:
    """The events that bring what is derived of some queries up to date; none for most."""
    view = View(StoreReader(connection), NOW)
    for query in _read_queries(connection, view, list(datasets)):
        check()
        before = derive_job_lineage(query.text, query.dialect, [], query.outputs)
        output = query.outputs[0].dataset
        read = [_table(output, table) for table in before.unknown_tables]
        resolved = query._replace(inputs=_known(connection, view, read))
        if query.derived_before.get("key") != resolved.key:
            found = derive_job_lineage(
                resolved.text, resolved.dialect, resolved.inputs, resolved.outputs
            )
            yield derived_event(resolved, found)


def _read_queries(connection: Connection, view: View, datasets: list[bytes]) -> Iterator[SqlJob]:
    facets = read_facet_fields(connection, datasets, Slot.DATASET, {QUERY_FACET})
    found = [dataset for dataset in datasets if dataset in facets]
    names = view.reader.dataset_names(found)
    jobs = {dataset: job_id(*name) for dataset, name in names.items()}
    before = read_facet_fields(connection, jobs.values(), Slot.JOB, {FACET})
    hidden = view.hidden(found)
    view.load_users(found, Direction)
    for dataset in found:
        stated = facets[dataset].by_facet[QUERY_FACET]
        text, dialect = stated.get("query"), stated.get("dialect")
        times = [use.reported_at for use in view.users(dataset) if use.job != jobs.get(dataset)]
        if dataset in hidden or dataset not in names or not times or not isinstance(text, str):
            continue
        yield SqlJob(
            names[dataset],
            text,
            dialect if isinstance(dialect, str) else "",
            [],
            describe_tables(connection, view, [dataset]),
            max(times),
            before.get(jobs[dataset], NO_FIELDS).by_facet.get(FACET, {}),
        )


def _table(query: DatasetName, table: str) -> DatasetName:
    """A table of the database that a query was sent to: `shop.(query 1f) -> shop.public.orders`."""
    database, dot, _ = query.name.rpartition(".")
    parts = table.split(".")
    schema = _SCHEMAS.get(system_of_dataset(query.namespace))
    if schema is not None and len(parts) == 1:
        parts = [schema, *parts]
    is_whole = len(parts) > (2 if schema is not None else 1)
    name = parts if is_whole or not dot else [database, *parts]
    return DatasetName(query.namespace, ".".join(name))


def _known(connection: Connection, view: View, names: list[DatasetName]) -> list[JobTable]:
    """The tables, with their columns where anybody reported them."""
    ids = {dataset_id(*name): name for name in names}
    existing = view.reader.dataset_names(ids)
    described = describe_tables(connection, view, [view.chosen(id) for id in existing])
    known = dict(zip((ids[id] for id in existing), described, strict=True))
    return [known.get(name) or JobTable(name, (name.name,), {}) for name in names]
