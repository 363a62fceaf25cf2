"""`headwater tag-report`: a tag's report as a table, as JSON and as CSV."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from testing.api import Api, open_api
from testing.commands import Run
from testing.events.minimal import TABLES, dataset, schema
from tests.server.test_tag_report import fill, made, tags

NASTY = "=cmd()|\x1b[31m"


@pytest.fixture
def api(no_settings: None, tmp_path: Path) -> Iterator[Api]:
    with open_api(f"sqlite:///{tmp_path / 'store.db'}") as api:
        yield api


def test_a_table_has_what_is_untagged_first(api: Api, run: Run) -> None:
    fill(api)
    outcome = run("tag-report", "PII", "--server", api.url)
    assert (outcome.status, outcome.err) == (0, "")
    head, first, *rest = outcome.out.splitlines()
    assert head.split() == ["state", "type", "namespace", "name", "column", *head.split()[5:]]
    assert first.split()[:5] == ["untagged", "column", TABLES, "copies", "email"]
    assert [line.split()[0] for line in rest] == ["untagged", "tagged", "masked", "masked"]


def test_as_json_and_with_a_limit(api: Api, run: Run) -> None:
    fill(api)
    outcome = run("tag-report", "PII", "--server", api.url, "-o", "json", "--limit", "2")
    assert json.loads(outcome.out)["isCut"] is True
    outcome = run("tag-report", "PII", "--server", api.url, "--limit", "2")
    assert "raise --limit" in outcome.err


def test_csv_has_no_formulas(api: Api, run: Run) -> None:
    people = dataset("people", schema=schema(email="string"), tags=tags(("PII", "email")))
    copies = made(NASTY, "people", {"email": ("email", "DIRECT", False)})
    api.store(
        {
            "eventType": "COMPLETE",
            "eventTime": "2026-01-05T10:00:00Z",
            "run": {"runId": "one"},
            "job": {"namespace": "jobs", "name": "copy"},
            "inputs": [people],
            "outputs": [copies],
        }
    )
    outcome = run("tag-report", "PII", "--server", api.url, "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert rows[0]["name"].startswith("'=cmd()|")
    assert "\x1b" not in outcome.out
    assert rows[0]["source"] == f"datasetField:{TABLES}:people:email"


def test_a_tag_that_nothing_has(api: Api, run: Run) -> None:
    assert run("tag-report", "a/b c", "--server", api.url).out == "nothing has this tag\n"
