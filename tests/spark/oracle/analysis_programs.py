"""Programs as analysts write them: pipes, views over views, ordered groups, functions of pandas."""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BOTH = ("orders", "customers")
CARTS = ("carts",)


def _over_window_in_pandas(scene: Scene) -> "DataFrame":
    import pandas as pd
    from pyspark.sql import Window
    from pyspark.sql.pandas.functions import pandas_udf

    def mean(some: pd.Series) -> float:
        return float(some.mean())

    of_group = pandas_udf(mean, "double")  # type: ignore[call-overload]
    made = of_group("price").over(Window.partitionBy("country"))
    return scene.table("orders").select("id", made.alias("mean"))


def _joined_after_pandas(scene: Scene) -> "DataFrame":
    def same(batches):  # type: ignore[no-untyped-def]
        yield from batches

    schema = "customer string, price double"
    frame = scene.table("orders").select("customer", "price").mapInPandas(same, schema)
    joined = frame.join(scene.table("customers"), frame["customer"] == _key(scene), "left")
    return joined.select("customer", "tier")


def _key(scene: Scene):  # type: ignore[no-untyped-def]
    return scene.table("customers")["key"]


def _nested_maps(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import array, col, explode_outer, lit, map_from_arrays

    keys, values = array(lit("a"), col("owner.name")), array(col("lines"), col("lines"))
    frame = scene.table("carts").select("cart", map_from_arrays(keys, values).alias("m"))
    frame = frame.select("cart", explode_outer("m").alias("k", "v"))
    return frame.select("cart", "k", explode_outer("v").alias("line")).select("cart", "k", "line.*")


def _grouping_sets(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import grouping_id, sum

    sets = [["country", "customer"], ["country"], []]
    grouped = scene.table("orders").groupingSets(sets, "country", "customer")
    return grouped.agg(sum("price").alias("total"), grouping_id().alias("g"))


def _views_over_views(scene: Scene) -> "DataFrame":
    sql = scene.spark.sql
    sql(
        "CREATE OR REPLACE TEMP VIEW first_view(a, b, c) AS "
        "SELECT id, price, country FROM orders WHERE quantity > 0"
    )
    sql("CREATE OR REPLACE TEMP VIEW second_view AS SELECT a + 1 AS next, b, c FROM first_view")
    sql(
        "CREATE OR REPLACE TEMP VIEW third_view AS "
        "SELECT c, sum(b) AS s, max(next) AS m FROM second_view GROUP BY c"
    )
    return sql("SELECT c, s, m FROM third_view WHERE s > 1")


def _cached_table(scene: Scene) -> "DataFrame":
    scene.spark.sql("UNCACHE TABLE IF EXISTS kept")
    scene.spark.sql("DROP VIEW IF EXISTS kept")
    scene.spark.sql("CACHE TABLE kept AS SELECT id, upper(customer) AS who FROM orders")
    return scene.spark.sql("SELECT who, id FROM kept")


def _frames_in_text(scene: Scene) -> "DataFrame":
    return scene.spark.sql(
        "SELECT o.id, c.name FROM {o} o LEFT JOIN {c} c ON o.customer = c.key",
        o=scene.table("orders"),
        c=scene.table("customers"),
    )


def _rows_of_class(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import udtf
    from pyspark.sql.types import StructType
    from pyspark.sql.udtf import AnalyzeResult

    class Words:
        @staticmethod
        def analyze(text, **rest):  # type: ignore[no-untyped-def]
            return AnalyzeResult(schema=StructType().add("word", "string"))

        def eval(self, text, **rest):  # type: ignore[no-untyped-def]
            for word in text.split("1"):
                yield (word,)

    scene.spark.udtf.register("words_of", udtf(Words))  # type: ignore[arg-type]
    return scene.spark.sql("SELECT id, word FROM orders, LATERAL words_of(customer)")


ANALYSES = (
    Program(
        "pipes: columns added, changed and dropped",
        {
            "id": "id IDENTITY",
            "total": "price TRANSFORMATION, quantity TRANSFORMATION",
            "price": "price TRANSFORMATION",
            "country": "country IDENTITY",
        },
        rows="quantity FILTER",
        sql="FROM orders |> WHERE quantity > 1 |> EXTEND price * quantity AS total "
        "|> SET price = price + 1 |> DROP customer |> AS o |> SELECT o.id, total, price, country",
    ),
    Program(
        "pipes: a join and groups",
        {"country": "country IDENTITY", "s": "price AGGREGATION", "t": "tier AGGREGATION"},
        rows="country GROUP_BY, customer JOIN, key JOIN, price SORT",
        tables=BOTH,
        sql="FROM orders |> JOIN customers ON customer = key "
        "|> AGGREGATE sum(price) AS s, max(tier) AS t GROUP BY country |> ORDER BY s |> LIMIT 5",
    ),
    Program(
        "pipes: a pivot and another table",
        {
            "customer": "customer IDENTITY, key IDENTITY",
            "DE": "country CONDITIONAL, price AGGREGATION, tier TRANSFORMATION",
            "FR": "country CONDITIONAL, price AGGREGATION, tier TRANSFORMATION",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        tables=BOTH,
        sql="FROM orders |> SELECT country, customer, price "
        "|> PIVOT (sum(price) FOR country IN ('DE', 'FR')) "
        "|> UNION ALL (SELECT key, tier, tier FROM customers)",
    ),
    Program(
        "pipes: a named window",
        {"id": "id IDENTITY", "s": "at WINDOW, country WINDOW, price AGGREGATION"},
        sql="FROM orders |> SELECT id, sum(price) OVER w AS s "
        "WINDOW w AS (PARTITION BY country ORDER BY at)",
    ),
    Program(
        "the best of each month",
        {
            "customer": "customer IDENTITY",
            "place": "at WINDOW, country WINDOW, id WINDOW, price WINDOW",
        },
        rows="at WINDOW, country WINDOW, id WINDOW, price WINDOW",
        sql="SELECT customer, place FROM (SELECT customer, dense_rank() OVER "
        "(PARTITION BY country, trunc(at, 'MM') ORDER BY price DESC, id) AS place FROM orders) "
        "WHERE place <= 2",
    ),
    Program(
        "windows over a range of time, without nulls",
        {
            "id": "id IDENTITY",
            "near": "at WINDOW, country WINDOW, price AGGREGATION",
            "last": "at WINDOW, customer AGGREGATION, customer CONDITIONAL",
        },
        sql="SELECT id, sum(price) OVER (PARTITION BY country ORDER BY at "
        "RANGE BETWEEN INTERVAL 5 MINUTES PRECEDING AND CURRENT ROW) AS near, "
        "last_value(nullif(customer, 'c1')) IGNORE NULLS OVER (ORDER BY at) AS last FROM orders",
    ),
    Program(
        "windows over groups",
        {
            "customer": "customer IDENTITY",
            "s": "price AGGREGATION",
            "place": "price WINDOW",
            "all": "quantity AGGREGATION",
        },
        rows="customer GROUP_BY",
        sql="SELECT customer, sum(price) AS s, rank() OVER (ORDER BY sum(price) DESC) AS place, "
        "sum(sum(quantity)) OVER (PARTITION BY 1) AS all FROM orders GROUP BY customer",
    ),
    Program(
        "statistics of groups",
        {
            "middle": "price AGGREGATION",
            "often": "quantity AGGREGATION",
            "near": "price AGGREGATION",
            "n": "quantity AGGREGATION",
            "slope": "price AGGREGATION, quantity AGGREGATION",
            "different": "customer AGGREGATION masked",
        },
        rows="country GROUP_BY",
        sql="SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS middle, "
        "mode() WITHIN GROUP (ORDER BY quantity) AS often, percentile_approx(price, 0.5) AS near, "
        "count_if(quantity > 1) AS n, regr_slope(price, quantity) AS slope, "
        "approx_count_distinct(customer) AS different FROM orders GROUP BY country",
    ),
    Program(
        "structures of groups",
        {
            "newest": "at CONDITIONAL, id AGGREGATION, id CONDITIONAL",
            "list[].id": "id AGGREGATION",
            "list[].price": "price AGGREGATION",
            "by.key": "at AGGREGATION",
            "by.value": "customer AGGREGATION",
        },
        rows="country GROUP_BY",
        sql="SELECT max(struct(at, id)).id AS newest, collect_list(struct(id, price)) AS list, "
        "map_from_arrays(collect_list(at), collect_list(customer)) AS by "
        "FROM orders GROUP BY country",
    ),
    Program(
        "rows of a function beside a table",
        {"id": "id IDENTITY", "part": "country TRANSFORMATION, customer TRANSFORMATION"},
        sql="SELECT id, part FROM orders, "
        "LATERAL explode(split(concat(customer, '-', country), '-')) AS t(part)",
    ),
    Program(
        "lateral views of structures and messages",
        {
            "cart": "cart IDENTITY",
            "sku": "lines[].sku IDENTITY",
            "a": "text TRANSFORMATION",
            "tag": "tags TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT cart, sku, a, tag FROM carts LATERAL VIEW OUTER inline_outer(lines) x "
        "AS sku, n LATERAL VIEW json_tuple(text, 'a') y AS a "
        "LATERAL VIEW posexplode_outer(tags) z AS p, tag",
    ),
    Program(
        "rows that exist, or a value",
        {"id": "id IDENTITY"},
        rows="customer FILTER, key FILTER, price FILTER, quantity FILTER, tier FILTER",
        tables=BOTH,
        sql="SELECT id FROM orders o WHERE price > 5 OR quantity IN (SELECT tier FROM customers) "
        "OR EXISTS (SELECT 1 FROM customers c WHERE c.key = o.customer AND c.tier > 1)",
    ),
    Program(
        "a subquery inside an aggregate",
        {
            "country": "country IDENTITY",
            "s": "customer FILTER, key FILTER, price AGGREGATION, tier AGGREGATION",
        },
        rows="country GROUP_BY",
        tables=BOTH,
        sql="SELECT country, sum(price * (SELECT max(tier) FROM customers c "
        "WHERE c.key = o.customer)) AS s FROM orders o GROUP BY country",
    ),
    Program(
        "messages within messages",
        {
            "c": "text TRANSFORMATION",
            "a": "text CONDITIONAL, text TRANSFORMATION",
            "skus": "text TRANSFORMATION",
            "d": "text TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT from_json(inner.b, 'c string').c AS c, "
        "from_json(text, 'map<string, string>')['a'] AS a, "
        "from_json(text, 'items array<struct<sku string>>').items.sku AS skus, "
        "get_json_object(get_json_object(text, '$.b'), '$.c') AS d "
        "FROM (SELECT text, struct(get_json_object(text, '$.b') AS b) AS inner FROM carts)",
    ),
    Program(
        "a natural outer join",
        {
            "key": "customer CONDITIONAL, customer TRANSFORMATION, "
            "key CONDITIONAL, key TRANSFORMATION",
            "price": "price IDENTITY",
            "name": "name IDENTITY",
        },
        rows="customer JOIN, key JOIN",
        tables=BOTH,
        sql="SELECT * FROM (SELECT customer AS key, price FROM orders) "
        "NATURAL FULL OUTER JOIN (SELECT key, name FROM customers)",
    ),
    Program(
        "times of windows",
        {"start": "at TRANSFORMATION", "time": "at TRANSFORMATION", "n": ""},
        rows="at FILTER, at GROUP_BY",
        sql="SELECT w.start, window_time(w) AS time, n FROM "
        "(SELECT window(at, '10 minutes') AS w, count(*) AS n FROM orders "
        "GROUP BY window(at, '10 minutes'))",
    ),
    Program(
        "groupingSets",
        {
            "country": "country IDENTITY",
            "customer": "customer IDENTITY",
            "total": "price AGGREGATION",
            "g": "",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        make=_grouping_sets,
    ),
    Program(
        "explode of maps of arrays",
        {
            "cart": "cart IDENTITY",
            "k": "owner.name TRANSFORMATION",
            "sku": "lines[].sku IDENTITY",
            "count": "lines[].count IDENTITY",
        },
        tables=CARTS,
        make=_nested_maps,
    ),
    Program(
        "views over views",
        {"c": "country IDENTITY", "s": "price AGGREGATION", "m": "id AGGREGATION"},
        rows="country GROUP_BY, price FILTER, quantity FILTER",
        make=_views_over_views,
    ),
    Program(
        "a table that is cached",
        {"who": "customer TRANSFORMATION", "id": "id IDENTITY"},
        make=_cached_table,
        varied=("id", "customer"),
    ),
    Program(
        "frames named in a statement",
        {"id": "id IDENTITY", "name": "name IDENTITY"},
        rows="customer JOIN, key JOIN",
        tables=BOTH,
        make=_frames_in_text,
    ),
    Program(
        "a class that gives rows",
        {"id": "id IDENTITY", "word": "customer TRANSFORMATION"},
        rows="customer FILTER",
        make=_rows_of_class,
        varied=("id", "customer"),
    ),
    Program(
        "pandas functions over a window",
        {"id": "id IDENTITY", "mean": "country WINDOW, price AGGREGATION"},
        make=_over_window_in_pandas,
        varied=("id", "country", "price"),
    ),
    Program(
        "mapInPandas, then a join",
        {"customer": "customer TRANSFORMATION, price TRANSFORMATION", "tier": "tier IDENTITY"},
        rows="customer JOIN, key JOIN, price JOIN",
        tables=BOTH,
        make=_joined_after_pandas,
        varied=("customer", "tier"),
    ),
)
