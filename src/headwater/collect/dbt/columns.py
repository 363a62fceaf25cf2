"""The columns of a project's tables and where they come from, by the SQL that dbt compiled."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from headwater.collect.dbt.artifacts import (
    CatalogRelation,
    ManifestColumn,
    ManifestNode,
    ProjectCatalog,
)
from headwater.collect.dbt.tables import ProjectTable, ProjectTables
from headwater.emit.gaps import GapEntry
from headwater.model.naming import DatasetName
from headwater.sql import Catalog, CatalogColumn, CatalogTable, SqlLimits, analyze
from headwater.sql.render.facets import column_lineage
from headwater.sql.results import SourceColumn, Statement, TableWrite, WrittenColumn

Json = dict[str, Any]

# One model that takes longer than this is not worth the others' waiting.
_LIMITS = SqlLimits(seconds=20, suggestions=0)
_NOT_COMPILED = (
    "It was not compiled: its columns are followed once `dbt compile` or `dbt build` ran."
)
_PYTHON = "It is a model in Python, whose columns cannot be followed."
_SNAPSHOT_COLUMNS = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")
_CHANGES_DATA = ("insert", "create", "merge", "update", "delete", "copy", "truncate", "drop")


class KnownColumn(NamedTuple):
    name: str
    type: str | None = None


class TableLineage(NamedTuple):
    """What is known of a table: its columns, what they are made of, and what else it reads."""

    columns: Sequence[KnownColumn] = ()
    is_complete: bool = False
    """Whether these are all columns of the table."""
    lineage: Json | None = None
    """The content of the columnLineage facet."""
    further: Sequence[DatasetName] = ()
    """Tables in the SQL that dbt does not know."""
    gaps: Sequence[GapEntry] = ()


class ProjectColumns:
    """Derives one table after the other, each with the columns of those that it reads."""

    def __init__(
        self,
        tables: ProjectTables,
        catalog: ProjectCatalog | None,
        headers: Mapping[str, Sequence[str]],
        is_fresh: bool,
    ) -> None:
        self._tables = tables
        self._catalog = catalog
        self._headers = headers
        self._is_fresh = is_fresh
        self._known = Catalog()
        self.by_id: dict[str, TableLineage] = {}
        for table in tables.in_order():
            found = self._derive(table)
            self.by_id[table.node.unique_id] = found
            listed = found.columns if found.is_complete else ()
            columns = tuple(CatalogColumn(*each) for each in listed)
            self._known.add(CatalogTable(table.parts.name, columns, table.dataset))

    def of_query(self, sql: str, table: ProjectTable) -> tuple[Json, list[GapEntry]]:
        """The lineage of a query about tables of the project, as one of a semantic model is."""
        return _QueryReader(self._tables, self._known, table, writes=False).read(sql)

    def _derive(self, table: ProjectTable) -> TableLineage:
        node = table.node
        listed = self._listed(node)
        if node.resource_type in ("source", "seed"):
            return self._undelivered(node, listed)
        gaps = list(_hook_gaps(node))
        if not node.code or node.language == "python":
            gap = GapEntry("operator", node.name, _PYTHON)
            if node.language != "python":
                gap = GapEntry("expression", node.name, _NOT_COMPILED)
            return self._undelivered(node, listed)._replace(gaps=[*gaps, gap])
        return self._of_sql(table, listed, gaps)

    def _of_sql(
        self, table: ProjectTable, listed: CatalogRelation | None, gaps: list[GapEntry]
    ) -> TableLineage:
        node = table.node
        reader = _QueryReader(self._tables, self._known, table, _column_names(node, listed))
        lineage, found = reader.read(node.code)
        written = [KnownColumn(each.name, each.type) for each in reader.columns]
        if node.resource_type == "snapshot" and written:
            known = {each.name for each in written}
            written += [KnownColumn(name) for name in _meta_columns(node) if name not in known]
        known_by_dbt = {each.dataset for each in self._tables.read_by(node.parents)}
        further = [each for each in reader.inputs if each not in known_by_dbt]
        columns = _described(written, node, listed)
        if listed is not None and (self._is_fresh or not reader.is_complete):
            columns = _in_catalog(listed, node)
        is_complete = reader.is_complete or listed is not None
        return TableLineage(columns, is_complete, lineage or None, further, [*gaps, *found])

    def _undelivered(self, node: ManifestNode, listed: CatalogRelation | None) -> TableLineage:
        """What is known of a table without its SQL."""
        if listed is not None:
            return TableLineage(_in_catalog(listed, node), True)
        stated = [KnownColumn(c.name, c.data_type) for c in (node.columns or {}).values()]
        if header := self._headers.get(node.unique_id):
            types = (node.config or {}).get("column_types") or {}
            of_file = [KnownColumn(name, types.get(name)) for name in header]
            return TableLineage(_described(of_file, node, None), True)
        contract = (node.config or {}).get("contract")
        is_enforced = isinstance(contract, dict) and contract.get("enforced") is True
        return TableLineage(stated, is_enforced)

    def _listed(self, node: ManifestNode) -> CatalogRelation | None:
        if self._catalog is None:
            return None
        side = self._catalog.sources if node.resource_type == "source" else self._catalog.nodes
        found = side.get(node.unique_id)
        return found if found is not None and found.columns else None


class _QueryReader:
    """Reads one query, which writes a table or is about one: its columns, their lineage, gaps."""

    def __init__(
        self,
        tables: ProjectTables,
        known: Catalog,
        table: ProjectTable,
        names: Mapping[str, str] | None = None,
        writes: bool = True,
    ) -> None:
        self._tables = tables
        self._known = known
        self._table = table
        self._names = names or {}
        self._own = table.dataset if writes else None
        self._datasets: dict[str, DatasetName] = {}
        self._gaps: dict[GapEntry, None] = {}
        self.inputs: list[DatasetName] = []
        self.columns: Sequence[WrittenColumn] = ()
        self.is_complete = False

    def read(self, sql: str) -> tuple[Json, list[GapEntry]]:
        parts = self._table.parts
        current = [part for part in (parts.database, parts.schema) if part]
        dialect = self._tables.warehouse.dialect
        statements = analyze(sql, dialect, self._known, _LIMITS, current=current)
        for statement in statements:
            self._note_inputs(statement)
            for problem in statement.problems:
                self._gap(
                    "expression",
                    self._table.node.name,
                    f"SQL line {problem.line}: {problem.message}",
                )
        writes = [write for each in statements for write in each.writes if write.table is None]
        if not writes:
            if not self._gaps:
                self._gap("expression", self._table.node.name, "Its SQL is no query.")
            return {}, list(self._gaps)
        last = self._cleaned(writes[-1])
        self.columns = [each for each in last.columns if each.name != "*"]
        self.is_complete = len(self.columns) == len(last.columns) and bool(self.columns)
        content = column_lineage([last], self._name_of)
        return (content if content["fields"] or content.get("dataset") else {}), list(self._gaps)

    def _note_inputs(self, statement: Statement) -> None:
        for each in statement.inputs:
            if each.is_temporary:
                continue
            dataset = each.dataset or self._further(each.name)
            if dataset is None:
                text = f"The SQL reads '{each.name}', whose schema it does not name."
                self._gap("input", each.name, text)
                continue
            self._datasets[each.name] = dataset
            if dataset != self._own and dataset not in self.inputs:
                self.inputs.append(dataset)

    def _further(self, name: str) -> DatasetName | None:
        """A table that dbt does not know, by as much of a name as its own tables have."""
        length = len(self._table.parts.name.split("."))
        namespace = self._tables.warehouse.namespace
        return DatasetName(namespace, name) if len(name.split(".")) == length else None

    def _name_of(self, table: str) -> DatasetName:
        return self._datasets[table]

    def _cleaned(self, write: TableWrite) -> TableWrite:
        """A write with the columns as the warehouse spells them, and what is understood of them."""
        columns = [
            replace(
                each,
                name=self._names.get(each.name.lower(), each.name),
                sources=self._known_sources(each.sources),
            )
            for each in write.columns
        ]
        return replace(write, columns=columns, rows=self._known_sources(write.rows))

    def _known_sources(self, sources: Mapping[SourceColumn, Any]) -> dict[SourceColumn, Any]:
        found = {}
        for source, ways in sources.items():
            dataset = self._datasets.get(source.table)
            if source.is_candidate:
                text = f"The column '{source.field}' may be of several tables."
                self._gap("expression", source.field, text)
            elif source.column == "*":
                advice = "`dbt docs generate` lists them"
                text = f"The columns of '{source.table}' are not known; {advice}."
                self._gap("input", source.table, text)
            # An incremental model reads itself to know what is new: it is no lineage.
            elif dataset is not None and dataset != self._own:
                found[source] = ways
        return found

    def _gap(self, kind: Any, name: str, description: str) -> None:
        self._gaps[GapEntry(kind, name, description)] = None


def _column_names(node: ManifestNode, listed: CatalogRelation | None) -> dict[str, str]:
    """Columns as they are spelled, by their names in lower case."""
    stated: Iterable[str] = (each.name for each in (node.columns or {}).values())
    found = {name.lower(): name for name in stated}
    if listed is not None:
        found |= {each.name.lower(): each.name for each in listed.columns.values()}
    return found


def _in_catalog(listed: CatalogRelation, node: ManifestNode) -> list[KnownColumn]:
    columns = sorted(listed.columns.values(), key=lambda each: each.index)
    return [KnownColumn(each.name, each.type) for each in columns]


def _described(
    columns: Iterable[KnownColumn], node: ManifestNode, listed: CatalogRelation | None
) -> list[KnownColumn]:
    """Columns with their types as the warehouse has them, else as they are stated or derived."""
    types = {each.name.lower(): each.data_type for each in (node.columns or {}).values()}
    if listed is not None:
        types |= {each.name.lower(): each.type for each in listed.columns.values()}
    return [each._replace(type=types.get(each.name.lower()) or each.type) for each in columns]


def _meta_columns(node: ManifestNode) -> list[str]:
    """The columns that dbt adds to a snapshot."""
    config = node.config or {}
    names = config.get("snapshot_meta_column_names")
    names = names if isinstance(names, dict) else {}
    added = [*_SNAPSHOT_COLUMNS]
    if config.get("hard_deletes") == "new_record":
        added.append("dbt_is_deleted")
    return [str(names.get(name) or name) for name in added]


def _hook_gaps(node: ManifestNode) -> Iterable[GapEntry]:
    for key in ("pre-hook", "post-hook"):
        for hook in (node.config or {}).get(key) or ():
            sql = str(hook.get("sql") if isinstance(hook, dict) else hook)
            if any(word in _CHANGES_DATA for word in sql.lower().replace("(", " ").split()):
                yield GapEntry("operator", key, f"What a {key} of it changes is not read.")


def describe_column(node: ManifestNode, name: str) -> ManifestColumn | None:
    """What the project states of a column, whatever the case of its name."""
    columns = node.columns or {}
    found = columns.get(name)
    if found is None:
        lowered = name.lower()
        found = next((each for key, each in columns.items() if key.lower() == lowered), None)
    return found
