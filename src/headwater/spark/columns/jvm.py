"""A plan as the JVM has it: its JSON, what the JSON leaves out, and the objects of its leaves."""

import json
from collections.abc import Iterator
from typing import Any

from headwater.spark.columns.operators import PASSING, READERS
from headwater.spark.columns.payload_types import PARSERS, WRITERS, add_types, lists_of_nodes
from headwater.spark.plan import ROWS_OF_PROGRAM, Json, PlanNode, read_tree
from headwater.spark.relations import Java

# Spark writes some sequences as `null`, depending on how the program made them.
_NEVER_NULL = {
    "Aggregate": ("groupingExpressions", "aggregateExpressions"),
    "Deduplicate": ("keys",),
    "DeduplicateWithinWatermark": ("keys",),
    "Expand": ("projections", "output"),
    "FlatMapGroupsInPandas": ("groupingAttributes", "output"),
    "Generate": ("generatorOutput",),
    "Project": ("projectList",),
    "Sort": ("order",),
    "Window": ("windowExpressions",),
}


def load_tree(plan: Java) -> PlanNode:
    """The tree of a plan, with all that is needed to read its columns."""
    text = str(plan.toJSON())
    tree = read_tree(json.loads(text))
    _add_missing(plan, tree)
    if any(f'.{kind}"' in text for kind in (*PARSERS, *WRITERS)):
        add_types(plan, tree)
    return tree


def complete_tree(plan: Java, tree: PlanNode) -> None:
    """Add what is needed to read the columns of a plan that another one only holds."""
    _add_missing(plan, tree)
    add_types(plan, tree)


def _add_missing(plan: Java, tree: PlanNode) -> None:
    """Ask the JVM for the sequences of expressions that the JSON does not have."""
    missing = {id(node): names for node in tree.walk() if (names := _missing(node))}
    pending = [(plan, tree)] if missing else []
    while pending:
        current, node = pending.pop()
        for name in missing.get(id(node), ()):
            node.fields[name] = _as_json(getattr(current, name)())
        below = current.children()
        pending.extend((below.apply(place), child) for place, child in enumerate(node.children))


def _missing(node: PlanNode) -> list[str]:
    """What reading a node needs, and its JSON lacks; of an operator not known, its columns."""
    needed = _NEVER_NULL.get(node.kind, ())
    if node.children and node.kind not in READERS and node.kind not in PASSING:
        needed = ("output",)
    return [name for name in needed if node.fields.get(name) is None]


def _as_json(value: Java) -> Any:
    """An expression, or sequences of them, in the form that the JSON of a plan has."""
    if hasattr(value, "toJSON") and "catalyst" in str(value.getClass().getName()):
        return json.loads(str(value.toJSON()))
    return [_as_json(value.apply(place)) for place in range(value.size())]


def pair_leaves(plan: Java, tree: PlanNode) -> dict[int, Java]:
    """The JVM's objects of the leaves of a plan, and of the plans inside it, by their fields.

    Both are walked in the same order: two leaves that have the same columns, as a subquery and
    what it reads may have, are not confused.
    """
    found: dict[int, Java] = {}
    pending = [(plan, tree)]
    while pending:
        current, node = pending.pop()
        found.update(_pair(node, current))
        inside = [each for below in node.walk() for each in _subqueries(below)]
        if inside:
            subqueries = current.subqueriesAll()
            pending.extend(_zip(inside, [subqueries.apply(n) for n in range(subqueries.size())]))
        if not node.children:
            inner = current.innerChildren()
            trees = [read_tree(flat) for flat in _plans(node.fields)]
            pending.extend(_zip(trees, [inner.apply(n) for n in range(inner.size())]))
    return found


def _pair(tree: PlanNode, plan: Java) -> dict[int, Java]:
    nodes = [node for node in tree.walk() if not node.children]
    leaves = plan.collectLeaves()
    if leaves.size() != len(nodes):
        return {}
    found = {id(node.fields): leaves.apply(place) for place, node in enumerate(nodes)}
    for node in nodes:
        if node.kind == "LocalRelation":
            node.fields[ROWS_OF_PROGRAM] = _is_of_program(found[id(node.fields)])
    return found


def _is_of_program(relation: Java) -> bool:
    """Whether rows come from the memory of the program, such as those of a pandas frame.

    Those of `VALUES` have a place in the text of a statement.
    """
    return not relation.data().isEmpty() and not relation.origin().startIndex().isDefined()


def _zip(trees: list[PlanNode], plans: list[Java]) -> Iterator[tuple[Java, PlanNode]]:
    """Plans with their trees, those first that are met first."""
    for tree, plan in zip(trees, plans, strict=False):
        if str(plan.getClass().getSimpleName()).rstrip("$") == tree.kind:
            yield plan, tree


def _subqueries(node: PlanNode) -> Iterator[PlanNode]:
    """The plans in the expressions of one node, in their order."""
    for value in node.fields.values():
        for flat in lists_of_nodes(value):
            for each in flat:
                if isinstance(each.get("plan"), list) and each["plan"]:
                    yield read_tree(each["plan"])


def _plans(fields: Json) -> Iterator[list[Json]]:
    """Plans that a command has in its fields."""
    for name in ("query", "plan", "child"):
        value = fields.get(name)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield value
