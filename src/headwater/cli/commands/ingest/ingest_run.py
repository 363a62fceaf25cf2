"""Putting an ingest together from settings, and running it until it ends or is stopped."""

import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import FrameType
from typing import TYPE_CHECKING

import typer

from headwater.config import Settings
from headwater.model import naming

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pyspark.sql import SparkSession

    from headwater.pipeline.event_parts import IncludedParts
    from headwater.pipeline.feeds.feed import Feed
    from headwater.pipeline.feeds.registry import Source
    from headwater.pipeline.ingest import StreamIngest
    from headwater.pipeline.ingestions.supervisor import Supervisor
    from headwater.pipeline.ingestions.worker import Worker
    from headwater.pipeline.job_patterns import NameExpressions
    from headwater.pipeline.observers import IngestObserver
    from headwater.pipeline.tasks import Task
    from headwater.store.engine import Engine
    from headwater.store.write.writer import Writer

# More than a batch under way is waited for; what takes longer hangs.
_STOP_SECONDS = 90.0
_AT_ONCE_SECONDS = 10.0


@dataclass(frozen=True)
class IngestOptions:
    """The options of an ingest. `every` is in seconds; None: once."""

    settings: Settings
    name: str
    every: float | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    metrics_port: int | None
    verbose: bool
    is_debug: bool = False
    idle_after: float | None = None
    """Seconds without a message after which it ends; None: by `every`."""
    expressions: "tuple[NameExpressions, ...]" = ()
    parts: "IncludedParts | None" = None
    notes_seen: bool = False


def run_check(choices: IngestOptions, source: "Source") -> None:
    """Try each step and print it; exit code 1 if one fails."""
    from headwater.pipeline.checks import check_targets
    from headwater.pipeline.feeds.registry import find_feed_type
    from headwater.store.engine import open_engine

    settings = choices.settings
    is_good = True
    with ExitStack() as stack:

        @cache
        def spark() -> "SparkSession":
            return stack.enter_context(_session(choices, source))

        engine = open_engine(settings.store_url)
        stack.callback(engine.dispose)
        lake = settings.lake_folder if settings.lake.is_on else None
        of_source = find_feed_type(source).check(source, choices.name, spark)
        for step in chain(of_source, check_targets(engine, lake)):
            typer.echo(f"{step.name:11} {'ok' if step.is_good else 'FAILED':7} {step.text}")
            is_good = is_good and step.is_good
    if not is_good:
        raise typer.Exit(1)


def run_ingest(choices: IngestOptions, source: "Source") -> None:
    """Take in until the end, or until Ctrl-C or SIGTERM."""
    from headwater.cli.output.ingest_progress import screen
    from headwater.pipeline.feeds.registry import find_feed_type
    from headwater.store.engine import open_engine
    from headwater.store.migrate import upgrade
    from headwater.store.write.writer import open_writer

    settings = choices.settings
    level = "INFO" if choices.verbose else "WARNING"
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level=level)
    logging.getLogger("headwater").setLevel("DEBUG" if choices.is_debug else "INFO")
    with ExitStack() as stack:
        engine = open_engine(settings.store_url)
        stack.callback(engine.dispose)
        upgrade(engine)
        feed = find_feed_type(source).open(source, choices.name)
        watcher = stack.enter_context(screen(choices.name))
        spark = stack.enter_context(_session(choices, source))
        # Of its own lineage.
        writer = open_writer(engine, notes_for_lake=settings.lake.is_on)
        stack.enter_context(closing(writer))
        ingest = assemble(choices, spark, feed, engine, watcher, writer)
        with stopped_by_signals(ingest):
            ingest.run()


def _session(choices: IngestOptions, source: "Source") -> "AbstractContextManager[SparkSession]":
    from headwater.pipeline.feeds.registry import find_feed_type
    from headwater.pipeline.spark.session import session

    return session(
        choices.settings.spark,
        f"headwater ingest {choices.name}",
        find_feed_type(source).packages,
        folder=choices.settings.data,
        notify=_print,
        verbose=choices.verbose,
    )


def assemble(
    choices: IngestOptions,
    spark: "SparkSession",
    feed: "Feed",
    engine: "Engine",
    watcher: "IngestObserver",
    writer: "Writer",
) -> "StreamIngest":
    from headwater.pipeline.ingest import Plan, StreamIngest
    from headwater.pipeline.observers import IngestMetrics, Watchers
    from headwater.pipeline.own_lineage import OwnLineage

    settings = choices.settings
    watchers = [watcher]
    if choices.metrics_port is not None:
        metrics = IngestMetrics()
        metrics.serve(choices.metrics_port, "127.0.0.1")
        watchers.append(metrics)
    own = OwnLineage(
        writer,
        f"ingest.{choices.name}",
        name_outputs(settings, engine),
        is_stream=choices.every is not None and choices.idle_after is None,
    )
    return StreamIngest(
        spark,
        feed,
        make_task(choices, feed, engine),
        engine,
        settings.data,
        Plan(choices.name, choices.every, idle_after=choices.idle_after),
        Watchers(*watchers, own),
    )


def make_task(choices: IngestOptions, feed: "Feed", engine: "Engine") -> "Task":
    from headwater.model.values.instant import SECOND
    from headwater.pipeline.event_parts import IncludedParts
    from headwater.pipeline.job_patterns import JobPatterns
    from headwater.pipeline.tasks import Task

    settings = choices.settings
    is_sqlite = engine.dialect.name == "sqlite"
    return Task(
        read=feed.read,
        reached=feed.reached,
        max_ahead=settings.intake.max_ahead_seconds * SECOND,
        max_bytes=settings.intake.max_body_bytes,
        jobs=JobPatterns(choices.include, choices.exclude, choices.expressions),
        parts=choices.parts or IncludedParts(),
        notes_seen=choices.notes_seen,
        lake=settings.lake_folder.absolute() if settings.lake.is_on else None,
        store="" if is_sqlite else settings.store_url,
    )


def name_outputs(settings: Settings, engine: "Engine") -> Sequence[tuple[str, str]]:
    """What an ingest writes, as OpenLineage names it."""
    url = engine.url
    if engine.dialect.name == "sqlite":
        outputs = [naming.local_file(str(url.database))]
    else:
        host, database = url.host or "localhost", url.database or ""
        outputs = [naming.postgres(host, url.port, database, "public", "event")]
    if settings.lake.is_on:
        outputs.append(naming.local_file(str(settings.lake_folder.absolute())))
    return outputs


def _print(text: str) -> None:
    typer.echo(text, err=True)


@contextmanager
def stopped_by_signals(ingest: "StreamIngest | Supervisor | Worker") -> Iterator[None]:
    """Ctrl-C and SIGTERM end it after the batch under way; a second one at once.

    A store that hangs must not keep it from ending: what is cut short is taken in again.
    """
    timers: list[threading.Timer] = []

    def give_up_after(seconds: float) -> None:
        timers.append(threading.Timer(seconds, _give_up))
        timers[-1].daemon = True
        timers[-1].start()

    def stop(number: int, frame: FrameType | None) -> None:
        for one in signals:
            signal.signal(one, stop_at_once)
        ingest.stop()
        give_up_after(_STOP_SECONDS)
        # Refused amid a line that this thread writes itself.
        with suppress(RuntimeError):
            _print("stopping after this batch; press Ctrl-C again to stop at once")

    def stop_at_once(number: int, frame: FrameType | None) -> None:
        give_up_after(_AT_ONCE_SECONDS)
        raise KeyboardInterrupt

    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, stop) for one in signals]
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)


def _give_up() -> None:
    _print("headwater: the batch did not finish in time; the next start ingests it")
    os._exit(1)
