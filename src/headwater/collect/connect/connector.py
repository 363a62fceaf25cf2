"""One connector as its cluster describes it, and the events that report it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from headwater.collect.connect.columns import ColumnFacets, ReadColumns
from headwater.collect.connect.datasets import ConnectorDatasets
from headwater.collect.connect.fetch import ClusterInfo, ConnectorReport, Plugin
from headwater.collect.connect.lifecycle import ConnectorStep, find_failures
from headwater.collect.connect.state import KnownConnector
from headwater.emit.events import Producer
from headwater.emit.gaps import GapEntry, all_gaps_facets, gaps_facets
from headwater.model.connect.connector_runs import connector_run_id
from headwater.model.connect.connector_secrets import displayed, find_secrets, without_secrets
from headwater.model.connect.connector_templates import Row, entries, is_alias, knowledge
from headwater.model.connect.connectors import Described, describe
from headwater.model.naming import kafka

Json = dict[str, Any]

PRODUCER = Producer.of_part("collect/connect")
_PROVIDED = re.compile(r"\$\{[\w.-]+:[^}]*\}")
_CAUSE = "Caused by: "
# One, and not a range of them.
_VERSION = r"\d[\w.+-]{0,63}"


class ConnectCluster(NamedTuple):
    """What is the same for all connectors of a cluster."""

    info: ClusterInfo
    group: str
    namespace: str
    bootstrap: str
    heartbeat_seconds: int
    rows: Sequence[Row] = ()
    plugins: Sequence[Plugin] = ()
    columns: ReadColumns = lambda topic: None

    @property
    def has_our_plugin(self) -> bool:
        """Whether ours is installed: what it counts inside is not counted outside as well."""
        return any(plugin.kind in knowledge()["transforms"]["ours"] for plugin in self.plugins)


class ObservedConnector:
    """A connector at one moment; `types` are those of the settings that its class defines.

    One with our transform is reported by the plugin inside its worker, which sees the records: from
    outside only its states are added.
    """

    def __init__(
        self, cluster: ConnectCluster, report: ConnectorReport, types: Mapping[str, str]
    ) -> None:
        self.name = report.name
        self._cluster = cluster
        self._report = report
        self._types = types
        config = report.config
        self.run = str(
            connector_run_id(cluster.info.kafka_cluster, cluster.group, report.name, config)
        )
        own = _own_settings(config)
        self.is_reported_inside = own is not None
        self.job = {
            "namespace": (own or {}).get("namespace") or cluster.namespace,
            "name": (own or {}).get("connector.name") or report.name,
        }
        role = report.type if report.type in ("source", "sink") else ""
        found = describe(config, report.topics or (), role, cluster.rows)
        self._described, self._gaps = without_variables(found, config)

    @property
    def topics(self) -> tuple[str, ...]:
        return self._described.topics

    def offsets(self) -> dict[str, int]:
        """How far a sink is in each of its topics; a source's offsets are its own affair."""
        if self._cluster.has_our_plugin:
            return {}
        found: Counter[str] = Counter()
        for place in self._report.offsets or ():
            partition, offset = place.get("partition"), place.get("offset")
            if isinstance(partition, dict) and isinstance(offset, dict):
                topic, read = partition.get("kafka_topic"), offset.get("kafka_offset")
                if isinstance(topic, str) and isinstance(read, int):
                    found[topic] += read
        return dict(found)

    def event(self, step: ConnectorStep, rows: Mapping[str, int], at: int) -> Json:
        """The event of a change; `rows` are the records of the run by topic, where known."""
        if self.is_reported_inside or step is ConnectorStep.HEARTBEAT:
            # Nothing was read or written since the last event that is known from outside.
            run = {"runId": self.run, "facets": self._run_facets(step, self._gaps)}
            return PRODUCER.run_event(step.event_type, self._job_facets(False), run, at=at)
        columns = ColumnFacets(
            PRODUCER, self._report.config, self._cluster.rows, self._cluster.columns
        )
        datasets = ConnectorDatasets(
            PRODUCER,
            partial(kafka, self._cluster.bootstrap),
            self._described,
            rows,
            self._report.config.get("errors.deadletterqueue.topic.name", ""),
            columns,
        )
        inputs, outputs = datasets.inputs(), datasets.outputs()
        known = {(gap.kind, gap.name) for gap in self._gaps}
        more = [GapEntry(*gap) for gap in columns.gaps if gap[:2] not in known]  # type: ignore[arg-type]
        run = {"runId": self.run, "facets": self._run_facets(step, [*self._gaps, *more])}
        # Of a source, and of a pattern, a worker may have forgotten topics.
        is_complete = self._described.role == "sink" and "topics" in self._report.config
        return PRODUCER.run_event(
            step.event_type,
            self._job_facets(is_complete),
            run,
            inputs,
            outputs,
            at=at,
        )

    def _job_facets(self, is_complete: bool) -> Json:
        pattern = {
            "eventTrigger": "PERIODIC",
            "eventContentMode": "COMPLETE_SNAPSHOT" if is_complete else "ACCUMULATIVE",
            "windowDuration": self._cluster.heartbeat_seconds,
        }
        kind = "SINK" if self._described.role == "sink" else "SOURCE"
        job_type = PRODUCER.job_type("STREAMING", "KAFKA_CONNECT", kind, pattern)
        return {**self.job, "facets": {"jobType": job_type}}

    def _run_facets(self, step: ConnectorStep, gaps: Sequence[GapEntry]) -> Json:
        config, status = self._report.config, self._report.status
        own = {
            **_describe_step(self._cluster, self.name, step),
            "connectorClass": config.get("connector.class"),
            "state": status["connector"].get("state"),
            "tasks": {
                str(task.get("id")): {"state": task.get("state"), "worker": task.get("worker_id")}
                for task in status.get("tasks") or []
            },
        }
        if step is ConnectorStep.STARTED:
            own["config"] = displayed(config, self._types)
            if version := self._find_version():
                own["connectorVersion"] = version
        facets = {"kafka_connect_rest": PRODUCER.custom_facet(**own)}
        if step is ConnectorStep.FAILED:
            facets["errorMessage"] = self._error()
        # A heartbeat has looked at no datasets, and the plugin inside knows better what it saw.
        if not self.is_reported_inside and step is not ConnectorStep.HEARTBEAT:
            inside = self._cluster.has_our_plugin
            facets |= (gaps_facets if inside else all_gaps_facets)(PRODUCER, gaps)
        return facets

    def _find_version(self) -> str | None:
        """The version of the connector's class, which a configuration may abbreviate, or choose."""
        kind = self._report.config.get("connector.class", "")
        chosen = self._report.config.get("connector.plugin.version", "")
        if re.fullmatch(_VERSION, chosen):
            return chosen
        found = {
            version
            for name, version in self._cluster.plugins
            if is_alias(kind, name) or kind == name.rpartition(".")[2].removesuffix("Connector")
        }
        return found.pop() or None if len(found) == 1 else None

    def _error(self) -> Json:
        """The connector's own trace, else those of its tasks, by their innermost cause."""
        failures = find_failures(self._report.status)
        traces = [failures["connector"]] if failures.get("connector") else failures.values()
        trace = "\n".join(dict.fromkeys(each.strip() for each in traces if each.strip()))
        secrets = find_secrets(self._report.config, self._types)
        trace = without_secrets(trace or "it failed, and the worker has no trace of it", secrets)
        message = trace.rpartition(_CAUSE)[2].partition("\n")[0]
        return PRODUCER.error(message, "JAVA", trace if "\n" in trace else None)


def end_event(
    cluster: ConnectCluster, name: str, before: KnownConnector, step: ConnectorStep, at: int
) -> Json:
    """The end of a run of which no more is known than that it was reported."""
    facets = {"kafka_connect_rest": PRODUCER.custom_facet(**_describe_step(cluster, name, step))}
    job = {"namespace": before.namespace, "name": before.job, "facets": {}}
    run = {"runId": before.run, "facets": facets}
    return PRODUCER.run_event(step.event_type, job, run, at=at)


def _describe_step(cluster: ConnectCluster, name: str, step: ConnectorStep) -> Json:
    return {
        "reason": step.reason,
        "connector": name,
        "kafkaCluster": cluster.info.kafka_cluster,
        "connectCluster": cluster.group,
        "workerVersion": cluster.info.version,
    }


def _own_settings(config: Mapping[str, str]) -> dict[str, str] | None:
    """The settings of our transform in a connector's configuration; None if it has none."""
    for name in entries(config.get("transforms", "")):
        start = f"transforms.{name}."
        kind = config.get(f"{start}type", "")
        if any(is_alias(kind, each) for each in knowledge()["transforms"]["ours"]):
            found = {key: value for key, value in config.items() if key.startswith(start)}
            return {key.removeprefix(start): value for key, value in found.items()}
    return None


def without_variables(
    described: Described, config: Mapping[str, str]
) -> tuple[Described, list[GapEntry]]:
    """Leave out names with values that only the workers' config providers know, as gaps."""
    gaps = [GapEntry(*gap) for gap in described.gaps]  # type: ignore[arg-type]
    sentence = "Only the workers know this setting, from a config provider."
    naming_keys = knowledge()["secrets"]["shown_keys"]
    for key, value in sorted(config.items()):
        if _PROVIDED.search(value) and re.fullmatch(naming_keys, key):
            gaps.append(GapEntry("other", key, sentence))
    externals = tuple(e for e in described.externals if not _PROVIDED.search(" ".join(e.name)))
    topics = tuple(topic for topic in described.topics if not _PROVIDED.search(topic))
    return described._replace(externals=externals, topics=topics), gaps
