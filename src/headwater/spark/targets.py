"""Where a plan writes to: the node on top of it, and what it is the name of."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from headwater.model.naming import DatasetName, by_location
from headwater.spark.dataset_names import (
    Java,
    PlanRelation,
    name_catalog_table,
    name_described,
    name_leaf,
    name_topics,
)
from headwater.spark.plan import PlanNode


class Target(NamedTuple):
    """What is written to, the part of the plan that gives the rows, and the target's columns."""

    relations: list[PlanRelation]
    query: PlanNode
    columns: list[tuple[str, Any]]
    is_by_name: bool = False


def find_target(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """The target of a plan; without one that is known, the plan is all query."""
    reading = _TARGETS.get(tree.kind)
    if reading is None:
        return Target([], tree, [])
    return reading(plan, tree, query_name)


def _stream(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """A stream's sink of the second kind."""
    relation = plan.relation()
    if relation.isDefined():
        return Target(name_leaf(relation.get()), tree.child("query"), _columns(tree, "relation"))
    kind = str(plan.table().getClass().getSimpleName())
    if "Kafka" in kind:
        relations = name_topics(_options(plan.writeOptions()))
    else:
        relations = [PlanRelation(DatasetName(_of_session(kind), query_name))]
    return Target(relations, tree.child("query"), _columns_of(plan.query()))


def _old_stream(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """A stream's sink of the first kind: files, or a function that is given the batches."""
    relations = name_described(str(plan.sink().toString()))
    return Target(relations, tree.child("query"), _columns_of(plan.query()))


def _table(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows added to a table, or put in the place of others."""
    return Target(name_leaf(plan.table()), tree.child("query"), _columns(tree, "table"))


def _rewritten(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Rows changed in place by MERGE, UPDATE or DELETE, among columns that hold the operation."""
    columns = _columns(tree, "table")
    return Target(name_leaf(plan.originalTable()), tree.child("query"), columns, is_by_name=True)


def _files(plan: Java, tree: PlanNode, query_name: str) -> Target:
    """Files in a folder, which may be a table of Spark's own catalog."""
    relation = PlanRelation(by_location(str(plan.outputPath().toString())))
    table = plan.catalogTable()
    if table.isDefined():
        relation = name_catalog_table(table.get())
    return Target([relation], tree.child("query"), _columns_of(plan.query()))


def _columns_of(query: Java) -> list[tuple[str, Any]]:
    """The columns of a query, with the types that its aliases do not have."""
    schema = json.loads(str(query.schema().json()))
    return [(field["name"], field["type"]) for field in schema["fields"]]


def _columns(tree: PlanNode, field: str) -> list[tuple[str, Any]]:
    """The columns of a relation inside a field of the node."""
    for relation in tree.expressions(field):
        output = relation.expressions("output")
        return [(each.fields["name"], each.fields.get("dataType")) for each in output]
    if isinstance(tree.fields.get(field), int):
        output = tree.child(field).expressions("output")
        return [(each.fields["name"], each.fields.get("dataType")) for each in output]
    return []


def _of_session(kind: str) -> str:
    """What exists only within a session, by what it is: memory, console, noop."""
    return kind.rstrip("$").removesuffix("Table").removesuffix("Sink").lower() or "spark"


def _options(options: Java) -> dict[str, str]:
    """A map of Scala's, as one of ours."""
    keys = options.keys().toSeq()
    names = [str(keys.apply(place)) for place in range(keys.size())]
    return {name: str(options.apply(name)) for name in names}


_TARGETS: dict[str, Callable[[Java, PlanNode, str], Target]] = {
    "AppendData": _table,
    "InsertIntoHadoopFsRelationCommand": _files,
    "OverwriteByExpression": _table,
    "OverwritePartitionsDynamic": _table,
    "ReplaceData": _rewritten,
    "WriteDelta": _rewritten,
    "WriteToMicroBatchDataSource": _stream,
    "WriteToMicroBatchDataSourceV1": _old_stream,
}
