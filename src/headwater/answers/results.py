"""Results of the questions about volume, usage, families of jobs and compared runs."""

from typing import Any

from msgspec import Struct


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
