"""`headwater sql`: tables, JSON, flowcharts, catalogs and batches."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headwater.cli.main import app
from headwater.sql.render.batch import answer_request

RUN = CliRunner()
TEXT = "INSERT INTO totals SELECT name, sum(price) AS total FROM orders GROUP BY name;"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "job.sql"
    path.write_text(TEXT)
    return str(path)


def test_a_table(file: str) -> None:
    found = RUN.invoke(app, ["sql", file, "--dialect", "spark"])
    assert found.exit_code == 0
    assert "INSERT totals from orders" in found.output
    assert "orders.price" in found.output and "AGGREGATION" in found.output


def test_json_and_the_chosen_dialect(file: str) -> None:
    answer = json.loads(RUN.invoke(app, ["sql", file, "-o", "json"]).output)
    assert answer["dialect"] == ""
    assert answer["outputs"] == ["totals"]
    assert answer["statements"][0]["kind"] == "INSERT"


def test_a_flowchart(file: str) -> None:
    found = RUN.invoke(app, ["sql", file, "-o", "mermaid"]).output
    assert found.startswith("flowchart LR\n")
    assert "-->|AGGREGATION|" in found


def test_a_catalog_names_columns(tmp_path: Path) -> None:
    (tmp_path / "schemas.json").write_text('{"t": {"a": "INT"}}')
    (tmp_path / "q.sql").write_text("SELECT * FROM t")
    options = ["sql", str(tmp_path / "q.sql"), "--catalog", str(tmp_path / "schemas.json")]
    answer = json.loads(RUN.invoke(app, [*options, "-o", "json"]).output)
    assert answer["statements"][0]["schema"] == [{"table": None, "name": "a", "type": "INT"}]


def test_a_batch_answers_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ['{"id": 1, "sql": "SELECT a FROM t", "dialect": ""}', "no JSON"]
    lines += ['{"id": 2, "sql": "SELECT a FROM t", "dialect": "nonsense", "schemas": null}']
    found = RUN.invoke(app, ["sql", "--batch"], input="\n".join(lines))
    first, broken, unknown = (json.loads(line) for line in found.output.splitlines())
    assert first["columns"] == unknown["columns"] == [{"out": [None, "a"], "in": [["t", "a"]]}]
    assert [each["kind"] for each in broken["problems"]] == ["request"]
    assert [each["kind"] for each in unknown["problems"]] == ["dialect"]


def test_a_request_that_is_no_object_is_answered() -> None:
    assert answer_request(b"[]")["id"] is None
    assert answer_request(b'{"id": 7}')["id"] == 7
