"""A script as a design-time OpenLineage event: what it would read and write if it ran."""

from collections.abc import Callable, Sequence
from typing import Any

from headwater.model.naming import DatasetName
from headwater.sql.render.facets import column_lineage, schema_fields
from headwater.sql.results import SqlTable, Statement, TableWrite

Json = dict[str, Any]
Facet = Callable[..., Json]


def script_datasets(
    statements: Sequence[Statement],
    namespace: str,
    facet: Facet,
    find: Callable[[str], DatasetName | None] = lambda table: None,
    result: DatasetName | None = None,
) -> tuple[list[Json], list[Json]]:
    """The inputs and outputs of a script, with schema and columnLineage facets.

    A table whose definition names no dataset is what `find` gives, else it is in `namespace`.
    `facet(kind, **values)` builds a facet. Temporary tables are left out, as are those that are
    only declared. `result` is what plain queries go to; without it they write nothing.
    """
    datasets = {
        table.name: table.dataset
        for each in statements
        for table in (*each.inputs, *each.outputs)
        if table.dataset is not None
    }

    def name_of(table: str) -> DatasetName:
        return datasets.get(table) or find(table) or DatasetName(namespace, table)

    inputs: dict[str, SqlTable] = {}
    writes: dict[str, list[TableWrite]] = {}
    queries: list[TableWrite] = []
    for statement in statements:
        inputs.update({table.name: table for table in statement.inputs})
        for write in statement.writes:
            table = write.table
            if table is None and result is not None:
                queries.append(write)
            elif table is not None and not table.is_temporary and _moves_data(statement, write):
                writes.setdefault(table.name, []).append(write)
    read = [_dataset(name_of(name)) for name, table in inputs.items() if not table.is_temporary]
    written = [_output(name_of, name_of(name), some, facet) for name, some in writes.items()]
    if result is not None and queries and not written:
        written.append(_output(name_of, result, queries, facet))
    return read, written


def _moves_data(statement: Statement, write: TableWrite) -> bool:
    return bool(write.columns or write.rows or write.operation not in ("CREATE", "TRUNCATE"))


def _dataset(name: DatasetName) -> Json:
    return {"namespace": name.namespace, "name": name.name}


def _output(
    name_of: Callable[[str], DatasetName],
    dataset: DatasetName,
    writes: list[TableWrite],
    facet: Facet,
) -> Json:
    facets: Json = {}
    longest = max(writes, key=lambda write: len(write.columns))
    fields = schema_fields(longest.columns)
    if fields:
        facets["schema"] = facet("SchemaDatasetFacet", fields=fields)
    columns = column_lineage(writes, name_of)
    if columns["fields"] or columns.get("dataset"):
        facets["columnLineage"] = facet("ColumnLineageDatasetFacet", **columns)
    return {**_dataset(dataset), "facets": facets}
