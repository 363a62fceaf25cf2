"""What the tasks of a query read and wrote: Spark counts it by job, and a query is a job group."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.spark.counting import Work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Stages:
    """The jobs of one query, each looked at once, when it has ended."""

    def __init__(self, spark: "SparkSession", group: str) -> None:
        self._context: Any = spark.sparkContext
        self._group = group
        self._counted: set[int] = set()

    def read_new(self) -> Work:
        """The counts of jobs that have ended since the last call."""
        tracker = self._context.statusTracker()
        listed = set(tracker.getJobIdsForGroup(self._group))
        # Spark forgets old jobs, and so may we.
        self._counted &= listed
        work = Work()
        for job in listed - self._counted:
            info = tracker.getJobInfo(job)
            if info is None or info.status == "RUNNING":
                continue
            self._counted.add(job)
            for stage in info.stageIds:
                work = work.plus(self._read_stage(stage))
        return work

    def _read_stage(self, stage: int) -> Work:
        # A stage that did not run, as what it gives was there already, is not known.
        with suppress(Exception):
            found = self._context._jsc.sc().statusStore().lastStageAttempt(stage)
            return Work(found.inputBytes(), found.outputBytes(), found.outputRecords())
        return Work()
