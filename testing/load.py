"""A load of events: 500 jobs over 1,000 datasets in 10 layers, the same for one seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from random import Random
from typing import Any
from uuid import UUID

import msgspec

SEED = 20250101
LAYERS = 10
DATASETS_A_LAYER = 100
COLUMNS = 20
BATCH = 100
# Runs open at a time: a run's two events are ten apart, so that one commit seldom holds both.
OPEN_RUNS = 10

NAMESPACE = "db://bench"
JOB_NAMESPACE = "bench"
PRODUCER = "https://headwater.example/bench"
SPEC = "https://openlineage.io/spec"
TYPES = ("BIGINT", "VARCHAR", "DECIMAL(18,2)", "TIMESTAMP", "BOOLEAN")
SUBTYPES = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")

# One million events take 29 days from here: all of them are in the past.
BASE = datetime(2025, 1, 1, tzinfo=UTC)
RUN_EVERY = timedelta(seconds=5)
RUN_TAKES = timedelta(seconds=47)

Json = dict[str, Any]
Templates = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Dataset:
    name: str
    fields: tuple[tuple[str, str], ...]  # column name and type


@dataclass(frozen=True)
class Job:
    name: str
    inputs: tuple[Dataset, ...]
    outputs: tuple[Dataset, ...]


def events(n: int, seed: int = SEED, start_run: int = 0) -> Iterator[bytes]:
    """Yield n events, from START of `start_run` on; n/2 runs when n is a multiple of 20."""
    return islice(_endless(_templates(seed), seed, start_run), n)


def woven_events(n: int, start_run: int = 0) -> Iterator[bytes]:
    """Yield n events of the woven jobs, in the same way."""
    return islice(_endless(_woven_templates(), SEED, start_run), n)


def batches(n: int, seed: int = SEED, start_run: int = 0, size: int = BATCH) -> Iterator[bytes]:
    """Yield the same n events as JSON arrays of `size`."""
    return _in_arrays(events(n, seed, start_run), size)


def woven_batches(n: int, size: int = BATCH) -> Iterator[bytes]:
    """Yield n events of the woven jobs as JSON arrays."""
    return _in_arrays(woven_events(n), size)


def _in_arrays(source: Iterator[bytes], size: int) -> Iterator[bytes]:
    while group := list(islice(source, size)):
        yield b"[" + b",".join(group) + b"]"


def mean_size(n: int = 1_000) -> float:
    """Return the mean bytes of an event; 1,000 hold both events of every job."""
    return sum(map(len, events(n))) / n


def wide_event(columns: int = 2000, inputs: int = 2, unique: int = 0, run: int = 0) -> bytes:
    """Make a COMPLETE of many columns; `unique` gives new facets, `run` a new run of the same."""
    return _fill(_wide_template(columns, inputs, unique), SEED + 1 + unique, run, complete=True)


def wide_events(uniques: range, runs: range, columns: int = 2000) -> Iterator[bytes]:
    """Yield a wide event for each of `uniques` and each of `runs`."""
    return (wide_event(columns, unique=unique, run=run) for unique in uniques for run in runs)


def one_run_each(of: Sequence[Job]) -> Iterator[bytes]:
    """Yield a COMPLETE of every job, as JSON arrays."""
    done = (
        _fill(_template(job, "COMPLETE"), SEED, run, complete=True) for run, job in enumerate(of)
    )
    return _in_arrays(done, BATCH)


def _endless(templates: Templates, seed: int, start_run: int) -> Iterator[bytes]:
    first = start_run
    while True:
        runs = range(first, first + OPEN_RUNS)
        for complete in (False, True):
            for run in runs:
                template = templates[run % len(templates)][complete]
                yield _fill(template, seed, run, complete=complete)
        first = runs.stop


def _fill(template: bytes, seed: int, run: int, *, complete: bool) -> bytes:
    # A hash of the run's number instead of one long random stream: any run can be the first.
    digest = blake2b(run.to_bytes(8), key=seed.to_bytes(8), digest_size=18).digest()
    started = BASE + run * RUN_EVERY
    rows = int.from_bytes(digest[16:])
    return template % {
        b"time": _stamp(started + RUN_TAKES if complete else started),
        b"nominal_start": _stamp(started),
        b"nominal_end": _stamp(started + timedelta(hours=1)),
        b"run": str(UUID(bytes=digest[:16], version=4)).encode(),
        b"rows": b"%d" % rows,
        b"size": b"%d" % (rows * 120),
    }


def _stamp(time: datetime) -> bytes:
    return time.isoformat(timespec="milliseconds")[:23].encode() + b"Z"


@lru_cache(maxsize=2)
def _templates(seed: int) -> Templates:
    """Make the START and COMPLETE of every job, with places for what differs between runs."""
    return [(_template(job, "START"), _template(job, "COMPLETE")) for job in jobs(seed)]


@lru_cache(maxsize=1)
def _woven_templates() -> Templates:
    return [(_template(job, "START"), _template(job, "COMPLETE")) for job in woven_jobs()]


@lru_cache(maxsize=2)
def _wide_template(columns: int, inputs: int, unique: int) -> bytes:
    fields = tuple(
        (f"wide_{unique}_c{column:04}", TYPES[column % len(TYPES)]) for column in range(columns)
    )
    sources = tuple(Dataset(f"wide.source_{unique}_{index}", fields) for index in range(inputs))
    job = Job(f"load_wide_{unique}", sources, (Dataset(f"wide.target_{unique}", fields),))
    return _template(job, "COMPLETE")


def jobs(seed: int = SEED) -> list[Job]:
    """List the 500 jobs; together they read or write every dataset.

    Each of the first eight layers is read, two datasets a job, by 50 jobs that write half of the
    next layer; the last layer is written whole, by 100 jobs.
    """
    random = Random(seed)
    layers = [_layer(layer, random) for layer in range(LAYERS)]
    made = []
    for layer in range(LAYERS - 1):
        count = DATASETS_A_LAYER if layer == LAYERS - 2 else DATASETS_A_LAYER // 2
        sources = random.sample(layers[layer], DATASETS_A_LAYER) * 2
        targets = random.sample(layers[layer + 1], count)
        for index, target in enumerate(targets):
            made.append(Job(f"load_{target.name}", tuple(sources[2 * index :][:2]), (target,)))
    random.shuffle(made)
    return made


def woven_jobs(seed: int = SEED) -> list[Job]:
    """List 500 jobs that read two datasets and write one or two: all are connected.

    Every dataset but those of the first layer has a writer, so that what is upstream of one of the
    last layer is about a third of the graph. For reading; what is written is of the same size.
    """
    random = Random(seed)
    layers = [_layer(layer, random) for layer in range(LAYERS)]
    made = []
    for layer in range(LAYERS - 1):
        count = 55 if layer < 4 else 56
        sources = random.sample(layers[layer], DATASETS_A_LAYER)
        sources += random.sample(layers[layer], 2 * count - DATASETS_A_LAYER)
        targets = random.sample(layers[layer + 1], DATASETS_A_LAYER)
        for index in range(count):
            outputs = tuple(targets[index::count])
            made.append(Job(f"load_{outputs[0].name}", tuple(sources[index::count][:2]), outputs))
    random.shuffle(made)
    return made


def _layer(layer: int, random: Random) -> list[Dataset]:
    return [
        Dataset(
            f"layer{layer}.t{index:03}",
            tuple((f"c{column:02}", random.choice(TYPES)) for column in range(COLUMNS)),
        )
        for index in range(DATASETS_A_LAYER)
    ]


def _template(job: Job, event_type: str) -> bytes:
    event: Json = {
        "eventTime": "%(time)b",
        "eventType": event_type,
        "producer": PRODUCER,
        "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "%(run)b", "facets": _run_facets()},
        "job": {"namespace": JOB_NAMESPACE, "name": job.name, "facets": _job_facets(job)},
        "inputs": [_dataset(source) for source in job.inputs],
        "outputs": [_output(job, output, event_type) for output in job.outputs],
    }
    return msgspec.json.encode(event)


def _output(job: Job, dataset: Dataset, event_type: str) -> Json:
    output = _dataset(dataset) | {"outputFacets": {}}
    output["facets"]["columnLineage"] = _column_lineage(job, dataset)
    if event_type == "COMPLETE":
        counted = {"rowCount": msgspec.Raw(b"%(rows)b"), "size": msgspec.Raw(b"%(size)b")}
        statistics = _facet("OutputStatisticsOutputDatasetFacet") | counted
        output["outputFacets"]["outputStatistics"] = statistics
    return output


def _facet(name: str) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": f"{SPEC}/facets/1-0-0/{name}.json"}


def _run_facets() -> Json:
    return {
        "nominalTime": _facet("NominalTimeRunFacet")
        | {"nominalStartTime": "%(nominal_start)b", "nominalEndTime": "%(nominal_end)b"},
        "processing_engine": _facet("ProcessingEngineRunFacet")
        | {"version": "3.5.1", "name": "spark", "openlineageAdapterVersion": "1.40.0"},
    }


def _job_facets(job: Job) -> Json:
    tables = " JOIN ".join(source.name for source in job.inputs)
    return {
        "jobType": _facet("JobTypeJobFacet")
        | {"processingType": "BATCH", "integration": "SPARK", "jobType": "JOB"},
        "sql": _facet("SQLJobFacet")
        | {"query": f"INSERT INTO {job.outputs[0].name} SELECT * FROM {tables} USING (c00)"},
    }


def _dataset(dataset: Dataset) -> Json:
    fields = [{"name": name, "type": kind} for name, kind in dataset.fields]
    return {
        "namespace": NAMESPACE,
        "name": dataset.name,
        "facets": {"schema": _facet("SchemaDatasetFacet") | {"fields": fields}},
    }


def _column_lineage(job: Job, output: Dataset) -> Json:
    fields = {
        name: {"inputFields": [_input_field(source, place) for source in job.inputs]}
        for place, (name, _) in enumerate(output.fields)
    }
    return _facet("ColumnLineageDatasetFacet") | {"fields": fields}


def _input_field(source: Dataset, place: int) -> Json:
    step = {"type": "DIRECT", "subtype": SUBTYPES[place % len(SUBTYPES)]}
    return {
        "namespace": NAMESPACE,
        "name": source.name,
        "field": source.fields[place][0],
        "transformations": [step],
    }
