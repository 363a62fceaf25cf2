"""Spark's plans as trees, read from the JSON in which Spark writes them.

That JSON is flat: a list of nodes in the order of a walk that visits a parent before its children;
`num-children` marks where each ends, and a field that is a child holds the child's number.
Expressions are lists of the same kind inside a field.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

# A field that the JSON of Spark lacks: whether the rows that a node holds are of no statement.
ROWS_OF_PROGRAM = "rowsOfProgram"


@dataclass(frozen=True)
class PlanNode:
    """A node of a plan or expression: the name of its class, what it holds, what is below it."""

    kind: str
    fields: Json = field(repr=False)
    children: tuple["PlanNode", ...] = field(repr=False)

    def child(self, name: str) -> "PlanNode":
        """The child that is in a field."""
        return self.children[self.fields[name]]

    def expressions(self, name: str) -> list["PlanNode"]:
        """The expressions that are in a field: one, several, or none."""
        found = self.fields.get(name)
        if not isinstance(found, list) or not found:
            return []
        if isinstance(found[0], dict):
            return [read_tree(found)] if _is_node(found[0]) else []
        return [read_tree(each) for each in found if isinstance(each, list) and each]

    def walk(self) -> Iterator["PlanNode"]:
        """It and all below it, parents first."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def read_tree(nodes: list[Json]) -> PlanNode:
    """Make a tree of the flat list; the depth of a plan is not that of Python's stack."""
    # Read from the end: the children of a node are those made last.
    made: list[PlanNode] = []
    for flat in reversed(nodes):
        count = flat["num-children"]
        children = tuple(made[-1 : -count - 1 : -1]) if count else ()
        if "dataCols" in flat:
            # A table of Hive's: its columns are in two lists.
            flat["output"] = [*flat["dataCols"], *flat.get("partitionCols", [])]
        if count:
            del made[-count:]
        made.append(PlanNode(flat["class"].rpartition(".")[2].rstrip("$"), flat, children))
    (root,) = made
    return root


def _is_node(value: Any) -> bool:
    return isinstance(value, dict) and "class" in value and "num-children" in value


def expression_id(node: PlanNode) -> tuple[int, str]:
    """Distinguishes an attribute from others of the same name."""
    found = node.fields["exprId"]
    return found["id"], found["jvmId"]
