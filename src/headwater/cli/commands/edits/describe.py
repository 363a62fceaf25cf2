"""`headwater describe`: set a description."""

import sys
from typing import Annotated

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import NameArgument, TypeOption, find_edited, label_of, say_aspect
from headwater.cli.output.screen import Screen
from headwater.errors import InvalidRequest


def describe(
    name: NameArgument,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="The description; - reads standard input.")
    ] = None,
    is_removed: Annotated[
        bool,
        typer.Option(
            "--remove", help="Remove the description; the one from events is shown again."
        ),
    ] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Describe a dataset, a column or a job; this replaces the description from events.

    headwater describe shop.orders "Every order of the shop, one row per sale."
    """
    description = sys.stdin.read().strip() if text == "-" else (text or "").strip()
    if is_removed and text is not None:
        raise InvalidRequest("TEXT", "--remove takes no description")
    if not is_removed and not description:
        raise InvalidRequest("TEXT", "empty; give a description, or use --remove")
    with Client(server) as client:
        node = find_edited(client, name, type)
        say_aspect(
            client, node, "documentation", None if is_removed else {"description": description}
        )
    done = "no longer has an edited description" if is_removed else "is described"
    Screen().say(f"{label_of(node)} {done}")
