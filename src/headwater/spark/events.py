"""OpenLineage events of Spark's streams and jobs."""

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.emit.events import COMPLETE_SNAPSHOTS, Producer
from headwater.model.naming import DatasetName
from headwater.spark.counts.counting import Count
from headwater.spark.plan_lineage import PlanDataset

Json = dict[str, Any]

SPARK = Producer.of_part("spark")


def dataset(of: PlanDataset) -> Json:
    """A dataset with its schema, its other name, and where its columns come from."""
    facets: Json = {}
    if of.fields:
        facets["schema"] = SPARK.facet("SchemaDatasetFacet", fields=of.fields)
    if of.relation.other is not None:
        facets["symlinks"] = SPARK.symlinks([of.relation.other])
    if of.relation.query is not None:
        query = of.relation.query
        facets["headwater_query"] = SPARK.custom_facet(query=query.text, dialect=query.dialect)
    if of.columns is not None:
        facets["columnLineage"] = SPARK.facet("ColumnLineageDatasetFacet", **of.columns)
    name = of.relation.name
    return {"namespace": name.namespace, "name": name.name, "facets": facets}


def count_inputs(inputs: Iterable[Json], counts: Mapping[DatasetName, Count]) -> None:
    """Add what was read of each input; how far behind is beyond what OpenLineage specifies."""
    for each in inputs:
        each.update(SPARK.input_statistics(**_counts_of(each, counts)))


def count_outputs(outputs: Iterable[Json], counts: Mapping[DatasetName, Count]) -> None:
    for each in outputs:
        each.update(SPARK.output_statistics(**_counts_of(each, counts)))


def _counts_of(each: Json, counts: Mapping[DatasetName, Count]) -> dict[str, int | None]:
    count = counts.get(DatasetName(each["namespace"], each["name"]), Count())
    return {"rowCount": count.rows, "size": count.bytes, "lag": count.lag}


def job(namespace: str, name: str, is_stream: bool) -> Json:
    processing = "STREAMING" if is_stream else "BATCH"
    kind = SPARK.job_type(processing, "SPARK", "QUERY", COMPLETE_SNAPSHOTS)
    return {"namespace": namespace, "name": name, "facets": {"jobType": kind}}


def error_facet(message: str) -> Json:
    first, _, rest = message.partition("\n")
    return SPARK.error(first, "JAVA", rest)
