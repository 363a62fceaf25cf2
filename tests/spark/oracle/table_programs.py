"""Programs that write tables by statements of their own."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_OLD = "(1, 0.5D, 'old'), (7, 7.5D, 'kept') AS t(number, amount, who)"


def _statement(statement: str) -> Callable[[Scene, str], None]:
    """A statement for a table that has two rows."""

    def write(scene: Scene, target: str) -> None:
        table = f"lake.oracle.{target}"
        scene.spark.sql(f"CREATE TABLE {table} USING iceberg AS SELECT * FROM VALUES {_OLD}")
        scene.spark.sql(statement.format(table=table))

    return write


def _read(scene: Scene, target: str) -> "DataFrame":
    return scene.spark.table(f"lake.oracle.{target}")


TABLE_WRITES = (
    Program(
        "INSERT of a common table expression",
        {"number": "id IDENTITY", "amount": "price IDENTITY", "who": "customer IDENTITY"},
        varied=("id", "customer"),
        read=_read,
        write=_statement(
            "INSERT INTO {table} WITH e AS (SELECT * FROM orders) SELECT id, price, customer FROM e"
        ),
    ),
    Program(
        "INSERT by name",
        {"number": "id IDENTITY", "amount": "price IDENTITY", "who": "customer TRANSFORMATION"},
        varied=("customer", "price"),
        read=_read,
        write=_statement(
            "INSERT INTO {table} BY NAME "
            "SELECT upper(customer) AS who, id AS number, price AS amount FROM orders"
        ),
    ),
    Program(
        "MERGE",
        {
            "number": "id IDENTITY",
            "amount": "price TRANSFORMATION, quantity TRANSFORMATION",
            "who": "customer IDENTITY",
        },
        rows="country FILTER, id JOIN",
        varied=("id", "country", "quantity"),
        read=_read,
        write=_statement(
            "MERGE INTO {table} t USING orders s ON t.number = s.id "
            "WHEN MATCHED AND s.country = 'DE' THEN UPDATE SET amount = s.price "
            "WHEN NOT MATCHED THEN INSERT (number, amount, who) "
            "VALUES (s.id, s.price * s.quantity, s.customer)"
        ),
    ),
    Program(
        "UPDATE",
        {"number": "", "amount": "price AGGREGATION", "who": ""},
        rows="id FILTER",
        varied=("id", "price"),
        read=_read,
        tables=("orders",),
        write=_statement(
            "UPDATE {table} SET amount = (SELECT max(price) FROM orders), who = 'new' "
            "WHERE number IN (SELECT id FROM orders)"
        ),
    ),
)
