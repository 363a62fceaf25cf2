"""Programs with tables of Hive's: partitions, creation with rows, directories, views."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_PARTED = "(number INT, who STRING) PARTITIONED BY (land STRING, hour INT) STORED AS TEXTFILE"


def _statements(*statements: str) -> Callable[[Scene, str], None]:
    """Statements for a table, and for one beside it with another name."""

    def write(scene: Scene, target: str) -> None:
        for each in statements:
            scene.spark.sql(each.format(table=target, other=_other(target), folder=scene.folder))

    return write


def _other(target: str) -> str:
    return f"other_{target[1:]}"


def _read(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.table(target)


def _read_folder(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.read.schema("id int, customer string").csv(f"{scene.folder}/{target}")


def _save(scene: Scene, target: str) -> None:
    frame = scene.table("orders").selectExpr("id", "upper(customer) AS who", "country")
    frame.write.format("hive").partitionBy("country").saveAsTable(target)


def _insert(scene: Scene, target: str) -> None:
    scene.spark.sql(f"CREATE TABLE {target} (number INT, who STRING) STORED AS TEXTFILE")
    scene.table("orders").select("id", "customer").write.insertInto(target)


HIVE = (
    Program(
        "Hive: a partition of a fixed value",
        {"number": "id IDENTITY", "who": "customer IDENTITY", "land": "", "hour": ""},
        rows="country FILTER",
        varied=("id", "country", "customer"),
        read=_read,
        write=_statements(
            f"CREATE TABLE {{table}} {_PARTED}",
            "INSERT OVERWRITE TABLE {table} PARTITION (land = 'DE', hour = 7) "
            "SELECT id, customer FROM orders WHERE country = 'DE'",
        ),
    ),
    Program(
        "Hive: partitions by columns, after one of a fixed value",
        {
            "number": "id IDENTITY",
            "who": "customer TRANSFORMATION",
            "land": "",
            "hour": "quantity IDENTITY",
        },
        varied=("id", "quantity", "customer"),
        read=_read,
        write=_statements(
            f"CREATE TABLE {{table}} {_PARTED}",
            "INSERT INTO {table} PARTITION (land = 'DE', hour) "
            "SELECT id, upper(customer), quantity FROM orders",
        ),
    ),
    Program(
        "Hive: CREATE TABLE AS SELECT",
        {"country": "country IDENTITY", "total": "price AGGREGATION"},
        rows="country GROUP_BY",
        varied=("country", "price"),
        read=_read,
        write=_statements(
            "CREATE TABLE {table} STORED AS ORC AS "
            "SELECT country, sum(price) AS total FROM orders GROUP BY country"
        ),
    ),
    Program(
        "Hive: saveAsTable by partitions",
        {"id": "id IDENTITY", "who": "customer TRANSFORMATION", "country": "country IDENTITY"},
        varied=("id", "country", "customer"),
        read=_read,
        write=_save,
    ),
    Program(
        "Hive: insertInto",
        {"number": "id IDENTITY", "who": "customer IDENTITY"},
        varied=("id", "customer"),
        read=_read,
        write=_insert,
    ),
    Program(
        "Hive: a view of a table",
        {"id": "id IDENTITY", "double": "price TRANSFORMATION"},
        rows="country FILTER",
        varied=("id", "country", "price"),
        read=_read,
        write=_statements(
            "CREATE TABLE {other} STORED AS TEXTFILE AS SELECT id, price, country FROM orders",
            "CREATE VIEW {other}_view AS SELECT id, price FROM {other} WHERE country = 'DE'",
            "CREATE TABLE {table} STORED AS TEXTFILE AS "
            "SELECT id, price * 2 AS double FROM {other}_view",
        ),
    ),
    Program(
        "Hive: INSERT OVERWRITE DIRECTORY",
        {"id": "id IDENTITY", "customer": "customer IDENTITY"},
        rows="price FILTER",
        varied=("id", "customer", "price"),
        read=_read_folder,
        write=_statements(
            "INSERT OVERWRITE DIRECTORY '{folder}/{table}' "
            "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE "
            "SELECT id, customer FROM orders WHERE price > 2"
        ),
    ),
)
