"""Programs of less common methods of the DataFrame API, and of arrays, maps and variants."""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CARTS = ("carts",)


def _subqueries(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import col, max

    customers = scene.table("customers")
    top = customers.select(max("tier")).scalar()
    known = customers.where(col("key") == col("customer").outer()).exists()
    return scene.table("orders").where(known).select("id", top.alias("top"))


def _lateral(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import col

    named = scene.table("customers").where(col("key") == col("customer").outer()).select("name")
    return scene.table("orders").lateralJoin(named).select("id", "name")


def _conformed(scene: Scene) -> "DataFrame":
    from pyspark.sql.types import StructType

    schema = StructType.fromDDL(
        "cart long, owner struct<address: struct<zip: string>, name: string>"
    )
    assert isinstance(schema, StructType)
    return scene.table("carts").select("owner", "cart").to(schema)


def _cached(scene: Scene) -> "DataFrame":
    frame = scene.table("orders").select("id", "price").cache()
    frame.count()
    return frame.selectExpr("id", "price * 2 AS p")


def _joined_with_its_groups(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import max

    frame = scene.table("orders")
    tops = frame.groupBy("country").agg(max("price").alias("top"))
    return frame.join(tops, "country").select("id", "top")


def _features(scene: Scene) -> "DataFrame":
    from pyspark.ml.feature import VectorAssembler

    assembler = VectorAssembler(inputCols=["price", "quantity"], outputCol="features")
    return assembler.transform(scene.table("orders")).select("id", "features")


def _sampled(scene: Scene) -> "DataFrame":
    frame = scene.table("orders").sampleBy("country", {"DE": 1.0, "FR": 1.0}, 1)
    return frame.select("id", "country")


def _lambdas(scene: Scene) -> "DataFrame":
    from pyspark.sql import functions as f

    return (
        scene.table("carts")
        .select(
            f.transform("lines", lambda x: x.withField("sku", f.upper(x.sku)).dropFields("count")),
            f.zip_with("tags", f.col("lines.sku"), lambda tag, sku: f.concat(tag, sku)),
            f.flatten(f.transform("lines", lambda x: f.array(x.sku, x["count"].cast("string")))),
        )
        .toDF("changed", "pairs", "flat")
    )


API = (
    Program(
        "subqueries of the API",
        {"id": "id IDENTITY", "top": "tier AGGREGATION"},
        rows="customer FILTER, key FILTER",
        make=_subqueries,
        tables=("orders", "customers"),
    ),
    Program(
        "lateralJoin",
        {"id": "id IDENTITY", "name": "name IDENTITY"},
        rows="customer FILTER, key FILTER",
        make=_lateral,
        tables=("orders", "customers"),
    ),
    Program(
        "rows made to fit a schema",
        {
            "cart": "cart TRANSFORMATION",
            "owner.address.zip": "owner CONDITIONAL, owner.address CONDITIONAL, "
            "owner.address.zip IDENTITY",
            "owner.name": "owner CONDITIONAL, owner.name IDENTITY",
        },
        make=_conformed,
        tables=CARTS,
    ),
    Program(
        "a cached frame",
        {"id": "id IDENTITY", "p": "price TRANSFORMATION"},
        make=_cached,
        varied=("id", "price"),
    ),
    Program(
        "a join with groups of the same rows",
        {"id": "id IDENTITY", "top": "price AGGREGATION"},
        rows="country GROUP_BY, country JOIN",
        make=_joined_with_its_groups,
        varied=("id", "country", "price"),
    ),
    Program(
        "features of a model",
        {"id": "id IDENTITY", "features": "price TRANSFORMATION, quantity TRANSFORMATION"},
        make=_features,
        varied=("id", "price", "quantity"),
    ),
    Program(
        "sampleBy",
        {"id": "id IDENTITY", "country": "country IDENTITY"},
        rows="country FILTER",
        make=_sampled,
        varied=("id", "country"),
    ),
    Program(
        "lambdas of the API",
        {
            "changed[].sku": "lines[].sku TRANSFORMATION",
            "pairs": "lines[].sku TRANSFORMATION, tags TRANSFORMATION",
            "flat": "lines[].count TRANSFORMATION, lines[].sku TRANSFORMATION",
        },
        make=_lambdas,
        tables=CARTS,
    ),
    Program(
        "variants",
        {
            "c": "text TRANSFORMATION",
            "n": "text TRANSFORMATION",
            "all": "text TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT variant_get(v, '$.b.c', 'string') AS c, "
        "try_variant_get(v, '$.items[0].n', 'int') AS n, to_json(v) AS all "
        "FROM (SELECT parse_json(text) AS v FROM carts)",
    ),
    Program(
        "elements of a variant",
        {"cart": "cart IDENTITY", "item": "text TRANSFORMATION"},
        rows="text FILTER",
        tables=CARTS,
        sql="SELECT cart, CAST(e.value AS string) AS item FROM "
        "(SELECT cart, parse_json(text) AS v FROM carts), "
        "LATERAL variant_explode(variant_get(v, '$.items')) e",
    ),
    Program(
        "explode of some elements",
        {
            "cart": "cart IDENTITY",
            "sku": "lines[].count CONDITIONAL, lines[].sku IDENTITY",
        },
        rows="lines[].count FILTER",
        tables=CARTS,
        sql="SELECT cart, line.sku FROM carts "
        "LATERAL VIEW explode(filter(lines, x -> x.count > 4)) AS line",
    ),
    Program(
        "places in an array",
        {
            "places": "tags CONDITIONAL",
            "numbered[].sku": "lines[].sku IDENTITY",
            "numbered[].n": "cart TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT transform(tags, (x, i) -> i) AS places, "
        "transform(lines, (x, i) -> struct(x.sku AS sku, i + cart AS n)) AS numbered FROM carts",
    ),
    Program(
        "functions of maps",
        {
            "more.key": "extra.key IDENTITY",
            "more.value": "extra.value IDENTITY, owner.name IDENTITY",
            "listed[].key": "extra.key IDENTITY",
            "listed[].value": "extra.value IDENTITY",
            "of_lines.key": "lines[].sku IDENTITY",
            "of_lines.value": "lines[].count IDENTITY",
            "has": "extra TRANSFORMATION",
        },
        tables=CARTS,
        sql="SELECT map_concat(extra, map('z', owner.name)) AS more, map_entries(extra) AS listed, "
        "map_from_entries(transform(lines, l -> struct(l.sku, l.count))) AS of_lines, "
        "map_contains_key(extra, 'k') AS has FROM carts",
    ),
)
