"""`headwater drift`: where what is declared of jobs and what their runs observe differ."""

from typing import Annotated, Any

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.screen import Grid, Screen, print_json

Shape = dict[str, Any]
_WORDS = {"notObserved": "declared, not observed", "notDeclared": "observed, not declared"}
_TITLES = ("what", "dataset or column", "namespace", "since", "last observed")


def drift(
    namespace: Annotated[
        str, typer.Option("--namespace", help="Only jobs of this namespace.")
    ] = "",
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Fail also if a declared job has no observed run."),
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1_000, help="Maximum number of jobs.")
    ] = 100,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Compare what is declared of jobs with what their newest runs observed, by edge and column.

    Exit code 0: nothing differs. 1: something does, for CI.

        headwater drift --namespace streaming-platform
    """
    with Client(server) as client:
        answer: Shape = dict(client.ask("/api/v1/drift", namespace=namespace or None, limit=limit))
    if output is Output.JSON:
        print_json(answer)
    else:
        _show(Screen(), answer)
    if answer["totalCount"] or (strict and answer["notRunCount"]):
        raise typer.Exit(1)


def _add(grid: Grid, screen: Screen, what: str, dataset: Shape, *times: str) -> None:
    cells = (what, dataset["name"], dataset["namespace"], *times)
    grid.add(*(screen.clean(cell) for cell in cells))


def _show(screen: Screen, answer: Shape) -> None:
    for job in answer["jobs"]:
        screen.say(screen.clean(f"{job['namespace']} {job['name']}, run {job['run']}"))
        grid = Grid(_TITLES, ("namespace",))
        for edge in job["edges"]:
            what = f"{edge['direction']} {_WORDS[edge['kind']]}"
            _add(grid, screen, what, edge, edge["since"], edge["lastObservedAt"] or "never")
        for pair in job["columns"]:
            what = f"column {_WORDS[pair['kind']]}"
            ends = (pair["output"], pair["input"])
            one, other = (f"{each['name']}.{each['field']}" for each in ends)
            _add(grid, screen, what, {**pair["output"], "name": f"{one} <- {other}"}, "-", "-")
        screen.show(grid)
        screen.say()
    if answer["isCut"]:
        screen.say(f"{len(answer['jobs'])} of {answer['totalCount']} jobs; raise --limit", "yellow")
    not_run = answer["notRunCount"]
    unseen = f"; of {not_run} no run was observed" if not_run else ""
    screen.say(f"{answer['totalCount']} of {answer['declaredCount']} declared jobs differ{unseen}")
