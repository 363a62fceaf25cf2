"""The jobs of a project, named as dbt-ol names them: one job a model, whoever reports it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.collect.dbt.artifacts import ManifestNode, RunResults
from headwater.collect.dbt.columns import ProjectColumns, TableLineage
from headwater.collect.dbt.facets import PRODUCER, ProjectFacets
from headwater.collect.dbt.settings import DbtSettings
from headwater.collect.dbt.tables import ProjectTable, ProjectTables

Json = dict[str, Any]

# Commands that run nodes; what another one leaves in run_results.json was only compiled.
EXECUTING = frozenset(("build", "run", "seed", "snapshot", "test", "retry", "clone"))
_SUFFIXES = {"model": "", "seed": ".seed", "snapshot": ".snapshot"}
_OF_BUILD = {"model": ".build.run", "seed": ".build.seed", "snapshot": ".build.snapshot"}


class NodeJob(NamedTuple):
    """The job of a node, with what it reads and writes."""

    job: Json
    inputs: list[Json]
    outputs: list[Json]
    suffix: str


class ProjectJobs:
    """Builds the jobs; `suffixes` are those by which they were last reported."""

    def __init__(
        self,
        settings: DbtSettings,
        tables: ProjectTables,
        columns: ProjectColumns,
        facets: ProjectFacets,
        results: RunResults | None,
        suffixes: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._tables = tables
        self._columns = columns
        self._facets = facets
        self._suffixes = suffixes
        self.is_build = results is not None and _is_build(results)
        is_executing = results is not None and results.command in EXECUTING
        ran = results.results if results is not None and is_executing else ()
        self._ran = {each.unique_id for each in ran}

    def of_table(self, table: ProjectTable) -> NodeJob:
        node = table.node
        suffix = self._suffix(node)
        known = self._columns.by_id[node.unique_id]
        name = self._name(node, _schema(node), suffix)
        job = self.job(name, self._job_facets(node))
        return NodeJob(job, self._inputs(node, known), [self._output(table, known)], suffix)

    def job(self, name: str, facets: Json) -> Json:
        return {"namespace": self._settings.job_namespace, "name": name, "facets": facets}

    def test_name(self, node: ManifestNode) -> str:
        """The job of all tests of a table: what it checks is that table."""
        return self._name(node, _schema(node), ".build.test" if self.is_build else ".test")

    def freshness_name(self, node: ManifestNode) -> str:
        return self._name(node, _schema(node), ".freshness")

    def _name(self, node: ManifestNode, schema: str, suffix: str) -> str:
        if self._settings.job_names == "node":
            kind = suffix.rpartition(".")[2]
            return node.unique_id + (f".{kind}" if kind in ("test", "freshness") else "")
        own = node.unique_id
        if node.resource_type != "source":
            own = own.removeprefix(f"{node.resource_type}.")
        return f"{schema}{own}{suffix}"

    def _suffix(self, node: ManifestNode) -> str:
        kind = node.resource_type
        usual = (_OF_BUILD if self.is_build else _SUFFIXES)[kind]
        if node.unique_id in self._ran:
            return usual
        return self._suffixes.get(node.unique_id, usual)

    def _job_facets(self, node: ManifestNode) -> Json:
        about = {
            "original_file_path": node.original_file_path,
            "database": node.database,
            "schema": node.schema,
            "alias": node.alias,
            "unique_id": node.unique_id,
        }
        further = {"dbt_node": PRODUCER.custom_facet(**about)}
        if node.code and node.language != "python":
            dialect = self._tables.warehouse.adapter
            further["sql"] = PRODUCER.facet("SQLJobFacet", query=node.code, dialect=dialect)
        return self._facets.job(
            node.resource_type.upper(),
            node.description,
            self._facets.owners(node.meta, node.config, node.group),
            self._facets.tags(node.tags, None),
            **further,
        )

    def _inputs(self, node: ManifestNode, known: TableLineage) -> list[Json]:
        found = []
        for table in self._tables.read_by(node.parents):
            about = self._columns.by_id[table.node.unique_id]
            facets = {} if about.is_complete else self._facets.schema(table, about)
            found.append(self._facets.dataset(table, facets))
        return found + [{"namespace": n.namespace, "name": n.name} for n in known.further]

    def _output(self, table: ProjectTable, known: TableLineage) -> Json:
        facets = self._facets.schema(table, known) if known.is_complete else {}
        if known.lineage:
            facets["columnLineage"] = PRODUCER.facet("ColumnLineageDatasetFacet", **known.lineage)
        return self._facets.dataset(table, facets)


def _schema(node: ManifestNode) -> str:
    return "".join(f"{part}." for part in (node.database, node.schema) if part)


def _is_build(results: RunResults) -> bool:
    """A retry does again what an earlier command did: with tests and models that was a build."""
    if results.command == "retry":
        kinds = {each.unique_id.partition(".")[0] for each in results.results}
        return "test" in kinds and len(kinds - {"test", "unit_test"}) > 0
    return results.command == "build"
