"""`headwater acknowledge`: a problem or finding is known, and why it may stay."""

from typing import Annotated

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import TypeOption, WholeArgument, find_edited, label_of, say_aspect
from headwater.cli.api.node_names import COLUMN
from headwater.cli.output.screen import Screen
from headwater.durations import parse_duration
from headwater.errors import InvalidRequest
from headwater.model.values.instant import MICROSECOND, format_instant, now


def acknowledge(
    name: WholeArgument,
    problem: Annotated[
        str, typer.Argument(metavar="PROBLEM", help="The problem, such as failed or unknownTopic.")
    ],
    reason: Annotated[str, typer.Option("--reason", help="Why, for those who look next.")] = "",
    lasts: Annotated[
        str,
        typer.Option("--for", metavar="DURATION", help="For how long, such as 7d; else for good."),
    ] = "",
    is_removed: Annotated[bool, typer.Option("--remove", help="Take it back.")] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Acknowledge a problem of a dataset or job, or what discovery found, so that it stays quiet.

    headwater acknowledge orders-copy unknownTopic --reason "of the data team, until March"
    """
    if not is_removed and not reason.strip():
        raise typer.BadParameter("say why, for those who look next", param_hint="--reason")
    value = {"problem": problem, "reason": reason}
    if lasts:
        try:
            until = now() + parse_duration(lasts) // MICROSECOND
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--for") from None
        value["until"] = format_instant(until)
    with Client(server) as client:
        node = find_edited(client, name, type)
        if node.type == COLUMN:
            raise InvalidRequest("NAME", "a column has no problems of its own")
        say_aspect(client, node, "acknowledged", None if is_removed else value)
    screen = Screen()
    done = "is no longer acknowledged" if is_removed else "is acknowledged"
    screen.say(f"{screen.clean(problem)} of {label_of(node)} {done}")
