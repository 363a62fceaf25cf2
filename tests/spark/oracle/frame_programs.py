"""Programs of the DataFrame API, with functions in Python."""

from typing import TYPE_CHECKING, Any

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _udf(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import udf

    label = udf(lambda customer, country: f"{customer} of {country}", "string")
    both = udf(lambda id, price: (id, price * 2), "n int, p double")
    return scene.table("orders").select(
        label("customer", "country").alias("label"), both("id", "price").alias("both")
    )


def _pandas_udf(scene: Scene) -> "DataFrame":
    import pandas as pd
    from pyspark.sql.pandas.functions import pandas_udf

    # Spark reads from the types of the arguments what kind of function it is.
    def total(price: pd.Series, quantity: pd.Series) -> pd.Series:
        return price * quantity

    column = pandas_udf(total, "double")("price", "quantity")  # type: ignore[call-overload]
    return scene.table("orders").select("id", column.alias("total"))


def _map_in_pandas(scene: Scene) -> "DataFrame":
    def double(batches: Any) -> Any:
        for batch in batches:
            yield batch.assign(price=batch.price * 2)

    return scene.table("orders").select("id", "price").mapInPandas(double, "id int, price double")


def _map_in_arrow(scene: Scene) -> "DataFrame":
    def same(batches: Any) -> Any:
        yield from batches

    return scene.table("orders").select("id", "country").mapInArrow(same, "n int, c string")


def _apply_in_pandas(scene: Scene) -> "DataFrame":
    def mean(group: Any) -> Any:
        return group.assign(price=group.price.mean())

    frame = scene.table("orders").select("country", "price")
    return frame.groupBy("country").applyInPandas(mean, "country string, price double")


def _cogroup(scene: Scene) -> "DataFrame":
    import pandas as pd

    def merge(left: Any, right: Any) -> Any:
        pairs = [(who, name) for who in left.customer for name in right.name]
        return pd.DataFrame(pairs, columns=["customer", "name"], dtype=object)

    orders = scene.table("orders").select("customer", "id").groupBy("customer")
    customers = scene.table("customers").select("key", "name").groupBy("key")
    return orders.cogroup(customers).applyInPandas(merge, "customer string, name string")


def _unpivot(scene: Scene) -> "DataFrame":
    return scene.table("orders").unpivot(["id"], ["customer", "country"], "what", "value")


def _drop_duplicates(scene: Scene) -> "DataFrame":
    return scene.table("orders").coalesce(1).dropDuplicates(["country"]).select("id", "country")


def _with_fields(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import col, upper

    return scene.table("carts").select(
        col("owner")
        .withField("loud", upper("owner.name"))
        .withField("address.city", col("cart").cast("string"))
        .dropFields("name")
        .alias("owner")
    )


def _pivot(scene: Scene) -> "DataFrame":
    frame = scene.table("orders").groupBy("customer").pivot("country", ["DE", "FR"])
    return frame.sum("quantity")


def _renamed(scene: Scene) -> "DataFrame":
    frame = scene.table("orders").withColumnRenamed("price", "amount").drop("at", "country")
    return frame.fillna({"amount": 0.0}).withColumn("id", frame.id + 1).na.drop(subset=["quantity"])


def _by_name(scene: Scene) -> "DataFrame":
    one = scene.table("orders").select("id", "customer")
    other = scene.table("customers").selectExpr("name AS customer", "tier AS id", "key AS extra")
    return one.unionByName(other, allowMissingColumns=True)


def _views(scene: Scene) -> "DataFrame":
    """A view of a view; Spark casts the columns of a view to the types that they have."""
    scene.spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW dear AS "
        "SELECT id, price, country FROM orders WHERE price > 2"
    )
    scene.spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW german (number, amount) AS "
        "SELECT id, price FROM dear WHERE country = 'DE'"
    )
    return scene.spark.sql("SELECT number, amount FROM german")


def _observed(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import max

    return scene.table("orders").observe("seen", max("price")).select("id").repartition(2).offset(1)


def _session_of_rdd(scene: Scene) -> "DataFrame":
    frame = scene.table("orders").select("id", "price")
    return scene.spark.createDataFrame(frame.rdd, frame.schema)


def _session_of_arrow(scene: Scene) -> "DataFrame":
    """Rows that were in the memory of the program; so are those of a pandas frame."""
    return scene.spark.createDataFrame(scene.table("orders").select("id", "price").toArrow())


def _checkpoint(scene: Scene) -> "DataFrame":
    return (
        scene.table("orders")
        .select("id", "price")
        .localCheckpoint()
        .selectExpr("id", "price * 2 AS p")
    )


_ALL_OF_BOTH = "customer TRANSFORMATION, id TRANSFORMATION, key TRANSFORMATION, name TRANSFORMATION"
FRAMES = (
    Program(
        "Python functions",
        {
            "label": "country TRANSFORMATION, customer TRANSFORMATION",
            "both": "id TRANSFORMATION, price TRANSFORMATION",
        },
        make=_udf,
    ),
    Program(
        "pandas functions",
        {"id": "id IDENTITY", "total": "price TRANSFORMATION, quantity TRANSFORMATION"},
        make=_pandas_udf,
        varied=("price", "quantity"),
    ),
    Program(
        "mapInPandas",
        {
            "id": "id TRANSFORMATION, price TRANSFORMATION",
            "price": "id TRANSFORMATION, price TRANSFORMATION",
        },
        make=_map_in_pandas,
        varied=("id", "price"),
    ),
    Program(
        "mapInArrow",
        {
            "n": "country TRANSFORMATION, id TRANSFORMATION",
            "c": "country TRANSFORMATION, id TRANSFORMATION",
        },
        make=_map_in_arrow,
        varied=("id", "country"),
    ),
    Program(
        "applyInPandas",
        {
            "country": "country TRANSFORMATION, price TRANSFORMATION",
            "price": "country TRANSFORMATION, price TRANSFORMATION",
        },
        rows="country GROUP_BY",
        make=_apply_in_pandas,
        varied=("country", "price"),
    ),
    Program(
        "cogroup",
        {
            "customer": _ALL_OF_BOTH,
            "name": _ALL_OF_BOTH,
        },
        rows="customer GROUP_BY, key GROUP_BY",
        make=_cogroup,
        varied=("customer", "name"),
        tables=("orders", "customers"),
    ),
    Program(
        "unpivot",
        {"id": "id IDENTITY", "what": "", "value": "country IDENTITY, customer IDENTITY"},
        make=_unpivot,
    ),
    Program(
        "dropDuplicates",
        {"id": "id IDENTITY", "country": "country IDENTITY"},
        rows="country GROUP_BY",
        make=_drop_duplicates,
    ),
    Program(
        "withField and dropFields",
        {
            "owner.address.city": "cart TRANSFORMATION",
            "owner.address.zip": "owner.address.zip IDENTITY",
            "owner.loud": "owner.name TRANSFORMATION",
        },
        make=_with_fields,
        tables=("carts",),
    ),
    Program(
        "a pivot of the API",
        {
            "customer": "customer IDENTITY",
            "DE": "country CONDITIONAL, quantity AGGREGATION",
            "FR": "country CONDITIONAL, quantity AGGREGATION",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        make=_pivot,
    ),
    Program(
        "renamed, dropped, filled",
        {
            "id": "id TRANSFORMATION",
            "customer": "customer IDENTITY",
            "amount": "price CONDITIONAL, price TRANSFORMATION",
            "quantity": "quantity IDENTITY",
        },
        rows="quantity FILTER",
        make=_renamed,
    ),
    Program(
        "unionByName",
        {
            "id": "id IDENTITY, tier IDENTITY",
            "customer": "customer IDENTITY, name IDENTITY",
            "extra": "key IDENTITY",
        },
        make=_by_name,
        tables=("orders", "customers"),
    ),
    Program(
        "views",
        {"number": "id IDENTITY", "amount": "price IDENTITY"},
        rows="country FILTER, price FILTER",
        make=_views,
    ),
    Program("observed metrics and offsets", {"id": "id IDENTITY"}, make=_observed),
    Program("an RDD", {"id": "", "price": ""}, make=_session_of_rdd, gaps=("LogicalRDD",)),
    Program(
        "rows of the program's memory",
        {"id": "", "price": ""},
        make=_session_of_arrow,
        gaps=("LocalRelation",),
    ),
    Program("localCheckpoint", {"id": "", "p": ""}, make=_checkpoint, gaps=("LogicalRDD",)),
)
