"""What a Connect cluster says of itself by its REST API, in its own words."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import quote

import httpx2

from headwater.collect.connect.settings import ConnectSettings
from headwater.collect.rest import RestClient
from headwater.errors import SourceUnavailable

Json = dict[str, Any]

# Requests at once: a worker has a handful of threads for them, and others call it too.
_AT_ONCE = 8


class ClusterInfo(NamedTuple):
    """The Kafka cluster that a Connect cluster belongs to, and the version of its workers."""

    kafka_cluster: str
    version: str


class Plugin(NamedTuple):
    """A class that a worker has, in one of its versions."""

    kind: str
    version: str


class ConnectorReport(NamedTuple):
    """A connector as its cluster describes it at one moment.

    `topics` are those that it has used since it was created (KIP-558), `offsets` how far a sink is
    in them (KIP-875); None where it does not tell, or is not of use.
    """

    name: str
    config: dict[str, str]
    status: Json
    topics: tuple[str, ...] | None = None
    offsets: tuple[Json, ...] | None = None

    @property
    def type(self) -> str:
        return str(self.status.get("type", ""))


class ConnectApi:
    """Requests to a worker, which answers for its whole cluster."""

    def __init__(
        self,
        settings: ConnectSettings,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = settings.url
        self._client = RestClient(settings, _AT_ONCE, transport, sleep)

    def close(self) -> None:
        self._client.close()

    def read_cluster(self) -> ClusterInfo:
        found = self._client.get("/")
        if not isinstance(found, dict) or not isinstance(found.get("kafka_cluster_id"), str):
            raise SourceUnavailable(
                self._url, "it answers, but not as a worker of Kafka Connect does"
            )
        return ClusterInfo(found["kafka_cluster_id"], str(found.get("version", "")))

    def read_connectors(self) -> list[ConnectorReport]:
        """All connectors with their configurations and states; not their topics and offsets."""
        found = self._client.get("/connectors?expand=info&expand=status")
        if not isinstance(found, dict):
            raise SourceUnavailable(self._url, "its list of connectors is no object")
        reports = []
        for name, entry in sorted(found.items()):
            info, status = _object(entry, "info"), _object(entry, "status")
            config = {key: str(value) for key, value in _object(info, "config").items()}
            # One that is being created or deleted has only one of the two.
            if config and isinstance(status.get("connector"), dict):
                reports.append(ConnectorReport(name, config, status))
        return reports

    def add_details(self, reports: list[ConnectorReport]) -> Iterator[ConnectorReport]:
        """The same connectors with their topics and offsets, several requests at once."""
        return self._client.read_each(reports, self._add_details)

    def _add_details(self, report: ConnectorReport) -> ConnectorReport:
        """Ask only for what says something: a sink that lists its topics uses no others, and how
        far a source is, is its own affair."""
        path = f"/connectors/{quote(report.name, safe='')}"
        is_sink = report.type == "sink"
        lists_topics = is_sink and bool(report.config.get("topics", "").strip())
        topics = None if lists_topics else self._find(f"{path}/topics")
        offsets = self._find(f"{path}/offsets") if is_sink else None
        names = _object(topics, report.name).get("topics")
        places = offsets.get("offsets") if isinstance(offsets, dict) else None
        return report._replace(
            topics=tuple(sorted(map(str, names))) if isinstance(names, list) else None,
            offsets=tuple(filter(_is_object, places)) if isinstance(places, list) else None,
        )

    def read_types(self, plugin: str) -> dict[str, str]:
        """The types of the settings that a class defines; none where it is not known."""
        found = self._find(f"/connector-plugins/{quote(plugin, safe='')}/config")
        defined = filter(_is_object, found) if isinstance(found, list) else ()
        return {str(each.get("name")): str(each.get("type")) for each in defined}

    def read_plugins(self) -> list[Plugin]:
        """What the worker has installed: connectors, and from Kafka 3.2 on transforms as well."""
        found = self._find("/connector-plugins?connectorsOnly=false")
        plugins = filter(_is_object, found) if isinstance(found, list) else ()
        texts = ((each.get("class"), each.get("version")) for each in plugins)
        return [Plugin(kind, str(version or "")) for kind, version in texts if _is_text(kind)]

    def _find(self, path: str) -> Any:
        """What is at a path; None where a worker has no such thing, or does not show it."""
        # 403: topics are not tracked. 404: deleted meanwhile, or an older version. 400, 500: there
        # are connectors whose offsets cannot be read.
        return self._client.find(path, 400, 403, 404, 405, 500)


def _object(value: Any, key: str) -> Json:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
