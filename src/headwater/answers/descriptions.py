"""What is shown of the nodes of a graph, read for all of them at once, as of the graph's time."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from headwater.graph.view import View
from headwater.model.aspects import JOB_TYPE, OWNERSHIP
from headwater.model.facets import Schema
from headwater.model.relations import Direction, Slot
from headwater.model.run_states import state_of
from headwater.model.systems import system_of_dataset, system_of_job
from headwater.model.uses import Mark, Name, Use, sum_up
from headwater.store.engine import Connection
from headwater.store.lineage.newest_runs import NewestRun, read_newest_runs
from headwater.store.read.content_cache import SCHEMAS
from headwater.store.read.facets import NO_FIELDS, Fields, read_facet_fields
from headwater.store.read.jobs import JobRecord, read_jobs
from headwater.store.stats.health import read_deleted

Facets = dict[str, dict[str, Any]]

_SHOWN_OF_DATASETS = frozenset(("dataSource", "datasetType", "documentation", OWNERSHIP, "tags"))
_SHOWN_OF_JOBS = frozenset((JOB_TYPE, "documentation", OWNERSHIP, "sourceCodeLocation", "tags"))


class DescribedDataset(NamedTuple):
    id: bytes
    name: Name
    aliases: tuple[Name, ...]
    system: str
    first_seen: int | None
    last_seen: int | None
    written_at: int | None
    schema: bytes | None
    lifecycle: str | None
    facets: Facets
    facet_digests: tuple[tuple[str, bytes], ...]


class DescribedJob(NamedTuple):
    job: JobRecord
    system: str
    state: str
    run: NewestRun | None
    facets: Facets
    facet_digests: tuple[tuple[str, bytes], ...]
    # Whether it is a connector that does not exist any more.
    is_deleted: bool


def describe_datasets(
    connection: Connection, view: View, datasets: Iterable[bytes]
) -> dict[bytes, DescribedDataset]:
    """Describe datasets under the names they are shown by."""
    requested = list(datasets)
    view.load_users(requested, Direction)
    names_of = {dataset: view.classes.names(dataset) for dataset in requested}
    every = [name for names in names_of.values() for name in names]
    names = view.reader.dataset_names(every)
    facets = read_facet_fields(connection, every, Slot.DATASET, _SHOWN_OF_DATASETS)
    lifecycles = view.reader.lifecycles(every, view.at)
    return {
        dataset: _describe(
            dataset,
            names,
            members,
            view.users(dataset),
            _lifecycle(lifecycles, members) if lifecycles else None,
            facets.get(dataset, NO_FIELDS),
        )
        for dataset, members in names_of.items()
        if dataset in names
    }


def _lifecycle(lifecycles: dict[bytes, Mark], members: list[bytes]) -> str | None:
    """The last mark under any of a dataset's names."""
    marks = [lifecycles[name] for name in members if name in lifecycles]
    return max(marks, key=lambda mark: (mark.at, mark.change)).change if marks else None


def _describe(
    dataset: bytes,
    names: dict[bytes, Name],
    members: list[bytes],
    uses: list[Use],
    lifecycle: str | None,
    facets: Fields,
) -> DescribedDataset:
    name = names[dataset]
    summary = sum_up(uses)
    others = len(members) > 1
    return DescribedDataset(
        dataset,
        name,
        tuple(sorted(names[other] for other in members if other != dataset)) if others else (),
        system_of_dataset(name.namespace),
        summary.first_seen,
        summary.last_seen,
        summary.written_at,
        summary.schema.schema if summary.schema else None,
        lifecycle,
        *facets,
    )


def describe_jobs(
    connection: Connection, jobs: Iterable[bytes], at: int
) -> dict[bytes, DescribedJob]:
    requested = list(jobs)
    rows = read_jobs(connection, requested)
    facets = read_facet_fields(connection, requested, Slot.JOB, _SHOWN_OF_JOBS)
    runs = read_newest_runs(connection, requested, at)
    described = {}
    for id, job in rows.items():
        its_facets, run = facets.get(id, NO_FIELDS), runs.get(id)
        system = system_of_job(_integration(its_facets), job.namespace)
        state = state_of(run, at)[0] if run is not None else ""
        described[id] = DescribedJob(job, system, state, run, *its_facets, is_deleted=False)
    ended = {
        found.run.id: id
        for id, found in described.items()
        if found.run is not None
        and found.run.terminal is not None
        and found.run.last_event <= at
        and _integration(facets.get(id, NO_FIELDS)) == "KAFKA_CONNECT"
    }
    for run_id in read_deleted(connection, ended) if ended else ():
        described[ended[run_id]] = described[ended[run_id]]._replace(is_deleted=True)
    return described


def _integration(facets: Fields) -> str | None:
    found: str | None = facets.by_facet.get(JOB_TYPE, {}).get("integration")
    return found


def read_schemas(
    connection: Connection, datasets: Iterable[DescribedDataset]
) -> dict[bytes, Schema]:
    """The schemas of datasets, by digest."""
    return SCHEMAS.read(connection, (dataset.schema for dataset in datasets))
