"""`collect connect`: the connectors of a Kafka Connect cluster, by its REST API."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.connect.connector import ConnectCluster
from headwater.collect.connect.fetch import ClusterInfo, ConnectApi, Plugin
from headwater.collect.connect.rows import read_rows
from headwater.collect.connect.schemas import RegisteredColumns
from headwater.collect.connect.settings import ConnectSettings
from headwater.collect.connect.state import KnownConnector, ReportedState
from headwater.collect.connect.translate import (
    TranslatedConnector,
    translate,
    translate_deletion,
)
from headwater.collect.rest_check import check_api
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.model.connect.connector_templates import Row
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["ConnectCollector", "ConnectSettings"]


class ConnectCollector:
    """Reports connectors from outside: for clusters where the plugin cannot be installed.

    Names, jobs and runs are those of the plugin: seen both ways, a connector is one job. Only
    changes are sent; a connector without any is reported as alive every few minutes.
    """

    settings_class: ClassVar[type[Section]] = ConnectSettings

    def __init__(self, settings: ConnectSettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedState(settings.state, destination, settings.url, settings.group)
        self._rows: Sequence[Row] = read_rows(settings.rows)
        self._types: dict[str, dict[str, str]] = {}
        self.skipped = 0

    def check(self) -> list[CheckStep]:
        parts: dict[str, Callable[[ConnectApi], str]] = {
            "worker": lambda api: (
                f"Kafka Connect {api.read_cluster().version} at {self._settings.url}"
            ),
            "connectors": lambda api: f"{len(api.read_connectors()):,} connectors",
        }
        advice = "is --url that of a Connect worker?"
        return check_api(
            self._settings, lambda: ConnectApi(self._settings), parts, self._state, advice
        )

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        api = ConnectApi(self._settings)
        try:
            yield from self._collect(api)
        finally:
            api.close()

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        changes: dict[str, KnownConnector | None] = {}
        for each in delivered:
            # The last event of a connector has what is known once all of them are delivered.
            if isinstance(each.position, TranslatedConnector):
                changes[each.source] = each.position.known
        if changes:
            self._state.note(changes)

    def _collect(self, api: ConnectApi) -> Iterator[Collected]:
        info = api.read_cluster()
        known = dict(self._state.of_cluster(info.kafka_cluster))
        cluster = self._cluster(info, api.read_plugins())
        columns = RegisteredColumns(self._settings)
        try:
            yield from self._collect_from(api, cluster._replace(columns=columns), known)
        finally:
            columns.close()

    def _collect_from(
        self, api: ConnectApi, cluster: ConnectCluster, known: Mapping[str, KnownConnector]
    ) -> Iterator[Collected]:
        # Before anything is read: what happens meanwhile is newer.
        at = now()
        reports = api.read_connectors()
        for report in api.add_details(reports):
            types = self._read_types(api, report.config.get("connector.class", ""))
            found = translate(cluster, report, known.get(report.name), types, at)
            if not found.events:
                self.skipped += 1
            yield from _collected(report.name, found)
        for name in sorted(set(known) - {report.name for report in reports}):
            yield from _collected(name, translate_deletion(cluster, name, known[name], at))

    def _cluster(self, info: ClusterInfo, plugins: Sequence[Plugin]) -> ConnectCluster:
        settings = self._settings
        heartbeat = int(parse_duration(settings.heartbeat).total_seconds())
        return ConnectCluster(
            info,
            settings.group,
            settings.job_namespace,
            settings.bootstrap,
            heartbeat,
            self._rows,
            plugins,
        )

    def _read_types(self, api: ConnectApi, plugin: str) -> dict[str, str]:
        """The types of the settings that a class defines, read once."""
        if plugin not in self._types:
            self._types[plugin] = api.read_types(plugin)
        return self._types[plugin]


def _collected(name: str, found: TranslatedConnector) -> Iterator[Collected]:
    last = len(found.events) - 1
    for number, event in enumerate(found.events):
        position: Any = found if number == last else None
        yield Collected(_encode(event), name, position=position)


def _encode(event: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(event)
