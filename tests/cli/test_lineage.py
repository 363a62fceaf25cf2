"""`headwater lineage`: names as people write them, trees as people read them."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from testing.commands import Outcome, Run, check_one_line
from testing.events.minimal import JOBS
from tests.cli.shop import BOARD, FIRST, LAKE, TOPICS, Shop

EXPECTED = Path(__file__).with_name("expected")
TOPIC = f"{TOPICS}|orders"


def tree(outcome: Outcome) -> list[str]:
    """The first column: what is before two spaces behind a name."""
    assert (outcome.status, outcome.err) == (0, "")
    return [_first(line) for line in outcome.out.splitlines()]


def _first(line: str) -> str:
    indent = len(line) - len(line.lstrip(" |`-"))
    return line[:indent] + line[indent:].partition("  ")[0]


class TestTrees:
    def test_both_sides_are_reported_as_of_a_time(self, place: str, run: Run) -> None:
        outcome = run("lineage", TOPIC, "--as-of", FIRST)
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out == (EXPECTED / "both_sides.txt").read_text()

    def test_one_side(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", "orders", "--type", "job", "--up")) == [
            "upstream of orders",
            "orders",
            "`- orders",
            "   `- cdc",
            "      `- shop.orders",
        ]

    def test_what_ends_somewhere_says_so(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", BOARD, "--down")) == [f"nothing is known downstream of {BOARD}"]

    def test_up_and_down_is_both(self, at_shop: Shop, run: Run) -> None:
        both = run("lineage", TOPIC, "--as-of", FIRST)
        assert run("lineage", TOPIC, "--up", "--down", "--as-of", FIRST) == both
        assert run("lineage", TOPIC, "--both", "--as-of", FIRST) == both

    def test_what_is_left_out_is_counted(self, at_shop: Shop, run: Run) -> None:
        lines = tree(run("lineage", "shop.orders", "--down", "--depth", "1"))
        assert lines[1:5] == ["shop.orders", "`- cdc", "   `- orders", "      `- ... 2 more"]
        assert (
            lines[-1] == "Not everything is shown: raise --depth (here 1) or --limit (here 1,000)."
        )

    def test_the_state_is_that_of_the_last_run(self, at_shop: Shop, run: Run) -> None:
        out = run("lineage", "orders_fact", "--up").out
        assert "FAILED" in out
        assert "FAILED" not in run("lineage", "orders_fact", "--up", "--as-of", FIRST).out

    def test_what_was_only_declared_is_marked(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", "planned"))[1:3] == ["planned", "`- plans (declared)"]

    def test_control_characters_do_not_reach_the_terminal(self, at_shop: Shop, run: Run) -> None:
        outcome = run("lineage", "island")
        assert r"island\x1b[31m\n" in outcome.out
        assert "\x1b" not in outcome.out + outcome.err

    def test_a_node_that_was_not_there_yet(self, at_shop: Shop, run: Run) -> None:
        outcome = run("lineage", TOPIC, "--as-of", "2020-01-01")
        check_one_line(outcome, "'orders' did not exist at 2020-01-01 00:00:00")

    def test_children_may_be_folded(self, at_shop: Shop, run: Run) -> None:
        assert run("lineage", TOPIC, "--fold").status == 0


class TestTerminal:
    """A terminal is what rich takes for one."""

    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")

    def test_it_gets_colours_and_lines(
        self, at_shop: Shop, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "160")
        out = run("lineage", BOARD, "--up").out
        assert "\x1b[32mCOMPLETED" in out
        assert "\x1b[1;31mFAILED" in out
        assert "└ " in out
        assert "↑ see above" in out
        assert "wider window" not in out

    def test_a_narrow_one_gets_fewer_columns_and_whole_names(
        self, at_shop: Shop, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "40")
        monkeypatch.setenv("NO_COLOR", "1")
        plain = run("lineage", BOARD, "--up").out
        # Folded, not cut.
        assert "report[/bold]" in plain
        assert "COMPLETED" in plain
        assert "(a wider window also shows: namespace, type, system, freshness)" in plain
        assert LAKE not in plain


class TestNames:
    def test_one_exact_name_stands_before_all_that_hold_it(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", "COPY", "--up"))[1] == "copy"

    @pytest.mark.parametrize(
        "name", [TOPIC, "broker:9092|orders", f"dataset:{TOPICS}:orders", "SHOP.ORDERS", "board"]
    )
    def test_the_only_candidate_is_taken(self, at_shop: Shop, run: Run, name: str) -> None:
        assert run("lineage", name).status == 0

    def test_of_several_the_candidates_are_listed(self, place: str, run: Run) -> None:
        outcome = run("lineage", "orders")
        assert (outcome.status, outcome.out) == (1, "")
        header, first, second, error = outcome.err.splitlines()
        assert header.split() == ["type", "namespace", "name", "node", "id"]
        assert first.split() == ["dataset", TOPICS, "orders", f"dataset:{TOPICS}:orders"]
        assert second.split() == ["job", JOBS, "orders", f"job:{JOBS}:orders"]
        assert error == (
            "headwater: orders: matches 2 nodes; give one of these as NAMESPACE|NAME or as a "
            "node id, or narrow it with --type"
        )

    def test_the_list_is_not_endless(self, at_shop: Shop, run: Run) -> None:
        outcome = run("lineage", "r")
        assert outcome.status == 1
        assert outcome.err.count("\n") <= 23

    @pytest.mark.parametrize(("type", "expected"), [("dataset", "kafka"), ("job", JOBS)])
    def test_a_type_narrows(self, at_shop: Shop, run: Run, type: str, expected: str) -> None:
        outcome = run("lineage", "orders", "--type", type, "--up")
        assert outcome.status == 0
        assert expected in outcome.out.splitlines()[1]

    @pytest.mark.parametrize("name", ["orders_fact.revenue", f"{LAKE}|orders_fact#revenue"])
    def test_a_column_is_named_with_its_dataset(self, at_shop: Shop, run: Run, name: str) -> None:
        assert tree(run("lineage", name, "--up"))[1] == "orders_fact.revenue"

    def test_an_unknown_name_tells_what_is_near(self, place: str, run: Run) -> None:
        outcome = run("lineage", "orders_fct")
        check_one_line(outcome, "node 'orders_fct' not found", f"dataset:{LAKE}:orders_fact")

    def test_an_unknown_id_is_one_line(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("lineage", "dataset:nowhere:nothing"), "not found")

    def test_an_unknown_column_is_one_line(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("lineage", "orders_fact.nothing"), "not found")

    @pytest.mark.parametrize("name", ["", " "])
    def test_an_empty_name_is_one_line(self, at_shop: Shop, run: Run, name: str) -> None:
        check_one_line(run("lineage", name), "NAME", "empty")


class TestColumns:
    def test_a_column_says_how_and_by_which_job(self, place: str, run: Run) -> None:
        outcome = run("lineage", "orders_fact.price_hash", "--up", "--as-of", FIRST)
        assert outcome.out == (EXPECTED / "column.txt").read_text()

    def test_direct_hides_what_only_decides_over_rows(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", "orders_fact.price_hash", "--up", "--direct")) == [
            "upstream of orders_fact.price_hash",
            "orders_fact.price_hash",
            "`- orders.price",
        ]

    def test_what_is_indirect_is_dimmed(
        self, at_shop: Shop, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setenv("COLUMNS", "160")
        out = run("lineage", "orders_fact.price_hash", "--up").out
        assert "\x1b[2morders.id\x1b[0m" in out
        assert "\x1b[2mINDIRECT FILTER" in out
        assert "\x1b[2morders.price" not in out

    def test_a_job_that_states_no_columns_is_reported(self, at_shop: Shop, run: Run) -> None:
        assert tree(run("lineage", f"{BOARD}.total", "--up"))[2:] == [
            "|- orders_copy (whole dataset: job reports no columns)",
            "|  `- orders (whole dataset)",
            "|     `- shop.orders (whole dataset)",
            "`- orders_fact (whole dataset: job reports no columns)",
            "   `- orders (whole dataset) (see above)",
        ]

    def test_what_is_left_out_is_counted(self, at_shop: Shop, run: Run) -> None:
        lines = tree(run("lineage", "orders_fact.revenue", "--up", "--depth", "1"))
        assert lines[-3:-2] == ["   `- ... 1 more"]

    def test_a_column_that_comes_from_nowhere(self, at_shop: Shop, run: Run) -> None:
        lines = tree(run("lineage", "shop.orders.price", "--up"))
        assert lines == ["nothing is known upstream of shop.orders.price"]

    def test_a_dataset_has_a_tree_for_each_of_its_columns(self, at_shop: Shop, run: Run) -> None:
        lines = tree(run("lineage", "orders_fact", "--columns", "--direct", "--up"))
        assert [line for line in lines if line.startswith("upstream")] == [
            "upstream of orders_fact.price_hash",
            "upstream of orders_fact.revenue",
        ]


class TestOutputs:
    def test_json_is_the_answer_of_the_server(self, at_shop: Shop, run: Run) -> None:
        asked: Any = {
            "nodeId": f"dataset:{TOPICS}:orders",
            "direction": "upstream",
            "as_of": FIRST,
        }
        answer = httpx2.get(f"{at_shop.url}/api/v1/lineage", params=asked, trust_env=False).json()
        outcome = run("lineage", TOPIC, "--up", "--as-of", FIRST, "-o", "json")
        assert json.loads(outcome.out) == answer

    def test_json_of_columns(self, at_shop: Shop, run: Run) -> None:
        outcome = run("lineage", "orders_fact.revenue", "--direct", "--up", "-o", "json")
        found = json.loads(outcome.out)
        assert {node["data"]["field"] for node in found["graph"]} == {"revenue", "price"}

    @pytest.mark.parametrize(
        ("format", "start"),
        [("dot", "digraph"), ("mermaid", "flowchart"), ("graphml", "<?xml"), ("csv", "origin")],
    )
    def test_formats_of_other_tools(self, place: str, run: Run, format: str, start: str) -> None:
        outcome = run("lineage", TOPIC, "-o", format)
        assert (outcome.status, outcome.err) == (0, "")
        assert outcome.out.startswith(start)
        assert outcome.out.endswith("\n")

    def test_csv_of_columns(self, at_shop: Shop, run: Run) -> None:
        outcome = run("lineage", "orders_fact.revenue", "--up", "-o", "csv")
        rows = list(csv.DictReader(io.StringIO(outcome.out)))
        assert {row["origin_field"] for row in rows} == {"price", "id"}


class TestMistakes:
    @pytest.mark.parametrize("time", ["yesterday", "", "2d3h", "2024-13-01", "0d"])
    def test_a_time_that_is_none(self, at_shop: Shop, run: Run, time: str) -> None:
        check_one_line(run("lineage", TOPIC, "--as-of", time), "--as-of", "is not a time", "2d")

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--direct"], "add --columns"),
            (["--fold", "--columns"], "not to columns"),
            (["--fold", "-o", "dot"], "--output text and json"),
            (["--columns", "--direct", "-o", "csv"], "--output text and json"),
        ],
    )
    def test_what_would_have_no_effect_is_refused(
        self, at_shop: Shop, run: Run, options: list[str], reason: str
    ) -> None:
        check_one_line(run("lineage", TOPIC, *options), reason)

    def test_no_server(self, no_settings: None, run: Run) -> None:
        outcome = run("lineage", "orders", "--server", "http://127.0.0.1:1")
        check_one_line(outcome, "no answer", "headwater serve")

    def test_help_has_examples(self, run: Run) -> None:
        for command in ("lineage", "diff", "path"):
            assert f"headwater {command}" in run(command, "--help").out
