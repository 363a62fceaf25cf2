"""Examples of graphs, and how they are described, for the API document."""

from typing import Any

import msgspec
from msgspec import Raw

from headwater.server.marquez.run_lineage import (
    LineageRun,
    RunInput,
    RunLineage,
    RunOfLineage,
    VersionedJob,
)
from headwater.server.marquez.shapes.columns import (
    ColumnData,
    ColumnGraphShape,
    ColumnJob,
    ColumnNodeShape,
    InputFieldShape,
    TransformationShape,
)
from headwater.server.marquez.shapes.examples import DATASET, JOB, RUN
from headwater.server.marquez.shapes.graph import (
    DatasetData,
    EdgeShape,
    GraphShape,
    JobData,
    NodeShape,
)
from headwater.server.openapi.document import answers, describe_field


def _raw(data: DatasetData | JobData) -> Raw:
    return Raw(msgspec.json.encode(data))


_DATASET = f"dataset:{DATASET.namespace}:{DATASET.name}"
_JOB = f"job:{JOB.namespace}:{JOB.name}"
_COLUMN = f"datasetField:{DATASET.namespace}:{DATASET.name}:amount"
_SOURCE = f"datasetField:{DATASET.namespace}:{JOB.inputs[0].name}:amount"

_DATASET_DATA = DatasetData(
    DATASET.id,
    DATASET.type,
    DATASET.name,
    DATASET.physicalName,
    DATASET.createdAt,
    DATASET.updatedAt,
    DATASET.namespace,
    DATASET.sourceName,
    DATASET.fields,
    DATASET.tags,
    DATASET.lastModifiedAt,
    DATASET.description,
    DATASET.lastLifecycleState,
    "postgres",
)
_JOB_DATA = JobData(
    JOB.id,
    JOB.type,
    JOB.name,
    JOB.simpleName,
    None,
    JOB.createdAt,
    JOB.updatedAt,
    JOB.namespace,
    [],
    JOB.outputs,
    JOB.location,
    JOB.description,
    None,
    JOB.tags,
    "spark",
)
_EDGE = EdgeShape(_JOB, _DATASET)
_GRAPH = GraphShape(
    [
        NodeShape(_DATASET, "DATASET", _raw(_DATASET_DATA), [_EDGE], [], 0),
        NodeShape(_JOB, "JOB", _raw(_JOB_DATA), [], [_EDGE], 1),
    ],
    _DATASET,
    None,
    False,
    False,
)
_STEP = TransformationShape("DIRECT", "AGGREGATION", None, None)
_INPUT = InputFieldShape(
    DATASET.namespace,
    JOB.inputs[0].name,
    DATASET.currentVersion,
    "amount",
    None,
    "AGGREGATION",
    [_STEP],
    False,
    _JOB,
)
_COLUMN_DATA = ColumnData(
    DATASET.namespace,
    DATASET.name,
    DATASET.currentVersion,
    "amount",
    "DECIMAL",
    None,
    "AGGREGATION",
    [_INPUT],
)
_COLUMNS = ColumnGraphShape(
    [ColumnNodeShape(_COLUMN, "DATASET_FIELD", _COLUMN_DATA, [EdgeShape(_COLUMN, _SOURCE)], [], 0)],
    [_COLUMN],
    {_JOB: ColumnJob(JOB.namespace, JOB.name)},
    None,
    False,
    False,
)
_RUNS = RunLineage(
    [
        LineageRun(
            VersionedJob(JOB.namespace, JOB.name, None),
            RunOfLineage(RUN.id, RUN.startedAt, RUN.endedAt, RUN.state),
            [RunInput(DATASET.namespace, JOB.inputs[0].name, DATASET.currentVersion, None)],
        )
    ],
    False,
)

Described = dict[int | str, dict[str, Any]]

describe_field(NodeShape, "data", DatasetData, JobData)
GRAPH: Described = answers(GraphShape, _GRAPH, 400, 404)
COLUMN_GRAPH: Described = answers(ColumnGraphShape, _COLUMNS, 400, 404)
RUN_LINEAGE: Described = answers(RunLineage, _RUNS, 400, 404)
