"""Runs programs: with the rows as they are, and with one value changed."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from testing.wait import wait_until
from tests.spark.observed import ObservedEvents
from tests.spark.oracle.program import Program, Scene
from tests.spark.oracle.tables import TABLES, Change, Row, changes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

Json = dict[str, Any]
# By column of the output, its values, each with how often it is there.
Values = dict[str, Counter[str]]


class Runner:
    """Runs the programs in one session, whose lineage is observed."""

    def __init__(self, spark: "SparkSession", observed: ObservedEvents, folder: Path) -> None:
        self.spark = spark
        self._observed = observed
        self._folder = folder

    def lineage(self, program: Program) -> tuple[Json, list[Json]]:
        """What was reported of a program: the dataset that it wrote, and gaps."""
        target = f"t{uuid4().hex[:10]}"
        if program.is_stream:
            query = self._start(program, target, None)
            if program.is_executed:
                query.awaitTermination()
        else:
            with self._scene(program, None, of_files=True) as scene:
                self._write(program, scene, target)
        found: list[tuple[Json, Json]] = []
        kind = "COMPLETE" if program.is_executed else "START"

        def is_reported() -> bool:
            found[:] = [
                (output, event)
                for event in self._observed.events
                for output in event["outputs"]
                if target in output["name"] and event["eventType"] == kind
                # Not of the rows that were there before, which are the program's own.
                if event["inputs"] or "headwater_gaps" in event["run"]["facets"]
            ]
            return bool(found)

        wait_until(is_reported, lambda: f"no event of {program.name}")
        written, event = found[-1]
        gaps: Json = event["run"]["facets"].get("headwater_gaps", {})
        return written, gaps.get("gaps", [])

    def values(self, program: Program) -> Values:
        """What a program gives for the rows as they are."""
        return self._values(program, None)

    def changed(self, program: Program) -> Iterator[tuple[Change, Values]]:
        """What a program gives when one value that it reads is another, for each column."""
        every = [
            change
            for table in program.tables
            for change in changes(table)
            if not program.varied or change.column in program.varied
        ]
        if not program.is_stream:
            for change in every:
                yield change, self._values(program, change)
            return
        # Side by side: most of the time of a stream is waiting.
        targets = [f"t{uuid4().hex[:10]}" for _ in every]
        started = [
            self._start(program, target, change)
            for target, change in zip(targets, every, strict=True)
        ]
        for target, change, query in zip(targets, every, started, strict=True):
            query.awaitTermination()
            yield change, self._read_files(target)

    def _values(self, program: Program, change: Change | None) -> Values:
        if program.is_stream:
            target = f"t{uuid4().hex[:10]}"
            self._start(program, target, change).awaitTermination()
            return self._read_files(target)
        with self._scene(program, change, of_files=False) as scene:
            if program.write is None:
                return values_of(program.frame(scene))
            target = f"v{uuid4().hex[:10]}"
            program.write(scene, target)
            assert program.read is not None
            return values_of(program.read(scene, target))

    def _read_files(self, target: str) -> Values:
        return values_of(self.spark.read.parquet(str(self._folder / target)))

    def _write(self, program: Program, scene: Scene, target: str) -> None:
        if program.write is not None:
            program.write(scene, target)
        else:
            program.frame(scene).write.parquet(str(self._folder / target))

    def _start(self, program: Program, target: str, change: Change | None) -> "StreamingQuery":
        frames = {
            name: self.spark.readStream.schema(TABLES[name].schema).json(
                self._write_input(name, _rows(name, change))
            )
            for name in program.tables
        }
        assert program.make is not None
        frame = program.make(Scene(self.spark, frames, self._folder))
        writer = frame.writeStream.queryName(target).format("parquet").trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(self._folder / f"checkpoint {target}"))
        return writer.start(str(self._folder / target))

    def _write_input(self, name: str, rows: Sequence[Row]) -> str:
        folder = self._folder / uuid4().hex[:10] / name
        folder.mkdir(parents=True)
        (folder / "1.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        return str(folder)

    @contextmanager
    def _scene(self, program: Program, change: Change | None, of_files: bool) -> Iterator[Scene]:
        frames: dict[str, DataFrame] = {}
        for name in program.tables:
            rows = _rows(name, change)
            frames[name] = self._from_files(name, rows) if of_files else self._inline(name, rows)
            frames[name].createOrReplaceTempView(name)
        yield Scene(self.spark, frames, self._folder)
        for name in program.tables:
            with suppress(Exception):
                self.spark.catalog.dropTempView(name)

    def _from_files(self, name: str, rows: Sequence[Row]) -> "DataFrame":
        reader = self.spark.read.schema(TABLES[name].schema)
        return reader.json(self._write_input(name, rows))

    def _inline(self, name: str, rows: Sequence[Row]) -> "DataFrame":
        """Rows in the plan itself, which is quicker than files."""
        from pyspark.sql.functions import expr, from_json, lit

        parsed = from_json(lit(json.dumps(rows)), f"array<struct<{_fields(TABLES[name].schema)}>>")
        one = self.spark.range(1, numPartitions=1).select(parsed.alias("rows"))
        return one.select(expr("inline(rows)"))


def _fields(schema: str) -> str:
    """The columns of a table as the fields of a structure."""
    from pyspark.sql.types import StructType

    return StructType.fromDDL(schema).simpleString().removeprefix("struct<").removesuffix(">")


def _rows(name: str, change: Change | None) -> list[Row]:
    return change.rows if change is not None and change.table == name else TABLES[name].rows


def values_of(frame: "DataFrame") -> Values:
    """The values of every column, and of the parts of those that have parts."""
    found: Values = {}
    for row in frame.collect():
        for name, value in row.asDict(recursive=True).items():
            _add(name, value, found, frame.schema[name].dataType)
    return found


def _add(path: str, value: Any, found: Values, kind: Any) -> None:
    parts = kind.typeName()
    if parts == "struct" and value is not None:
        for field in kind.fields:
            _add(f"{path}.{field.name}", value[field.name], found, field.dataType)
    elif parts == "array" and value is not None and _has_parts(kind.elementType):
        for each in value:
            _add(f"{path}[]", each, found, kind.elementType)
    elif parts == "map" and value is not None:
        for key, each in value.items():
            _count(f"{path}.key", key, found)
            _add(f"{path}.value", each, found, kind.valueType)
    else:
        _count(path, value, found)


def _has_parts(kind: Any) -> bool:
    return kind.typeName() in ("array", "map", "struct")


def _count(path: str, value: Any, found: Values) -> None:
    found.setdefault(path, Counter())[repr(value)] += 1
