"""`headwater delete`: hide a dataset or job."""

from typing import Annotated

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import (
    TypeOption,
    WholeArgument,
    change,
    find_edited,
    label_of,
    path_of,
)
from headwater.cli.api.node_names import COLUMN, FoundNode
from headwater.cli.output.screen import Screen
from headwater.errors import InvalidRequest

# Enough to see that it matters.
_MOST_DEPENDENTS = 1_000
_LISTED = 5


def delete(
    name: WholeArgument,
    is_sure: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")
    ] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Hide a dataset or job from lists, search and lineage; its history stays.

    It shows again when a new event names it, or after `headwater restore`.

    headwater delete shop.orders_old
    """
    screen = Screen()
    with Client(server) as client:
        node = find_edited(client, name, type)
        if node.type == COLUMN:
            raise InvalidRequest("NAME", "a column cannot be deleted, only a dataset or job")
        if not is_sure:
            _show_dependents(client, node)
            typer.confirm(f"Delete {label_of(node)}?", abort=True, err=True)
        change(client, "DELETE", path_of(node))
    screen.say(f"{label_of(node)} is deleted; headwater restore brings it back")


def _show_dependents(client: Client, node: FoundNode) -> None:
    """Show the nodes that would lose a source."""
    parameters = {"nodeId": node.id, "direction": "downstream", "limit": _MOST_DEPENDENTS}
    graph = client.ask("/api/v1/lineage", **parameters)["graph"]
    names = sorted(each["data"]["name"] for each in graph if each["id"] != node.id)
    if not names:
        return
    screen = Screen(is_error=True)
    listed = ", ".join(screen.clean(name) for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    screen.say(f"Downstream of it: {listed}{more}", "yellow")
