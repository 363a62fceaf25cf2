"""A provider that nobody knows: rows from a shelf, and onto it."""

from collections.abc import Iterator
from typing import Any


def make_provider() -> Any:
    """Its classes, which Spark's workers get as they are: they have no module of tests."""
    from pyspark.sql.datasource import (
        DataSource,
        DataSourceReader,
        DataSourceWriter,
        WriterCommitMessage,
    )

    class ShelfReader(DataSourceReader):
        def read(self, partition: Any) -> Iterator[tuple[int]]:
            yield (1,)

    class ShelfWriter(DataSourceWriter):
        def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
            for _ in iterator:
                pass
            return WriterCommitMessage()

    class Shelf(DataSource):
        @classmethod
        def name(cls) -> str:
            return "shelf"

        def schema(self) -> str:
            return "id int"

        def reader(self, schema: Any) -> DataSourceReader:
            return ShelfReader()

        def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
            return ShelfWriter()

    return Shelf
