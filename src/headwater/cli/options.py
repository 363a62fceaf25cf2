"""The direction from a node: up, down or both, as options and as the API's values."""

from typing import Annotated, Any

import typer

from headwater.graph.answer import Side

UpOption = Annotated[bool, typer.Option("--up", help="Only upstream.")]
DownOption = Annotated[bool, typer.Option("--down", help="Only downstream.")]


def choose_sides(is_up: bool, is_down: bool, is_both: bool) -> tuple[Side, ...]:
    """The sides that were requested; none if none was."""
    up = (Side.UPSTREAM,) if is_up or is_both else ()
    down = (Side.DOWNSTREAM,) if is_down or is_both else ()
    return up + down


def direction_of(sides: tuple[Side, ...]) -> str:
    return sides[0] if len(sides) == 1 else "both"


def more_of(node: dict[str, Any], side: Side) -> int:
    """How many neighbours on a side an answer left out."""
    return int((node.get("more") or {}).get(side, 0))
