"""`headwater diff`: what came, went and changed between two times, and what brought it."""

from collections import Counter, defaultdict
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.text import Text

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption
from headwater.cli.api.node_lookup import find_node
from headwater.cli.api.node_names import JOB, FoundNode, node_of_id, node_of_shape
from headwater.cli.options import DownOption, UpOption, choose_sides, direction_of
from headwater.cli.output.printing import Output, OutputOption
from headwater.cli.output.screen import Screen, print_json
from headwater.cli.output.times import describe_time, read_time
from headwater.errors import InvalidRequest
from headwater.model.values.instant import format_instant

Shape = dict[str, Any]

_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "changed": ("~", "yellow")}
# What is counted, in the words of the lines above.
_COUNTED = {"field": "column", "column": "column edge", "lifecycle": "mark"}
_UNCOUNTABLE = ("sql", "code")
# Of what is always there in some way, a first word is no new thing.
_ASPECTS = ("state", "sql", "code", "lifecycle")


def diff(
    start: Annotated[
        str,
        typer.Argument(
            metavar="T1",
            help="Start of the interval: 2026-01-31T12:00:00Z, a date, or 2d for two days ago.",
        ),
    ],
    end: Annotated[
        str, typer.Argument(metavar="T2", help="End of the interval; also `now`.")
    ] = "now",
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NODE", help="Only what is connected to this dataset, job or column."
        ),
    ] = None,
    is_up: UpOption = False,
    is_down: DownOption = False,
    is_both: Annotated[
        bool, typer.Option("--both", help="Upstream and downstream, but not other connected nodes.")
    ] = False,
    depth: Annotated[int, typer.Option("--depth", min=0, help="Maximum distance, in jobs.")] = 20,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=100_000, help="Maximum number of changes.")
    ] = 1_000,
    nodes: Annotated[
        int, typer.Option("--nodes", min=1, max=50_000, help="Maximum number of nodes to compare.")
    ] = 5_000,
    server: ServerOption = DEFAULT_URL,
    output: OutputOption = Output.TEXT,
) -> None:
    """Show what changed between two times, and the cause of each change.

    Compares datasets, jobs, columns, edges, job states, SQL and code.

        headwater diff 2d
        headwater diff 2026-01-30 2026-01-31T12:00:00Z orders_fact --up
    """
    hint = "" if name else "; to name a node, give both times before it"
    since, until = read_time(start, "T1"), read_time(end, "T2", hint)
    if since > until:
        raise InvalidRequest("T1", f"{_at(since)} is after T2, {_at(until)}; swap them")
    sides = choose_sides(is_up, is_down, is_both)
    if sides and name is None:
        raise InvalidRequest("--up, --down, --both", "need a node; give one after T2")
    with Client(server) as client:
        node = None if name is None else find_node(client, name)
        direction = direction_of(sides) if sides else "connected"
        answer = ask_diff(
            client, since, until, node, depth=depth, limit=limit, nodes=nodes, direction=direction
        )
    if output is Output.JSON:
        print_json(answer)
    else:
        show_diff(Screen(), answer)


def ask_diff(
    client: Client,
    since: int,
    until: int,
    node: FoundNode | None = None,
    limit: int = 1_000,
    **limits: Any,
) -> Shape:
    """The answer of the API, put together from as many of its pages as are requested."""
    query = {"from": format_instant(since), "to": format_instant(until), **limits}
    query["nodeId"] = None if node is None else node.id
    answer = dict(client.ask("/api/v1/lineage/diff", limit=limit, **query))
    while answer.get("next") and len(answer["changes"]) < limit:
        left = limit - len(answer["changes"])
        page = client.ask("/api/v1/lineage/diff", limit=left, after=answer["next"], **query)
        answer = _join(answer, dict(page))
    return answer


def _join(answer: Shape, page: Shape) -> Shape:
    """An answer with the next page: what a page counts beyond itself is counted by the next."""
    before = answer["changes"]
    counts = Counter(f"{change['type']} {change['change']}" for change in before)
    return {
        **page,
        "changes": before + page["changes"],
        "nodes": answer["nodes"] | page["nodes"],
        "totalCount": len(before) + page["totalCount"],
        "counts": dict(sorted((counts + Counter(page["counts"])).items())),
    }


def show_diff(screen: Screen, answer: Shape) -> None:
    """Print changes by the time and the cause that they share, then how many there are."""
    words = _Words(screen, answer)
    between = f"between {describe_time(answer['from'])} and {describe_time(answer['to'])} UTC"
    # What one cause brought stands together, in the order of time.
    ordered = sorted(answer["changes"], key=lambda change: (change["at"] or "", _key(change)))
    for (time, _), group in groupby(ordered, lambda change: (change["at"], _key(change))):
        changes = list(group)
        cause = words.cause(changes[0]["cause"])
        screen.say(Text.assemble((describe_time(time), "bold"), f"  {cause}" if cause else ""))
        for change in changes:
            is_aspect = change["type"] in _ASPECTS
            sign, style = _SIGNS["changed" if is_aspect else change["change"]]
            screen.say(Text.assemble("  ", (sign, style), " ", words.change(change)))
    total, shown = answer["totalCount"], len(answer["changes"])
    if not total:
        screen.say(f"nothing changed {between}")
    else:
        counts = ", ".join(_count(key, count) for key, count in answer["counts"].items())
        screen.say(f"\n{total:,} change{'s' if total > 1 else ''} {between}: {counts}")
    if shown < total:
        screen.say(f"Only {shown:,} are shown; raise --limit.", "yellow")
    if answer["isCut"]:
        more = "raise --depth or --nodes" if answer.get("node") else "raise --limit"
        screen.say(f"Not everything was compared; {more}.", "yellow")


def _key(change: Shape) -> str:
    return str(change["cause"])


def _count(key: str, count: int) -> str:
    what, _, change = key.partition(" ")
    plural = "s" if count > 1 and what not in _UNCOUNTABLE else ""
    return f"{count:,} {_COUNTED.get(what, what)}{plural} {change}"


def _at(time: int) -> str:
    return describe_time(format_instant(time))


class _Words:
    """Changes in words; names without their namespace where no other has them."""

    def __init__(self, screen: Screen, answer: Shape) -> None:
        self._screen = screen
        self._nodes = {id: node_of_shape(id, shape) for id, shape in answer["nodes"].items()}
        self._by_name: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for node in self._nodes.values():
            self._by_name[node.type, node.name].add(node.namespace)

    def cause(self, cause: Shape | None) -> str:
        match cause:
            case {"type": "edit", "actor": actor}:
                return self._screen.clean(f"edited by {actor or 'somebody'}")
            case {"type": "run", "run": run, "job": job}:
                of = f" of {self._short(job)}" if job else ""
                return self._screen.clean(f"run {run}") + of
            case {"type": "declaration", "job": job}:
                return f"declared by {self._short(job)}" if job else "declared"
        return ""

    def change(self, change: Shape) -> str:
        before, after = (self._screen.clean(change[key] or "") for key in ("before", "after"))
        arrow = self._screen.marks.arrow
        values = f"{before} {arrow} {after}" if before and after else before or after
        subject = self._node(change["subject"])
        match change["type"]:
            case "edge" | "column":
                ends = f" {arrow} ".join(
                    map(self._short, (change["origin"], change["destination"]))
                )
                how = values.replace("/", " ")
                kind = f" ({how})" if how not in ("", "observed") else ""
                what = "edge" if change["type"] == "edge" else "column edge"
                job = change.get("job")
                is_in_cause = not job or job == (change["cause"] or {}).get("job")
                by = "" if is_in_cause else f" by {self._short(str(job))}"
                return f"{what} {ends}{kind}{by}"
            case "field":
                column = self._screen.clean(subject.field)
                return f"column {column} {values} on {self._whole(subject._replace(field=''))}"
            case "state":
                return f"{self._short(subject.id)} {values}"
            case "lifecycle":
                return f"dataset {self._whole(subject)} marked {values}"
            case "sql" | "code" as what:
                return f"{what} of {self._short(subject.id)}"
        return f"{'job ' if subject.type == JOB else 'dataset '}{self._whole(subject)}"

    def _node(self, id: str) -> FoundNode:
        return self._nodes.get(id) or node_of_id(id)

    def _whole(self, node: FoundNode) -> str:
        return self._screen.clean(node.whole_name)

    def _short(self, id: str) -> str:
        node = self._node(id)
        is_known = len(self._by_name[node.type, node.name]) < 2
        name = self._screen.clean(node.label if is_known else node.whole_name)
        return f"job {name}" if node.type == JOB else name
