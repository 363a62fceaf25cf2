"""Programs that write tables of Delta, in a session with Delta's catalog.

Delta takes rows by the names of their columns, in whatever order they come.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COLUMNS = "id int, who string, land string"
_ALL = {"id": "id IDENTITY", "who": "customer IDENTITY", "land": "country IDENTITY"}
_SOME = {"id": "id IDENTITY", "land": "country IDENTITY"}


def _read(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.table(target)


def _create(scene: Scene, target: str, columns: str = _COLUMNS) -> None:
    scene.spark.sql(f"CREATE TABLE {target} ({columns}) USING delta")


def _turned(scene: Scene) -> "DataFrame":
    return scene.table("orders").selectExpr("country AS land", "customer AS WHO", "id")


def _append(scene: Scene, target: str) -> None:
    _create(scene, target)
    _turned(scene).writeTo(target).append()


def _save(scene: Scene, target: str) -> None:
    _create(scene, target)
    _turned(scene).write.format("delta").mode("append").saveAsTable(target)


def _insert_by_place(scene: Scene, target: str) -> None:
    _create(scene, target)
    frame = scene.table("orders").selectExpr("id", "customer AS land", "country AS who")
    frame.write.insertInto(target)


def _save_more(scene: Scene, target: str) -> None:
    _create(scene, target, "id int")
    writer = scene.table("orders").selectExpr("country AS land", "id").write.format("delta")
    writer.mode("append").option("mergeSchema", "true").saveAsTable(target)


def _overwrite_some(scene: Scene, target: str) -> None:
    _create(scene, target)
    scene.spark.sql(f"INSERT INTO {target} VALUES (0, 'c0', 'DE')")
    writer = _turned(scene).where("land = 'DE'").write.format("delta").mode("overwrite")
    writer.option("replaceWhere", "land = 'DE'").saveAsTable(target)


def _overwrite_partitions(scene: Scene, target: str) -> None:
    scene.spark.sql(f"CREATE TABLE {target} ({_COLUMNS}) USING delta PARTITIONED BY (land)")
    writer = scene.table("orders").selectExpr("id", "customer", "country").write
    writer.mode("overwrite").option("partitionOverwriteMode", "dynamic").insertInto(target)


def _overwrite_schema(scene: Scene, target: str) -> None:
    _create(scene, target)
    writer = scene.table("orders").selectExpr("price * 2 AS id", "country AS other").write
    writer = writer.format("delta").mode("overwrite").option("overwriteSchema", "true")
    writer.saveAsTable(target)


def _create_partitioned(scene: Scene, target: str) -> None:
    writer = scene.table("orders").select("country", "id").writeTo(target).using("delta")
    writer.tableProperty("purpose", "test").partitionedBy("country").createOrReplace()


def _statement(statement: str, columns: str = _COLUMNS) -> Callable[[Scene, str], None]:
    def write(scene: Scene, target: str) -> None:
        _create(scene, target, columns)
        scene.spark.sql(statement.format(table=target))

    return write


def _merge_newest(scene: Scene, target: str) -> None:
    _create(scene, target, "id int, total double")
    scene.spark.sql(f"INSERT INTO {target} VALUES (1, 0.5D), (9, 9.5D)")
    scene.spark.sql(
        f"MERGE INTO {target} t USING (SELECT * FROM (SELECT id, price, row_number() OVER "
        "(PARTITION BY country ORDER BY at DESC) AS place FROM orders) WHERE place = 1) o "
        "ON t.id = o.id WHEN MATCHED AND o.price < 0 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET TOTAL = o.price + t.total "
        "WHEN NOT MATCHED THEN INSERT (ID, TOTAL) VALUES (o.id, o.price) "
        "WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )


def _merge_more(scene: Scene, target: str) -> None:
    """Columns that the table lacks are added to it, among them one inside a structure."""
    scene.spark.conf.set("spark.databricks.delta.schema.autoMerge.enabled", "true")
    _create(scene, target, "id int, made struct<price: double>")
    scene.spark.sql(f"INSERT INTO {target} VALUES (1, struct(0.5D)), (9, struct(9.5D))")
    scene.spark.sql(
        f"MERGE INTO {target} t USING (SELECT id, struct(price, customer) AS made, "
        "country AS land FROM orders) o ON t.id = o.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    scene.spark.conf.unset("spark.databricks.delta.schema.autoMerge.enabled")


def _merge_parts(scene: Scene, target: str) -> None:
    _create(scene, target, "id int, made struct<price: double, who: string>")
    scene.spark.sql(f"INSERT INTO {target} VALUES (1, struct(0.5D, 'a')), (9, struct(9.5D, 'b'))")
    scene.spark.sql(
        f"MERGE INTO {target} t USING orders o ON t.id = o.id WHEN MATCHED THEN "
        "UPDATE SET t.made.price = o.price, t.made.who = upper(o.customer)"
    )


DELTA = tuple(
    Program(
        name, columns, rows, write=write, read=_read, varied=tuple(varied.split()), is_delta=True
    )
    for name, columns, rows, varied, write in (
        ("Delta: append", _ALL, "", "id customer country", _append),
        ("Delta: saveAsTable of a table that is there", _ALL, "", "id customer country", _save),
        (
            "Delta: insertInto, by place",
            {"id": "id IDENTITY", "who": "customer IDENTITY", "land": "country IDENTITY"},
            "",
            "id customer country",
            _insert_by_place,
        ),
        ("Delta: columns that are new", _SOME, "", "id country", _save_more),
        ("Delta: replaceWhere", _ALL, "country FILTER", "id customer country", _overwrite_some),
        ("Delta: partitions overwritten", _ALL, "", "id customer country", _overwrite_partitions),
        (
            "Delta: another schema",
            {"id": "price TRANSFORMATION", "other": "country IDENTITY"},
            "",
            "price country",
            _overwrite_schema,
        ),
        (
            "Delta: createOrReplace by partitions",
            {"id": "id IDENTITY", "country": "country IDENTITY"},
            "",
            "id country",
            _create_partitioned,
        ),
        (
            "Delta: INSERT of some columns",
            {**_SOME, "who": ""},
            "",
            "id country",
            _statement("INSERT INTO {table} (land, id) SELECT country, id FROM orders"),
        ),
        (
            "Delta: INSERT by name",
            _ALL,
            "",
            "id customer country",
            _statement(
                "INSERT INTO {table} BY NAME "
                "SELECT country AS land, customer AS who, id FROM orders"
            ),
        ),
        (
            "Delta: INSERT REPLACE WHERE",
            {**_SOME, "who": "customer IDENTITY"},
            "country FILTER",
            "id customer country",
            _statement(
                "INSERT INTO {table} REPLACE WHERE land = 'DE' "
                "SELECT id, customer, country FROM orders WHERE country = 'DE'"
            ),
        ),
        (
            "Delta: MERGE of the newest rows",
            {"id": "id IDENTITY", "total": "price TRANSFORMATION"},
            "at WINDOW, country WINDOW, id JOIN, price FILTER",
            "id price at country",
            _merge_newest,
        ),
        (
            "Delta: MERGE with columns that are new",
            {
                "id": "id IDENTITY",
                "made.price": "price IDENTITY",
                "made.customer": "customer IDENTITY",
                "land": "country IDENTITY",
            },
            "id JOIN",
            "id price customer country",
            _merge_more,
        ),
        (
            "Delta: MERGE of parts of a structure",
            {"id": "", "made.price": "price IDENTITY", "made.who": "customer TRANSFORMATION"},
            "id JOIN",
            "id price customer",
            _merge_parts,
        ),
    )
)
