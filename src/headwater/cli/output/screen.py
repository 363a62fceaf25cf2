"""Text for people: aligned rows, as wide as the window; plain and never cut into a pipe."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_GAP = 2


class Marks(NamedTuple):
    """The signs that a stream can show."""

    branch: str
    last: str
    bar: str
    blank: str
    arrow: str
    above: str
    dots: str


_DRAWN = Marks("├ ", "└ ", "│ ", "  ", "→", "↑ see above", "…")
_PLAIN = Marks("|- ", "`- ", "|  ", "   ", "->", "(see above)", "...")


class Grid:
    """Rows under titles; the first column holds what is read first, a name or a tree.

    Columns named `optional` are left out of a narrow window, the first of them first. A column
    that is empty in every row is not shown, unless `is_complete`.
    """

    def __init__(
        self, titles: Sequence[str], optional: Sequence[str] = (), *, is_complete: bool = False
    ) -> None:
        self.titles = tuple(titles)
        self.optional = tuple(optional)
        self.is_complete = is_complete
        self.rows: list[tuple[Text, ...]] = []

    def add(self, *cells: Text | str) -> None:
        self.rows.append(tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells))

    def shown(self) -> list[str]:
        """The titles of columns with a value in some row."""
        return [
            title
            for index, title in enumerate(self.titles)
            if not index
            or self.is_complete
            or any(row[index].plain not in ("", "-") for row in self.rows)
        ]

    def widths(self) -> dict[str, int]:
        """The width of each column, in cells of a terminal."""
        return {
            title: max(cell_len(text) for text in (title, *(row[index].plain for row in self.rows)))
            for index, title in enumerate(self.titles)
        }

    def choose(self, titles: Sequence[str]) -> Iterator[list[Text]]:
        """The rows with only some of the columns."""
        places = [self.titles.index(title) for title in titles]
        return ([row[place] for place in places] for row in self.rows)


class Screen:
    """Where text goes: a terminal gets colours and lines, all else neither."""

    def __init__(self, console: Console | None = None, *, is_error: bool = False) -> None:
        self._console = console or Console(
            stderr=is_error, highlight=False, markup=False, emoji=False
        )
        self.is_terminal = self._console.is_terminal
        is_unicode = self._console.encoding.lower().startswith("utf")
        self.marks = _DRAWN if self.is_terminal and is_unicode else _PLAIN

    def clean(self, text: str) -> str:
        """A name as it can be shown: on one line, and without orders to the terminal."""
        if not text.isprintable():
            text = "".join(
                char if char.isprintable() else char.encode("unicode_escape").decode()
                for char in text
            )
        encoding = self._console.encoding
        return text.encode(encoding, "backslashreplace").decode(encoding)

    def say(self, text: str | Text = "", style: str = "") -> None:
        """Print a line, however long."""
        line = text if isinstance(text, Text) else Text(text, style)
        self._console.print(line, soft_wrap=True)

    def show(self, grid: Grid) -> None:
        """Print rows; columns that do not fit into a window are listed below."""
        shown, widths = grid.shown(), grid.widths()
        if not self.is_terminal:
            # One line a row, however long, and several times faster than a table.
            self._console.out("\n".join(_aligned(grid, shown, widths)), highlight=False)
            return
        left_out: list[str] = []
        for title in grid.optional:
            if title in shown and _total(shown, widths) > self._console.width:
                shown.remove(title)
                left_out.append(title)
        self._console.print(_table(grid, shown, widths, self._console.width))
        if left_out:
            self.say(f"(a wider window also shows: {', '.join(left_out)})", "dim")


def print_json(value: Any) -> None:
    """Print an answer for programs; escaped where the stream takes no more than ASCII."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, indent=2, ensure_ascii=not is_unicode))


def _total(titles: Sequence[str], widths: Mapping[str, int]) -> int:
    return sum(widths[title] + _GAP for title in titles) - _GAP


def _table(grid: Grid, titles: Sequence[str], widths: Mapping[str, int], room: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bold")
    for title in titles:
        # Names are what people copy: they are folded, never cut.
        table.add_column(Text(title), overflow="fold")
    table.columns[0].min_width = min(widths[titles[0]], room // 2)
    for row in grid.choose(titles):
        table.add_row(*row)
    return table


def _aligned(grid: Grid, titles: Sequence[str], widths: Mapping[str, int]) -> Iterator[str]:
    for row in (titles, *([cell.plain for cell in row] for row in grid.choose(titles))):
        padded = (
            cell + " " * (widths[title] - cell_len(cell) + _GAP)
            for title, cell in zip(titles, row, strict=True)
        )
        yield "".join(padded).rstrip()
