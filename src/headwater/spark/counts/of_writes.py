"""The rows and bytes of writes, and of what they read: whoever counts them."""

from contextlib import suppress
from typing import TYPE_CHECKING

from headwater.model.naming import DatasetName
from headwater.spark.counts.counting import Count
from headwater.spark.counts.executed import count_read, count_written
from headwater.spark.counts.passed_on import count_passed_on, count_read_by_tasks
from headwater.spark.plan_lineage import AnalysedPlan
from headwater.spark.relations import Java
from headwater.spark.streams import by_dataset
from headwater.spark.writes import PlanWrite

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Delta's commands do their work in an execution of this name, which is reported before theirs.
INNER_ACTION = "deltaTransactionalWrite"


class WriteCounter:
    """Counts the writes of a session, in the order in which they are reported."""

    def __init__(self, spark: "SparkSession") -> None:
        self._spark = spark
        self._inner: Java | None = None

    def note_inner(self, execution: Java) -> None:
        """Keep the execution in which Delta has just read the rows of a write."""
        self._inner = execution

    def count_written(
        self, write: PlanWrite, reading: AnalysedPlan, of: AnalysedPlan | None
    ) -> Count:
        """The rows of a write; `of` is the stream whose batch it works on."""
        count = Count()
        with suppress(Exception):
            count = count_written(self._spark, write.execution, write.part)
            if count.rows is None and any(each.is_topic for each in reading.target.relations):
                return count_passed_on(self._spark, write.execution, reading, of)
        return count

    def count_read(
        self, write: PlanWrite, reading: AnalysedPlan, of: AnalysedPlan | None
    ) -> dict[DatasetName, Count]:
        """What a write read of each dataset that does not stream, as far as somebody counts it."""
        inner, self._inner = self._inner, None
        for execution in (write.execution, inner):
            if execution is not None and (scanned := count_read(execution)):
                return dict(by_dataset(reading, scanned))
        if inner is None and of is None:
            return self._count_by_tasks(write, reading)
        return {}

    def _count_by_tasks(self, write: PlanWrite, reading: AnalysedPlan) -> dict[DatasetName, Count]:
        """What a provider's own write read, where all of it is of one dataset."""
        datasets = {name for _, names in reading.scans() for name in names}
        if write.kind != "SaveIntoDataSourceCommand" or len(datasets) != 1:
            return {}
        with suppress(Exception):
            return dict.fromkeys(datasets, count_read_by_tasks(self._spark, write.execution))
        return {}
