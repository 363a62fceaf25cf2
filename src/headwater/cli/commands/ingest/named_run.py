"""Running named ingestions: once each, or all of them as their schedules say."""

import json
import logging
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from headwater.cli.commands.ingest.config_file import choose
from headwater.cli.commands.ingest.ingest_run import (
    IngestOptions,
    assemble,
    run_check,
    stopped_by_signals,
)
from headwater.config import Settings, load_settings
from headwater.errors import Busy, HeadwaterError
from headwater.leases import LEASE_SECONDS, make_holder
from headwater.model.values.instant import SECOND, now
from headwater.pipeline.feeds.registry import find_feed_type
from headwater.pipeline.ingest import StreamIngest
from headwater.pipeline.ingestions.reading import Ingestion, read_ingestion
from headwater.pipeline.ingestions.run_notes import RunNotes
from headwater.pipeline.ingestions.sources import make_source
from headwater.pipeline.ingestions.supervisor import Supervisor, supervising
from headwater.pipeline.ingestions.worker import Stoppable, Worker
from headwater.store.engine import Engine, open_engine
from headwater.store.ingestions import (
    read_ingestion_row,
    release_holder,
    request_run,
    start_run,
    take_ingestion,
)
from headwater.store.migrate import upgrade
from headwater.store.write.writer import Writer, open_writer

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class _OneRun:
    """A run with the writer of its own lineage, which ends with it."""

    def __init__(self, ingest: StreamIngest, writer: Writer) -> None:
        self._ingest = ingest
        self._writer = writer

    def run(self) -> None:
        from headwater.pipeline.spark.session import errors_as_ours

        with errors_as_ours(), closing(self._writer):
            self._ingest.run()

    def stop(self) -> None:
        self._ingest.stop()


class SparkRuns:
    """Runs of ingestions that share one session of Spark, which is opened for the first."""

    def __init__(
        self, settings: Settings, engine: Engine, *, verbose: bool, is_once: bool = False
    ) -> None:
        self._is_once = is_once
        self._settings = settings
        self._engine = engine
        self._verbose = verbose
        self._lock = threading.Lock()
        self._spark: SparkSession | None = None
        self._packages: frozenset[str] = frozenset()

    def fits(self, ingestion: Ingestion) -> bool:
        """Whether what it needs is in the session that is open."""
        needed = find_feed_type(make_source(ingestion.broker)).packages
        with self._lock:
            return self._spark is None or self._packages >= {*needed}

    def open(self, ingestion: Ingestion, notes: RunNotes) -> Stoppable:
        """A run of an ingestion, which is noted as it goes on."""
        source = make_source(ingestion.broker)
        kind = find_feed_type(source)
        spark = self._session(kind.packages)
        choices = self.options(ingestion)
        writer = open_writer(self._engine, notes_for_lake=self._settings.lake.is_on)
        feed = kind.open(source, ingestion.name)
        ingest = assemble(choices, spark, feed, self._engine, notes, writer)
        return _OneRun(ingest, writer)

    def close(self) -> None:
        """End the session, for the next run to open another."""
        from headwater.pipeline.spark.session import close_session

        with self._lock:
            spark, self._spark = self._spark, None
            if spark is not None:
                close_session(spark)

    def _session(self, packages: Collection[str]) -> "SparkSession":
        from headwater.pipeline.spark.session import close_session, has_ended, open_session

        with self._lock:
            if self._spark is not None and has_ended():
                # Killed, or out of memory: what ran in it failed, and runs again in another.
                close_session(self._spark)
                self._spark = None
            if self._spark is None:
                self._packages = frozenset(packages)
                self._spark = open_session(
                    self._settings.spark,
                    "headwater ingest run",
                    sorted(self._packages),
                    folder=self._settings.data,
                    verbose=self._verbose,
                )
            return self._spark

    def options(self, ingestion: Ingestion) -> IngestOptions:
        """How it runs: continuously, or until all is read."""
        is_continuous = ingestion.schedule.is_continuous and not self._is_once
        choices = IngestOptions(
            settings=self._settings,
            name=ingestion.name,
            every=1.0 if is_continuous else None,
            include=(),
            exclude=(),
            metrics_port=None,
            verbose=self._verbose,
        )
        return choose(choices, ingestion)


def run_all(store: str | None, data: Path | None, *, verbose: bool) -> None:
    """Work all ingestions off as their schedules say, until Ctrl-C or SIGTERM."""
    with _opened(store, data, verbose=verbose) as (settings, engine):
        holder = make_holder()
        with supervising(engine, settings.data / "ingest", holder):
            runs = SparkRuns(settings, engine, verbose=verbose)
            is_lake = settings.lake.is_on
            supervisor = Supervisor(engine, holder, runs.open, runs, notes_for_lake=is_lake)
            typer.echo("ingestions run as their schedules say; press Ctrl-C to stop", err=True)
            with stopped_by_signals(supervisor):
                supervisor.run()


def run_named(names: Sequence[str], store: str | None, data: Path | None, *, verbose: bool) -> None:
    """Run some once each; where another process runs them, ask that one."""
    with _opened(store, data, verbose=verbose) as (settings, engine):
        runs = SparkRuns(settings, engine, verbose=verbose, is_once=True)
        problems = []
        try:
            for name in names:
                problems.append(_run_one(runs, settings, engine, name))
        finally:
            runs.close()
    if any(problems):
        raise typer.Exit(1)


def _run_one(runs: SparkRuns, settings: Settings, engine: Engine, name: str) -> str | None:
    """Run one while holding its lease; returns why that failed, if it did."""
    from headwater.cli.commands.ingest.named import refuse_paused

    holder, at = make_holder(), now()
    with engine.begin() as connection:
        stored = read_ingestion_row(connection, name)
    refuse_paused(name, bool(stored.is_paused))
    with engine.begin() as connection:
        if not take_ingestion(connection, name, holder, at, at + int(LEASE_SECONDS * SECOND)):
            request_run(connection, name, at)
            typer.echo(f"'{name}' is requested of {stored.holder}, which runs it")
            return None
        start_run(connection, name, holder, at)
    ingestion = read_ingestion(name, json.loads(stored.body))
    if not runs.fits(ingestion):
        runs.close()
    is_lake = settings.lake.is_on
    worker = Worker(engine, ingestion, stored, at, runs.open, now, notes_for_lake=is_lake)
    with _held(engine, name, holder), stopped_by_signals(worker):
        problem = worker.work()
    outcome = f"failed: {problem}" if problem else "ended"
    typer.echo(f"'{name}' {outcome}", err=problem is not None)
    return problem


@contextmanager
def _held(engine: Engine, name: str, holder: str) -> Iterator[None]:
    """Keep a lease while something runs."""
    has_ended = threading.Event()

    def renew() -> None:
        while not has_ended.wait(LEASE_SECONDS / 3):
            until = now() + int(LEASE_SECONDS * SECOND)
            try:
                with engine.begin() as connection:
                    take_ingestion(connection, name, holder, now(), until)
            except HeadwaterError:
                continue

    thread = threading.Thread(target=renew, name="headwater-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()
        with engine.begin() as connection:
            release_holder(connection, holder, now())


def check_named(
    names: Sequence[str] | None, store: str | None, data: Path | None, *, verbose: bool
) -> None:
    """Test each step of some, with Spark."""
    if not names:
        raise Busy("give the names of the ingestions to check")
    with _opened(store, data, verbose=verbose) as (settings, engine):
        runs = SparkRuns(settings, engine, verbose=verbose)
        for name in names:
            with engine.connect() as connection:
                stored = read_ingestion_row(connection, name)
            ingestion = read_ingestion(name, json.loads(stored.body))
            run_check(runs.options(ingestion), make_source(ingestion.broker))


@contextmanager
def _opened(
    store: str | None, data: Path | None, *, verbose: bool
) -> Iterator[tuple[Settings, Engine]]:
    level = "INFO" if verbose else "WARNING"
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s", level=level)
    logging.getLogger("headwater").setLevel("INFO")
    settings = load_settings(store=store, data=data)
    engine = open_engine(settings.store_url)
    try:
        upgrade(engine)
        yield settings, engine
    finally:
        engine.dispose()
