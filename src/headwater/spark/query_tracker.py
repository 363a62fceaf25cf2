"""All queries of a session: notifications are queued at once, and processed in a thread."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.emit.sender import Sender
from headwater.model.values.instant import now
from headwater.spark.application import SparkApplication
from headwater.spark.counts.executed import count_read
from headwater.spark.counts.of_writes import INNER_ACTION
from headwater.spark.counts.stages import Stages
from headwater.spark.datasets.session import work_for
from headwater.spark.executions import wait_for_listeners
from headwater.spark.relations import Java
from headwater.spark.streams import Json, StreamRun, by_dataset
from headwater.spark.write_reports import WriteReporter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger("headwater.spark")

HEARTBEAT_SECONDS = 10.0
_LOOK_SECONDS = 10.0
_WRITES_MILLISECONDS = 1_000
# A stream's plan is there once the stream has begun to run.
_PLAN_SECONDS = 0.2
_PLAN_TRIES = 300
_MAX_WORK = 10_000


class QueryTracker:
    """Turns what happens to the queries of a session into events."""

    def __init__(
        self,
        spark: "SparkSession",
        sender: Sender,
        namespace: str,
        application: SparkApplication | None = None,
    ) -> None:
        """With an application, its writes outside streams are reported as well."""
        self._spark = spark
        self._sender = sender
        self._namespace = namespace
        self._application = application
        self._streams: dict[str, StreamRun] = {}
        self._stages: dict[str, Stages] = {}
        self._writes = WriteReporter(
            spark,
            sender,
            namespace,
            application,
            self._streams,
            lambda stream: self._send(stream, "RUNNING"),
        )
        self._work: deque[Callable[[], None]] = deque(maxlen=_MAX_WORK)
        self._has_work = threading.Event()
        threading.Thread(target=self._run, name="headwater-watcher", daemon=True).start()

    def started(self, id: str, run: str, name: str | None) -> None:
        stream = StreamRun(self._namespace, name or f"query-{id}", id, run)
        self._streams[run] = stream
        # Read now: Spark forgets a query once it has ended.
        query = self._find_query(id)
        self._later(lambda: self._report_start(stream, query))

    def moved(self, run: str, progress: Json) -> None:
        stream = self._streams.get(run)
        if stream is None:
            return
        stream.moved(progress)
        self.idle(run)

    def idle(self, run: str) -> None:
        """Whether or not there was something to do, the query is alive."""
        stream = self._streams.get(run)
        if stream is not None and self._is_due(stream):
            self._later(lambda: self._send(stream, "RUNNING"))

    def ended(self, run: str, error: str | None) -> None:
        stream = self._streams.get(run)
        if stream is not None:
            self._later(lambda: self._report_end_after_writes(stream, error))

    def executed(self, action: str, execution: Java, nanoseconds: int, error: str | None) -> None:
        """An action: a write inside foreachBatch, or one of its own."""
        if self._streams or self._application:
            ended = now()
            if action == INNER_ACTION:
                self._later(lambda: self._writes.note_inner(execution))
                return
            self._later(lambda: self._writes.report(execution, nanoseconds, ended, error))

    def end_all(self) -> None:
        """The session or the program ends: Spark does not report how its queries end."""
        self._later(self._report_end_of_all)

    def close(self, seconds: float = 5.0) -> None:
        """Do what is left to do, for so long at most."""
        self._later(self._look_at_session)
        give_up = time.monotonic() + seconds
        # Twice, as some of it is put off once.
        for _ in range(2):
            done = threading.Event()
            self._later(done.set)
            done.wait(max(give_up - time.monotonic(), 0))

    def _later(self, work: Callable[[], None]) -> None:
        if len(self._work) == _MAX_WORK:
            self._sender.drop("too many notifications to process")
        self._work.append(work)
        self._has_work.set()

    def _run(self) -> None:
        self._activate_session()
        while True:
            if not self._has_work.wait(_LOOK_SECONDS):
                self._later(self._look_at_session)
            self._has_work.clear()
            while self._work:
                work = self._work.popleft()
                try:
                    work()
                except Exception as error:
                    log.warning("lineage could not be reported: %s", error)

    def _report_start(self, stream: StreamRun, query: Any, tries: int = _PLAN_TRIES) -> None:
        """Report a stream once it has its plan, which Spark creates when the query starts."""
        if stream.run not in self._streams:
            return
        if self._read_plan(stream, query) or tries == 0:
            self._send(stream, "START")
            return
        time.sleep(_PLAN_SECONDS)
        # After what waits by now: other streams are not to wait for this one.
        self._later(lambda: self._report_start(stream, query, tries - 1))

    def _look_at_session(self) -> None:
        """A session that is stopped ends its queries without a notification."""
        if self._is_session_over():
            self._report_end_of_all()

    def _report_end_of_all(self) -> None:
        for stream in list(self._streams.values()):
            stream.is_finite = False
            self._report_end(stream, None)

    def _report_end_after_writes(self, stream: StreamRun, error: str | None) -> None:
        """Spark reports writes on another bus, which may be slower than the one of the end."""
        wait_for_listeners(self._spark, _WRITES_MILLISECONDS)
        self._later(lambda: self._report_end(stream, error))

    def _report_end(self, stream: StreamRun, error: str | None) -> None:
        if self._streams.pop(stream.run, None) is None:
            return
        if not stream.was_reported:
            self._send(stream, "START")
        kind = "FAIL" if error else "COMPLETE" if stream.is_finite else "ABORT"
        self._send(stream, kind, error)
        self._stages.pop(stream.run, None)
        self._writes.forget(stream.run)

    def _find_query(self, id: str) -> Any:
        with suppress(Exception):
            return self._spark.streams.get(id)

    def _read_plan(self, stream: StreamRun, query: Any) -> bool:
        """Read the plan of a query; returns whether there is nothing more to wait for."""
        if query is None:
            return True
        execution = query._jsq.streamingQuery()
        stream.is_finite = _is_finite(execution)
        stream.checkpoint = str(execution.resolvedCheckpointRoot())
        stream.execution = execution
        self._stages.setdefault(stream.run, Stages(self._spark, stream.run))
        self._activate_session()
        try:
            plan = execution.logicalPlan()
        except Exception:
            return not query.isActive
        stream.read(plan)
        return True

    def _activate_session(self) -> None:
        """Have calls of this thread belong to the session: settings are looked up in it."""
        session: Any = self._spark
        with suppress(Exception):
            of_jvm = type(session)._get_j_spark_session_class(session._jvm)
            of_jvm.setActiveSession(session._jsparkSession)
            work_for(session._jsparkSession.sessionState())

    def _is_session_over(self) -> bool:
        return self._spark.sparkContext._jsc is None

    def _is_due(self, stream: StreamRun) -> bool:
        return stream.was_reported and time.monotonic() - stream.reported_at >= HEARTBEAT_SECONDS

    def _send(self, stream: StreamRun, kind: str, error: str | None = None) -> None:
        stream.find_topics()
        # What its tasks count is gone with the session.
        with suppress(Exception):
            stream.find_first_rows()
            if stream.execution is not None and stream.reading is not None:
                scanned = count_read(stream.execution.lastExecution())
                for dataset, read in by_dataset(stream.reading, scanned):
                    stream.read_static(dataset, read)
            if (stages := self._stages.get(stream.run)) is not None:
                work = stages.read_new(stream.counts.committed)
                stream.counts.work = stream.counts.work.plus(work)
        self._sender.send(f"{stream.run} {kind}", stream.event(kind, error))


def _is_finite(execution: Java) -> bool:
    """Whether a query ends by itself, once there is nothing left to read."""
    trigger = str(execution.trigger().getClass().getSimpleName())
    return trigger.rstrip("$") in ("AvailableNowTrigger", "OneTimeTrigger")
