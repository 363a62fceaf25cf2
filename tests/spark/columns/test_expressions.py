"""Where values of expressions come from, where only some versions of Spark have them."""

from typing import Any

from headwater.model.values.derivation import AS_IT_IS
from headwater.spark.columns.expressions import ExpressionReader, PlanNotes
from headwater.spark.columns.sources import ColumnSource, column
from headwater.spark.plan import PlanNode

A, B = ColumnSource(0, ("a",)), ColumnSource(0, ("b",))
IDS = {"a": (1, "jvm"), "b": (2, "jvm")}


def node(kind: str, *children: PlanNode, **fields: Any) -> PlanNode:
    return PlanNode(kind, fields, children)


def attribute(name: str) -> PlanNode:
    id, jvm = IDS[name]
    exprId = {"id": id, "jvmId": jvm}
    return node("AttributeReference", name=name, dataType="string", exprId=exprId)


def test_a_null_of_the_type_of_a_column() -> None:
    """`nullif(a, b)` as Spark 4.1 has it: the null has the column as its child, not its value."""
    columns = {IDS[source.path[0]]: column(source, "string") for source in (A, B)}
    missing: list[str] = []
    notes = PlanNotes(
        subquery=lambda plan, outer: ([], frozenset()),
        parsed=lambda source, schema: None,
        cast=lambda source, kind: None,
        not_understood=missing.append,
    )
    equal = node("EqualTo", attribute("a"), attribute("b"))
    chosen = node("If", equal, node("TypedNullLiteral", attribute("a")), attribute("a"))
    value = ExpressionReader(columns, notes).read(chosen)
    assert value.whole == {A: AS_IT_IS}
    assert value.all_indirect == {(A, "CONDITIONAL"), (B, "CONDITIONAL")}
    assert value.text is not None and value.text.sql == "if(a = b, NULL, a)"
    assert missing == []
