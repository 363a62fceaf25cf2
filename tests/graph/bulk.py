"""Large graphs, put into a store row by row: events would take minutes."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from headwater.model.merge import CATALOG, Row
from headwater.model.relations import (
    Alias,
    Authority,
    DatasetRow,
    Direction,
    JobDataset,
    JobRow,
    Joined,
    RunRow,
)
from headwater.model.values.ids import UNREPORTED, dataset_id, digest, job_id, namespace_id
from headwater.store.lineage.graph_reader import StoreReader
from testing.events.history import JOBS, NOON, TABLES
from tests.store.stores import Store

JobUses = tuple[str, Iterable[str], Iterable[str]]


def dataset(name: str) -> bytes:
    return dataset_id(TABLES, name)


def job(name: str) -> bytes:
    return job_id(JOBS, name)


@contextmanager
def filled(
    store: Store, jobs: Iterable[JobUses], aliases: Iterable[tuple[str, str]] = ()
) -> Iterator[StoreReader]:
    """A store of jobs that each ran once, with what they read and wrote."""
    store.empty()
    names: set[str] = set()
    rows: dict[str, list[Row]] = {"job": [], "run": [], "job_dataset": []}
    for name, reads, writes in jobs:
        id, run = job(name), digest(name.encode())
        rows["job"].append(JobRow(id, namespace_id(JOBS), JOBS, name, NOON, NOON))
        rows["run"].append(
            RunRow(run, job=id, first_event=NOON, last_event=NOON, first_datasets=NOON)
        )
        for direction, used in ((Direction.INPUT, reads), (Direction.OUTPUT, writes)):
            for each in used:
                names.add(each)
                use = (id, dataset(each), direction, UNREPORTED, UNREPORTED, NOON, NOON)
                rows["job_dataset"].append(JobDataset._make(use))
    rows["alias"] = [
        Alias(dataset(one), dataset(other), Authority.EVENT, Joined.TABLE, NOON)
        for one, other in aliases
    ]
    rows["dataset"] = [
        DatasetRow(dataset(name), namespace_id(TABLES), TABLES, name) for name in names
    ]
    with store.engine.begin() as connection:
        for relation, its_rows in rows.items():
            if its_rows:
                columns = [column.name for column in CATALOG[relation].columns]
                mark = "?" if connection.dialect.name == "sqlite" else "%s"
                places = ", ".join([mark] * len(columns))
                statement = f"INSERT INTO {relation} ({', '.join(columns)}) VALUES ({places})"
                connection.exec_driver_sql(statement, its_rows)
    with store.engine.connect() as connection:
        yield StoreReader(connection)


@contextmanager
def counted(store: Store) -> Iterator[list[str]]:
    """The statements that a store is asked meanwhile."""
    statements: list[str] = []

    def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(store.engine, "before_cursor_execute", count)
