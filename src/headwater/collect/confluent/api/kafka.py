"""The Kafka REST API of one cluster: topics, consumer groups, cluster links."""

from collections.abc import Iterator
from concurrent.futures import Executor
from urllib.parse import quote

from headwater.collect.confluent.http import Endpoint
from headwater.collect.confluent.reports import ClusterReport, GroupReport, Json

# A group, a link or a topic that was deleted since it was listed.
_GONE = 404
# Groups that nobody is in.
_WITHOUT_MEMBERS = ("EMPTY", "DEAD")


class KafkaRest:
    """Requests to the REST API of a cluster; `pool` reads what is needed one by one."""

    def __init__(self, api: Endpoint, cluster: str, pool: Executor) -> None:
        self._api = api
        self._base = f"/kafka/v3/clusters/{quote(cluster, safe='')}"
        self._pool = pool

    def read_topics(self, cluster: ClusterReport) -> str:
        cluster.topics = list(self._api.pages(f"{self._base}/topics"))
        configs: dict[str, dict[str, str]] = {}
        for each in self._api.pages(f"{self._base}/topics/-/configs"):
            # Most are what they are of any topic.
            if each.get("is_default") is False and not each.get("is_sensitive"):
                of_topic = configs.setdefault(str(each.get("topic_name")), {})
                of_topic[str(each.get("name"))] = str(each.get("value"))
        cluster.configs = configs
        return f"{len(cluster.topics):,} topics"

    def read_groups(self, cluster: ClusterReport) -> str:
        groups = list(self._api.pages(f"{self._base}/consumer-groups"))
        cluster.groups = list(self._pool.map(self._read_group, groups))
        return f"{len(groups):,} consumer groups"

    def read_links(self, cluster: ClusterReport) -> str:
        cluster.links = list(self._api.pages(f"{self._base}/links"))
        # A cluster without links has no mirrors, and some answer 404 to that.
        if cluster.links:
            cluster.mirrors = list(self._api.pages(f"{self._base}/links/-/mirrors"))
        return f"{len(cluster.links):,} cluster links, {len(cluster.mirrors):,} mirror topics"

    def _read_group(self, group: Json) -> GroupReport:
        path = f"{self._base}/consumer-groups/{quote(str(group.get('consumer_group_id')), safe='')}"
        lags = self._entries(f"{path}/lags")
        is_empty = group.get("state") in _WITHOUT_MEMBERS
        members = () if is_empty else self._entries(f"{path}/consumers") or ()
        return GroupReport(group, lags, members)

    def _entries(self, path: str) -> tuple[Json, ...] | None:
        found = self._api.find(path, _GONE)
        entries = found.get("data") if isinstance(found, dict) else None
        return tuple(_objects(entries)) if isinstance(entries, list) else None


def _objects(entries: list[object]) -> Iterator[Json]:
    yield from (each for each in entries if isinstance(each, dict))
