"""All queries of a session: notifications are queued at once, and processed in a thread."""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.emit.gaps import GapEntry
from headwater.emit.sender import Sender
from headwater.model.naming import DatasetName
from headwater.model.values.instant import now
from headwater.spark.application import SparkApplication
from headwater.spark.batches import BatchRun
from headwater.spark.counts.counting import Count
from headwater.spark.counts.executed import count_read
from headwater.spark.counts.of_writes import INNER_ACTION, WriteCounter
from headwater.spark.counts.stages import Stages
from headwater.spark.created import LastWrite, count_created, find_other_names, is_creation
from headwater.spark.dataset_names import Java
from headwater.spark.executions import wait_for_listeners
from headwater.spark.plan_lineage import AnalysedPlan, PlanLineage
from headwater.spark.streams import Json, StreamRun, by_dataset
from headwater.spark.targets import is_write
from headwater.spark.writes import PlanWrite, find_writes

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
# Plans of batches that are kept: one that has the number of its batch is another each time.
_MOST_SHAPES = 100
# What changes from one batch to the next: ids of columns, addresses of objects, versions.
_IDS = re.compile(r"#\d+L?|@[0-9a-f]+|version=\d+")


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
        self._last: LastWrite | None = None
        self._counter = WriteCounter(spark)
        self._streams: dict[str, StreamRun] = {}
        self._stages: dict[str, Stages] = {}
        self._seen: dict[tuple[str, str], AnalysedPlan] = {}
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
                self._later(lambda: self._counter.note_inner(execution))
                return
            self._later(lambda: self._read_writes(execution, nanoseconds, ended, error))

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
        self._seen = {shape: it for shape, it in self._seen.items() if shape[0] != stream.run}

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
        """Have calls of this thread belong to the session: some of Spark's own look for it."""
        session: Any = self._spark
        with suppress(Exception):
            of_jvm = type(session)._get_j_spark_session_class(session._jvm)
            of_jvm.setActiveSession(session._jsparkSession)

    def _is_session_over(self) -> bool:
        return self._spark.sparkContext._jsc is None

    def _read_writes(
        self, execution: Java, nanoseconds: int, ended: int, error: str | None
    ) -> None:
        times = (ended - nanoseconds // 1000, ended)
        try:
            writes = list(find_writes(execution))
        except Exception:
            if error is None:
                raise
            # A statement that Spark did not accept: it has no plan, and has written nothing.
            return
        for write in writes:
            self._read_write(write, times, error)

    def _read_write(self, write: PlanWrite, times: tuple[int, int], error: str | None) -> None:
        """A write is a stream's if it works on the columns that the stream gives."""
        last, self._last = self._last, None
        if is_creation(write.kind):
            if last is not None and last.leaves == write.leaves:
                if error is None:
                    self._add_creation(write.plan, write.kind, last, times[1])
                return
            if not is_write(write.kind):
                return
        try:
            stream = self._stream_of(write.leaves)
            if stream is not None:
                # It fails with the write, unless its function thinks better of it.
                if error is None:
                    self._add_to_stream(stream, write)
            elif self._application is not None:
                self._report_write(self._application, write, times, error)
        except Exception as problem:
            log.warning("a write (%s) could not be read: %r", write.kind, problem)
            self._report_unread(write, times, error, type(problem).__name__)

    def _report_unread(
        self, write: PlanWrite, times: tuple[int, int], error: str | None, problem: str
    ) -> None:
        """A write of which no more is known than that there was one."""
        why = f"The plan of {write.kind} could not be read: {problem}."
        lineage = PlanLineage([], [], [GapEntry("output", write.kind, why)])
        stream = self._stream_of(write.leaves)
        if stream is not None:
            stream.add(lineage)
        elif self._application is not None:
            self._send_run(BatchRun(self._namespace, self._application, lineage), times, error)

    def _add_to_stream(self, stream: StreamRun, write: PlanWrite) -> None:
        """A write of a function that is given the batches."""
        # Every batch is written by the same few plans: each is read once.
        shape = (stream.run, _IDS.sub("", str(write.plan.toString())))
        is_new = False
        if shape not in self._seen:
            self._seen[shape], is_new = stream.read_batch(write.plan)
            while len(self._seen) > _MOST_SHAPES:
                del self._seen[next(iter(self._seen))]
        reading = self._seen[shape]
        count = self._counter.count_written(write, reading, stream.reading)
        written = {relation.name: count for relation in reading.target.relations}
        for dataset in written:
            stream.counts.wrote(dataset, count)
        for dataset, read in self._counter.count_read(write, reading, stream.reading).items():
            stream.read_static(dataset, read)
        self._last = LastWrite(stream, write.leaves, written, {})
        if is_new:
            self._send(stream, "RUNNING")

    def _report_write(
        self,
        application: SparkApplication,
        write: PlanWrite,
        times: tuple[int, int],
        error: str | None,
    ) -> None:
        """A write that is no stream's: a job, and a run of it."""
        reading = AnalysedPlan(write.plan, "")
        lineage = reading.lineage()
        if reading.target.has_none:
            return
        written: dict[DatasetName, Count] = {}
        read: dict[DatasetName, Count] = {}
        if error is None:
            count = self._counter.count_written(write, reading, None)
            written = {each.relation.name: count for each in lineage.outputs}
            read = self._counter.count_read(write, reading, None)
        run = BatchRun(self._namespace, application, lineage, reading.target.verb)
        self._send_run(run, times, error, written, read)
        self._last = LastWrite(run, write.leaves, written, read)

    def _send_run(
        self,
        run: BatchRun,
        times: tuple[int, int],
        error: str | None,
        written: dict[DatasetName, Count] | None = None,
        read: dict[DatasetName, Count] | None = None,
    ) -> None:
        self._sender.send(f"{run.run} START", run.event("START", times[0]))
        kind = "COMPLETE" if error is None else "FAIL"
        self._sender.send(f"{run.run} {kind}", run.event(kind, times[1], error, written, read))

    def _add_creation(self, plan: Java, kind: str, last: LastWrite, ended: int) -> None:
        """What a command that creates a table knows more of the write that it started."""
        others = find_other_names(plan, kind, last)
        count = count_created(plan, kind)
        is_counted = any(each.rows for each in last.written.values()) or count.rows is None
        written = last.written if is_counted else dict.fromkeys(last.written, count)
        if isinstance(last.by, BatchRun):
            last.by.name_outputs(others)
            event = last.by.event("COMPLETE", ended, None, written, last.read)
            self._sender.send(f"{last.by.run} COMPLETE", event)
            return
        is_news = last.by.name_outputs(others)
        for dataset in () if is_counted else written:
            last.by.counts.wrote(dataset, count)
        if is_news:
            self._send(last.by, "RUNNING")

    def _stream_of(self, leaves: tuple[int, ...]) -> StreamRun | None:
        given = {
            id[0]: stream
            for stream in self._streams.values()
            if stream.reading is not None
            for id in stream.reading.rows.columns
        }
        return next((given[leaf] for leaf in leaves if leaf in given), None)

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
