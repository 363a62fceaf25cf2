"""`headwater log`: the log of edits, and undo."""

import json
from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.edits import TypeOption, change, find_edited
from headwater.cli.api.node_lookup import NodeType
from headwater.cli.api.node_names import JOB
from headwater.cli.output.printing import Output, OutputOption, print_rows
from headwater.cli.output.screen import Screen
from headwater.cli.output.times import describe_time, read_optional_time
from headwater.errors import HeadwaterError, InvalidRequest
from headwater.model.values.instant import format_instant

Row = dict[str, Any]

# The shown part of a value.
_SHOWN = 60


def log(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only edits of this dataset or job.")
    ] = None,
    actor: Annotated[str | None, typer.Option("--actor", help="Only edits by this actor.")] = None,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", metavar="TIME", help="Only since this time: a time, a date, or 2d."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=10_000, help="Maximum number to print.")
    ] = 20,
    undone: Annotated[
        str | None, typer.Option("--undo", metavar="ID", help="Undo the edit with this id.")
    ] = None,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """List edits, newest first: who tagged, described, deleted ... what; or undo an edit.

    headwater log shop.orders --after 7d

    headwater log --undo 5b0e1f0c9a7d4e3f8c6b2a1908f7e6d5
    """
    since = read_optional_time(after, "--after")
    with Client(server) as client:
        if undone is not None:
            if name is not None:
                raise InvalidRequest("--undo", "takes the id of an edit; leave NAME out")
            _undo(client, undone, output)
            return
        parameters = _about(client, name, type) | {"actor": actor, "limit": limit}
        parameters["after"] = None if since is None else format_instant(since)
        found = client.ask("/api/v1/edits", **parameters)["edits"]
    if output is Output.JSON:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    columns = ("time", "actor", "type", "name", "what", "id")
    print_rows([_row(edit) for edit in found], columns, output, empty="no edits")


def _about(client: Client, name: str | None, type: NodeType | None) -> Row:
    """The query for the log; deleted entities are found by their full name."""
    if name is None:
        return {}
    try:
        node = find_edited(client, name, type)
    except HeadwaterError:
        namespace, mark, last = name.rpartition("|")
        parameters: Row = {"name": last} | ({"namespace": namespace} if mark else {})
        if client.read("/api/v1/edits", limit=1, **parameters)["edits"]:
            return parameters
        raise
    kind = "job" if node.type == JOB else "dataset"
    return {"type": kind, "namespace": node.namespace, "name": node.name}


def _undo(client: Client, id: str, output: Output) -> None:
    edit = change(client, "POST", f"/api/v1/edits/{id}/undo")
    if output is Output.JSON:
        typer.echo(json.dumps(edit, indent=2, ensure_ascii=False))
        return
    row = _row(edit)
    Screen().say(f"undone: {row['type']} {row['name']}: {row['what']} (edit {row['id']})")


def _row(edit: Row) -> Row:
    screen = Screen()
    entity = edit["entity"]
    field = f"#{entity['field']}" if entity.get("field") else ""
    namespace = f"{entity['namespace']}|" if entity.get("namespace") else ""
    given = [f"{aspect} = {_short(value)}" for aspect, value in edit["set"].items()]
    taken = [f"{aspect} removed" for aspect in edit["unset"]]
    undoes = [f"(undoes {edit['undoes']})"] if edit.get("undoes") else []
    return {
        "time": describe_time(edit["at"]),
        "actor": edit["actor"],
        "type": "column" if field else entity["type"],
        "name": screen.clean(f"{namespace}{entity['name']}{field}"),
        "what": screen.clean("; ".join([*given, *taken, *undoes])),
        "id": edit["id"],
    }


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
