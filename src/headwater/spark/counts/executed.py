"""What an execution counted: rows and bytes that it wrote, and rows of each relation it read."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.spark.counts.counting import Count, Work
from headwater.spark.counts.stages import read_cached, read_stages
from headwater.spark.relations import Java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Of the newest executions, so many are looked through for one that is known by its plan.
_LOOK_AT = 200

# By the names that Spark, Iceberg and Delta have for them; what is in one line is added up.
_ROWS = (
    ("numOutputRows",),
    ("addedRecords",),
    ("numTargetRowsInserted", "numTargetRowsUpdated"),
    ("numUpdatedRows",),
)
_BYTES = (
    ("numOutputBytes",),
    ("addedFileSizeInBytes",),
    ("numTargetBytesAdded",),
    ("numAddedBytes",),
)


def count_written(spark: "SparkSession", execution: Java, part: int | None = None) -> Count:
    """The rows and bytes of a write, or of one of several; None where nobody counts them."""
    plan = _inside(execution.executedPlan())
    if part is not None:
        plan = _inside(plan.children().apply(part))
    metrics = plan.metrics()
    count = Count(_metric(metrics, _ROWS), _metric(metrics, _BYTES))
    if count.rows is not None or part is not None:
        return count
    work = find_work(spark, execution)
    return Count(work.rows_written or None, work.bytes_written or None)


def find_work(spark: "SparkSession", execution: Java) -> Work:
    """What the tasks of an execution did, with those of the executions that it started."""
    session: Any = spark
    store = session._jsparkSession.sharedState().statusStore()
    mode = session._jvm.org.apache.spark.sql.execution.ExplainMode.fromString("formatted")
    # Objects in it are distinguished by their addresses, so that no other execution has the same.
    text = str(execution.explainString(mode))
    count = int(store.executionsCount())
    listed = store.executionsList(max(count - _LOOK_AT, 0), _LOOK_AT)
    newest = [listed.apply(place) for place in reversed(range(listed.size()))]
    for each in newest:
        if str(each.physicalPlanDescription()) == text:
            return _work_of(spark, [each, *_started_by(each, newest)])
    return Work()


def _started_by(one: Java, others: list[Java]) -> Iterator[Java]:
    """The executions within one, by their times: inside a stream all have the batch as root."""
    ends = one.completionTime()
    if not ends.isDefined():
        return
    for each in others:
        if each.executionId() <= one.executionId() or not each.completionTime().isDefined():
            continue
        is_within = each.completionTime().get().getTime() <= ends.get().getTime()
        if is_within and each.rootExecutionId() == one.rootExecutionId():
            yield each


def _work_of(spark: "SparkSession", executions: list[Java]) -> Work:
    stages: set[int] = set()
    for each in executions:
        found = each.stages().toSeq()
        stages.update(int(found.apply(place)) for place in range(found.size()))
    work = read_stages(spark.sparkContext, stages)
    return work._replace(rows_read=0) if read_cached(spark.sparkContext, stages) else work


def count_read(execution: Java) -> dict[int, Count]:
    """The rows and bytes that the scans of an execution read, by the id of their first column."""
    found: dict[int, Count] = {}
    with suppress(Exception):
        for scan in _scans(_inside(execution.executedPlan())):
            output = scan.output()
            metrics = scan.metrics()
            rows = _metric(metrics, (("numOutputRows",),))
            if rows is None or not output.nonEmpty():
                continue
            size = _metric(metrics, (("filesSize",),))
            for place in range(output.size()):
                id = int(output.apply(place).exprId().id())
                found[id] = Count(rows, size)
    return found


def _scans(plan: Java) -> Iterator[Java]:
    """The leaves of an executed plan, through what Spark puts around its parts."""
    pending = [plan]
    while pending:
        node = _inside(pending.pop())
        children = node.children()
        below = [children.apply(place) for place in range(children.size())]
        if not below and _kind(node).endswith("QueryStageExec"):
            below = [node.plan()]
        if not below:
            yield node
        pending.extend(below)


def _inside(plan: Java) -> Java:
    """What was executed, without what Spark puts around it."""
    while (within := _AROUND.get(_kind(plan))) is not None:
        plan = getattr(plan, within)()
    return plan


def _kind(plan: Java) -> str:
    return str(plan.getClass().getSimpleName())


_AROUND = {
    "AdaptiveSparkPlanExec": "executedPlan",
    "BroadcastQueryStageExec": "plan",
    "CommandResultExec": "commandPhysicalPlan",
    "ResultQueryStageExec": "plan",
    "ReusedExchangeExec": "child",
    "ShuffleQueryStageExec": "plan",
    "TableCacheQueryStageExec": "plan",
}


def _metric(metrics: Java, names: tuple[tuple[str, ...], ...]) -> int | None:
    for together in names:
        found = [metrics.get(name) for name in together]
        if found[0].isDefined():
            return sum(int(each.get().value()) for each in found if each.isDefined())
    return None
