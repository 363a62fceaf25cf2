"""Streams as OpenLineage's own listener for Spark reports them: batch by batch.

Each micro-batch is a run of a job by the kind of its plan, and reads the very files of that batch.
Only one event of such a run says which query it is a batch of. So jobs are noted as micro-batches
of their application, and queries as streams of it: where a query is reported by itself, as a job
that runs, its application's micro-batches need not be shown beside it.
"""

import re
from collections.abc import Sequence

import msgspec
from msgspec import Raw

from headwater.model import facets
from headwater.model.event import Dataset
from headwater.model.facet_readers import read_facet
from headwater.model.project.projection import Projection
from headwater.model.relations import StreamJob, StreamRole
from headwater.model.values.ids import job_id

_LISTENER = "/integration/spark"
_QUERY = re.compile(
    r"(?:(?P<name>.*?)(?:\n|<br/>))?id = (?P<id>[0-9a-f-]{36})(?:\n|<br/>)runId = .*", re.DOTALL
)
# The last part of a path that is a file, and parts above it that are partitions.
_FILE = re.compile(r"(?:/[^/=]+=[^/]*)*/(?:[^/]*\.[^/]*|part-[^/]*)$")


class _JobType(msgspec.Struct):
    processingType: str = ""


class _JobDetails(msgspec.Struct):
    jobDescription: str = ""


_JOB_TYPE = facets.decoder(_JobType)
_JOB_DETAILS = facets.decoder(_JobDetails)


def name_streamed_folders(projection: Projection) -> None:
    """A stream of files reads their folder; to name each file would be a dataset for each batch."""
    if not _is_micro_batch(projection):
        return
    event = projection.event
    names = {name for output in event.outputs for name in _sources(output)}
    names.update(dataset.name for dataset in event.inputs)
    folders = {name: folder for name in names if (folder := _FILE.sub("", name)) and folder != name}
    if folders:
        projection.event = msgspec.structs.replace(
            event,
            inputs=_renamed(event.inputs, folders),
            outputs=[_derived_from(output, folders) for output in event.outputs],
        )


def project_micro_batch(projection: Projection) -> None:
    """The job as one of micro-batches, and the query that they are of."""
    job, parent, event = projection.job, projection.parent, projection.event
    if job is None or parent is None or not event.producer.endswith(_LISTENER):
        return
    query = _query(projection)
    if query is None and not _is_micro_batch(projection):
        return
    application = parent.parent.job
    part = StreamJob(job, application, StreamRole.PART, projection.at)
    projection.facts.add("stream_job", part)
    if query is not None and event.job is not None:
        whole = job_id(event.job.namespace, query)
        stream = StreamJob(whole, application, StreamRole.WHOLE, projection.at)
        projection.facts.add("stream_job", stream)


def _is_micro_batch(projection: Projection) -> bool:
    if not projection.event.producer.endswith(_LISTENER):
        return False
    facet = projection.job_facets.get("jobType")
    found: _JobType | None = facets.read(_JOB_TYPE, facet.body) if facet else None
    return found is not None and found.processingType == "STREAMING"


def _query(projection: Projection) -> str | None:
    """The name of the query that a run is a batch of, as our listener reports it."""
    facet = projection.run_facets.get("spark_jobDetails")
    found: _JobDetails | None = facets.read(_JOB_DETAILS, facet.body) if facet else None
    described = _QUERY.fullmatch(found.jobDescription) if found else None
    if described is None:
        return None
    return described["name"] or f"query-{described['id']}"


def _sources(output: Dataset) -> list[str]:
    """The names of what an output's columns come from."""
    columns = (output.facets or {}).get("columnLineage")
    facet = read_facet("columnLineage", bytes(columns)) if columns is not None else None
    return [source.name for source in (facet.meaning if facet else None) or ()]


def _renamed(datasets: Sequence[Dataset], names: dict[str, str]) -> list[Dataset]:
    return [
        msgspec.structs.replace(dataset, name=names.get(dataset.name, dataset.name))
        for dataset in datasets
    ]


def _derived_from(output: Dataset, names: dict[str, str]) -> Dataset:
    """An output whose columns come from the folders instead of their files."""
    columns = (output.facets or {}).get("columnLineage")
    if columns is None:
        return output
    body = bytes(columns)
    for name, folder in names.items():
        body = body.replace(msgspec.json.encode(name), msgspec.json.encode(folder))
    facets_by_name = {**(output.facets or {}), "columnLineage": Raw(body)}
    return msgspec.structs.replace(output, facets=facets_by_name)
