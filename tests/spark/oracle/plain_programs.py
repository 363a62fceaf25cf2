"""Programs that only a session without extensions runs, or only a newer Spark than the tests'.

The parsers of Delta and Iceberg do not know functions in SQL. Recursion came with Spark 4.1.
"""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BOTH = ("orders", "customers")
_CREATE = "CREATE OR REPLACE TEMPORARY FUNCTION"


def _functions(scene: Scene) -> "DataFrame":
    sql = scene.spark.sql
    sql(f"{_CREATE} taxed(x DOUBLE, n INT DEFAULT 1) RETURNS DOUBLE RETURN x * 1.2 + n")
    sql(
        f"{_CREATE} best(x DOUBLE) RETURNS DOUBLE "
        "RETURN taxed(x) * (SELECT max(tier) FROM customers)"
    )
    return sql(
        "SELECT id, taxed(price, quantity) AS t, best(price) AS b FROM orders "
        "WHERE taxed(price) > 2"
    )


def _query(scene: Scene) -> "DataFrame":
    sql = scene.spark.sql
    sql(
        f"{_CREATE} name_of(k STRING) RETURNS STRING "
        "RETURN (SELECT max(name) FROM customers WHERE key = k)"
    )
    return sql("SELECT id, name_of(customer) AS n FROM orders")


def _table(scene: Scene) -> "DataFrame":
    sql = scene.spark.sql
    sql(
        f"{_CREATE} of_country(c STRING) RETURNS TABLE (i INT, p DOUBLE) "
        "RETURN SELECT id, price FROM orders WHERE country = c"
    )
    return sql("SELECT i, p FROM of_country('DE')")


def _lateral_table(scene: Scene) -> "DataFrame":
    sql = scene.spark.sql
    sql(
        f"{_CREATE} names_of(c STRING) RETURNS TABLE (n STRING, t INT) "
        "RETURN SELECT name, tier FROM customers WHERE key = c"
    )
    return sql("SELECT id, n, t FROM orders, LATERAL names_of(customer)")


PLAIN = (
    Program(
        "functions in SQL",
        {
            "id": "id IDENTITY",
            "t": "price TRANSFORMATION, quantity TRANSFORMATION",
            "b": "price TRANSFORMATION, tier AGGREGATION",
        },
        rows="price FILTER",
        tables=BOTH,
        make=_functions,
    ),
    Program(
        "a function that is a query",
        {"id": "id IDENTITY", "n": "customer FILTER, key FILTER, name AGGREGATION"},
        tables=BOTH,
        make=_query,
    ),
    Program(
        "a function that is a table",
        {"i": "id IDENTITY", "p": "price IDENTITY"},
        rows="country FILTER",
        make=_table,
    ),
    Program(
        "a function that is a table for each row",
        {"id": "id IDENTITY", "n": "name IDENTITY", "t": "tier IDENTITY"},
        rows="customer FILTER, key FILTER",
        tables=BOTH,
        make=_lateral_table,
    ),
    Program(
        "a recursion (4.1)",
        {
            "n": "id TRANSFORMATION",
            "who": "country TRANSFORMATION, customer TRANSFORMATION",
        },
        rows="id FILTER, id JOIN",
        oldest=(4, 1),
        sql="WITH RECURSIVE r(n, who) AS (SELECT id, customer FROM orders WHERE id = 1 "
        "UNION ALL SELECT n + 1, concat(r.who, o.country) FROM r JOIN orders o ON o.id = r.n "
        "WHERE n < 3) SELECT n, who FROM r",
    ),
    Program(
        "a recursion over numbers (4.1)",
        {"n": "", "price": "price IDENTITY"},
        rows="id JOIN",
        oldest=(4, 1),
        sql="WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) "
        "SELECT r.n, price FROM r JOIN orders ON id = n",
    ),
    Program(
        "sketches of groups (4.1)",
        {
            "top": "customer AGGREGATION",
            "middle": "price AGGREGATION",
        },
        rows="country GROUP_BY",
        oldest=(4, 1),
        sql="SELECT approx_top_k(customer, 2) AS top, "
        "kll_sketch_get_quantile_double(kll_sketch_agg_double(price), 0.5) AS middle "
        "FROM orders GROUP BY country",
    ),
)
