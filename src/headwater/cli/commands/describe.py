"""`headwater describe`: say what something is."""

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
        str | None, typer.Argument(metavar="TEXT", help="What it is; - reads standard input.")
    ] = None,
    is_removed: Annotated[
        bool, typer.Option("--remove", help="Take the description back; that of events shows.")
    ] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Describe a dataset, a column or a job, in the place of what events say of it.

    headwater describe shop.orders "Every order of the shop, one row a sale."
    """
    told = sys.stdin.read().strip() if text == "-" else (text or "").strip()
    if is_removed and text is not None:
        raise InvalidRequest("TEXT", "nothing is to be said with --remove")
    if not is_removed and not told:
        raise InvalidRequest("TEXT", "empty; say what it is, or --remove what was said")
    with Client(server) as client:
        node = find_edited(client, name, type)
        say_aspect(client, node, "documentation", None if is_removed else {"description": told})
    done = "is no longer described by you or others" if is_removed else "is described"
    Screen().say(f"{label_of(node)} {done}")
