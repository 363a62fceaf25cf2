"""Where columns come from: plans of a real Spark, and what was expected of each by hand."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from headwater.spark.columns.jvm import load_tree
from headwater.spark.columns.plan_reader import PlanReader
from headwater.spark.columns.sources import ColumnSource, PlanValue, path_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.integration

ORDERS = (
    "o_id int, o_name string, o_price double, o_at timestamp, o_tags array<string>, "
    "o_extra map<string, string>, o_item struct<sku: string, size: struct<w: int, h: int>>, "
    "o_lines array<struct<sku: string, count: int>>, o_text string"
)
SUPPLIERS = "s_id int, s_name string, s_country string"


@pytest.fixture(scope="module")
def session(spark: "SparkSession") -> Iterator["SparkSession"]:
    spark.createDataFrame([], ORDERS).createOrReplaceTempView("orders")
    spark.createDataFrame([], SUPPLIERS).createOrReplaceTempView("suppliers")
    yield spark
    spark.catalog.dropTempView("orders")
    spark.catalog.dropTempView("suppliers")


def read(frame: "DataFrame") -> tuple[dict[str, str], str, PlanReader]:
    """By column what it is made of, what decides about all rows, and the reader."""
    plan: Any = frame._jdf.queryExecution().analyzed()
    reader = PlanReader()
    rows = reader.read(load_tree(plan))
    columns = {rows.names[id]: _told(value) for id, value in rows.columns.items()}
    return columns, _listed(rows.deciding), reader


def _told(value: PlanValue) -> str:
    direct = [
        f"{_name(source)} {way.direct.name}{' masked' if way.is_masking else ''}"
        for source, way in value.whole.items()
    ]
    return ", ".join([*sorted(direct), *filter(None, [_listed(value.all_indirect)])])


def _listed(deciding: Any) -> str:
    return ", ".join(sorted(f"{_name(source)} {subtype}" for source, subtype in deciding))


def _name(source: ColumnSource) -> str:
    name = path_text(source.path)
    return f"{name}<{path_text(source.payload)}>" if source.payload else name


# By statement: what each column is made of, and what decides about all rows.
STATEMENTS: dict[str, tuple[str, dict[str, str], str]] = {
    "columns as they are": (
        "SELECT o_id, o_price AS price FROM orders",
        {"o_id": "o_id IDENTITY", "price": "o_price IDENTITY"},
        "",
    ),
    "functions and casts": (
        "SELECT upper(o_name) AS n, CAST(o_id AS string) AS i, o_price * 2 + o_id AS p FROM orders",
        {
            "n": "o_name TRANSFORMATION",
            "i": "o_id TRANSFORMATION",
            "p": "o_id TRANSFORMATION, o_price TRANSFORMATION",
        },
        "",
    ),
    "masked": (
        "SELECT sha2(o_name, 256) AS h, md5(o_name) AS m, concat(md5(o_name), o_text) AS c "
        "FROM orders",
        {
            "h": "o_name TRANSFORMATION masked",
            "m": "o_name TRANSFORMATION masked",
            "c": "o_name TRANSFORMATION masked, o_text TRANSFORMATION",
        },
        "",
    ),
    "where and order": (
        "SELECT o_id FROM orders WHERE o_price > 1 AND o_name LIKE 'a%' ORDER BY o_at LIMIT 5",
        {"o_id": "o_id IDENTITY"},
        "o_at SORT, o_name FILTER, o_price FILTER",
    ),
    "group by": (
        "SELECT o_name, sum(o_price) AS total, count(*) AS n, count(o_id) AS ids FROM orders "
        "GROUP BY o_name HAVING sum(o_price) > 3",
        {
            "o_name": "o_name IDENTITY",
            "total": "o_price AGGREGATION",
            "n": "",
            "ids": "o_id AGGREGATION masked",
        },
        "o_name GROUP_BY, o_price FILTER",
    ),
    "an aggregate of some rows": (
        "SELECT sum(o_price) FILTER (WHERE o_id > 1) AS total FROM orders",
        {"total": "o_price AGGREGATION, o_id CONDITIONAL"},
        "",
    ),
    "rollup": (
        "SELECT o_name, o_id, sum(o_price) AS total FROM orders GROUP BY ROLLUP (o_name, o_id)",
        {
            "o_name": "o_name IDENTITY",
            "o_id": "o_id IDENTITY",
            "total": "o_price AGGREGATION",
        },
        "o_id GROUP_BY, o_name GROUP_BY",
    ),
    "joins": (
        "SELECT o_name, s_name FROM orders JOIN suppliers ON o_id = s_id AND o_price > 1",
        {"o_name": "o_name IDENTITY", "s_name": "s_name IDENTITY"},
        "o_id JOIN, o_price JOIN, s_id JOIN",
    ),
    "a semi join": (
        "SELECT o_name FROM orders LEFT SEMI JOIN suppliers ON o_id = s_id WHERE o_price > 1",
        {"o_name": "o_name IDENTITY"},
        "o_id JOIN, o_price FILTER, s_id JOIN",
    ),
    "cases": (
        "SELECT CASE WHEN o_price > 1 THEN o_name WHEN o_id = 2 THEN o_text ELSE 'x' END AS c, "
        "if(o_id > 1, o_name, o_text) AS i, coalesce(o_name, o_text) AS o FROM orders",
        {
            "c": "o_name IDENTITY, o_text IDENTITY, o_id CONDITIONAL, o_price CONDITIONAL",
            "i": "o_name IDENTITY, o_text IDENTITY, o_id CONDITIONAL",
            "o": "o_name TRANSFORMATION, o_text TRANSFORMATION, "
            "o_name CONDITIONAL, o_text CONDITIONAL",
        },
        "",
    ),
    "windows": (
        "SELECT o_id, sum(o_price) OVER (PARTITION BY o_name ORDER BY o_at) AS running, "
        "row_number() OVER (ORDER BY o_price DESC) AS place FROM orders",
        {
            "o_id": "o_id IDENTITY",
            "running": "o_price AGGREGATION, o_at WINDOW, o_name WINDOW",
            "place": "o_price WINDOW",
        },
        "",
    ),
    "subqueries": (
        "SELECT o_id, (SELECT max(s_name) FROM suppliers WHERE s_country = o_name) AS top "
        "FROM orders WHERE EXISTS (SELECT 1 FROM suppliers WHERE s_id = o_id)",
        {
            "o_id": "o_id IDENTITY",
            "top": "s_name AGGREGATION, o_name FILTER, s_country FILTER",
        },
        "o_id FILTER, s_id FILTER",
    ),
    "common table expressions": (
        "WITH t AS (SELECT o_id AS id, o_price FROM orders WHERE o_at IS NOT NULL), "
        "u AS (SELECT id, o_price * 2 AS p FROM t) "
        "SELECT a.p, b.o_price FROM u a JOIN t b ON a.id = b.id",
        {"p": "o_price TRANSFORMATION", "o_price": "o_price IDENTITY"},
        "o_at FILTER, o_id JOIN",
    ),
    "one that refers to itself": (
        "WITH RECURSIVE r(n, m) AS (SELECT o_id, length(o_name) FROM orders "
        "UNION ALL SELECT n + 1, n FROM r WHERE n < 5) SELECT n, m FROM r",
        {"n": "o_id TRANSFORMATION", "m": "o_id TRANSFORMATION, o_name TRANSFORMATION"},
        "o_id FILTER",
    ),
    "values used more than once": (
        "SELECT nullif(o_name, o_text) AS a, nullif(o_id, 1) AS b, "
        "o_price BETWEEN o_id AND 9 AS c FROM orders",
        {
            "a": "o_name IDENTITY, o_name CONDITIONAL, o_text CONDITIONAL",
            "b": "o_id IDENTITY, o_id CONDITIONAL",
            "c": "o_id TRANSFORMATION, o_price TRANSFORMATION",
        },
        "",
    ),
    "text of limited length": (
        "SELECT CAST(o_name AS string) AS same, CAST(o_item AS "
        "struct<sku: string, size: struct<w: int, h: bigint>>).size.h AS h FROM orders",
        {"same": "o_name IDENTITY", "h": "o_item.size.h TRANSFORMATION"},
        "",
    ),
    "unions": (
        "SELECT o_id AS id, o_name AS n FROM orders WHERE o_price > 1 "
        "UNION ALL SELECT s_id, s_name FROM suppliers",
        {"id": "o_id IDENTITY, s_id IDENTITY", "n": "o_name IDENTITY, s_name IDENTITY"},
        "o_price FILTER",
    ),
    "except": (
        "SELECT o_id FROM orders EXCEPT SELECT s_id FROM suppliers",
        {"o_id": "o_id IDENTITY"},
        "o_id FILTER, s_id FILTER",
    ),
    "distinct": (
        "SELECT DISTINCT o_name FROM orders",
        {"o_name": "o_name IDENTITY"},
        "o_name GROUP_BY",
    ),
    "nested fields": (
        "SELECT o_item.sku AS sku, o_item.size.w AS w, o_item, o_item.* FROM orders",
        {
            "sku": "o_item.sku IDENTITY",
            "w": "o_item.size.w IDENTITY",
            "o_item": "o_item IDENTITY",
            "size": "o_item.size IDENTITY",
        },
        "",
    ),
    "structures put together": (
        "SELECT s.a AS a, s.b.c AS c, s AS whole FROM "
        "(SELECT named_struct('a', o_id, 'b', named_struct('c', upper(o_name))) AS s FROM orders)",
        {
            "a": "o_id IDENTITY",
            "c": "o_name TRANSFORMATION",
            "whole": "o_id IDENTITY, o_name TRANSFORMATION",
        },
        "",
    ),
    "maps and arrays": (
        "SELECT o_extra['k'] AS v, o_tags[0] AS t, o_lines[0].sku AS s, o_lines.count AS n "
        "FROM orders",
        {
            "v": "o_extra.value IDENTITY, o_extra.key CONDITIONAL",
            "t": "o_tags TRANSFORMATION",
            "s": "o_lines[].sku IDENTITY",
            "n": "o_lines[].count TRANSFORMATION",
        },
        "",
    ),
    "explode": (
        "SELECT o_id, line.sku AS sku, place FROM orders "
        "LATERAL VIEW posexplode(o_lines) AS place, line",
        {
            "o_id": "o_id IDENTITY",
            "sku": "o_lines[].sku IDENTITY",
            "place": "o_lines TRANSFORMATION",
        },
        "",
    ),
    "higher-order functions": (
        "SELECT transform(o_tags, t -> concat(t, o_name)) AS t, filter(o_tags, t -> t > 'a') AS f "
        "FROM orders",
        {
            "t": "o_name TRANSFORMATION, o_tags TRANSFORMATION",
            "f": "o_tags TRANSFORMATION, o_tags CONDITIONAL",
        },
        "",
    ),
    "parsed text": (
        "SELECT v.a AS a, v.b.c AS c, v.list AS l FROM (SELECT from_json(CAST(o_text AS string), "
        "'a int, b struct<c: string>, list array<int>') AS v FROM orders)",
        {
            "a": "o_text<a> IDENTITY",
            "c": "o_text<b.c> IDENTITY",
            "l": "o_text<list> IDENTITY",
        },
        "",
    ),
    "a pivot": (
        "SELECT * FROM (SELECT o_id, o_name, o_price FROM orders) "
        "PIVOT (sum(o_price) FOR o_name IN ('a', 'b'))",
        {
            "o_id": "o_id IDENTITY",
            "a": "o_price AGGREGATION, o_name CONDITIONAL",
            "b": "o_price AGGREGATION, o_name CONDITIONAL",
        },
        "o_id GROUP_BY, o_name GROUP_BY",
    ),
    "an unpivot": (
        "SELECT o_id, k, v FROM orders UNPIVOT (v FOR k IN (o_name, o_text))",
        {"o_id": "o_id IDENTITY", "k": "", "v": "o_name IDENTITY, o_text IDENTITY"},
        "o_name CONDITIONAL, o_name FILTER, o_text CONDITIONAL, o_text FILTER",
    ),
    "whether there are rows": (
        "SELECT o_id FROM orders WHERE EXISTS (SELECT * FROM suppliers WHERE s_id = o_id)",
        {"o_id": "o_id IDENTITY"},
        "o_id FILTER, s_id FILTER",
    ),
    "lists of the program": (
        "SELECT o_id, n FROM orders LATERAL VIEW explode(array('a', 'b')) AS n",
        {"o_id": "o_id IDENTITY", "n": ""},
        "",
    ),
    "constants": ("SELECT 1 AS one, current_date() AS today", {"one": "", "today": ""}, ""),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(session: "SparkSession", name: str) -> None:
    statement, expected, deciding = STATEMENTS[name]
    columns, decided_by, reader = read(session.sql(statement))
    assert columns == {**expected, **{name: columns[name] for name in columns.keys() - expected}}
    assert expected.keys() <= columns.keys()
    assert decided_by == deciding
    assert reader.gaps == []


def _duplicates(session: "SparkSession") -> "DataFrame":
    return session.table("orders").dropDuplicates(["o_id"]).select("o_name")


def _python_function(session: "SparkSession") -> "DataFrame":
    from pyspark.sql.functions import udf

    shout = udf(lambda a, b: f"{a}{b}!", "string")
    return session.table("orders").select(shout("o_name", "o_id").alias("loud"))


def _mapped(session: "SparkSession") -> "DataFrame":
    frame = session.table("orders").select("o_id", "o_name")
    return frame.mapInPandas(lambda batches: batches, "a int, b string")


def _grouped_map(session: "SparkSession") -> "DataFrame":
    frame = session.table("orders").select("o_id", "o_price")
    return frame.groupBy("o_id").applyInPandas(lambda each: each, "id int, p double")


def _self_join(session: "SparkSession") -> "DataFrame":
    frame = session.table("orders").select("o_id", "o_price")
    return (
        frame.alias("a")
        .join(frame.alias("b"), "o_id")
        .selectExpr("a.o_price AS x", "b.o_price AS y")
    )


def _with_fields(session: "SparkSession") -> "DataFrame":
    from pyspark.sql.functions import col, upper

    return session.table("orders").select(
        col("o_item").withField("name", upper("o_name")).alias("i")
    )


def _windowed(session: "SparkSession") -> "DataFrame":
    from pyspark.sql.functions import sum, window

    frame = session.table("orders").groupBy(window("o_at", "10 minutes"), "o_name")
    return frame.agg(sum("o_price").alias("total")).select("window.start", "o_name", "total")


FRAMES: dict[str, tuple[Callable[["SparkSession"], "DataFrame"], dict[str, str], str]] = {
    "duplicates dropped": (_duplicates, {"o_name": "o_name IDENTITY"}, "o_id GROUP_BY"),
    "a Python function": (
        _python_function,
        {"loud": "o_id TRANSFORMATION, o_name TRANSFORMATION"},
        "",
    ),
    "whole rows by a Python function": (
        _mapped,
        {
            "a": "o_id TRANSFORMATION, o_name TRANSFORMATION",
            "b": "o_id TRANSFORMATION, o_name TRANSFORMATION",
        },
        "",
    ),
    "groups by a Python function": (
        _grouped_map,
        {
            "id": "o_id TRANSFORMATION, o_price TRANSFORMATION",
            "p": "o_id TRANSFORMATION, o_price TRANSFORMATION",
        },
        "o_id GROUP_BY",
    ),
    "a join with itself": (
        _self_join,
        {"x": "o_price IDENTITY", "y": "o_price IDENTITY"},
        "o_id JOIN, o_id JOIN",
    ),
    "a field added to a structure": (
        _with_fields,
        {"i": "o_item.size IDENTITY, o_item.sku IDENTITY, o_name TRANSFORMATION"},
        "",
    ),
    "windows of time": (
        _windowed,
        {
            "start": "o_at TRANSFORMATION",
            "o_name": "o_name IDENTITY",
            "total": "o_price AGGREGATION",
        },
        "o_at FILTER, o_at GROUP_BY, o_name GROUP_BY",
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames(session: "SparkSession", name: str) -> None:
    make, expected, deciding = FRAMES[name]
    columns, decided_by, reader = read(make(session))
    assert (columns, decided_by, reader.gaps) == (expected, deciding, [])
