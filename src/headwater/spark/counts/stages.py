"""What tasks read and wrote: Spark counts it by job; a stream's jobs are a group of their own."""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.spark.counts.counting import Work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# In the description of a stream's job: the batch that it is part of.
_BATCH = re.compile(r"^batch = (\d+)$", re.MULTILINE)


class Stages:
    """The jobs of one query, each looked at once, when its batch has been committed."""

    def __init__(self, spark: "SparkSession", group: str) -> None:
        self._context: Any = spark.sparkContext
        self._group = group
        self._counted: set[int] = set()

    def read_new(self, committed: int | None) -> Work:
        """The counts of jobs of batches up to one, as far as they were not counted before.

        Jobs of a batch that is not committed may have written what nobody will ever read.
        """
        tracker = self._context.statusTracker()
        listed = set(tracker.getJobIdsForGroup(self._group))
        # Spark forgets old jobs, and so may we.
        self._counted &= listed
        work = Work()
        for job in listed - self._counted:
            info = tracker.getJobInfo(job)
            if info is None or info.status == "RUNNING":
                continue
            batch = self._batch_of(job)
            if batch is not None and (committed is None or batch > committed):
                continue
            self._counted.add(job)
            work = work.plus(read_stages(self._context, info.stageIds))
        return work

    def _batch_of(self, job: int) -> int | None:
        with suppress(Exception):
            description = self._context._jsc.sc().statusStore().job(job).description()
            if description.isDefined() and (found := _BATCH.search(str(description.get()))):
                return int(found[1])
        return None


def read_stages(context: Any, stages: Iterable[int]) -> Work:
    """What the tasks of stages did."""
    store = context._jsc.sc().statusStore()
    work = Work()
    for stage in stages:
        # A stage that did not run, as what it gives was there already, is not known.
        with suppress(Exception):
            found = store.lastStageAttempt(stage)
            work = work.plus(
                Work(
                    found.inputBytes(),
                    found.outputBytes(),
                    found.outputRecords(),
                    found.inputRecords(),
                )
            )
    return work


def read_cached(context: Any, stages: Iterable[int]) -> bool:
    """Whether tasks of stages read what was cached, which Spark counts by batch and not by row.

    By what the stages were made of: what is cached may be gone by the time we look.
    """
    store = context._jsc.sc().statusStore()
    for stage in stages:
        with suppress(Exception):
            if store.operationGraphForStage(stage).rootCluster().getCachedNodes().nonEmpty():
                return True
    return False
