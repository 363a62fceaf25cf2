"""`headwater path`: how two nodes are connected."""

import json

import pytest

from testing.commands import Run, check_one_line
from tests.cli.shop import BOARD, FIRST, REPORT, Shop


def steps(out: str) -> list[str]:
    return [line.partition("  ")[0] for line in out.splitlines()]


def test_every_path_is_a_block(place: str, run: Run) -> None:
    outcome = run("path", "shop.orders", BOARD)
    assert (outcome.status, outcome.err) == (0, "")
    assert steps(outcome.out) == [
        "path 1 of 2: 3 jobs",
        "shop.orders",
        "-> cdc",
        "-> orders",
        "-> copy",
        "-> orders_copy",
        f"-> {REPORT}",
        f"-> {BOARD}",
        "",
        "path 2 of 2: 3 jobs",
        "shop.orders",
        "-> cdc",
        "-> orders",
        "-> orders",
        "-> orders_fact",
        f"-> {REPORT}",
        f"-> {BOARD}",
    ]
    assert "FAILED" in outcome.out
    assert "FAILED" not in run("path", "shop.orders", BOARD, "--as-of", FIRST).out


def test_the_other_way_round_is_reported(at_shop: Shop, run: Run) -> None:
    lines = run("path", BOARD, "shop.orders", "--limit", "1").out.splitlines()
    assert lines[0] == f"The path leads from shop.orders to {BOARD}: shop.orders is upstream."
    assert lines[3].startswith("shop.orders")
    assert lines[-1] == "There may be more paths; raise --limit or --depth."


def test_columns_say_how(at_shop: Shop, run: Run) -> None:
    outcome = run("path", "shop.orders.id", "orders_fact.revenue")
    assert "DIRECT IDENTITY by cdc" in outcome.out
    assert "INDIRECT FILTER by orders" in outcome.out


def test_whole_datasets_are_reported(at_shop: Shop, run: Run) -> None:
    out = run("path", "orders_copy.price", BOARD).out
    assert "(whole dataset: job reports no columns)" in out


def test_what_nothing_connects_is_no_error(place: str, run: Run) -> None:
    outcome = run("path", BOARD, "island")
    assert outcome.status == 0
    assert outcome.out == f"no path between {BOARD} and island\\x1b[31m\\n\n"


def test_what_was_only_declared_is_marked(at_shop: Shop, run: Run) -> None:
    assert "(declared)" in run("path", "plans", "planned").out


def test_a_node_and_itself(at_shop: Shop, run: Run) -> None:
    assert "are the same" in run("path", BOARD, BOARD).out


def test_as_json(at_shop: Shop, run: Run) -> None:
    found = json.loads(run("path", "shop.orders", BOARD, "-o", "json").out)
    assert [path["length"] for path in found["paths"]] == [6, 6]


@pytest.mark.parametrize("ends", [("nothing at all", BOARD), (BOARD, "nothing at all")])
def test_an_unknown_end_is_one_line(at_shop: Shop, run: Run, ends: tuple[str, str]) -> None:
    check_one_line(run("path", *ends), "node 'nothing at all' not found")


def test_an_end_that_may_be_several_is_listed(at_shop: Shop, run: Run) -> None:
    outcome = run("path", "orders", BOARD)
    assert outcome.status == 1
    assert outcome.err.splitlines()[-1].startswith("headwater: orders: matches 2 nodes")


def test_a_bad_time_is_one_line(at_shop: Shop, run: Run) -> None:
    check_one_line(run("path", "shop.orders", BOARD, "--as-of", "soon"), "--as-of")
