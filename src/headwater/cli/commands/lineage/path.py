"""`headwater path`: how two nodes are connected."""

from typing import Annotated, Any

import typer
from rich.text import Text

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.node_lookup import find_node
from headwater.cli.api.node_names import COLUMN, DATASET, JOB, FoundNode
from headwater.cli.commands.lineage.lineage import AsOfOption
from headwater.cli.output.printing import STATE_STYLES, Output, OutputOption
from headwater.cli.output.screen import Grid, Screen, print_json
from headwater.cli.output.times import read_optional_time
from headwater.model.values.instant import format_instant

Shape = dict[str, Any]

_COLUMNS = ("type", "how", "system", "state", "namespace")
_OPTIONAL = ("namespace", "type", "system", "how")
_TYPES = {JOB: "job", DATASET: "dataset", COLUMN: "column"}


def path(
    start: Annotated[str, typer.Argument(metavar="A", help="A dataset, job or column, by name.")],
    end: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    as_of: AsOfOption = None,
    depth: Annotated[int, typer.Option("--depth", min=0, help="Maximum distance, in jobs.")] = 100,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1_000, help="Maximum number of paths.")
    ] = 10,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Show how two nodes are connected: all paths, the shortest first.

    The order of the two nodes does not matter. Between columns, every step
    shows its transformation and its job.

        headwater path shop.commerce.orders executive_revenue
        headwater path shop.commerce.orders.price executive_revenue --limit 1
    """
    at = read_optional_time(as_of, "--as-of")
    with Client(server) as client:
        ends = find_node(client, start), find_node(client, end)
        answer = ask_paths(client, *ends, as_of=at, depth=depth, limit=limit)
    if output is Output.JSON:
        print_json(answer)
    else:
        show_paths(Screen(), answer, *ends)


def ask_paths(
    client: Client, start: FoundNode, end: FoundNode, as_of: int | None = None, **limits: Any
) -> Shape:
    """The answer of the API."""
    time = None if as_of is None else format_instant(as_of)
    ends = {"from": start.id, "to": end.id}
    return dict(client.ask("/api/v1/lineage/path", as_of=time, **ends, **limits))


def show_paths(screen: Screen, answer: Shape, start: FoundNode, end: FoundNode) -> None:
    """Print each path, from its upstream end down."""
    names = [screen.clean(node.label) for node in (start, end)]
    paths = answer["paths"]
    if not paths:
        within = " within this depth; raise --depth" if answer["isCut"] else ""
        screen.say(f"no path between {names[0]} and {names[1]}{within}")
        _warn_of_gaps(screen, answer)
        return
    if not any(found["length"] for found in paths):
        screen.say(f"{names[0]} and {names[1]} are the same, or one is part of the other")
        return
    if answer["isReversed"]:
        screen.say(f"The path leads from {names[1]} to {names[0]}: {names[1]} is upstream.\n")
        names.reverse()
    nodes = {shape["id"]: shape for shape in answer["nodes"]} | answer["jobs"]
    for number, found in enumerate(paths, 1):
        if number > 1:
            screen.say()
        _show_path(screen, found, nodes, f"path {number} of {len(paths)}: {_length(found)}")
    if answer["isCut"]:
        screen.say("\nThere may be more paths; raise --limit or --depth.", "yellow")
    _warn_of_gaps(screen, answer)


def _warn_of_gaps(screen: Screen, answer: Shape) -> None:
    if answer.get("incomplete"):
        screen.say("\nThere may be more paths: not all was recognised of the jobs here.", "yellow")


def _length(found: Shape) -> str:
    jobs = {id for id in found["nodes"] if id.startswith("job:")}
    jobs |= {edge["job"] for edge in found["edges"] if edge["job"]}
    return f"{len(jobs)} job{'' if len(jobs) == 1 else 's'}"


def _show_path(screen: Screen, found: Shape, nodes: dict[str, Shape], title: str) -> None:
    grid = Grid((title, *_COLUMNS), _OPTIONAL)
    edges = [None, *found["edges"]]
    for id, edge in zip(found["nodes"], edges, strict=True):
        shape = nodes[id]
        step = Text().append(f"{screen.marks.arrow} " if edge else "", "dim")
        node = FoundNode(id, shape["type"], shape["namespace"], shape["name"], shape["field"])
        step.append(screen.clean(node.label), "cyan" if node.type == JOB else "none")
        state = shape["state"]
        grid.add(
            step,
            _TYPES[node.type],
            Text(
                screen.clean(_describe_edge(edge, nodes)),
                "dim" if _is(edge, "indirect") else "none",
            ),
            screen.clean(shape["system"] or "-"),
            Text(state or "-", STATE_STYLES.get(state, "none")),
            Text(screen.clean(node.namespace), "dim"),
        )
    screen.show(grid)


def _describe_edge(edge: Shape | None, nodes: dict[str, Shape]) -> str:
    """How a step is made, where more is known than that a job reads or writes."""
    if edge is None:
        return "-"
    parts = []
    if edge["transformations"]:
        parts.append(edge["transformations"].replace("/", " "))
    if _is(edge, "assumed"):
        parts.append("(whole dataset: job reports no columns)")
    if edge["job"]:
        parts.append(f"by {nodes[edge['job']]['name']}")
    if edge["kind"] != "observed":
        parts.append(f"({edge['kind']})")
    return " ".join(parts) or "-"


def _is(edge: Shape | None, what: str) -> bool:
    return edge is not None and bool(edge[f"is{what.title()}"])
