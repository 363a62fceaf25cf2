"""Rows, trees, times and names as they are printed."""

import io

import pytest
from rich.console import Console

from headwater.cli.output.screen import Grid, Screen
from headwater.cli.output.times import describe_age, read_time
from headwater.cli.output.tree import grow
from headwater.errors import InvalidRequest
from headwater.model.values.instant import DAY, MINUTE, SECOND, format_instant, now, parse_instant


def show(grid: Grid, width: int = 80, encoding: str = "utf-8", **options: bool) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    terminal = options.get("is_terminal", False)
    console = Console(
        file=file, width=width, force_terminal=terminal, color_system=None, markup=False
    )
    screen = Screen(console)
    for row in grid.rows:
        for cell in row:
            cell.plain = screen.clean(cell.plain)
    screen.show(grid)
    return raw.getvalue().decode(encoding)


class TestGrid:
    def test_columns_are_aligned_whatever_the_width_of_characters(self) -> None:
        grid = Grid(("name", "system"))
        grid.add("注文", "a")
        grid.add("orders", "b")
        assert show(grid) == "name    system\n注文    a\norders  b\n"

    def test_a_pipe_cuts_nothing(self) -> None:
        grid = Grid(("name", "more"), optional=("more",))
        grid.add("x" * 500, "y" * 500)
        assert "x" * 500 + "  " + "y" * 500 + "\n" in show(grid, width=20)

    def test_a_window_leaves_out_columns_and_says_so(self) -> None:
        grid = Grid(("name", "state", "more", "most"), optional=("most", "more"))
        grid.add("orders", "DROP", "m" * 30, "n" * 30)
        assert "nn" in show(grid, is_terminal=True)
        narrower = show(grid, 50, is_terminal=True)
        assert "nn" not in narrower
        assert "mm" in narrower
        assert "(a wider window also shows: most)" in narrower
        assert show(grid, 13, is_terminal=True).startswith("name    state\norders  DROP")

    def test_a_window_folds_long_names(self) -> None:
        grid = Grid(("name", "state"))
        grid.add("orders", "OLD")
        grid.add("x" * 40, "NEW")
        lines = show(grid, 30, is_terminal=True).splitlines()
        assert [line.split() for line in lines[1:]] == [
            ["orders", "OLD"],
            ["x" * 23, "NEW"],
            ["x" * 17],
        ]

    def test_a_complete_one_has_all_columns(self) -> None:
        grid = Grid(("name", "state"), is_complete=True)
        grid.add("orders", "-")
        assert show(grid) == "name    state\norders  -\n"

    def test_a_column_that_says_nothing_is_left_out(self) -> None:
        grid = Grid(("name", "state", "system"))
        grid.add("orders", "-", "kafka")
        assert show(grid) == "name    system\norders  kafka\n"

    def test_a_stream_of_ascii_gets_ascii(self) -> None:
        grid = Grid(("name",))
        grid.add("bestände\t")
        assert show(grid, encoding="ascii") == "name\nbest\\xe4nde\\t\n"


class TestTree:
    MARKS = Screen(Console(file=io.StringIO())).marks

    def lines(self, edges: dict[str, str], root: str = "a") -> list[str]:
        return [
            f"{branch.guide}{branch.key}{' ^' if branch.is_repeated else ''}"
            for branch in grow(
                root,
                lambda key: [(child, None) for child in edges.get(key, "")],
                lambda key: 0,
                self.MARKS,
            )
        ]

    def test_a_node_met_again_is_not_followed_again(self) -> None:
        assert self.lines({"a": "bc", "b": "d", "c": "d", "d": "e"}) == [
            "a",
            "|- b",
            "|  `- d",
            "|     `- e",
            "`- c",
            "   `- d ^",
        ]

    def test_a_circle_ends(self) -> None:
        assert self.lines({"a": "b", "b": "ab"}) == ["a", "`- b", "   |- a ^", "   `- b ^"]

    def test_many_ways_are_no_more_lines_than_edges(self) -> None:
        def children(key: str) -> list[tuple[str, None]]:
            level = int(key[:-1]) + 1
            return [(f"{level}{side}", None) for side in "xy"] if level < 60 else []

        grown = list(grow("0x", children, lambda key: 0, self.MARKS))
        assert len(grown) == 1 + 2 + 4 * 58

    def test_a_long_chain_is_no_depth_of_calls(self) -> None:
        def children(key: str) -> list[tuple[str, None]]:
            return [(str(int(key) + 1), None)] if int(key) < 3_000 else []

        assert sum(1 for _ in grow("0", children, lambda key: 0, self.MARKS)) == 3_001


class TestTimes:
    @pytest.mark.parametrize(
        ("age", "words"),
        [
            (-5 * SECOND, "just now"),
            (2 * SECOND, "just now"),
            (59 * SECOND, "59 s ago"),
            (3 * MINUTE, "3 min ago"),
            (3 * 60 * MINUTE, "3 h ago"),
            (47 * 60 * MINUTE, "47 h ago"),
            (400 * DAY, "400 days ago"),
        ],
    )
    def test_ages(self, age: int, words: str) -> None:
        at = parse_instant("2026-01-31T12:00:00Z")
        assert describe_age(format_instant(at - age), at) == words

    def test_times_and_spans(self) -> None:
        assert read_time("2026-01-31T12:00:00+01:00", "T") == parse_instant("2026-01-31T11:00:00Z")
        assert read_time("2026-01-31", "T") == parse_instant("2026-01-31T00:00:00Z")
        assert read_time("2026-01-31t12:00z", "T") == parse_instant("2026-01-31T12:00:00Z")
        assert abs(read_time("2D", "T") - (now() - 2 * DAY)) < MINUTE
        assert abs(read_time(" Now ", "T") - now()) < MINUTE

    @pytest.mark.parametrize("text", ["", "2", "d", "-2d", "999999w", "2026-02-30", "now-2d"])
    def test_what_is_no_time(self, text: str) -> None:
        with pytest.raises(InvalidRequest, match=r"^T: .* is not a time; .*; hint$"):
            read_time(text, "T", "; hint")
