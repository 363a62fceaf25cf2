"""Every kind of plan node that Spark has: understood, or a gap with its name."""

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from headwater.spark.columns.operators import PASSING, READERS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.integration

# Leaves that are relations: each is named as a dataset, or is an input that is not recognised.
RELATIONS = {
    "CommandResult",
    "DataSourceV2Relation",
    "DataSourceV2ScanRelation",
    "ExternalRDD",
    "HiveTableRelation",
    "InMemoryRelation",
    "LogicalRDD",
    "LogicalRelation",
    "MemoryPlan",
    "StreamingDataSourceV2Relation",
    "StreamingDataSourceV2ScanRelation",
    "StreamingExecutionRelation",
    "StreamingRelation",
    "StreamingRelationV2",
    "Transpose",
}
# Reported as operators that are not known, if one is ever met: R, which nobody runs from Python.
GAPS = {
    "FlatMapGroupsInR",
    "FlatMapGroupsInRWithArrow",
    "MapPartitionsInR",
    "MapPartitionsInRWithArrow",
}
# Only before a plan is analysed.
BEFORE_ANALYSIS = {
    "Call",
    "DataFrameDropColumns",
    "DummyExpressionHolder",
    "ExecuteImmediateQuery",
    "InsertIntoDir",
    "InsertIntoStatement",
    "NameParameterizedQuery",
    "Pivot",
    "PlanWithUnresolvedIdentifier",
    "PosParameterizedQuery",
    "RelationTimeTravel",
    "SQLTableFunction",
    "TemporaryViewRelation",
    "Unpivot",
    "WriteToStreamStatement",
}
# Only after: in an optimised or physical plan.
AFTER_ANALYSIS = {
    "ArrowEvalPython",
    "ArrowEvalPythonUDTF",
    "BatchEvalPython",
    "BatchEvalPythonUDTF",
    "DomainJoin",
    "LogicalQueryStage",
    "OffsetHolder",
    "OrderedJoin",
    "ScanBuilderHolder",
    "WindowGroupLimit",
}
# The top of a plan that writes; `targets` knows what it writes to, or it is a gap.
WRITES = {
    "CreateTable",
    "WriteToContinuousDataSource",
    "WriteToDataSourceV2",
    "WriteToMicroBatchDataSource",
    "WriteToMicroBatchDataSourceV1",
    "WriteToStream",
}
# Read in a way of its own, as it refers to itself.
LOOPS = {"UnionLoop"}
PARTS = ("catalyst/plans/logical/", "catalyst/analysis/", "catalyst/catalog/", "sql/execution/",
         "catalyst/streaming/", "catalyst/optimizer/", "catalyst/expressions/")  # fmt: skip


def _nodes(spark: "SparkSession") -> set[str]:
    """The names of all nodes of plans, but for those of commands and of what is unresolved."""
    import pyspark

    jvm: Any = spark._jvm
    java: Any = jvm.java.lang.Class
    logical = "org.apache.spark.sql.catalyst.plans.logical"
    plan, command = (java.forName(f"{logical}.{name}") for name in ("LogicalPlan", "Command"))
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    found = set()
    for jar in sorted((Path(pyspark.__file__).parent / "jars").glob("spark-*.jar")):
        if not jar.name.startswith(("spark-catalyst", "spark-sql_")):
            continue
        for name in zipfile.ZipFile(jar).namelist():
            short = name.rpartition("/")[2].removesuffix(".class")
            if "$" in short or not any(part in name for part in PARTS) or not _may_be_plan(name):
                continue
            known = java.forName(name.removesuffix(".class").replace("/", "."), False, loader)
            is_made = not jvm.java.lang.reflect.Modifier.isAbstract(known.getModifiers())
            if is_made and plan.isAssignableFrom(known) and not command.isAssignableFrom(known):
                found.add(short)
    return found


def _may_be_plan(name: str) -> bool:
    """Not the thousands of expressions and physical operators, which take long to load."""
    short = name.rpartition("/")[2]
    if not short.endswith(".class") or short.endswith(("Exec.class", "Command.class")):
        return False
    return "/expressions/" not in name or short == "PipeOperator.class"


def test_every_node_is_decided_about(spark: "SparkSession") -> None:
    """A node that a new version of Spark has is looked at by somebody."""
    decided = [{*READERS}, {*PASSING}, RELATIONS, GAPS, BEFORE_ANALYSIS, AFTER_ANALYSIS, WRITES]
    known = set[str]().union(*decided, LOOPS)
    nodes = {name for name in _nodes(spark) if not name.startswith(("Resolved", "Unresolved"))}
    scripts = {name for name in nodes if name.endswith(("Statement", "Body"))}
    odd = {"ErrorCondition", "ExceptionHandler", "MultiResult"}
    assert nodes - known - scripts - odd == set()
    assert not {*READERS} & GAPS
