"""What a Kafka cluster says of itself by its admin protocol, in its own words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any, TypeVar

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)

# They are there, but not marked as exported.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
)

from headwater.collect.kafka.reports import (
    AccessRule,
    Cluster,
    ClusterTopic,
    Denied,
    Group,
    Member,
    TopicOffsets,
)
from headwater.collect.kafka.settings import KafkaSettings
from headwater.errors import SourceUnavailable

Answer = TypeVar("Answer")

# Of each: an answer of the broker stays below a few megabytes.
_TOPICS_AT_ONCE = 500
GROUPS_AT_ONCE = 200
_PARTITIONS_AT_ONCE = 5_000
_DENIED = frozenset(
    (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    )
)
_GONE = frozenset((KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.GROUP_ID_NOT_FOUND))
# Shown of every topic, whether or not they are its own.
_ALWAYS = frozenset(("retention.ms", "retention.bytes", "cleanup.policy"))
_ANY_RULE: Any = (
    ResourceType.ANY,
    None,
    ResourcePatternType.ANY,
    None,
    None,
    AclOperation.ANY,
    AclPermissionType.ANY,
)
_LATEST = OffsetSpec.latest()  # type: ignore[no-untyped-call]


class KafkaApi:
    """Requests to the brokers of one cluster; what is refused is listed in `denied`."""

    def __init__(self, settings: KafkaSettings, client: Any = None) -> None:
        self._settings = settings
        self._timeout = settings.seconds
        self.denied: list[Denied] = []
        self._last_error = ""
        own: dict[str, Any] = {"log_level": 0, "error_cb": self._note_error}
        try:
            self._client = client or AdminClient({**settings.client(), **own})
        except (KafkaException, ValueError) as error:
            raise self._unavailable(error) from None

    def close(self) -> None:
        """The client has no connection that must be closed; it ends with its last reference."""
        self._client = None

    def read_cluster(self) -> Cluster:
        """The cluster's id and brokers, and whether all topics and groups may be listed."""
        answers = self._client.describe_cluster(
            include_authorized_operations=True, request_timeout=self._timeout
        )
        found = self._get(answers)
        operations = found.authorized_operations
        may_list = AclOperation.DESCRIBE in (operations or ())
        brokers = tuple(f"{node.host}:{node.port}" for node in found.nodes)
        return Cluster(found.cluster_id or "", brokers, may_list)

    def list_topics(self) -> dict[str, ClusterTopic]:
        """All topics that may be seen: a broker leaves out what a user may not describe."""
        try:
            found = self._client.list_topics(timeout=self._timeout)
        except KafkaException as error:
            raise self._unavailable(error) from None
        topics = {}
        for name, each in found.topics.items():
            if each.error is not None:
                self._note(name, each.error)
                continue
            replicas = [len(one.replicas) for one in each.partitions.values()]
            topics[name] = ClusterTopic(name, len(each.partitions), min(replicas, default=0))
        return topics

    def add_configs(self, topics: Iterable[ClusterTopic]) -> Iterator[ClusterTopic]:
        """Topics with their settings; one whose settings may not be read is without."""
        for some in _batched(topics, _TOPICS_AT_ONCE):
            resources = [ConfigResource(ConfigResource.Type.TOPIC, each.name) for each in some]
            answers = self._client.describe_configs(resources, request_timeout=self._timeout)
            found = {resource.name: future for resource, future in answers.items()}
            for each in some:
                entries = self._get_or_note(found[each.name], f"settings of {each.name}")
                yield each if entries is None else each._replace(config=_own_settings(entries))

    def is_gone(self, topic: str) -> bool:
        """Whether a topic that is not listed any more was deleted, and not only hidden."""
        answers = self._client.describe_topics(
            TopicCollection([topic]), request_timeout=self._timeout
        )
        try:
            answers[topic].result(self._timeout)
        except KafkaException as error:
            if error.args[0].code() in _GONE:
                return True
            self._note(topic, error.args[0])
        except TimeoutError:
            raise self._too_late() from None
        return False

    def list_groups(self) -> list[Group] | None:
        """The groups that may be seen; None if a broker did not answer: some may be missing."""
        found = self._get(self._client.list_consumer_groups(request_timeout=self._timeout))
        if found.errors:
            for error in found.errors:
                self.denied.append(Denied("groups", _reason(error)))
            return None
        return [Group(each.group_id, kind=each.type.name.lower()) for each in found.valid]

    def describe_groups(self, groups: Sequence[Group]) -> Iterator[Group]:
        """Groups, at most so many at once, with their members and how far they are; those that may
        not be read are left out."""
        names = [each.name for each in groups]
        if not names:
            return
        described = self._client.describe_consumer_groups(names, request_timeout=self._timeout)
        committed = {
            name: self._client.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(name)], request_timeout=self._timeout
            )[name]
            for name in names
        }
        for each in groups:
            what = f"group {each.name}"
            found = self._get_or_note(described[each.name], what)
            offsets = self._get_or_note(committed[each.name], f"offsets of {what}")
            if found is not None:
                yield _described(each, found, offsets)

    def is_group_gone(self, name: str) -> bool:
        """Whether a group that is not listed any more was deleted, and not only hidden."""
        answers = self._client.describe_consumer_groups([name], request_timeout=self._timeout)[name]
        try:
            found = answers.result(self._timeout)
        except KafkaException as error:
            if error.args[0].code() in _GONE:
                return True
            self._note(f"group {name}", error.args[0])
            return False
        except TimeoutError:
            raise self._too_late() from None
        return bool(found.state.name == "DEAD")

    def read_ends(self, partitions: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The next offset of partitions; those that have none, or may not be read, are left out."""
        ends = {}
        for some in _batched(sorted(set(partitions)), _PARTITIONS_AT_ONCE):
            requested = {TopicPartition(*each): _LATEST for each in some}
            answers = self._client.list_offsets(requested, request_timeout=self._timeout)
            for place, future in answers.items():
                try:
                    end = future.result(self._timeout).offset
                except KafkaException as error:
                    # A partition without a leader has no end now: then there is no lag either.
                    if error.args[0].code() in _DENIED:
                        self._note(f"offsets of {place.topic}", error.args[0])
                    continue
                except TimeoutError:
                    raise self._too_late() from None
                ends[place.topic, place.partition] = end
        return ends

    def read_access(self) -> list[AccessRule] | None:
        """Who may do what; none where the cluster lets everybody, None where it may not be read.

        To who may not describe the cluster the answer is empty, and not an error.
        """
        requested = AclBindingFilter(*_ANY_RULE)
        try:
            found = self._client.describe_acls(requested, request_timeout=self._timeout).result(
                self._timeout
            )
        except KafkaException as error:
            if error.args[0].code() == KafkaError.SECURITY_DISABLED:
                return []
            self._note("access rules", error.args[0])
            return None
        except TimeoutError:
            raise self._too_late() from None
        return [
            AccessRule(
                each.restype.name.lower(),
                each.name,
                each.resource_pattern_type.name.lower(),
                each.principal,
                each.host,
                each.operation.name.lower(),
                each.permission_type.name.lower(),
            )
            for each in found
        ]

    def _get(self, future: "Future[Any]") -> Any:
        try:
            return future.result(self._timeout)
        except KafkaException as error:
            raise self._unavailable(error) from None
        except TimeoutError:
            raise self._too_late() from None

    def _get_or_note(self, future: "Future[Any]", what: str) -> Any:
        """An answer; None where it was refused, or what it is about went away meanwhile."""
        try:
            return future.result(self._timeout)
        except KafkaException as error:
            code = error.args[0].code()
            if code in _DENIED:
                self._note(what, error.args[0])
            elif code not in _GONE:
                raise self._unavailable(error) from None
            return None
        except TimeoutError:
            raise self._too_late() from None

    def _note(self, what: str, error: KafkaError) -> None:
        self.denied.append(Denied(what, error.str().removeprefix("Broker: ")))

    def _note_error(self, error: KafkaError) -> None:
        self._last_error = error.str()

    def _too_late(self) -> SourceUnavailable:
        """No answer in time: the client tries on by itself, and knows why it fails."""
        self._client.poll(0)
        reason = f": {self._last_error}" if self._last_error else ""
        return self._unavailable(f"it did not answer in time{reason}")

    def _unavailable(self, error: Exception | str) -> SourceUnavailable:
        return SourceUnavailable(self._settings.bootstrap, _reason(error))


def _reason(error: Exception | str) -> str:
    if isinstance(error, KafkaException) and error.args:
        found = error.args[0]
        return str(found.str()) if isinstance(found, KafkaError) else str(found)
    return str(error)


def _own_settings(entries: Mapping[str, Any]) -> dict[str, str]:
    """What was set for a topic, and what says how long it keeps records; no secrets."""
    own = ConfigSource.DYNAMIC_TOPIC_CONFIG
    return {
        name: str(entry.value)
        for name, entry in sorted(entries.items())
        if not entry.is_sensitive and (name in _ALWAYS or ConfigSource(entry.source) == own)
    }


def _described(group: Group, found: Any, offsets: Any) -> Group:
    members = tuple(_member(each) for each in found.members)
    committed: dict[str, dict[int, int]] = {}
    for place in (offsets.topic_partitions if offsets is not None else None) or ():
        if place.error is None and place.offset >= 0:
            committed.setdefault(place.topic, {})[place.partition] = place.offset
    return group._replace(
        state=found.state.name.lower(),
        members=members,
        committed={topic: TopicOffsets(some) for topic, some in committed.items()},
        has_offsets=offsets is not None,
    )


def _member(found: Any) -> Member:
    counted: dict[str, int] = {}
    for place in found.assignment.topic_partitions:
        counted[place.topic] = counted.get(place.topic, 0) + 1
    return Member(
        found.client_id, found.host.removeprefix("/"), found.group_instance_id or "", counted
    )


def _batched(items: Iterable[Answer], count: int) -> Iterator[list[Answer]]:
    left = iter(items)
    while some := list(islice(left, count)):
        yield some
