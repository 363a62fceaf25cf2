"""The state of a script: where names are looked up, and what its statements have defined."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from headwater.model.naming import DatasetName
from headwater.model.values.derivation import AS_IT_IS, combine
from headwater.sql.catalog import Catalog, CatalogColumn
from headwater.sql.connectors import describe_catalog_table
from headwater.sql.results import Problem, SourceColumn, SqlTable
from headwater.sql.rows import Derived, QueryRows, RowColumn
from headwater.sql.text.templates import Templates

# Dialects in which USE of one name means a catalog (a database, in their words), not a schema.
_USE_CATALOG = frozenset(("snowflake", "tsql", "fabric", "redshift"))
# One row that is there to be selected from, and no table of anybody's.
_NO_TABLES = {"oracle": "dual", "mysql": "dual", "redshift": "dual", "databricks": "dual"}


class TooLong(Exception):
    """The time for a script is used up."""


@dataclass(frozen=True)
class Definition:
    """What a script says of a table: its columns, the dataset it is, the rows of a view."""

    name: str
    columns: tuple[CatalogColumn, ...] | None = None
    dataset: DatasetName | None = None
    view: QueryRows | None = None
    """The rows of a temporary view or table, which is no dataset: reading it is reading these."""
    is_temporary: bool = False
    reads: tuple[SqlTable, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    rows: QueryRows | None = None
    """Its columns, where some are computed when it is read."""
    unwritten: frozenset[str] = frozenset()
    """Columns that INSERT leaves out, in lower case: computed ones, and those only read."""


@dataclass
class Session:
    """State while the statements of one script are resolved, one after another."""

    dialect: Dialect
    catalog: Catalog
    kafka: str = ""
    """The cluster of a dialect whose statements do not name theirs."""
    deadline: float = float("inf")
    current_catalog: str = ""
    current_schema: str = ""
    """As USE sets them."""
    defined: dict[str, Definition] = field(default_factory=dict)
    dropped: set[str] = field(default_factory=set)
    inputs: dict[str, SqlTable] = field(default_factory=dict)
    """Of the statement at hand, by name in lower case."""
    problems: dict[Problem, None] = field(default_factory=dict)
    start: tuple[int, int] = (1, 1)
    templates: Templates | None = None
    models: dict[str, tuple[CatalogColumn, ...]] = field(default_factory=dict)
    """What each model that the script has created predicts, by its name in lower case."""
    catalogs: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """The options of each catalog that the script has created, by its name in lower case."""
    variables: set[str] = field(default_factory=set)
    """What DECLARE has given a value, in lower case."""
    _home: str | None = None

    def begin(self, line: int, column: int) -> None:
        """Begin a statement."""
        self.inputs, self.problems, self.start = {}, {}, (line, column)
        self._home = None

    def check_time(self) -> None:
        if time.monotonic() > self.deadline:
            raise TooLong

    def report(self, kind: str, message: str, node: exp.Expr | None = None) -> None:
        """Note a problem at a node's place, or at the start of the statement."""
        line, column = position(node) or self.start
        self.problems[Problem(kind, message, line, column)] = None

    def full_name(self, parts: Sequence[str]) -> str:
        """A table's name within the current catalog and schema."""
        if "." in parts[-1] or "/" in parts[-1] or parts[-1][:1] == "@":
            # Quoted as a whole, a path, a stage, or a variable.
            return ".".join(parts)
        if len(parts) == 1 and self.current_schema:
            parts = (self.current_schema, *parts)
        if len(parts) <= 2 and self.current_catalog:
            parts = (self.current_catalog, *parts)
        return ".".join(parts)

    def use(self, parts: Sequence[str], kind: str = "") -> None:
        """Follow USE: one name is a schema where a dialect has no catalogs, else a catalog."""
        if len(parts) > 1:
            self.current_catalog, self.current_schema = parts[-2], parts[-1]
            return
        is_catalog = type(self.dialect).__name__.lower() in _USE_CATALOG or kind == "CATALOG"
        if kind != "SCHEMA" and is_catalog:
            self.current_catalog, self.current_schema = parts[0], ""
        else:
            self.current_schema = parts[0]

    def define(self, definition: Definition) -> None:
        self.defined[definition.name.lower()] = definition
        self.dropped.discard(definition.name.lower())

    def drop(self, name: str) -> None:
        self.defined.pop(name.lower(), None)
        self.dropped.add(name.lower())

    def definition(self, parts: Sequence[str]) -> Definition | None:
        """What the script says of a table, by its full name or as it was written."""
        found = self.defined.get(self.full_name(parts).lower())
        return found or self.defined.get(".".join(parts).lower())

    def table_name(self, parts: Sequence[str]) -> str:
        """The name of a table that is written: the catalog's, the script's, or as it stands."""
        definition = self.definition(parts)
        if definition is not None:
            return definition.name
        name = self.full_name(parts)
        listed = self.catalog.find(name)
        if listed is not None:
            return listed.name
        if len(parts) == 1 and self._home and not (self.current_catalog or self.current_schema):
            return f"{self._home}.{name}"
        return name

    def columns_of(self, parts: Sequence[str]) -> tuple[CatalogColumn, ...] | None:
        """The columns of a table, if the script or the catalog lists them."""
        definition = self.definition(parts)
        if definition is not None and definition.columns is not None:
            return definition.columns
        listed = self.catalog.find(self.full_name(parts))
        return listed.columns if listed is not None and listed.columns else None

    def written_columns_of(self, parts: Sequence[str]) -> list[CatalogColumn] | None:
        """The columns that INSERT fills by position."""
        columns = self.columns_of(parts)
        definition = self.definition(parts)
        unwritten = definition.unwritten if definition is not None else frozenset()
        if columns is None:
            return None
        return [each for each in columns if each.name.lower() not in unwritten]

    def table(self, parts: Sequence[str]) -> SqlTable:
        """A table with the dataset that its definition or the catalog names."""
        name = self.table_name(parts)
        definition = self.definition(parts)
        if definition is not None:
            return SqlTable(name, definition.dataset, definition.is_temporary)
        listed = self.catalog.find(self.full_name(parts))
        dataset = listed.dataset if listed is not None else self.dataset_in_catalog(parts)
        return SqlTable(name, dataset)

    def dataset_in_catalog(self, parts: Sequence[str]) -> DatasetName | None:
        """The dataset of a table in a catalog that the script has created."""
        names = self.full_name(parts).split(".")
        options = self.catalogs.get(names[0].lower())
        if options is None or len(names) != 3:
            return None
        found = describe_catalog_table(options, names[1], names[2]).names
        return found[0] if len(found) == 1 else None

    def fill(self, parts: Sequence[str], rows: QueryRows) -> None:
        """Note what a statement puts into a temporary table, beside what was in it before."""
        definition = self.definition(parts)
        if definition is None or not definition.is_temporary:
            return
        types = {each.name.lower(): each.type for each in definition.columns or ()}
        columns = [c._replace(type=types.get(c.name.lower()) or c.type) for c in rows.columns]
        rows = QueryRows(columns, rows.deciding, rows.open_tables)
        if definition.view is not None:
            rows = filled(definition.view, rows)
        reads = {each.name.lower(): each for each in (*definition.reads, *self.inputs.values())}
        self.define(replace(definition, view=rows, reads=tuple(reads.values())))

    def read_table(self, parts: Sequence[str]) -> QueryRows:
        """The rows of a table that is read, which becomes an input of the statement."""
        definition = self.definition(parts)
        if definition is not None and definition.view is not None:
            for each in definition.reads:
                self.inputs.setdefault(each.name.lower(), each)
            return definition.view
        columns = self.columns_of(parts)
        if columns is None and _NO_TABLES.get(type(self.dialect).__name__.lower()) == _lower(parts):
            return QueryRows()
        table = self.table(parts)
        table = self.inputs.setdefault(table.name.lower(), table)
        self._note_home(parts, table.name)
        if definition is not None and definition.rows is not None:
            return definition.rows
        if columns is None:
            return QueryRows((), frozenset(), (table.name,))
        return table_rows(table.name, columns)

    def _note_home(self, parts: Sequence[str], name: str) -> None:
        """Where the catalog has an unqualified table: others without a schema are there too."""
        schema = name.rpartition(".")[0]
        is_path = "." in parts[-1] or "/" in parts[-1]
        if (
            len(parts) == 1
            and not is_path
            and schema
            and not (self.current_catalog or self.current_schema)
        ):
            self._home = schema if self._home in (None, schema) else ""


def _lower(parts: Sequence[str]) -> str:
    return ".".join(parts).lower()


def filled(before: QueryRows, added: QueryRows) -> QueryRows:
    """The rows of a table after more were put into it: each column may be of either."""
    names = dict.fromkeys(each.name for each in (*before.columns, *added.columns))
    columns = []
    for name in names:
        found = [each for rows in (before, added) if (each := rows.find(name)) is not None]
        columns.append(RowColumn(name, combine([each.value for each in found]), found[0].type))
    tables = dict.fromkeys((*before.open_tables, *added.open_tables))
    return QueryRows(columns, before.deciding | added.deciding, tuple(tables))


def table_rows(name: str, columns: Sequence[CatalogColumn]) -> QueryRows:
    """The columns of a table, each where all else comes from."""
    rows = []
    for column in columns:
        source = SourceColumn(name, column.name)
        value = Derived({source: AS_IT_IS}, origin=source)
        rows.append(RowColumn(column.name, value, column.type))
    return QueryRows(rows, listed_table=name)


def position(node: exp.Expr | None) -> tuple[int, int] | None:
    """Where a node begins, if one of its first names has a place."""
    if node is None:
        return None
    for each in node.walk():
        meta = each._meta
        if meta and "line" in meta:
            start = meta["col"] - (meta["end"] - meta["start"])
            return meta["line"], max(start, 1)
    return None
