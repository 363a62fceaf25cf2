"""`headwater tag-report`: where a tag is, where its values flow without it, where masked."""

import csv
import io
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.output.printing import Output, print_rows
from headwater.cli.output.screen import Screen, print_json
from headwater.graph.drawings.export import guard_cell

Row = dict[str, Any]

_COLUMNS = ("state", "type", "namespace", "name", "column", "owners", "hops", "source", "jobs")


class ReportFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def tag_report(
    tag: Annotated[str, typer.Argument(metavar="TAG", help="The tag, such as PII.")],
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=20_000, help="Maximum number of columns to follow.")
    ] = 5_000,
    server: ServerOption = DEFAULT_URL,
    output: Annotated[
        ReportFormat, typer.Option("--output", "-o", help="Output format: a table, JSON or CSV.")
    ] = ReportFormat.TEXT,
) -> None:
    """Report what has a tag, which columns get its values without it, and where they are masked.

    For example: headwater tag-report PII --output csv
    """
    with Client(server) as client:
        found = client.ask(f"/api/v1/tags/{quote(tag, safe='')}/report", limit=limit)
    if output is ReportFormat.JSON:
        print_json(found)
        return
    rows = [_row(asset) for asset in found["assets"]]
    if output is ReportFormat.CSV:
        typer.echo(_csv(rows), nl=False)
    else:
        print_rows(rows, _COLUMNS, Output.TEXT, empty="nothing has this tag")
    screen = Screen(is_error=True)
    if found["isCut"]:
        screen.say("There is more; raise --limit.", "yellow")
    if found["incomplete"]:
        screen.say("There may be more: a job on the way was not understood completely.", "yellow")


def _row(asset: Row) -> Row:
    return {
        "state": asset["state"],
        "type": asset["type"].lower(),
        "namespace": asset["namespace"],
        "name": asset["name"],
        "column": asset["field"],
        "owners": ", ".join(asset["owners"]) or None,
        "hops": asset["hops"],
        "source": asset["source"],
        "jobs": ", ".join(asset["jobs"]) or None,
    }


def _csv(rows: list[Row]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        writer.writerow(
            guard_cell("" if row[name] is None else str(row[name])) for name in _COLUMNS
        )
    return target.getvalue()
