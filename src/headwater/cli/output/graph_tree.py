"""Datasets and jobs as trees: what is upstream of a node, and what is downstream."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.text import Text

from headwater.cli.options import more_of
from headwater.cli.output.printing import STATE_STYLES
from headwater.cli.output.screen import Grid, Screen
from headwater.cli.output.times import describe_age, describe_time
from headwater.cli.output.tree import Branch, grow
from headwater.graph.answer import Side
from headwater.model.values.instant import now, parse_instant

Shape = dict[str, Any]

_COLUMNS = ("type", "system", "state", "freshness", "namespace")
# Colours show the type as well.
_OPTIONAL = ("namespace", "type", "system", "freshness")
_NO_CELLS = ("",) * len(_COLUMNS)
_STYLES = {**STATE_STYLES, "DROP": "bold red", "TRUNCATE": "yellow"}


class GraphTrees:
    """The answer of `/lineage`, to be printed as one tree a side."""

    def __init__(self, answer: Shape, screen: Screen) -> None:
        self._nodes = {node["id"]: node for node in answer["graph"]}
        self._root = answer["node"]
        self._as_of = answer["asOf"]
        self._at = now() if self._as_of is None else parse_instant(self._as_of)
        self._screen = screen

    def show(self, sides: Iterable[Side]) -> None:
        for index, side in enumerate(sides):
            if index:
                self._screen.say()
            self._show_side(side)

    def _show_side(self, side: Side) -> None:
        title = f"{side} of {self._name(self._nodes[self._root])}"
        if self._as_of is not None:
            title += f" as of {describe_time(self._as_of)}"
        branches = list(self._grow(side))
        if len(branches) == 1:
            self._screen.say(f"nothing is known {title}")
            if summary := self._nodes[self._root]["data"].get("gapSummary"):
                self._screen.say(f"  {self._screen.clean(summary)}", "yellow")
            return
        grid = Grid((title, *_COLUMNS), _OPTIONAL)
        for branch in branches:
            grid.add(*self._row(branch))
        self._screen.show(grid)

    def _grow(self, side: Side) -> Iterator[Branch[Shape]]:
        end = "origin" if side is Side.UPSTREAM else "destination"

        def children(id: str) -> list[tuple[str, Shape]]:
            edges = self._nodes[id]["inEdges" if side is Side.UPSTREAM else "outEdges"]
            return [(edge[end], edge) for edge in edges if edge[end] in self._nodes]

        marks = self._screen.marks
        return grow(self._root, children, lambda id: more_of(self._nodes[id], side), marks)

    def _row(self, branch: Branch[Shape]) -> tuple[Text | str, ...]:
        tree = Text().append(branch.guide, "dim")
        if branch.more:
            tree.append(f"{self._screen.marks.dots} {branch.more:,} more", "dim")
            return (tree, *_NO_CELLS)
        node = self._nodes[branch.key]
        is_job = node["type"] == "JOB"
        style = "bold" if branch.edge is None else "cyan" if is_job else "none"
        tree.append(self._name(node), style)
        if kind := (branch.edge or {}).get("kind"):
            tree.append(f" ({kind})", "dim")
        if branch.is_repeated:
            tree.append(f" {self._screen.marks.above}", "dim")
            return (tree, *_NO_CELLS)
        data = node["data"]
        if summary := data.get("gapSummary"):
            tree.append(f" ({self._screen.clean(summary)})", "yellow")
        state = (data["latestRun"] or {}).get("state") if is_job else data["lastLifecycleState"]
        return (
            tree,
            "job" if is_job else "dataset",
            self._screen.clean(data["system"] or "-"),
            Text(state or "-", _STYLES.get(state or "", "none")),
            self._freshness(data, is_job),
            Text(self._screen.clean(data["namespace"]), "dim"),
        )

    def _freshness(self, data: Shape, is_job: bool) -> str:
        """When a dataset was written or seen, or a job ended or sent its last event."""
        run = data["latestRun"] or {} if is_job else {}
        for verb, time in (
            (("ran", run.get("endedAt")), ("last event", run.get("updatedAt")))
            if is_job
            else (("written", data["lastModifiedAt"]), ("seen", data["updatedAt"]))
        ):
            if time is not None:
                return f"{verb} {describe_age(time, self._at)}"
        return "-"

    def _name(self, node: Shape) -> str:
        return self._screen.clean(node["data"]["name"])
