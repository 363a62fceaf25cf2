"""Programs as reports have them: groups, windows, pivots, subqueries, functions of tables."""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BOTH = ("orders", "customers")


def _udtf(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import udtf

    class Letters:
        def eval(self, text: str, number: int):  # type: ignore[no-untyped-def]
            for letter in text:
                yield letter, number

    scene.spark.udtf.register("letters", udtf(Letters, returnType="letter string, n int"))  # type: ignore[arg-type]
    return scene.spark.sql(
        "SELECT o.id, l.letter FROM orders o, LATERAL letters(o.customer, o.quantity) l"
    )


def _table_function(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import udtf

    class Total:
        def __init__(self) -> None:
            self._sum = 0.0

        def eval(self, row):  # type: ignore[no-untyped-def]
            self._sum += row["price"]

        def terminate(self):  # type: ignore[no-untyped-def]
            yield (self._sum,)

    scene.spark.udtf.register("total_of", udtf(Total, returnType="total double"))  # type: ignore[arg-type]
    return scene.spark.sql(
        "SELECT total FROM total_of("
        "TABLE(SELECT country, price FROM orders WHERE quantity > 1) PARTITION BY country)"
    )


def _variable(scene: Scene) -> "DataFrame":
    """What a variable was set to is not in the plan that uses it."""
    scene.spark.sql("DECLARE OR REPLACE VARIABLE most INT")
    scene.spark.sql("SET VAR most = (SELECT max(tier) FROM customers)")
    return scene.spark.sql("SELECT id, quantity + most AS n FROM orders")


REPORTS = (
    Program(
        "aggregates in an order and of some rows",
        {
            "s": "country CONDITIONAL, price AGGREGATION",
            "best": "customer AGGREGATION, price AGGREGATION",
            "c": "price AGGREGATION, quantity AGGREGATION",
            "names": "customer AGGREGATION, price AGGREGATION",
            "different": "customer AGGREGATION masked",
        },
        sql="SELECT sum(price) FILTER (WHERE country = 'DE') AS s, max_by(customer, price) AS best,"
        " round(corr(price, quantity), 6) AS c, count(DISTINCT customer) AS different, "
        "listagg(customer, ',') WITHIN GROUP (ORDER BY price DESC) AS names FROM orders",
    ),
    Program(
        "frames of windows",
        {
            "id": "id IDENTITY",
            "near": "at WINDOW, country WINDOW, price AGGREGATION",
            "quarter": "price WINDOW",
            "next": "country TRANSFORMATION, customer TRANSFORMATION, id WINDOW",
            "second": "customer TRANSFORMATION, price WINDOW",
        },
        sql="SELECT id, sum(price) OVER (PARTITION BY country ORDER BY at "
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS near, "
        "ntile(2) OVER (ORDER BY price) AS quarter, "
        "lead(customer, 1, country) OVER (ORDER BY id) AS next, "
        "nth_value(customer, 2) OVER (ORDER BY price) AS second FROM orders",
    ),
    Program(
        "a pivot of two aggregates",
        {
            "customer": "customer IDENTITY",
            "d_p": "country CONDITIONAL, price AGGREGATION",
            "d_q": "country CONDITIONAL, quantity AGGREGATION",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        sql="SELECT * FROM (SELECT customer, country, price, quantity FROM orders) "
        "PIVOT (sum(price) AS p, max(quantity) AS q FOR country IN ('DE' AS d))",
    ),
    Program(
        "an unpivot of pairs",
        {
            "id": "id IDENTITY",
            "what": "",
            "number": "price IDENTITY, quantity TRANSFORMATION",
            "name": "country IDENTITY, customer IDENTITY",
        },
        rows="country CONDITIONAL, country FILTER, customer CONDITIONAL, customer FILTER, "
        "price CONDITIONAL, price FILTER, quantity CONDITIONAL, quantity FILTER",
        sql="SELECT * FROM (SELECT id, price, quantity, customer, country FROM orders) UNPIVOT "
        "((number, name) FOR what IN ((price, customer) AS a, (quantity, country) AS b))",
    ),
    Program(
        "aliases used beside their definition",
        {
            "total": "price TRANSFORMATION, quantity TRANSFORMATION",
            "twice": "price TRANSFORMATION, quantity TRANSFORMATION",
            "label": "country TRANSFORMATION, customer TRANSFORMATION",
        },
        sql="SELECT price * quantity AS total, total * 2 AS twice, "
        "upper(customer) || country AS label FROM orders",
    ),
    Program(
        "a common table expression within another",
        {"id": "id IDENTITY", "customer": "customer IDENTITY", "top": "price AGGREGATION"},
        rows="id GROUP_BY, id JOIN, quantity FILTER",
        sql="WITH a AS (WITH b AS (SELECT * FROM orders) "
        "SELECT id, customer, price FROM b WHERE quantity > 1), "
        "c AS (SELECT id, max(price) AS top FROM a GROUP BY id) "
        "SELECT a.id, a.customer, c.top FROM a JOIN c ON a.id = c.id",
    ),
    Program(
        "a common table expression twice",
        {"id": "id IDENTITY", "customer": "customer IDENTITY"},
        rows="id JOIN, quantity JOIN",
        sql="WITH e AS (SELECT * FROM orders) SELECT x.id, y.customer FROM e x JOIN e y "
        "ON x.id = y.quantity - 3 OR x.id = y.id",
    ),
    Program(
        "groups chosen by a subquery",
        {"country": "country IDENTITY", "s": "price AGGREGATION"},
        rows="country GROUP_BY, price FILTER, tier FILTER",
        tables=BOTH,
        sql="SELECT country, sum(price) AS s FROM orders GROUP BY country "
        "HAVING sum(price) > (SELECT min(tier) FROM customers)",
    ),
    Program(
        "pairs in a subquery",
        {"id": "id IDENTITY"},
        rows="customer FILTER, key FILTER, quantity FILTER, tier FILTER",
        tables=BOTH,
        sql="SELECT id FROM orders "
        "WHERE (customer, quantity) IN (SELECT key, tier + 3 FROM customers)",
    ),
    Program(
        "a choice by an existing row",
        {"id": "id IDENTITY", "known": "customer FILTER, key FILTER, tier FILTER"},
        tables=BOTH,
        sql="SELECT id, CASE WHEN EXISTS (SELECT 1 FROM customers "
        "WHERE key = customer AND tier > 1) THEN 'y' ELSE 'n' END AS known FROM orders",
    ),
    Program(
        "a join by a range of time",
        {"id": "id IDENTITY", "page": "page IDENTITY"},
        rows="at JOIN, moment JOIN",
        tables=("orders", "clicks"),
        sql="SELECT id, page FROM orders JOIN clicks "
        "ON at BETWEEN moment AND moment + INTERVAL 1 HOUR",
    ),
    Program(
        "rows through another program",
        {
            "a": "customer TRANSFORMATION, id TRANSFORMATION",
            "b": "customer TRANSFORMATION, id TRANSFORMATION",
        },
        varied=("id", "customer"),
        sql="SELECT TRANSFORM(id, customer) USING 'cat' AS (a string, b string) FROM orders",
    ),
    Program(
        "a function that gives rows",
        {
            "id": "id IDENTITY",
            "letter": "customer TRANSFORMATION, quantity TRANSFORMATION",
        },
        rows="customer FILTER, quantity FILTER",
        make=_udtf,
        varied=("id", "customer", "quantity"),
    ),
    Program(
        "a function of a table",
        {"total": "country TRANSFORMATION, price TRANSFORMATION"},
        rows="country FILTER, country SORT, price FILTER, quantity FILTER",
        make=_table_function,
        varied=("country", "price", "quantity"),
    ),
    Program(
        "a variable of the session",
        {"id": "id IDENTITY", "n": "quantity TRANSFORMATION"},
        make=_variable,
        tables=BOTH,
        varied=("id", "quantity"),
        gaps=("variable most",),
    ),
)
