"""Watching an account: whether anything that matters has changed, before all of it is read."""

import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec

from headwater.collect.confluent.reports import EnvironmentReport, inner, text
from headwater.collect.confluent.settings import ConfluentSettings
from headwater.durations import parse_duration

# What a look leaves out: it changes all the time, or takes a request for each thing.
_LOOK = {
    "enable_groups": False,
    "enable_links": False,
    "enable_tableflow": False,
    "enable_stream_catalog": False,
    "enable_metrics": False,
}


class WatchState(StrEnum):
    STOPPED = "stopped"
    WATCHING = "watching"
    COOLDOWN = "cooldown"
    EXTRACTING = "extracting"


class Watch:
    """Decides at each look whether to extract: after a change, once no other follows within the
    cooldown, and at the latest after the refresh time."""

    def __init__(
        self, settings: ConfluentSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.state = WatchState.STOPPED
        self._cooldown = parse_duration(settings.cooldown).total_seconds()
        self._refresh = parse_duration(settings.refresh).total_seconds()
        self._clock = clock
        self._fingerprint = ""
        self._extracted_at: float | None = None
        self._changed_at: float | None = None

    @property
    def must_look(self) -> bool:
        """Whether a look can tell; else an extraction is due anyway."""
        if self._extracted_at is None:
            return False
        return self._clock() - self._extracted_at < self._refresh

    def look(self, fingerprint: str) -> bool:
        """Note what was seen; tells whether to extract now."""
        before, self._fingerprint = self._fingerprint, fingerprint
        return self.note(has_changed=bool(before) and fingerprint != before)

    def note(self, has_changed: bool) -> bool:
        """Note whether anything has changed since the last look; tells whether to extract now."""
        if has_changed:
            self._changed_at = self._clock()
        if self._changed_at is None:
            self.state = WatchState.WATCHING
            return False
        is_quiet = self._clock() - self._changed_at >= self._cooldown
        self.state = WatchState.EXTRACTING if is_quiet else WatchState.COOLDOWN
        return is_quiet

    def begin(self) -> None:
        self.state = WatchState.EXTRACTING

    def end(self, fingerprint: str, is_whole: bool = True) -> None:
        """An extraction has ended; where a part did not answer for now, another one follows."""
        self._fingerprint = fingerprint
        self._extracted_at = self._clock()
        self._changed_at = None if is_whole else self._clock()
        self.state = WatchState.WATCHING if is_whole else WatchState.COOLDOWN

    def stop(self) -> None:
        """An extraction did not end: the next one begins at once."""
        self._extracted_at = None
        self.state = WatchState.STOPPED


def settings_of_look(settings: ConfluentSettings) -> ConfluentSettings:
    """What is read to see whether anything has changed."""
    return settings.model_copy(update=_LOOK)


def fingerprint(environments: Sequence[EnvironmentReport]) -> str:
    """A hash of what matters: topics, connectors, queries, statements and schemas."""
    parts = [[each.id, each.name, *_parts(each)] for each in environments]
    return sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def _parts(environment: EnvironmentReport) -> Iterator[Any]:
    for cluster in sorted(environment.clusters, key=lambda each: each.id):
        topics = [
            [name, each.get("partitions_count"), cluster.configs.get(name)]
            for name, each in sorted(cluster.topics_by_name.items())
        ]
        connectors = [
            [name, inner(each, "info", "config"), text(each, "status", "connector", "state")]
            for name, each in sorted(cluster.connectors.items())
        ]
        yield [cluster.id, cluster.name, topics, connectors]
    for ksqldb in sorted(environment.ksqldb, key=lambda each: each.id):
        queries = [[each.id, each.statement_text, each.state or ""] for each in ksqldb.queries]
        yield [ksqldb.id, sorted(queries)]
    yield sorted(
        [text(each, "name"), text(each, "spec", "statement"), text(each, "status", "phase")]
        for each in environment.statements
    )
    yield sorted([each.schema.subject, each.schema.version] for each in environment.subjects)
