"""What an ingest is watched by: counters for Prometheus, lines for a log, all of them at once."""

import logging
import time
from collections.abc import Sequence
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from headwater.errors import BadConfig, HeadwaterError
from headwater.pipeline.driver_store import Totals

log = logging.getLogger(__name__)


class IngestObserver(Protocol):
    """Receives notifications of an ingest."""

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        """A stream began, or began again, over these datasets."""

    def stored(self, totals: Totals, seconds: float) -> None:
        """A batch is stored."""

    def settled(self, lag: int | None) -> None:
        """The store knows how far the feed is; so many messages are still to come."""

    def behind(self, seconds: float) -> None:
        """What was read last is by so much older than the newest, of sources that count time."""

    def alive(self) -> None:
        """It runs; called every second or so."""

    def failed(self, error: HeadwaterError, wait: float) -> None:
        """It will be tried again after so many seconds."""

    def ended(self, error: BaseException | None) -> None: ...


class Watchers:
    """Several as one."""

    def __init__(self, *watchers: IngestObserver) -> None:
        self._watchers = watchers

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        for watcher in self._watchers:
            watcher.started(inputs)

    def stored(self, totals: Totals, seconds: float) -> None:
        for watcher in self._watchers:
            watcher.stored(totals, seconds)

    def settled(self, lag: int | None) -> None:
        for watcher in self._watchers:
            watcher.settled(lag)

    def behind(self, seconds: float) -> None:
        for watcher in self._watchers:
            watcher.behind(seconds)

    def alive(self) -> None:
        for watcher in self._watchers:
            watcher.alive()

    def failed(self, error: HeadwaterError, wait: float) -> None:
        for watcher in self._watchers:
            watcher.failed(error, wait)

    def ended(self, error: BaseException | None) -> None:
        for watcher in self._watchers:
            watcher.ended(error)


class Log:
    """Lines in the log, for whoever has no terminal."""

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        log.info("ingesting from %s", ", ".join(f"{space} {name}" for space, name in inputs))

    def stored(self, totals: Totals, seconds: float) -> None:
        if totals.messages:
            log.info(
                "stored %d events in %.1f s, %d rejected, %d excluded",
                totals.events,
                seconds,
                totals.rejected,
                totals.excluded,
            )

    def settled(self, lag: int | None) -> None:
        if lag:
            log.info("%d messages remaining", lag)

    def behind(self, seconds: float) -> None:
        if seconds:
            log.info("%.1f s behind the newest record", seconds)

    def alive(self) -> None:
        """Not worth a line."""

    def failed(self, error: HeadwaterError, wait: float) -> None:
        log.warning("%s; trying again in %g s", error.message, wait)

    def ended(self, error: BaseException | None) -> None:
        log.info("ended")


class IngestMetrics:
    """Counters for Prometheus, on a port of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        messages = Counter(
            "headwater_ingest_messages",
            "Messages by result.",
            ["result"],
            registry=self.registry,
        )
        self._stored = messages.labels("stored")
        self._rejected = messages.labels("rejected")
        self._excluded = messages.labels("excluded")
        self._bytes = Counter(
            "headwater_ingest_bytes", "Bytes of messages.", registry=self.registry
        )
        self._batches = Histogram(
            "headwater_ingest_batch_seconds",
            "Time to ingest a batch.",
            buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300),
            registry=self.registry,
        )
        self._lag = Gauge(
            "headwater_ingest_lag_messages", "Messages not ingested yet.", registry=self.registry
        )
        self._behind = Gauge(
            "headwater_ingest_lag_seconds",
            "Age of the record ingested last, to the newest; of Kinesis.",
            registry=self.registry,
        )
        self._failures = Counter(
            "headwater_ingest_failures",
            "Number of retries.",
            registry=self.registry,
        )
        self._stored_at = Gauge(
            "headwater_ingest_last_batch_timestamp_seconds",
            "When the last batch was stored.",
            registry=self.registry,
        )

    def serve(self, port: int, host: str) -> None:
        try:
            start_http_server(port, host, self.registry)
        except OSError as error:
            reason = f"cannot listen on {host}:{port}: {error.strerror}"
            raise BadConfig("--metrics-port", reason) from error

    def started(self, inputs: Sequence[tuple[str, str]]) -> None:
        """Derived from the other counters."""

    def stored(self, totals: Totals, seconds: float) -> None:
        self._stored.inc(totals.events)
        self._rejected.inc(totals.rejected)
        self._excluded.inc(totals.excluded)
        self._bytes.inc(totals.bytes)
        self._batches.observe(seconds)
        self._stored_at.set(time.time())

    def settled(self, lag: int | None) -> None:
        if lag is not None:
            self._lag.set(lag)

    def behind(self, seconds: float) -> None:
        self._behind.set(seconds)

    def alive(self) -> None:
        """Prometheus asks by itself."""

    def failed(self, error: HeadwaterError, wait: float) -> None:
        self._failures.inc()

    def ended(self, error: BaseException | None) -> None:
        """Nobody is left to ask."""
