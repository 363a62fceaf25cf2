"""A streaming query, from its start to its end, as events."""

import logging
import time
from typing import Any

from headwater.model.naming import DatasetName
from headwater.spark import events
from headwater.spark.counting import QueryCounts
from headwater.spark.dataset_names import Java
from headwater.spark.plan_lineage import AnalysedPlan, PlanDataset, PlanLineage

Json = dict[str, Any]

log = logging.getLogger("headwater.spark")


class StreamRun:
    """One run of one query: what it reads and writes, and how far it is."""

    def __init__(self, namespace: str, name: str, id: str, run: str) -> None:
        self._job = events.job(namespace, name, is_stream=True)
        self.name = name
        self.id = id
        self.run = run
        self.reading: AnalysedPlan | None = None
        self._batches: list[AnalysedPlan] = []
        self.sources: list[list[DatasetName]] = []
        """The datasets of each source, in the order in which Spark counts their rows."""
        self.is_finite = False
        self.reported_at = float("-inf")
        self._inputs: dict[DatasetName, PlanDataset] = {}
        self._outputs: dict[DatasetName, PlanDataset] = {}
        self._gaps: set[str] = set()
        self.counts = QueryCounts()
        self.checkpoint: str | None = None
        self._first_batch: int | None = None
        self._progress: Json = {}

    @property
    def was_reported(self) -> bool:
        return self.reported_at > float("-inf")

    def read(self, plan: Java) -> None:
        """Read the query's own plan; if that fails, the query is reported with a gap."""
        try:
            self.reading = AnalysedPlan(plan, self.name)
            self.add(self.reading.lineage())
            self.sources = self.reading.streamed()
        except Exception as error:
            log.warning("the plan of %s could not be read: %r", self.name, error)
            self._gaps.add(f"plan: {type(error).__name__}")

    def read_batch(self, plan: Java) -> list[DatasetName]:
        """Read a plan that works on one of its batches; gives what it writes to."""
        reading = AnalysedPlan(plan, self.name, of=self.reading)
        self._batches.append(reading)
        lineage = reading.lineage()
        self.add(lineage)
        return [each.relation.name for each in lineage.outputs]

    def add(self, lineage: PlanLineage) -> None:
        for each in lineage.inputs:
            self._inputs.setdefault(each.relation.name, each)
        for each in lineage.outputs:
            self._outputs[each.relation.name] = each
        self._gaps.update(lineage.gaps)

    def moved(self, progress: Json) -> None:
        """Add up a batch: rows are those since the run began."""
        self.counts.moved(progress)
        if self._first_batch is None:
            self._first_batch = progress.get("batchId")
        self._progress = progress

    def find_topics(self) -> None:
        """Name the topics of a pattern, which only batches report; they may change."""
        if self.reading is None:
            return
        offsets = [source.get("endOffset") for source in self._progress.get("sources") or []]
        if self.reading.find_topics(offsets):
            self._inputs.clear()
            for reading in (self.reading, *self._batches):
                self.add(reading.lineage())
            self.sources = self.reading.streamed()

    def event(self, kind: str, error: str | None = None) -> Json:
        self.reported_at = time.monotonic()
        run_facets: Json = {"spark_stream": self._stream_facet()}
        if error is not None:
            run_facets["errorMessage"] = events.error_facet(error)
        inputs = [events.dataset(each) for each in self._inputs.values()]
        outputs = [events.dataset(each) for each in self._outputs.values()]
        events.count_inputs(inputs, self.counts.of_inputs(self.sources))
        events.count_outputs(outputs, self.counts.of_outputs(list(self._outputs)))
        run = {"runId": self.run, "facets": run_facets}
        return events.SPARK.run_event(kind, self._job, run, inputs, outputs)

    def _stream_facet(self) -> Json:
        """How far the query is; its id is the same after a restart from its checkpoint."""
        progress = self._progress
        states = progress.get("stateOperators") or []
        return events.SPARK.custom_facet(
            queryId=self.id,
            checkpoint=self.checkpoint,
            firstBatchId=self._first_batch,
            batchId=progress.get("batchId"),
            batchMilliseconds=progress.get("batchDuration"),
            watermark=(progress.get("eventTime") or {}).get("watermark"),
            stateRows=sum(each.get("numRowsTotal") or 0 for each in states),
            sources=[
                {
                    "description": reported.get("description"),
                    "endOffset": reported.get("endOffset"),
                    "rows": counted.rows,
                    "lag": counted.lag,
                }
                for reported, counted in zip(
                    progress.get("sources") or [], self.counts.sources, strict=False
                )
            ],
            gaps=sorted(self._gaps),
        )
