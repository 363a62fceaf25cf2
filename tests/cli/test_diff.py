"""`headwater diff`: what changed, in words."""

import io
import json
from typing import Any

import pytest
from rich.console import Console

from headwater.cli.commands.lineage.diff import show_diff
from headwater.cli.output.screen import Screen
from testing.commands import Run, check_one_line
from tests.cli.shop import FIRST, SECOND, TOPICS, Shop


def test_changes_stand_under_their_time_and_their_run(place: str, run: Run) -> None:
    outcome = run("diff", FIRST, SECOND)
    assert (outcome.status, outcome.err) == (0, "")
    assert (
        outcome.out
        == f"""\
2024-05-02 10:00:00  run cdc 2024-05-02T10:00 of job cdc
  + column coupon text on {TOPICS}|orders
2024-05-02 10:15:00  run orders 2024-05-02T10:10 of job orders
  ~ job orders COMPLETED -> FAILED

2 changes between 2024-05-01 12:00:00 and 2024-05-02 12:00:00 UTC: 1 column added, 1 state changed
"""
    )


def test_only_what_is_around_a_node(at_shop: Shop, run: Run) -> None:
    outcome = run("diff", FIRST, SECOND, "shop.orders", "--down", "--depth", "1")
    assert "coupon" in outcome.out
    assert "FAILED" not in outcome.out


def test_nothing(at_shop: Shop, run: Run) -> None:
    outcome = run("diff", "1h")
    assert outcome.status == 0
    assert outcome.out.startswith("nothing changed between ")


def test_a_limit_is_reported(at_shop: Shop, run: Run) -> None:
    lines = run("diff", "2024-01-01", SECOND, "--limit", "3").out.splitlines()
    assert lines[-1] == "Only 3 are shown; raise --limit."
    assert len([line for line in lines if line.startswith("  ")]) == 3


def test_as_json(at_shop: Shop, run: Run) -> None:
    found = json.loads(run("diff", FIRST, SECOND, "-o", "json").out)
    assert found["totalCount"] == 2
    assert [change["type"] for change in found["changes"]] == ["field", "state"]


class TestMistakes:
    def test_from_after_to(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("diff", "2d", "3d"), "T1", "is after T2", "swap them")
        check_one_line(run("diff", "2999-01-01"), "T1", "is after T2")

    def test_a_time_that_is_none(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("diff", "then"), "T1", "'then' is not a time")

    def test_a_node_in_the_place_of_a_time(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("diff", "2d", "orders"), "T2", "give both times before it")

    def test_a_side_of_nothing(self, at_shop: Shop, run: Run) -> None:
        check_one_line(run("diff", "2d", "--up"), "--up", "give one")


NOW = "2024-05-02T10:00:00.000000Z"
RUN = {"type": "run", "run": "r", "job": "job:airflow:etl.load"}
EDIT = {"type": "edit", "actor": "ada"}


def change(type: str, subject: str, before: str | None, after: str | None, **rest: Any) -> Any:
    kind = "added" if before is None else "removed" if after is None else "changed"
    common = {"type": type, "change": kind, "subject": subject, "before": before, "after": after}
    return {**common, "at": NOW, "cause": RUN, **rest}


def edge(origin: str, destination: str, before: str | None, after: str | None, **rest: Any) -> Any:
    ends = {"origin": origin, "destination": destination}
    return change(rest.pop("type", "edge"), f"{origin} -> {destination}", before, after, **ends) | (
        rest
    )


def named(id: str, type: str, namespace: str, name: str, field: str | None = None) -> Any:
    return id, {"type": type, "namespace": namespace, "name": name, "field": field}


NAMED = dict(
    (
        named("dataset:s3://b:x", "DATASET", "s3://b", "x"),
        named("dataset:s3://c:x", "DATASET", "s3://c", "x"),
        named("datasetField:s3://b:x:c", "DATASET_FIELD", "s3://b", "x", "c"),
        named("datasetField:kafka://h:1:y:d", "DATASET_FIELD", "kafka://h:1", "y", "d"),
        named("job:airflow:x", "JOB", "airflow", "x"),
        named("job:airflow:other", "JOB", "airflow", "other"),
        named("job:n:y", "JOB", "n", "y"),
        named("job:a:z", "JOB", "a", "z"),
    )
)


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (change("dataset", "dataset:s3://b:x", None, "there"), "+ dataset s3://b|x"),
        (change("job", "job:airflow:x", "there", None), "- job airflow|x"),
        (change("field", "datasetField:s3://b:x:c", "int", "text"), "~ column c int -> text on "),
        (change("field", "datasetField:s3://b:x:c", "int", None), "- column c int on s3://b|x"),
        (change("sql", "job:airflow:x", "0a", "0b"), "~ sql of job x"),
        (change("code", "job:airflow:x", None, "0b"), "~ code of job x"),
        (change("lifecycle", "dataset:s3://b:x", "CREATE", "DROP"), "x marked CREATE -> DROP"),
        (change("state", "job:airflow:x", None, "RUNNING"), "~ job x RUNNING"),
        (edge("dataset:s3://b:x", "job:n:y", "observed", None), "- edge x -> job y"),
        (edge("dataset:s3://b:x", "job:n:y", None, "declared"), "+ edge x -> job y (declared)"),
        (
            edge("dataset:s3://b:x", "job:n:y", "observed", "past"),
            "~ edge x -> job y (observed -> past)",
        ),
        (edge("dataset:s3://b:x", "dataset:s3://c:x", None, "observed"), "s3://b|x -> s3://c|x"),
        (
            edge(
                "datasetField:s3://b:x:c",
                "datasetField:kafka://h:1:y:d",
                None,
                "DIRECT/IDENTITY",
                type="column",
                job="job:airflow:other",
            ),
            "+ column edge x.c -> y.d (DIRECT IDENTITY) by job other",
        ),
        (change("job", "job:a:z", None, "there", cause=EDIT), "  edited by ada"),
        (change("job", "job:a:z", None, "there", cause=None, at=None), "at an unknown time\n"),
        (
            change("job", "job:a:z", None, "there", cause={"type": "declaration", "job": None}),
            "  declared\n",
        ),
    ],
)
def test_in_words(found: Any, line: str) -> None:
    file = io.StringIO()
    screen = Screen(Console(file=file, width=200))
    counts = {f"{found['type']} {found['change']}": 1}
    answer = {
        "changes": [found],
        "nodes": {id: shape for id, shape in NAMED.items() if id in found.values()},
        "totalCount": 1,
        "counts": counts,
        "isCut": True,
    }
    show_diff(screen, {"from": NOW, "to": NOW, **answer})
    assert line in file.getvalue()
    assert "Not everything was compared" in file.getvalue()
