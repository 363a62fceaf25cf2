"""Expressions as people read them."""

from typing import Any

from headwater.spark.columns.sources import SqlText
from headwater.spark.columns.text import MAX_LENGTH, describe
from headwater.spark.plan import PlanNode

ATOM = 9


def node(kind: str, *children: PlanNode, **fields: Any) -> PlanNode:
    return PlanNode(kind, fields, children)


def column(name: str) -> PlanNode:
    return node("AttributeReference", name=name, dataType="integer")


def literal(value: str, kind: str = "string") -> PlanNode:
    return node("Literal", value=value, dataType=kind)


def text(expression: PlanNode, has_literals: bool = False) -> str:
    return _text(expression, has_literals).sql


def _text(expression: PlanNode, has_literals: bool) -> SqlText:
    if expression.kind == "AttributeReference":
        return SqlText(expression.fields["name"], ATOM)
    parts = [_text(child, has_literals) for child in expression.children]
    return describe(expression, parts, has_literals)


A, B, C = (column(name) for name in "abc")


def test_an_aggregate_of_a_product() -> None:
    total = node("AggregateExpression", node("Sum", node("Multiply", A, B)), isDistinct=False)
    assert text(total) == "sum(a * b)"


def test_parentheses_where_they_are_needed() -> None:
    assert text(node("Multiply", node("Add", A, B), C)) == "(a + b) * c"
    assert text(node("Add", node("Multiply", A, B), C)) == "a * b + c"
    assert text(node("Subtract", A, node("Subtract", B, C))) == "a - (b - c)"
    assert text(node("Add", node("Add", A, B), C)) == "a + b + c"


def test_values_of_the_program_are_not_shown() -> None:
    named = node("EqualTo", A, literal("Ada Lovelace"))
    assert text(named) == "a = ?"
    assert text(named, has_literals=True) == "a = 'Ada Lovelace'"
    assert text(node("Add", A, literal("42", "integer"))) == "a + ?"
    assert text(node("EqualTo", A, literal("true", "boolean"))) == "a = true"
    assert text(node("IsNull", A)) == "a IS NULL"
    many = {"type": "array", "elementType": "string"}
    assert text(node("Literal", value="[a, b]", dataType=many)) == "?"


def test_names_of_functions() -> None:
    assert text(node("ConcatWs", A, B)) == "concat_ws(a, b)"
    assert text(node("RegExpReplace", A, literal("x"), B)) == "regexp_replace(a, ?, b)"
    assert text(node("PythonUDF", A, name="label")) == "label(a)"


def test_cases_and_structures() -> None:
    case = node("CaseWhen", node("GreaterThan", A, literal("1", "integer")), B, C)
    assert text(case) == "CASE WHEN a > ? THEN b ELSE c END"
    made = node("CreateNamedStruct", literal("a"), A, literal("x"), B)
    assert text(made) == "struct(a, b AS x)"


def test_it_is_never_long() -> None:
    total = A
    for _ in range(200):
        total = node("Add", total, B)
    assert len(text(total)) == MAX_LENGTH
    assert text(total).startswith("a + b + b") and text(total).endswith("…")
