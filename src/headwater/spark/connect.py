"""Streams over Spark Connect: plans are not accessible, but their progress has some names."""

import logging
import re
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.emit.gaps import GapEntry, GapKind
from headwater.emit.sender import Sender
from headwater.model.naming import DatasetName
from headwater.spark.dataset_names import name_described
from headwater.spark.plan_lineage import PlanDataset, PlanLineage
from headwater.spark.query_tracker import QueryTracker
from headwater.spark.relations import PlanRelation
from headwater.spark.streams import Json, StreamRun

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import StreamingQueryListener

log = logging.getLogger("headwater.spark")

NO_PLAN = "over Spark Connect there is no plan: schemas, columns, whether it was stopped"
_NO_BROKERS = "over Spark Connect a topic has no brokers"
_PATIENCE_SECONDS = 5.0

# Sinks that exist only within a session, by their description.
_OF_SESSION = {"NoopTable": "noop", "ConsoleTable": "console", "MemorySink": "memory"}
# The class of an object without a description: `org.apache.spark.NoopTable$@7daa1f3c`.
_CLASS = re.compile(r"(?:[\w$]+\.)*(\w+)\$?(?:@[0-9a-f]+)?")
_TABLE_IN_CATALOG = re.compile(r"(\w+)\.((?:\w+\.)+\w+)")


def is_connect(spark: "SparkSession") -> bool:
    """Whether a session is a Spark Connect client, without its own JVM."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


def add_listener(spark: "SparkSession", listener: "StreamingQueryListener") -> None:
    """Add a listener, but not one that a program has to wait for at its end.

    Spark receives events in a thread of its own, and a thread is a daemon if its parent is one.
    """
    _do_beside(lambda: spark.streams.addListener(listener))


def remove_listener(spark: "SparkSession", listener: "StreamingQueryListener") -> None:
    """Remove it; of a server that is gone, Spark only warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _do_beside(lambda: spark.streams.removeListener(listener))


def at_exit(work: Callable[[], None]) -> None:
    """Have something done at the end of the program while gRPC still works, as atexit does not."""
    # What concurrent.futures itself uses, to end the threads that gRPC needs.
    threading._register_atexit(work)  # type: ignore[attr-defined]


def _do_beside(work: Callable[[], None]) -> None:
    """Do something that may take as long as Spark tries to reach a server: minutes."""

    def try_it() -> None:
        try:
            work()
        except Exception as error:
            log.warning("lineage over Spark Connect: %s", error)

    thread = threading.Thread(target=try_it, name="headwater-connect", daemon=True)
    thread.start()
    thread.join(_PATIENCE_SECONDS)


class ConnectWatcher(QueryTracker):
    """Turns notifications of queries into events, with inputs and outputs if they are reported."""

    def __init__(self, spark: "SparkSession", sender: Sender, namespace: str) -> None:
        super().__init__(spark, sender, namespace)
        log.warning("Spark Connect gives no access to plans: lineage has no schemas and columns")

    def moved(self, run: str, progress: Json) -> None:
        stream = self._streams.get(run)
        if stream is not None:
            stream.moved(progress)
            self._later(lambda: self._report_progress(stream, progress))

    def end_all(self) -> None:
        # Queries go on without the program, unless it ended their session.
        if self._is_session_over():
            super().end_all()

    def _find_query(self, id: str) -> None:
        """Its progress has the same information."""

    def _read_plan(self, stream: StreamRun, query: None) -> bool:
        stream.add(PlanLineage([], [], [GapEntry("other", NO_PLAN, f"{NO_PLAN.capitalize()}.")]))
        # One that was stopped looks like one that has read what there is.
        stream.is_finite = True
        return True

    def _is_session_over(self) -> bool:
        session: Any = self._spark
        return bool(session.is_stopped)

    def _report_progress(self, stream: StreamRun, progress: Json) -> None:
        """Learn names from a batch; the first of them are news at once."""
        sources = progress.get("sources") or []
        sink = str((progress.get("sink") or {}).get("description"))
        unknown = f"unknown://{self._namespace}/{stream.name}"
        read = [name_source(source, unknown) for source in sources]
        written = name_sink(sink, stream.name)
        is_news = not stream.sources
        stream.sources = [[relation.name for relation in relations] for relations in read]
        stream.add(
            PlanLineage(
                [PlanDataset(relation, []) for relations in read for relation in relations],
                [PlanDataset(relation, []) for relation in written],
                _gaps(sources, read, sink, written),
            )
        )
        if is_news or self._is_due(stream):
            self._send(stream, "RUNNING")


def _gaps(
    sources: list[Json], read: list[list[PlanRelation]], sink: str, written: list[PlanRelation]
) -> list[GapEntry]:
    """What has no name here: its class alone, for the rest of it changes with every start."""
    nameless = [
        _nameless("input", f"source {_short(str(source.get('description')))}")
        for source, relations in zip(sources, read, strict=True)
        if not relations
    ]
    if not written:
        nameless.append(_nameless("output", f"sink {_short(sink)}"))
    if any(relation.is_topic for relations in read for relation in relations):
        nameless.append(GapEntry("other", _NO_BROKERS, f"{_NO_BROKERS.capitalize()}."))
    return nameless


def _nameless(kind: GapKind, name: str) -> GapEntry:
    return GapEntry(kind, name, f"The {name} is not recognised as a dataset.")


def _short(description: str) -> str:
    return re.split(r"[\[@]", description)[0].rpartition(".")[2].rstrip("$")


def name_source(source: Json, unknown: str) -> list[PlanRelation]:
    """The datasets of a source, by its description; `unknown` is a namespace for topics."""
    description = str(source.get("description"))
    if not description.startswith("Kafka"):
        return name_described(description)
    # Offsets are by topic, however these were chosen: by name, pattern or partition.
    offsets = source.get("endOffset")
    topics = sorted(offsets) if isinstance(offsets, dict) else []
    return [PlanRelation(DatasetName(unknown, topic), is_topic=True) for topic in topics]


def name_sink(description: str, query_name: str) -> list[PlanRelation]:
    """The dataset of a sink, by its description."""
    if table := _TABLE_IN_CATALOG.fullmatch(description):
        return [PlanRelation(DatasetName(table[1], table[2]))]
    found = _CLASS.fullmatch(description)
    if found is not None and found[1] in _OF_SESSION:
        return [PlanRelation(DatasetName(_OF_SESSION[found[1]], query_name))]
    return name_described(description)
