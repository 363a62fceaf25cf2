"""`/namespaces/{ns}/datasets/{d}/versions`: the schemas a dataset had."""

from uuid import UUID

from fastapi import APIRouter, Response

from headwater.model.relations import Slot
from headwater.model.uses import Mark
from headwater.server.http.parameters import Paging, ReadConnection, found, json_response
from headwater.server.marquez.shapes.common import (
    VersionId,
    dataset_type,
    dataset_version,
    facet_fields,
    facet_text,
    instant_or_none,
    whole_tags,
)
from headwater.server.marquez.shapes.datasets import (
    DatasetVersionList,
    DatasetVersionShape,
    facets_with,
    fields_of,
    physical_name,
    schema_location,
    source_name,
)
from headwater.server.marquez.shapes.examples import DATASET_VERSION
from headwater.server.marquez.shapes.runs import RunShape, read_run_shapes
from headwater.server.openapi.document import answers
from headwater.store.engine import Connection
from headwater.store.read.content_cache import BODIES
from headwater.store.read.dataset_versions import (
    DatasetVersion,
    find_stating_runs,
    list_dataset_versions,
    list_seen_versions,
)
from headwater.store.read.datasets import DatasetRecord, find_dataset, list_lifecycle, read_states
from headwater.store.read.facets import NOTHING, Stated, read_stated
from headwater.store.read.jobs import read_names
from headwater.store.read.runs import read_runs

router = APIRouter(tags=["datasets"])

_PATH = "/namespaces/{namespace:name}/datasets/{dataset:name}/versions"


@router.get(
    _PATH, responses=answers(DatasetVersionList, DatasetVersionList([DATASET_VERSION], 1), 400, 404)
)
def get_dataset_versions(
    namespace: str, dataset: str, connection: ReadConnection, page: Paging
) -> Response:
    """List the versions of a dataset, newest first; each is a schema."""
    requested = _find(connection, namespace, dataset)
    versions = list_dataset_versions(connection, requested.id)
    shown = versions[page.offset : page.offset + page.limit]
    shapes = _shapes(connection, requested, shown)
    return json_response(DatasetVersionList(shapes, len(versions)))


@router.get(_PATH + "/{version:name}", responses=answers(DatasetVersionShape, DATASET_VERSION, 404))
def get_dataset_version(
    namespace: str, dataset: str, version: str, connection: ReadConnection
) -> Response:
    """Get a version of a dataset, including one that only a reading run reported."""
    requested = _find(connection, namespace, dataset)
    versions = list_seen_versions(connection, requested.id)
    same = (
        each for each in versions if dataset_version(requested.id, each.schema) == version.lower()
    )
    known = found(next(same, None), "version", version)
    return json_response(_shapes(connection, requested, [known])[0])


def _find(connection: Connection, namespace: str, name: str) -> DatasetRecord:
    return found(find_dataset(connection, namespace, name), "dataset", f"{namespace}/{name}")


def _shapes(
    connection: Connection, dataset: DatasetRecord, versions: list[DatasetVersion]
) -> list[DatasetVersionShape]:
    stated = read_stated(connection, [dataset.id], Slot.DATASET).get(dataset.id, NOTHING)
    digests = {digest for _, _, _, digest in stated.rows}
    digests.update(each for version in versions for each in version[:2] if each)
    bodies = BODIES.read(connection, digests)
    current = read_states(connection, [dataset.id])[dataset.id].schema
    marks = list_lifecycle(connection, dataset.id)
    runs = _first_runs(connection, versions)
    return [
        _shape(dataset, version, version.schema == current, stated, bodies, marks, runs)
        for version in versions
    ]


_Runs = dict[tuple[bytes, int], RunShape]


def _first_runs(connection: Connection, versions: list[DatasetVersion]) -> _Runs:
    """The first run that reported each version, by job and time."""
    keys = find_stating_runs(connection, versions)
    requested = {
        (version.job, version.first_seen): keys[version.job, version.first_seen]
        for version in versions
        if version.job and (version.job, version.first_seen) in keys
    }
    runs = read_runs(connection, requested.values())
    names = read_names(connection, {run.job for run in runs.values() if run.job})
    shapes = dict(zip(runs, read_run_shapes(connection, runs.values(), names), strict=True))
    return {key: shapes[run] for key, run in requested.items() if run in shapes}


def _shape(
    dataset: DatasetRecord,
    version: DatasetVersion,
    is_current: bool,
    stated: Stated,
    bodies: dict[bytes, bytes],
    marks: list[Mark],
    runs: _Runs,
) -> DatasetVersionShape:
    facets = stated.facets(bodies)
    schema, columns = (bodies.get(digest or b"") for digest in version[:2])
    kind = dataset_type(dataset.namespace, facet_fields(facets, "datasetType"))
    id = dataset_version(dataset.id, version.schema)
    before = [mark.change for mark in marks if mark.at <= version.first_seen]
    return DatasetVersionShape(
        VersionId(dataset.namespace, dataset.name, id),
        kind,
        dataset.name,
        physical_name(dataset, facets),
        instant_or_none(version.first_seen),
        id,
        dataset.namespace,
        source_name(dataset, facets),
        fields_of(schema, facets, stated),
        whole_tags(facet_fields(facets, "tags")),
        before[-1] if before else None,
        facet_text(facets, "documentation", "description"),
        str(UUID(bytes=version.schema)) if version.schema else None,
        runs.get((version.job or b"", version.first_seen)),
        # Of the others no more is known than what makes them another.
        facets_with(facets if is_current else {}, schema, columns),
        schema_location(kind, facets),
    )
