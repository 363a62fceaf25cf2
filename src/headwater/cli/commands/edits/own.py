"""`headwater own`: add and remove owners."""

from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import (
    TypeOption,
    WholeArgument,
    find_edited,
    label_of,
    path_of,
    say_aspect,
)
from headwater.cli.api.node_names import COLUMN, FoundNode
from headwater.cli.output.screen import Screen
from headwater.errors import InvalidRequest, NotFound

Owner = dict[str, Any]


def own(
    name: WholeArgument,
    owner: Annotated[str, typer.Argument(metavar="OWNER", help="The owner: a team or a person.")],
    role: Annotated[
        str, typer.Option("--role", help="Type of ownership: OWNER, STEWARD or any other word.")
    ] = "OWNER",
    is_removed: Annotated[bool, typer.Option("--remove", help="Remove this owner.")] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Add an owner to a dataset or job; existing owners stay.

    headwater own shop.orders team:sales
    """
    screen = Screen()
    with Client(server) as client:
        node = find_edited(client, name, type)
        if node.type == COLUMN:
            raise InvalidRequest("NAME", "a column has the owners of its dataset")
        known = _owners(client, node)
        others = [each for each in known if each.get("name") != owner]
        if is_removed and len(others) == len(known):
            raise NotFound("owner", screen.clean(owner))
        owners = others if is_removed else [*others, {"name": owner, "type": role}]
        say_aspect(client, node, "ownership", {"owners": owners})
    done = "is no longer owned by" if is_removed else "is owned by"
    screen.say(f"{label_of(node)} {done} {screen.clean(owner)}")


def _owners(client: Client, node: FoundNode) -> list[Owner]:
    """Who owns it now, by what is shown of it; what has no name is left out."""
    facets = client.read(path_of(node))["facets"]
    listed = (facets.get("ownership") or {}).get("owners")
    return [
        {"name": each["name"], "type": str(each.get("type") or "OWNER")}
        for each in (listed if isinstance(listed, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str) and each["name"]
    ]
