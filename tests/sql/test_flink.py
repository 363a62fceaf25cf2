"""Flink SQL: statements, and what their trees must have."""

import pytest
import sqlglot
from sqlglot import exp

from headwater.sql.dialects import create_options
from headwater.sql.dialects.nodes import (
    Explain,
    MetadataColumnConstraint,
    ModelArgument,
    ModelColumns,
    PatternMatch,
    SetBoundary,
    TableFunction,
    WindowTableFunction,
)


def parse(sql: str) -> list[exp.Expr]:
    return [tree for tree in sqlglot.parse(sql, dialect="flink") if tree]


def one(sql: str) -> exp.Expr:
    (tree,) = parse(sql)
    return tree


def tables(tree: exp.Expr) -> list[str]:
    found = {".".join(part.name for part in table.parts) for table in tree.find_all(exp.Table)}
    return sorted(found)


def columns(tree: exp.Expr) -> list[str]:
    return sorted({column.sql() for column in tree.find_all(exp.Column)})


# (statement, the class of its tree, its tables)
STATEMENTS: list[tuple[str, type[exp.Expr], list[str]]] = [
    ("SELECT a FROM `c`.`d`.`t`", exp.Select, ["c.d.t"]),
    ("INSERT INTO s SELECT a FROM t", exp.Insert, ["s", "t"]),
    ("INSERT OVERWRITE s PARTITION (d='x', h) (a, b) SELECT a, b FROM t", exp.Insert, ["s", "t"]),
    (
        "INSERT INTO s /*+ OPTIONS('sink.parallelism'='2') */ SELECT * FROM t",
        exp.Insert,
        ["s", "t"],
    ),
    ("INSERT INTO s SELECT * FROM t ON CONFLICT DO DEDUPLICATE", exp.Insert, ["s", "t"]),
    ("INSERT INTO s (VALUES (1, 'a'), (2, 'b'))", exp.Insert, ["s"]),
    ("INSERT INTO s SELECT a FROM t UNION ALL SELECT b FROM u", exp.Insert, ["s", "t", "u"]),
    ("WITH q AS (SELECT * FROM t) SELECT * FROM q", exp.Select, ["q", "t"]),
    ("INSERT INTO s WITH q AS (SELECT * FROM t) SELECT * FROM q", exp.Insert, ["q", "s", "t"]),
    ("SELECT * FROM t /*+ OPTIONS('k'='v') */ AS x WHERE x.a > 1", exp.Select, ["t"]),
    ("SELECT /*+ BROADCAST(d) */ * FROM t JOIN d ON t.id = d.id", exp.Select, ["d", "t"]),
    ("SELECT * FROM t, UNNEST(t.items) AS i (name, price)", exp.Select, ["t"]),
    ("SELECT * FROM t CROSS JOIN UNNEST(a) WITH ORDINALITY AS i (x, n)", exp.Select, ["t"]),
    ("SELECT * FROM t LEFT JOIN LATERAL TABLE(f(t.a)) AS u (b) ON TRUE", exp.Select, ["t"]),
    ("SELECT * FROM t, LATERAL (SELECT * FROM u WHERE u.a = t.a)", exp.Select, ["t", "u"]),
    ("SELECT a, COUNT(*) FROM t GROUP BY GROUPING SETS ((a, b), (a), ())", exp.Select, ["t"]),
    ("SELECT HOP_START(ts, INTERVAL '1' HOUR, INTERVAL '2' HOUR) FROM t", exp.Select, ["t"]),
    ("SELECT b FROM t GROUP BY SESSION(ts, INTERVAL '1' HOUR), b", exp.Select, ["t"]),
    ("SELECT ROW(a, b), MAP['x', a], ARRAY[a, b], m['k'], r.f.g FROM t", exp.Select, ["t"]),
    ("SELECT DATE '2020-01-01', CAST(a AS ROW<x INT, y STRING>) FROM t", exp.Select, ["t"]),
    ("SELECT * FROM t LIMIT 5", exp.Select, ["t"]),
    ("CREATE VIEW v (a, b) COMMENT 'x' AS SELECT 1, 2 FROM t", exp.Create, ["t", "v"]),
    ("CREATE TEMPORARY VIEW IF NOT EXISTS v AS VALUES (1, 'a')", exp.Create, ["v"]),
    ("CREATE TABLE s WITH ('connector'='kafka') AS SELECT a FROM t", exp.Create, ["s", "t"]),
    ("CREATE OR REPLACE TABLE s AS SELECT a FROM t", exp.Create, ["s", "t"]),
    ("CREATE TABLE s (PRIMARY KEY (a) NOT ENFORCED) AS SELECT a FROM t", exp.Create, ["s", "t"]),
    ("CREATE TABLE s (a INT) LIKE t (EXCLUDING ALL)", exp.Create, ["s", "t"]),
    ("ALTER VIEW v AS SELECT a FROM t", exp.Create, ["t", "v"]),
    ("ALTER MATERIALIZED TABLE m AS SELECT a FROM t", exp.Create, ["m", "t"]),
    ("ALTER TABLE a RENAME TO b", exp.Alter, ["a", "b"]),
    ("ALTER TABLE a ADD (c INT, d AS c + 1)", exp.Alter, ["a"]),
    ("ALTER TABLE a SET ('k'='v')", exp.Alter, ["a"]),
    ("UPDATE t SET a = b + 1 WHERE c > 2", exp.Update, ["t"]),
    ("DELETE FROM t WHERE a IN (SELECT a FROM u)", exp.Delete, ["t", "u"]),
    ("TRUNCATE TABLE t", exp.TruncateTable, ["t"]),
    ("DROP TEMPORARY SYSTEM FUNCTION IF EXISTS f", exp.Drop, ["f"]),
    ("DROP TABLE IF EXISTS c.d.t", exp.Drop, ["c.d.t"]),
    ("CREATE CATALOG c COMMENT 'x' WITH ('type'='jdbc')", exp.Create, ["c"]),
    ("CREATE DATABASE IF NOT EXISTS c.d WITH ('k'='v')", exp.Create, ["c.d"]),
    (
        "CREATE FUNCTION f AS 'a.B' LANGUAGE JAVA USING JAR '/x.jar', JAR '/y.jar'",
        exp.Create,
        ["f"],
    ),
    ("CREATE TEMPORARY SYSTEM FUNCTION f AS 'a.B'", exp.Create, ["f"]),
    ("EXPLAIN PLAN FOR INSERT INTO s SELECT * FROM t", Explain, ["s", "t"]),
    ("EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT * FROM t", Explain, ["t"]),
    ("COMPILE PLAN '/p' IF NOT EXISTS FOR INSERT INTO s SELECT * FROM t", Explain, ["s", "t"]),
    ("COMPILE AND EXECUTE PLAN '/p' FOR INSERT INTO s SELECT * FROM t", exp.Insert, ["s", "t"]),
    ("USE CATALOG c", exp.Use, ["c"]),
    ("USE c.d", exp.Use, ["c.d"]),
    *(
        (text, exp.Command, [])
        for text in (
            "SET 'table.local-time-zone' = 'UTC'",
            "RESET 'k'",
            "ADD JAR '/x.jar'",
            "REMOVE JAR '/x.jar'",
            "LOAD MODULE hive WITH ('v'='1')",
            "UNLOAD MODULE hive",
            "SHOW TABLES FROM c.d LIKE 'x%'",
            "DESCRIBE EXTENDED t",
            "CALL p.q(1, 'a')",
            "ANALYZE TABLE t COMPUTE STATISTICS FOR ALL COLUMNS",
            "EXECUTE PLAN '/p'",
            "STOP JOB 'x' WITH SAVEPOINT",
            "CREATE AGENT a USING MODEL m WITH ('k'='v')",
        )
    ),
]


@pytest.mark.parametrize(("sql", "kind", "names"), STATEMENTS)
def test_a_statement_has_its_tables(sql: str, kind: type[exp.Expr], names: list[str]) -> None:
    tree = one(sql)
    assert type(tree) is kind
    assert tables(tree) == names


WINDOWS = [
    "TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' MINUTES))",
    "TABLE(TUMBLE(DATA => TABLE bid, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' HOUR))",
    "TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' MINUTE)",
    "TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '5' MINUTES, INTERVAL '10' MINUTES))",
    "TABLE(CUMULATE(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' MINUTES, INTERVAL '10' MINUTES))",
    "TABLE(SESSION(TABLE bid PARTITION BY item, DESCRIPTOR(ts), INTERVAL '5' MINUTES))",
    "SESSION(DATA => TABLE bid PARTITION BY item, TIMECOL => DESCRIPTOR(ts),"
    " GAP => INTERVAL '1' DAY)",
]


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_reads_its_table_and_knows_its_time(window: str) -> None:
    tree = one(f"SELECT w.item, window_start, SUM(price) FROM {window} AS w GROUP BY 1, 2")
    found = tree.find(WindowTableFunction)
    assert found is not None
    assert [table.sql() for table in found.inputs] == ["bid"]
    assert found.alias == "w"
    assert found.time_column is not None
    assert found.time_column.name == "ts"
    assert tables(tree) == ["bid"]


def test_a_window_reads_a_query() -> None:
    tree = one("SELECT * FROM TUMBLE((SELECT * FROM bid), DESCRIPTOR(ts), INTERVAL '1' DAY)")
    found = tree.find(WindowTableFunction)
    assert found is not None
    assert isinstance(found.inputs[0], exp.Subquery)
    assert tables(tree) == ["bid"]


def test_windows_can_be_joined() -> None:
    tree = one(
        "SELECT * FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(t), INTERVAL '1' DAY)) x"
        " JOIN TABLE(TUMBLE(TABLE b, DESCRIPTOR(t), INTERVAL '1' DAY)) y"
        " ON x.window_start = y.window_start WHERE x.n > 1"
    )
    assert [each.alias for each in tree.find_all(WindowTableFunction)] == ["x", "y"]
    assert tree.args["where"] is not None


def test_a_join_of_a_window_can_be_in_parentheses() -> None:
    tree = one(
        "SELECT * FROM (TABLE(TUMBLE(TABLE a, DESCRIPTOR(t), INTERVAL '1' DAY)) x"
        " JOIN b ON x.k = b.k) WHERE x.k > 1"
    )
    assert tables(tree) == ["a", "b"]
    assert columns(tree) == ["b.k", "t", "x.k"]


def test_a_model_is_no_table() -> None:
    tree = one("SELECT * FROM ML_PREDICT(TABLE t, MODEL c.d.m, DESCRIPTOR(a, b), MAP['k', 'v'])")
    found = tree.find(TableFunction)
    assert found is not None
    assert [each.sql() for each in found.inputs] == ["t"]
    assert found.find(ModelArgument) is not None


def test_a_process_function_keeps_its_partitions() -> None:
    tree = one("SELECT * FROM f(input => TABLE t PARTITION BY (a, b) ORDER BY ts, uid => 'x') AS p")
    found = tree.find(TableFunction)
    assert found is not None
    assert type(found) is TableFunction
    assert [column.name for column in found.args["partition_by"]] == ["a", "b"]


def test_a_function_of_rows_is_lateral() -> None:
    tree = one("SELECT * FROM t, LATERAL TABLE(split(t.words)) AS w (word, size)")
    found = tree.find(exp.Lateral)
    assert found is not None
    assert [column.name for column in found.args["alias"].columns] == ["word", "size"]
    assert columns(found) == ["t.words"]


def test_a_temporal_join_has_its_time() -> None:
    tree = one(
        "SELECT o.id, r.rate FROM orders AS o"
        " LEFT JOIN rates FOR SYSTEM_TIME AS OF o.order_time AS r ON o.currency = r.currency"
    )
    rates = next(table for table in tree.find_all(exp.Table) if table.name == "rates")
    assert rates.alias == "r"
    assert rates.args["version"].expression.sql() == "o.order_time"


def test_an_interval_join() -> None:
    tree = one(
        "SELECT * FROM o, s WHERE o.id = s.id"
        " AND o.ts BETWEEN s.ts - INTERVAL '4' HOUR AND s.ts + INTERVAL '1' DAY"
    )
    assert tables(tree) == ["o", "s"]
    assert columns(tree) == ["o.id", "o.ts", "s.id", "s.ts"]


def test_a_pattern_gives_partitions_and_measures() -> None:
    tree = one(
        "SELECT T.aid, T.total FROM ticker MATCH_RECOGNIZE ("
        " PARTITION BY symbol ORDER BY ts"
        " MEASURES A.id AS aid, FINAL SUM(B.price) AS total"
        " ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW"
        " PATTERN (A+ B{2,3}? (C | D)*) WITHIN INTERVAL '1' HOUR"
        " DEFINE B AS B.price > LAST(A.price, 1), C AS C.x = 1) AS T WHERE T.total > 3"
    )
    found = tree.find(PatternMatch)
    assert found is not None
    assert found.this.sql() == "ticker"
    assert [each.alias for each in found.args["measures"]] == ["aid", "total"]
    assert [each.name for each in found.args["partition_by"]] == ["symbol"]
    assert [each.alias for each in found.args["define"]] == ["B", "C"]
    assert not found.is_all_rows
    assert found.alias == "T"
    assert found.args["within"].sql() == "INTERVAL '1' HOUR"
    assert tree.args["where"] is not None


def test_a_pattern_over_a_query_can_be_joined() -> None:
    tree = one(
        "SELECT * FROM (SELECT * FROM t) MATCH_RECOGNIZE ("
        "MEASURES A.x AS x ALL ROWS PER MATCH PATTERN (A) DEFINE A AS TRUE) m JOIN u ON m.x = u.x"
    )
    found = tree.find(PatternMatch)
    assert found is not None
    assert found.is_all_rows
    assert tables(tree) == ["t", "u"]


TABLE = """
CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (
  id BIGINT NOT NULL COMMENT 'the id',
  `user` ROW<name STRING, tags ARRAY<STRING NOT NULL>, `at` TIMESTAMP(3) WITH LOCAL TIME ZONE>,
  counts MULTISET<INT>, words STRING MULTISET, raw RAW('a.B', 'xyz'), bytes BYTES,
  price DECIMAL(10, 2), precise DOUBLE PRECISION,
  event_time TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
  `partition` INT METADATA,
  cost AS price * 2 COMMENT 'computed',
  proc AS PROCTIME(),
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND,
  CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED
) COMMENT 'orders'
DISTRIBUTED BY HASH(id) INTO 4 BUCKETS
PARTITIONED BY (id)
WITH (
  'connector' = 'kafka', 'topic' = 'orders', 'comment' = 'it''s', 'format' = 'json'
) LIKE base (INCLUDING ALL OVERWRITING OPTIONS EXCLUDING PARTITIONS)
"""


def test_a_table_has_its_columns_and_options() -> None:
    tree = one(TABLE)
    assert isinstance(tree, exp.Create)
    names = [each.name for each in tree.this.expressions if isinstance(each, exp.ColumnDef)]
    assert names == [
        *("id", "user", "counts", "words", "raw", "bytes", "price", "precise", "event_time"),
        *("partition", "cost", "proc"),
    ]
    assert create_options(tree) == {
        "connector": "kafka",
        "topic": "orders",
        "comment": "it's",
        "format": "json",
    }
    metadata = list(tree.find_all(MetadataColumnConstraint))
    assert [(each.name, bool(each.args["virtual"])) for each in metadata] == [
        ("timestamp", True),
        ("", False),
    ]
    watermark = tree.find(exp.WatermarkColumnConstraint)
    assert watermark is not None
    assert watermark.this.name == "event_time"
    like = tree.find(exp.LikeProperty)
    assert like is not None
    assert like.this.name == "base"
    assert [each.sql() for each in like.expressions][1:] == [
        "OVERWRITING=OPTIONS",
        "EXCLUDING=PARTITIONS",
    ]


def test_fields_of_a_row_have_names_and_types() -> None:
    tree = one("CREATE TABLE t (r ROW<a INT 'one', `b` ROW(c STRING, d MAP<STRING, INT>)>)")
    fields = [each.name for each in tree.find_all(exp.ColumnDef)]
    assert fields == ["r", "a", "b", "c", "d"]


@pytest.mark.parametrize(
    "kind",
    [
        "STRING",
        "BYTES",
        "TIMESTAMP_LTZ(3)",
        "ROW<a INT, b ARRAY<STRING>>",
        "MAP<STRING, DECIMAL(10, 2)>",
        "MULTISET<INT>",
    ],
)
def test_a_type_is_written_as_flink_does(kind: str) -> None:
    column = one(f"CREATE TABLE t (c {kind})").find(exp.ColumnDef)
    assert column is not None
    assert column.args["kind"].sql(dialect="flink") == kind


def test_columns_named_like_keywords() -> None:
    names = [
        "key",
        "value",
        "timestamp",
        "time",
        "date",
        "comment",
        "language",
        "type",
        "source",
        "status",
        "index",
        "period",
    ]
    tree = one(f"CREATE TABLE t ({', '.join(f'`{name}` STRING' for name in names)})")
    assert [each.name for each in tree.find_all(exp.ColumnDef)] == names
    plain = ["key", "type", "source", "status", "comment", "language", "period"]
    query = one(f"SELECT {', '.join(plain)} FROM t")
    assert columns(query) == sorted(plain)


def test_a_materialized_table() -> None:
    tree = one(
        "CREATE MATERIALIZED TABLE m PARTITIONED BY (ds) WITH ('format'='json')"
        " FRESHNESS = INTERVAL '30' SECOND REFRESH_MODE = FULL AS SELECT ds, a FROM t"
    )
    assert isinstance(tree, exp.Create)
    assert tree.find(exp.MaterializedProperty) is not None
    assert create_options(tree) == {"format": "json"}
    assert tables(tree) == ["m", "t"]


def test_a_model_has_inputs_and_outputs() -> None:
    tree = one(
        "CREATE MODEL m INPUT (text STRING) OUTPUT (label STRING, score DOUBLE)"
        " WITH ('provider'='openai', 'openai.api-key'='x')"
    )
    found = {each.this: len(each.expressions) for each in tree.find_all(ModelColumns)}
    assert found == {"INPUT": 1, "OUTPUT": 2}


SETS = [
    "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT x FROM t; INSERT INTO b SELECT y FROM t;"
    " END;",
    "BEGIN STATEMENT SET; INSERT INTO a SELECT x FROM t; INSERT INTO b SELECT y FROM t; END;",
]


@pytest.mark.parametrize("sql", SETS)
def test_a_statement_set_is_its_inserts(sql: str) -> None:
    kept = (SetBoundary, exp.EndStatement)
    inserts = [tree for tree in parse(sql) if not isinstance(tree, kept)]
    assert [tables(tree) for tree in inserts] == [["a", "t"], ["b", "t"]]
    assert all(isinstance(tree, exp.Insert) for tree in inserts)


def test_an_explained_set_runs_nothing() -> None:
    sql = f"{SETS[0].replace('EXECUTE', 'EXPLAIN')} INSERT INTO c SELECT z FROM t"
    kinds = [type(tree) for tree in parse(sql)]
    assert kinds == [Explain, Explain, exp.EndStatement, exp.Insert]


JSON = [
    ("JSON_VALUE(a, '$.x' RETURNING INT DEFAULT b ON EMPTY ERROR ON ERROR)", ["a", "b"]),
    ("JSON_VALUE(a, '$.x')", ["a"]),
    ("JSON_QUERY(a, '$.x' RETURNING ARRAY<STRING> WITH CONDITIONAL ARRAY WRAPPER)", ["a"]),
    ("JSON_QUERY(a, '$.x' WITHOUT WRAPPER NULL ON EMPTY EMPTY OBJECT ON ERROR)", ["a"]),
    ("JSON_EXISTS(a, '$.x' PASSING b AS y TRUE ON ERROR)", ["a", "b"]),
    ("JSON_OBJECT(KEY 'k' VALUE a, 'l' VALUE b NULL ON NULL)", ["a", "b"]),
    ("JSON_OBJECT()", []),
    ("JSON_OBJECTAGG(KEY a VALUE b ABSENT ON NULL)", ["a", "b"]),
    ("JSON_ARRAY(a, JSON_ARRAY(b) ABSENT ON NULL)", ["a", "b"]),
    ("JSON_ARRAYAGG(a NULL ON NULL)", ["a"]),
    ("a IS JSON OBJECT", ["a"]),
    ("TIMESTAMPADD(DAY, b, a)", ["a", "b"]),
    ("TIMESTAMPDIFF(MINUTE, a, b)", ["a", "b"]),
    ("EXTRACT(DAY FROM a)", ["a"]),
    ("FLOOR(a TO HOUR)", ["a"]),
    ("CEIL(a TO MONTH)", ["a"]),
    ("a + INTERVAL '1 02:03' DAY TO MINUTE", ["a"]),
    ("a AT TIME ZONE 'UTC'", ["a"]),
    ("CAST(a AS TIMESTAMP_LTZ(3))", ["a"]),
    ("TRY_CAST(a AS DECIMAL(10, 2))", ["a"]),
    ("OVERLAY(a PLACING b FROM 1 FOR 2)", ["a", "b"]),
    ("POSITION(a IN b)", ["a", "b"]),
    ("TRIM(BOTH a FROM b)", ["a", "b"]),
    ("SUM(a) OVER (PARTITION BY b ORDER BY ts RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND"
     " CURRENT ROW)", ["a", "b", "ts"]),
    ("COUNT(DISTINCT a) FILTER (WHERE b > 1)", ["a", "b"]),
    ("LAG(a, 1, b) OVER w", ["a", "b"]),
    ("LISTAGG(a, ',')", ["a"]),
    ("a SIMILAR TO b", ["a", "b"]),
    ("a IS NOT DISTINCT FROM b", ["a", "b"]),
    ("IF(a > 1, b, NULL)", ["a", "b"]),
    ("f.g.h(a)", ["a"]),
    ("DECODE(a, 'UTF-8')", ["a"]),
    ("CURRENT_WATERMARK(a)", ["a"]),
    ("PROCTIME()", []),
    ("MAP['x', a, b, 1]", ["a", "b"]),
    ("MAP[]", []),
    ("MAP['x', a]['x']", ["a"]),
    ("LOCALTIMESTAMP", []),
    ("COLLECT(a)", ["a"]),
    ("CURRENT_TIMESTAMP", []),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "names"), JSON)
def test_an_expression_reads_its_columns(expression: str, names: list[str]) -> None:
    tail = " WINDOW w AS (ORDER BY ts)" if "OVER w" in expression else ""
    (found,) = one(f"SELECT {expression} AS x FROM t{tail}").expressions
    assert columns(found) == names


@pytest.mark.parametrize("call", ["LISTAGG(a)", "COLLECT(a)", "JSON_ARRAYAGG(a)", "FIRST_VALUE(a)"])
def test_a_function_of_many_rows_is_an_aggregate(call: str) -> None:
    (found,) = one(f"SELECT {call} FROM t").expressions
    assert isinstance(found, exp.AggFunc)


def test_top_n() -> None:
    tree = one(
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC) AS n FROM t)"
        " WHERE n <= 5"
    )
    assert tables(tree) == ["t"]


def test_a_hint_names_no_columns() -> None:
    tree = one("SELECT /*+ BROADCAST(d), LOOKUP('table'='d') */ t.a FROM t, d")
    assert columns(tree) == ["t.a"]
    assert "BROADCAST(d)" in tree.args["hint"].expressions[0]


def test_templates_stay_as_they_are() -> None:
    tree = one("SELECT a FROM ${source} WHERE d = '${day}'")
    assert tables(tree) == ["${source}"]


def test_comments_are_no_statements() -> None:
    trees = parse("-- first\nSELECT 1 FROM t; /* ; */ SELECT 2 FROM u -- last;\n;\n")
    assert [tables(tree) for tree in trees if isinstance(tree, exp.Select)] == [["t"], ["u"]]
