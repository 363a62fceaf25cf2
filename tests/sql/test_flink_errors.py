"""Bad input in both dialects: an error with its place, never anything else, and never for long."""

from typing import Any

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError
from sqlglot.parser import Parser

from headwater.sql.dialects import Flink, KsqlDB
from tests.sql import test_flink, test_ksqldb

FLINK = [
    test_flink.TABLE,
    *test_flink.SETS,
    *(sql for sql, *_ in test_flink.STATEMENTS),
    *(f"SELECT * FROM {window} AS w" for window in test_flink.WINDOWS),
    *(f"SELECT {expression} AS x FROM t" for expression, _ in test_flink.JSON),
    "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts MEASURES A.x AS x"
    " ONE ROW PER MATCH PATTERN (A B*) WITHIN INTERVAL '1' DAY DEFINE A AS A.x > 1) AS m",
]
KSQLDB = [
    *(sql for sql, *_ in test_ksqldb.STATEMENTS),
    *(f"SELECT {expression} AS x FROM t" for expression, _ in test_ksqldb.EXPRESSIONS),
    "SELECT k FROM l JOIN r WITHIN (1 HOUR, 2 DAYS) GRACE PERIOD 1 DAY ON l.k = r.k"
    " WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 1 MINUTE) GROUP BY k EMIT CHANGES LIMIT 3",
]


def parse_or_fail(sql: str, dialect: str) -> None:
    """An error is of the one class, and has a line and a column."""
    try:
        sqlglot.parse(sql, dialect=dialect)
    except ParseError as error:
        assert error.errors[0]["line"] >= 1
        assert error.errors[0]["col"] is not None


def damaged(sql: str, dialect: type[Dialect]) -> list[str]:
    """The text up to each token, and without each token."""
    tokens = dialect().tokenize(sql)
    return [
        *(sql[: token.start] for token in tokens),
        *(sql[: token.start] + sql[token.end + 1 :] for token in tokens),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dialect", "sql"),
    [*((Flink, sql) for sql in FLINK), *((KsqlDB, sql) for sql in KSQLDB)],
)
def test_no_damage_raises_anything_else(dialect: type[Dialect], sql: str) -> None:
    for text in damaged(sql, dialect):
        parse_or_fail(text, dialect.__name__.lower())


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [*(("flink", sql) for sql in FLINK), *(("ksqldb", sql) for sql in KSQLDB)],
)
def test_a_tree_can_be_written(dialect: str, sql: str) -> None:
    """For messages: no node is one that sqlglot has no text for."""
    for tree in sqlglot.parse(sql, dialect=dialect):
        assert tree is not None
        assert tree.sql(dialect=dialect)


HOSTILE = [
    "SELECT 'unterminated",
    "SELECT `unterminated",
    "SELECT /* unterminated",
    "SELECT \x00 FROM t",
    "SELECT \u202e, \U0001f600 FROM \u00e9t\u00e9",
    "SELECT ${unterminated FROM t",
    "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
    "SELECT " + "f(" * 3_000 + "1" + ")" * 3_000,
    "SELECT " + "CASE WHEN a THEN " * 2_000 + "1" + " END" * 2_000,
    "CREATE TABLE t (a " + "ARRAY<" * 3_000 + "INT" + ">" * 3_000 + ")",
    "CREATE TABLE t (a " + "ROW<b " * 3_000 + "INT" + ">" * 3_000 + ")",
    "SELECT * FROM " + "(SELECT * FROM " * 500 + "t" + ")" * 500,
    "SELECT * FROM " + "TABLE(TUMBLE(" * 500 + "TABLE t" + "))" * 500,
    "EXPLAIN " * 5_000 + "SELECT 1",
    "EXECUTE " * 5_000 + "SELECT 1",
    "{{ jinja }} SELECT {% if x %} a {% endif %} FROM t",
    "gibberish",
    ";;;;",
    "",
]


@pytest.mark.parametrize("dialect", ["flink", "ksqldb"])
@pytest.mark.parametrize("sql", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_end(sql: str, dialect: str) -> None:
    parse_or_fail(sql, dialect)


SHAPES = ["({})", "f({}, 1)", "CASE WHEN a THEN {} END", "a[{}]", "ROW({}, 2)", "TRIM(x, {})"]


@pytest.mark.parametrize("dialect", [Flink, KsqlDB])
@pytest.mark.parametrize("shape", SHAPES)
def test_nesting_costs_no_more_than_its_depth(
    shape: str, dialect: type[Dialect], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is tried twice at each level, which would double the nodes with each of them."""
    built = 0
    validate = Parser.validate_expression

    def counted(parser: Parser, expression: exp.Expr, args: list[Any] | None = None) -> exp.Expr:
        nonlocal built
        built += 1
        return validate(parser, expression, args)

    monkeypatch.setattr(Parser, "validate_expression", counted)
    sql = "1"
    for _ in range(20):
        sql = shape.format(sql)
    parse_or_fail(f"SELECT {sql} FROM t", dialect.__name__.lower())
    assert built < 2_000


def test_a_long_list_is_no_nesting() -> None:
    terms = " OR ".join(f"a = {number}" for number in range(5_000))
    sqlglot.parse(f"SELECT * FROM t WHERE {terms}", dialect="flink")


@pytest.mark.parametrize(
    ("sql", "line", "column"),
    [
        ("SELECT a\nFROM t\nWHERE (", 3, 7),
        ("SELECT 1;\nfoo bar", 2, 3),
        ("SELECT 1;\n\n  SELECT 'x", 3, 11),
    ],
)
def test_an_error_has_its_place(sql: str, line: int, column: int) -> None:
    with pytest.raises(ParseError) as raised:
        sqlglot.parse(sql, dialect="flink")
    assert (raised.value.errors[0]["line"], raised.value.errors[0]["col"]) == (line, column)
