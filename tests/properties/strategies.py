"""Events as JSON bytes, over pools so small that names collide and times tie."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from headwater.model.event import decode_event
from headwater.model.facts import Facts
from headwater.model.merge import Merged
from headwater.model.project import project
from tests.store.rows import Rows, merged_rows

T = TypeVar("T")
Json = dict[str, Any]
Batches = list[list[bytes]]

TIMES = (
    "2024-05-01T10:00:00Z",
    "2024-05-01T12:00:00+02:00",  # the same instant
    "2024-05-01T10:00:00.000001Z",
    "2024-05-01T10:00:59.999999",  # the same minute, and no zone
    "2024-05-01T10:01:00Z",
    "1969-12-31T23:59:59.999999Z",  # before the epoch
)
TYPES = ("START", "RUNNING", "OTHER", "COMPLETE", "ABORT", "FAIL", "complete")
PRODUCERS = ("https://a.example/1.2.0", "https://a.example/1.3.0", "https://b.example")
JOBS = ({"namespace": "ns", "name": "j1"}, {"namespace": "ns", "name": "j2"})
RUNS = (
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "01890A5D-AC96-774B-BCCE-B302099A8057",  # the same run
    "01890a5d-ac96-774b-bcce-b302099a8058",
    "manual__1",  # another run in every job
    "manual__2",
)
DATASETS = (
    {"namespace": "db", "name": "t1"},
    {"namespace": "db", "name": "t2"},
    {"namespace": "s3://b", "name": "t1"},
    {"namespace": "", "name": "t1"},  # placed under its job
    {"name": "t2"},
)
NAMED = DATASETS[:3]
FIELDS = ("a", "b")

GONE: Json = {"_deleted": True}
UNUSABLE: tuple[Any, ...] = (None, 5, "text", [], {"fields": 1, "run": 2, "identifiers": "x"})


def _steps(*kinds: str) -> list[Json]:
    return [{"type": kind, "subtype": "IDENTITY", "masking": kind == "DIRECT"} for kind in kinds]


def _input(dataset: Json, field: str, *kinds: str) -> Json:
    return {**dataset, "field": field} | ({"transformations": _steps(*kinds)} if kinds else {})


COLUMN_MAPS: tuple[Json, ...] = (
    {"fields": {"a": {"inputFields": [_input(NAMED[0], "a", "DIRECT", "INDIRECT")]}}},
    {
        "fields": {
            "a": {"inputFields": [_input(NAMED[1], "a"), _input(NAMED[1], "b")]},
            "b\u0000": {
                "inputFields": [_input(NAMED[2], "b\u0000")],
                "transformationType": "MASKED",
                "transformationDescription": "half",
            },
        },
        "dataset": [_input(NAMED[2], "a", "INDIRECT")],
    },
    {"fields": {}, "dataset": [_input({"namespace": "db", "name": "only-here"}, "a")]},
)
SCHEMAS: tuple[Json, ...] = (
    {"fields": [{"name": "a", "type": "INT"}]},
    {"fields": [{"name": "a", "type": "BIGINT"}]},
    {"fields": [{"name": f"c{index}", "type": "TEXT"} for index in range(40)]},
)
SYMLINKS: tuple[Json, ...] = (
    {"identifiers": [NAMED[1] | {"type": "TABLE"}]},
    {"identifiers": [NAMED[1] | {"type": "LOCATION"}, NAMED[0] | {"type": "odd"}]},
    {"identifiers": [NAMED[1] | {"type": "CUT"}, NAMED[2] | {"type": "table"}]},
)
LIFECYCLES: tuple[Json, ...] = (
    {"lifecycleStateChange": "RENAME", "previousIdentifier": NAMED[1]},
    {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": "db", "name": "old"}},
    {"lifecycleStateChange": "DROP"},
    {"lifecycleStateChange": "odd"},
)
PARENTS: tuple[Json, ...] = (
    {"run": {"runId": RUNS[0]}, "job": JOBS[0]},
    {
        "run": {"runId": RUNS[3]},
        "job": JOBS[1],
        "root": {"run": {"runId": RUNS[2]}, "job": JOBS[0]},
    },
    {
        "run": {"runId": RUNS[2]},
        "job": {"namespace": "ns", "name": "only-here"},
        "root": {"run": {"runId": "manual__0"}, "job": {"namespace": "ns", "name": "j1"}},
    },
)
NOMINAL_TIMES: tuple[Json, ...] = (
    {"nominalStartTime": "2024-05-01T10:00:00Z"},
    {"nominalStartTime": "2024-05-01", "nominalEndTime": "2024-05-02T00:00:00Z"},
    {"nominalEndTime": "2024-05-01T00:00:00Z"},
    {"nominalStartTime": "soon"},
)
STATISTICS: tuple[Json, ...] = (
    {"rowCount": 10, "size": 100},
    {"rowCount": 10, "byteCount": 200, "fileCount": 1},
    {"size": 0, "lag": 3},
    {"fileCount": 2.0, "rowCount": "9"},
    {"rowCount": -1},
)
WORDS: tuple[tuple[str, Any], ...] = (
    ("tags", {"tags": [{"key": "pii", "value": "true", "source": "a"}]}),
    ("tags", {"tags": []}),
    ("ownership", {"owners": [{"name": "team:x"}]}),
    ("ownership", {"owners": [{"name": "team:y", "type": "MAINTAINER"}]}),
    ("documentation", {"description": "one"}),
    ("documentation", {"description": "two"}),
)
DATASET_LINEAGE: tuple[Json, ...] = (
    {"inputs": [NAMED[0] | {"type": "DATASET"}, JOBS[0] | {"type": "JOB"}]},
    {
        "inputs": [NAMED[1] | {"type": "DATASET", "field": "a", "transformations": _steps("x")}],
        "fields": {"a": {"inputs": [NAMED[2] | {"type": "DATASET", "field": "b"}]}},
    },
)
JOB_LINEAGE: tuple[Json, ...] = (
    {"entries": [NAMED[1] | {"type": "DATASET"} | DATASET_LINEAGE[0]]},
    {"entries": [NAMED[0] | {"type": "DATASET"} | DATASET_LINEAGE[1]]},
    {"entries": [{"type": "JOB"} | DATASET_LINEAGE[1], {"type": "JOB", "name": "j2"}]},
)
# The body of a known facet under a name of no meaning has the same digest.
UNKNOWN: tuple[Any, ...] = ({"x": 1}, [2], "three", 4.5, COLUMN_MAPS[0], SCHEMAS[0], PARENTS[0])

FacetPool = Sequence[tuple[str, Any]]


def _pool(**facets: Sequence[Any]) -> FacetPool:
    """Every facet with each of its values, taken back, and in shapes it does not have."""
    spoilt = (GONE, *UNUSABLE)
    pool: list[tuple[str, Any]] = []
    for name, usable in facets.items():
        # As often usable as not.
        repeated = [*usable] * -(-len(spoilt) // len(usable))
        pool += [(name, value) for value in (*repeated, *spoilt)]
    return pool


RUN_FACETS: FacetPool = _pool(parent=PARENTS, nominalTime=NOMINAL_TIMES, custom=UNKNOWN)
JOB_FACETS: FacetPool = [
    *_pool(
        sql=({"query": "SELECT 1"}, {"query": "SELECT 2"}),
        sourceCodeLocation=({"url": "https://git.example", "version": "1"}, {"url": "b"}),
        lineage=JOB_LINEAGE,
        jobType=({"processingType": "BATCH"}, {"processingType": "STREAMING"}),
        custom=UNKNOWN,
    ),
    *WORDS,
]
DATASET_FACETS: FacetPool = [
    *_pool(
        schema=SCHEMAS,
        columnLineage=COLUMN_MAPS,
        symlinks=SYMLINKS,
        lifecycleStateChange=LIFECYCLES,
        version=({"datasetVersion": "1"}, {"datasetVersion": "2"}),
        lineage=DATASET_LINEAGE,
        custom=UNKNOWN,
    ),
    *WORDS,
]
INPUT_FACETS: FacetPool = _pool(inputStatistics=STATISTICS, dataQualityMetrics=UNKNOWN)
OUTPUT_FACETS: FacetPool = _pool(outputStatistics=STATISTICS, custom=UNKNOWN)
ASPECTS: FacetPool = _pool(
    deleted=(True,),
    symlinks=SYMLINKS,
    description=("one", "two"),
    tags=(["pii"], []),
    columnLineage=COLUMN_MAPS,
)


class Scene(NamedTuple):
    """The few names and times that the events of one example share, so that most of them meet."""

    times: list[str]
    types: list[str | None]
    producers: list[str | None]
    jobs: list[Json]
    runs: list[str]
    datasets: list[Json]


def _some(pool: Sequence[T]) -> SearchStrategy[list[T]]:
    return st.lists(st.sampled_from(pool), min_size=1, max_size=2)


SCENES = st.builds(
    Scene,
    _some(TIMES),
    _some((*TYPES, None)),
    _some((*PRODUCERS, None)),
    _some(JOBS),
    _some(RUNS),
    _some(DATASETS),
)


def _facets(pool: FacetPool) -> SearchStrategy[Json]:
    return st.lists(st.sampled_from(pool), max_size=4).map(dict)


@st.composite
def _datasets(draw: DrawFn, scene: Scene) -> Json:
    dataset = dict(draw(st.sampled_from(scene.datasets)))
    for key, pool in (
        ("facets", DATASET_FACETS),
        ("inputFacets", INPUT_FACETS),
        ("outputFacets", OUTPUT_FACETS),
    ):
        if facets := draw(_facets(pool)):
            dataset[key] = facets
    return dataset


@st.composite
def _jobs(draw: DrawFn, scene: Scene) -> Json:
    return draw(st.sampled_from(scene.jobs)) | {"facets": draw(_facets(JOB_FACETS))}


@st.composite
def _job_events(draw: DrawFn, scene: Scene) -> Json:
    uses = {key: draw(st.lists(_datasets(scene), max_size=2)) for key in ("inputs", "outputs")}
    return {"job": draw(_jobs(scene)), **uses}


@st.composite
def _run_events(draw: DrawFn, scene: Scene) -> Json:
    run = {"runId": draw(st.sampled_from(scene.runs)), "facets": draw(_facets(RUN_FACETS))}
    kind = draw(st.sampled_from(scene.types))
    return {"eventType": kind, "run": run, **draw(_job_events(scene))}


@st.composite
def _dataset_events(draw: DrawFn, scene: Scene) -> Json:
    return {"dataset": draw(_datasets(scene))}


@st.composite
def _edit_events(draw: DrawFn, scene: Scene) -> Json:
    named = [dataset for dataset in scene.datasets if dataset.get("namespace")]
    is_job = not named or draw(st.booleans())
    entity: Json = {
        "type": "job" if is_job else "dataset",
        **draw(st.sampled_from(scene.jobs if is_job else named)),
        "field": "" if is_job else draw(st.sampled_from(("", *FIELDS))),
    }
    values = draw(_facets(ASPECTS))
    unset = draw(st.lists(st.sampled_from([name for name, _ in ASPECTS]), max_size=1))
    return {"edit": {"actor": "x", "entity": entity, "set": values, "unset": unset}}


@st.composite
def events(draw: DrawFn, scene: Scene) -> bytes:
    """An event of any kind that can be taken in."""
    # Run events twice: they say the most.
    kinds = (_run_events, _run_events, _job_events, _dataset_events, _edit_events)
    body = draw(draw(st.sampled_from(kinds))(scene))
    body["eventTime"] = draw(st.sampled_from(scene.times))
    body["producer"] = draw(st.sampled_from(scene.producers))
    # White space between tokens makes another event, but not another facet.
    return msgspec.json.format(msgspec.json.encode(body), indent=draw(st.sampled_from((-1, 1))))


@st.composite
def event_lists(draw: DrawFn, max_size: int = 8) -> list[bytes]:
    scene = draw(SCENES)
    return draw(st.lists(events(scene), min_size=1, max_size=max_size))


@st.composite
def deliveries(draw: DrawFn, sent: Sequence[bytes]) -> Batches:
    """One way the events may come: in any order, some of them twice, in batches of any size."""
    again = draw(st.lists(st.sampled_from(sent), max_size=4))
    order = draw(st.permutations([*sent, *again]))
    cuts = sorted(draw(st.sets(st.integers(0, len(order)), max_size=4)))
    edges = [0, *cuts, len(order)]
    return [order[start:end] for start, end in zip(edges, edges[1:], strict=False)]


def facts_of(event: bytes) -> Facts:
    return project(decode_event(event))


def facts_of_batches(batches: Batches) -> list[list[Facts]]:
    return [[facts_of(event) for event in batch] for batch in batches]


def merge(stated: Iterable[Facts]) -> Merged:
    """The reference: all facts merged in memory, one by one."""
    merged = Merged()
    for each in stated:
        merged.add(each.all_rows())
    return merged


def rows_of(stated: Iterable[Facts]) -> Rows:
    return merged_rows(merge(stated))
