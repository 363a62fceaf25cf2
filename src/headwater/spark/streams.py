"""A streaming query, from its start to its end, as events."""

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headwater.emit.gaps import GapEntry, gaps_facets
from headwater.model.naming import DatasetName
from headwater.spark import events
from headwater.spark.counts.counting import Count, QueryCounts
from headwater.spark.plan_lineage import AnalysedPlan, PlanDataset, PlanLineage
from headwater.spark.relations import Java

Json = dict[str, Any]

log = logging.getLogger("headwater.spark")

_UNSEEN_WRITES = GapEntry(
    "output",
    "foreachBatch",
    "The function that is given the batches writes nothing that Spark reports: "
    "what it does with their rows is not known.",
)


class StreamRun:
    """One run of one query: what it reads and writes, and how far it is."""

    def __init__(self, namespace: str, name: str, id: str, run: str) -> None:
        self._job = events.job(namespace, name, is_stream=True)
        self.name = name
        self.id = id
        self.run = run
        self.execution: Java = None
        """The query in the JVM, once it runs."""
        self._leaves: list[Java] = []
        self.reading: AnalysedPlan | None = None
        self._batches: list[AnalysedPlan] = []
        self.sources: list[list[DatasetName]] = []
        """The datasets of each source, in the order in which Spark counts their rows."""
        self.is_finite = False
        self.reported_at = float("-inf")
        self._inputs: dict[DatasetName, PlanDataset] = {}
        self._outputs: dict[DatasetName, PlanDataset] = {}
        self._gaps: set[GapEntry] = set()
        self.counts = QueryCounts()
        self.checkpoint: str | None = None
        self._first_batch: int | None = None
        self._progress: Json = {}
        self._batches_with_rows = 0

    @property
    def was_reported(self) -> bool:
        return self.reported_at > float("-inf")

    def read(self, plan: Java) -> None:
        """Read the query's own plan; if that fails, the query is reported with a gap."""
        try:
            self.reading = AnalysedPlan(plan, self.name)
            self.add(self.reading.lineage())
            self.sources = self.reading.streamed()
            self._leaves = _streaming_leaves(plan)
        except Exception as error:
            log.warning("the plan of %s could not be read: %r", self.name, error)
            why = f"The plan could not be read: {type(error).__name__}."
            self._gaps.add(GapEntry("other", f"plan: {type(error).__name__}", why))

    def read_batch(self, plan: Java) -> tuple[AnalysedPlan, bool]:
        """Read a plan that works on one of its batches; gives whether it adds something new."""
        reading = AnalysedPlan(plan, self.name, of=self.reading)
        is_new = self.add(reading.lineage())
        if is_new:
            # Not each: plans that have the number of their batch would never be the same.
            self._batches.append(reading)
        return reading, is_new

    def name_outputs(self, others: Mapping[DatasetName, DatasetName]) -> bool:
        """Learn what a catalog calls datasets that were written; returns whether any is new."""
        is_news = False
        for name, other in others.items():
            written = self._outputs.get(name)
            if written is not None and written.relation.other is None:
                relation = written.relation._replace(other=other)
                self._outputs[name] = written._replace(relation=relation)
                is_news = True
        return is_news

    def read_static(self, dataset: DatasetName, count: Count) -> None:
        """Note what a batch read of a dataset that does not stream."""
        if dataset in self._inputs:
            self.counts.read_static(dataset, count)

    def find_first_rows(self) -> None:
        """Find where topics were read from at first, which the first batch does not report."""
        sources = self.counts.sources
        if len(sources) != len(self._leaves):
            return
        for place, source in enumerate(sources):
            if source.from_nowhere:
                offsets = json.loads(str(self._leaves[place].stream().initialOffset().json()))
                sources[place] = source.began_at(offsets)

    def add(self, lineage: PlanLineage) -> bool:
        """Take on what a plan reads and writes; returns whether any of it is new."""
        before = (dict(self._inputs), dict(self._outputs), set(self._gaps))
        for each in lineage.inputs:
            self._inputs.setdefault(each.relation.name, each)
        for each in lineage.outputs:
            known = self._outputs.get(each.relation.name)
            # A function may write to one table twice, from different columns.
            self._outputs[each.relation.name] = each if known is None else known.merge(each)
        self._gaps.update(lineage.gaps)
        return before != (self._inputs, self._outputs, self._gaps)

    def moved(self, progress: Json) -> None:
        """Add up a batch: rows are those since the run began."""
        self.counts.moved(progress)
        if self._first_batch is None:
            self._first_batch = progress.get("batchId")
        self._progress = progress
        self._batches_with_rows += (progress.get("numInputRows") or 0) > 0

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
        gaps = self._gaps | self._find_unseen_writes(kind)
        run_facets: Json = {"spark_stream": self._stream_facet(gaps)}
        run_facets.update(gaps_facets(events.SPARK, gaps))
        if error is not None:
            run_facets["errorMessage"] = events.error_facet(error)
        inputs = [events.dataset(each) for each in self._inputs.values()]
        outputs = [events.dataset(each) for each in self._outputs.values()]
        topics = [each.relation.name for each in self._inputs.values() if each.relation.is_topic]
        events.count_inputs(inputs, self.counts.of_inputs(self.sources, topics))
        events.count_outputs(outputs, self.counts.of_outputs(list(self._outputs)))
        run = {"runId": self.run, "facets": run_facets}
        return events.SPARK.run_event(kind, self._job, run, inputs, outputs)

    def _find_unseen_writes(self, kind: str) -> set[GapEntry]:
        """A function that was given rows, and has written to nothing that is known.

        While it runs, the writes of its newest batch may not have been reported by Spark yet.
        """
        enough = 2 if kind == "RUNNING" else 1
        if self.reading is None or not self.reading.target.has_none or self._outputs:
            return set()
        if self._batches_with_rows < enough or any(gap.kind == "output" for gap in self._gaps):
            return set()
        return {_UNSEEN_WRITES}

    def _stream_facet(self, gaps: Iterable[GapEntry]) -> Json:
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
            gaps=sorted({gap.name for gap in gaps}),
        )


def _streaming_leaves(plan: Java) -> list[Java]:
    """The sources that stream, as they are in the plan from left to right."""
    leaves = plan.collectLeaves()
    found = [leaves.apply(place) for place in range(leaves.size())]
    return [each for each in found if str(each.getClass().getSimpleName()).startswith("Streaming")]


def by_dataset(
    reading: AnalysedPlan, scanned: Mapping[int, Count]
) -> Iterator[tuple[DatasetName, Count]]:
    """What scans read, by dataset; of several that one scan reads, nobody knows how much."""
    found: dict[DatasetName, Count] = {}
    for ids, names in reading.scans():
        id = next((each for each in ids if each in scanned), None)
        if id is not None and len(names) == 1:
            found[names[0]] = found.get(names[0], Count()).plus(scanned[id])
    yield from found.items()
