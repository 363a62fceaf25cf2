"""Files that grow as a Spark stream: its rows say what to read, and tasks read it.

Spark's own source of files looks at a path once, so that lines added later would be missed.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import LongType, StringType, StructField, StructType

from headwater.listing import check_place
from headwater.pipeline.feeds.byte_ranges import ByteRange, to_tasks
from headwater.pipeline.feeds.files import (
    MAX_BYTES,
    SETTLE_SECONDS,
    Offset,
    Planner,
    from_json,
    plan_batch,
    to_json,
)

NAME = "headwater_files"
SCHEMA = StructType(
    [
        StructField("path", StringType(), nullable=False),
        StructField("start", LongType(), nullable=False),
        StructField("end", LongType(), nullable=False),
    ]
)


def read_files(
    spark: SparkSession,
    place: str,
    *,
    begin: Offset | None = None,
    is_once: bool = False,
    max_bytes: int = MAX_BYTES,
    settle_seconds: float = SETTLE_SECONDS,
) -> DataFrame:
    """A stream of byte ranges for `read_byte_range`, one partition a task, from `begin` on.

    With `is_once` it ends, but Spark does not know: wait by `query.processAllAvailable()`, then
    stop. Spark's own trigger for that, availableNow, would stop after one batch.
    """
    check_place(place)
    spark.dataSource.register(FilesSource)
    # Other processes of Spark may run elsewhere.
    reader = spark.readStream.format(NAME).option("path", str(Path(place).absolute()))
    reader = reader.option("begin", json.dumps(to_json(begin or {})))
    reader = reader.option("once", is_once).option("max_bytes", max_bytes)
    return reader.option("settle_seconds", settle_seconds).load()


class FilesSource(DataSource):
    """The source as Spark makes it from options: path, begin, once, max_bytes, settle_seconds."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        return SCHEMA

    def streamReader(self, schema: StructType) -> "FilesReader":
        return FilesReader(
            Planner(
                self.options["path"],
                int(self.options.get("max_bytes", MAX_BYTES)),
                float(self.options.get("settle_seconds", SETTLE_SECONDS)),
                self.options.get("once", "false").lower() == "true",
            ),
            from_json(json.loads(self.options.get("begin", '{"files": {}}'))),
        )


class TaskPartition(InputPartition):
    def __init__(self, byte_ranges: Sequence[ByteRange]) -> None:
        super().__init__([tuple(byte_range) for byte_range in byte_ranges])


class FilesReader(DataSourceStreamReader):
    """Plans in one process beside the driver; reads in the tasks, from their partition alone."""

    def __init__(self, planner: Planner, begin: Offset) -> None:
        self._planner = planner
        self._begin = begin
        self._last = begin

    def initialOffset(self) -> dict[str, Any]:
        return to_json(self._begin)

    def latestOffset(self) -> dict[str, Any]:
        self._last = self._planner.plan(self._last)
        return to_json(self._last)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        # After a restart this is the only word of where the stream stands: Spark asks for the
        # partitions of the last offset it has, if only from there to there.
        self._last = from_json(end)
        planned = plan_batch(from_json(start), self._last)
        return [TaskPartition(task) for task in to_tasks(planned)]

    def read(self, partition: InputPartition) -> Iterator[tuple[str, int, int]]:
        yield from partition.value
