"""Texts before sqlglot parses them: batches, blocks, templates, statements it does not know."""

import pytest

from headwater.sql import analyze
from headwater.sql.text.commands import rewrite_command
from headwater.sql.text.parsing import dialect_named
from headwater.sql.text.script_text import prepare_script
from headwater.sql.text.templates import Templates


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT 1\nGO\nSELECT 2\n  go 3  \nSELECT 3", "tsql"),
        ("DO $$ BEGIN\n INSERT INTO t SELECT 1;\nEND $$ LANGUAGE plpgsql;", "postgres"),
        ("CREATE PROCEDURE p() AS $x$\nBEGIN DELETE FROM t; END; $x$;", "snowflake"),
    ],
)
def test_positions_stay_as_they_are(text: str, dialect: str) -> None:
    prepared = prepare_script(text, dialect_named(dialect))
    assert prepared != text
    assert len(prepared) == len(text)
    lines = [place for place, each in enumerate(text) if each == "\n"]
    assert [place for place, each in enumerate(prepared) if each == "\n"] == lines


def test_go_within_a_statement_is_a_name() -> None:
    text = "SELECT go FROM t"
    assert prepare_script(text, dialect_named("tsql")) == text


def test_statements_behind_a_block_have_their_lines() -> None:
    found = analyze("BEGIN\n INSERT INTO a SELECT x FROM b;\n DELETE FROM c;\nEND;", "bigquery")
    writes = [(each.position.line, write.operation) for each in found for write in each.writes]
    assert writes == [(1, "INSERT"), (3, "DELETE")]


def test_problems_of_a_statement_that_means_another_are_at_its_start() -> None:
    (statement,) = analyze("\n ALTER TABLE a APPEND FROM b", "redshift")
    assert [(each.line, each.column) for each in statement.problems] == [(2, 2)]
    assert rewrite_command("ALTER SESSION SET x = 1", dialect_named("oracle")) is None


def test_many_templates_take_no_time_for_each_other() -> None:
    templates = Templates("{% if a %} " * 20_000 + "{{ b }}\n" * 20_000)
    assert len(templates.problems) == 40_000
    assert templates.problems[-1].line == 20_000


def test_underscores_behind_a_template_are_of_the_name() -> None:
    (statement,) = analyze("SELECT a AS {{ m }}_b FROM t_{{ m }}", "spark")
    assert [column.name for column in statement.writes[0].columns] == ["{{ m }}_b"]
    assert [table.name for table in statement.inputs] == ["t_{{ m }}"]


@pytest.mark.slow
def test_nested_blocks_are_read_to_a_depth() -> None:
    (statement,) = analyze("BEGIN " * 3_000 + "SELECT a FROM t", "bigquery")
    assert statement.kind == "BEGIN"
