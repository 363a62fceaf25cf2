"""Delta's MERGE, UPDATE and DELETE: commands that have no plan of rows, so one is made of them."""

from collections.abc import Sequence
from typing import Any

from headwater.spark.plan import PlanNode

_CLAUSES = ("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")


def read_merge(
    tree: PlanNode, schema: Sequence[tuple[str, Any]] = ()
) -> tuple[PlanNode, PlanNode, PlanNode]:
    """The rows of a MERGE, its source and its target.

    `schema` is what the target has after it, where that is more than it had before.
    """
    (source,), (target,) = tree.expressions("source"), tree.expressions("target")
    rows = PlanNode(
        "Join",
        {"joinType": "Inner", "condition": tree.fields.get("condition")},
        (source, target),
    )
    columns = _output(target)
    known = {_name(each).lower() for each in columns}
    new = [(name, kind) for name, kind in schema if name.lower() not in known]
    columns += [_new_column(place, *each) for place, each in enumerate(new)]
    absent = {name.lower(): _null(kind) for name, kind in new}
    projections = []
    for clause in (each for name in _CLAUSES for each in tree.expressions(name)):
        actions = [each for each in clause.children if _is_action(each)]
        # Spark goes by names in any case.
        written = {_column(each).lower(): each.children[0] for each in actions}
        if "condition" in clause.fields:
            rows = PlanNode(
                "Filter", {"condition": _flat(clause.expressions("condition"))}, (rows,)
            )
        if written:
            given = {**absent, **written}
            projections.append([_flat([given.get(_name(each).lower(), each)]) for each in columns])
    return _expand(columns, projections, rows), source, target


def read_update(tree: PlanNode) -> tuple[PlanNode, PlanNode]:
    """The rows of an UPDATE, and its target."""
    (target,) = tree.expressions("target")
    columns = _output(target)
    values = tree.expressions("updateExpressions")
    return _expand(columns, [[_flat([each]) for each in values]], _filtered(tree, target)), target


def read_delete(tree: PlanNode) -> tuple[PlanNode, PlanNode]:
    """The rows of a DELETE, and its target: nothing is written, but something decides."""
    (target,) = tree.expressions("target")
    return _filtered(tree, target), target


def _filtered(tree: PlanNode, target: PlanNode) -> PlanNode:
    condition = tree.fields.get("condition")
    return PlanNode("Filter", {"condition": condition}, (target,)) if condition else target


def _expand(columns: list[PlanNode], projections: list[Any], rows: PlanNode) -> PlanNode:
    """A column is any of what is written to it."""
    if not projections:
        return rows
    output = [_flat([each]) for each in columns]
    return PlanNode("Expand", {"output": output, "projections": projections}, (rows,))


def _output(target: PlanNode) -> list[PlanNode]:
    """The columns of the table below aliases."""
    for node in target.walk():
        if found := node.expressions("output"):
            return found
    return []


def _new_column(place: int, name: str, kind: Any) -> PlanNode:
    """A column that a table did not have before."""
    id = {"id": place, "jvmId": "new"}
    fields = {"class": "AttributeReference", "num-children": 0, "name": name, "dataType": kind}
    return PlanNode("AttributeReference", {**fields, "exprId": id}, ())


def _null(kind: Any) -> PlanNode:
    return PlanNode("Literal", {"class": "Literal", "num-children": 0, "dataType": kind}, ())


def _is_action(node: PlanNode) -> bool:
    return node.kind == "DeltaMergeAction"


def _column(action: PlanNode) -> str:
    """The column of an action: `[price]`, or the first part of one inside it."""
    return str(action.fields["targetColNameParts"]).strip("[]").split(",")[0].strip()


def _name(column: PlanNode) -> str:
    return str(column.fields["name"])


def _flat(nodes: list[PlanNode]) -> list[Any]:
    """An expression as Spark writes it: parents first, in one list."""
    return [below.fields for node in nodes for below in node.walk()]
