"""What is counted for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import generate_latest


class ServerMetrics:
    """The server's counters, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        events = Counter(
            "headwater_events", "Events by result.", ["result"], registry=self.registry
        )
        self.stored = events.labels("stored")
        self.rejected = events.labels("rejected")
        self.failed = events.labels("failed")
        self.with_gaps = Counter(
            "headwater_events_with_gaps",
            "Stored events whose producer did not recognise a part of the job.",
            registry=self.registry,
        )
        self.refused = Counter(
            "headwater_refused_requests",
            "Refused requests by status: no key, no scope, too many, too large.",
            ["code"],
            registry=self.registry,
        )
        self.bytes = Counter(
            "headwater_received_bytes", "Bytes of bodies, as sent.", registry=self.registry
        )
        self.group_requests = Histogram(
            "headwater_group_requests",
            "Requests that shared one transaction.",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128),
            registry=self.registry,
        )
        self.commit_seconds = Histogram(
            "headwater_commit_seconds",
            "Time to store a group durably.",
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5),
            registry=self.registry,
        )
        self.lake_waiting = Gauge(
            "headwater_lake_waiting_events",
            "Events waiting for the lake, as of the last check.",
            registry=self.registry,
        )

    def exposition(self) -> bytes:
        return generate_latest(self.registry)
