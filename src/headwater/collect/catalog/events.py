"""Tables and jobs of a catalog as OpenLineage events, without their time; no I/O."""

from collections.abc import Iterable
from typing import Any

from headwater.collect.catalog.entries import LinkedJob, TableEntry
from headwater.emit.events import Producer
from headwater.model.naming import DatasetName

Json = dict[str, Any]


def table_facets(producer: Producer, table: TableEntry) -> Json:
    """All facets of a table; what is not known of it has none."""
    facets: Json = dict(table.facets)
    if table.columns:
        fields = [
            {key: value for key, value in column._asdict().items() if value}
            for column in table.columns
        ]
        facets["schema"] = producer.facet("SchemaDatasetFacet", fields=fields)
    if table.description:
        facets["documentation"] = producer.facet(
            "DocumentationDatasetFacet", description=table.description
        )
    if table.owner:
        facets["ownership"] = producer.facet("OwnershipDatasetFacet", owners=_owners(table.owner))
    if table.tags:
        facets["tags"] = producer.facet("TagsDatasetFacet", tags=_tags(table.tags))
    identifiers = [{**name._asdict(), "type": "TABLE"} for name in table.others]
    if table.location is not None:
        identifiers.append({**table.location._asdict(), "type": "LOCATION"})
    if identifiers:
        facets["symlinks"] = producer.facet("SymlinksDatasetFacet", identifiers=identifiers)
    return facets


def dropped_facets(producer: Producer, kept: Iterable[str]) -> Json:
    """A table that is no longer in its catalog."""
    drop = producer.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange="DROP")
    return {**deleted_facets(producer, kept), "lifecycleStateChange": drop}


def created_facet(producer: Producer) -> Json:
    """A table that is there again."""
    create = producer.facet("LifecycleStateChangeDatasetFacet", lifecycleStateChange="CREATE")
    return {"lifecycleStateChange": create}


def deleted_facets(producer: Producer, names: Iterable[str]) -> Json:
    """Facets that were reported once and hold no more."""
    return {name: producer.custom_facet(_deleted=True) for name in sorted(names)}


def job_facets(producer: Producer, job: LinkedJob) -> Json:
    kind = producer.job_type(job.kind.processing, job.kind.integration, job.kind.job_type)
    facets: Json = {"jobType": kind, **job.facets}
    if job.description:
        facets["documentation"] = producer.facet(
            "DocumentationJobFacet", description=job.description
        )
    if job.owner:
        facets["ownership"] = producer.facet("OwnershipJobFacet", owners=_owners(job.owner))
    if job.tags:
        facets["tags"] = producer.facet("TagsJobFacet", tags=_tags(job.tags))
    if job.sql:
        facets["sql"] = producer.facet("SQLJobFacet", query=job.sql)
    return facets


def job_uses(producer: Producer, job: LinkedJob) -> tuple[list[Json], list[Json]]:
    """The inputs and outputs of a job; each output says which of the inputs it is made of."""
    inputs = [{**name._asdict(), "facets": {}} for name in job.inputs]
    outputs = [
        {**target._asdict(), "facets": _output_facets(producer, job, target)}
        for target in sorted(job.flows)
    ]
    return inputs, outputs


def _output_facets(producer: Producer, job: LinkedJob, target: DatasetName) -> Json:
    named = [{**each._asdict(), "type": "DATASET"} for each in sorted(job.flows[target])]
    facets: Json = {}
    if len(job.flows) > 1 or set(job.inputs) != job.flows[target]:
        facets["lineage"] = producer.facet("LineageFacet", inputs=named)
    if columns := job.columns.get(target):
        facets["columnLineage"] = producer.facet(
            "ColumnLineageDatasetFacet",
            fields={
                column: {
                    "inputFields": [
                        {**table._asdict(), "field": field} for table, field in sorted(sources)
                    ]
                }
                for column, sources in sorted(columns.items())
            },
        )
    return facets


def _owners(name: str) -> list[Json]:
    return [{"name": name, "type": "OWNER"}]


def _tags(tags: Iterable[tuple[str, str]]) -> list[Json]:
    return [{"key": key, "value": value} for key, value in sorted(set(tags))]
