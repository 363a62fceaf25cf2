"""Connectors, managed and custom: what they read and write by the rules of `connectors.json`."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from headwater.collect.confluent import reports
from headwater.collect.confluent.observation import (
    PRODUCER,
    Observation,
    SeenJob,
    UsedDataset,
    lineage_facet,
)
from headwater.collect.confluent.reports import ClusterReport, GroupReport, inner, text
from headwater.collect.connect.columns import ColumnFacets, ReadColumns
from headwater.collect.connect.connector import without_variables
from headwater.collect.connect.datasets import ConnectorDatasets
from headwater.collect.connect.lifecycle import find_failures
from headwater.emit.gaps import GapEntry
from headwater.model.confluent import facets as names
from headwater.model.confluent.data_sources import data_source
from headwater.model.confluent.job_kinds import CONNECTOR
from headwater.model.confluent.names import GENERATOR, google_table, topic
from headwater.model.connect.connector_secrets import displayed, find_secrets, without_secrets
from headwater.model.connect.connector_templates import Row
from headwater.model.connect.connectors import Described, External, describe
from headwater.model.naming import DatasetName

Json = dict[str, Any]

_GENERATORS = ("DatagenSource", "DatagenConnector")
_DEAD_LETTERS = "errors.deadletterqueue.topic.name"
_CAUSE = "Caused by: "


class ConnectorRules(NamedTuple):
    """What is the same for all connectors of a cluster."""

    cluster: ClusterReport
    columns: ReadColumns
    groups: dict[str, GroupReport]
    rows: Sequence[Row] = ()


def observe_connectors(rules: ConnectorRules) -> Iterator[Observation]:
    for name, found in sorted(rules.cluster.connectors.items()):
        seen = _CloudConnector(rules, name, found).seen()
        yield Observation(rules.cluster.where, reports.CONNECTORS, seen)


def group_of(connector: Json) -> str:
    """The consumer group of a connector, by which it reads."""
    return f"connect-{text(connector, 'id', 'id')}"


class _CloudConnector:
    """One connector, as its cluster lists it."""

    def __init__(self, rules: ConnectorRules, name: str, found: Json) -> None:
        self._rules = rules
        self._cluster = rules.cluster
        self._name = name
        self._found = found
        self._status = {"connector": {}, **inner(found, "status")}
        config = inner(found, "info", "config")
        self._config = {key: str(value) for key, value in config.items()}
        self._kind = self._config.get("connector.class", "")
        role = text(self._status, "type")
        described = describe(self._config, self._seen_topics(), role, rules.rows)
        self._described, self._gaps = without_variables(described, self._config)
        self._described = _as_documented(self._described)

    def seen(self) -> SeenJob:
        cluster = self._cluster
        columns = ColumnFacets(PRODUCER, self._config, self._rules.rows, self._rules.columns)
        datasets = ConnectorDatasets(
            PRODUCER, self._topic, self._described, {}, self._dead_letters(), columns
        )
        inputs = list(map(_dataset, datasets.inputs()))
        outputs = list(map(_dataset, datasets.outputs()))
        if self._is_generator and not inputs:
            source = DatasetName(cluster.namespace, GENERATOR)
            inputs = [UsedDataset(source, _data_source_facet(source))]
            outputs = [each._replace(facets=lineage_facet([source])) for each in outputs]
        gaps = [*self._gaps, *(GapEntry(*gap) for gap in columns.gaps)]  # type: ignore[arg-type]
        return SeenJob(
            CONNECTOR,
            DatasetName(cluster.namespace, self._name),
            {names.CONNECTOR: self._facet()},
            inputs,
            outputs,
            tuple(dict.fromkeys([*gaps, *self._missing(inputs, outputs)])),
            self._error(),
            self._lag(),
        )

    @property
    def _is_generator(self) -> bool:
        return self._kind.rpartition(".")[2] in _GENERATORS

    def _topic(self, name: str) -> DatasetName:
        return topic(self._cluster.environment_id, self._cluster.id, name)

    def _seen_topics(self) -> list[str]:
        """The topics that a sink reads by a pattern: those that are there now."""
        pattern = self._config.get("topics.regex", "")
        if not pattern:
            return []
        try:
            matches: Callable[[str], Any] = re.compile(pattern).fullmatch
        except re.error:
            return []
        return [name for name in self._cluster.topics_by_name if matches(name)]

    def _dead_letters(self) -> str:
        """The topic of what a sink cannot deliver, which Confluent names if nobody does."""
        if self._described.role != "sink":
            return ""
        own = self._config.get(_DEAD_LETTERS, "").replace("${connector}", self._id)
        default = f"dlq-{self._id}"
        return own or (default if default in self._cluster.topics_by_name else "")

    @property
    def _id(self) -> str:
        return text(self._found, "id", "id")

    def _facet(self) -> Json:
        state = text(self._status, "connector", "state")
        tasks = [each for each in self._status.get("tasks") or [] if isinstance(each, dict)]
        return PRODUCER.custom_facet(
            connector_class=self._kind or None,
            connector_type=self._described.role,
            cluster_id=self._cluster.id,
            environment_id=self._cluster.environment_id,
            connector_id=self._id,
            is_custom=self._config.get("confluent.connector.type") == "CUSTOM",
            state=state or None,
            tasks={text(each, "id"): text(each, "state") for each in tasks},
            config=displayed(self._config, {}),
            dead_letter_topic=self._dead_letters() or None,
        )

    def _lag(self) -> Json:
        """How far a sink is behind, by its consumer group, which is no job of its own."""
        group = self._rules.groups.get(group_of(self._found))
        if group is None or group.lags is None:
            return {}
        lag: dict[str, int] = {}
        for each in group.lags:
            name, behind = text(each, "topic_name"), each.get("lag")
            lag[name] = lag.get(name, 0) + (behind if isinstance(behind, int) else 0)
        return {names.CONSUMER_GROUP: PRODUCER.custom_facet(lag=lag, total_lag=sum(lag.values()))}

    def _missing(
        self, inputs: Sequence[UsedDataset], outputs: Sequence[UsedDataset]
    ) -> Iterator[GapEntry]:
        """What a connector must have and is not known is a gap, whatever the rules say."""
        if not self._config:
            sentence = "The connector is listed without its configuration."
            yield GapEntry("other", self._name, sentence)
        elif not outputs and self._described.role == "source" and not self._gaps:
            sentence = "To which topics the connector writes is not in its configuration."
            yield GapEntry("output", self._kind or self._name, sentence)
        elif not inputs and self._described.role == "sink" and not self._gaps:
            sentence = "No topic is there that the connector reads."
            yield GapEntry("input", self._kind or self._name, sentence)

    def _error(self) -> str | None:
        """Why it failed, by the innermost cause; None while it works."""
        failures = find_failures(self._status)
        if not failures:
            return None
        secrets = find_secrets(self._config, {})
        traces = (each.strip() for each in failures.values())
        trace = next((each for each in traces if each), "it failed, and says no reason")
        return without_secrets(trace, secrets).rpartition(_CAUSE)[2].partition("\n")[0]


def _dataset(found: Json) -> UsedDataset:
    name = DatasetName(found["namespace"], found["name"])
    is_topic = name.namespace.startswith("confluent://")
    own = {} if is_topic else _data_source_facet(name)
    return UsedDataset(name, {**own, **found.get("facets", {})})


def _data_source_facet(name: DatasetName) -> Json:
    source = data_source(*name)
    facet = PRODUCER.facet("DatasourceDatasetFacet", name=source.name, uri=source.uri)
    return {"dataSource": facet}


def _as_documented(described: Described) -> Described:
    """BigQuery's tables by the documented name; their own is the other one."""
    return described._replace(externals=tuple(map(_external, described.externals)))


def _external(external: External) -> External:
    parts = external.name.name.split(".", 2)
    if external.name.namespace != "bigquery" or len(parts) != 3:
        return external
    return external._replace(name=google_table(*parts), other=external.name)
