"""The data plane of the stand-in: Kafka REST, ksqlDB, Flink's gateways, metrics."""

from collections.abc import Sequence

from headwater.demo.confluent.estate import CloudCluster, CloudGroup, CloudStatement
from headwater.demo.confluent.protocol import CloudRequest, Json, RequestRefused, Route, page

_PAGED = ("page_size", "page_token")
_METRICS = ("received_bytes", "received_records", "sent_bytes", "sent_records")
_KSQL_ENTITIES = {
    "SHOW QUERIES EXTENDED": ("query_descriptions", "queryDescriptions"),
    "LIST STREAMS EXTENDED": ("source_descriptions", "sourceDescriptions"),
    "LIST TABLES EXTENDED": ("source_descriptions", "sourceDescriptions"),
}


def _cluster(request: CloudRequest) -> CloudCluster:
    found = request.estate.cluster(request.place["rest"])
    if found is None or request.place["cluster"] != found.id:
        raise RequestRefused(404, "This server does not host this cluster")
    request.check_key(found.credentials)
    return found


def _list(request: CloudRequest, kind: str, entries: Sequence[Json]) -> Json:
    metadata = {"self": request.url + request.path, "next": None}
    return {"kind": kind, "metadata": metadata, "data": list(entries)}


def list_topics(request: CloudRequest) -> Json:
    cluster = _cluster(request)
    entries = [
        {
            "kind": "KafkaTopic",
            "metadata": {"self": f"{request.url}{request.path}/{each.name}"},
            "cluster_id": cluster.id,
            "topic_name": each.name,
            "is_internal": each.is_internal,
            "replication_factor": each.replication_factor,
            "partitions_count": each.partitions,
        }
        for each in cluster.topics.values()
    ]
    return _list(request, "KafkaTopicList", entries)


def list_configs(request: CloudRequest) -> Json:
    cluster = _cluster(request)
    entries: list[Json] = []
    for topic in cluster.topics.values():
        for name, value in topic.configs.items():
            entries.append(_config(cluster, topic.name, name, value, "DYNAMIC_TOPIC_CONFIG"))
        # One of those that any topic has.
        entries.append(
            _config(cluster, topic.name, "compression.type", "producer", "DEFAULT_CONFIG")
        )
    return _list(request, "KafkaTopicConfigList", entries)


def _config(cluster: CloudCluster, topic: str, name: str, value: str, source: str) -> Json:
    return {
        "kind": "KafkaTopicConfig",
        "cluster_id": cluster.id,
        "topic_name": topic,
        "name": name,
        "value": value,
        "is_default": source == "DEFAULT_CONFIG",
        "is_read_only": False,
        "is_sensitive": False,
        "source": source,
        "synonyms": [],
    }


def list_groups(request: CloudRequest) -> Json:
    cluster = _cluster(request)
    entries = [
        {
            "kind": "KafkaConsumerGroup",
            "cluster_id": cluster.id,
            "consumer_group_id": each.id,
            "is_simple": False,
            "partition_assignor": "range",
            "state": each.state,
            "type": "CLASSIC",
            "is_mixed_consumer_group": False,
        }
        for each in cluster.groups.values()
    ]
    return _list(request, "KafkaConsumerGroupList", entries)


def _group(request: CloudRequest) -> CloudGroup:
    found = _cluster(request).groups.get(request.place["group"])
    if found is None:
        raise RequestRefused(404, "The group is not there")
    return found


def list_lags(request: CloudRequest) -> Json:
    group = _group(request)
    if not group.lags:
        raise RequestRefused(404, "The group has no committed offsets")
    member = group.members[0] if group.members else ""
    entries = [
        {
            "kind": "KafkaConsumerLag",
            "cluster_id": request.place["cluster"],
            "consumer_group_id": group.id,
            "topic_name": topic,
            "partition_id": partition,
            "current_offset": current,
            "log_end_offset": end,
            "lag": end - current,
            "consumer_id": member,
            "client_id": member,
        }
        for (topic, partition), (current, end) in group.lags.items()
    ]
    return _list(request, "KafkaConsumerLagList", entries)


def list_consumers(request: CloudRequest) -> Json:
    group = _group(request)
    entries = [
        {
            "kind": "KafkaConsumer",
            "cluster_id": request.place["cluster"],
            "consumer_group_id": group.id,
            "consumer_id": each,
            "instance_id": None,
            "client_id": each.partition("-")[0],
        }
        for each in group.members
    ]
    return _list(request, "KafkaConsumerList", entries)


def list_links(request: CloudRequest) -> Json:
    cluster = _cluster(request)
    entries = [
        {
            "kind": "KafkaLinkData",
            "source_cluster_id": source,
            "destination_cluster_id": cluster.id,
            "link_name": name,
            "cluster_link_id": f"{name}-id",
            "topic_names": [each.mirror_topic for each in cluster.mirrors if each.link == name],
            "link_error": "NO_ERROR",
            "link_state": "ACTIVE",
        }
        for name, source in cluster.links.items()
    ]
    return _list(request, "KafkaLinkDataList", entries)


def list_mirrors(request: CloudRequest) -> Json:
    cluster = _cluster(request)
    entries = [
        {
            "kind": "KafkaMirrorData",
            "link_name": each.link,
            "mirror_topic_name": each.mirror_topic,
            "source_topic_name": each.source_topic,
            "num_partitions": 6,
            "mirror_lags": [],
            "mirror_status": each.status,
            "mirror_topic_error": "NO_ERROR",
            "state_time_ms": 1_770_000_000_000,
        }
        for each in cluster.mirrors
    ]
    return _list(request, "KafkaMirrorDataList", entries)


def run_ksql(request: CloudRequest) -> list[Json]:
    environments = request.estate.environments.values()
    id = request.place["ksqldb"]
    ksqldb = next((each.ksqldb[id] for each in environments if id in each.ksqldb), None)
    if ksqldb is None:
        raise RequestRefused(404, "there is no such ksqlDB cluster")
    request.check_key(ksqldb.credentials)
    body = request.json(("ksql", "streamsProperties", "sessionVariables"), ("ksql",))
    answers = []
    for statement in filter(None, map(str.strip, str(body["ksql"]).split(";"))):
        if statement not in _KSQL_ENTITIES:
            raise RequestRefused(400, f"this stand-in knows no statement '{statement}'")
        kind, key = _KSQL_ENTITIES[statement]
        type_ = "TABLE" if "TABLES" in statement else "STREAM"
        sources = [each for each in ksqldb.sources if each["type"] == type_]
        entries = ksqldb.queries if kind == "query_descriptions" else sources
        answers.append(
            {"@type": kind, "statementText": f"{statement};", key: entries, "warnings": []}
        )
    return answers


def list_statements(request: CloudRequest) -> Json:
    environment = request.estate.environments.get(request.place["environment"])
    if environment is None or request.place["organization"] != request.estate.organization:
        raise RequestRefused(404, "there is no such environment in this organization")
    request.check_key(environment.flink)
    here = {
        each.id
        for each in environment.pools
        if f"{each.cloud.lower()}.{each.region}" == request.place["region"]
    }
    found = [each for each in environment.statements if each.pool in here]
    entries = [_statement(request, each) for each in found]
    return page(request, "StatementList", entries)


def _statement(request: CloudRequest, found: CloudStatement) -> Json:
    return {
        "api_version": "sql/v1",
        "kind": "Statement",
        "metadata": {"self": f"{request.url}{request.path}/{found.name}", "labels": {}},
        "name": found.name,
        "organization_id": request.estate.organization,
        "environment_id": request.place["environment"],
        "spec": {
            "statement": found.sql,
            "properties": found.properties,
            "compute_pool_id": found.pool,
            "principal": "sa-abc123",
            "stopped": found.phase == "STOPPED",
        },
        "status": {
            "phase": found.phase,
            "detail": found.detail,
            "traits": {"sql_kind": found.kind, "is_bounded": False},
        },
    }


def list_materialized_tables(request: CloudRequest) -> Json:
    environment = request.estate.environments.get(request.place["environment"])
    if environment is None:
        raise RequestRefused(404, "there is no such environment")
    request.check_key(environment.flink)
    return page(request, "MaterializedTableList", [])


def query_metrics(request: CloudRequest) -> Json:
    request.check_key(request.estate.cloud)
    known = ("aggregations", "group_by", "granularity", "filter", "order_by", "intervals")
    body = request.json((*known, "limit", "format"), ("aggregations", "granularity", "intervals"))
    if not 1 <= body.get("limit", 100) <= 1_000:
        raise RequestRefused(400, "limit is a number from 1 to 1000")
    filter_ = body.get("filter") or {}
    if filter_.get("op") != "EQ" or filter_.get("field") != "resource.kafka.id":
        raise RequestRefused(400, "this stand-in filters by resource.kafka.id")
    metric = str(body["aggregations"][0].get("metric", "")).rpartition("/")[2]
    if metric not in _METRICS or body.get("group_by") != ["metric.topic"]:
        raise RequestRefused(400, f"there is no metric '{metric}' by topic")
    cluster = request.estate.cluster(str(filter_.get("value")))
    if cluster is None:
        raise RequestRefused(403, "the cluster may not be read")
    rows = [
        {"metric.topic": each.name, "timestamp": "2026-05-01T00:00:00Z", "value": count}
        for each in cluster.topics.values()
        if (count := each.activity.get(metric))
    ]
    return {"data": rows, "meta": {"pagination": {"page_size": len(rows)}}}


_KAFKA = "/rest/{rest}/kafka/v3/clusters/{cluster}"
_GROUP = f"{_KAFKA}/consumer-groups/{{group}}"
_SQL = "/flink/{region}/sql/v1/organizations/{organization}/environments/{environment}"

ROUTES = (
    Route("GET", f"{_KAFKA}/topics", list_topics),
    Route("GET", f"{_KAFKA}/topics/-/configs", list_configs),
    Route("GET", f"{_KAFKA}/consumer-groups", list_groups),
    Route("GET", f"{_GROUP}/lags", list_lags),
    Route("GET", f"{_GROUP}/consumers", list_consumers),
    Route("GET", f"{_KAFKA}/links", list_links),
    Route("GET", f"{_KAFKA}/links/-/mirrors", list_mirrors, ("mirror_status",)),
    Route("POST", "/ksqldb/{ksqldb}/ksql", run_ksql),
    Route("GET", f"{_SQL}/statements", list_statements, ("spec.compute_pool_id", *_PAGED)),
    Route("GET", f"{_SQL}/materialized-tables", list_materialized_tables, _PAGED),
    Route("POST", "/v2/metrics/cloud/query", query_metrics, ("page_token",)),
)
