"""A streaming query, from its start to its end, as events."""

import time
from typing import Any

from headwater.model.naming import DatasetName
from headwater.spark import events
from headwater.spark.relations import Java
from headwater.spark.told import Dataset, Reading, Told

Json = dict[str, Any]


class Stream:
    """One run of one query: what it reads and writes, and how far it is."""

    def __init__(self, namespace: str, name: str, id: str, run: str) -> None:
        self._job = events.job(namespace, name, is_stream=True)
        self.name = name
        self.id = id
        self.run = run
        self.reading: Reading | None = None
        self.is_finite = False
        self.told_at = float("-inf")
        self._inputs: dict[DatasetName, Dataset] = {}
        self._outputs: dict[DatasetName, Dataset] = {}
        self._gaps: set[str] = set()
        self._rows_in: list[int] = []
        self._rows_out = 0
        self._progress: Json = {}

    def read(self, plan: Java) -> None:
        """Read the query's own plan."""
        self.reading = Reading(plan, self.name)
        self._add(self.reading.told())

    def read_batch(self, plan: Java) -> bool:
        """Read a plan that works on one of its batches; tells whether that was news."""
        before = (dict(self._inputs), dict(self._outputs))
        self._add(Reading(plan, self.name, of=self.reading).told())
        return before != (self._inputs, self._outputs)

    def _add(self, told: Told) -> None:
        for each in told.inputs:
            self._inputs.setdefault(each.relation.name, each)
        for each in told.outputs:
            self._outputs[each.relation.name] = each
        self._gaps.update(told.gaps)

    def moved(self, progress: Json) -> None:
        """Add up a batch: rows are those since the run began."""
        sources = progress.get("sources") or []
        if len(self._rows_in) < len(sources):
            self._rows_in += [0] * (len(sources) - len(self._rows_in))
        for place, source in enumerate(sources):
            self._rows_in[place] += max(source.get("numInputRows") or 0, 0)
        self._rows_out += max((progress.get("sink") or {}).get("numOutputRows") or 0, 0)
        self._progress = progress

    def event(self, kind: str, error: str | None = None) -> Json:
        self.told_at = time.monotonic()
        run_facets: Json = {"spark_stream": self._stream_facet()}
        if error is not None:
            run_facets["errorMessage"] = events.error_facet(error)
        inputs = [events.dataset(each) for each in self._inputs.values()]
        outputs = [events.dataset(each) for each in self._outputs.values()]
        for each, rows in zip(inputs, self._rows_in, strict=False):
            statistics = events.facet("InputStatisticsInputDatasetFacet", rowCount=rows)
            each["inputFacets"] = {"inputStatistics": statistics}
        # A sink that does not count, such as a function given the batches, says -1.
        if self._rows_out and len(outputs) == 1:
            kind_of = "OutputStatisticsOutputDatasetFacet"
            statistics = events.facet(kind_of, rowCount=self._rows_out)
            outputs[0]["outputFacets"] = {"outputStatistics": statistics}
        run = {"runId": self.run, "facets": run_facets}
        return events.run_event(kind, self._job, run, inputs, outputs)

    def _stream_facet(self) -> Json:
        """How far the query is; its id is the same after a restart from its checkpoint."""
        progress = self._progress
        states = progress.get("stateOperators") or []
        return events.own_facet(
            queryId=self.id,
            batchId=progress.get("batchId"),
            batchMilliseconds=progress.get("batchDuration"),
            watermark=(progress.get("eventTime") or {}).get("watermark"),
            stateRows=sum(each.get("numRowsTotal") or 0 for each in states),
            offsets=[source.get("endOffset") for source in progress.get("sources") or []],
            gaps=sorted(self._gaps),
        )
