"""One query as it is now: what it reads and writes by column, and the events that report it."""

import hashlib
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from headwater.collect.ksqldb.answers import KsqldbQuery, KsqldbServer
from headwater.collect.ksqldb.sources import PRODUCER, KsqldbSources
from headwater.emit.gaps import GapEntry, gaps_facets
from headwater.model.naming import DatasetName
from headwater.sql import SourceColumn, SqlLimits, TableWrite, analyze
from headwater.sql.render.facets import column_lineage

Json = dict[str, Any]

_LIMITS = SqlLimits(seconds=10, suggestions=0)
# Columns that every row has, and no message.
_PSEUDO = frozenset(("ROWTIME", "ROWPARTITION", "ROWOFFSET", "WINDOWSTART", "WINDOWEND"))


class KsqldbCluster(NamedTuple):
    """What is the same for all queries."""

    server: KsqldbServer
    namespace: str
    bootstrap: str
    heartbeat_seconds: int


class ObservedQuery:
    """A persistent query: its name is its id, its run the same as long as it is that query."""

    def __init__(self, cluster: KsqldbCluster, sources: KsqldbSources, query: KsqldbQuery) -> None:
        self._cluster = cluster
        self._sources = sources
        self._query = query
        self._gaps: dict[GapEntry, None] = {}
        self.run = _run_id(cluster.server, query)
        self.inputs = self._datasets(query.sources or ())
        self.outputs = self._datasets(query.sinks or ())
        self._add_columns()
        if sources.registry_failure is not None:
            self._gap("other", "registry", sources.registry_failure.message)
        self.design = hashlib.sha256(
            msgspec.json.encode([self.inputs, self.outputs, sorted(self._gaps)])
        ).hexdigest()[:32]

    def offsets(self) -> dict[str, int]:
        """How far each topic was read."""
        found: Counter[str] = Counter()
        for place in self._offsets():
            if place.committed_offset >= 0:
                found[place.topic_partition_entity.topic] += place.committed_offset
        return dict(found)

    def event(self, event_type: str, reason: str, rows: Mapping[str, int], at: int) -> Json:
        """What happened to it; `rows` are the records of the run by topic."""
        run = {"runId": self.run, "facets": self._run_facets(event_type, reason)}
        inputs = [self._counted(each, rows) for each in self.inputs]
        return PRODUCER.run_event(event_type, self._job(), run, inputs, self.outputs, at=at)

    def _job(self) -> Json:
        pattern = {
            "eventTrigger": "PERIODIC",
            "eventContentMode": "COMPLETE_SNAPSHOT",
            "windowDuration": self._cluster.heartbeat_seconds,
        }
        facets = {
            "jobType": PRODUCER.job_type("STREAMING", "KSQLDB", "QUERY", pattern),
            "sql": PRODUCER.facet(
                "SQLJobFacet", query=self._query.statement_text, dialect="ksqldb"
            ),
        }
        namespace = self._cluster.namespace
        return {"namespace": namespace, "name": self._query.id, "facets": facets}

    def _run_facets(self, event_type: str, reason: str) -> Json:
        query = self._query
        about = {
            "reason": reason,
            "state": query.state,
            "consumerGroup": query.consumer_group_id,
            "sources": query.sources,
            "sinks": query.sinks,
            "hosts": query.ksql_host_query_status,
        }
        engine = PRODUCER.facet(
            "ProcessingEngineRunFacet", name="ksqlDB", version=self._cluster.server.version
        )
        facets = {
            "processing_engine": engine,
            "ksqldb_query": PRODUCER.custom_facet(**{k: v for k, v in about.items() if v}),
            **gaps_facets(PRODUCER, self._gaps),
        }
        if event_type == "FAIL":
            errors = sorted(query.query_errors or (), key=lambda each: each.timestamp)
            text = errors[-1].error_message if errors else "it failed, and ksqlDB has no message"
            facets["errorMessage"] = PRODUCER.error(text.partition("\n")[0], "SQL", text)
        return facets

    def _datasets(self, names: Sequence[str]) -> list[Json]:
        found: dict[str, Json] = {}
        for name in names:
            source = self._sources.find(name)
            if source is None:
                text = f"The server does not list '{name}', so that its topic is not known."
                self._gap("input", name, text)
                continue
            dataset = self._sources.dataset(source)
            # Two streams may be of one topic.
            found.setdefault(dataset["name"], dataset)
        return list(found.values())

    def _add_columns(self) -> None:
        if len(self.outputs) != 1:
            return
        try:
            statements = analyze(
                self._query.statement_text,
                "ksqldb",
                self._sources.catalog,
                _LIMITS,
                kafka=self._cluster.bootstrap,
            )
        except ValueError as error:
            self._gap("expression", self._query.id, str(error))
            return
        for statement in statements:
            for problem in statement.problems:
                self._gap(
                    "expression", self._query.id, f"SQL line {problem.line}: {problem.message}"
                )
        writes = [self._spelled(w) for s in statements for w in s.writes if w.columns]
        content = column_lineage(writes, self._topic)
        if content["fields"]:
            facet = PRODUCER.facet("ColumnLineageDatasetFacet", **content)
            self.outputs[0]["facets"]["columnLineage"] = facet
        elif not self._gaps:
            text = "Its statement says nothing of columns."
            self._gap("expression", self._query.id, text)

    def _spelled(self, write: TableWrite) -> TableWrite:
        """A write with columns as their topics spell them."""
        sink = self.outputs[0]["name"]
        columns = [
            type(each)(self._sources.spell(sink, each.name), self._known(each.sources), each.type)
            for each in write.columns
        ]
        return TableWrite(write.table, columns, self._known(write.rows), write.operation)

    def _known(self, sources: Mapping[SourceColumn, Any]) -> dict[SourceColumn, Any]:
        found = {}
        for source, ways in sources.items():
            if source.column.upper() in _PSEUDO:
                continue
            known = self._sources.find(source.table)
            if known is None or source.is_candidate or source.column == "*":
                text = f"From which stream '{source.field}' comes is not known."
                self._gap("expression", source.field, text)
                continue
            name = self._sources.spell(known.topic or known.name, source.field)
            found[SourceColumn(source.table, name)] = ways
        return found

    def _topic(self, table: str) -> DatasetName:
        source = self._sources.find(table)
        assert source is not None
        return self._sources.topic_of(source)

    def _counted(self, dataset: Json, rows: Mapping[str, int]) -> Json:
        topic = dataset["name"]
        lag = sum(
            max(0, place.end_offset - max(0, place.committed_offset))
            for place in self._offsets()
            if place.topic_partition_entity.topic == topic
        )
        if topic not in rows:
            return dataset
        return dataset | PRODUCER.input_statistics(rowCount=rows[topic], lag=lag)

    def _offsets(self) -> Any:
        for task in self._query.tasks_metadata or ():
            yield from task.topic_offsets or ()

    def _gap(self, kind: Any, name: str, description: str) -> None:
        self._gaps[GapEntry(kind, name, description)] = None


def _run_id(server: KsqldbServer, query: KsqldbQuery) -> str:
    digest = hashlib.sha256(query.statement_text.encode()).hexdigest()
    parts = (server.kafka_cluster, server.service, query.id, digest)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(parts)))
