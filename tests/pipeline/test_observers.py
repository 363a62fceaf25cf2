"""What is reported of an ingest: counters as Prometheus reads them, and lines of a log."""

import logging
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from prometheus_client import REGISTRY, generate_latest, start_http_server

from headwater.errors import BadConfig, HeadwaterError, StoreUnavailable
from headwater.pipeline import observers
from headwater.pipeline.driver_store import Totals
from headwater.pipeline.observers import IngestMetrics, IngestObserver, Log, Watchers
from testing.services.process import free_port

AWAY = StoreUnavailable("the store is away")
TOTALS = Totals(messages=10, events=7, rejected=2, excluded=1, bytes=3_000)


def samples(metrics: IngestMetrics) -> dict[str, float]:
    """Every sample of the exposition, but when it was made."""
    lines = generate_latest(metrics.registry).decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs if "_created" not in name}


class TestMetrics:
    def test_names_are_what_dashboards_know(self) -> None:
        bounds = ("0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "30.0", "60.0", "300.0")
        assert samples(IngestMetrics()).keys() == {
            'headwater_ingest_messages_total{result="stored"}',
            'headwater_ingest_messages_total{result="rejected"}',
            'headwater_ingest_messages_total{result="excluded"}',
            "headwater_ingest_bytes_total",
            *(f'headwater_ingest_batch_seconds_bucket{{le="{at}"}}' for at in (*bounds, "+Inf")),
            "headwater_ingest_batch_seconds_count",
            "headwater_ingest_batch_seconds_sum",
            "headwater_ingest_lag_messages",
            "headwater_ingest_lag_seconds",
            "headwater_ingest_failures_total",
            "headwater_ingest_last_batch_timestamp_seconds",
        }

    def test_all_begin_at_nothing(self) -> None:
        assert set(samples(IngestMetrics()).values()) == {0.0}

    def test_batches_add_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time", lambda: 1_234.5)
        metrics = IngestMetrics()
        metrics.started([("kafka://host:9092", "orders")])
        for seconds in (0.2, 7.0):
            metrics.stored(TOTALS, seconds)
        metrics.alive()
        found = samples(metrics)
        assert found['headwater_ingest_messages_total{result="stored"}'] == 14
        assert found['headwater_ingest_messages_total{result="rejected"}'] == 4
        assert found['headwater_ingest_messages_total{result="excluded"}'] == 2
        assert found["headwater_ingest_bytes_total"] == 6_000
        assert found['headwater_ingest_batch_seconds_bucket{le="0.25"}'] == 1
        assert found['headwater_ingest_batch_seconds_bucket{le="10.0"}'] == 2
        assert found["headwater_ingest_batch_seconds_count"] == 2
        assert found["headwater_ingest_batch_seconds_sum"] == pytest.approx(7.2)
        assert found["headwater_ingest_last_batch_timestamp_seconds"] == 1_234.5
        assert found["headwater_ingest_failures_total"] == 0

    def test_the_lag_is_the_last_one_known(self) -> None:
        metrics = IngestMetrics()
        for lag, expected in ((5, 5), (None, 5), (0, 0)):
            metrics.settled(lag)
            assert samples(metrics)["headwater_ingest_lag_messages"] == expected

    def test_failures_are_counted(self) -> None:
        metrics = IngestMetrics()
        for _ in range(3):
            metrics.failed(AWAY, 1)
        metrics.ended(AWAY)
        assert samples(metrics)["headwater_ingest_failures_total"] == 3

    def test_two_do_not_mix(self) -> None:
        first, second = IngestMetrics(), IngestMetrics()
        first.stored(TOTALS, 1)
        assert set(samples(second).values()) == {0.0}
        assert b"headwater_ingest" not in generate_latest(REGISTRY)

    @pytest.fixture
    def port(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
        """A port that is listened on no longer than the test takes."""
        servers: list[Any] = []
        monkeypatch.setattr(
            observers,
            "start_http_server",
            lambda *arguments: servers.append(start_http_server(*arguments)),
        )
        yield free_port()
        for server, thread in servers:
            server.shutdown()
            server.server_close()
            thread.join()

    def test_they_are_served(self, port: int) -> None:
        metrics = IngestMetrics()
        metrics.serve(port, "127.0.0.1")
        metrics.stored(TOTALS, 1)
        answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", trust_env=False)
        assert answer.status_code == 200
        assert 'headwater_ingest_messages_total{result="stored"} 7.0' in answer.text

    def test_a_port_that_is_taken_is_reported(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(BadConfig, match=f"{port}.*in use"):
                IngestMetrics().serve(port, "127.0.0.1")


class TestLog:
    @pytest.fixture
    def lines(self, caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
        """What was logged by all that may happen."""
        caplog.set_level(logging.INFO, observers.__name__)
        log = Log()
        log.started([("kafka://host:9092", "orders"), ("kafka://host:9092", "totals")])
        log.stored(TOTALS, 1.26)
        log.stored(Totals(), 1.0)
        log.stored(Totals(messages=1, excluded=1), 0.04)
        for lag in (None, 0, 12_345):
            log.settled(lag)
        log.alive()
        log.failed(AWAY, 1.0)
        log.failed(AWAY, 0.5)
        log.ended(None)
        return [(record.levelname, record.getMessage()) for record in caplog.records]

    def test_lines(self, lines: list[tuple[str, str]]) -> None:
        assert lines == [
            ("INFO", "ingesting from kafka://host:9092 orders, kafka://host:9092 totals"),
            ("INFO", "stored 7 events in 1.3 s, 2 rejected, 1 excluded"),
            ("INFO", "stored 0 events in 0.0 s, 0 rejected, 1 excluded"),
            ("INFO", "12345 messages remaining"),
            ("WARNING", "the store is away; trying again in 1 s"),
            ("WARNING", "the store is away; trying again in 0.5 s"),
            ("INFO", "ended"),
        ]


class Noting:
    """Notes all that is reported to it."""

    def __init__(self) -> None:
        self.reported: list[tuple[Any, ...]] = []

    def started(self, inputs: Any) -> None:
        self.reported.append(("started", inputs))

    def stored(self, totals: Totals, seconds: float) -> None:
        self.reported.append(("stored", totals, seconds))

    def settled(self, lag: int | None) -> None:
        self.reported.append(("settled", lag))

    def behind(self, seconds: float) -> None:
        self.reported.append(("behind", seconds))

    def alive(self) -> None:
        self.reported.append(("alive",))

    def failed(self, error: HeadwaterError, wait: float) -> None:
        self.reported.append(("failed", error, wait))

    def ended(self, error: BaseException | None) -> None:
        self.reported.append(("ended", error))


def test_all_watchers_are_reported_the_same() -> None:
    notes = Noting(), Noting()
    all_of_them: IngestObserver = Watchers(*notes, IngestMetrics())
    all_of_them.started([("a", "b")])
    all_of_them.stored(TOTALS, 2.0)
    all_of_them.settled(None)
    all_of_them.behind(1.5)
    all_of_them.alive()
    all_of_them.failed(AWAY, 4.0)
    all_of_them.ended(AWAY)
    for note in notes:
        assert note.reported == [
            ("started", [("a", "b")]),
            ("stored", TOTALS, 2.0),
            ("settled", None),
            ("behind", 1.5),
            ("alive",),
            ("failed", AWAY, 4.0),
            ("ended", AWAY),
        ]
