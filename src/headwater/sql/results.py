"""What is known of SQL statements: tables and columns in and out, and what is not understood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from headwater.model.column_map import Transformation
from headwater.model.naming import DatasetName


class SourceColumn(NamedTuple):
    """A column of a table that a statement reads, or a field inside it; `*` is all of a table.

    A candidate is one of several tables that an unqualified name may belong to.
    """

    table: str
    column: str
    path: tuple[str, ...] = ()
    is_candidate: bool = False

    @property
    def field(self) -> str:
        """As the columnLineage facet names it."""
        return ".".join((self.column, *self.path))


class TextPosition(NamedTuple):
    """A place in a text, from 1; `offset` counts characters, from 0."""

    line: int = 1
    column: int = 1
    offset: int = 0


class Problem(NamedTuple):
    """Something that was not understood. The kinds are in `docs/sql.md`."""

    kind: str
    message: str
    line: int
    column: int


class SqlTable(NamedTuple):
    """A table as a statement names it, and the dataset it is where its definition says so."""

    name: str
    dataset: DatasetName | None = None
    is_temporary: bool = False


@dataclass(frozen=True)
class WrittenColumn:
    """A column that a statement writes or returns, and what it comes from."""

    name: str
    sources: Mapping[SourceColumn, Sequence[Transformation]] = field(default_factory=dict)
    type: str | None = None

    @property
    def inputs(self) -> list[SourceColumn]:
        """The columns its value is made of, without candidates."""
        return [
            source
            for source, ways in self.sources.items()
            if not source.is_candidate and any(not way.is_indirect for way in ways)
        ]


@dataclass(frozen=True)
class TableWrite:
    """What a statement writes to one table, or returns where there is no table."""

    table: SqlTable | None
    columns: Sequence[WrittenColumn] = ()
    rows: Mapping[SourceColumn, Sequence[Transformation]] = field(default_factory=dict)
    """What decides about whole rows: JOIN, GROUP_BY, FILTER, SORT."""
    operation: str = ""
    """What is done to the table: CREATE, INSERT, OVERWRITE, MERGE, UPDATE, DELETE, TRUNCATE ..."""


@dataclass(frozen=True)
class Statement:
    """One statement of a script."""

    kind: str
    """Its first words, as `INSERT` or `CREATE VIEW`."""
    position: TextPosition
    end: TextPosition
    inputs: Sequence[SqlTable] = ()
    writes: Sequence[TableWrite] = ()
    problems: Sequence[Problem] = ()
    templates: Sequence[str] = ()

    @property
    def outputs(self) -> list[SqlTable]:
        """The tables it writes."""
        tables = [write.table for write in self.writes if write.table is not None]
        return list(dict.fromkeys(tables))

    def dataset_of(self, table: str) -> DatasetName | None:
        """The physical dataset of a table, where its definition says so."""
        for each in (*self.inputs, *self.outputs):
            if each.name == table:
                return each.dataset
        return None
