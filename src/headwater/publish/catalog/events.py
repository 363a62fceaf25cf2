"""The graph as OpenLineage events: each states what a job makes an output of now, within limits.

They are no events that were received: times and runs of those say nothing of what holds now.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import msgspec

from headwater.answers.inventory.entries import ColumnLink, DatasetRef, InventoryJob, JobFlow
from headwater.emit.events import Producer
from headwater.model.column_map import Transformation
from headwater.model.uses import Name
from headwater.publish.catalog import CatalogItem, Json, Skipped, subject_of

EVENT = "event"
KINDS = (EVENT,)
_PRODUCER = Producer.of_part("publish")
_LONGEST_TEXT = 2_000
_RUNS = UUID("6f3c1c52-8a0e-5d0b-9a51-0c9f4b8f7d10")

# What a catalog calls a dataset; None where it has no name for it.
Rename = Callable[[DatasetRef], Name | None]
Pair = tuple[DatasetRef, ColumnLink]


class EventLimits(NamedTuple):
    """What one event may hold.

    With `joins_outputs` a job is one event, if it fits and all its outputs are of the same inputs.
    """

    links: int
    bytes: int
    joins_outputs: bool = False


def stable_id(*parts: str) -> str:
    """An id that is the same whenever it is made of the same."""
    return str(uuid5(_RUNS, "\n".join(parts)))


def job_events(
    job: InventoryJob, rename: Rename, limits: EventLimits
) -> Iterator[CatalogItem | Skipped]:
    """The events of a job: one for each output, or more where one would be over the limits."""
    subject = subject_of(job.name)
    flows = [flow for flow in job.flows if flow.output is not None and flow.inputs]
    if not flows:
        yield Skipped(f"job {subject}", subject, "it does not both read and write anything")
        return
    are_alike = len({flow.inputs for flow in flows}) == 1
    if limits.joins_outputs and len(flows) > 1 and are_alike:
        joined = _event(job, flows, rename)
        if _fits(joined, flows, limits):
            yield CatalogItem(EVENT, subject, subject, joined)
            return
    for flow in flows:
        yield from _flow_events(job, flow, rename, limits, is_only=len(flows) == 1)


def _flow_events(
    job: InventoryJob, flow: JobFlow, rename: Rename, limits: EventLimits, is_only: bool
) -> Iterator[CatalogItem | Skipped]:
    assert flow.output is not None
    subject = subject_of(job.name)
    key = subject if is_only else f"{subject} -> {subject_of(flow.output.name)}"
    unnamed = [each for each in (flow.output, *flow.inputs) if rename(each) is None]
    for dataset in unnamed:
        reason = "the catalog has no name for it, or takes none of that length"
        yield Skipped(f"dataset {subject_of(dataset.name)[:200]}", subject, reason)
    named = JobFlow(
        None if flow.output in unnamed else flow.output,
        tuple(each for each in flow.inputs if each not in unnamed),
        tuple(pair for pair in flow.columns if pair[0] not in unnamed),
    )
    if named.output is None or not named.inputs:
        return
    for number, part in enumerate(_split(job, named, rename, limits)):
        its_key = key if number == 0 else f"{key} ({number + 1})"
        yield CatalogItem(EVENT, its_key, subject, _event(job, [part], rename))


def _split(
    job: InventoryJob, flow: JobFlow, rename: Rename, limits: EventLimits
) -> Iterator[JobFlow]:
    """A flow in parts that are within the limits; what it is made of is in one of them."""
    if _fits(_event(job, [flow], rename), [flow], limits):
        yield flow
        return
    if not flow.columns:
        # Names alone: as many as links are allowed, or half as many until the bytes fit.
        most = min(limits.links, max(1, len(flow.inputs) - 1))
        for some in _chunks(flow.inputs, max(1, min(most, (len(flow.inputs) + 1) // 2))):
            part = JobFlow(flow.output, tuple(some))
            is_small = len(some) == 1
            yield from ([part] if is_small else _split(job, part, rename, limits))
        return
    by_columns = _chunks(flow.columns, max(1, min(limits.links // 2, (len(flow.columns) + 1) // 2)))
    covered: set[DatasetRef] = set()
    for pairs in by_columns:
        inputs = tuple(sorted({dataset for dataset, _ in pairs}))
        covered |= set(inputs)
        part = JobFlow(flow.output, inputs, tuple(pairs))
        yield from ([part] if len(pairs) == 1 else _split(job, part, rename, limits))
    rest = tuple(each for each in flow.inputs if each not in covered)
    if rest:
        yield from _split(job, JobFlow(flow.output, rest), rename, limits)


def _chunks(values: Sequence[Any], size: int) -> Iterator[list[Any]]:
    waiting = iter(values)
    while some := list(islice(waiting, size)):
        yield some


def _fits(event: Json, flows: Iterable[JobFlow], limits: EventLimits) -> bool:
    links = sum(len(flow.inputs) + len(flow.columns) for flow in flows)
    return links <= limits.links and len(msgspec.json.encode(event)) <= limits.bytes


def _event(job: InventoryJob, flows: Sequence[JobFlow], rename: Rename) -> Json:
    """An event without its time and run, which are no part of what is published."""
    inputs = sorted({each for flow in flows for each in flow.inputs})
    facets: Json = {
        "jobType": _PRODUCER.job_type(
            job.processing or "BATCH",
            job.integration or job.system or "HEADWATER",
            job.kind or "JOB",
        )
    }
    if text := describe_job(job):
        facets["documentation"] = _PRODUCER.facet("DocumentationJobFacet", description=text)
    named = [dataset for dataset in inputs if rename(dataset) is not None]
    return {
        "job": {"namespace": job.name.namespace, "name": job.name.name, "facets": facets},
        "inputs": [_dataset(job, dataset, rename) for dataset in named],
        "outputs": [_output(job, flow, rename) for flow in flows if flow.output is not None],
    }


def describe_job(job: InventoryJob) -> str:
    """The description of a job, with what was not understood of it."""
    text = f"{job.description} (incomplete: {job.gaps})" if job.gaps else job.description
    return text.strip()[:_LONGEST_TEXT]


def _dataset(job: InventoryJob, dataset: DatasetRef, rename: Rename) -> Json:
    name = rename(dataset) or dataset.name
    found: Json = {"namespace": name.namespace, "name": name.name}
    if columns := job.columns.get(dataset):
        fields = [{"name": column.name, "type": column.type} for column in columns]
        found["facets"] = {"schema": _PRODUCER.facet("SchemaDatasetFacet", fields=fields)}
    return found


def _output(job: InventoryJob, flow: JobFlow, rename: Rename) -> Json:
    assert flow.output is not None
    found = _dataset(job, flow.output, rename)
    if lineage := column_lineage_facet(flow, rename):
        found.setdefault("facets", {})["columnLineage"] = lineage
    return found


def column_lineage_facet(flow: JobFlow, rename: Rename, has_whole: bool = False) -> Json | None:
    """Which columns an output is made of; None where none are known.

    With `has_whole` also those that go into the output as a whole, as those that choose rows do.
    """
    fields: dict[str, dict[str, list[Json]]] = {}
    whole: list[Json] = []
    for dataset, link in flow.columns:
        name = rename(dataset)
        if name is None or not link.source:
            continue
        source = _column(name, link)
        if link.target:
            fields.setdefault(link.target, {"inputFields": []})["inputFields"].append(source)
        else:
            whole.append(source)
    more = {"dataset": whole} if whole and has_whole else {}
    if not fields and not more:
        return None
    return _PRODUCER.facet("ColumnLineageDatasetFacet", fields=fields, **more)


def _column(name: Name, link: ColumnLink) -> Json:
    source: Json = {"namespace": name.namespace, "name": name.name, "field": link.source}
    ways = [
        {"type": way.type or "DIRECT", "subtype": way.subtype or ""} | _more_of(way)
        for way in link.transformations
    ]
    return {**source, "transformations": ways} if ways else source


def _more_of(way: Transformation) -> Json:
    found = {"description": way.description, "masking": way.is_masking}
    return {key: value for key, value in found.items() if value is not None}


def as_run_event(item: CatalogItem, at: int) -> Json:
    """The event of an item as it is sent: of a run that is the same each time."""
    body = item.body
    run = {"runId": stable_id(item.key)}
    return _PRODUCER.run_event("COMPLETE", body["job"], run, body["inputs"], body["outputs"], at)
