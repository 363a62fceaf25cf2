"""`collect ksqldb`: the persistent queries of a ksqlDB cluster, by its REST API."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, ClassVar

import msgspec

from headwater.collect import Collected
from headwater.collect.connect.schemas import RegisteredColumns
from headwater.collect.ksqldb.answers import KsqldbServer
from headwater.collect.ksqldb.fetch import KsqldbApi
from headwater.collect.ksqldb.queries import KsqldbCluster
from headwater.collect.ksqldb.settings import KsqldbSettings
from headwater.collect.ksqldb.sources import PRODUCER, KsqldbSources
from headwater.collect.ksqldb.state import KnownQuery, ReportedQueries
from headwater.collect.ksqldb.translate import TranslatedQuery, translate, translate_end
from headwater.collect.rest_check import check_api
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.model.naming import kafka
from headwater.model.values.instant import now
from headwater.plugins import CheckStep

__all__ = ["KsqldbCollector", "KsqldbSettings"]


class KsqldbCollector:
    """Reports streams, tables and persistent queries, by column; only changes are sent.

    A stream or a table is its topic. Push and pull queries of clients are no jobs.
    """

    settings_class: ClassVar[type[Section]] = KsqldbSettings

    def __init__(self, settings: KsqldbSettings, destination: str) -> None:
        self._settings = settings
        self._state = ReportedQueries(settings.state, destination, settings.url, settings.bootstrap)
        self.skipped = 0

    def check(self) -> Sequence[CheckStep]:
        parts: dict[str, Callable[[KsqldbApi], str]] = {
            "server": lambda api: f"ksqlDB {api.read_server().version} at {self._settings.url}",
            "sources": lambda api: f"{len(api.read_sources()):,} streams and tables",
            "queries": lambda api: f"{len(api.read_queries()):,} queries",
        }
        advice = "is --url that of a ksqlDB server?"
        return check_api(
            self._settings, lambda: KsqldbApi(self._settings), parts, self._state, advice
        )

    def collect(self) -> Iterator[Collected]:
        self.skipped = 0
        api = KsqldbApi(self._settings)
        columns = RegisteredColumns(self._settings)
        try:
            yield from self._collect(api, columns)
        finally:
            columns.close()
            api.close()

    def acknowledge(self, delivered: Sequence[Collected]) -> None:
        queries: dict[str, KnownQuery | None] = {}
        topics: dict[str, str] = {}
        for each in delivered:
            # The last event of a query has what is known once all of them are delivered.
            if isinstance(each.position, TranslatedQuery):
                queries[each.source] = each.position.known
            elif isinstance(each.position, str):
                topics[each.source] = each.position
        if queries or topics:
            self._state.note(queries, topics)

    def _collect(self, api: KsqldbApi, columns: RegisteredColumns) -> Iterator[Collected]:
        # Before anything is read: what happens meanwhile is newer.
        at = now()
        server = api.read_server()
        cluster = self._cluster(server)
        self._state.begin(f"{server.kafka_cluster}/{server.service}")
        known = dict(self._state.kept.queries)
        # Queries first: a stream that is made between the two is known to those that read it.
        queries = [q for q in api.read_queries() if q.query_type.upper() == "PERSISTENT"]
        sources = KsqldbSources(
            api.read_sources(), self._settings.bootstrap, cluster.namespace, columns
        )
        yield from self._topics(sources, at)
        for query in queries:
            found = translate(cluster, sources, query, known.get(query.id), at)
            self.skipped += not found.events
            yield from _collected(query.id, found)
        for name in sorted(known.keys() - {query.id for query in queries}):
            yield from _collected(name, translate_end(cluster, name, known[name], at))

    def _topics(self, sources: KsqldbSources, at: int) -> Iterator[Collected]:
        for topic, made_of_it in sorted(sources.by_topic().items()):
            dataset = sources.described(topic, made_of_it)
            digest = sha256(msgspec.json.encode(dataset)).hexdigest()[:32]
            if self._state.kept.topics.get(topic) == digest:
                self.skipped += 1
                continue
            event = PRODUCER.dataset_event(dataset, at)
            yield Collected(msgspec.json.encode(event), topic, position=digest)
        for topic in sorted(self._state.kept.topics.keys() - sources.by_topic().keys()):
            # Its streams were dropped; the topic may be there all the same.
            event = PRODUCER.dataset_event(sources.described(topic, ()), at)
            yield Collected(msgspec.json.encode(event), topic, position="")

    def _cluster(self, server: KsqldbServer) -> KsqldbCluster:
        settings = self._settings
        broker = kafka(settings.bootstrap, "").namespace.removeprefix("kafka://")
        namespace = settings.namespace or f"ksqldb://{broker}/{server.service or 'default_'}"
        heartbeat = int(parse_duration(settings.heartbeat).total_seconds())
        return KsqldbCluster(server, namespace, settings.bootstrap, heartbeat)


def _collected(name: str, found: TranslatedQuery) -> Iterator[Collected]:
    last = len(found.events) - 1
    for number, event in enumerate(found.events):
        position: Any = found if number == last else None
        yield Collected(msgspec.json.encode(event), name, position=position)
