"""Trying the way to a Kafka cluster, step by step, so that it is known which part of it fails."""

import socket
from collections.abc import Iterator
from typing import Any

from headwater.collect.kafka.fetch import KafkaApi
from headwater.collect.kafka.settings import KafkaSettings
from headwater.collect.state_file import StateFile
from headwater.errors import HeadwaterError
from headwater.plugins import CheckStep

_DEFAULT_PORT = 9092
_ADVICE = (
    "does the broker speak --security-protocol at this port, and know --user? its log says "
    "why it refused"
)
_RIGHTS = "let this user DESCRIBE the cluster, its topics and groups, and DESCRIBE_CONFIGS"


def check_cluster(settings: KafkaSettings, state: StateFile[Any]) -> list[CheckStep]:
    """The way to the brokers, what may be read there, and where a pass is remembered, up to what
    fails first."""
    steps = list(_check_brokers(settings))
    if not any(step.is_ok for step in steps):
        return steps
    try:
        steps += _check_rights(settings)
    except HeadwaterError as error:
        return [*steps, CheckStep("cluster", False, error.message, _ADVICE)]
    problem = state.check()
    detail = problem or f"{state.folder} can be written"
    return [*steps, CheckStep("state", problem is None, detail, "choose a folder with --state")]


def _check_brokers(settings: KafkaSettings) -> Iterator[CheckStep]:
    """Each broker of --bootstrap; one that answers is enough."""
    failed = []
    for each in settings.bootstrap.split(","):
        host, _, port = each.strip().rpartition("://")[2].rpartition(":")
        try:
            address = (host.strip("[]"), int(port)) if host else (port, _DEFAULT_PORT)
            socket.create_connection(address, settings.seconds).close()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            failed.append(f"{each.strip()}: {reason}")
            continue
        yield CheckStep("broker", True, f"{each.strip()} is open")
        return
    advice = "is it running, are name and port of --bootstrap right, is there a firewall between?"
    yield CheckStep("broker", False, "; ".join(failed), advice)


def _check_rights(settings: KafkaSettings) -> Iterator[CheckStep]:
    api = KafkaApi(settings)
    cluster = api.read_cluster()
    yield CheckStep("cluster", True, f"{cluster.id}, {len(cluster.brokers)} brokers")
    topics = api.list_topics()
    yield CheckStep("topics", True, f"{len(topics):,} topics")
    list(api.add_configs(list(topics.values())[:1]))
    groups = api.list_groups()
    yield CheckStep("groups", groups is not None, f"{len(groups or ()):,} groups", _RIGHTS)
    if cluster.may_list:
        api.read_access()
    else:
        yield CheckStep("rights", True, f"not all may be seen: {_RIGHTS}")
    for each in api.denied:
        # It is reported as a gap, and all else is collected.
        yield CheckStep("rights", True, f"{each.what}: {each.reason}; it becomes a gap")
