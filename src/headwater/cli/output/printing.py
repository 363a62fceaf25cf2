"""How commands print: a table for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.text import Text

from headwater.cli.output.screen import Grid, Screen

STATE_STYLES = {
    "COMPLETED": "green",
    "RUNNING": "cyan",
    "FAILED": "bold red",
    "ABORTED": "yellow",
    "ok": "green",
    "warning": "yellow",
    "problem": "bold red",
}


class Output(StrEnum):
    TEXT = "text"
    JSON = "json"


OutputOption = Annotated[
    Output, typer.Option("--output", "-o", help="Output format: a table, or JSON for programs.")
]


def print_rows(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], output: Output, empty: str
) -> None:
    """Print rows, the named columns of them as a table or all there is as JSON."""
    if output is Output.JSON:
        typer.echo(json.dumps(list(rows), indent=2, ensure_ascii=False))
        return
    if not rows:
        typer.echo(empty)
        return
    screen = Screen()
    grid = Grid([column.replace("_", " ") for column in columns], is_complete=True)
    for row in rows:
        grid.add(*(_cell(screen, row.get(column)) for column in columns))
    screen.show(grid)


def _cell(screen: Screen, value: Any) -> Text:
    text = "-" if value is None else str(value)
    return Text(screen.clean(text), STATE_STYLES.get(text, ""))
