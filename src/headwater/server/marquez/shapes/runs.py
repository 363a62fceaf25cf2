"""Runs in Marquez's shape."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from headwater.model.relations import Direction, Slot
from headwater.model.run_states import ABORTED
from headwater.model.values.ids import access_id
from headwater.server.marquez.restarts import find_replaced, find_restarted
from headwater.server.marquez.shapes.common import (
    NameShape,
    VersionId,
    dataset_version,
    facet_fields,
    instant_or_none,
    job_version,
    raw_facets,
    text_of,
)
from headwater.server.marquez.shapes.gaps import GapShape, add_gaps
from headwater.store.engine import Connection
from headwater.store.lineage.gaps import read_run_gaps
from headwater.store.read.content_cache import BODIES, FIELDS
from headwater.store.read.facets import Rows, facets_of, read_bodies, read_facet_rows
from headwater.store.read.runs import RunRecord, RunUse, list_run_uses

Names = Mapping[bytes, tuple[str, str]]

# The facet in which a run keeps the arguments that it was made with.
RUN_ARGS = "headwater_args"
_SLOTS = {Direction.INPUT: Slot.INPUT, Direction.OUTPUT: Slot.OUTPUT}
_STATISTICS = {Direction.INPUT: "inputStatistics", Direction.OUTPUT: "outputStatistics"}


class RunDatasetShape(Struct):
    """A dataset as a run reported it, with the facets of its reading or writing."""

    datasetVersionId: VersionId
    facets: dict[str, Any]


class RunShape(Struct):
    """A run. Its datasets are omitted in lists; `restartOf` is the previous run of a stream that
    continued from the same checkpoint; `replacedBy` the next, of one that has reported no end."""

    id: str
    createdAt: str | None
    updatedAt: str | None
    nominalStartTime: str | None
    nominalEndTime: str | None
    state: str
    startedAt: str | None
    endedAt: str | None
    durationMs: int | None
    args: dict[str, Any]
    facets: dict[str, Any]
    job: NameShape | None | UnsetType = UNSET
    jobVersion: VersionId | None | UnsetType = UNSET
    inputDatasetVersions: list[RunDatasetShape] | UnsetType = UNSET
    outputDatasetVersions: list[RunDatasetShape] | UnsetType = UNSET
    restartOf: str | UnsetType = UNSET
    incomplete: bool | UnsetType = UNSET
    gapSummary: str | UnsetType = UNSET
    gaps: list[GapShape] | UnsetType = UNSET
    replacedBy: str | UnsetType = UNSET


class RunList(Struct):
    """Runs of a job, newest first."""

    runs: list[RunShape]
    totalCount: int


class RunFacets(Struct):
    """The facets of a run or of its job."""

    runId: str
    facets: dict[str, Any]


def run_shape(run: RunRecord, facets: Mapping[str, bytes], job: tuple[str, str] | None) -> RunShape:
    """A run without the datasets it used."""
    created = instant_or_none(run.created_at)
    ended = instant_or_none(run.ended_at)
    # Most runs send their first event at the start and their last at the end.
    started = created if run.started_at == run.created_at else instant_or_none(run.started_at)
    duration = None
    if run.ended_at is not None and run.started_at is not None:
        duration = max(0, run.ended_at - run.started_at) // 1000
    return RunShape(
        run.id,
        created,
        ended if run.updated_at == run.ended_at else instant_or_none(run.updated_at),
        instant_or_none(run.nominal_start),
        instant_or_none(run.nominal_end),
        run.state,
        started,
        ended,
        duration,
        _args(facets),
        raw_facets(facets),
        None if job is None else NameShape(*job),
    )


def _args(facets: Mapping[str, bytes]) -> dict[str, Any]:
    """The arguments a run was made with, where a client of Marquez's API made it."""
    args = facet_fields(facets, RUN_ARGS).get("args") if RUN_ARGS in facets else None
    return args if isinstance(args, dict) else {}


def read_run_shapes(
    connection: Connection, runs: Iterable[RunRecord], jobs: Names
) -> list[RunShape]:
    """Runs with all that is known of them; `jobs` has the names of theirs."""
    requested = list(runs)
    rows = read_facet_rows(connection, (run.key for run in requested), Slot.RUN)
    bodies = read_bodies(connection, rows.values())
    uses = _Uses(connection, requested)
    facets = {run.key: facets_of(rows.get(run.key, ()), bodies) for run in requested}
    restarted = find_restarted(connection, requested, facets)
    gaps = read_run_gaps(connection, facets)
    replaced = find_replaced(connection, requested, facets)
    shapes = []
    for run in requested:
        job = jobs.get(run.job) if run.job else None
        successor = replaced.get(run.key)
        if successor is not None:
            run = run._replace(state=ABORTED, ended_at=run.updated_at)
        shape = run_shape(run, facets[run.key], job)
        shape.replacedBy = UNSET if successor is None else successor.id
        shape.restartOf = restarted.get(run.key, UNSET)
        add_gaps(shape, gaps.get(run.key, ()))
        shape.jobVersion = uses.job_version(run, job)
        shape.inputDatasetVersions = uses.shapes(run, Direction.INPUT)
        shape.outputDatasetVersions = uses.shapes(run, Direction.OUTPUT)
        shapes.append(shape)
    return shapes


class _Uses:
    """What runs used, read for all of them at once."""

    def __init__(self, connection: Connection, runs: list[RunRecord]) -> None:
        self._by_run: dict[bytes, list[RunUse]] = {run.key: [] for run in runs}
        found = list_run_uses(connection, self._by_run)
        for use in found:
            self._by_run[use.run].append(use)
        self._locations = FIELDS.read(connection, (run.code for run in runs))
        self._statistics = BODIES.read(connection, (use.statistics for use in found))
        self._rows: dict[bytes, Rows] = {}
        for direction, slot in _SLOTS.items():
            owners = (_access(use) for use in found if use.direction == direction)
            self._rows |= read_facet_rows(connection, owners, slot)
        self._bodies = read_bodies(connection, self._rows.values())

    def job_version(self, run: RunRecord, job: tuple[str, str] | None) -> VersionId | None:
        """The version of the job that ran; a run that names no datasets has none."""
        uses = self._by_run[run.key]
        if job is None or run.job is None or not uses:
            return None
        location = text_of(self._locations.get(run.code or b"", {}), "url")
        used = ((use.direction, use.dataset) for use in uses)
        return VersionId(*job, job_version(run.job, used, location))

    def shapes(self, run: RunRecord, direction: Direction) -> list[RunDatasetShape]:
        return [
            RunDatasetShape(
                VersionId(use.namespace, use.name, dataset_version(use.dataset, use.schema)),
                self._facets(use, direction),
            )
            for use in self._by_run[run.key]
            if use.direction == direction
        ]

    def _facets(self, use: RunUse, direction: Direction) -> dict[str, Any]:
        facets = facets_of(self._rows.get(_access(use), ()), self._bodies)
        statistics = self._statistics.get(use.statistics) if use.statistics else None
        if statistics is not None:
            facets[_STATISTICS[direction]] = statistics
        return raw_facets(facets)


def _access(use: RunUse) -> bytes:
    return access_id(use.run, use.dataset, use.direction)
