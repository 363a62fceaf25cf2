"""OpenLineage events of Spark's streams and jobs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.model.instant import format_instant, now
from headwater.model.naming import DatasetName
from headwater.model.spec import RUN_EVENT, facet_schema, producer
from headwater.spark.counting import Count
from headwater.spark.plan_lineage import PlanDataset

Json = dict[str, Any]

PRODUCER = producer("spark")


def facet(kind: str, **values: Any) -> Json:
    """A facet of OpenLineage's."""
    return {"_producer": PRODUCER, "_schemaURL": facet_schema(kind), **values}


def own_facet(**values: Any) -> Json:
    """A facet that is ours alone."""
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/facets.json", **values}


def run_event(
    kind: str,
    job: Json,
    run: Json,
    inputs: Sequence[Json],
    outputs: Sequence[Json],
    at: int | None = None,
) -> Json:
    """An event of now, or of another time, in microseconds since 1970."""
    return {
        "eventTime": format_instant(now() if at is None else at),
        "eventType": kind,
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": run,
        "job": job,
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def dataset(told: PlanDataset) -> Json:
    """A dataset with its schema, its other name, and where its columns come from."""
    facets: Json = {}
    if told.fields:
        facets["schema"] = facet("SchemaDatasetFacet", fields=told.fields)
    if (other := told.relation.other) is not None:
        identifier = {"namespace": other.namespace, "name": other.name, "type": "TABLE"}
        facets["symlinks"] = facet("SymlinksDatasetFacet", identifiers=[identifier])
    if told.columns is not None:
        facets["columnLineage"] = facet("ColumnLineageDatasetFacet", **told.columns)
    name = told.relation.name
    return {"namespace": name.namespace, "name": name.name, "facets": facets}


def count_inputs(inputs: Iterable[Json], counts: Mapping[DatasetName, Count]) -> None:
    """Say of inputs what was read of them; how far behind is what OpenLineage has no word for."""
    for each in inputs:
        count = counts.get(DatasetName(each["namespace"], each["name"]), Count())
        if count != Count():
            kind = "InputStatisticsInputDatasetFacet"
            each["inputFacets"] = {"inputStatistics": facet(kind, **_counted(count))}


def count_outputs(outputs: Iterable[Json], counts: Mapping[DatasetName, Count]) -> None:
    for each in outputs:
        count = counts.get(DatasetName(each["namespace"], each["name"]), Count())
        if count != Count():
            kind = "OutputStatisticsOutputDatasetFacet"
            each["outputFacets"] = {"outputStatistics": facet(kind, **_counted(count))}


def _counted(count: Count) -> Json:
    said = {"rowCount": count.rows, "size": count.bytes, "lag": count.lag}
    return {name: value for name, value in said.items() if value is not None}


def job(namespace: str, name: str, is_stream: bool) -> Json:
    kind = facet(
        "JobTypeJobFacet",
        processingType="STREAMING" if is_stream else "BATCH",
        integration="SPARK",
        jobType="QUERY",
        emissionPattern={
            "eventTrigger": "PERIODIC",
            "eventContentMode": "COMPLETE_SNAPSHOT",
        },
    )
    return {"namespace": namespace, "name": name, "facets": {"jobType": kind}}


def error_facet(message: str) -> Json:
    first, _, rest = message.partition("\n")
    return facet(
        "ErrorMessageRunFacet",
        message=first,
        programmingLanguage="JAVA",
        stackTrace=rest or None,
    )
