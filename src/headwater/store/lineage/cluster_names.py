"""The names of clusters, which readers of a store find with the connection that they read by."""

from sqlalchemy import Connection, Engine

from headwater.model.values.clusters import ClusterNames

_OPTION = "headwater_clusters"
_NONE = ClusterNames()


def with_clusters(engine: Engine, clusters: ClusterNames) -> Engine:
    """The same engine, whose connections know the clusters; they share its pool."""
    return engine.execution_options(**{_OPTION: clusters}) if clusters else engine


def clusters_of(connection: Connection) -> ClusterNames:
    found = connection.get_execution_options().get(_OPTION)
    return found if isinstance(found, ClusterNames) else _NONE
