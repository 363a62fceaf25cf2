"""A large account of Confluent Cloud, for the stand-in."""

import json

from headwater.demo.confluent.estate import (
    CloudCluster,
    CloudEnvironment,
    CloudEstate,
    CloudGroup,
    CloudPool,
    CloudStatement,
    Credentials,
)

ENVIRONMENTS, CLUSTERS = 10, 5
TOPICS, CONNECTORS, STATEMENTS, GROUPS = 400, 40, 60, 100
_COLUMNS = {"id": "string", "price": "double", "quantity": "int", "placed_at": "long"}
_SQL = (
    "INSERT INTO `{target}` SELECT id, UPPER(id) AS name, price * quantity AS total, placed_at "
    "FROM `{source}` WHERE quantity > 0"
)


def build_large_estate() -> CloudEstate:
    """50 clusters, 20,000 topics with schemas, 2,000 connectors, 3,000 statements, 5,000 groups."""
    estate = CloudEstate("org-bench", Credentials("C", "cloud"), Credentials("T", "tableflow"))
    for number in range(ENVIRONMENTS):
        environment = _environment(number)
        estate.environments[environment.id] = environment
    return estate


def change_a_hundredth(estate: CloudEstate) -> int:
    """Change one connector and one topic in a hundred; returns how many."""
    changed = 0
    clusters = [each for env in estate.environments.values() for each in env.clusters.values()]
    for cluster in clusters:
        for topic in list(cluster.topics.values())[::100]:
            topic.partitions += 1
            changed += 1
        for connector in list(cluster.connectors.values())[::100]:
            connector.state = "PAUSED"
            changed += 1
    return changed


def _environment(number: int) -> CloudEnvironment:
    id = f"env-{number:03}"
    registry, flink = Credentials(f"SR{number}", "registry"), Credentials(f"FL{number}", "flink")
    environment = CloudEnvironment(id, f"environment-{number}", registry, flink)
    environment.pools = [CloudPool(f"lfcp-{number}", "pool")]
    for index in range(CLUSTERS):
        cluster = _cluster(environment, f"{number:03}{index}")
        environment.clusters[cluster.id] = cluster
    return environment


def _cluster(environment: CloudEnvironment, number: str) -> CloudCluster:
    credentials = Credentials(f"K{number}", "kafka")
    cluster = CloudCluster(f"lkc-{number}", f"cluster-{number}", credentials)
    names = [f"shop-{number}.topic-{each}" for each in range(TOPICS)]
    fields = [{"name": name, "type": kind} for name, kind in _COLUMNS.items()]
    for name in names:
        cluster.add_topic(name, configs={"retention.ms": "604800000"})
        record = {"type": "record", "name": "Order", "fields": fields}
        environment.add_schema(f"{name}-value", json.dumps(record))
    for each in range(CONNECTORS):
        sink = cluster.add_connector(f"sink-{number}-{each}", f"lcc-{number}{each}", "sink")
        sink.config |= {
            "connector.class": "S3_SINK",
            "topics": ",".join(names[each * 2 : each * 2 + 2]),
            "s3.bucket.name": "lake",
        }
    properties = {"sql.current-database": cluster.name}
    for each in range(STATEMENTS):
        sql = _SQL.format(source=names[each * 2], target=names[each * 2 + 200])
        name = f"enrich-{number}-{each}"
        pool = environment.pools[0].id
        environment.statements.append(CloudStatement(name, sql, pool, properties))
    for each in range(GROUPS):
        lags = {(names[each], part): (90, 100) for part in range(3)}
        cluster.groups[f"app-{each}"] = CloudGroup(f"app-{each}", lags, [f"app-{each}-0"])
    return cluster
