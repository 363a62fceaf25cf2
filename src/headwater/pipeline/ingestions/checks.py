"""Testing an ingestion step by step, where there may be no Spark: what that alone can try is
reported as not tried."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, SourceUnavailable
from headwater.extras import install_line, is_installed
from headwater.kafka_clients import librdkafka_properties
from headwater.model.values.instant import format_instant
from headwater.pipeline.check_steps import IngestionStep, Step, run_steps
from headwater.pipeline.feeds.kafka import KafkaSource
from headwater.pipeline.feeds.registry import Source, find_feed_type
from headwater.pipeline.ingestions.reading import Ingestion
from headwater.pipeline.ingestions.sources import make_source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ANSWER_SECONDS = 8.0


class _NotHere(HeadwaterError):
    """What is tried with Spark."""


def check_ingestion(ingestion: Ingestion, at: int) -> Iterator[IngestionStep]:
    """From the configuration up to an event; the first step that fails is the last."""
    yield IngestionStep("configuration", "ok", _describe(ingestion))
    next_at = ingestion.schedule.next_after(at)
    when = "runs on request only" if next_at is None else f"runs next at {format_instant(next_at)}"
    yield IngestionStep("schedule", "ok", when)
    source = make_source(ingestion.broker)
    for step in _check_source(source, ingestion.name):
        yield IngestionStep(step.name, "ok" if step.is_good else "problem", step.text)
        if not step.is_good:
            return
    if isinstance(source, KafkaSource):
        yield from _check_topics(source)


def _describe(ingestion: Ingestion) -> str:
    unused = f"; {len(ingestion.unused)} keys are not used" if ingestion.unused else ""
    return f"reads {ingestion.reads}{unused}"


def _check_source(source: Source, name: str) -> Iterator[Step]:
    """The steps of a feed's own check, up to the one for which Spark is needed."""
    try:
        for step in find_feed_type(source).check(source, name, _no_session):
            if step.name == "Spark" and not step.is_good:
                return
            yield step
    except HeadwaterError as error:
        yield Step("source", False, error.message)


def _no_session() -> "SparkSession":
    raise _NotHere("Spark is not started for this")


def _check_topics(source: KafkaSource) -> Iterator[IngestionStep]:
    if not is_installed("kafka"):
        how = f"{install_line('kafka')}, or headwater ingest run NAME --check"
        yield IngestionStep("topics", "skipped", f"not tried without a client of Kafka: {how}")
        return
    for step in run_steps(("topics", lambda: _find_topics(source))):
        yield IngestionStep(step.name, "ok" if step.is_good else "problem", step.text)


def _find_topics(source: KafkaSource) -> str:
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient

    problems: list[str] = []
    settings: dict[str, Any] = librdkafka_properties(source.access)
    settings["bootstrap.servers"] = source.brokers
    settings["error_cb"] = lambda error: problems.append(error.str())
    client = AdminClient(settings)
    try:
        found: Any = client.list_topics(timeout=_ANSWER_SECONDS).topics
    except KafkaException as error:
        reason = problems[-1] if problems else str(error.args[0].str())
        raise SourceUnavailable(source.brokers, reason) from None
    if missing := [name for name in source.topics if name not in found]:
        raise SourceUnavailable(source.brokers, f"there is no topic '{missing[0]}'")
    return ", ".join(f"{name}: {len(found[name].partitions)} partitions" for name in source.topics)
