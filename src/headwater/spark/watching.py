"""All queries of a session: what Spark tells of them is noted at once, and worked on beside it."""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.model.instant import now
from headwater.spark.batches import BatchRun
from headwater.spark.relations import Java
from headwater.spark.sending import Sender
from headwater.spark.streams import Json, Stream
from headwater.spark.told import Reading

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger("headwater.spark")

HEARTBEAT_SECONDS = 10.0
# A stream's plan is there once the stream has begun to run.
_PLAN_SECONDS = 0.2
_PLAN_TRIES = 300
_MAX_WORK = 10_000
_IDS = re.compile(r"#\d+L?")
_WRITES = re.compile(r"AppendData|Overwrite|ReplaceData|WriteDelta|InsertInto")


class Watcher:
    """Turns what happens to the queries of a session into events."""

    def __init__(
        self, spark: "SparkSession", sender: Sender, namespace: str, batch: bool = False
    ) -> None:
        self._spark = spark
        self._sender = sender
        self._namespace = namespace
        self._has_batch = batch
        self._streams: dict[str, Stream] = {}
        self._seen: set[tuple[str, str]] = set()
        self._work: deque[Callable[[], None]] = deque(maxlen=_MAX_WORK)
        self._has_work = threading.Event()
        threading.Thread(target=self._run, name="headwater-watcher", daemon=True).start()

    def started(self, id: str, run: str, name: str | None) -> None:
        stream = Stream(self._namespace, name or f"query-{id}", id, run)
        self._streams[run] = stream
        self._later(lambda: self._tell_start(stream))

    def moved(self, run: str, progress: Json) -> None:
        stream = self._streams.get(run)
        if stream is None:
            return
        stream.moved(progress)
        if time.monotonic() - stream.told_at >= HEARTBEAT_SECONDS and stream.reading is not None:
            self._later(lambda: self._send(stream, "RUNNING"))

    def ended(self, run: str, error: str | None) -> None:
        stream = self._streams.get(run)
        if stream is not None:
            self._later(lambda: self._tell_end(stream, error))

    def executed(self, execution: Java, nanoseconds: int, error: str | None) -> None:
        """An action: a write inside foreachBatch, or one of its own."""
        if self._streams or self._has_batch:
            ended = now()
            self._later(lambda: self._read_write(execution, nanoseconds, ended, error))

    def _later(self, work: Callable[[], None]) -> None:
        self._work.append(work)
        self._has_work.set()

    def _run(self) -> None:
        while True:
            self._has_work.wait()
            self._has_work.clear()
            while self._work:
                work = self._work.popleft()
                try:
                    work()
                except Exception as error:
                    log.warning("lineage of a stream could not be told: %s", error)

    def _tell_start(self, stream: Stream) -> None:
        self._read_plan(stream)
        self._send(stream, "START")

    def _tell_end(self, stream: Stream, error: str | None) -> None:
        self._streams.pop(stream.run, None)
        self._seen = {shape for shape in self._seen if shape[0] != stream.run}
        kind = "FAIL" if error else "COMPLETE" if stream.is_finite else "ABORT"
        self._send(stream, kind, error)

    def _read_plan(self, stream: Stream) -> None:
        """Read the plan once it is there: the stream makes it when it begins to run."""
        for _ in range(_PLAN_TRIES):
            query: Any = self._spark.streams.get(stream.id)
            if query is None:
                return
            execution = query._jsq.streamingQuery()
            stream.is_finite = _is_finite(execution)
            try:
                plan = execution.logicalPlan()
            except Exception as error:
                if not query.isActive:
                    log.info("the plan of %s could not be read: %s", stream.name, error)
                    return
                time.sleep(_PLAN_SECONDS)
                continue
            stream.read(plan)
            return

    def _read_write(self, execution: Java, nanoseconds: int, ended: int, error: str | None) -> None:
        """A write is a stream's if it works on the columns that the stream gives."""
        plan = execution.analyzed()
        text = str(plan.toString())
        if not _WRITES.match(text):
            return
        stream = self._stream_of(plan)
        if stream is None:
            if self._has_batch:
                self._tell_job(plan, ended - nanoseconds // 1000, ended, error)
            return
        if error is not None:
            # The stream fails with it, unless its function thinks better of it.
            return
        # Every batch is written by the same few plans: each is read once.
        shape = (stream.run, _IDS.sub("", text))
        if shape not in self._seen:
            self._seen.add(shape)
            if stream.read_batch(plan):
                self._send(stream, "RUNNING")

    def _tell_job(self, plan: Java, began: int, ended: int, error: str | None) -> None:
        """A write that is no stream's: a job by what it writes to, and a run of it."""
        told = Reading(plan, "").told()
        for target in told.outputs:
            job = BatchRun(self._namespace, target, told)
            self._sender.send(f"{job.run} START", job.event("START", began))
            kind = "COMPLETE" if error is None else "FAIL"
            self._sender.send(f"{job.run} {kind}", job.event(kind, ended, error))

    def _stream_of(self, plan: Java) -> Stream | None:
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

    def _send(self, stream: Stream, kind: str, error: str | None = None) -> None:
        self._sender.send(f"{stream.run} {kind}", stream.event(kind, error))


def _is_finite(execution: Java) -> bool:
    """Tell whether a query ends by itself, once there is nothing left to read."""
    trigger = str(execution.trigger().getClass().getSimpleName())
    return trigger.rstrip("$") in ("AvailableNowTrigger", "OneTimeTrigger")
