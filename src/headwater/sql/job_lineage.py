"""The column lineage of a job from its SQL and the datasets that it is known to use.

A table of the SQL is one of those datasets if its name ends like the dataset's. A table that is
none of them gives no lineage: it is a problem that names it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.model.column_map import Transformation
from headwater.model.naming import DatasetName
from headwater.sql.analysis import analyze
from headwater.sql.catalog import Catalog, CatalogColumn, CatalogTable
from headwater.sql.results import SourceColumn, Statement, TableWrite

Json = dict[str, Any]

# More would only repeat themselves.
_MAX_PROBLEMS = 20


class JobTable(NamedTuple):
    """A dataset of a job: the name that events use, all its names, and its columns."""

    dataset: DatasetName
    names: tuple[str, ...]
    columns: Mapping[str, str]


class DerivedLineage(NamedTuple):
    """The columnLineage facet of each output without `_producer`, and what was not understood.

    `unknown_tables` are those of the SQL that the job is not known to use.
    """

    columns: dict[DatasetName, Json]
    inputs: list[DatasetName]
    problems: list[str]
    unknown_tables: list[str]


def derive_job_lineage(
    text: str, dialect: str, inputs: Sequence[JobTable], outputs: Sequence[JobTable]
) -> DerivedLineage:
    """Derive the columns of a job's outputs; what cannot be derived is among the problems."""
    tables = _Tables((*inputs, *outputs))
    statements = analyze(text, dialect, tables.catalog())
    only = outputs[0].dataset if len(outputs) == 1 else None
    derived = _Derived(tables, only, {table.dataset for table in outputs})
    for statement in statements:
        derived.add(statement)
    return derived.lineage()


class _Tables:
    """The datasets of a job by the names that its SQL may use."""

    def __init__(self, tables: Iterable[JobTable]) -> None:
        self._tables = list({table.dataset: table for table in tables}.values())
        self._found: dict[str, JobTable | None] = {}

    def catalog(self) -> Catalog:
        return Catalog(
            CatalogTable(name, columns, table.dataset)
            for table in self._tables
            for columns in (tuple(CatalogColumn(*each) for each in table.columns.items()),)
            for name in dict.fromkeys(table.names)
        )

    def find(self, name: str) -> JobTable | None:
        """The only dataset whose name ends like a table's, or that a longer name ends with."""
        if name not in self._found:
            parts = _parts(name)
            found = [
                table
                for table in self._tables
                if any(_end_alike(parts, _parts(other)) for other in table.names)
            ]
            self._found[name] = found[0] if len(found) == 1 else None
        return self._found[name]


def _parts(name: str) -> list[str]:
    return [part.strip('`"[]').lower() for part in name.replace("/", ".").split(".")]


def _end_alike(one: list[str], other: list[str]) -> bool:
    length = min(len(one), len(other))
    return one[-length:] == other[-length:]


class _Derived:
    """What statements give, put together by the dataset that is written."""

    def __init__(
        self, tables: _Tables, only_output: DatasetName | None, outputs: set[DatasetName]
    ) -> None:
        self._tables = tables
        self._only_output = only_output
        self._outputs = outputs
        self._fields: dict[DatasetName, dict[str, dict[_Column, list[Json]]]] = {}
        self._rows: dict[DatasetName, dict[_Column, list[Json]]] = {}
        self._inputs: dict[DatasetName, None] = {}
        self._problems: dict[str, None] = {}
        self._unknown: dict[str, None] = {}

    def add(self, statement: Statement) -> None:
        for problem in statement.problems:
            self._problems[f"{problem.message} (line {problem.line})"] = None
        for write in statement.writes:
            self._add_write(write)

    def lineage(self) -> DerivedLineage:
        columns = {
            output: {
                "fields": {
                    name: {"inputFields": _input_fields(sources)}
                    for name, sources in fields.items()
                },
                **({"dataset": _input_fields(rows)} if (rows := self._rows.get(output)) else {}),
            }
            for output, fields in self._fields.items()
            if any(fields.values()) or self._rows.get(output)
        }
        problems = list(self._problems)[:_MAX_PROBLEMS]
        return DerivedLineage(columns, list(self._inputs), problems, list(self._unknown))

    def _add_write(self, write: TableWrite) -> None:
        output = self._output(write)
        if output is None:
            return
        fields = self._fields.setdefault(output.dataset, {})
        for column in write.columns:
            name = _as_known(column.name, output)
            self._add_sources(fields.setdefault(name, {}), column.sources)
        self._add_sources(self._rows.setdefault(output.dataset, {}), write.rows)

    def _output(self, write: TableWrite) -> JobTable | None:
        if write.table is None:
            # What a query returns is what its job writes, if that is one dataset.
            found = self._tables.find(self._only_output.name) if self._only_output else None
            if found is None:
                self._problems["a query returns columns, and the job writes several datasets"] = (
                    None
                )
            return found
        if write.table.is_temporary:
            return None
        found = self._tables.find(write.table.name)
        if found is None or found.dataset not in self._outputs:
            self._problems[f"'{write.table.name}' is not among the outputs of the job"] = None
            return None
        return found

    def _add_sources(
        self,
        found: "dict[_Column, list[Json]]",
        sources: Mapping[SourceColumn, Sequence[Transformation]],
    ) -> None:
        for source, ways in sources.items():
            if source.is_candidate:
                text = f"'{source.field}' may be a column of several tables"
                self._problems[text] = None
                continue
            table = self._tables.find(source.table)
            if table is None:
                self._unknown[source.table] = None
                continue
            if source.column == "*":
                self._problems[f"the columns of '{source.table}' are not known"] = None
                continue
            self._inputs[table.dataset] = None
            column = _Column(table.dataset, _as_known(source.field, table))
            known = found.setdefault(column, [])
            known += [shape for way in ways if (shape := _shape(way)) not in known]


class _Column(NamedTuple):
    dataset: DatasetName
    field: str


def _input_fields(sources: Mapping[_Column, Sequence[Json]]) -> list[Json]:
    return [
        {
            "namespace": column.dataset.namespace,
            "name": column.dataset.name,
            "field": column.field,
            "transformations": list(ways),
        }
        for column, ways in sources.items()
    ]


def _as_known(name: str, table: JobTable) -> str:
    """A column as the dataset's schema writes it: SQL mostly does not tell case."""
    if name in table.columns:
        return name
    lowered = name.lower()
    return next((known for known in table.columns if known.lower() == lowered), name)


def _shape(way: Transformation) -> Json:
    shape: Json = {"type": way.type, "subtype": way.subtype, "masking": bool(way.is_masking)}
    return shape | ({"description": way.description} if way.description else {})
