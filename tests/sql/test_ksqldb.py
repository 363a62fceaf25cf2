"""ksqlDB: statements, and what their trees must have."""

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers

from headwater.sql.dialects import create_options
from headwater.sql.dialects.nodes import (
    Emit,
    Explain,
    HeadersColumnConstraint,
    JoinWithin,
    KeyColumnConstraint,
    SourceProperty,
    StreamWindow,
)


def parse(sql: str) -> list[exp.Expr]:
    return [tree for tree in sqlglot.parse(sql, dialect="ksqldb") if tree]


def one(sql: str) -> exp.Expr:
    (tree,) = parse(sql)
    return tree


def tables(tree: exp.Expr) -> list[str]:
    return sorted({table.name for table in tree.find_all(exp.Table)})


def columns(tree: exp.Expr) -> list[str]:
    return sorted({column.sql() for column in tree.find_all(exp.Column)})


# (statement, the class of its tree, its tables)
STATEMENTS: list[tuple[str, type[exp.Expr], list[str]]] = [
    ("CREATE STREAM s (id STRING KEY, v INT) WITH (KAFKA_TOPIC='t')", exp.Create, ["s"]),
    ("CREATE OR REPLACE STREAM s AS SELECT * FROM t EMIT CHANGES", exp.Create, ["s", "t"]),
    ("CREATE TABLE IF NOT EXISTS s AS SELECT k, SUM(a) FROM t GROUP BY k", exp.Create, ["s", "t"]),
    ("CREATE STREAM s WITH (PARTITIONS=3) AS SELECT a FROM t WHERE b = 1", exp.Create, ["s", "t"]),
    ("CREATE SOURCE TABLE s (id INT PRIMARY KEY) WITH (KAFKA_TOPIC='t')", exp.Create, ["s"]),
    ("INSERT INTO s SELECT a, b FROM t PARTITION BY a", exp.Insert, ["s", "t"]),
    ("INSERT INTO s WITH (QUERY_ID='q') SELECT a FROM t", exp.Insert, ["s", "t"]),
    ("INSERT INTO s (a, b) VALUES (1, 'x')", exp.Insert, ["s"]),
    ("INSERT INTO s VALUES (1, STRUCT(a := 1), MAP('k' := 2), ARRAY[1, 2])", exp.Insert, ["s"]),
    ("SELECT * FROM t WHERE k = 'x'", exp.Select, ["t"]),
    ("SELECT * FROM t EMIT CHANGES LIMIT 5", exp.Select, ["t"]),
    ("SELECT a FROM l LEFT OUTER JOIN r ON l.k = r.k", exp.Select, ["l", "r"]),
    ("SELECT a FROM l JOIN r WITHIN 7 DAYS ON l.k = r.k JOIN q ON q.k = l.k", exp.Select,
     ["l", "q", "r"]),
    ("SELECT EXPLODE(a) AS x FROM t", exp.Select, ["t"]),
    ("SELECT s.*, t.a FROM s JOIN t ON s.k = t.k", exp.Select, ["s", "t"]),
    ("CREATE TYPE address AS STRUCT<street STRING, zip ZIP>", exp.Create, ["address"]),
    ("CREATE SOURCE CONNECTOR IF NOT EXISTS c WITH ('connector.class'='x.Y')", exp.Create, ["c"]),
    ("CREATE SINK CONNECTOR `c-1` WITH ('tasks.max'='1')", exp.Create, ["c-1"]),
    ("DROP STREAM IF EXISTS s DELETE TOPIC", exp.Drop, ["s"]),
    ("DROP CONNECTOR c", exp.Drop, ["c"]),
    ("EXPLAIN SELECT * FROM t", Explain, ["t"]),
    *(
        (text, exp.Command, [])
        for text in (
            "EXPLAIN CTAS_T_5",
            "SHOW STREAMS EXTENDED",
            "LIST QUERIES",
            "DESCRIBE s EXTENDED",
            "SET 'auto.offset.reset' = 'earliest'",
            "UNSET 'auto.offset.reset'",
            "TERMINATE CSAS_S_1",
            "PAUSE ALL",
            "RESUME CSAS_S_1",
            "PRINT 'topic' FROM BEGINNING INTERVAL 2 LIMIT 3",
            "ASSERT TOPIC foo WITH (PARTITIONS=3) TIMEOUT 3 SECONDS",
            "DEFINE x = 'y'",
            "UNDEFINE x",
            "ALTER STREAM s ADD COLUMN a INT",
            "RUN SCRIPT '/x.sql'",
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "kind", "names"), STATEMENTS)
def test_a_statement_has_its_tables(sql: str, kind: type[exp.Expr], names: list[str]) -> None:
    tree = one(sql)
    assert type(tree) is kind
    assert tables(tree) == names


def test_a_stream_has_columns_and_options() -> None:
    tree = one(
        "CREATE SOURCE STREAM s (KEY STRING KEY, `value` STRUCT<a INT, b ARRAY<MAP<STRING, INT>>>,"
        " d DECIMAL(4, 2), h BYTES HEADER('trace'),"
        " HEADERS ARRAY<STRUCT<k STRING, v BYTES>> HEADERS)"
        " WITH (kafka_topic = 'orders', VALUE_FORMAT='JSON', partitions=3, wrap=false)"
    )
    assert isinstance(tree, exp.Create)
    assert tree.kind == "STREAM"
    assert [each.name for each in tree.this.expressions] == ["KEY", "value", "d", "h", "HEADERS"]
    assert create_options(tree) == {
        "KAFKA_TOPIC": "orders",
        "VALUE_FORMAT": "JSON",
        "PARTITIONS": "3",
        "WRAP": "false",
    }
    assert tree.find(SourceProperty) is not None
    assert tree.find(KeyColumnConstraint) is not None
    assert [each.name for each in tree.find_all(HeadersColumnConstraint)] == ["trace", ""]


@pytest.mark.parametrize(
    ("clause", "kind", "bounds"),
    [
        ("TUMBLING (SIZE 1 HOUR)", "TUMBLING", ["SIZE"]),
        ("HOPPING (SIZE 1 HOUR, ADVANCE BY 10 MINUTES, RETENTION 7 DAYS)", "HOPPING",
         ["SIZE", "ADVANCE BY", "RETENTION"]),
        ("SESSION (60 SECONDS, GRACE PERIOD 1 DAY)", "SESSION", ["SIZE", "GRACE PERIOD"]),
    ],
)  # fmt: skip
def test_a_window(clause: str, kind: str, bounds: list[str]) -> None:
    tree = one(
        f"CREATE TABLE c AS SELECT k, COUNT(*) AS n, WINDOWSTART FROM t WINDOW {clause}"
        " WHERE v > 1 GROUP BY k HAVING COUNT(*) > 2 EMIT FINAL"
    )
    window = tree.find(StreamWindow)
    assert window is not None
    assert window.this == kind
    assert [each.name for each in window.expressions] == bounds
    emit = tree.find(Emit)
    assert emit is not None
    assert emit.this == "FINAL"
    assert columns(tree) == ["WINDOWSTART", "k", "v"]


@pytest.mark.parametrize(
    ("within", "count"),
    [
        ("WITHIN 1 HOUR", 1),
        ("WITHIN (1 HOUR, 2 DAYS)", 2),
        ("WITHIN 1 HOUR GRACE PERIOD 5 MINUTES", 2),
    ],
)
def test_a_join_within(within: str, count: int) -> None:
    tree = one(f"SELECT l.a, r.b FROM l INNER JOIN r AS r {within} ON l.k = r.k EMIT CHANGES")
    (join,) = tree.args["joins"]
    assert isinstance(join.args["match_condition"], JoinWithin)
    assert len(join.args["match_condition"].expressions) == count
    assert join.this.alias == "r"
    assert columns(tree) == ["l.a", "l.k", "r.b", "r.k"]


EXPRESSIONS = [
    ("address->city->zip", ["address"]),
    ("s.address->city", ["s.address"]),
    ("a[1]->b", ["a"]),
    ("m['key']", ["m"]),
    ("TRANSFORM(a, x => x + b)", ["a", "b"]),
    ("REDUCE(m, 0, (s, k, v) => s + v)", ["m"]),
    ("FILTER(m, (k, v) => v > b)", ["b", "m"]),
    ("LATEST_BY_OFFSET(a, false)", ["a"]),
    ("TIMESTAMPADD(DAYS, 1, a)", ["a"]),
    ("STRUCT(x := a, y := b->c)", ["a", "b"]),
    ("MAP('k' := a, b := c->d)", ["a", "b", "c"]),
    ("CAST(a AS STRUCT<x INT>)", ["a"]),
    ("CASE WHEN a > 1 THEN b ELSE c END", ["a", "b", "c"]),
    ("a IS NOT DISTINCT FROM b", ["a", "b"]),
    ("TOPK(a, 3)", ["a"]),
    ("AS_VALUE(a)", ["a"]),
]


@pytest.mark.parametrize(("expression", "names"), EXPRESSIONS)
def test_an_expression_reads_its_columns(expression: str, names: list[str]) -> None:
    (found,) = one(f"SELECT {expression} AS x FROM t EMIT CHANGES").expressions
    assert columns(found) == names


@pytest.mark.parametrize("name", ["LATEST_BY_OFFSET", "COLLECT_LIST", "topk", "SUM", "COUNT"])
def test_a_function_of_many_rows_is_an_aggregate(name: str) -> None:
    (found,) = one(f"SELECT {name}(a) FROM t").expressions
    assert isinstance(found, exp.AggFunc)


def test_a_field_of_a_struct_gives_its_name() -> None:
    (found,) = one("SELECT address->city FROM t").expressions
    assert isinstance(found, exp.Dot)
    assert found.output_name == "city"


def test_partition_by_is_how_rows_are_distributed() -> None:
    tree = one("CREATE STREAM s AS SELECT a, b FROM t PARTITION BY a, b EMIT CHANGES")
    distribute = tree.find(exp.Distribute)
    assert distribute is not None
    assert columns(distribute) == ["a", "b"]


def test_names_fold_to_upper_case_unless_quoted() -> None:
    tree = normalize_identifiers(one('SELECT a, `b`, "c" FROM t'), dialect="ksqldb")
    assert [each.name for each in tree.find_all(exp.Identifier)] == ["A", "b", "c", "T"]


def test_variables_have_the_value_they_have_there() -> None:
    trees = parse(
        "DEFINE name = 'orders';\n"
        "CREATE STREAM ${name} WITH (KAFKA_TOPIC='${NAME}_v1') AS SELECT * FROM ${other};\n"
        "DEFINE name = 'payments'; SELECT * FROM ${name};\n"
        "UNDEFINE name; SELECT * FROM ${name};"
    )
    create = trees[1]
    assert isinstance(create, exp.Create)
    assert create_options(create) == {"KAFKA_TOPIC": "orders_v1"}
    assert tables(create) == ["${other}", "orders"]
    assert [tables(tree) for tree in trees if isinstance(tree, exp.Select)] == [
        ["payments"],
        ["${name}"],
    ]


def test_what_a_variable_gives_has_its_place() -> None:
    create = parse("DEFINE name = 'orders';\nSELECT *\nFROM ${name};")[1]
    (table,) = create.find_all(exp.Table)
    assert table.this.meta["line"] == 3
