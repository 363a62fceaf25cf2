"""The statements of Flink: which topics they read and write, and the columns."""

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.describe.flink_tables import FlinkTables, as_temporary, is_view
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    UsedDataset,
)
from headwater.collect.confluent.reports import ClusterReport, inner, text
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.job_kinds import FLINK_JOB
from headwater.model.confluent.names import cluster_namespace
from headwater.model.naming import DatasetName
from headwater.sql import SqlTable, Statement, analyze
from headwater.sql.render.events import script_datasets

Json = dict[str, Any]

_DATABASE, _CATALOG = "sql.current-database", "sql.current-catalog"
_FAILED = ("FAILED", "FAILING")
# Columns that every table has, and no schema lists.
_SYSTEM_COLUMNS = ("$rowtime",)
# Where a statement's cluster is not known.
_NO_CLUSTER = "default"


def observe_statements(tables: FlinkTables) -> Iterator[Observation]:
    """The statements that write something, and those that are not understood."""
    environment = tables.environment
    pools = {text(each, "id"): text(each, "spec", "display_name") for each in environment.pools}
    for found in [*environment.statements, *map(_as_statement, environment.materialized)]:
        seen = _FlinkStatement(tables, found, pools).seen()
        if seen is not None:
            region = inner(found, "region")
            part = f"{reports.STATEMENTS} {region.get('cloud')}.{region.get('region')}"
            yield Observation(environment.id, part, seen)


def _as_statement(table: Json) -> Json:
    """A materialized table as the statement that keeps it."""
    spec, name = inner(table, "spec"), text(table, "name")
    query = text(spec, "query").rstrip().rstrip(";")
    properties = {
        **inner(spec, "session_options"),
        _DATABASE: text(spec, "kafka_cluster_id"),
    }
    return {
        **table,
        "spec": {
            **spec,
            "statement": f"CREATE MATERIALIZED TABLE `{name}` AS {query}",
            "properties": properties,
        },
    }


class _FlinkStatement:
    """One statement."""

    def __init__(self, tables: FlinkTables, found: Json, pools: dict[str, str]) -> None:
        self._tables = tables
        self._found = found
        self._pools = pools
        self._spec = inner(found, "spec")
        self._sql = text(self._spec, "statement")
        properties = inner(self._spec, "properties")
        environment = tables.environment
        self._cluster = tables.cluster(text(properties, _DATABASE))
        catalog = text(properties, _CATALOG) or environment.name or environment.id
        self._current = (catalog, text(properties, _DATABASE) or self._cluster_name())
        self._defined: set[str] = set()

    def seen(self) -> SeenJob | None:
        if is_view(self._sql):
            return None
        statements = self._analyze()
        inputs, outputs = self._datasets(statements)
        gaps = tuple(dict.fromkeys([*self._gaps(statements), *self._unknown(statements)]))
        if not outputs and not (gaps and _may_write(self._sql)):
            # A query of somebody's, a definition: nothing is written.
            return None
        if self._is_left_out([*outputs, *inputs]):
            return None
        return SeenJob(
            FLINK_JOB,
            DatasetName(self._namespace(outputs), text(self._found, "name")),
            {
                "sql": PRODUCER.facet("SQLJobFacet", query=self._sql, dialect="flink"),
                names.FLINK_STATEMENT: self._facet(),
            },
            inputs,
            outputs,
            gaps,
            self._error(),
            is_batch=text(self._spec, "execution_mode").lower() == "batch",
        )

    def _cluster_name(self) -> str:
        return self._cluster.name if self._cluster else ""

    def _analyze(self) -> list[Statement]:
        """The statement with the definitions of what it uses that is no topic."""
        catalog = self._tables.catalog(self._current)
        before: list[str] = []
        while True:
            script = ";\n".join([*before, self._sql])
            found = analyze(script, "flink", catalog, current=self._current)
            needed = [each for each in self._undefined(found) if each not in self._defined]
            if not needed:
                return found[len(before) :]
            for name in needed:
                self._defined.add(name)
                definition = self._tables.definition(name)
                if definition is not None and definition != self._sql.rstrip().rstrip(";"):
                    before.insert(0, as_temporary(definition))

    def _undefined(self, statements: Sequence[Statement]) -> list[str]:
        return [
            table.name
            for statement in statements
            for table in statement.inputs
            if table.dataset is None and not table.is_temporary
        ]

    def _datasets(
        self, statements: Sequence[Statement]
    ) -> tuple[list[UsedDataset], list[UsedDataset]]:
        cluster = self._cluster or self._any_cluster()
        if cluster is None:
            return [], []

        def find(table: str) -> DatasetName:
            return self._tables.dataset(table, cluster)

        # Tables without a dataset that were defined on the way make their rows up.
        made_up = {name for name in self._defined if self._tables.definition(name)}
        found = script_datasets(statements, cluster.namespace, PRODUCER.facet, find)
        left_out = {find(name) for name in made_up}
        read, written = ([_named(each) for each in some] for some in found)
        return [each for each in read if each.name not in left_out], written

    def _any_cluster(self) -> ClusterReport | None:
        """Where tables are whose names say it all."""
        environment = self._tables.environment
        return next(iter([*environment.clusters, *environment.others]), None)

    def _is_left_out(self, used: Sequence[UsedDataset]) -> bool:
        """Whether it uses nothing of the clusters that are to be read."""
        environment = self._tables.environment
        namespaces = [self._namespace(used), *(each.name.namespace for each in used)]
        return environment.is_narrowed and all(map(environment.leaves_out, namespaces))

    def _namespace(self, outputs: Sequence[UsedDataset]) -> str:
        """The cluster of a statement's database, else that of what it writes."""
        if self._cluster is not None:
            return self._cluster.namespace
        if outputs:
            return outputs[0].name.namespace
        return cluster_namespace(self._tables.environment.id, _NO_CLUSTER)

    def _gaps(self, statements: Sequence[Statement]) -> Iterator[GapEntry]:
        name = text(self._found, "name")
        for statement in statements:
            for problem in statement.problems:
                if not any(each in problem.message for each in _SYSTEM_COLUMNS):
                    sentence = f"{problem.message} (line {problem.line})"
                    yield GapEntry("expression", name, sentence)
        if self._cluster is None:
            sentence = "The statement does not say in which database its tables are."
            yield GapEntry("other", name, sentence)

    def _unknown(self, statements: Sequence[Statement]) -> Iterator[GapEntry]:
        """Tables that are no topics of clusters whose topics are known."""
        clusters = self._tables.environment.clusters
        if any(reports.TOPICS not in each.done for each in clusters):
            return
        for table in _unresolved(statements):
            if self._tables.definition(table.name) is None and not self._is_elsewhere(table.name):
                sentence = "There is no topic of this name."
                yield GapEntry("input", table.name, sentence)

    def _is_elsewhere(self, table: str) -> bool:
        """Whether a table is in a cluster that is not read."""
        cluster = self._cluster or self._any_cluster()
        if cluster is None:
            return False
        namespace = self._tables.dataset(table, cluster).namespace
        return self._tables.environment.leaves_out(namespace)

    def _facet(self) -> Json:
        pool, status = text(self._spec, "compute_pool_id"), inner(self._found, "status")
        region = inner(self._found, "region")
        return PRODUCER.custom_facet(
            statement=text(self._found, "name"),
            compute_pool_id=pool or None,
            compute_pool_name=self._pools.get(pool),
            state=text(status, "phase") or None,
            detail=text(status, "detail") or None,
            principal=text(self._spec, "principal") or None,
            cloud=region.get("cloud"),
            region=region.get("region"),
            cluster_id=self._cluster.id if self._cluster else None,
            environment_id=self._tables.environment.id,
        )

    def _error(self) -> str | None:
        status = inner(self._found, "status")
        if text(status, "phase") not in _FAILED:
            return None
        return text(status, "detail") or "the statement failed, and says no reason"


def _named(found: Json) -> UsedDataset:
    name = DatasetName(found["namespace"], found["name"])
    # A topic's own schema says more than the statement that writes it.
    facets = {key: body for key, body in found.get("facets", {}).items() if key != "schema"}
    return UsedDataset(name, facets)


def _unresolved(statements: Sequence[Statement]) -> Iterator[SqlTable]:
    for statement in statements:
        for table in statement.inputs:
            if table.dataset is None and not table.is_temporary:
                yield table


def _may_write(sql: str) -> bool:
    words = sql.upper().split()
    return "INSERT" in words or ("CREATE" in words and "AS" in words)
