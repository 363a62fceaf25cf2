"""All queries of a session: notifications are queued at once, and processed in a thread."""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from headwater.emit.sender import Sender
from headwater.model.naming import DatasetName
from headwater.model.values.instant import now
from headwater.spark.batches import BatchRun
from headwater.spark.counting import Count
from headwater.spark.dataset_names import Java
from headwater.spark.executions import count_written, wait_for_listeners
from headwater.spark.plan_lineage import AnalysedPlan
from headwater.spark.stages import Stages
from headwater.spark.streams import Json, StreamRun

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
_IDS = re.compile(r"#\d+L?")
_WRITES = re.compile(r"AppendData|Overwrite|ReplaceData|WriteDelta|InsertInto")


class QueryTracker:
    """Turns what happens to the queries of a session into events."""

    def __init__(
        self, spark: "SparkSession", sender: Sender, namespace: str, batch: bool = False
    ) -> None:
        self._spark = spark
        self._sender = sender
        self._namespace = namespace
        self._has_batch = batch
        self._streams: dict[str, StreamRun] = {}
        self._stages: dict[str, Stages] = {}
        self._seen: dict[tuple[str, str], list[DatasetName]] = {}
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

    def executed(self, execution: Java, nanoseconds: int, error: str | None) -> None:
        """An action: a write inside foreachBatch, or one of its own."""
        if self._streams or self._has_batch:
            ended = now()
            self._later(lambda: self._read_write(execution, nanoseconds, ended, error))

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
                    log.warning("lineage of a stream could not be reported: %s", error)

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
        self._stages.setdefault(stream.run, Stages(self._spark, stream.run))
        try:
            plan = execution.logicalPlan()
        except Exception:
            return not query.isActive
        stream.read(plan)
        return True

    def _is_session_over(self) -> bool:
        return self._spark.sparkContext._jsc is None

    def _read_write(self, execution: Java, nanoseconds: int, ended: int, error: str | None) -> None:
        """A write is a stream's if it works on the columns that the stream gives."""
        plan = execution.analyzed()
        text = str(plan.toString())
        if not _WRITES.match(text):
            return
        stream = self._stream_of(plan)
        if stream is None:
            if self._has_batch:
                self._report_job(execution, ended - nanoseconds // 1000, ended, error)
            return
        if error is not None:
            # The stream fails with it, unless its function thinks better of it.
            return
        # Every batch is written by the same few plans: each is read once.
        shape = (stream.run, _IDS.sub("", text))
        is_new = shape not in self._seen
        if is_new:
            self._seen[shape] = stream.read_batch(plan)
        for dataset in self._seen[shape]:
            stream.counts.wrote(dataset, count_written(execution))
        if is_new:
            self._send(stream, "RUNNING")

    def _report_job(self, execution: Java, began: int, ended: int, error: str | None) -> None:
        """A write that is no stream's: a job by what it writes to, and a run of it."""
        lineage = AnalysedPlan(execution.analyzed(), "").lineage()
        count = count_written(execution) if error is None else Count()
        for target in lineage.outputs:
            job = BatchRun(self._namespace, target, lineage)
            self._sender.send(f"{job.run} START", job.event("START", began))
            kind = "COMPLETE" if error is None else "FAIL"
            self._sender.send(f"{job.run} {kind}", job.event(kind, ended, error, count))

    def _stream_of(self, plan: Java) -> StreamRun | None:
        given = {
            id[0]: stream
            for stream in self._streams.values()
            if stream.reading is not None
            for id in stream.reading.rows.columns
        }
        leaves = plan.collectLeaves()
        for place in range(leaves.size()):
            output = leaves.apply(place).output()
            if output.nonEmpty():
                found = given.get(int(output.apply(0).exprId().id()))
                if found is not None:
                    return found
        return None

    def _is_due(self, stream: StreamRun) -> bool:
        return stream.was_reported and time.monotonic() - stream.reported_at >= HEARTBEAT_SECONDS

    def _send(self, stream: StreamRun, kind: str, error: str | None = None) -> None:
        stream.find_topics()
        # What its tasks count is gone with the session.
        with suppress(Exception):
            if (stages := self._stages.get(stream.run)) is not None:
                stream.counts.work = stream.counts.work.plus(stages.read_new())
        self._sender.send(f"{stream.run} {kind}", stream.event(kind, error))


def _is_finite(execution: Java) -> bool:
    """Whether a query ends by itself, once there is nothing left to read."""
    trigger = str(execution.trigger().getClass().getSimpleName())
    return trigger.rstrip("$") in ("AvailableNowTrigger", "OneTimeTrigger")
