"""`/lineage/datasets` and `/lineage/jobs`: lists, details, and the lineage of a dataset."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Query, Request, Response
from msgspec import Raw

from headwater.answers.bridge.job_events import read_job_events
from headwater.answers.nodes import MOST_NODES, view_at
from headwater.graph.answer import Graph, Towards
from headwater.graph.view import View, Visit
from headwater.graph.walk import Limits, walk_from_dataset
from headwater.model.relations import Direction
from headwater.server.bridge.finding import (
    find_by_any_name,
    one_name_each,
    show_datasets,
    show_jobs,
)
from headwater.server.bridge.parameters import (
    DatasetName,
    NamePattern,
    Namespace,
    NamespacePattern,
)
from headwater.server.bridge.parts import AnswerPart, respond_in_parts
from headwater.server.bridge.shapes import (
    BridgeDataset,
    BridgeJob,
    BridgeJobDetail,
    BridgeName,
    DatasetLineageAnswer,
    LineageGap,
)
from headwater.server.http.parameters import ReadConnection, found, json_response
from headwater.server.marquez.shapes.gaps import gap_shapes
from headwater.server.openapi.document import answers
from headwater.server.openapi.parts import EVENT_EXAMPLE
from headwater.store.engine import Connection
from headwater.store.lineage.names_like import (
    NameSelection,
    Place,
    list_datasets_like,
    list_jobs_like,
    place_of,
)
from headwater.store.read.datasets import DatasetRecord
from headwater.store.read.jobs import find_job

router = APIRouter(tags=["bridge"])

AT_ONCE = 200
MAX_DEPTH = 50

_NAMESPACE = "confluent://env-26wn6m/lkc-mjnq51"
_DATASET = BridgeDataset(_NAMESPACE, "lineage_bridge.orders_v2", {}, [])
_JOB = BridgeJob(_NAMESPACE, "lb-uc-75083e95-datagen-orders", {})
_LINEAGE = DatasetLineageAnswer(
    BridgeName(_DATASET.namespace, _DATASET.name), "upstream", 3, [EVENT_EXAMPLE], 2, 1
)


@router.get("/lineage/datasets", responses=answers(list[BridgeDataset], [_DATASET], 422))
async def get_bridge_datasets(
    request: Request, namespace: NamespacePattern, name: NamePattern
) -> Response:
    """List datasets by namespace and name, with their newest facets and other names.

    Without a pattern each is listed once, by the name that events use; with one, by every name that
    is like it.
    """
    requested = NameSelection(namespace, name)

    def read(connection: Connection, after: Place | None) -> AnswerPart[Place]:
        some = list_datasets_like(connection, requested, after, AT_ONCE)
        following = place_of(some[-1]) if len(some) == AT_ONCE else None
        if requested == NameSelection():
            some = one_name_each(connection, some)
        return AnswerPart([*map(msgspec.json.encode, show_datasets(connection, some))], following)

    return await respond_in_parts(request, read)


@router.get("/lineage/datasets/detail", responses=answers(BridgeDataset, _DATASET, 404, 409, 422))
def get_bridge_dataset(
    namespace: Namespace, name: DatasetName, connection: ReadConnection
) -> Response:
    """Get a dataset, by any of its names."""
    requested = find_by_any_name(connection, namespace, name)
    return json_response(show_datasets(connection, [requested])[0])


@router.get(
    "/lineage/datasets/lineage", responses=answers(DatasetLineageAnswer, _LINEAGE, 404, 409, 422)
)
def get_dataset_lineage(
    namespace: Namespace,
    name: DatasetName,
    connection: ReadConnection,
    direction: Annotated[
        Literal["upstream", "downstream", "both"], Query(description="Direction to follow.")
    ] = "upstream",
    depth: Annotated[
        int, Query(ge=1, le=MAX_DEPTH, description="How many jobs to follow from the dataset.")
    ] = 5,
) -> Response:
    """Get the newest event of each job that a dataset comes from, or goes to.

    `datasets_visited` counts the dataset itself.
    """
    dataset = find_by_any_name(connection, namespace, name)
    view = view_at(connection, None)
    graph = walk_from_dataset(view, dataset.id, Towards(direction), Limits(depth, MOST_NODES))
    jobs = sorted(graph.jobs, key=lambda job: (graph.jobs[job], job))
    events = read_job_events(connection, view, jobs, _edges_by_job(graph))
    answer = DatasetLineageAnswer(
        BridgeName(namespace, name),
        direction,
        depth,
        _raw([event.body for event in events]),
        len(graph.datasets),
        len(graph.jobs),
        sum(graph.more.values()),
        _gaps(view, graph),
    )
    return json_response(answer)


def _raw(bodies: Sequence[bytes]) -> Any:
    return [Raw(body) for body in bodies]


def _edges_by_job(graph: Graph) -> dict[bytes, dict[Direction, list[bytes]]]:
    """The datasets that edges of a graph say each job uses."""
    found: dict[bytes, dict[Direction, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for origin, destination in graph.edges:
        if destination in graph.jobs:
            found[destination][Direction.INPUT].append(origin)
        elif origin in graph.jobs:
            found[origin][Direction.OUTPUT].append(destination)
    return found


def _gaps(view: View, graph: Graph) -> list[LineageGap]:
    names = view.reader.job_names(graph.gaps)
    return [
        LineageGap(BridgeName(*names[job]), gap_shapes(gaps))
        for job, gaps in graph.gaps.items()
        if gaps and job in names
    ]


@router.get("/lineage/jobs", responses=answers(list[BridgeJob], [_JOB], 422))
async def get_bridge_jobs(
    request: Request, namespace: NamespacePattern, name: NamePattern
) -> Response:
    """List jobs by namespace and name, with their newest facets."""
    requested = NameSelection(namespace, name)

    def read(connection: Connection, after: Place | None) -> AnswerPart[Place]:
        some = list_jobs_like(connection, requested, after, AT_ONCE)
        following = place_of(some[-1]) if len(some) == AT_ONCE else None
        return AnswerPart([*map(msgspec.json.encode, show_jobs(connection, some))], following)

    return await respond_in_parts(request, read)


@router.get(
    "/lineage/jobs/detail",
    responses=answers(BridgeJobDetail, BridgeJobDetail(_JOB, [], [_DATASET]), 404, 422),
)
def get_bridge_job(namespace: Namespace, name: DatasetName, connection: ReadConnection) -> Response:
    """Get a job, and the datasets that it uses now."""
    job = found(find_job(connection, namespace, name), "Job", f"{namespace}/{name}")
    view = view_at(connection, None)
    inputs, outputs = (
        show_datasets(connection, _used(view, job.id, way))
        for way in (Direction.INPUT, Direction.OUTPUT)
    )
    return json_response(BridgeJobDetail(show_jobs(connection, [job])[0], inputs, outputs))


def _used(view: View, job: bytes, way: Direction) -> list[DatasetRecord]:
    links = view.links([Visit(job)], way)[Visit(job)]
    names = view.reader.dataset_names(link.dataset for link in links)
    return sorted(
        (DatasetRecord(id, *name) for id, name in names.items()),
        key=lambda dataset: (dataset.namespace, dataset.name),
    )
