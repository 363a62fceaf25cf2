"""`analyze`: positions, state, and texts that are broken, long, deep or odd."""

import subprocess
import sys
import threading

import pytest

from headwater.sql import SqlLimits, analyze, choose_dialect
from headwater.sql.text.parsing import dialect_named
from testing.sql_golden import read_golden


def kinds(text: str, dialect: str = "spark", limits: SqlLimits | None = None) -> list[str]:
    statements = analyze(text, dialect, limits=limits or SqlLimits())
    return [problem.kind for each in statements for problem in each.problems]


def test_statements_have_positions() -> None:
    statements = analyze("SELECT a FROM t;\n\n  INSERT INTO u\nSELECT b FROM v", "spark")
    assert [each.position[:2] for each in statements] == [(1, 1), (3, 3)]
    assert [each.kind for each in statements] == ["SELECT", "INSERT"]
    assert statements[1].end.offset == 49


def test_problems_have_positions() -> None:
    (statement,) = analyze("SELECT\n  a,\n  b\nFROM t1 JOIN t2 ON t1.x = t2.x", "spark")
    assert [problem[2:] for problem in statement.problems] == [(2, 3), (3, 3)]


def test_positions_are_the_same_when_a_text_is_divided_roughly() -> None:
    text = "SELECT a FROM t;\n SELECT x FROM t1 JOIN\n t2 ON t1.i = t2.i;\nSELECT 'open"
    statements = analyze(text, "spark")
    assert [each.position[:2] for each in statements] == [(1, 1), (2, 2), (4, 1)]
    assert statements[1].problems[0][2:] == (2, 9)
    assert statements[2].problems[0].kind == "syntax"


def test_an_unknown_dialect_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        analyze("SELECT 1", "nonsense")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT a FROM t", ""),
        ("SELECT `a b` FROM t LATERAL VIEW explode(b) x AS c", "spark"),
        ("SELECT [a b] FROM [t]", "tsql"),
        ("CREATE STREAM s (a INT) WITH (KAFKA_TOPIC = 't', VALUE_FORMAT = 'JSON')", "ksqldb"),
        ("CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't')", "flink"),
    ],
)
def test_the_best_fitting_dialect_is_chosen(text: str, dialect: str) -> None:
    assert choose_dialect(text) == dialect


def test_a_syntax_error_names_the_dialect_that_fits() -> None:
    (statement,) = analyze("SELECT [a b] FROM [t]", "postgres")
    assert "It is valid in tsql." in statement.problems[0].message


def test_deep_texts_are_refused_and_nothing_recurses_to_death() -> None:
    assert kinds(f"SELECT {'(' * 10_000}1{')' * 10_000}") == ["too deep"]
    assert kinds(f"SELECT {'NOT ' * 20_000}a FROM t") == ["too deep"]
    assert kinds(f"SELECT {'(' * 150}a{')' * 150} FROM t") == []


def test_depth_is_no_matter_of_the_thread() -> None:
    found: list[list[str]] = []
    text = f"SELECT a FROM {'(SELECT a FROM ' * 150}t{')' * 150}"
    thread = threading.Thread(target=lambda: found.append(kinds(text)))
    thread.start()
    thread.join()
    assert found == [[]]


@pytest.mark.slow
def test_wide_texts_are_read() -> None:
    branches = " ".join(f"WHEN a = {n} THEN b{n % 7}" for n in range(5_000))
    (statement,) = analyze(f"SELECT CASE {branches} END AS c FROM t", "spark")
    assert len(statement.writes[0].columns[0].sources) == 8
    assert kinds("SELECT a FROM t WHERE " + " OR ".join(f"a = {n}" for n in range(5_000))) == []
    (union,) = analyze(" UNION ALL ".join(f"SELECT a FROM t{n}" for n in range(500)), "spark")
    assert len(union.inputs) == len(union.writes[0].columns[0].sources) == 500


def test_a_statement_that_is_too_long_is_no_reason_not_to_read_the_others() -> None:
    text = f"SELECT a FROM t; SELECT '{'x' * 1_000_001}'; SELECT b FROM u"
    statements = analyze(text, "spark")
    assert [each.kind for each in statements] == ["SELECT", "", "SELECT"]
    assert [problem.kind for each in statements for problem in each.problems] == ["too long"]


def test_what_is_left_when_the_time_is_up_is_reported() -> None:
    statements = analyze("SELECT a FROM t;" * 10, "spark", limits=SqlLimits(seconds=0.0))
    assert len(statements) == 1
    assert statements[0].problems[0].kind == "too long"


@pytest.mark.slow
def test_ten_megabytes_are_read_until_the_time_is_up() -> None:
    text = "INSERT INTO s SELECT a, b FROM t WHERE c > 1;\n" * 220_000
    assert len(text) > 10_000_000
    statements = analyze(text, "spark", limits=SqlLimits(seconds=1.0))
    assert [table.name for table in statements[0].inputs] == ["t"]
    assert statements[-1].problems[-1].message == "The time of 1 s is up: the rest is not read."
    assert kinds(f"SELECT {'a + ' * 2_500_000}a FROM t") == ["too long"]


def test_a_script_that_is_too_long_is_refused() -> None:
    assert kinds("SELECT a FROM t;" * 10, limits=SqlLimits(characters=100)) == ["too long"]


@pytest.mark.parametrize(
    "text",
    ["", ";;;", "\0", "SELECT \0 FROM t", "\ufeffSELECT a FROM t", "SELECT \u202e FROM \ud800"]
    + ["/*", "--", "'", '"', "`", "$$", "{{", "{%", "${", "SELECT é, 名 FROM テーブル", "(", ")))"],
)
def test_odd_texts_are_answered(text: str) -> None:
    for dialect in ("spark", "postgres", "flink", "ksqldb", "bigquery", None):
        analyze(text, dialect)


# The shorter ones of all dialects: every one is read some hundred times.
STATEMENTS = [
    (case.dialect, case.sql)
    for case in read_golden()
    if len(case.sql) < 200 and case.file != "problems.sql"
][::3]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(0, len(STATEMENTS), 10))
def test_broken_statements_are_answered(number: int) -> None:
    """Each prefix, and each token dropped, of over 50 golden cases."""
    limits = SqlLimits(suggestions=0)
    for dialect, text in STATEMENTS[number : number + 10]:
        tokens = dialect_named(dialect).tokenize(text)
        for place, token in enumerate(tokens):
            analyze(text[: token.start], dialect or "ansi", limits=limits)
            rest = text[: token.start] + text[token.end + 1 :]
            analyze(rest, dialect or "ansi", limits=limits)
            assert place < 400


def test_there_are_enough_broken_statements() -> None:
    assert len(STATEMENTS) >= 50


def test_recursive_views_and_queries_end() -> None:
    text = "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a; SELECT * FROM b"
    assert len(analyze(text, "spark")) == 3
    assert "recursive" in kinds("CREATE TEMPORARY VIEW v AS SELECT * FROM v; SELECT x FROM v")
    assert "recursive" in kinds("WITH RECURSIVE r AS (SELECT * FROM r) SELECT * FROM r")


def test_importing_headwater_loads_no_sqlglot() -> None:
    program = "import sys, headwater, headwater.cli.main; assert 'sqlglot' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
