"""Text for people: aligned rows, as wide as the window; plain and never cut into a pipe."""

import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import typer
from rich.cells import cell_len
from rich.console import Console
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

    Columns named `optional` are left out of a narrow window, the first of them first.
    """

    def __init__(self, titles: Sequence[str], optional: Sequence[str] = ()) -> None:
        self.titles = tuple(titles)
        self.optional = tuple(optional)
        self.rows: list[tuple[Text, ...]] = []

    def add(self, *cells: Text | str) -> None:
        self.rows.append(tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells))


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
        """Print rows; columns that do not fit are listed below."""
        widths = [
            max(cell_len(cell) for cell in (title, *(row[index].plain for row in grid.rows)))
            for index, title in enumerate(grid.titles)
        ]
        # A column that is empty in every row is not shown.
        shown = [
            index
            for index in range(len(widths))
            if not index or any(row[index].plain not in ("", "-") for row in grid.rows)
        ]
        left_out: list[str] = []
        if self.is_terminal:
            room = self._console.width
            for title in grid.optional:
                index = grid.titles.index(title)
                if index in shown and _total(widths, shown) > room:
                    shown.remove(index)
                    left_out.append(title)
            # A few long names stick out rather than push all others off the window.
            widths[0] = min(widths[0], max(room // 2, room - _total(widths, shown[1:]) - _GAP))
        header = tuple(Text(title, "bold") for title in grid.titles)
        for row in (header, *grid.rows):
            self.say(_join([row[index] for index in shown], [widths[index] for index in shown]))
        if left_out:
            self.say(f"(a wider window also shows: {', '.join(left_out)})", "dim")


def print_json(value: Any) -> None:
    """Print an answer for programs; escaped where the stream takes no more than ASCII."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(value, indent=2, ensure_ascii=not is_unicode))


def _total(widths: Sequence[int], shown: Sequence[int]) -> int:
    return sum(widths[index] for index in shown) + _GAP * max(0, len(shown) - 1)


def _join(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    line = Text()
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        line.append_text(cell)
        if index < len(cells) - 1:
            line.append(" " * (max(0, width - cell_len(cell.plain)) + _GAP))
    line.rstrip()
    return line
