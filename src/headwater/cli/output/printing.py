"""How commands print: a table for people, JSON for programs."""

import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

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

# To a terminal a table fits the window; into a pipe every row is one line, without colours.
_PIPE_WIDTH = 10_000


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
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        # Names are what people copy: they are folded, never cut.
        table.add_column(column.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    is_terminal = sys.stdout.isatty()
    Console(highlight=False, width=None if is_terminal else _PIPE_WIDTH).print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    text = str(value)
    style = STATE_STYLES.get(text)
    # Names may hold brackets, which would be read as markup.
    escaped = text.replace("[", r"\[")
    return f"[{style}]{escaped}[/]" if style else escaped
