"""The graph as OpenLineage events: one for each dataset and job, as it is now."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from headwater.answers.inventory.entries import (
    DatasetRef,
    InventoryDataset,
    InventoryJob,
    JobFlow,
)
from headwater.emit.events import Producer
from headwater.publish.catalog import Json
from headwater.publish.catalog.events import column_lineage_facet, describe_job, stable_id

DATASET = "dataset"
JOB = "job"
_PRODUCER = Producer.of_part("publish")
_SHOWN_OF_DATASETS = ("dataSource", "datasetType", "documentation", "ownership", "tags")
_SHOWN_OF_JOBS = ("jobType", "ownership", "sourceCodeLocation", "tags")
_DATASET_FACETS = {
    "columnLineage": "ColumnLineageDatasetFacet",
    "dataSource": "DatasourceDatasetFacet",
    "datasetType": "DatasetTypeDatasetFacet",
    "documentation": "DocumentationDatasetFacet",
    "lifecycleStateChange": "LifecycleStateChangeDatasetFacet",
    "lineage": "LineageFacet",
    "ownership": "OwnershipDatasetFacet",
    "schema": "SchemaDatasetFacet",
    "symlinks": "SymlinksDatasetFacet",
    "tags": "TagsDatasetFacet",
}
_JOB_FACETS = {
    "documentation": "DocumentationJobFacet",
    "jobType": "JobTypeJobFacet",
    "ownership": "OwnershipJobFacet",
    "sourceCodeLocation": "SourceCodeLocationJobFacet",
    "tags": "TagsJobFacet",
}


def dataset_body(entry: InventoryDataset) -> Json:
    """A dataset with its schema, its other names and its facets."""
    facets = _facets(entry.facets, _SHOWN_OF_DATASETS)
    if entry.schema is not None and entry.schema.fields:
        facets["schema"] = {"fields": _without_nothing(msgspec.to_builtins(entry.schema.fields))}
    if entry.dataset.others:
        facets["symlinks"] = _values(_PRODUCER.symlinks(entry.dataset.others))
    return {"dataset": _named(entry.dataset) | {"facets": facets}}


def job_body(job: InventoryJob, has_schemas: bool) -> Json:
    """A job with all that it reads and writes, by column; gaps are part of its description."""
    facets = _facets(job.facets, _SHOWN_OF_JOBS)
    if text := describe_job(job):
        facets["documentation"] = {"description": text}
    flows = [flow for flow in job.flows if flow.output is not None]
    every = set(job.inputs)
    is_paired = any(set(flow.inputs) != every for flow in flows)
    columns = job.columns if has_schemas else {}
    return {
        "job": {"namespace": job.name.namespace, "name": job.name.name, "facets": facets},
        "inputs": [_used(each, columns) for each in sorted(job.inputs)],
        "outputs": [_output(flow, columns, is_paired) for flow in flows],
    }


def dataset_event(body: Json, at: int) -> Json:
    return _PRODUCER.dataset_event(_signed(body["dataset"], _DATASET_FACETS), at)


def job_event(body: Json, at: int) -> Json:
    return _PRODUCER.job_event(*_parts(body), at)


def run_event(key: str, body: Json, at: int) -> Json:
    """The same as of a run that is the same each time, for those that take no other events."""
    job, inputs, outputs = _parts(body)
    run = {"runId": stable_id("graph", key)}
    return _PRODUCER.run_event("COMPLETE", job, run, inputs, outputs, at)


def dropped_body(body: Json) -> Json:
    """What says that a dataset is not there any more."""
    dataset = {name: body["dataset"][name] for name in ("namespace", "name")}
    change = {"lifecycleStateChange": "DROP"}
    return {"dataset": {**dataset, "facets": {"lifecycleStateChange": change}}}


def emptied_body(body: Json) -> Json:
    """What says that a job uses nothing any more: OpenLineage has no other end of one."""
    job = {name: body["job"][name] for name in ("namespace", "name")}
    return {"job": job, "inputs": [], "outputs": []}


def _parts(body: Json) -> tuple[Json, list[Json], list[Json]]:
    inputs = [_signed(each, _DATASET_FACETS) for each in body["inputs"]]
    outputs = [_signed(each, _DATASET_FACETS) for each in body["outputs"]]
    return _signed(body["job"], _JOB_FACETS), inputs, outputs


def _signed(entity: Json, kinds: Mapping[str, str]) -> Json:
    """The same with facets of this version's producer; another version changes no item."""
    facets = {
        name: _PRODUCER.facet(kinds[name], **values)
        for name, values in entity.get("facets", {}).items()
    }
    return {**_without_facets(entity), **({"facets": facets} if facets else {})}


def _without_facets(entity: Json) -> Json:
    return {name: value for name, value in entity.items() if name != "facets"}


def _facets(given: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> Json:
    """Facets as our own: their values are what holds now, whoever stated them."""
    return {name: _values(given[name]) for name in names if _values(given.get(name, {}))}


def _values(facet: Mapping[str, Any]) -> Json:
    return {key: value for key, value in facet.items() if not key.startswith("_")}


def _used(dataset: DatasetRef, columns: Mapping[DatasetRef, Any]) -> Json:
    found = _named(dataset) | {"facets": {}}
    if known := columns.get(dataset):
        fields = [{"name": column.name, "type": column.type} for column in known]
        found["facets"]["schema"] = {"fields": fields}
    return found


def _output(flow: JobFlow, columns: Mapping[DatasetRef, Any], is_paired: bool) -> Json:
    assert flow.output is not None
    found = _used(flow.output, columns)
    if lineage := column_lineage_facet(flow, lambda each: each.name, has_whole=True):
        found["facets"]["columnLineage"] = _values(lineage)
    if is_paired:
        # Else each output would be of all inputs.
        inputs = [{**_named(each), "type": "DATASET"} for each in flow.inputs]
        found["facets"]["lineage"] = {"inputs": inputs}
    return found


def _named(dataset: DatasetRef) -> Json:
    return {"namespace": dataset.name.namespace, "name": dataset.name.name}


def _without_nothing(value: Any) -> Any:
    """JSON without fields of which nothing is known."""
    if isinstance(value, list):
        return [_without_nothing(each) for each in value]
    if isinstance(value, dict):
        return {key: _without_nothing(each) for key, each in value.items() if each is not None}
    return value
