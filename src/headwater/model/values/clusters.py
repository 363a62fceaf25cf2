"""Clusters of Kafka by name: which namespaces are one cluster, whatever events call it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from headwater.model.naming import DatasetName, kafka

# What events and files write that name no cluster: the default one is meant.
BARE = "kafka"


class NamedCluster(NamedTuple):
    """A cluster: its brokers, and other namespaces by which events know it."""

    name: str
    bootstrap: Sequence[str]
    aliases: Sequence[str] = ()
    is_default: bool = False

    def namespaces(self) -> list[str]:
        """All namespaces of the cluster, the brokers' first."""
        brokers = [kafka(each, "").namespace for each in self.bootstrap]
        own = [f"kafka://{self.name}", kafka(self.name, "").namespace]
        bare = [BARE] if self.is_default else []
        return list(dict.fromkeys([*brokers, *own, *map(_namespace, self.aliases), *bare]))


def _namespace(alias: str) -> str:
    """`host:port` is a broker; anything else is a namespace as it stands."""
    host, _, port = alias.rpartition(":")
    return f"kafka://{alias}" if "://" not in alias and host and port.isdecimal() else alias


class ClusterNames:
    """The namespaces that are one cluster; empty where none is configured."""

    def __init__(self, clusters: Iterable[NamedCluster] = ()) -> None:
        """Raises ValueError if a namespace is of two clusters, or two are the default."""
        self._of: dict[str, list[str]] = {}
        by: dict[str, str] = {}
        for cluster in clusters:
            namespaces = cluster.namespaces()
            for namespace in namespaces:
                if namespace in by:
                    what = "the default" if namespace == BARE else f"the namespace {namespace}"
                    raise ValueError(f"{what} is of {by[namespace]} and of {cluster.name}")
                by[namespace] = cluster.name
                self._of[namespace] = namespaces

    def __bool__(self) -> bool:
        return bool(self._of)

    def has(self, namespace: str) -> bool:
        return namespace in self._of

    def others(self, namespace: str, name: str) -> Iterator[DatasetName]:
        """The other names of a topic.

        `kafka://TOPIC` is divided at its colon where a node is requested: the namespace `kafka` and
        the name `//TOPIC`. It is a topic of the default cluster; without one it is in `kafka`.
        """
        topic = name
        if namespace == BARE and name.startswith("//") and "/" not in name[2:] and name[2:]:
            topic = name[2:]
        for each in self._of.get(namespace, [namespace]):
            if (each, topic) != (namespace, name):
                yield DatasetName(each, topic)


def with_default(clusters: Sequence[NamedCluster]) -> list[NamedCluster]:
    """The only cluster is the default, also if it is not marked."""
    if len(clusters) == 1:
        return [clusters[0]._replace(is_default=True)]
    return list(clusters)
