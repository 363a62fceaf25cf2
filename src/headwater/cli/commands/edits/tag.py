"""`headwater tag`: give a tag, or take it away."""

from typing import Annotated

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import (
    NameArgument,
    TypeOption,
    change,
    find_edited,
    label_of,
    tag_path,
)
from headwater.cli.output.screen import Screen


def tag(
    name: NameArgument,
    tag: Annotated[str, typer.Argument(metavar="TAG", help="The tag, such as PII.")],
    is_removed: Annotated[bool, typer.Option("--remove", help="Remove the tag.")] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Tag a dataset, a column or a job; tags from events can be removed as well.

    headwater tag shop.orders#email PII
    """
    screen = Screen()
    with Client(server) as client:
        node = find_edited(client, name, type)
        change(client, "DELETE" if is_removed else "POST", tag_path(node, tag))
        done = "is no longer tagged" if is_removed else "is tagged"
        screen.say(f"{label_of(node)} {done} {screen.clean(tag)}")
