"""The control plane: organizations, environments, clusters, connectors, Tableflow."""

from collections.abc import Iterator
from urllib.parse import quote

from headwater.collect.confluent.http import PAGE_SIZE, Endpoint
from headwater.collect.confluent.reports import Json
from headwater.errors import SourceUnavailable

_SIZE = {"page_size": str(PAGE_SIZE)}


def read_organization(api: Endpoint) -> str:
    """The organization that the key is of."""
    return next((str(each.get("id", "")) for each in api.pages("/org/v2/organizations", _SIZE)), "")


def read_environments(api: Endpoint) -> Iterator[Json]:
    return api.pages("/org/v2/environments", _SIZE)


def read_clusters(api: Endpoint, environment: str) -> Iterator[Json]:
    return api.pages("/cmk/v2/clusters", {"environment": environment, **_SIZE})


def read_registries(api: Endpoint, environment: str) -> Iterator[Json]:
    return api.pages("/srcm/v3/clusters", {"environment": environment, **_SIZE})


def read_ksqldb_clusters(api: Endpoint, environment: str) -> Iterator[Json]:
    return api.pages("/ksqldbcm/v2/clusters", {"environment": environment, **_SIZE})


def read_compute_pools(api: Endpoint, environment: str) -> Iterator[Json]:
    return api.pages("/fcpm/v2/compute-pools", {"environment": environment, **_SIZE})


def read_flink_regions(api: Endpoint) -> Iterator[Json]:
    return api.pages("/fcpm/v2/regions", _SIZE)


def read_connectors(api: Endpoint, environment: str, cluster: str) -> dict[str, Json]:
    """All connectors of a cluster by name, with configuration, state and id."""
    path = (
        f"/connect/v1/environments/{quote(environment, safe='')}"
        f"/clusters/{quote(cluster, safe='')}/connectors"
    )
    found = api.get(path, {"expand": "info,status,id"})
    if not isinstance(found, dict):
        raise SourceUnavailable(api.url, "its list of connectors is no object")
    return {str(name): each for name, each in found.items() if isinstance(each, dict)}


def read_tableflow_topics(api: Endpoint, environment: str, cluster: str) -> Iterator[Json]:
    return api.pages("/tableflow/v1/tableflow-topics", _of_cluster(environment, cluster))


def read_catalog_integrations(api: Endpoint, environment: str, cluster: str) -> Iterator[Json]:
    return api.pages("/tableflow/v1/catalog-integrations", _of_cluster(environment, cluster))


def _of_cluster(environment: str, cluster: str) -> dict[str, str]:
    return {"environment": environment, "spec.kafka_cluster": cluster, **_SIZE}
