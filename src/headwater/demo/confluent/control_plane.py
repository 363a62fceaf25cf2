"""The control plane of the stand-in: org, cmk, srcm, connect, ksqldbcm, fcpm, tableflow."""

from headwater.demo.confluent.estate import (
    CloudCluster,
    CloudConnector,
    CloudEnvironment,
    CloudTable,
)
from headwater.demo.confluent.protocol import CloudRequest, Json, RequestRefused, Route, page

_PAGED = ("page_size", "page_token")


def _environment(request: CloudRequest, id: str) -> CloudEnvironment:
    request.check_key(request.estate.cloud)
    return _find_environment(request, id)


def _find_environment(request: CloudRequest, id: str) -> CloudEnvironment:
    found = request.estate.environments.get(id)
    if found is None:
        # The same answer for one that may not be seen.
        raise RequestRefused(403, "Forbidden: the environment is not there, or may not be read")
    return found


def _metadata(request: CloudRequest, id: str) -> Json:
    return {"self": f"{request.url}{request.path}/{id}", "created_at": "2026-04-01T08:00:00Z"}


def _reference(request: CloudRequest, id: str) -> Json:
    related = f"{request.url}/org/v2/environments/{id}"
    return {"id": id, "related": related, "resource_name": f"crn://confluent.cloud/{id}"}


def list_organizations(request: CloudRequest) -> Json:
    request.check_key(request.estate.cloud)
    id = request.estate.organization
    entry = {"id": id, "display_name": "Headwater Outfitters", "metadata": _metadata(request, id)}
    return page(request, "OrganizationList", [entry])


def list_environments(request: CloudRequest) -> Json:
    request.check_key(request.estate.cloud)
    entries = [
        {"id": each.id, "display_name": each.name, "metadata": _metadata(request, each.id)}
        for each in request.estate.environments.values()
    ]
    return page(request, "EnvironmentList", entries)


def list_clusters(request: CloudRequest) -> Json:
    environment = _environment(request, request.one("environment"))
    entries = [_cluster(request, environment, each) for each in environment.clusters.values()]
    return page(request, "ClusterList", entries)


def _cluster(request: CloudRequest, environment: CloudEnvironment, found: CloudCluster) -> Json:
    spec = {
        "display_name": found.name,
        "availability": "MULTI_ZONE",
        "cloud": found.cloud,
        "region": found.region,
        "config": {"kind": "Standard"},
        "kafka_bootstrap_endpoint": f"SASL_SSL://{found.bootstrap_servers}",
        "http_endpoint": f"{request.url}/rest/{found.id}",
        "environment": _reference(request, environment.id),
    }
    return {
        "id": found.id,
        "metadata": _metadata(request, found.id),
        "spec": spec,
        "status": {"phase": "PROVISIONED"},
    }


def list_registries(request: CloudRequest) -> Json:
    environment = _environment(request, request.one("environment"))
    url = f"{request.url}/registry/{environment.id}"
    spec = {
        "display_name": "Stream Governance package",
        "package": "ADVANCED",
        "http_endpoint": url,
        "catalog_http_endpoint": url,
        "environment": _reference(request, environment.id),
    }
    entry = {"id": f"lsrc-{environment.id.removeprefix('env-')}", "spec": spec}
    return page(request, "ClusterList", [{**entry, "status": {"phase": "PROVISIONED"}}])


def list_ksqldb(request: CloudRequest) -> Json:
    environment = _environment(request, request.one("environment"))
    entries = [
        {
            "id": each.id,
            "metadata": _metadata(request, each.id),
            "spec": {
                "display_name": each.name,
                "csu": 4,
                "kafka_cluster": _reference(request, each.kafka_cluster),
                "environment": _reference(request, environment.id),
            },
            "status": {
                "http_endpoint": f"{request.url}/ksqldb/{each.id}",
                "phase": "PROVISIONED",
                "is_paused": False,
                "storage": 125,
            },
        }
        for each in environment.ksqldb.values()
    ]
    return page(request, "ClusterList", entries)


def list_pools(request: CloudRequest) -> Json:
    environment = _environment(request, request.one("environment"))
    entries = [
        {
            "id": each.id,
            "metadata": _metadata(request, each.id),
            "spec": {
                "display_name": each.name,
                "cloud": each.cloud,
                "region": each.region,
                "max_cfu": 10,
                "environment": _reference(request, environment.id),
            },
            "status": {"phase": "PROVISIONED", "current_cfu": 2},
        }
        for each in environment.pools
    ]
    return page(request, "ComputePoolList", entries)


def list_regions(request: CloudRequest) -> Json:
    request.check_key(request.estate.cloud)
    environments = request.estate.environments.values()
    places = {(pool.cloud, pool.region) for each in environments for pool in each.pools}
    entries = [
        {
            "id": f"{cloud.lower()}.{region}",
            "display_name": region,
            "cloud": cloud,
            "region_name": region,
            "http_endpoint": f"{request.url}/flink/{cloud.lower()}.{region}",
        }
        for cloud, region in sorted(places)
    ]
    return page(request, "RegionList", entries)


def list_connectors(request: CloudRequest) -> Json:
    environment = _environment(request, request.place["environment"])
    cluster = environment.clusters.get(request.place["cluster"])
    if cluster is None:
        raise RequestRefused(404, "the cluster is not in this environment")
    expand = {part for each in request.query.get("expand", []) for part in each.split(",")}
    if unknown := sorted(expand - {"id", "info", "status"}):
        raise RequestRefused(400, f"expand knows no '{unknown[0]}'")
    return {each.name: _connector(each, expand) for each in cluster.connectors.values()}


def _connector(found: CloudConnector, expand: set[str]) -> Json:
    status = {
        "name": found.name,
        "type": found.type,
        "connector": {"state": found.state, "worker_id": found.name, "trace": found.trace},
        "tasks": [{"id": 0, "state": found.state, "worker_id": found.name, "msg": ""}],
    }
    whole = {
        "id": {"id": found.id, "id_type": "ID"},
        "info": {"name": found.name, "config": found.config},
        "status": status,
    }
    return {part: whole[part] for part in sorted(expand)}


def _tableflow_cluster(request: CloudRequest) -> CloudCluster:
    """Tableflow has a key of its own: that of the account does not open it."""
    request.check_key(request.estate.tableflow)
    environment = _find_environment(request, request.one("environment"))
    found = environment.clusters.get(request.one("spec.kafka_cluster"))
    if found is None:
        raise RequestRefused(404, "the cluster is not in this environment")
    return found


def list_tableflow_topics(request: CloudRequest) -> Json:
    cluster = _tableflow_cluster(request)
    entries = [_table(request, cluster, each) for each in cluster.tables]
    return page(request, "TableflowTopicList", entries)


def _table(request: CloudRequest, cluster: CloudCluster, found: CloudTable) -> Json:
    kinds = {"Unity": "UNITY", "AwsGlue": "AWS_GLUE", "Snowflake": "SNOWFLAKE"}
    syncs = [
        {
            "catalog_integration_id": id,
            "catalog_type": kinds[cluster.integrations[id]["kind"]],
            "sync_status": state,
            **({"error_message": "cannot reach the catalog"} if state == "FAILED" else {}),
        }
        for id, state in found.syncs.items()
    ]
    spec = {
        "display_name": found.topic,
        "suspended": found.suspended,
        "config": {"enable_compaction": True, "enable_partitioning": True},
        "storage": {"kind": "Managed", "table_path": found.table_path},
        "table_formats": list(found.formats),
        "kafka_cluster": _reference(request, cluster.id),
    }
    status = {"phase": "RUNNING", "catalog_sync_statuses": syncs, "write_mode": "APPEND"}
    return {"metadata": _metadata(request, found.topic), "spec": spec, "status": status}


def list_integrations(request: CloudRequest) -> Json:
    cluster = _tableflow_cluster(request)
    entries = [
        {
            "id": id,
            "metadata": _metadata(request, id),
            "spec": {
                "display_name": id,
                "suspended": False,
                "config": config,
                "kafka_cluster": _reference(request, cluster.id),
            },
            "status": {"phase": "CONNECTED"},
        }
        for id, config in cluster.integrations.items()
    ]
    return page(request, "CatalogIntegrationList", entries)


_OF_ENVIRONMENT = ("environment", *_PAGED)
_OF_CLUSTER = ("environment", "spec.kafka_cluster", *_PAGED)
_CONNECTORS = "/connect/v1/environments/{environment}/clusters/{cluster}/connectors"

ROUTES = (
    Route("GET", "/org/v2/organizations", list_organizations, _PAGED),
    Route("GET", "/org/v2/environments", list_environments, _PAGED),
    Route("GET", "/cmk/v2/clusters", list_clusters, _OF_ENVIRONMENT),
    Route("GET", "/srcm/v3/clusters", list_registries, _OF_ENVIRONMENT),
    Route("GET", "/ksqldbcm/v2/clusters", list_ksqldb, _OF_ENVIRONMENT),
    Route("GET", "/fcpm/v2/compute-pools", list_pools, ("spec.region", *_OF_ENVIRONMENT)),
    Route("GET", "/fcpm/v2/regions", list_regions, ("cloud", "region_name", *_PAGED)),
    Route("GET", _CONNECTORS, list_connectors, ("expand",)),
    Route("GET", "/tableflow/v1/tableflow-topics", list_tableflow_topics, _OF_CLUSTER),
    Route("GET", "/tableflow/v1/catalog-integrations", list_integrations, _OF_CLUSTER),
)
