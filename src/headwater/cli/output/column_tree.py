"""Columns as trees: what each is made of or goes into, how, and by which job."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from rich.text import Text

from headwater.cli.api.node_names import FoundNode
from headwater.cli.options import more_of
from headwater.cli.output.screen import Grid, Screen
from headwater.cli.output.times import describe_time
from headwater.cli.output.tree import Branch, grow
from headwater.graph.answer import Side

Shape = dict[str, Any]
# All ways in which one column goes into another.
Ways = list[Shape]

_COLUMNS = ("type", "how", "by job", "namespace")
_OPTIONAL = ("namespace", "type", "by job")
_WHOLE = "(whole dataset)"
_ASSUMED = "(whole dataset: job reports no columns)"
_NO_CELLS = ("",) * len(_COLUMNS)
# Two columns may be connected by any number of jobs.
_MOST_WAYS = 3


class ColumnTrees:
    """The answer of `/column-lineage`, to be printed as one tree a side and column."""

    def __init__(self, answer: Shape, screen: Screen) -> None:
        self._nodes = {node["id"]: node for node in answer["graph"]}
        self._job_names: Shape = answer["jobs"]
        self._starts: Sequence[str] = [id for id in answer["nodes"] if id in self._nodes]
        self._as_of = answer["asOf"]
        self._screen = screen
        self._ways: defaultdict[Side, defaultdict[str, dict[str, Ways]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        self._connect()

    def show(self, sides: Iterable[Side]) -> None:
        is_first = True
        requested = tuple(sides)
        for start in self._starts:
            for side in requested:
                if not is_first:
                    self._screen.say()
                is_first = False
                self._show_tree(start, side)

    def _connect(self) -> None:
        """Edges by their ends; the answer has them with the columns that they lead to."""
        ids = {_place(node["data"]): id for id, node in self._nodes.items()}
        for id, node in self._nodes.items():
            for way in node["data"]["inputFields"]:
                origin = ids.get(_place(way))
                if origin is not None:
                    self._ways[Side.UPSTREAM][id].setdefault(origin, []).append(way)
                    self._ways[Side.DOWNSTREAM][origin].setdefault(id, []).append(way)

    def _show_tree(self, start: str, side: Side) -> None:
        title = f"{side} of {self._label(start)}"
        if self._as_of is not None:
            title += f" as of {describe_time(self._as_of)}"
        branches = list(
            grow(
                start,
                lambda id: self._children(id, side),
                lambda id: more_of(self._nodes[id], side),
                self._screen.marks,
            )
        )
        if len(branches) == 1:
            self._screen.say(f"nothing is known {title}")
            if self._nodes[start].get("incomplete"):
                self._screen.say("  the job next to it has gaps", "yellow")
            return
        grid = Grid((title, *_COLUMNS), _OPTIONAL)
        for branch in branches:
            grid.add(*self._row(branch))
        self._screen.show(grid)

    def _children(self, id: str, side: Side) -> list[tuple[str, Ways]]:
        """What makes the value first, then what only decides over rows."""
        found = self._ways[side].get(id, {})
        return sorted(found.items(), key=lambda item: (_is_indirect(item[1]), item[0]))

    def _row(self, branch: Branch[Ways]) -> tuple[Text | str, ...]:
        tree = Text().append(branch.guide, "dim")
        if branch.more:
            tree.append(f"{self._screen.marks.dots} {branch.more:,} more", "dim")
            return (tree, *_NO_CELLS)
        ways = branch.edge or []
        style = "bold" if branch.edge is None else "dim" if _is_indirect(ways) else "none"
        tree.append(self._label(branch.key), style)
        data = self._nodes[branch.key]["data"]
        marks = _marks(ways, is_whole=not data["field"])
        if branch.is_repeated:
            marks.append(self._screen.marks.above)
        for mark in marks:
            tree.append(f" {mark}", "dim")
        if self._nodes[branch.key].get("incomplete"):
            tree.append(" (incomplete)", "yellow")
        return (
            tree,
            Text(self._screen.clean(data["fieldType"] or "-"), style if ways else "none"),
            Text(self._screen.clean(describe_ways(ways)), style if ways else "none"),
            Text(self._jobs(ways), "cyan" if style == "none" else style if ways else "none"),
            Text(self._screen.clean(data["namespace"]), "dim"),
        )

    def _label(self, id: str) -> str:
        data = self._nodes[id]["data"]
        node = FoundNode(id, "", data["namespace"], data["dataset"], data["field"])
        return self._screen.clean(node.label)

    def _jobs(self, ways: Ways) -> str:
        names = dict.fromkeys(self._job_names[way["job"]]["name"] for way in ways if way["job"])
        return self._screen.clean(_few(list(names), ", ")) or "-"


def describe_ways(ways: Ways) -> str:
    """How a column goes into another, in OpenLineage's words: `DIRECT AGGREGATION, masked`."""
    words = dict.fromkeys(_in_words(each) for way in ways for each in way["transformations"])
    return _few([word for word in words if word], "; ") or "-"


def _in_words(transformation: Shape) -> str:
    masked = ", masked" if transformation["masking"] else ""
    return " ".join(filter(None, (transformation["type"], transformation["subtype"]))) + masked


def _few(words: Sequence[str], mark: str) -> str:
    more = len(words) - _MOST_WAYS
    return mark.join(words[:_MOST_WAYS]) + (f"{mark}{more:,} more" if more > 0 else "")


def _marks(ways: Ways, is_whole: bool) -> list[str]:
    kinds = {way.get("kind") for way in ways}
    marks = [] if None in kinds else [f"({kind})" for kind in sorted(kinds, key=str)]
    if any(way.get("isAssumed") for way in ways):
        return [*marks, _ASSUMED]
    # Not exact: what is known is of a field inside the column, or of the column around the field.
    if ways and all(way.get("via") for way in ways):
        marks.append(f"(via {_few(sorted({way['via'] for way in ways}), ', ')})")
    return [*marks, _WHOLE] if is_whole else marks


def _is_indirect(ways: Ways) -> bool:
    return bool(ways) and all(way["isIndirect"] for way in ways)


def _place(data: Shape) -> tuple[str, str, str]:
    return data["namespace"], data["dataset"], data["field"]
