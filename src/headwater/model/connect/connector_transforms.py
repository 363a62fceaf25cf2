"""What the transforms of a connector do to the topics of its records, by its configuration."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from headwater.model.connect.connector_dates import DatedTopics
from headwater.model.connect.connector_templates import (
    Config,
    entries,
    is_alias,
    knowledge,
    python_regex,
)


class ConnectorGap(NamedTuple):
    """Something of a connector's lineage that is not known, in one sentence."""

    kind: str
    name: str
    description: str


class ConfiguredTransform(NamedTuple):
    """A transform of a connector, of the class `kind`."""

    name: str
    kind: str
    config: Config

    def settings(self) -> dict[str, str]:
        """Its own settings, without the prefix."""
        start = f"transforms.{self.name}."
        found = {key: value for key, value in self.config.items() if key.startswith(start)}
        return {key.removeprefix(start): value for key, value in found.items()}

    def get(self, key: str) -> str:
        return self.config.get(f"transforms.{self.name}.{key}", "")

    def is_one_of(self, classes: list[str]) -> bool:
        return any(is_alias(self.kind, each) for each in classes)


class TransformChain:
    """The transforms of a connector, in their order."""

    def __init__(self, config: Config) -> None:
        config = _with_naming(config)
        names = entries(config.get("transforms", ""))
        kinds = [config.get(f"transforms.{name}.type", "") for name in names]
        self._all = [
            ConfiguredTransform(name, kind, config) for name, kind in zip(names, kinds, strict=True)
        ]
        self._known = knowledge()["transforms"]

    def route(self, topic: str) -> str | None:
        """The topic that records of a topic end in; None where that cannot be derived."""
        for transform in self._all:
            if self._keeps_topic(transform):
                continue
            routed = self._route(transform, topic)
            if routed is None:
                return None
            topic = routed
        return topic

    def with_topics(self, topic: str) -> Iterator[tuple[ConfiguredTransform, str]]:
        """Each transform with the topic of records before it; empty where that is not known."""
        at: str | None = topic or None
        for transform in self._all:
            if transform.name != self._known["naming_strategy"]:
                yield transform, at or ""
            if at and not self._keeps_topic(transform):
                at = self._route(transform, at)

    def applies_to_rows(self, transform: ConfiguredTransform, topic: str) -> bool | None:
        """Whether a transform is for records with a value; None where records decide that."""
        predicate = transform.get("predicate")
        kind = transform.config.get(f"predicates.{predicate}.type", "")
        for known, holds in knowledge()["columns"]["predicates"].items():
            if predicate and is_alias(kind, known):
                return bool(holds) != (transform.get("negate").lower() == "true")
        return self._applies(transform, topic) if topic or not predicate else None

    def grouped(self, topic: str) -> str:
        """The group that a topic with a time in its name is part of; other topics as they are."""
        dates = self._dates()
        origin = dates.origin_of(topic) if dates else None
        return dates.group_of(origin) if dates and origin else topic

    def origin_of(self, topic: str) -> str:
        """The topic before all transforms; empty where that cannot be derived."""
        dates = self._dates()
        origin = dates.origin_of(topic) if dates else topic
        return origin if origin and self.route(origin) == topic else ""

    def _dates(self) -> DatedTopics | None:
        """The router that puts a time into topics, if none comes after it."""
        routers = [each for each in self._all if not self._keeps_topic(each)]
        is_dated = bool(routers) and routers[-1].is_one_of(self._known["timestamp_routers"])
        return _dates_of(routers[-1]) if is_dated else None

    def gaps(self) -> list[ConnectorGap]:
        """The transforms whose effect on topics cannot be derived."""
        sentence = "To which topic or table this transform routes records is not known."
        gaps, is_dated = [], False
        for transform in self._all:
            if self._keeps_topic(transform):
                continue
            if is_dated or self._route(transform, "") is None:
                gaps.append(ConnectorGap("operator", transform.kind, sentence))
            is_dated |= transform.is_one_of(self._known["timestamp_routers"])
        return gaps

    def _keeps_topic(self, transform: ConfiguredTransform) -> bool:
        unless = self._known["keep_topic_without"]
        return transform.is_one_of([*self._known["ours"], *self._known["keep_topic"]]) or any(
            is_alias(transform.kind, name) and not transform.get(key)
            for name, key in unless.items()
        )

    def _route(self, transform: ConfiguredTransform, topic: str) -> str | None:
        if transform.is_one_of(self._known["timestamp_routers"]):
            applies = self._applies(transform, topic)
            grouped = _dates_of(transform).group_of(topic) if applies else topic
            return None if applies is None or "{" in topic else grouped
        router = next(
            (each for each in self._known["routers"] if transform.is_one_of(each["classes"])), None
        )
        applies = self._applies(transform, topic)
        if router is None or applies is None:
            return None
        if not applies:
            return topic
        if "{" in topic:
            # The names of all times may match differently.
            return None
        return _replaced(
            topic, transform.get(router["regex"]), transform.get(router["replacement"])
        )

    def _applies(self, transform: ConfiguredTransform, topic: str) -> bool | None:
        """Whether a transform's predicate holds for a topic; None where records decide that."""
        predicate = transform.get("predicate")
        if not predicate:
            return True
        config = transform.config
        kind = config.get(f"predicates.{predicate}.type", "")
        if not any(is_alias(kind, each) for each in self._known["topic_predicates"]):
            return None
        pattern = _compiled(config.get(f"predicates.{predicate}.pattern", ""))
        if pattern is None:
            return None
        # Connect does not trim this one: " true " is false.
        is_negated = transform.get("negate").lower() == "true"
        return (pattern.fullmatch(topic) is not None) != is_negated


def _with_naming(config: Config) -> Config:
    """Debezium's strategy for the names of topics, which is like a transform before all others."""
    key = knowledge()["transforms"]["naming_strategy"]
    if not config.get(key):
        return config
    own = {each: value for each, value in config.items() if each.startswith("topic.")}
    return {
        **config,
        **{f"transforms.{key}.{each}": value for each, value in own.items()},
        f"transforms.{key}.type": config[key],
        "transforms": ",".join([key, config.get("transforms", "")]),
    }


def _dates_of(transform: ConfiguredTransform) -> DatedTopics:
    """With the defaults of Kafka's TimestampRouter."""
    topic_format = transform.get("topic.format") or "${topic}-${timestamp}"
    return DatedTopics(topic_format, transform.get("timestamp.format") or "yyyyMMdd")


def _replaced(topic: str, regex: str, replacement: str) -> str | None:
    """A topic as Kafka's RegexRouter renames it: the whole name must match."""
    pattern = _compiled(regex)
    if pattern is None or not regex:
        return None
    found = pattern.fullmatch(topic)
    if found is None:
        return topic
    try:
        return found.expand(_python_template(replacement))
    except (re.error, IndexError):
        return None


def _compiled(regex: str) -> re.Pattern[str] | None:
    try:
        return re.compile(python_regex(regex))
    except re.error:
        # Java has some that Python does not.
        return None


def _python_template(replacement: str) -> str:
    """A replacement as Python writes it: groups are `$1` and `${name}` in Java."""
    return re.sub(
        r"\\(.)|\$(\d)|\$\{(\w+)\}|\\",
        lambda found: (
            found[1].replace("\\", "\\\\")
            if found[1] is not None
            else f"\\g<{found[2] or found[3]}>"
            if found[2] or found[3]
            else "\\\\"
        ),
        replacement,
    )
