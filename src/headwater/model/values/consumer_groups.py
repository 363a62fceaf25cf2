"""Consumer groups of Kafka: who runs one by its name, and the facets that name them; pure."""

import re
from collections.abc import Iterable, Iterator

from headwater.model.values.ids import digest

# What `collect kafka` reports of a group, on its run.
GROUP_FACET = "kafka_consumer_group"
# The groups by which a job reads, on the job: by whoever knows.
GROUPS_FACET = "kafka_consumer_groups"
# Jobs of groups have a namespace of their own, beside that of the cluster's topics.
GROUP_SCHEME = "kafka-groups"
TOPIC_FACET = "kafka_topic"

# The collector's own job has what a cluster does not tell, as gaps.
COLLECTOR_NAMESPACE = "headwater"

CONNECT, SPARK = "connect", "spark"
_CONNECT = "connect-"
_SPARK = re.compile(
    r"spark-(?:kafka-source|kafka-relation|executor-spark-kafka-source)-[0-9a-f]{8}-"
)


def collector_job_name(kafka_namespace: str) -> str:
    return f"collect kafka {kafka_namespace}"


def group_namespace(kafka_namespace: str) -> str:
    """The namespace of the groups of a cluster: `kafka-groups://HOST:PORT`."""
    return f"{GROUP_SCHEME}://{kafka_namespace.partition('://')[2]}"


def kafka_namespace_of(group_space: str) -> str:
    """The namespace of the topics, by that of the groups."""
    return f"kafka://{group_space.partition('://')[2]}"


def runtime_of(group: str) -> str:
    """Who runs a group, as its generated name says; empty if that says nothing."""
    if group.startswith(_CONNECT) and group != _CONNECT:
        return CONNECT
    return SPARK if _SPARK.match(group) else ""


def group_job_name(group: str, topics: Iterable[str]) -> str:
    """The name of a group's job. Spark makes another group at each start: by what it reads."""
    if runtime_of(group) == SPARK:
        return f"spark-kafka-source: {', '.join(sorted(topics))}"
    return group


def connect_group(connector: str) -> str:
    """The group of a sink connector, unless its configuration says otherwise."""
    return _CONNECT + connector


def connector_of(group: str) -> str:
    return group.removeprefix(_CONNECT)


def group_id(kafka_namespace: str, group: str) -> bytes:
    """Identify a group, for its own job and for those that read by it."""
    return digest("\0".join(("consumer group", kafka_namespace, group)).encode())


def reader_ids(kafka_namespace: str, group: str, topics: Iterable[str]) -> Iterator[bytes]:
    """What a group may be joined by: its name, or for those of Spark the topics it reads."""
    if runtime_of(group) == SPARK:
        for topic in topics:
            yield spark_reader_id(kafka_namespace, topic)
    else:
        yield group_id(kafka_namespace, group)


def spark_reader_id(kafka_namespace: str, topic: str) -> bytes:
    """Identify a reading by Spark, whose groups have names made anew at each start."""
    return digest("\0".join(("spark reads", kafka_namespace, topic)).encode())
