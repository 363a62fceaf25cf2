"""What the editing commands share: finding the node, its paths in the API, and sending."""

from typing import Annotated, Any
from urllib.parse import quote

import httpx2
import typer

from headwater.cli.api.client import Client, json_of, message_of
from headwater.cli.api.node_lookup import NodeType, find_node
from headwater.cli.api.node_names import COLUMN, JOB, FoundNode
from headwater.cli.output.screen import Screen
from headwater.errors import HeadwaterError

Shape = dict[str, Any]

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A dataset, job or column: its name or a part of it, NAMESPACE|NAME, "
        "DATASET#COLUMN, or a node id.",
    ),
]
WholeArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A dataset or job: its name or a part of it, NAMESPACE|NAME, or a node id.",
    ),
]
TypeOption = Annotated[
    NodeType | None, typer.Option("--type", help="Type of the node, if the name is ambiguous.")
]
_WORDS = {COLUMN: "column", JOB: "job"}
# For these the server's message is enough; other errors show its URL.
_EXPLAINED = frozenset((400, 404, 409, 422))


def find_edited(client: Client, name: str, type: NodeType | None) -> FoundNode:
    """What a name means, to be edited."""
    return find_node(client, name, type, "" if type else ", or narrow it with --type")


def path_of(node: FoundNode) -> str:
    """Where the API has a dataset or job; of a column, its dataset."""
    noun = "jobs" if node.type == JOB else "datasets"
    return f"/api/v1/namespaces/{_escaped(node.namespace)}/{noun}/{_escaped(node.name)}"


def tag_path(node: FoundNode, tag: str) -> str:
    field = f"/fields/{_escaped(node.field)}" if node.field else ""
    return f"{path_of(node)}{field}/tags/{_escaped(tag)}"


def entity_of(node: FoundNode) -> Shape:
    """A node as edits name it."""
    kind = "job" if node.type == JOB else "dataset"
    entity = {"type": kind, "namespace": node.namespace, "name": node.name}
    return entity | ({"field": node.field} if node.field else {})


def label_of(node: FoundNode) -> str:
    """A node for people: what it is, and its whole name."""
    field = f"#{node.field}" if node.field else ""
    name = f"{node.namespace}|{node.name}{field}"
    return f"{_WORDS.get(node.type, 'dataset')} {Screen().clean(name)}"


def change(client: Client, method: str, path: str, body: Shape | None = None) -> Any:
    """Send a change; a refusal is shown with the server's message."""
    request: Shape = {} if body is None else {"json": body}
    answer: httpx2.Response = client.send(method, path, **request)
    if answer.status_code in (200, 201):
        return json_of(answer)
    if answer.status_code in _EXPLAINED:
        raise HeadwaterError(Screen(is_error=True).clean(message_of(answer)))
    raise client.refusal(answer)


def say_aspect(client: Client, node: FoundNode, aspect: str, value: Shape | None) -> None:
    """Give a value of a node, or take it back."""
    change_body = {"unset": [aspect]} if value is None else {"set": {aspect: value}}
    change(client, "POST", "/api/v1/edits", {"entity": entity_of(node), **change_body})


def _escaped(name: str) -> str:
    return quote(name, safe="")
