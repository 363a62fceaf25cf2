"""What these routes answer: shapes, and an example of each for the API document."""

from typing import Any

from msgspec import Struct

from headwater.server.openapi.document import answers

_AT = "2026-01-31T12:00:00.000000Z"
_DATASET = "dataset:postgres://db:5432:shop.public.orders"
_TOPIC = "dataset:kafka://broker:9092:orders"
_JOB = "job:scheduler:load_orders"


class NodeName(Struct):
    """A dataset or a job: its node id, namespace and name."""

    id: str
    namespace: str
    name: str


class CountedVolume(Struct):
    """Counts reported in the interval; null if none were. `lag` is the maximum."""

    rows: int | None
    bytes: int | None
    files: int | None
    lag: int | None
    runs: int


class VolumeAt(Struct):
    """A minute, hour or day, by its start."""

    at: str
    written: CountedVolume
    read: CountedVolume


class DatasetSamples(Struct, rename={"from_": "from"}):
    """Volumes by time; if there is too much, `from` is later than requested and `isCut` is true."""

    dataset: NodeName
    by: str
    from_: str
    to: str
    samples: list[VolumeAt]
    totalCount: int
    isCut: bool


class DayUser(Struct):
    """A job that used a dataset, with its number of runs and the last time."""

    id: str
    namespace: str
    name: str
    runs: int
    lastAt: str


class DayUsers(Struct):
    """The jobs with the most runs; the counts cover all jobs."""

    jobs: list[DayUser]
    jobCount: int
    runCount: int


class UsageDay(Struct):
    day: str
    readers: DayUsers
    writers: DayUsers


class DatasetUsage(Struct, rename={"from_": "from"}):
    """Readers and writers of a dataset, newest day first; days without any are omitted."""

    dataset: NodeName
    from_: str
    to: str
    days: list[UsageDay]
    isCut: bool


class FamilyJob(Struct):
    """A job with the state of its newest run; null if it has no runs."""

    id: str
    namespace: str
    name: str
    state: str | None
    lastHeardAt: str | None


class JobFamily(Struct):
    """The parent and the children of a job, by name; `totalCount` counts all children."""

    job: NodeName
    parent: FamilyJob | None
    children: list[FamilyJob]
    totalCount: int


class SystemCount(Struct):
    """The counts of one system; `unknown` if a job reports none."""

    name: str
    datasets: int
    jobs: int
    runningJobs: int


class SystemCountList(Struct):
    systems: list[SystemCount]
    totalCount: int


class ComparedRun(Struct):
    id: str
    state: str
    createdAt: str | None
    startedAt: str | None
    endedAt: str | None
    durationMs: int | None
    nominalStartTime: str | None
    nominalEndTime: str | None


class ComparedDataset(Struct):
    """A dataset that a run used and the other did not: `added` is in b, `removed` in a."""

    id: str
    namespace: str
    name: str
    direction: str
    change: str


class ComparedField(Struct):
    """A column of a dataset that differs; the values are types."""

    dataset: str
    direction: str
    field: str
    change: str
    before: str | None
    after: str | None


class ComparedColumn(Struct):
    """An edge between columns that differs; the values are transformations."""

    origin: str
    destination: str
    change: str
    before: str | None
    after: str | None


class ComparedCounters(Struct):
    rows: int | None
    bytes: int | None
    files: int | None


class CountedDataset(Struct):
    """The counts of both runs for a dataset, equal or not."""

    dataset: str
    direction: str
    a: ComparedCounters | None
    b: ComparedCounters | None


class ComparedFacet(Struct):
    """A field of a facet that differs; `facet` is a run facet, `sql` or the code's."""

    facet: str
    field: str
    change: str
    before: Any
    after: Any


class RunComparison(Struct):
    """Two runs of a job: what is only in b, what is only in a, and what changed."""

    job: NodeName
    a: ComparedRun
    b: ComparedRun
    durationDeltaMs: int | None
    datasets: list[ComparedDataset]
    fields: list[ComparedField]
    columns: list[ComparedColumn]
    code: list[ComparedFacet]
    facets: list[ComparedFacet]
    counters: list[CountedDataset]
    isCut: bool


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
