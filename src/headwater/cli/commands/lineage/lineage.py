"""`headwater lineage`: where data comes from and where it goes, as a tree or for other tools."""

from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.node_lookup import NodeType, find_node
from headwater.cli.api.node_names import COLUMN, FoundNode
from headwater.cli.options import DownOption, UpOption, choose_sides, direction_of
from headwater.cli.output.column_tree import ColumnTrees
from headwater.cli.output.graph_tree import GraphTrees
from headwater.cli.output.screen import Screen, print_json
from headwater.cli.output.times import describe_time, read_optional_time
from headwater.errors import HeadwaterError, InvalidRequest
from headwater.graph.answer import Side
from headwater.model.values.instant import format_instant

Shape = dict[str, Any]


class OutputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"
    CSV = "csv"
    GRAPHML = "graphml"


NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A dataset, job or column: its name or a part of it, NAMESPACE|NAME, "
        "DATASET.COLUMN, or a node id.",
    ),
]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        help="Lineage as of this time: 2026-01-31T12:00:00Z, a date, or 2d for two days ago.",
        show_default="now",
    ),
]
TypeOption = Annotated[
    NodeType | None, typer.Option("--type", help="Type of the node, if the name is ambiguous.")
]


class Question(NamedTuple):
    """The question about a node."""

    sides: tuple[Side, ...] = (Side.UPSTREAM, Side.DOWNSTREAM)
    depth: int = 20
    limit: int = 1_000
    as_of: int | None = None
    columns: bool = False
    direct: bool = False
    fold: bool = False

    def parameters(self, node: FoundNode) -> Shape:
        return {
            "nodeId": node.id,
            "direction": direction_of(self.sides),
            "depth": self.depth,
            "limit": self.limit,
            "as_of": None if self.as_of is None else format_instant(self.as_of),
        }

    def is_of_columns(self, node: FoundNode) -> bool:
        return self.columns or node.type == COLUMN


def lineage(
    name: NameArgument,
    is_up: UpOption = False,
    is_down: DownOption = False,
    is_both: Annotated[
        bool, typer.Option("--both", help="Upstream and downstream; the default.")
    ] = False,
    depth: Annotated[int, typer.Option("--depth", min=0, help="Maximum distance, in jobs.")] = 20,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=50_000, help="Maximum number of nodes.")
    ] = 1_000,
    columns: Annotated[
        bool, typer.Option("--columns", help="Show columns instead, each with its own tree.")
    ] = False,
    direct: Annotated[
        bool,
        typer.Option(
            "--direct", help="For columns: only direct dependencies; no filters, joins..."
        ),
    ] = False,
    as_of: AsOfOption = None,
    fold: Annotated[
        bool, typer.Option("--fold", help="Show parent jobs in place of their child jobs.")
    ] = False,
    type: TypeOption = None,
    server: ServerOption = DEFAULT_URL,
    output: Annotated[
        OutputFormat,
        typer.Option("--output", "-o", help="Output format: trees, or a format for other tools."),
    ] = OutputFormat.TEXT,
) -> None:
    """Show what a dataset, a job or a column comes from, and what comes from it.

    Part of a name is enough: `orders` finds kafka://broker:9092|orders. If it
    matches several nodes, they are listed.

        headwater lineage executive_revenue --up
        headwater lineage orders_fact.revenue --direct
        headwater lineage orders --type job --as-of 2d -o mermaid
    """
    sides = choose_sides(is_up, is_down, is_both) or tuple(Side)
    at = read_optional_time(as_of, "--as-of")
    question = Question(sides, depth, limit, at, columns, direct, fold)
    with Client(server) as client:
        hint = "" if type else ", or narrow it with --type"
        node = find_node(client, name, type, hint)
        _check(question, node, output)
        if output in (OutputFormat.TEXT, OutputFormat.JSON):
            answer = ask_lineage(client, node, question)
            if output is OutputFormat.JSON:
                print_json(answer)
            else:
                show_lineage(Screen(), answer, node, question)
        else:
            _export(client, node, question, output)


def ask_lineage(client: Client, node: FoundNode, question: Question) -> Shape:
    """The answer of the API, of nodes or of columns."""
    parameters = question.parameters(node)
    if question.is_of_columns(node):
        indirect = not question.direct
        return dict(client.ask("/api/v1/column-lineage", indirect=indirect, **parameters))
    return dict(client.ask("/api/v1/lineage", fold=question.fold, **parameters))


def show_lineage(screen: Screen, answer: Shape, node: FoundNode, question: Question) -> None:
    """Print an answer as trees, and what to do where it is not whole."""
    if not answer["graph"]:
        name, time = screen.clean(node.label), describe_time(answer["asOf"])
        raise HeadwaterError(f"'{name}' did not exist at {time}")
    is_of_columns = question.is_of_columns(node)
    trees = ColumnTrees(answer, screen) if is_of_columns else GraphTrees(answer, screen)
    trees.show(question.sides)
    if answer["isCut"]:
        screen.say(
            f"\nNot everything is shown: raise --depth (here {question.depth:,}) "
            f"or --limit (here {question.limit:,}).",
            "yellow",
        )
    if answer.get("incomplete"):
        screen.say("\nThis lineage is incomplete: not all was recognised of these jobs:", "yellow")
        for name, summary in _list_gaps(answer):
            screen.say(f"  {screen.clean(name)}: {screen.clean(summary)}", "yellow")


def _list_gaps(answer: Shape) -> list[tuple[str, str]]:
    """The jobs with gaps, of columns or of nodes, and what was not recognised."""
    jobs = answer["jobs"].values() if "jobs" in answer else (n["data"] for n in answer["graph"])
    return sorted((job["name"], job["gapSummary"]) for job in jobs if job.get("gapSummary"))


def _check(question: Question, node: FoundNode, output: OutputFormat) -> None:
    """Refuse what would have no effect."""
    is_of_columns = question.is_of_columns(node)
    if question.direct and not is_of_columns:
        raise InvalidRequest("--direct", "applies to columns; add --columns, or give a column")
    if question.fold and is_of_columns:
        raise InvalidRequest("--fold", "applies to datasets and jobs, not to columns")
    if output not in (OutputFormat.TEXT, OutputFormat.JSON):
        for option, is_given in (("--direct", question.direct), ("--fold", question.fold)):
            if is_given:
                raise InvalidRequest(option, f"works with --output text and json, not {output}")


def _export(client: Client, node: FoundNode, question: Question, output: OutputFormat) -> None:
    parameters = question.parameters(node)
    columns = question.is_of_columns(node)
    answer = client.ask_raw("/api/v1/lineage/export", format=output, columns=columns, **parameters)
    typer.echo(answer.content, nl=not answer.content.endswith(b"\n"))
