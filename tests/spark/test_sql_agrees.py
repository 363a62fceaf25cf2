"""Queries on a real Spark: `headwater.sql` says of them what `headwater.spark` observes."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from headwater.spark.columns.jvm import load_tree
from headwater.spark.columns.plan_reader import PlanReader
from headwater.spark.columns.sources import ColumnSource, PlanValue, path_text
from headwater.sql import SourceColumn, analyze
from headwater.sql.results import TableWrite
from testing.sql_golden import GoldenCase, read_catalog, read_golden

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.integration, pytest.mark.long]

TABLES = {
    "orders": "id int, name string, price decimal(10,2), at timestamp, note string, supplier int",
    "suppliers": "id int, name string, country string",
    "lines": "order_id int, sku string, count int, tags array<string>",
}
FILES: tuple[str, ...] = (
    "identity",
    "transformation",
    "aggregation",
    "masking",
    "join",
    "group_by",
    "filter",
)
FILES += ("sort", "window", "conditional", "subqueries", "ctes", "set_operations", "generators")
# Spark has no such function or statement, or runs it on no session of a test.
NOT_ON_SPARK = frozenset(
    (
        "a function that nobody knows",
        "one of the same name as the one before",
        "of nothing but itself",
        "recursive",
        "files as a table",
        "a range has no source",
    )
)
# Where the two differ, and why; SQL may yet learn some of it.
DIFFERENT: dict[str, str] = {
    "a case of one value": "Spark casts the branches to one type",
    "a pivot": "Spark groups by all columns that are left, also by those that are not selected",
    "an unpivot": "Spark leaves out rows without a value",
}

CASES = [
    case
    for case in read_golden()
    if case.file.removesuffix(".sql") in FILES
    and case.dialect == "spark"
    and case.title not in NOT_ON_SPARK
]


@pytest.fixture(scope="module")
def session(spark: "SparkSession") -> Iterator["SparkSession"]:
    for name, columns in TABLES.items():
        spark.createDataFrame([], columns).createOrReplaceTempView(name)
    yield spark
    for name in TABLES:
        spark.catalog.dropTempView(name)


def observed(session: "SparkSession", text: str) -> tuple[list[str], list[str]]:
    """What Spark's plan says of a query: its columns, and what decides about its rows."""
    frame = session.sql(text)
    plan: Any = frame._jdf.queryExecution().analyzed()
    reader = PlanReader()
    rows = reader.read(load_tree(plan))
    tables = [_table_of(leaf.expressions("output")) for leaf in reader.leaves]

    def name(source: ColumnSource) -> str:
        return f"{tables[source.leaf]}.{path_text(source.path)}"

    columns = [_shown(rows.names[id], value, name) for id, value in rows.columns.items()]
    return columns, sorted({f"{name(source)} {subtype}" for source, subtype in rows.deciding})


def _table_of(output: Iterable[Any]) -> str:
    names = {each.fields["name"] for each in output}
    for table, columns in TABLES.items():
        if names <= {column.strip().split()[0] for column in columns.split(", ")}:
            return table
    return "?"


def _shown(column: str, value: PlanValue, name: Any) -> str:
    direct = {
        f"{name(source)} {way.direct.name}{' masked' if way.is_masking else ''}"
        for source, way in value.whole.items()
    }
    indirect = {f"{name(source)} {subtype}" for source, subtype in value.all_indirect}
    return f"{column} = {', '.join(sorted(direct | indirect))}"


def derived(case: GoldenCase) -> tuple[list[str], list[str]]:
    """What `headwater.sql` says of it, in the same words."""
    (statement,) = analyze(case.sql, "spark", read_catalog(case.catalog))
    (write,) = statement.writes
    return [*_columns(write)], sorted(_ways(write.rows))


def _columns(write: TableWrite) -> Iterator[str]:
    for column in write.columns:
        yield f"{column.name} = {', '.join(sorted(_ways(column.sources)))}"


def _ways(sources: Any) -> set[str]:
    return {
        f"{_name(source)} {way.subtype}{' masked' if way.is_masking else ''}"
        for source, ways in sources.items()
        for way in ways
    }


def _name(source: SourceColumn) -> str:
    return f"{source.table}.{source.field}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}: {case.title}")
def test_both_agree(session: "SparkSession", case: GoldenCase) -> None:
    expected = observed(session, case.sql.rstrip(";"))
    if case.title in DIFFERENT:
        assert derived(case) != expected
        return
    assert derived(case) == expected


def test_there_are_enough() -> None:
    assert len(CASES) >= 100
    assert len(DIFFERENT) <= 0.03 * len(CASES)
