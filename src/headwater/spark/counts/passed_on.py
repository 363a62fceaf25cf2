"""Rows that are written as they are read, one for one: where the reading counts, so do they."""

from typing import TYPE_CHECKING

from headwater.spark.counts.counting import Count
from headwater.spark.counts.executed import find_work
from headwater.spark.plan_lineage import AnalysedPlan
from headwater.spark.relations import Java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Nodes that give as many rows as they get.
_SAME_ROWS = frozenset(
    (
        "EventTimeWatermark",
        "Project",
        "Repartition",
        "RepartitionByExpression",
        "Sort",
        "SubqueryAlias",
        "View",
    )
)


def count_passed_on(
    spark: "SparkSession", execution: Java, reading: AnalysedPlan, of: AnalysedPlan | None
) -> Count:
    """The rows of a write that nobody counts, such as a batch of messages, by what it read.

    None unless every row is passed on.
    """
    plans = [reading] if of is None else [reading, of]
    if not all(_passes_on(each) for each in plans):
        return Count()
    return count_read_by_tasks(spark, execution)


def count_read_by_tasks(spark: "SparkSession", execution: Java) -> Count:
    """The rows that the tasks of an execution read, whatever of.

    None where they read what is cached.
    """
    return Count(find_work(spark, execution).rows_read or None)


def _passes_on(plan: AnalysedPlan) -> bool:
    nodes = list(plan.target.query.walk())
    leaves = [node for node in nodes if not node.children]
    return len(leaves) == 1 and all(
        node.kind in _SAME_ROWS for node in nodes if node is not leaves[0]
    )
