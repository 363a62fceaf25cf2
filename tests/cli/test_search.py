"""`headwater search` against a server and on a store."""

import json

import pytest

from testing.commands import Run, check_one_line
from tests.cli.shop import LAKE, TOPICS, Shop

pytestmark = pytest.mark.usefixtures("place")


def test_names_come_with_what_matched(run: Run) -> None:
    outcome = run("search", "orders_fact")
    assert outcome.status == 0
    heading, line = outcome.out.splitlines()
    assert heading.split() == ["type", "namespace", "name", "updated", "found", "in", "text"]
    assert line.split()[:3] == ["dataset", LAKE, "orders_fact"]
    assert line.split()[-2:] == ["name", "-"]


def test_a_column_is_found_and_reported(run: Run) -> None:
    outcome = run("search", "revenue")
    assert outcome.status == 0
    lines = [line.split() for line in outcome.out.splitlines()[1:]]
    assert [LAKE, "orders_fact", "column", "revenue"] in [
        [line[1], line[2], *line[-2:]] for line in lines
    ]


@pytest.mark.slow
def test_options_narrow(run: Run) -> None:
    def found(*options: str) -> set[tuple[str, str]]:
        outcome = run("search", "orders", *options, "-o", "json")
        return {(each["namespace"], each["name"]) for each in json.loads(outcome.out)}

    every = found()
    assert (TOPICS, "orders") in every
    assert found("--namespace", TOPICS) == {(TOPICS, "orders")}
    assert found("--system", "kafka") == {(TOPICS, "orders")}
    assert found("--type", "job") < every
    assert len(found("--limit", "1")) == 1


def test_words_may_be_many_and_one_letter_wrong(run: Run) -> None:
    outcome = run("search", "ordres", "fact")
    assert outcome.status == 0
    assert "orders_fact" in outcome.out


def test_nothing_found_is_one_line_that_helps(run: Run) -> None:
    check_one_line(run("search", "zebra"), "nothing found for 'zebra'")
    check_one_line(run("search", "zebra", "orders_fact"), "similar: orders_fact")
    check_one_line(run("search", "orders", "--tag", "none"), "with these options")


def test_nothing_found_is_an_empty_list_for_programs(run: Run) -> None:
    outcome = run("search", "zebra", "-o", "json")
    assert outcome.status == 1
    assert json.loads(outcome.out) == []


def test_more_than_is_shown_is_reported(run: Run) -> None:
    outcome = run("search", "orders", "--limit", "1")
    assert "1 of " in outcome.err


def test_what_cannot_be_requested_is_refused(run: Run) -> None:
    check_one_line(run("search", " "), "q: empty")
    check_one_line(run("search", "orders", "--state", "asleep"), "state")


def test_what_is_printed_moves_no_cursor(run: Run, shop: Shop) -> None:
    outcome = run("search", "island")
    assert outcome.status == 0
    assert "\x1b" not in outcome.out
