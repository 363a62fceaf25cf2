"""Lineage held by data: whatever changes in an output has an edge from what was changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from headwater.emit.sender import Sender
from headwater.spark.listener import LineageListener
from testing.services import delta
from tests.spark.observed import ObservedEvents
from tests.spark.oracle.program import Program
from tests.spark.oracle.programs import PROGRAMS
from tests.spark.oracle.runs import Runner, Values

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.integration,
    # PySpark leaves the socket over which it fetched rows to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

Json = dict[str, Any]
BY_NAME = {program.name: program for program in PROGRAMS}


@pytest.fixture(scope="module")
def runner(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with _listen(spark) as observed:
        spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.oracle")
        yield Runner(spark, observed, tmp_path_factory.mktemp("oracle"))


@pytest.fixture(scope="module")
def delta_runner(
    spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Runner]:
    session = delta.new_session(spark)
    with _listen(session) as observed:
        yield Runner(session, observed, tmp_path_factory.mktemp("delta"))


@contextmanager
def _listen(session: "SparkSession") -> Iterator[ObservedEvents]:
    observed = ObservedEvents()
    listener = LineageListener(session, Sender(observed.post), "oracle", batch=True)
    yield observed
    listener.close()


@pytest.mark.parametrize("name", [name for name, each in BY_NAME.items() if not each.is_delta])
def test_programs(runner: Runner, name: str) -> None:
    check_program(runner, BY_NAME[name])


@pytest.mark.parametrize("name", [name for name, each in BY_NAME.items() if each.is_delta])
def test_programs_of_delta(delta_runner: Runner, name: str) -> None:
    check_program(delta_runner, BY_NAME[name])


def check_program(runner: Runner, program: Program) -> None:
    written, gaps = runner.lineage(program)
    facet = written["facets"]["columnLineage"]
    columns = {column: listed(each["inputFields"]) for column, each in facet["fields"].items()}
    assert columns == dict(program.columns)
    assert listed(facet.get("dataset", [])) == program.rows
    assert sorted({gap["name"] for gap in gaps}) == sorted(program.gaps)
    if not program.is_held_by_data:
        return
    before = runner.values(program)
    assert before, "the program gives no rows"
    has_changed = False
    for change, after in runner.changed(program):
        for column in _changed(before, after):
            has_changed = True
            sources = _sources(facet, column)
            assert any(_are_related(source, change.column) for source in sources), (
                f"{column} changes with {change.table}.{change.column}, without an edge from it"
            )
    assert has_changed or not any(program.columns.values())


def listed(inputs: list[Json]) -> str:
    return ", ".join(
        sorted(
            f"{each['field']} {way['subtype']}{' masked' if way['masking'] else ''}"
            for each in inputs
            for way in each["transformations"]
        )
    )


def _changed(before: Values, after: Values) -> list[str]:
    return [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]


def _sources(facet: Json, column: str) -> set[str]:
    """The fields that a column, or a part of it, has edges from, or that all rows have."""
    named = [each["field"] for each in facet.get("dataset", [])]
    for name, each in facet["fields"].items():
        if _are_related(name, column):
            named += [source["field"] for source in each["inputFields"]]
    return set(named)


def _are_related(one: str, other: str) -> bool:
    """Whether paths are the same, or one is of a part of the other."""
    return one == other or _is_within(one, other) or _is_within(other, one)


def _is_within(inner: str, outer: str) -> bool:
    return inner.startswith((f"{outer}.", f"{outer}[]"))
