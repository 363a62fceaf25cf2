"""Programs that are streams, over files that are there already."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tests.spark.oracle.program import Program, Scene

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CLICKS = ("clicks",)
_LATE = "0 seconds"


def _cleaned(scene: Scene) -> "DataFrame":
    frame = scene.table("clicks").filter("page <> 'end'")
    return frame.selectExpr("visitor", "struct(upper(page) AS page, moment) AS seen")


def _windowed(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import max, window

    frame = scene.table("clicks").withWatermark("moment", _LATE)
    grouped = frame.groupBy(window("moment", "10 minutes"), "visitor")
    return grouped.agg(max("page").alias("page")).select("window.start", "visitor", "page")


def _sessions(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import count, session_window

    frame = scene.table("clicks").withWatermark("moment", _LATE)
    grouped = frame.groupBy(session_window("moment", "5 minutes"), "visitor")
    return grouped.agg(count("*").alias("n"))


def _deduplicated(scene: Scene) -> "DataFrame":
    return scene.table("clicks").dropDuplicates(["visitor"]).select("visitor", "page")


def _joined(scene: Scene) -> "DataFrame":
    from pyspark.sql.functions import expr

    clicks = scene.table("clicks").withWatermark("moment", _LATE)
    return clicks.join(scene.table("customers"), expr("visitor = key")).select("page", "name")


def _of_expression(scene: Scene) -> "DataFrame":
    scene.table("clicks").createOrReplaceTempView("all_clicks")
    return scene.spark.sql("WITH e AS (SELECT * FROM all_clicks) SELECT visitor, page FROM e")


def _united(scene: Scene) -> "DataFrame":
    visitors = scene.table("clicks").selectExpr("visitor AS who")
    return visitors.union(scene.table("customers").selectExpr("key AS who"))


def _once_within_a_time(scene: Scene) -> "DataFrame":
    frame = scene.table("clicks").withWatermark("moment", _LATE)
    return frame.dropDuplicatesWithinWatermark(["visitor"]).select("visitor", "page")


def _in_pandas_with_state(scene: Scene) -> "DataFrame":
    def count(key: tuple[str], batches: Iterable[Any], state: Any) -> Iterator[Any]:
        yield from batches

    frame = scene.table("clicks").select("visitor", "page").groupBy("visitor")
    return frame.applyInPandasWithState(
        count, "who string, n long", "seen long", "append", "NoTimeout"
    )


def _with_state(scene: Scene) -> "DataFrame":
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor

    class Count(StatefulProcessor):
        def init(self, handle: Any) -> None:
            pass

        def handleInputRows(self, key: Any, rows: Any, timers: Any) -> Iterator[Any]:
            yield from rows

        def close(self) -> None:
            pass

    frame = scene.table("clicks").select("visitor", "page").groupBy("visitor")
    return frame.transformWithStateInPandas(
        Count(), "visitor string, page string", "append", "none"
    )


STREAMS = (
    Program(
        "a stream cleaned",
        {
            "visitor": "visitor IDENTITY",
            "seen.page": "page TRANSFORMATION",
            "seen.moment": "moment IDENTITY",
        },
        rows="page FILTER",
        make=_cleaned,
        tables=CLICKS,
        is_stream=True,
    ),
    Program(
        "a stream in windows of time",
        {
            "start": "moment TRANSFORMATION",
            "visitor": "visitor IDENTITY",
            "page": "page AGGREGATION",
        },
        rows="moment FILTER, moment GROUP_BY, visitor GROUP_BY",
        make=_windowed,
        tables=CLICKS,
        is_stream=True,
    ),
    Program(
        "a stream in sessions",
        {
            "session_window.start": "moment TRANSFORMATION",
            "session_window.end": "moment TRANSFORMATION",
            "visitor": "visitor IDENTITY",
            "n": "",
        },
        rows="moment FILTER, moment GROUP_BY, visitor GROUP_BY",
        make=_sessions,
        tables=CLICKS,
        is_stream=True,
    ),
    Program(
        "a stream without duplicates",
        {"visitor": "visitor IDENTITY", "page": "page IDENTITY"},
        rows="visitor GROUP_BY",
        make=_deduplicated,
        tables=CLICKS,
        is_stream=True,
    ),
    Program(
        "streams joined",
        {"page": "page IDENTITY", "name": "name IDENTITY"},
        rows="key JOIN, visitor JOIN",
        make=_joined,
        tables=("clicks", "customers"),
        is_stream=True,
    ),
    Program(
        "a stream by a common table expression",
        {"visitor": "visitor IDENTITY", "page": "page IDENTITY"},
        make=_of_expression,
        tables=CLICKS,
        varied=("visitor", "page"),
        is_stream=True,
    ),
    Program(
        "streams as one",
        {"who": "key IDENTITY, visitor IDENTITY"},
        make=_united,
        tables=("clicks", "customers"),
        varied=("visitor", "key"),
        is_stream=True,
    ),
    Program(
        "a stream without duplicates for a time",
        {"visitor": "visitor IDENTITY", "page": "page IDENTITY"},
        rows="visitor GROUP_BY",
        make=_once_within_a_time,
        tables=CLICKS,
        varied=("visitor", "page"),
        is_stream=True,
    ),
    Program(
        "applyInPandasWithState",
        {
            "who": "page TRANSFORMATION, visitor TRANSFORMATION",
            "n": "page TRANSFORMATION, visitor TRANSFORMATION",
        },
        rows="visitor GROUP_BY",
        make=_in_pandas_with_state,
        tables=CLICKS,
        is_stream=True,
        is_executed=False,
    ),
    Program(
        "transformWithStateInPandas",
        {
            "visitor": "page TRANSFORMATION, visitor TRANSFORMATION",
            "page": "page TRANSFORMATION, visitor TRANSFORMATION",
        },
        rows="visitor GROUP_BY",
        make=_with_state,
        tables=CLICKS,
        is_stream=True,
        is_executed=False,
    ),
)
