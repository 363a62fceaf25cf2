"""What a program of the oracle is: what it reads, what it does, and the edges it must have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What goes into a column, as "price AGGREGATION, country CONDITIONAL".
Edges = Mapping[str, str]

# Gaps in the place of an input.
_NO_INPUTS = frozenset(("LocalRelation", "LogicalRDD", "Transpose"))


@dataclass(frozen=True)
class Scene:
    """What a program works with: its tables as frames and as views, and a folder of its own."""

    spark: "SparkSession"
    frames: Mapping[str, "DataFrame"]
    folder: Path

    def table(self, name: str) -> "DataFrame":
        return self.frames[name]


@dataclass(frozen=True)
class Program:
    """A program, and by hand what its lineage is.

    One with `sql` is that statement. `make` gives a frame, which is written as files. `write` does
    so by itself, into what it is given the name of, and `read` reads it again.
    """

    name: str
    columns: Edges
    rows: str = ""
    """What decides about all rows."""
    sql: str = ""
    tables: tuple[str, ...] = ("orders",)
    make: Callable[[Scene], "DataFrame"] | None = None
    write: Callable[[Scene, str], None] | None = None
    read: Callable[[Scene, str], "DataFrame"] | None = None
    is_stream: bool = False
    oldest: tuple[int, int] = (4, 0)
    """The oldest Spark that runs it."""
    is_delta: bool = False
    """Whether it needs a session whose catalog has Delta's tables."""
    is_executed: bool = True
    """Whether it is run; else its plan alone is read, as of functions that need another pyarrow."""
    varied: tuple[str, ...] = ()
    """The columns whose values are changed, where running it takes long; else all of them."""
    gaps: tuple[str, ...] = field(default=())
    """What the lineage reports that it does not understand."""

    @property
    def is_held_by_data(self) -> bool:
        """Whether its lineage is compared with what changes when an input does.

        Where an input is not recognised, edges from it are missing, and that is reported.
        """
        return self.is_executed and not _NO_INPUTS & set(self.gaps)

    def frame(self, scene: Scene) -> "DataFrame":
        return self.make(scene) if self.make is not None else scene.spark.sql(self.sql)
