"""What programs do every day: reports in SQL, frames cleaned, statistics, scripts."""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CARTS, CUSTOMERS = ("carts",), ("customers",)


def _newest(scene: Scene) -> "DataFrame":
    from pyspark.sql import Window
    from pyspark.sql.functions import desc, row_number

    newest = row_number().over(Window.partitionBy("customer").orderBy(desc("at")))
    frame = scene.table("orders").withColumn("place", newest).filter("place = 1")
    return frame.select("id", "customer", "country")


def _with_parameters(scene: Scene) -> "DataFrame":
    return scene.spark.sql(
        "SELECT id, price * :factor AS p FROM IDENTIFIER(:table) WHERE country = :country",
        args={"factor": 2, "table": "orders", "country": "DE"},
    )


def _global_view(scene: Scene) -> "DataFrame":
    scene.table("orders").select("customer").createOrReplaceGlobalTempView("buyers")
    return scene.spark.sql(
        "SELECT customer AS who FROM global_temp.buyers "
        "UNION ALL SELECT key FROM customers UNION ALL SELECT name FROM customers"
    )


def _crosstab(scene: Scene) -> "DataFrame":
    return scene.table("orders").stat.crosstab("country", "customer")


def _summary(scene: Scene) -> "DataFrame":
    return scene.table("orders").select("price", "quantity").summary("count", "max")


def _transposed(scene: Scene) -> "DataFrame":
    return scene.table("customers").select("key", "name").transpose()


def _grouped_by_pandas(scene: Scene) -> "DataFrame":
    import pandas as pd
    from pyspark.sql.pandas.functions import pandas_udf

    def mean(some: pd.Series) -> float:
        return float(some.mean())

    of_group = pandas_udf(mean, "double")  # type: ignore[call-overload]
    return scene.table("orders").groupBy("country").agg(of_group("price").alias("mean"))


def _indexed(scene: Scene) -> "DataFrame":
    from pyspark.ml.feature import StringIndexer

    frame = scene.table("orders")
    model = StringIndexer(inputCol="country", outputCol="number").fit(frame)
    return model.transform(frame).select("id", "number")


def _in_arrow(scene: Scene) -> "DataFrame":
    def both(left, right):  # type: ignore[no-untyped-def]
        return left

    orders = scene.table("orders").select("customer", "id").groupBy("customer")
    customers = scene.table("customers").select("key", "name").groupBy("key")
    return orders.cogroup(customers).applyInArrow(both, "customer string, id int")


def _parsed_lines(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import col, regexp_extract

    frame = scene.table("orders").filter(col("customer").rlike("^c"))
    number = regexp_extract("customer", r"(\d+)", 1).cast("int")
    return frame.select(number.alias("number"), col("country"))


EVERYDAY = (
    Program(
        "the newest row of each group",
        {"id": "id IDENTITY", "customer": "customer IDENTITY", "country": "country IDENTITY"},
        rows="at WINDOW, customer WINDOW",
        make=_newest,
        varied=("id", "customer", "at"),
    ),
    Program(
        "lateral views",
        {"cart": "cart IDENTITY", "sku": "lines[].sku IDENTITY", "tag": "tags TRANSFORMATION"},
        tables=CARTS,
        sql="SELECT cart, l.sku, tag FROM carts LATERAL VIEW OUTER explode(lines) e AS l "
        "LATERAL VIEW posexplode(tags) p AS place, tag",
    ),
    Program(
        "groups of all, and all columns but one",
        {
            "country": "country IDENTITY",
            "n": "id AGGREGATION masked",
            "top": "price AGGREGATION",
        },
        rows="country GROUP_BY, quantity FILTER",
        sql="SELECT * EXCEPT (least) FROM (SELECT country, count(id) AS n, max(price) AS top, "
        "min(quantity) AS least FROM orders GROUP BY ALL HAVING min(quantity) > 0)",
    ),
    Program(
        "values of the program beside a table",
        {"id": "id IDENTITY", "label": ""},
        rows="country JOIN",
        sql="SELECT id, label FROM orders "
        "JOIN (VALUES ('DE', 'Germany'), ('FR', 'France')) AS v(code, label) ON country = code",
    ),
    Program(
        "a part of a table",
        {"id": "id IDENTITY", "price": "price IDENTITY"},
        sql="SELECT id, price FROM orders TABLESAMPLE (100 PERCENT) REPEATABLE (1) LIMIT 9",
    ),
    Program(
        "parameters and names that are computed",
        {"id": "id IDENTITY", "p": "price TRANSFORMATION"},
        rows="country FILTER",
        make=_with_parameters,
        varied=("id", "price", "country"),
    ),
    Program(
        "texts in an order of their language",
        {"who": "customer IDENTITY", "each": "price TRANSFORMATION, quantity TRANSFORMATION"},
        rows="customer FILTER, customer SORT",
        sql="SELECT customer AS who, try_divide(price, quantity) AS each FROM orders "
        "WHERE customer COLLATE UNICODE_CI <> 'C2' ORDER BY customer COLLATE UNICODE_CI",
    ),
    Program(
        "a view of all sessions, and three tables as one",
        {"who": "customer IDENTITY, key IDENTITY, name IDENTITY"},
        make=_global_view,
        tables=("orders", "customers"),
        varied=("customer", "key", "name"),
    ),
    Program(
        "a crosstab",
        {
            "country_customer": "country CONDITIONAL, country IDENTITY",
            "c1": "customer CONDITIONAL",
            "c2": "customer CONDITIONAL",
            "c3": "customer CONDITIONAL",
        },
        rows="country CONDITIONAL, country GROUP_BY, customer CONDITIONAL, customer GROUP_BY",
        make=_crosstab,
        varied=("country",),
    ),
    Program(
        "a summary",
        {
            "summary": "",
            "price": "price AGGREGATION masked",
            "quantity": "quantity AGGREGATION masked",
        },
        make=_summary,
        varied=("price", "quantity"),
    ),
    Program(
        # Spark reads the rows while it analyses the plan, which then holds them.
        "rows as columns",
        {"key": "", "c1": "", "c2": "", "c4": ""},
        make=_transposed,
        tables=CUSTOMERS,
        gaps=("Transpose",),
    ),
    Program(
        "groups by a pandas function",
        {"country": "country IDENTITY", "mean": "price AGGREGATION"},
        rows="country GROUP_BY",
        make=_grouped_by_pandas,
        varied=("country", "price"),
    ),
    Program(
        "numbers for texts, by a model",
        {"id": "id IDENTITY", "number": "country TRANSFORMATION"},
        make=_indexed,
        varied=("id", "country"),
    ),
    Program(
        "cogroup in Arrow",
        {
            "customer": "customer TRANSFORMATION, id TRANSFORMATION, "
            "key TRANSFORMATION, name TRANSFORMATION",
            "id": "customer TRANSFORMATION, id TRANSFORMATION, "
            "key TRANSFORMATION, name TRANSFORMATION",
        },
        rows="customer GROUP_BY, key GROUP_BY",
        make=_in_arrow,
        tables=("orders", "customers"),
        varied=("id", "customer"),
    ),
    Program(
        "parts of lines of text",
        {"number": "customer TRANSFORMATION", "country": "country IDENTITY"},
        rows="customer FILTER",
        make=_parsed_lines,
        varied=("customer", "country"),
    ),
)
