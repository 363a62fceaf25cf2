"""The parts that an account is read in: what each needs, and where it puts what it finds."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from headwater.collect.confluent import reports
from headwater.collect.confluent.account import CloudAccount
from headwater.collect.confluent.api import control, governance, sql, telemetry
from headwater.collect.confluent.api.kafka import KafkaRest
from headwater.collect.confluent.reports import (
    ClusterReport,
    EnvironmentReport,
    Json,
    KsqlReport,
    inner,
    text,
)
from headwater.errors import SourceUnavailable

Run = Callable[[], str]


class Part(NamedTuple):
    """Something that is read by itself; `run` says in a few words what was found."""

    environment: EnvironmentReport
    where: str
    name: str
    run: Run
    done: set[str]


def lists_of(account: CloudAccount, environment: EnvironmentReport) -> Iterator[Part]:
    """What there is in an environment, before any of it is read."""
    settings = account.settings
    lists: dict[str, Run | None] = {
        reports.CLUSTERS: partial(_list_clusters, account, environment),
        reports.REGISTRIES: partial(_find_registry, account, environment)
        if settings.enable_schema_registry or settings.enable_stream_catalog
        else None,
        reports.KSQLDB_CLUSTERS: partial(_list_ksqldb, account, environment)
        if settings.enable_ksqldb
        else None,
        reports.POOLS: partial(_list_pools, account, environment)
        if settings.enable_flink
        else None,
    }
    for name, run in lists.items():
        if run is not None:
            yield Part(environment, environment.id, name, run, environment.done)


def parts_of(account: CloudAccount, environment: EnvironmentReport) -> Iterator[Part]:
    """All that is read of an environment whose lists are there."""
    for cluster in environment.clusters:
        for name, run in _of_cluster(account, cluster):
            yield Part(environment, cluster.where, name, run, cluster.done)
    for name, where, run in _of_environment(account, environment):
        yield Part(environment, where, name, run, environment.done)


def _list_clusters(account: CloudAccount, environment: EnvironmentReport) -> str:
    chosen = account.settings.cluster_ids
    found = control.read_clusters(account.cloud(), environment.id)
    clusters = [_cluster(environment, each) for each in found]
    environment.clusters = [each for each in clusters if not chosen or each.id in chosen]
    environment.others = [each for each in clusters if chosen and each.id not in chosen]
    environment.is_narrowed = bool(chosen)
    return f"{len(environment.clusters):,} clusters"


def _cluster(environment: EnvironmentReport, found: Json) -> ClusterReport:
    """A Kafka cluster with all addresses that its clients may use."""
    spec = inner(found, "spec")
    others = [text(each, "kafka_bootstrap_endpoint") for each in inner(spec, "endpoints").values()]
    addresses = [text(spec, "kafka_bootstrap_endpoint"), *others]
    bootstraps = dict.fromkeys(each.rpartition("://")[2] for each in addresses if each)
    return ClusterReport(
        environment.id,
        environment.name,
        text(found, "id"),
        text(spec, "display_name") or text(found, "id"),
        tuple(bootstraps),
        text(spec, "http_endpoint"),
        text(spec, "region"),
    )


def _find_registry(account: CloudAccount, environment: EnvironmentReport) -> str:
    listed = list(control.read_registries(account.cloud(), environment.id))
    environment.registry_id = next((text(each, "id") for each in listed), "")
    own = account.settings.registries.get(environment.id, "")
    found = next((text(each, "spec", "http_endpoint") for each in listed), "")
    environment.registry_url = own or found
    return "" if environment.registry_url else "no schema registry"


def _list_ksqldb(account: CloudAccount, environment: EnvironmentReport) -> str:
    chosen = account.settings.cluster_ids
    found = [
        KsqlReport(
            text(each, "id"),
            text(each, "spec", "display_name") or text(each, "id"),
            text(each, "spec", "kafka_cluster", "id"),
            text(each, "status", "http_endpoint"),
        )
        for each in control.read_ksqldb_clusters(account.cloud(), environment.id)
    ]
    environment.ksqldb = [each for each in found if not chosen or each.kafka_cluster in chosen]
    return f"{len(environment.ksqldb):,} ksqlDB clusters"


def _list_pools(account: CloudAccount, environment: EnvironmentReport) -> str:
    environment.pools = list(control.read_compute_pools(account.cloud(), environment.id))
    return f"{len(environment.pools):,} compute pools"


def _of_cluster(account: CloudAccount, cluster: ClusterReport) -> Iterator[tuple[str, Run]]:
    settings = account.settings

    def kafka() -> KafkaRest:
        api = account.endpoint(cluster.rest_url, account.key(cluster.id))
        return KafkaRest(api, cluster.id, account.pool)

    yield reports.TOPICS, lambda: kafka().read_topics(cluster)
    if settings.enable_groups:
        yield reports.GROUPS, lambda: kafka().read_groups(cluster)
    if settings.enable_links:
        yield reports.LINKS, lambda: kafka().read_links(cluster)
    if settings.enable_connect:
        yield reports.CONNECTORS, partial(_read_connectors, account, cluster)
    if settings.enable_tableflow:
        yield reports.TABLEFLOW, partial(_read_tableflow, account, cluster)
    if settings.enable_metrics:
        hours = settings.metrics_lookback_hours
        yield (
            reports.METRICS,
            lambda: telemetry.read_activity(account.telemetry(), cluster, hours),
        )


def _read_connectors(account: CloudAccount, cluster: ClusterReport) -> str:
    cluster.connectors = control.read_connectors(
        account.cloud(), cluster.environment_id, cluster.id
    )
    return f"{len(cluster.connectors):,} connectors"


def _read_tableflow(account: CloudAccount, cluster: ClusterReport) -> str:
    api = account.endpoint(account.settings.url, account.key("tableflow"))
    place = (cluster.environment_id, cluster.id)
    cluster.tables = list(control.read_tableflow_topics(api, *place))
    cluster.integrations = list(control.read_catalog_integrations(api, *place))
    return f"{len(cluster.tables):,} Tableflow topics"


def _of_environment(
    account: CloudAccount, environment: EnvironmentReport
) -> Iterator[tuple[str, str, Run]]:
    settings, where = account.settings, environment.id
    if environment.registry_url and settings.enable_schema_registry:
        yield reports.SCHEMAS, where, partial(_read_schemas, account, environment)
    if environment.registry_url and settings.enable_stream_catalog:
        yield reports.CATALOG, where, partial(_read_catalog, account, environment)
    for ksqldb in environment.ksqldb:
        place = f"{where}/{ksqldb.id}"
        yield f"{reports.QUERIES} {ksqldb.id}", place, partial(_read_queries, account, ksqldb)
    places = {(_upper(each, "cloud"), text(each, "spec", "region")) for each in environment.pools}
    for cloud, region in sorted(places):
        run = partial(_read_flink, account, environment, cloud, region)
        yield f"{reports.STATEMENTS} {cloud}.{region}", where, run


def _upper(pool: Json, key: str) -> str:
    return text(pool, "spec", key).upper()


def _read_schemas(account: CloudAccount, environment: EnvironmentReport) -> str:
    key = account.key(f"schema-registry:{environment.id}")
    registry = account.registry(environment.registry_url, key)
    try:
        return governance.read_subjects(registry, environment)
    finally:
        registry.close()


def _read_catalog(account: CloudAccount, environment: EnvironmentReport) -> str:
    key = account.key(f"schema-registry:{environment.id}")
    api = account.endpoint(environment.registry_url, key)
    return governance.read_catalog(api, environment, account.pool)


def _read_queries(account: CloudAccount, ksqldb: KsqlReport) -> str:
    return sql.read_queries(account.endpoint(ksqldb.url, account.key(ksqldb.id)), ksqldb)


def _read_flink(
    account: CloudAccount, environment: EnvironmentReport, cloud: str, region: str
) -> str:
    """The statements of a region; those of an environment are together in its report."""
    url = account.flink_regions.get((cloud, region))
    if not url:
        raise SourceUnavailable(account.settings.url, f"has no Flink gateway in {cloud}.{region}")
    key = account.key(f"flink:{environment.id}:{region}", f"flink:{environment.id}")
    api = account.endpoint(url, key)
    statements = list(sql.read_statements(api, account.organization, environment.id))
    place = {"cloud": cloud, "region": region}
    environment.statements += [{**each, "region": place} for each in statements]
    tables = list(sql.read_materialized_tables(api, account.organization, environment.id))
    environment.materialized += [{**each, "region": place} for each in tables]
    return f"{len(statements):,} Flink statements, {len(tables):,} materialized tables"
