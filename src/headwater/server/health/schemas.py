"""What `/health` answers, for the API document: shapes, and an example of each."""

from msgspec import Struct

from headwater.graph.health.datasets import DatasetState
from headwater.graph.health.jobs import JobState
from headwater.server.openapi.document import answers

_AT = "2026-01-31T12:00:00.000000Z"
_RUN = "01890000-0000-7000-8000-000000000001"


class HealthRun(Struct):
    id: str
    state: str
    startedAt: str | None
    endedAt: str | None


class HealthJob(Struct):
    """A job, its state and the reason; unknown values are null."""

    namespace: str
    name: str
    id: str
    type: str
    state: str
    reason: str
    since: str | None
    errorMessage: str | None
    lastHeardAt: str | None
    silentForSeconds: int | None
    expectedAt: str | None
    everySeconds: int | None
    usualSeconds: int | None
    latestRun: HealthRun | None
    system: str
    owners: list[str]


class HealthJobs(Struct):
    """Jobs, worst first; `counts` covers all jobs, by state, as of a time seconds ago at most."""

    jobs: list[HealthJob]
    counts: dict[str, int]
    totalCount: int
    asOf: str


class HealthFreshness(Struct):
    state: str
    everySeconds: int | None
    expectedAt: str | None


class HealthVolume(Struct):
    """The volume last written, and the usual one, by run or by hour."""

    state: str
    per: str | None
    rows: int | None
    usualRows: int | None
    bytes: int | None
    usualBytes: int | None


class HealthDataset(Struct):
    """A dataset, its state and the reason; unknown values are null."""

    namespace: str
    name: str
    id: str
    state: str
    reason: str
    since: str | None
    lastWrittenAt: str | None
    freshness: HealthFreshness
    volume: HealthVolume
    system: str
    owners: list[str]


class HealthDatasets(Struct):
    """Datasets, worst first; `counts` covers all, by state, as of a time seconds ago at most."""

    datasets: list[HealthDataset]
    counts: dict[str, int]
    totalCount: int
    asOf: str


class ColumnsOfJob(Struct):
    """A job, how its columns are known, and why not all of them are."""

    namespace: str
    name: str
    id: str
    columns: str
    reasons: list[str]


class ColumnsOfJobs(Struct):
    """Jobs by name; `counts` covers all that write anything."""

    jobs: list[ColumnsOfJob]
    counts: dict[str, int]
    totalCount: int


JOBS = answers(
    HealthJobs,
    HealthJobs(
        [
            HealthJob(
                namespace="scheduler",
                name="load_orders",
                id="job:scheduler:load_orders",
                type="BATCH",
                state="failed",
                reason="Its newest run failed 5 minutes ago: Java heap space",
                since=_AT,
                errorMessage="Java heap space",
                lastHeardAt=_AT,
                silentForSeconds=None,
                expectedAt=None,
                everySeconds=3_600,
                usualSeconds=100,
                latestRun=HealthRun(_RUN, "FAILED", "2026-01-31T11:58:20.000000Z", _AT),
                system="airflow",
                owners=["team:orders"],
            )
        ],
        {state: int(state == "failed") for state in JobState},
        1,
        _AT,
    ),
)
DATASETS = answers(
    HealthDatasets,
    HealthDatasets(
        [
            HealthDataset(
                namespace="postgres://db:5432",
                name="shop.public.orders",
                id="dataset:postgres://db:5432:shop.public.orders",
                state="stale",
                reason="Last written 5 hours ago, usually every 60 minutes",
                since="2026-01-31T13:00:00.000000Z",
                lastWrittenAt=_AT,
                freshness=HealthFreshness("stale", 3_600, "2026-01-31T13:00:00.000000Z"),
                volume=HealthVolume("normal", "run", 1_200, 1_150, 96_000, 92_000),
                system="postgres",
                owners=["team:orders"],
            )
        ],
        {state: int(state == "stale") for state in DatasetState},
        1,
        _AT,
    ),
)
COLUMNS = answers(
    ColumnsOfJobs,
    ColumnsOfJobs(
        [
            ColumnsOfJob(
                namespace="scheduler",
                name="load_orders",
                id="job:scheduler:load_orders",
                columns="none",
                reasons=["'staging.orders' is not among the inputs of the job"],
            )
        ],
        {"observed": 40, "declared": 2, "inferred": 12, "none": 1},
        1,
    ),
)
