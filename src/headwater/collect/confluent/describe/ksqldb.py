"""The queries of a ksqlDB cluster: which topics they read and write, and the columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    UsedDataset,
    lineage_facet,
)
from headwater.collect.confluent.reports import ClusterReport, KsqlReport
from headwater.collect.ksqldb.answers import KsqldbQuery, KsqldbSource, type_text
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.job_kinds import KSQLDB_QUERY
from headwater.model.confluent.names import topic
from headwater.model.naming import DatasetName
from headwater.sql.job_lineage import JobTable, derive_job_lineage

Json = dict[str, Any]
# The fields of a topic by its schemas.
FindFields = Callable[[str], Sequence[Json]]

# A push query is somebody's look at a stream; it ends with the connection.
_PERSISTENT = "PERSISTENT"


def observe_queries(
    ksqldb: KsqlReport, cluster: ClusterReport, fields: FindFields
) -> Iterator[Observation]:
    """The persistent queries of a ksqlDB cluster, which is in a Kafka cluster."""
    sources = {each.name.upper(): each for each in ksqldb.sources}
    part = f"{reports.QUERIES} {ksqldb.id}"
    for query in ksqldb.queries:
        if query.query_type in (_PERSISTENT, ""):
            seen = _Query(ksqldb, cluster, sources, fields, query).seen()
            yield Observation(cluster.environment_id, part, seen)


def groups_of(ksqldb: KsqlReport) -> set[str]:
    """The consumer groups of its queries, by which they read."""
    return {each.consumer_group_id for each in ksqldb.queries} - {""}


class _Query:
    """One query."""

    def __init__(
        self,
        ksqldb: KsqlReport,
        cluster: ClusterReport,
        sources: dict[str, KsqldbSource],
        fields: FindFields,
        found: KsqldbQuery,
    ) -> None:
        self._ksqldb = ksqldb
        self._cluster = cluster
        self._sources = sources
        self._fields = fields
        self._found = found
        self._gaps: dict[GapEntry, None] = {}

    def seen(self) -> SeenJob:
        inputs = list(self._tables(self._found.sources, "input"))
        outputs = list(self._tables(self._found.sinks, "output"))
        statement = self._found.statement_text
        columns = self._columns(statement, inputs, outputs)
        read = [each.dataset for each in inputs]
        sql = PRODUCER.facet("SQLJobFacet", query=statement, dialect="ksqldb")
        return SeenJob(
            KSQLDB_QUERY,
            DatasetName(self._cluster.namespace, f"{self._ksqldb.id}/{self._found.id}"),
            {"sql": sql, names.KSQLDB_QUERY: self._facet()},
            [UsedDataset(each) for each in dict.fromkeys(read)],
            [
                UsedDataset(each.dataset, {**lineage_facet(read), **columns.get(each.dataset, {})})
                for each in outputs
            ],
            tuple(self._gaps),
            self._error(),
        )

    def _tables(self, names: Sequence[str] | None, kind: Any) -> Iterator[JobTable]:
        for name in names or ():
            source = self._sources.get(name.upper())
            if source is None or not source.topic:
                sentence = "ksqlDB does not list this stream or table: its topic is not known."
                self._gaps[GapEntry(kind, name, sentence)] = None
                continue
            place = (self._cluster.environment_id, self._cluster.id)
            dataset = topic(*place, source.topic)
            yield JobTable(dataset, (name,), self._column_types(source))

    def _column_types(self, source: KsqldbSource) -> dict[str, str]:
        """The columns of a stream or table, as its topic's schema writes them: ksqlDB's own names
        are in upper case."""
        written = {str(each["name"]).lower(): each["name"] for each in self._fields(source.topic)}
        return {
            str(written.get(each.name.lower(), each.name)): type_text(each.schema)
            for each in source.fields or ()
        }

    def _columns(
        self, statement: str, inputs: Iterable[JobTable], outputs: Iterable[JobTable]
    ) -> dict[DatasetName, Json]:
        derived = derive_job_lineage(statement, "ksqldb", [*inputs], [*outputs])
        for problem in derived.problems:
            self._gaps[GapEntry("expression", self._found.id, problem)] = None
        return {
            name: {"columnLineage": PRODUCER.facet("ColumnLineageDatasetFacet", **columns)}
            for name, columns in derived.columns.items()
        }

    def _facet(self) -> Json:
        return PRODUCER.custom_facet(
            ksqldb_cluster_id=self._ksqldb.id,
            ksqldb_cluster_name=self._ksqldb.name,
            query_id=self._found.id,
            query_type=self._found.query_type or None,
            state=self._found.state or None,
            consumer_group=self._found.consumer_group_id or None,
            cluster_id=self._cluster.id,
            environment_id=self._cluster.environment_id,
        )

    def _error(self) -> str | None:
        if self._found.state != "ERROR":
            return None
        messages = [each.error_message for each in self._found.query_errors or ()]
        return next((each for each in messages if each), "the query is in the state ERROR")
