"""What a Connect cluster says of itself by its REST API, in its own words."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2

from headwater.collect.connect.settings import ConnectSettings
from headwater.config import resolve_secret
from headwater.durations import parse_duration
from headwater.errors import BadConfig, SourceUnavailable

Json = dict[str, Any]

# Requests at once: a worker has a handful of threads for them, and others call it too.
_AT_ONCE = 8
# While workers rebalance they answer 409; most are done within seconds.
_REBALANCING = 409
_WAITS = (0.5, 1.0, 2.0, 4.0)
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))
_MAX_REASON = 300


class ClusterInfo(NamedTuple):
    """The Kafka cluster that a Connect cluster belongs to, and the version of its workers."""

    kafka_cluster: str
    version: str


class ConnectorReport(NamedTuple):
    """A connector as its cluster describes it at one moment.

    `topics` are those that it has used since it was created (KIP-558), `offsets` how far it is in
    them (KIP-875); None where the cluster does not tell.
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
        self._sleep = sleep
        self._password = (
            resolve_secret(settings.password).get_secret_value() if settings.password else ""
        )
        try:
            self._http = httpx2.Client(
                auth=(settings.user, self._password) if settings.user else None,
                timeout=parse_duration(settings.timeout).total_seconds(),
                limits=httpx2.Limits(max_connections=_AT_ONCE),
                verify=_tls(settings),
                transport=transport,
                # A proxy cannot reach this machine's own loopback address.
                trust_env=httpx2.URL(settings.url).host not in _LOOPBACK,
            )
        except OSError as error:
            raise BadConfig("--ca or --certificate", f"cannot be used: {error}") from None

    def close(self) -> None:
        self._http.close()

    def read_cluster(self) -> ClusterInfo:
        found = self._get("/")
        if not isinstance(found, dict) or not isinstance(found.get("kafka_cluster_id"), str):
            raise SourceUnavailable(
                self._url, "it answers, but not as a worker of Kafka Connect does"
            )
        return ClusterInfo(found["kafka_cluster_id"], str(found.get("version", "")))

    def read_connectors(self) -> list[ConnectorReport]:
        """All connectors with their configurations and states; not their topics and offsets."""
        found = self._get("/connectors?expand=info&expand=status")
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
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(self._add_details, reports)

    def _add_details(self, report: ConnectorReport) -> ConnectorReport:
        path = f"/connectors/{quote(report.name, safe='')}"
        topics, offsets = self._find(f"{path}/topics"), self._find(f"{path}/offsets")
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

    def _find(self, path: str) -> Any:
        """What is at a path; None where a worker has no such thing, or does not show it."""
        answer = self._request(path)
        # 403: topics are not tracked. 404: deleted meanwhile, or an older version. 400, 500: there
        # are connectors whose offsets cannot be read.
        if answer.status_code in (400, 403, 404, 405, 500):
            return None
        return self._json(answer)

    def _get(self, path: str) -> Any:
        return self._json(self._request(path))

    def _request(self, path: str) -> httpx2.Response:
        for wait in (*_WAITS, None):
            try:
                answer = self._http.get(self._url + path)
            except httpx2.TransportError as error:
                text = str(error).partition("\n")[0] or type(error).__name__
                raise SourceUnavailable(self._url, f"no answer: {self._masked(text)}") from None
            if answer.status_code not in (_REBALANCING, 429, 503) or wait is None:
                return answer
            self._sleep(wait)
        raise AssertionError

    def _json(self, answer: httpx2.Response) -> Any:
        status = answer.status_code
        if status == _REBALANCING:
            raise SourceUnavailable(self._url, "its workers are rebalancing, and do not end it")
        if status in (401, 403):
            raise SourceUnavailable(
                self._url, f"answered {status}: check --user and --password, and what they may read"
            )
        if not answer.is_success:
            text = self._masked(" ".join(answer.text.split()))[:_MAX_REASON]
            raise SourceUnavailable(self._url, f"answered {status}: {text}")
        try:
            return answer.json()
        except ValueError:
            raise SourceUnavailable(self._url, "answered something that is not JSON") from None

    def _masked(self, text: str) -> str:
        return text.replace(self._password, "***") if self._password else text


def _tls(settings: ConnectSettings) -> Any:
    """What a worker's certificate is checked with, and the client's own, if it has one."""
    if settings.url.startswith("http:"):
        # Nothing to check, and to load the system's CAs takes a while.
        return False
    if settings.ca is None and settings.certificate is None:
        return True
    import ssl

    context = ssl.create_default_context(cafile=str(settings.ca) if settings.ca else None)
    if settings.certificate is not None:
        context.load_cert_chain(settings.certificate)
    return context


def _object(value: Any, key: str) -> Json:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
