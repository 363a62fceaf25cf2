"""Reads a plan: from its leaves up, what its columns are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.emit.gaps import GapEntry
from headwater.spark.columns import operators
from headwater.spark.columns.expressions import ExpressionReader, PlanNotes
from headwater.spark.columns.nested import made_of_all
from headwater.spark.columns.rows import Id, Rows, rows_of, side_by_side
from headwater.spark.columns.sources import (
    ColumnSource,
    Deciding,
    PlanValue,
    SqlText,
    column,
    combine,
    parts_of_type,
)
from headwater.spark.columns.text import UNKNOWN, function_name
from headwater.spark.plan import ROWS_OF_PROGRAM, PlanNode, expression_id

# Where operators list the columns that they give.
_OUTPUTS = (
    "output",
    "outputAttrs",
    "projectList",
    "aggregateExpressions",
    "outputObjAttr",
    "serializer",
)
# Where they list those that they add to what comes in.
_MORE = ("generatorOutput", "windowExpressions")
_MOST_LOOPS = 20


@dataclass
class PlanReader:
    """Reads one plan. What it meets and does not understand is noted in `gaps`."""

    leaves: list[PlanNode] = field(default_factory=list)
    gaps: list[GapEntry] = field(default_factory=list)
    payloads: dict[ColumnSource, Any] = field(default_factory=dict)
    """The schemas with which columns of text or bytes are parsed."""
    casts: dict[ColumnSource, Any] = field(default_factory=dict)
    """The types that columns are cast to."""
    known: Rows | None = None
    """Rows that a leaf may be, of a stream whose batch is read."""
    has_literals: bool = False
    shared: dict[int, Rows] = field(default_factory=dict)
    """The rows of subqueries that have a name, by their numbers."""
    _numbers: dict[int, int] = field(default_factory=dict)

    def read(self, plan: PlanNode, outer: Mapping[Id, PlanValue] | None = None) -> Rows:
        """Read a plan from its leaves up: as deep as it may be, without Python's stack."""
        done: dict[int, Rows] = {}
        pending = [(plan, False)]
        while pending:
            node, is_ready = pending.pop()
            if node.kind == "UnionLoop":
                done[id(node)] = self._loop(node, outer)
                continue
            if not is_ready:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(node.children))
                continue
            inputs = [done.pop(id(child)) for child in node.children]
            done[id(node)] = self._rows(node, inputs, outer or {})
        return done[id(plan)]

    def _rows(self, node: PlanNode, inputs: list[Rows], outer: Mapping[Id, PlanValue]) -> Rows:
        reading = operators.READERS.get(node.kind)
        if node.fields.get(ROWS_OF_PROGRAM):
            return self._leaf(node)
        try:
            if reading is not None:
                return reading(self, node, inputs, outer)
            if not node.children:
                return self._leaf(node)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = f"{node.kind} could not be read: {type(error).__name__}."
            return self.made_of_all(node, inputs, GapEntry("operator", node.kind, why))
        if node.kind in operators.PASSING:
            return inputs[0]
        why = f"{node.kind} is not known: what it gives is taken to be made of all that it reads."
        return self.made_of_all(node, inputs, GapEntry("operator", node.kind, why))

    def reader(self, inputs: Sequence[Rows], outer: Mapping[Id, PlanValue]) -> ExpressionReader:
        """A reader of expressions over what comes in."""
        known: dict[Id, PlanValue] = dict(outer)
        for rows in inputs:
            known.update(rows.columns)
        notes = PlanNotes(
            self._subquery,
            self._note_parsed,
            self.casts.__setitem__,
            self._note_expression,
            self.has_literals,
        )
        return ExpressionReader(known, notes)

    def _note_parsed(self, source: ColumnSource, schema: Any) -> None:
        # One column may be parsed twice, each time for some of its fields.
        known = self.payloads.get(source)
        self.payloads[source] = schema if known is None else merge_types(known, schema)

    def _note_expression(self, name: str) -> None:
        why = f"It is not known what goes into {name}."
        self.gaps.append(GapEntry("expression", name, why))

    def _subquery(
        self, plan: PlanNode, outer: Mapping[Id, PlanValue]
    ) -> tuple[list[PlanValue], frozenset[Deciding]]:
        rows = self.read(plan, outer)
        return rows.values, rows.deciding

    def _leaf(self, node: PlanNode) -> Rows:
        """A relation that is read; its columns are where all others come from."""
        output = node.expressions("output")
        ids = [expression_id(each) for each in output]
        if self.known is not None and ids and set(ids) <= self.known.columns.keys():
            known = [self.known.columns[id] for id in ids]
            return rows_of(output, known, self.known.deciding)
        # A plan may be read twice, such as a subquery that two columns have.
        number = self._numbers.setdefault(id(node.fields), len(self.leaves))
        if number == len(self.leaves):
            self.leaves.append(node)
        columns = [
            column(ColumnSource(number, (each.fields["name"],)), each.fields.get("dataType"))
            for each in output
        ]
        return rows_of(output, columns)

    def made_of_all(self, node: PlanNode, inputs: list[Rows], gap: GapEntry | None = None) -> Rows:
        """Columns of which no more is known than what they may be made of: whole rows."""
        if gap is not None:
            self.gaps.append(gap)
        merged = side_by_side(inputs)
        output = next((found for name in _OUTPUTS if (found := node.expressions(name))), [])
        more = [each for name in _MORE for each in node.expressions(name)]
        if not output and not more:
            return merged
        made = made_of_all(list(merged.columns.values()))
        if more:
            return side_by_side([merged, rows_of(more, [made] * len(more))])
        for function in node.expressions("functionExpr"):
            made = made.described(SqlText(f"{function_name(function)}(rows)", UNKNOWN.strength))
        values = [merged.columns.get(expression_id(each), made) for each in output]
        return rows_of(output, values, merged.deciding)

    def _loop(self, node: PlanNode, outer: Mapping[Id, PlanValue] | None) -> Rows:
        """A subquery that refers to itself: again, until nothing new comes in."""
        anchor, recursion = node.children
        first = self.read(anchor, outer)
        self.shared[node.fields["id"]] = first
        rows = first
        for _ in range(_MOST_LOOPS):
            again = self.read(recursion, outer)
            values = [
                combine([had, has]) for had, has in zip(first.values, again.values, strict=False)
            ]
            rows = Rows(
                dict(zip(first.order, values, strict=False)),
                first.names,
                first.order,
                first.deciding | again.deciding,
            )
            if rows == self.shared[node.fields["id"]]:
                break
            self.shared[node.fields["id"]] = rows
        return _with_new_ids(rows, node.fields.get("outputAttrIds") or [])


def _with_new_ids(rows: Rows, ids: Sequence[Mapping[str, Any]]) -> Rows:
    """The same columns as Spark identifies them after an operator, where it has ids of its own."""
    if len(ids) != len(rows.order):
        return rows
    order = tuple((each["id"], each["jvmId"]) for each in ids)
    names = [rows.names[id] for id in rows.order]
    columns = dict(zip(order, rows.values, strict=True))
    return Rows(columns, dict(zip(order, names, strict=True)), order, rows.deciding)


def merge_types(one: Any, other: Any) -> Any:
    """A structure with the fields of two."""
    left, right = parts_of_type(one), parts_of_type(other)
    if left is None or right is None or one["type"] != "struct" or other["type"] != "struct":
        return one
    fields = {
        name: merge_types(left[1][name], kind) if name in left[1] else kind
        for name, kind in {**left[1], **right[1]}.items()
    }
    return {
        "type": "struct",
        "fields": [{"name": name, "type": kind} for name, kind in fields.items()],
    }
