"""The runs behind a run, in Marquez's shape."""

from msgspec import Struct

from headwater.answers.nodes import view_at
from headwater.graph.walk import Limits
from headwater.model.values.ids import run_name
from headwater.server.marquez.shapes.common import dataset_version, instant_or_none
from headwater.store.engine import Connection
from headwater.store.lineage.run_lineage import ReadDataset, find_writing_run, read_inputs
from headwater.store.read.jobs import read_names
from headwater.store.read.runs import RunRecord, read_runs


class VersionedJob(Struct):
    """The job of a run, without its version."""

    namespace: str | None
    name: str | None
    version: str | None


class RunOfLineage(Struct):
    """A run, and when it ran."""

    id: str
    start: str | None
    end: str | None
    status: str


class RunInput(Struct):
    """An input of a run, and the run that wrote it."""

    namespace: str
    name: str
    version: str
    producedByRunId: str | None


class LineageRun(Struct):
    """An upstream run, and its inputs."""

    job: VersionedJob
    run: RunOfLineage
    inputs: list[RunInput]


class RunLineage(Struct):
    """The upstream runs of a run, and whether all are included."""

    runs: list[LineageRun]
    isCut: bool


def run_lineage_shape(connection: Connection, run: RunRecord, limits: Limits) -> RunLineage:
    """Follow what a run read to the runs that wrote it, level by level."""
    seen = {run.key: 0}
    frontier = [run.key]
    inputs: dict[bytes, list[tuple[ReadDataset, bytes | None]]] = {}
    is_cut = False
    depth = 0
    classes = view_at(connection, None).classes
    while frontier:
        following: list[bytes] = []
        level = read_inputs(connection, frontier)
        classes.resolve(read.dataset for read in level)
        for read in level:
            names = classes.names(read.dataset)
            writer = find_writing_run(connection, names, read.read_at, read.run)
            inputs.setdefault(read.run, []).append((read, writer))
            if writer is not None and writer not in seen:
                if depth < limits.depth and len(seen) < limits.nodes:
                    seen[writer] = depth + 1
                    following.append(writer)
                else:
                    is_cut = True
        frontier = following
        depth += 1
    runs = read_runs(connection, seen)
    writers = {writer for some in inputs.values() for _, writer in some if writer}
    ids = {key: found.id for key, found in read_runs(connection, writers - runs.keys()).items()}
    ids |= {key: found.id for key, found in runs.items()}
    jobs = read_names(connection, (found.job for found in runs.values() if found.job))
    order = sorted(runs, key=lambda key: (seen[key], jobs.get(runs[key].job or b"", ("", "")), key))
    shapes = [_run_shape(runs[key], jobs, inputs.get(key, []), ids) for key in order]
    return RunLineage(shapes, is_cut)


def _run_shape(
    run: RunRecord,
    jobs: dict[bytes, tuple[str, str]],
    inputs: list[tuple[ReadDataset, bytes | None]],
    names: dict[bytes, str],
) -> LineageRun:
    namespace, name = jobs.get(run.job or b"", (None, None))
    return LineageRun(
        VersionedJob(namespace, name, None),
        RunOfLineage(
            run.id, instant_or_none(run.started_at), instant_or_none(run.ended_at), run.state
        ),
        [
            RunInput(
                read.namespace,
                read.name,
                dataset_version(read.dataset, read.schema),
                names.get(writer, run_name(writer, None)) if writer else None,
            )
            for read, writer in inputs
        ],
    )
