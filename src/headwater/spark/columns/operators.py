"""What each operator of a plan does with columns, and which rows it decides about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from headwater.spark.columns.expressions import ExpressionReader
from headwater.spark.columns.nested import decided_by, made_of_all
from headwater.spark.columns.rows import (
    NO_ROWS,
    Id,
    Rows,
    all_deciding,
    rows_of,
    side_by_side,
)
from headwater.spark.columns.sources import NOTHING, Deciding, PlanValue, combine
from headwater.spark.plan import PlanNode, read_tree

if TYPE_CHECKING:
    from headwater.spark.columns.plan_reader import PlanReader

Outer = Mapping[Id, PlanValue]
# Joins that give rows of the left side alone.
_LEFT_ONLY = ("LeftAnti", "LeftSemi")
_CLAUSES = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
# Where functions of groups have their keys: columns, or how many of those that come in.
_KEYS = ("groupingAttributes", "leftAttributes", "rightAttributes", "leftGroup", "rightGroup")
_KEY_COUNTS = ("groupingAttributesLen", "initGroupingAttrsLen")
_SIDE_COUNTS = ("leftGroupingLen", "rightGroupingLen")


def _deciding(
    reader: ExpressionReader, expressions: Iterable[PlanNode], subtype: str
) -> frozenset[Deciding]:
    return decided_by([reader.read(each) for each in expressions], subtype)


def _named(
    reader: ExpressionReader, expressions: Sequence[PlanNode], deciding: frozenset[Deciding]
) -> Rows:
    """What named expressions give: aliases, and columns as they are."""
    return rows_of(expressions, [reader.read(each) for each in expressions], deciding)


def _with_more(rows: Rows, output: Sequence[PlanNode], values: Iterable[PlanValue]) -> Rows:
    """The columns that come in, and more behind them."""
    return side_by_side([rows, rows_of(output, values)])


def _project(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return _named(reader, node.expressions("projectList"), inputs[0].deciding)


def _aggregate(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    grouped = _deciding(reader, node.expressions("groupingExpressions"), "GROUP_BY")
    return _named(reader, node.expressions("aggregateExpressions"), inputs[0].deciding | grouped)


def _filter(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("condition"), "FILTER"))


def _typed_filter(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """A function of whole rows decides."""
    return inputs[0].decided_by(decided_by(inputs[0].values, "FILTER"))


def _sort(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("order"), "SORT"))


def _deduplicate(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """One row of each group of the same keys, as Spark itself does it."""
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("keys"), "GROUP_BY"))


def _distinct(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    return inputs[0].decided_by(decided_by(inputs[0].values, "GROUP_BY"))


def _join(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    conditions = [each for name in _CONDITIONS for each in node.expressions(name)]
    both = side_by_side(inputs).decided_by(_deciding(reader, conditions, "JOIN"))
    if any(name in str(node.fields.get("joinType", "")) for name in _LEFT_ONLY):
        return inputs[0]._replace(deciding=both.deciding)
    return both


def _lateral_join(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """A subquery for each row, which may refer to the columns of the row."""
    (subquery,) = node.expressions("right")
    right = plan.read(read_tree(subquery.fields["plan"]), {**outer, **inputs[0].columns})
    return _join(plan, node, [inputs[0], right], outer)


def _window(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    made = node.expressions("windowExpressions")
    return _with_more(inputs[0], made, [reader.read(each) for each in made])


def _generate(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Rows out of one: what explode and its like make of a value."""
    reader = plan.reader(inputs, outer)
    (generator,) = node.expressions("generator")
    output = node.expressions("generatorOutput")
    rows = _with_more(inputs[0], output, reader.generate(generator, len(output)))
    return rows.decided_by(reader.deciding_rows(generator))


def _expand(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Every row several times, for cubes and the like: a column is any of those in its place."""
    reader = plan.reader(inputs, outer)
    output = node.expressions("output")
    projections = [
        [reader.read(read_tree(each)) for each in some] for some in node.fields["projections"]
    ]
    values = [combine([some[place] for some in projections]) for place in range(len(output))]
    return rows_of(output, values, inputs[0].deciding)


def _union(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """By position; the ids are those of the first."""
    columns = [combine(values) for values in zip(*(rows.values for rows in inputs), strict=True)]
    first = inputs[0]
    return Rows(
        # One expression alone would be read as how all of them are made.
        {id: each.described(None) for id, each in zip(first.order, columns, strict=True)},
        first.names,
        first.order,
        all_deciding(inputs),
    )


def _among(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """INTERSECT and EXCEPT: rows of the first, by what is in the second."""
    values = [value for rows in inputs for value in rows.values]
    return inputs[0].decided_by(all_deciding(inputs) | decided_by(values, "FILTER"))


def _with_shared(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    return inputs[node.fields["plan"]]


def _define_shared(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    plan.shared[node.fields["id"]] = inputs[0]
    return inputs[0]


def _refer_to_shared(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """A subquery by name: its columns by position."""
    rows = plan.shared[node.fields["loopId" if "loopId" in node.fields else "cteId"]]
    return rows_of(node.expressions("output"), rows.values, rows.deciding)


def _merge(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """MERGE: each column is what one of its clauses puts there."""
    reader = plan.reader(inputs, outer)
    clauses = [clause for name in _CLAUSES for clause in node.expressions(name)]
    kept = [
        [reader.read(clause.children[place]) for place in clause.fields[name]]
        for clause in clauses
        for name in ("output", "otherOutput")
        if isinstance(clause.fields.get(name), list)
    ]
    conditions = [clause.child("condition") for clause in clauses if "condition" in clause.fields]
    output = node.expressions("output")
    values = [
        combine([values[place] for values in kept if place < len(values)])
        for place in range(len(output))
    ]
    deciding = inputs[0].deciding | _deciding(reader, conditions, "FILTER")
    return rows_of(output, values, deciding)


def _made_by_function(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """What a function made of whole rows, or of groups of them."""
    reader = plan.reader(inputs, outer)
    keys = [reader.read(each) for name in _KEYS for each in node.expressions(name)]
    for counts in (_KEY_COUNTS, _SIDE_COUNTS):
        for name, rows in zip(counts, inputs, strict=False):
            keys += rows.values[: node.fields.get(name) or 0]
    return plan.made_of_all(node, inputs).decided_by(decided_by(keys, "GROUP_BY"))


def _object(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """A row as an object of the JVM, or what a function of the JVM made of such."""
    reader = plan.reader(inputs, outer)
    keys = _deciding(reader, node.expressions("groupingAttributes"), "GROUP_BY")
    made = made_of_all([value for rows in inputs for value in rows.values])
    output = node.expressions("outputObjAttr")
    return rows_of(output, [made] * len(output), all_deciding(inputs) | keys)


def _columns_of_object(
    plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer
) -> Rows:
    output = node.expressions("serializer")
    return rows_of(output, [made_of_all(inputs[0].values)] * len(output), inputs[0].deciding)


def _columns_appended(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Keys that a function of the JVM gives to rows."""
    output = node.expressions("serializer")
    return _with_more(inputs[0], output, [made_of_all(inputs[0].values)] * len(output))


def _numbered(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Rows with a number before their columns."""
    output = node.expressions("sequenceAttr")
    return side_by_side([rows_of(output, [NOTHING] * len(output)), inputs[0]])


def _no_source(plan: "PlanReader", node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    output = node.expressions("output")
    return rows_of(output, [NOTHING] * len(output)) if output else NO_ROWS


_CONDITIONS = ("condition", "asOfCondition", "orderExpression")
READERS: dict[str, Callable[["PlanReader", PlanNode, list[Rows], Outer], Rows]] = {
    "Aggregate": _aggregate,
    "AppendColumns": _columns_appended,
    "AppendColumnsWithObject": _columns_of_object,
    "AsOfJoin": _join,
    "AttachDistributedSequence": _numbered,
    "CTERelationDef": _define_shared,
    "CTERelationRef": _refer_to_shared,
    "Deduplicate": _deduplicate,
    "DeduplicateWithinWatermark": _deduplicate,
    "Distinct": _distinct,
    "EmptyRelation": _no_source,
    "Except": _among,
    "Expand": _expand,
    "Filter": _filter,
    "Generate": _generate,
    "Intersect": _among,
    "Join": _join,
    "LateralJoin": _lateral_join,
    "LocalRelation": _no_source,
    "MergeRows": _merge,
    "OneRowRelation": _no_source,
    "Project": _project,
    "Range": _no_source,
    "SerializeFromObject": _columns_of_object,
    "Sort": _sort,
    "TypedFilter": _typed_filter,
    "Union": _union,
    "UnionLoopRef": _refer_to_shared,
    "Window": _window,
    "WithCTE": _with_shared,
}
_OBJECTS = (
    "CoGroup",
    "DeserializeToObject",
    "FlatMapGroupsWithState",
    "MapElements",
    "MapGroups",
    "MapPartitions",
    "TransformWithState",
)
_FUNCTIONS = (
    "FlatMapCoGroupsInArrow",
    "FlatMapCoGroupsInPandas",
    "FlatMapGroupsInArrow",
    "FlatMapGroupsInPandas",
    "FlatMapGroupsInPandasWithState",
    "MapInArrow",
    "MapInPandas",
    "PythonMapInArrow",
    "ScriptTransformation",
    "TransformWithStateInPandas",
    "TransformWithStateInPySpark",
)
READERS.update(dict.fromkeys(_OBJECTS, _object))
READERS.update(dict.fromkeys(_FUNCTIONS, _made_by_function))
# What comes in goes out, as it is.
PASSING = frozenset(
    (
        "CollectMetrics",
        "EventTimeWatermark",
        "GlobalLimit",
        "LocalLimit",
        "Offset",
        "PipeOperator",
        "RebalancePartitions",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "ReturnAnswer",
        "SQLFunctionNode",
        "Sample",
        "Subquery",
        "SubqueryAlias",
        "Tail",
        "UpdateEventTimeWatermarkColumn",
        "View",
        "WithWindowDefinition",
        "WriteFiles",
    )
)
