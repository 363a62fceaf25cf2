"""What an event states of datasets: who reads and writes them, and what they are like."""

from typing import NamedTuple, cast

from headwater.model.event import Dataset
from headwater.model.facet_readers import (
    Counters,
    Flow,
    LifecycleChange,
    NamedDataset,
    Symlink,
    read_facet,
)
from headwater.model.names import DECLARED_RUN
from headwater.model.naming import unknown_namespace
from headwater.model.project.flink_runs import is_session_table
from headwater.model.project.projection import NO_JOB, Projection
from headwater.model.relations import (
    Alias,
    Authority,
    Declaration,
    DeclaredDataset,
    Direction,
    JobDataset,
    Lifecycle,
    RunDataset,
    Sample,
    Slot,
)
from headwater.model.values.ids import UNREPORTED, access_id, dataset_id
from headwater.model.values.instant import MINUTE

NO_DATASET = bytes(16)

_STATISTICS = frozenset(("inputStatistics", "outputStatistics"))


class Description(NamedTuple):
    """Digests of how an event describes a dataset."""

    schema: bytes | None = None
    columns: bytes | None = None
    version: bytes | None = None


_NO_DESCRIPTION = Description()


def project_used_datasets(projection: Projection) -> None:
    """What a run read and wrote; or what is only declared of its job, if the event says so."""
    if DECLARED_RUN in projection.run_facets:
        project_declared_datasets(projection)
        return
    for dataset in projection.event.inputs:
        _use_dataset(projection, dataset, Direction.INPUT)
    for dataset in projection.event.outputs:
        _use_dataset(projection, dataset, Direction.OUTPUT)
    _follow_job_lineage(projection)


def project_declared_datasets(projection: Projection) -> None:
    """What a job event declares that its job uses, until its author declares something else."""
    job = cast(bytes, projection.job)
    for dataset in projection.event.inputs:
        _declare_dataset(projection, dataset, job, Direction.INPUT)
    for dataset in projection.event.outputs:
        _declare_dataset(projection, dataset, job, Direction.OUTPUT)
    _follow_job_lineage(projection)
    projection.facts.add("declaration", Declaration(projection.author, job, projection.at))


def project_described_dataset(projection: Projection) -> None:
    """A dataset event: how a dataset is, whoever uses it."""
    assert projection.event.dataset is not None
    _declare_dataset(projection, projection.event.dataset, NO_JOB, Direction.ITSELF)


def project_mentioned_datasets(projection: Projection) -> None:
    """Datasets that facets name and the event does not use: seen, and no more."""
    rows = projection.facts.rows
    used = {row[1] for row in rows.get("run_dataset", ())}
    used.update(row[2] for row in rows.get("declared_dataset", ()))
    for dataset in projection.facts.names:
        if dataset not in used:
            _add_edge(projection, dataset, Direction.ITSELF)


def _use_dataset(projection: Projection, dataset: Dataset, direction: Direction) -> None:
    named = _named(projection, dataset)
    projection.name(named)
    description = _describe(projection, dataset, named) if dataset.facets else _NO_DESCRIPTION
    statistics = _project_access(projection, dataset, named, direction)
    _add_use(projection, named.id, direction, description, statistics)


def _declare_dataset(
    projection: Projection, dataset: Dataset, job: bytes, direction: Direction
) -> None:
    named = _named(projection, dataset)
    projection.name(named)
    description = _describe(projection, dataset, named)
    _project_access(projection, dataset, named, Direction.INPUT)
    _project_access(projection, dataset, named, Direction.OUTPUT)
    _add_declared(projection, named.id, job, direction, description)


def _named(projection: Projection, dataset: Dataset) -> NamedDataset:
    namespace = dataset.namespace
    if not namespace:
        job = projection.event.job
        namespace = unknown_namespace(job.namespace, job.name) if job else "unknown://"
    return NamedDataset(dataset_id(namespace, dataset.name), namespace, dataset.name)


def _add_use(
    projection: Projection,
    dataset: bytes,
    direction: Direction,
    description: Description,
    statistics: bytes | None = None,
) -> None:
    """A row of the history, and one of the graph as it is now."""
    at, stamp = projection.at, projection.stamp
    schema, columns, version = description
    run, job = cast(bytes, projection.run), cast(bytes, projection.job)
    projection.facts.add(
        "run_dataset",
        RunDataset(
            run,
            dataset,
            direction,
            at,
            at,
            schema,
            stamp if schema else None,
            columns,
            stamp if columns else None,
            version,
            stamp if version else None,
            statistics,
            stamp if statistics else None,
        ),
    )
    described = (schema or UNREPORTED, columns or UNREPORTED)
    projection.facts.add("job_dataset", JobDataset(job, dataset, direction, *described, at, at))


def _add_declared(
    projection: Projection,
    dataset: bytes,
    job: bytes,
    direction: Direction,
    description: Description,
) -> None:
    described = (description.schema or UNREPORTED, description.columns or UNREPORTED)
    row = (projection.author, job, dataset, direction, *described, projection.at, projection.at)
    projection.facts.add("declared_dataset", DeclaredDataset._make(row))


def _add_edge(
    projection: Projection,
    dataset: bytes,
    direction: Direction,
    description: Description = _NO_DESCRIPTION,
) -> None:
    """State an edge that a facet implies, as observed or as declared, like the event itself."""
    at, job = projection.at, projection.job
    if projection.run is None or job is None:
        _add_declared(projection, dataset, job or NO_JOB, direction, description)
    elif direction is Direction.ITSELF:
        row = JobDataset(job, dataset, direction, UNREPORTED, UNREPORTED, at, at)
        projection.facts.add("job_dataset", row)
    else:
        _add_use(projection, dataset, direction, description)


def _describe(projection: Projection, dataset: Dataset, named: NamedDataset) -> Description:
    """Project a dataset's own facets; schema and columns are stored with their reporter."""
    schema = columns = stated = version = None
    for name, raw in (dataset.facets or {}).items():
        facet = read_facet(name, bytes(raw))
        if facet is None:
            continue
        if name == "schema":
            # Every topic has keys, values and offsets: that is no information on its content.
            if not (facet.meaning and named.namespace.startswith("kafka://")):
                schema = projection.keep(facet)
            continue
        if name == "columnLineage":
            columns = projection.keep(facet)
            for source in facet.meaning or ():
                projection.name(source)
            continue
        projection.add_facet(named.id, Slot.DATASET, name, facet)
        if name == "version":
            version = facet.digest
        elif name == "symlinks":
            _project_symlinks(projection, named, facet.meaning or ())
        elif name == "lifecycleStateChange":
            _project_lifecycle(projection, named, facet.meaning)
        elif name == "lineage":
            stated = _follow_dataset_lineage(projection, facet.meaning or ())
    return Description(schema, columns or stated, version)


def _project_symlinks(
    projection: Projection, named: NamedDataset, links: tuple[Symlink, ...]
) -> None:
    for link in links:
        if link.dataset.id != named.id and not is_session_table(link.dataset):
            projection.name(link.dataset)
            alias = Alias(named.id, link.dataset.id, Authority.EVENT, link.joined, projection.stamp)
            projection.facts.add("alias", alias)


def _project_lifecycle(
    projection: Projection, named: NamedDataset, change: LifecycleChange | None
) -> None:
    if change is None:
        return
    if change.previous is not None:
        projection.name(change.previous)
    previous = change.previous.id if change.previous else NO_DATASET
    projection.facts.add("lifecycle", Lifecycle(named.id, projection.at, change.change, previous))


def _follow_job_lineage(projection: Projection) -> None:
    """A job's explicit lineage: it reads the inputs and writes the targets."""
    facet = projection.job_facets.get("lineage")
    flows: tuple[Flow, ...] = (facet.meaning if facet else None) or ()
    for flow in flows:
        _add_inputs(projection, flow)
        if flow.target is not None:
            projection.name(flow.target)
            columns = projection.keep(flow.columns) if flow.columns else None
            description = Description(columns=columns)
            _add_edge(projection, flow.target.id, Direction.OUTPUT, description)


def _follow_dataset_lineage(projection: Projection, flows: tuple[Flow, ...]) -> bytes | None:
    """A dataset's explicit lineage: who writes it reads the inputs; gives the column map."""
    columns = None
    for flow in flows:
        _add_inputs(projection, flow)
        if flow.columns is not None:
            columns = projection.keep(flow.columns)
    return columns


def _add_inputs(projection: Projection, flow: Flow) -> None:
    for source in flow.inputs:
        projection.name(source)
        if projection.job is not None:
            _add_edge(projection, source.id, Direction.INPUT)


def _project_access(
    projection: Projection, dataset: Dataset, named: NamedDataset, direction: Direction
) -> bytes | None:
    """Project the facets of a run's reading or writing; give the statistics' digest."""
    is_input = direction is Direction.INPUT
    facets = dataset.inputFacets if is_input else dataset.outputFacets
    if not facets:
        return None
    run, statistics = projection.run, None
    slot = Slot.INPUT if is_input else Slot.OUTPUT
    for name, raw in facets.items():
        facet = read_facet(name, bytes(raw))
        if facet is None:
            continue
        if name in _STATISTICS and run is not None:
            statistics = projection.keep(facet)
            if facet.meaning is not None:
                minute = projection.at // MINUTE
                counters: Counters = facet.meaning
                row = (run, named.id, direction, minute, *counters, projection.stamp)
                projection.facts.add("sample", Sample._make(row))
            continue
        # For the run, and as the newest that is known of the dataset.
        if run is not None:
            projection.add_facet(access_id(run, named.id, direction), slot, name, facet)
        projection.add_facet(named.id, slot, name, facet)
    return statistics
