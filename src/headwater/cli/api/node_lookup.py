"""Which node a name means: the one that has it, or a list to choose from."""

from enum import StrEnum
from typing import Any

from headwater.cli.api.client import Client
from headwater.cli.api.node_names import (
    COLUMN,
    DATASET,
    JOB,
    FoundNode,
    is_node_id,
    node_of_id,
    node_of_shape,
)
from headwater.cli.output.screen import Grid, Screen
from headwater.errors import InvalidRequest, NotFound

_LIMIT = 200
_LISTED = 20
_NEAR = 5


class NodeType(StrEnum):
    DATASET = "dataset"
    JOB = "job"
    COLUMN = "column"


_TYPES = {NodeType.DATASET: DATASET, NodeType.JOB: JOB, NodeType.COLUMN: COLUMN}
_WORDS = {of_api: word for word, of_api in _TYPES.items()}


def find_node(client: Client, name: str, type: NodeType | None = None, hint: str = "") -> FoundNode:
    """Find the node that a name means: the only one that has it, or the only one like it. The end
    of a path means what ends so: names of jobs may hold the path of what they write.

    Several candidates are listed on standard error; `hint` is a further suggestion.
    """
    if not name.strip():
        raise InvalidRequest("NAME", "empty; give the name of a dataset, a job or a column")
    answer = client.read("/api/v1/nodes", name=name, limit=_LIMIT)
    found = [node for node in answer["nodes"] if type is None or node["type"] == _TYPES[type]]
    exact = [node for node in found if node["isExact"]]
    ends = [node for node in found if "/" in name and node["name"].endswith(f"/{name.strip('/')}")]
    candidates = exact or ends or found
    if len(candidates) == 1:
        return node_of_shape(candidates[0]["id"], candidates[0])
    if candidates:
        raise _ambiguous(name, candidates, hint)
    # What was there once and is no more can be requested by its id, as of then.
    if is_node_id(name):
        return node_of_id(name)
    screen = Screen(is_error=True)
    # Nothing of that type has the name, but others may.
    others = [node["id"] for node in answer["nodes"][:_NEAR]]
    near = [screen.clean(id) for id in answer["near"] or others]
    raise NotFound(type or "node", screen.clean(name[:500]), near)


def _ambiguous(name: str, candidates: list[dict[str, Any]], hint: str) -> InvalidRequest:
    screen = Screen(is_error=True)
    grid = Grid(("type", "namespace", "name", "node id"))
    for shape in candidates[:_LISTED]:
        node = node_of_shape(shape["id"], shape)
        texts = (_WORDS[node.type], node.namespace, node.label, node.id)
        grid.add(*map(screen.clean, texts))
    screen.show(grid)
    if len(candidates) > _LISTED:
        screen.say(f"{screen.marks.dots} and more")
    count = f"{len(candidates)}{' or more' if len(candidates) == _LIMIT else ''}"
    return InvalidRequest(
        screen.clean(name),
        f"matches {count} nodes; give one of these as NAMESPACE|NAME or as a node id{hint}",
    )
