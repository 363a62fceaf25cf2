"""The types of parsed and built messages, which a plan's JSON does not contain."""

import json
from collections.abc import Iterator
from typing import Any

from headwater.spark.plan import Json, PlanNode, read_tree
from headwater.spark.relations import Java

# Parsers whose schema is not in the JSON; those of JSON and CSV have theirs.
PARSERS = frozenset(("AvroDataToCatalyst", "FromAvro", "FromProtobuf", "ProtobufDataToCatalyst"))
WRITERS = frozenset(
    (
        "CatalystDataToAvro",
        "CatalystDataToProtobuf",
        "StructsToCsv",
        "StructsToJson",
        "ToAvro",
        "ToProtobuf",
    )
)


def add_types(plan: Java, tree: PlanNode) -> None:
    """Ask the JVM for the types, and note them with the expressions: `schema` of what is parsed,
    where other parsers have theirs, and `written` of what is written out."""
    pending = [(plan, tree)]
    while pending:
        current, node = pending.pop()
        found = list(_in_fields(node))
        if found:
            for fields, expression in zip(found, _in_java(current), strict=False):
                is_parser = _kind(expression) in PARSERS
                typed = expression if is_parser else expression.children().apply(0)
                fields["schema" if is_parser else "written"] = json.loads(
                    str(typed.dataType().json())
                )
        below = current.children()
        pending.extend((below.apply(place), child) for place, child in enumerate(node.children))


def _kind(expression: Java) -> str:
    return str(expression.getClass().getSimpleName())


def _in_fields(node: PlanNode) -> Iterator[Json]:
    """Such expressions in the fields of one node, in their order."""
    for value in node.fields.values():
        for flat in lists_of_nodes(value):
            for each in read_tree(flat).walk():
                if each.kind in PARSERS or each.kind in WRITERS:
                    yield each.fields


def lists_of_nodes(value: Any) -> Iterator[list[Json]]:
    """The trees, each a list of nodes, that are in a field."""
    if isinstance(value, list) and value:
        if isinstance(value[0], dict) and "num-children" in value[0]:
            yield value
        elif isinstance(value[0], list):
            for each in value:
                yield from lists_of_nodes(each)


def _in_java(plan: Java) -> Iterator[Java]:
    expressions = plan.expressions()
    pending = [expressions.apply(place) for place in range(expressions.size())][::-1]
    while pending:
        each = pending.pop()
        if _kind(each) in PARSERS or _kind(each) in WRITERS:
            yield each
        children = each.children()
        pending.extend(children.apply(place) for place in reversed(range(children.size())))
