"""The writes of executions: of a stream whose batch they work on, or jobs of their own."""

import logging
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from headwater.emit.gaps import GapEntry
from headwater.emit.sender import Sender
from headwater.model.naming import DatasetName
from headwater.spark.application import SparkApplication
from headwater.spark.batches import BatchRun
from headwater.spark.counts.counting import Count
from headwater.spark.counts.of_writes import WriteCounter
from headwater.spark.created import LastWrite, count_created, find_other_names, is_creation
from headwater.spark.plan_lineage import AnalysedPlan, PlanLineage
from headwater.spark.relations import Java
from headwater.spark.streams import StreamRun
from headwater.spark.targets import is_write
from headwater.spark.writes import PlanWrite, find_writes

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger("headwater.spark")

# Plans of batches that are kept: one that has the number of its batch is another each time.
_MOST_SHAPES = 100
# What changes from one batch to the next: ids of columns, addresses of objects, versions.
_IDS = re.compile(r"#\d+L?|@[0-9a-f]+|version=\d+")


class WriteReporter:
    """Reads the plans of writes, one after the other, and reports each where it belongs."""

    def __init__(
        self,
        spark: "SparkSession",
        sender: Sender,
        namespace: str,
        application: SparkApplication | None,
        streams: Mapping[str, StreamRun],
        report_news: Callable[[StreamRun], None],
    ) -> None:
        """`streams` are those that run, by run; `report_news` is of one that was added to."""
        self._sender = sender
        self._namespace = namespace
        self._application = application
        self._streams = streams
        self._report_news = report_news
        self._counter = WriteCounter(spark)
        self._last: LastWrite | None = None
        self._seen: dict[tuple[str, str], AnalysedPlan] = {}

    def note_inner(self, execution: Java) -> None:
        """Keep the execution in which Delta has just read the rows of a write."""
        self._counter.note_inner(execution)

    def forget(self, run: str) -> None:
        """A stream has ended."""
        self._seen = {shape: it for shape, it in self._seen.items() if shape[0] != run}

    def report(self, execution: Java, nanoseconds: int, ended: int, error: str | None) -> None:
        """An execution that has ended, at this time."""
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
            self._report_news(stream)

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
            self._report_news(last.by)

    def _stream_of(self, leaves: tuple[int, ...]) -> StreamRun | None:
        given = {
            id[0]: stream
            for stream in self._streams.values()
            if stream.reading is not None
            for id in stream.reading.rows.columns
        }
        return next((given[leaf] for leaf in leaves if leaf in given), None)
