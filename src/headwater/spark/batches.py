"""A write of a batch job, as events."""

import re
import uuid
from typing import Any

from headwater.spark import events
from headwater.spark.counting import Count
from headwater.spark.plan_lineage import PlanDataset, PlanLineage

Json = dict[str, Any]

_ENDS = re.compile(r"[/.|]")


class BatchRun:
    """One write to one target; the job is the application's writing to it, whenever it does."""

    def __init__(self, namespace: str, target: PlanDataset, lineage: PlanLineage) -> None:
        relation = target.relation
        name = (relation.other or relation.name).name
        # Of a path the last part alone: what is before it is where files happen to be.
        short = name if relation.other else _ENDS.split(name.rstrip("/"))[-1]
        self._job = events.job(namespace, f"write {short}", is_stream=False)
        self._target = target
        self._lineage = lineage
        self.run = str(uuid.uuid4())

    def event(
        self, kind: str, at: int, error: str | None = None, count: Count | None = None
    ) -> Json:
        facets: Json = {"spark_plan": events.SPARK.custom_facet(gaps=self._lineage.gaps)}
        if error is not None:
            facets["errorMessage"] = events.error_facet(error)
        run = {"runId": self.run, "facets": facets}
        inputs = [events.dataset(each) for each in self._lineage.inputs]
        outputs = [events.dataset(self._target)]
        if count is not None:
            events.count_outputs(outputs, {self._target.relation.name: count})
        return events.SPARK.run_event(kind, self._job, run, inputs, outputs, at)
