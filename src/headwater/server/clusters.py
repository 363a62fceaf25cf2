"""The clusters that settings name."""

from headwater.config import Settings
from headwater.errors import BadConfig
from headwater.model.values.clusters import ClusterNames, NamedCluster, with_default


def cluster_names(settings: Settings) -> ClusterNames:
    clusters = []
    for name, each in settings.clusters.items():
        if not each.brokers or not name.strip():
            raise BadConfig(f"clusters.{name}.bootstrap", "names no broker")
        clusters.append(NamedCluster(name, each.brokers, each.aliases, each.default))
    try:
        return ClusterNames(with_default(clusters))
    except ValueError as error:
        raise BadConfig("clusters", str(error)) from None
