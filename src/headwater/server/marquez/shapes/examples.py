"""Examples of answers, for the API document."""

from headwater.server.marquez.shapes.common import NameShape, VersionId
from headwater.server.marquez.shapes.datasets import (
    ColumnLineageShape,
    ColumnSourceShape,
    DatasetShape,
    DatasetVersionShape,
    FieldShape,
)
from headwater.server.marquez.shapes.jobs import JobShape, JobVersionShape
from headwater.server.marquez.shapes.runs import RunDatasetShape, RunShape

_BEGAN, _ENDED = "2026-01-31T12:00:00.000000Z", "2026-01-31T12:00:47.000000Z"
_JOBS, _TABLES = "scheduler", "postgres://db:5432"
_VERSION = "b1d626a2-6d3a-475e-9ecf-943176d4a8c6"
_LOCATION = "https://example.org/jobs/load_orders.py"

_READ = NameShape(_TABLES, "shop.public.orders")
_WRITTEN = NameShape(_TABLES, "shop.public.totals")

RUN = RunShape(
    "870492da-ecfb-4be0-91b9-9a89ddd3db90",
    _BEGAN,
    _ENDED,
    None,
    None,
    "COMPLETED",
    _BEGAN,
    _ENDED,
    47_000,
    {},
    {},
    NameShape(_JOBS, "load_orders"),
    VersionId(_JOBS, "load_orders", _VERSION),
    [RunDatasetShape(VersionId(_TABLES, _READ.name, _VERSION), {})],
    [
        RunDatasetShape(
            VersionId(_TABLES, _WRITTEN.name, _VERSION), {"outputStatistics": {"rowCount": 7}}
        )
    ],
)

JOB = JobShape(
    NameShape(_JOBS, "load_orders"),
    "BATCH",
    "load_orders",
    "load_orders",
    None,
    None,
    _BEGAN,
    _ENDED,
    _JOBS,
    [_READ],
    [_WRITTEN],
    _LOCATION,
    {"sql": "INSERT INTO totals SELECT ..."},
    "Sums up the orders of a day.",
    RUN,
    [RUN],
    {},
    ["nightly"],
    [],
    _VERSION,
)

JOB_VERSION = JobVersionShape(
    VersionId(_JOBS, "load_orders", _VERSION),
    "load_orders",
    _JOBS,
    _VERSION,
    _BEGAN,
    [_READ],
    [_WRITTEN],
    _LOCATION,
    {},
    RUN,
    {},
)

_FIELDS = [FieldShape("amount", "DECIMAL", ["PII"], "What was paid.")]

DATASET = DatasetShape(
    _WRITTEN,
    "DB_TABLE",
    _WRITTEN.name,
    _WRITTEN.name,
    _BEGAN,
    _ENDED,
    _TABLES,
    "shop-db",
    _FIELDS,
    ["SALES"],
    _ENDED,
    "OVERWRITE",
    "Sums by day.",
    _VERSION,
    [
        ColumnLineageShape(
            "amount",
            [ColumnSourceShape(_TABLES, _READ.name, "amount", None, "AGGREGATION")],
            None,
            "AGGREGATION",
        )
    ],
    {},
    False,
)

DATASET_VERSION = DatasetVersionShape(
    VersionId(_TABLES, _WRITTEN.name, _VERSION),
    "DB_TABLE",
    _WRITTEN.name,
    _WRITTEN.name,
    _BEGAN,
    _VERSION,
    _TABLES,
    "shop-db",
    _FIELDS,
    ["SALES"],
    "OVERWRITE",
    "Sums by day.",
    _VERSION,
    RUN,
    {},
)
