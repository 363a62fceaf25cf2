"""What a plan reads or writes: a dataset, and its other name."""

from typing import Any, NamedTuple

from headwater.model.naming import DatasetName
from headwater.spark.datasets.jdbc import JdbcQuery

# A node, table or source in the JVM, behind py4j.
Java = Any


class PlanRelation(NamedTuple):
    """A dataset that a plan reads or writes, with its other name if it has one."""

    name: DatasetName
    other: DatasetName | None = None
    is_topic: bool = False
    is_pattern: bool = False
    query: JdbcQuery | None = None
    """What a database answers in the place of a table, which the dataset then stands for."""
    label: str | None = None
    """What the program itself calls it, wherever it is: `lake.db.orders`."""
