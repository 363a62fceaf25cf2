"""What messages of Avro and Protocol Buffers are parsed into: a plan's JSON has no word on it."""

import json
from collections.abc import Iterator
from typing import Any

from headwater.spark.plan import Json, Node, read_tree
from headwater.spark.relations import Java

PARSERS = frozenset(("AvroDataToCatalyst", "FromAvro", "FromProtobuf", "ProtobufDataToCatalyst"))


def add_schemas(plan: Java, tree: Node) -> None:
    """Ask the JVM for the type of each such parser, and note it where other parsers have theirs."""
    pending = [(plan, tree)]
    while pending:
        asked, node = pending.pop()
        parsers = list(_in_fields(node))
        if parsers:
            kinds = [json.loads(str(found.dataType().json())) for found in _in_java(asked)]
            for parser, kind in zip(parsers, kinds, strict=False):
                parser["schema"] = kind
        below = asked.children()
        pending.extend((below.apply(place), child) for place, child in enumerate(node.children))


def _in_fields(node: Node) -> Iterator[Json]:
    """Parsers in the expressions of one node, in their order."""
    for value in node.fields.values():
        for flat in _lists_of_nodes(value):
            for each in read_tree(flat).walk():
                if each.kind in PARSERS:
                    yield each.fields


def _lists_of_nodes(value: Any) -> Iterator[list[Json]]:
    if isinstance(value, list) and value:
        if isinstance(value[0], dict) and "num-children" in value[0]:
            yield value
        elif isinstance(value[0], list):
            for each in value:
                yield from _lists_of_nodes(each)


def _in_java(plan: Java) -> Iterator[Java]:
    expressions = plan.expressions()
    pending = [expressions.apply(place) for place in range(expressions.size())][::-1]
    while pending:
        each = pending.pop()
        if str(each.getClass().getSimpleName()) in PARSERS:
            yield each
        children = each.children()
        pending.extend(children.apply(place) for place in reversed(range(children.size())))
