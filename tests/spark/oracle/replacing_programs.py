"""Programs that put rows in the place of others, or tell a table apart from what it was."""

from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _table(target: str) -> str:
    return f"lake.oracle.{target}"


def _read(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.table(_table(target))


def _read_own(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.table(target)


def _read_folder(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.read.parquet(str(scene.folder / target))


def _replace(scene: Scene, target: str) -> None:
    frame = scene.table("orders")
    first = scene.spark.sql("SELECT 0 AS number, 'none' AS country")
    first.writeTo(_table(target)).partitionedBy("country").create()
    frame.selectExpr("id AS number", "lower(country) AS country").writeTo(_table(target)).replace()


def _overwrite(scene: Scene, target: str) -> None:
    from pyspark.sql.functions import col

    first = scene.spark.sql("SELECT 0 AS number, 'DE' AS country")
    first.writeTo(_table(target)).create()
    frame = scene.table("orders").filter("price > 2").selectExpr("id AS number", "country")
    frame.writeTo(_table(target)).overwrite(col("country") == "DE")


def _overwrite_partitions(scene: Scene, target: str) -> None:
    from pyspark.sql.functions import partitioning

    first = scene.spark.sql("SELECT 0 AS number, TIMESTAMP '2026-01-05 09:00' AS moment")
    first.writeTo(_table(target)).partitionedBy(partitioning.days("moment")).create()
    frame = scene.table("orders").selectExpr("id AS number", "at AS moment")
    frame.writeTo(_table(target)).overwritePartitions()


def _append_any(scene: Scene, target: str) -> None:
    """To a table that takes columns by their names, and new ones."""
    scene.spark.sql(
        f"CREATE TABLE {_table(target)} (id int, note string, price double, who string) "
        "USING iceberg TBLPROPERTIES ('write.spark.accept-any-schema' = 'true')"
    )
    frame = scene.table("orders").selectExpr("id", "price", "customer AS who", "country AS land")
    frame.writeTo(_table(target)).option("mergeSchema", "true").append()


def _overwrite_folder(scene: Scene, target: str) -> None:
    writer = scene.table("orders").select("id", "country").write.mode("overwrite")
    writer = writer.option("partitionOverwriteMode", "dynamic").partitionBy("country")
    writer.parquet(str(scene.folder / target))


def _insert_columns(scene: Scene, target: str) -> None:
    scene.spark.sql(f"CREATE TABLE {target} (a int, b string, c double) USING parquet")
    scene.spark.sql(f"INSERT INTO {target} (c, a) SELECT price, id FROM orders")


def _merge_rows(scene: Scene, target: str) -> None:
    """As changes beside the files, with rows that the source lacks."""
    sql, table = scene.spark.sql, _table(target)
    sql(
        f"CREATE TABLE {table} (number int, amount double) USING iceberg TBLPROPERTIES "
        "('format-version' = '2', 'write.merge.mode' = 'merge-on-read')"
    )
    sql(f"INSERT INTO {table} VALUES (1, 0.5D), (9, 1.5D)")
    sql(
        f"MERGE INTO {table} t USING orders s ON t.number = s.id "
        "WHEN MATCHED AND s.country = 'FR' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET amount = t.amount + s.price "
        "WHEN NOT MATCHED THEN INSERT (number, amount) VALUES (s.id, s.quantity) "
        "WHEN NOT MATCHED BY SOURCE AND t.amount > 100 THEN DELETE"
    )


def _merge_by_method(scene: Scene, target: str) -> None:
    from pyspark.sql.functions import col, expr

    table = _table(target)
    scene.spark.sql(f"CREATE TABLE {table} (code string, who string) USING iceberg")
    scene.spark.sql(f"INSERT INTO {table} VALUES ('c1', 'old')")
    source = scene.table("customers").alias("s")
    into = source.mergeInto(table, expr(f"s.key = {table}.code"))
    into = into.whenMatched(col("s.tier") < 5).update({"who": expr("upper(s.name)")})
    new = {"code": col("s.key"), "who": expr("lower(s.name)")}
    into.whenNotMatched().insert(new).merge()


def _defaults(scene: Scene, target: str) -> None:
    scene.spark.sql(
        f"CREATE TABLE {target} (number int, note string DEFAULT 'none', country string) "
        "USING parquet PARTITIONED BY (country)"
    )
    scene.spark.sql(
        f"INSERT OVERWRITE {target} PARTITION (country = 'DE') (number) "
        "SELECT id FROM orders WHERE country = 'DE'"
    )


def _script(scene: Scene, target: str) -> None:
    """A statement as text, in a script of several."""
    scene.spark.conf.set("spark.sql.scripting.enabled", "true")
    scene.spark.sql(
        f"BEGIN CREATE TABLE {target} (number int, who string) USING parquet; "
        f"INSERT INTO {target} SELECT id, customer FROM orders WHERE country = 'DE'; END"
    )


def _immediate(scene: Scene, target: str) -> None:
    scene.spark.sql(f"CREATE TABLE {target} (number int) USING parquet")
    scene.spark.sql(f"EXECUTE IMMEDIATE 'INSERT INTO {target} SELECT id * 2 FROM orders'")


def _sorted_in_buckets(scene: Scene, target: str) -> None:
    frame = scene.table("orders").select("id", "country")
    frame.write.bucketBy(2, "id").sortBy("country").saveAsTable(target)


REPLACING = (
    Program(
        "writeTo: replace",
        {"number": "id IDENTITY", "country": "country TRANSFORMATION"},
        varied=("id", "country"),
        read=_read,
        write=_replace,
    ),
    Program(
        "writeTo: overwrite of some rows",
        {"number": "id IDENTITY", "country": "country IDENTITY"},
        rows="price FILTER",
        varied=("id", "price"),
        read=_read,
        write=_overwrite,
    ),
    Program(
        "writeTo: overwritePartitions",
        {"number": "id IDENTITY", "moment": "at IDENTITY"},
        varied=("id", "at"),
        read=_read,
        write=_overwrite_partitions,
    ),
    Program(
        "append of columns by their names",
        {
            "id": "id IDENTITY",
            "price": "price IDENTITY",
            "who": "customer IDENTITY",
            "land": "country IDENTITY",
            "note": "",
        },
        varied=("id", "price", "customer", "country"),
        read=_read,
        write=_append_any,
    ),
    Program(
        "partitions of a folder overwritten",
        {"id": "id IDENTITY", "country": "country IDENTITY"},
        varied=("id", "country"),
        read=_read_folder,
        write=_overwrite_folder,
    ),
    Program(
        "INSERT of some columns",
        {"a": "id IDENTITY", "b": "", "c": "price IDENTITY"},
        varied=("id", "price"),
        read=_read_own,
        write=_insert_columns,
    ),
    Program(
        "MERGE as changes beside the files",
        {"number": "id IDENTITY", "amount": "price TRANSFORMATION, quantity TRANSFORMATION"},
        rows="country FILTER, id JOIN",
        varied=("id", "country", "price", "quantity"),
        read=_read,
        write=_merge_rows,
    ),
    Program(
        "mergeInto",
        {"code": "key IDENTITY", "who": "name TRANSFORMATION"},
        rows="key JOIN, tier FILTER",
        tables=("customers",),
        read=_read,
        write=_merge_by_method,
    ),
    Program(
        "INSERT with default values, into a partition of a fixed value",
        {"number": "id IDENTITY", "note": "", "country": ""},
        rows="country FILTER",
        varied=("id", "country"),
        read=_read_own,
        write=_defaults,
    ),
    Program(
        "a script",
        {"number": "id IDENTITY", "who": "customer IDENTITY"},
        rows="country FILTER",
        varied=("id", "country", "customer"),
        read=_read_own,
        write=_script,
    ),
    Program(
        "EXECUTE IMMEDIATE",
        {"number": "id TRANSFORMATION"},
        varied=("id",),
        read=_read_own,
        write=_immediate,
    ),
    Program(
        "saveAsTable in sorted buckets",
        {"id": "id IDENTITY", "country": "country IDENTITY"},
        varied=("id", "country"),
        read=_read_own,
        write=_sorted_in_buckets,
    ),
)
