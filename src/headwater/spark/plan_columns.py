"""Where the rows of a plan come from: each of its columns, and what decides about all rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.spark.column_sources import (
    NOTHING,
    ColumnSource,
    Deciding,
    Derived,
    Direct,
    Way,
    column,
    combine,
)
from headwater.spark.expressions import ExpressionReader
from headwater.spark.plan import PlanNode, expression_id, read_tree

Id = tuple[int, str]
_CHANGED = Way(Direct.TRANSFORMATION)
# Joins that give rows of the left side alone.
_LEFT_ONLY = frozenset(("LeftAnti", "LeftSemi"))


@dataclass(frozen=True)
class Rows:
    """The columns of a plan in their order, and what decides about its rows."""

    columns: Mapping[Id, Derived]
    names: Mapping[Id, str]
    deciding: frozenset[Deciding] = frozenset()

    @property
    def sources(self) -> frozenset[ColumnSource]:
        """All that the rows are made of, and that decides about them."""
        deciding = self.deciding.union(*(value.indirect for value in self.columns.values()))
        direct = (source for value in self.columns.values() for source in value.whole)
        return frozenset((*direct, *(source for source, _ in deciding)))

    def decided_by(self, deciding: frozenset[Deciding]) -> "Rows":
        return Rows(self.columns, self.names, self.deciding | deciding)


NO_ROWS = Rows({}, {})


@dataclass
class PlanReader:
    """Reads one plan. What it meets and does not know is noted in `gaps`."""

    leaves: list[PlanNode] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    payloads: dict[ColumnSource, Any] = field(default_factory=dict)
    """The schemas with which columns of text or bytes are parsed."""
    casts: dict[ColumnSource, Any] = field(default_factory=dict)
    """The types that columns are cast to."""
    known: "Rows | None" = None
    """Rows that a leaf may be, of a stream whose batch is read."""
    _shared: dict[int, Rows] = field(default_factory=dict)

    def read(self, plan: PlanNode, outer: Mapping[Id, Derived] | None = None) -> Rows:
        """Read a plan from its leaves up: as deep as it may be, without Python's stack."""
        done: dict[int, Rows] = {}
        pending = [(plan, False)]
        while pending:
            node, is_ready = pending.pop()
            if not is_ready:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(node.children))
                continue
            inputs = [done.pop(id(child)) for child in node.children]
            done[id(node)] = self._rows(node, inputs, outer or {})
        return done[id(plan)]

    def _rows(self, node: PlanNode, inputs: list[Rows], outer: Mapping[Id, Derived]) -> Rows:
        reading = READERS.get(node.kind)
        if reading is not None:
            return reading(self, node, inputs, outer)
        if not node.children:
            return self._leaf(node)
        if node.kind in PASSING:
            return inputs[0]
        return self._unknown(node, inputs)

    def reader(self, inputs: Sequence[Rows], outer: Mapping[Id, Derived]) -> ExpressionReader:
        """A reader of expressions over what comes in."""
        known: dict[Id, Derived] = dict(outer)
        for rows in inputs:
            known.update(rows.columns)
        return ExpressionReader(
            known, self._subquery, self.payloads.__setitem__, self.casts.__setitem__
        )

    def _subquery(
        self, plan: PlanNode, outer: Mapping[Id, Derived]
    ) -> tuple[list[Derived], frozenset[Deciding]]:
        rows = self.read(plan, outer)
        return list(rows.columns.values()), rows.deciding

    def _leaf(self, node: PlanNode) -> Rows:
        """A relation that is read; its columns are where all others come from."""
        output = node.expressions("output")
        names = {expression_id(each): each.fields["name"] for each in output}
        if self.known is not None and names and names.keys() <= self.known.columns.keys():
            known = {id: self.known.columns[id] for id in names}
            return Rows(known, names, self.known.deciding)
        number = len(self.leaves)
        self.leaves.append(node)
        columns = {
            expression_id(each): column(
                ColumnSource(number, (each.fields["name"],)), each.fields.get("dataType")
            )
            for each in output
        }
        return Rows(columns, names)

    def _unknown(self, node: PlanNode, inputs: list[Rows]) -> Rows:
        """A node never seen: what comes in goes on; what is new is made of all of it."""
        self.gaps.append(node.kind)
        if not node.expressions("output"):
            return _side_by_side(inputs)
        return self._made_of_all(node, inputs, "output")

    def _made_of_all(self, node: PlanNode, inputs: list[Rows], name: str) -> Rows:
        """Columns that a function made of whole rows."""
        merged = _side_by_side(inputs)
        made = combine([each.through(_CHANGED) for each in merged.columns.values()])
        output = node.expressions(name)
        return Rows(
            {expression_id(each): merged.columns.get(expression_id(each), made) for each in output},
            {expression_id(each): each.fields["name"] for each in output},
            merged.deciding,
        )


def _side_by_side(inputs: Sequence[Rows]) -> Rows:
    columns: dict[Id, Derived] = {}
    names: dict[Id, str] = {}
    for rows in inputs:
        columns.update(rows.columns)
        names.update(rows.names)
    return Rows(columns, names, frozenset().union(*(rows.deciding for rows in inputs)))


def _deciding(
    reader: ExpressionReader, expressions: Sequence[PlanNode], subtype: str
) -> frozenset[Deciding]:
    return frozenset().union(*(reader.read(each).deciding(subtype) for each in expressions))


def _named(
    reader: ExpressionReader, expressions: Sequence[PlanNode]
) -> tuple[dict[Id, Derived], dict[Id, str]]:
    """What named expressions give: aliases, and columns as they are."""
    columns, names = {}, {}
    for each in expressions:
        id = expression_id(each)
        columns[id] = reader.read(each)
        names[id] = each.fields["name"]
    return columns, names


Outer = Mapping[Id, Derived]


def _project(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return Rows(*_named(reader, node.expressions("projectList")), inputs[0].deciding)


def _aggregate(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    grouped = _deciding(reader, node.expressions("groupingExpressions"), "GROUP_BY")
    columns, names = _named(reader, node.expressions("aggregateExpressions"))
    return Rows(columns, names, inputs[0].deciding | grouped)


def _filter(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("condition"), "FILTER"))


def _sort(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("order"), "SORT"))


def _deduplicate(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """One row of each group of the same keys, as Spark itself does it."""
    reader = plan.reader(inputs, outer)
    return inputs[0].decided_by(_deciding(reader, node.expressions("keys"), "GROUP_BY"))


def _distinct(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    deciding = (each.deciding("GROUP_BY") for each in inputs[0].columns.values())
    return inputs[0].decided_by(frozenset().union(*deciding))


def _join(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    joined = _deciding(reader, node.expressions("condition"), "JOIN")
    both = _side_by_side(inputs)
    kind = str(node.fields.get("joinType", ""))
    if any(name in kind for name in _LEFT_ONLY):
        left = inputs[0]
        return Rows(left.columns, left.names, both.deciding | joined)
    return both.decided_by(joined)


def _window(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    reader = plan.reader(inputs, outer)
    columns, names = _named(reader, node.expressions("windowExpressions"))
    rows = inputs[0]
    return Rows({**rows.columns, **columns}, {**rows.names, **names}, rows.deciding)


def _generate(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Rows out of one: what explode and its like make of a value."""
    reader = plan.reader(inputs, outer)
    made = combine([reader.read(each) for each in node.expressions("generator")])
    output = node.expressions("generatorOutput")
    columns = {expression_id(each): made.through(_CHANGED) for each in output}
    names = {expression_id(each): each.fields["name"] for each in output}
    rows = inputs[0]
    return Rows({**rows.columns, **columns}, {**rows.names, **names}, rows.deciding)


def _expand(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """Every row several times, for cubes and the like: a column is any of those in its place."""
    reader = plan.reader(inputs, outer)
    output = node.expressions("output")
    projections = node.fields["projections"]
    values = [[reader.read(read_tree(each)) for each in some] for some in projections]
    columns = {
        expression_id(each): combine([some[place] for some in values])
        for place, each in enumerate(output)
    }
    names = {expression_id(each): each.fields["name"] for each in output}
    return Rows(columns, names, inputs[0].deciding)


def _union(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """By position; the ids are those of the first."""
    values = [list(rows.columns.values()) for rows in inputs]
    columns = {
        id: combine([some[place] for some in values if place < len(some)])
        for place, id in enumerate(inputs[0].columns)
    }
    deciding = frozenset[Deciding]().union(*(rows.deciding for rows in inputs))
    return Rows(columns, inputs[0].names, deciding)


def _among(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """INTERSECT and EXCEPT: rows of the first, by what is in the second."""
    deciding = (each.deciding("FILTER") for rows in inputs for each in rows.columns.values())
    both = frozenset[Deciding]().union(*(rows.deciding for rows in inputs))
    return inputs[0].decided_by(both | frozenset().union(*deciding))


def _with_shared(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    return inputs[node.fields["plan"]]


def _define_shared(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    plan._shared[node.fields["id"]] = inputs[0]
    return inputs[0]


def _refer_to_shared(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """A subquery by name: its columns by position. One that refers to itself adds nothing new."""
    rows = plan._shared.get(node.fields["cteId"], NO_ROWS)
    values = list(rows.columns.values())
    output = node.expressions("output")
    columns = {
        expression_id(each): values[place] if place < len(values) else NOTHING
        for place, each in enumerate(output)
    }
    names = {expression_id(each): each.fields["name"] for each in output}
    return Rows(columns, names, rows.deciding)


def _merge(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
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
    columns = {
        expression_id(each): combine([values[place] for values in kept if place < len(values)])
        for place, each in enumerate(output)
    }
    names = {expression_id(each): each.fields["name"] for each in output}
    deciding = inputs[0].deciding | _deciding(reader, conditions, "FILTER")
    return Rows(columns, names, deciding)


def _made_by_function(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    """What a function made of whole rows, or of groups of them."""
    reader = plan.reader(inputs, outer)
    keys = [each for name in _GROUPS for each in node.expressions(name)]
    rows = plan._made_of_all(node, inputs, "output")
    return rows.decided_by(_deciding(reader, keys, "GROUP_BY"))


def _no_source(plan: PlanReader, node: PlanNode, inputs: list[Rows], outer: Outer) -> Rows:
    output = node.expressions("output")
    return Rows(
        {expression_id(each): NOTHING for each in output},
        {expression_id(each): each.fields["name"] for each in output},
    )


READERS: dict[str, Callable[[PlanReader, PlanNode, list[Rows], Outer], Rows]] = {
    "Aggregate": _aggregate,
    "CTERelationDef": _define_shared,
    "CTERelationRef": _refer_to_shared,
    "Deduplicate": _deduplicate,
    "DeduplicateWithinWatermark": _deduplicate,
    "Distinct": _distinct,
    "Except": _among,
    "Expand": _expand,
    "Filter": _filter,
    "Generate": _generate,
    "Intersect": _among,
    "Join": _join,
    "LocalRelation": _no_source,
    "MergeRows": _merge,
    "OneRowRelation": _no_source,
    "Project": _project,
    "Range": _no_source,
    "Sort": _sort,
    "Union": _union,
    "UnionLoopRef": _refer_to_shared,
    "Window": _window,
    "WithCTE": _with_shared,
}
_CLAUSES = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
_GROUPS = ("groupingAttributes", "leftAttributes", "rightAttributes")
_FUNCTIONS = (
    "ArrowEvalPython",
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
)
READERS.update(dict.fromkeys(_FUNCTIONS, _made_by_function))
PASSING = frozenset(
    (
        "EventTimeWatermark",
        "GlobalLimit",
        "LocalLimit",
        "Offset",
        "RebalancePartitions",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "ReturnAnswer",
        "Sample",
        "SubqueryAlias",
        "Tail",
        "View",
        "WithWindowDefinition",
    )
)
