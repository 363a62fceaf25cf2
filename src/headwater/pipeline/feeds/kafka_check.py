"""Testing a Kafka cluster step by step, from the network up to a message."""

import socket
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from headwater.errors import BadConfig, SourceUnavailable
from headwater.pipeline.check_steps import OpenSession, Step, describe_event, run_steps
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.kafka_admin import KafkaAdmin, Topic, read_known_settings
from headwater.pipeline.feeds.kafka_errors import find_reason, with_advice
from headwater.pipeline.feeds.kafka_tls import check_certificate, check_host_name, find_mismatch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONNECT_SECONDS = 5.0
# How like a known setting an unknown one is that is probably misspelt.
_LIKE = 0.75


def check_kafka(source: KafkaSource, name: str, open_session: OpenSession) -> Iterator[Step]:
    """From the network up to a message; the first step that fails is the last."""
    steps = [("brokers", lambda: _reach(source))]
    if source.is_tls:
        steps.append(("certificate", lambda: check_certificate(source)))
        steps.append(("hostname", lambda: check_host_name(source)))
    steps += [
        ("Spark", lambda: f"version {open_session().version}"),
        ("settings", lambda: _check_settings(source, open_session())),
        (
            "credentials" if source.protocol.startswith("SASL") else "cluster",
            lambda: f"id {_admin(source, open_session).cluster_id()}",
        ),
        ("topics", lambda: _find_topics(source, open_session)),
        ("messages", lambda: _read_newest(source, open_session)),
        ("group", lambda: _admin(source, open_session).check_group(source.group_of(name))),
    ]
    yield from run_steps(*steps)


def _reach(source: KafkaSource) -> str:
    """Look up and connect to each broker; one that answers is enough for Kafka."""
    reached, failures, brokers = [], [], source.brokers
    for broker in map(str.strip, brokers.split(",")):
        host, _, port = broker.rpartition(":")
        try:
            address = (host.strip("[]"), _port(port))
            with socket.create_connection(address, _CONNECT_SECONDS):
                pass
            if wrong := find_mismatch(address, source.protocol):
                failures.append(f"{broker} {wrong}")
            else:
                reached.append(broker)
        except socket.gaierror as error:
            failures.append(f"no address for '{host}' ({error.strerror}); is the name right?")
        except ValueError:
            failures.append(f"'{broker}' is not HOST:PORT")
        except OSError as error:
            reason = error.strerror or str(error) or "no answer"
            failures.append(f"cannot connect to {broker}: {reason}; is it running?")
    if not reached:
        raise SourceUnavailable(brokers, "; ".join(failures))
    return ", ".join([f"{name} answers" for name in reached] + failures)


def _check_settings(source: KafkaSource, spark: "SparkSession") -> str:
    """Compare the given settings with those that Kafka's consumer knows: it ignores others."""
    if not source.settings:
        return "none beside the defaults"
    known = read_known_settings(spark)
    unknown = [name for name in source.settings if name not in known]
    for name in unknown:
        if near := get_close_matches(name, known, n=1, cutoff=_LIKE):
            reason = f"Kafka has no setting '{name}' and would ignore it; did you mean '{near[0]}'?"
            raise BadConfig("consumer", reason)
    if unknown:
        return f"passed on, though Kafka itself does not know: {', '.join(unknown)}"
    return f"{len(source.settings)} known to Kafka"


def _port(text: str) -> int:
    if not 0 < int(text) < 65_536:
        raise ValueError
    return int(text)


def _admin(source: KafkaSource, open_session: OpenSession) -> KafkaAdmin:
    return KafkaAdmin(open_session(), source)


def _find_topics(source: KafkaSource, open_session: OpenSession) -> str:
    admin = _admin(source, open_session)
    topics = admin.find_topics()
    admin.check_requested(topics)
    counts = _counts(admin, topics)
    return ", ".join(
        f"{name}: {topic.partitions} partitions, {counts[name]:,} messages"
        for name, topic in sorted(topics.items())
    )


def _counts(admin: KafkaAdmin, topics: dict[str, Topic]) -> dict[str, int]:
    firsts, ends = admin.first_offsets(topics), admin.end_offsets(topics)
    return {name: sum(ends[name].values()) - sum(firsts[name].values()) for name in topics}


def _read_newest(source: KafkaSource, open_session: OpenSession) -> str:
    """Read one message, the newest, as the ingest would."""
    admin = _admin(source, open_session)
    topics = admin.find_topics()
    firsts, ends = admin.first_offsets(topics), admin.end_offsets(topics)
    filled = [
        (topic, partition)
        for topic, partitions in ends.items()
        for partition, end in partitions.items()
        if end > firsts[topic][partition]
    ]
    if not filled:
        return "there are none yet"
    topic, partition = filled[0]
    end = ends[topic][partition]
    value = _read_one(source, open_session(), topic, partition, end - 1)
    return f"{topic}/{partition}@{end - 1} {describe_event(value)}"


def _read_one(
    source: KafkaSource, spark: "SparkSession", topic: str, partition: int, offset: int
) -> bytes | None:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        rows = source.frame(spark, topic, partition, offset).take(1)
    except (PySparkException, Py4JJavaError) as error:
        reason = find_reason(str(error)) or str(error).partition("\n")[0]
        raise SourceUnavailable(source.brokers, with_advice(reason)) from error
    return bytes(rows[0]["value"]) if rows and rows[0]["value"] is not None else None
