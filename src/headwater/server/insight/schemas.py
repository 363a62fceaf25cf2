"""What these routes answer: shapes, and an example of each for the API document."""

from msgspec import UNSET, Struct, UnsetType

from headwater.answers.results import (
    ComparedColumn,
    ComparedCounters,
    ComparedDataset,
    ComparedFacet,
    ComparedField,
    ComparedRun,
    CountedDataset,
    CountedVolume,
    DatasetSamples,
    DatasetUsage,
    DayUser,
    DayUsers,
    FamilyJob,
    JobFamily,
    NodeName,
    RunComparison,
    SystemCount,
    SystemCountList,
    UsageDay,
    VolumeAt,
)
from headwater.server.marquez.shapes.gaps import GapShape
from headwater.server.openapi.document import answers

_AT = "2026-01-31T12:00:00.000000Z"
_DATASET = "dataset:postgres://db:5432:shop.public.orders"
_TOPIC = "dataset:kafka://broker:9092:orders"
_JOB = "job:scheduler:load_orders"


_ORDERS = NodeName(_DATASET, "postgres://db:5432", "shop.public.orders")
_LOAD = NodeName(_JOB, "scheduler", "load_orders")
_NOTHING = CountedVolume(None, None, None, None, 0)

SAMPLES = answers(
    DatasetSamples,
    DatasetSamples(
        dataset=_ORDERS,
        by="hour",
        from_="2026-01-31T12:00:00.000000Z",
        to="2026-01-31T14:00:00.000000Z",
        samples=[
            VolumeAt(_AT, CountedVolume(1_200, 96_000, 1, None, 1), _NOTHING),
            VolumeAt("2026-01-31T13:00:00.000000Z", _NOTHING, _NOTHING),
        ],
        totalCount=2,
        isCut=False,
    ),
    404,
)
USAGE = answers(
    DatasetUsage,
    DatasetUsage(
        dataset=_ORDERS,
        from_="2026-01-30T00:00:00.000000Z",
        to=_AT,
        days=[
            UsageDay(
                "2026-01-31",
                DayUsers([], 0, 0),
                DayUsers([DayUser(_JOB, "scheduler", "load_orders", 12, _AT)], 1, 12),
            )
        ],
        isCut=False,
    ),
    404,
)
FAMILY = answers(
    JobFamily,
    JobFamily(
        job=_LOAD,
        parent=FamilyJob("job:scheduler:nightly", "scheduler", "nightly", "RUNNING", _AT),
        children=[],
        totalCount=0,
    ),
    404,
)
SYSTEMS = answers(
    SystemCountList,
    SystemCountList([SystemCount("kafka", 12, 0, 0), SystemCount("spark", 0, 3, 1)], 2),
)
COMPARISON = answers(
    RunComparison,
    RunComparison(
        job=_LOAD,
        a=ComparedRun(
            "01890000-0000-7000-8000-000000000001",
            "COMPLETED",
            "2026-01-30T12:00:00.000000Z",
            "2026-01-30T12:00:00.000000Z",
            "2026-01-30T12:01:40.000000Z",
            100_000,
            None,
            None,
        ),
        b=ComparedRun(
            "01890000-0000-7000-8000-000000000002",
            "FAILED",
            _AT,
            _AT,
            "2026-01-31T12:00:20.000000Z",
            20_000,
            None,
            None,
        ),
        durationDeltaMs=-80_000,
        datasets=[
            ComparedDataset(_TOPIC, "kafka://broker:9092", "orders", "input", "added"),
        ],
        fields=[ComparedField(_DATASET, "output", "coupon", "added", None, "VARCHAR")],
        columns=[
            ComparedColumn(
                "datasetField:kafka://broker:9092:orders:coupon",
                "datasetField:postgres://db:5432:shop.public.orders:coupon",
                "added",
                None,
                "DIRECT/IDENTITY",
            )
        ],
        code=[ComparedFacet("sourceCodeLocation", "version", "changed", "1f3a", "9bc2")],
        facets=[
            ComparedFacet("errorMessage", "message", "added", None, "value too long for coupon")
        ],
        counters=[
            CountedDataset(
                _DATASET,
                "output",
                ComparedCounters(1_200, 96_000, None),
                ComparedCounters(0, 0, None),
            )
        ],
        isCut=False,
    ),
    404,
)


class JobGaps(Struct):
    """A job whose lineage is known to be incomplete."""

    namespace: str
    name: str
    incomplete: bool | UnsetType = UNSET
    gapSummary: str | UnsetType = UNSET
    gaps: list[GapShape] | UnsetType = UNSET


class GapCount(Struct):
    """Something that was not recognised, and in how many jobs."""

    kind: str
    name: str
    jobs: int


class JobGapsList(Struct):
    """Jobs with gaps by name, what was not recognised in most of them, and how many jobs there
    are."""

    jobs: list[JobGaps]
    names: list[GapCount]
    totalCount: int


GAPS = answers(
    JobGapsList,
    JobGapsList(
        [
            JobGaps(
                "scheduler",
                "load_orders",
                True,
                "2 inputs not recognised: LogicalRDD",
                [GapShape("input", "LogicalRDD", 2, "Rows that were made from an RDD.")],
            )
        ],
        [GapCount("input", "LogicalRDD", 1)],
        1,
    ),
)
