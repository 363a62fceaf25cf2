"""Jobs as they are now, each with what it makes its outputs of."""

from collections import defaultdict
from collections.abc import Mapping

from headwater.answers.descriptions import describe_datasets, describe_jobs
from headwater.answers.inventory.entries import (
    Column,
    ColumnLink,
    DatasetRef,
    InventoryJob,
    JobFlow,
)
from headwater.answers.inventory.links import LinkReader, list_columns, read_refs, text_of
from headwater.answers.nodes import view_at
from headwater.graph.view import View, Visit
from headwater.model.aspects import JOB_TYPE
from headwater.model.gaps import describe_gaps
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.model.values.ids import dataset_id
from headwater.store.engine import Connection
from headwater.store.read.content_cache import SCHEMAS


def read_jobs_with_flows(
    connection: Connection, ids: list[bytes], with_columns: bool
) -> list[InventoryJob]:
    """Those of some jobs that are listed."""
    view = view_at(connection, None)
    absent = view.reader.unseen_jobs(ids, view.at) | view.hidden(ids)
    there = [id for id in ids if id not in absent]
    described = {
        id: found
        for id, found in describe_jobs(connection, there, view.at).items()
        if not found.is_deleted
    }
    visits: defaultdict[bytes, list[Visit]] = defaultdict(list)
    for visit in (*map(Visit, described), *view.past_visits(list(described))):
        visits[visit.job].append(visit)
    flows = _read_flows(view, visits, with_columns)
    columns = _read_columns(connection, view, flows) if with_columns else {id: {} for id in flows}
    gaps = view.gaps(map(Visit, described)) if view.reader.has_gaps else {}
    entries = []
    for id, found in described.items():
        job_type = found.facets.get(JOB_TYPE, {})
        entries.append(
            InventoryJob(
                Name(found.job.namespace, found.job.name),
                found.system,
                text_of(job_type.get("integration")),
                text_of(job_type.get("processingType")),
                text_of(job_type.get("jobType")),
                text_of(found.facets.get("documentation", {}).get("description")),
                flows[id],
                describe_gaps(gaps.get(id, ())),
                columns[id],
                found.facets,
            )
        )
    return entries


def _read_flows(
    view: View, visits: Mapping[bytes, list[Visit]], with_columns: bool
) -> dict[bytes, tuple[JobFlow, ...]]:
    """What jobs use, one flow for each output, with the inputs that belong to it."""
    every = [visit for some in visits.values() for visit in some]
    outputs = view.links(every, Direction.OUTPUT)
    paired = {
        (visit, link.dataset): visit._replace(of=link.dataset, way=Direction.OUTPUT)
        for visit, links in outputs.items()
        for link in links
    }
    links = LinkReader(view, [*every, *paired.values()], with_columns)
    written = {link.dataset for some in outputs.values() for link in some}
    refs = read_refs(view, links.datasets | written)
    found: dict[bytes, tuple[JobFlow, ...]] = {}
    for job, some in visits.items():
        flows = [
            _flow(links, refs, paired[visit, link.dataset], link.dataset)
            for visit in some
            for link in outputs[visit]
            if link.dataset in refs
        ]
        used = {each for flow in flows for each in flow.inputs}
        rest = [
            refs[source]
            for visit in some
            for source in links.sources(visit)
            if source in refs and refs[source] not in used
        ]
        if rest:
            flows.append(JobFlow(None, tuple(sorted(set(rest)))))
        found[job] = tuple(sorted(flows, key=lambda flow: (flow.output is None, flow.output or ())))
    return found


def _read_columns(
    connection: Connection, view: View, flows: Mapping[bytes, tuple[JobFlow, ...]]
) -> dict[bytes, dict[DatasetRef, tuple[Column, ...]]]:
    """The columns of the datasets of each job."""
    used = {
        job: {each for flow in some for each in (flow.output, *flow.inputs) if each is not None}
        for job, some in flows.items()
    }
    ids = {ref: dataset_id(*ref.name) for refs in used.values() for ref in refs}
    described = describe_datasets(connection, view, set(ids.values()))
    schemas = SCHEMAS.read(connection, (each.schema for each in described.values()))
    known = {
        ref: list_columns(schemas[found.schema])
        for ref, id in ids.items()
        if (found := described.get(id)) and found.schema in schemas
    }
    return {
        job: {ref: known[ref] for ref in sorted(refs) if ref in known} for job, refs in used.items()
    }


def _flow(
    links: LinkReader, refs: Mapping[bytes, DatasetRef], visit: Visit, output: bytes
) -> JobFlow:
    pairs = [(refs[source], link) for source, link in links.pairs(visit, output) if source in refs]
    inputs = {refs[source] for source in links.sources(visit) if source in refs}
    inputs |= {source for source, _ in pairs}
    return JobFlow(
        refs[output], tuple(sorted(inputs)), tuple(sorted(dict.fromkeys(pairs), key=_order))
    )


def _order(pair: tuple[DatasetRef, ColumnLink]) -> tuple[DatasetRef, tuple[str, ...]]:
    dataset, link = pair
    return dataset, link.order()
