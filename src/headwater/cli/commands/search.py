"""`headwater search`: datasets and jobs by words in their names and texts."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.commands.lists import LimitOption, NamespaceOption
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.screen import Screen

Row = dict[str, Any]

_SUGGESTED = 3
# Of a long description, what is shown.
_MOST_SHOWN = 80


class NodeKindOption(StrEnum):
    DATASET = "dataset"
    JOB = "job"


def search(
    words: Annotated[list[str], typer.Argument(help="Words to search for; every word must match.")],
    type: Annotated[
        NodeKindOption | None, typer.Option("--type", help="Only datasets, or only jobs.")
    ] = None,
    namespace: NamespaceOption = None,
    system: Annotated[
        str | None, typer.Option("--system", help="Only of this system, such as kafka.")
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only with this tag.")] = None,
    state: Annotated[
        str | None, typer.Option("--state", help="Only jobs whose last run is in this state.")
    ] = None,
    limit: LimitOption = 20,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Search datasets and jobs by name, column, description, owner and tag; best matches first.

    Words of five letters or more may have one wrong letter.

    For example: headwater search orders daily
    """
    text = " ".join(words)
    parameters = {
        "filter": type,
        "namespace": namespace,
        "system": system,
        "tag": tag,
        "state": state,
    }
    given = {name: str(value) for name, value in parameters.items() if value is not None}
    with Client(server) as client:
        found = client.read("/api/v1/search", q=text, limit=limit, **given)
        results = found["results"]
        near = [] if results else _near(client, words)
    screen = Screen(is_error=True)
    if output is Output.JSON or results:
        columns = ("type", "namespace", "name", "updated", "found_in", "text")
        is_json = output is Output.JSON
        rows = results if is_json else [_row(result, screen) for result in results]
        print_rows(rows, columns, output, empty="")
    if not results:
        screen.say(_nothing(screen, text, near, is_narrowed=bool(given)))
        raise typer.Exit(1)
    if output is Output.TEXT and found["totalCount"] > len(results):
        screen.say(f"{len(results)} of {found['totalCount']:,}; --limit shows more")


def _near(client: Client, words: list[str]) -> list[str]:
    """Names that match one of the words, if none matches all."""
    names = [
        result["name"]
        for word in words
        if word.strip()
        for result in client.read("/api/v1/search", q=word, limit=_SUGGESTED)["results"]
    ]
    return list(dict.fromkeys(names))[:_SUGGESTED]


def _nothing(screen: Screen, text: str, near: list[str], is_narrowed: bool) -> str:
    line = f"headwater: nothing found for '{screen.clean(text[:200])}'"
    if is_narrowed:
        line += " with these options"
    if near:
        line += f"; similar: {', '.join(screen.clean(name) for name in near)}"
    return line


def _row(result: Row, screen: Screen) -> Row:
    time, match = result["updatedAt"], result["match"]
    text = " ".join(match["text"].split())
    return {
        "type": result["type"].lower(),
        "namespace": screen.clean(result["namespace"]),
        "name": screen.clean(result["name"]),
        "updated": None if time is None else f"{time[:10]} {time[11:19]}",
        "found_in": match["in"],
        "text": None if match["in"] == "name" else screen.clean(_shortened(text)),
    }


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."
