"""A write of a batch job, as events."""

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from headwater.emit.gaps import gaps_facets
from headwater.model.naming import DatasetName
from headwater.spark import events
from headwater.spark.application import SparkApplication
from headwater.spark.counts.counting import Count
from headwater.spark.plan_lineage import PlanDataset, PlanLineage

Json = dict[str, Any]

_PARTITION = re.compile(r"/[^/=]+=[^/]*(?=/|$)")
_NUMBERS = re.compile(r"\d+")
# A gap of a write without a name: `output com.example.Sink (path=/a)`.


class BatchRun:
    """One write; its job is that write of that application, whenever it is done."""

    def __init__(
        self,
        namespace: str,
        application: SparkApplication,
        lineage: PlanLineage,
        verb: str = "write",
    ) -> None:
        name = f"{application.name}.{name_write(lineage, verb)}"
        self._job = events.job(namespace, name, is_stream=False)
        self._application = application
        self.lineage = lineage
        self.run = str(uuid.uuid4())

    def event(
        self,
        kind: str,
        at: int,
        error: str | None = None,
        written: Mapping[DatasetName, Count] | None = None,
        read: Mapping[DatasetName, Count] | None = None,
    ) -> Json:
        gaps = self.lineage.gaps
        names = sorted({gap.name for gap in gaps})
        facets: Json = {
            **self._application.facets(is_child=True),
            "spark_plan": events.SPARK.custom_facet(gaps=names),
            **gaps_facets(events.SPARK, gaps),
        }
        if error is not None:
            facets["errorMessage"] = events.error_facet(error)
        run = {"runId": self.run, "facets": facets}
        inputs = [events.dataset(each) for each in self.lineage.inputs]
        outputs = [events.dataset(each) for each in self.lineage.outputs]
        events.count_inputs(inputs, read or {})
        events.count_outputs(outputs, written or {})
        return events.SPARK.run_event(kind, self._job, run, inputs, outputs, at)

    def name_outputs(self, other: Mapping[DatasetName, DatasetName]) -> None:
        """Learn what a catalog calls the datasets that were written."""
        outputs = [_also_named(each, other) for each in self.lineage.outputs]
        self.lineage = self.lineage._replace(outputs=outputs)


def _also_named(written: PlanDataset, other: Mapping[DatasetName, DatasetName]) -> PlanDataset:
    relation = written.relation
    name = relation.other or other.get(relation.name)
    return written._replace(relation=relation._replace(other=name))


def name_write(lineage: PlanLineage, verb: str) -> str:
    """The name of a write: what it does, its target, and a digest of what goes into it.

    The digest tells two writes to one target apart, whatever their order. It does not depend on
    values: neither on those in the plan, such as the date in a filter, nor on numbers in names.
    """
    targets = [each.relation.label or _place(each.relation.name) for each in lineage.outputs]
    targets = targets or [gap.name for gap in lineage.gaps if gap.kind == "output"]
    return f"{verb} {', '.join(sorted(targets)) or 'unknown'} ({_digest(lineage)})"


def _place(name: DatasetName) -> str:
    """Where a dataset is; files of a partition are where the others are."""
    if name.namespace == "file":
        return _PARTITION.sub("", name.name) or name.name
    return f"{name.namespace}/{_PARTITION.sub('', name.name).removeprefix('/')}"


def _digest(lineage: PlanLineage) -> str:
    inputs = {
        each.relation.name: each.relation.label or _NUMBERS.sub("#", _place(each.relation.name))
        for each in lineage.inputs
    }
    columns = {
        (inputs.get(DatasetName(each["namespace"], each["name"]), ""), each["field"], column)
        for written in lineage.outputs
        for column, value in ((written.columns or {}).get("fields") or {}).items()
        for each in value["inputFields"]
    }
    text = json.dumps([sorted(inputs.values()), sorted(columns)])
    return hashlib.sha256(text.encode()).hexdigest()[:6]
