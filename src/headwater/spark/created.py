"""Tables that a command creates with rows: it starts the write as an execution of its own.

Spark reports the write first, of files without the table's name, then the command that has it.
"""

from contextlib import suppress
from typing import NamedTuple

from headwater.model.naming import DatasetName
from headwater.spark.batches import BatchRun
from headwater.spark.counts.counting import Count
from headwater.spark.datasets.catalogs import find_metastore, name_in_catalog, table_name
from headwater.spark.relations import Java
from headwater.spark.streams import StreamRun

# Commands of which each starts a write, with the field that has the table, if one has.
_CREATES = {
    "CreateDataSourceTableAsSelectCommand": "table",
    "CreateHiveTableAsSelectCommand": "tableDesc",
    "CreateTableAsSelect": "",
    "InsertIntoDataSourceCommand": "",
    "InsertIntoDataSourceDirCommand": "",
    "OptimizedCreateHiveTableAsSelectCommand": "tableDesc",
    "ReplaceTableAsSelect": "",
}


class LastWrite(NamedTuple):
    """The write that was reported last: by whom, of which leaves, to what, and its counts."""

    by: BatchRun | StreamRun
    leaves: tuple[int, ...]
    written: dict[DatasetName, Count]
    read: dict[DatasetName, Count]


def is_creation(kind: str) -> bool:
    return kind in _CREATES


def find_other_names(plan: Java, kind: str, last: LastWrite) -> dict[DatasetName, DatasetName]:
    """What the catalog calls the datasets that were just written."""
    field = _CREATES[kind]
    if not field:
        return {}
    name = table_name(getattr(plan, field)().identifier())
    metastore = find_metastore(plan)
    return {path: name_in_catalog(path, name, metastore) for path in last.written}


def count_created(plan: Java, kind: str) -> Count:
    """The rows of a table that was created as a whole, by its first snapshot, if it has some."""
    with suppress(Exception):
        if kind in ("CreateTableAsSelect", "ReplaceTableAsSelect"):
            created = plan.name()
            table = created.catalog().loadTable(created.identifier())
            summary = table.table().currentSnapshot().summary()
            rows, size = summary.get("added-records"), summary.get("added-files-size")
            return Count(_number(rows), _number(size))
    return Count()


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def leaf_ids(plans: list[Java]) -> tuple[int, ...]:
    """The ids of the first columns of the leaves of plans."""
    found = []
    for plan in plans:
        leaves = plan.collectLeaves()
        for place in range(leaves.size()):
            output = leaves.apply(place).output()
            if output.nonEmpty():
                found.append(int(output.apply(0).exprId().id()))
    return tuple(found)


def plans_of_rows(plan: Java, kind: str) -> list[Java]:
    """The plans that have the rows of a write: its own, or those that it holds."""
    if kind == "MergeIntoCommand":
        return [plan.source(), plan.target()]
    if kind in ("UpdateCommand", "DeleteCommand"):
        return [plan.target()]
    if kind == "SaveIntoDataSourceCommand" or is_creation(kind):
        return [plan.query()]
    return [plan]
