"""project(event) -> Facts: the one pure function from what was said to what it states.

No settings, no clock, no store: every process, the server's and Spark's, makes the same facts.
"""

from collections.abc import Callable
from typing import cast

from headwater.model.event import TERMINAL, Dataset, Event, EventType, Facets, Kind
from headwater.model.facts import Facts
from headwater.model.ids import (
    NO_CONTENT,
    access_id,
    author_id,
    dataset_id,
    digest,
    is_uuid,
    job_id,
    namespace_id,
    run_key,
)
from headwater.model.instant import MINUTE
from headwater.model.relations import (
    Alias,
    DatasetRow,
    Declaration,
    DeclaredDataset,
    Direction,
    EditValue,
    EventRow,
    FacetRow,
    JobDataset,
    JobRow,
    Lifecycle,
    RunDataset,
    RunRow,
    Sample,
    Slot,
    Voice,
)
from headwater.model.understand import (
    Counters,
    Facet,
    Flow,
    LifecycleChange,
    NamedDataset,
    Parent,
    Symlink,
    read_facet,
    read_job_facet,
)

NOBODY = bytes(16)
NO_JOB = bytes(16)
NO_DATASET = bytes(16)

# Facets that are words about a thing: two producers may differ, and both are kept.
_AUTHORED = frozenset(("documentation", "ownership", "tags"))
_STATISTICS = frozenset(("inputStatistics", "outputStatistics"))
_RANK = {
    EventType.START: 0,
    EventType.RUNNING: 1,
    EventType.OTHER: 2,
    EventType.COMPLETE: 3,
    EventType.ABORT: 3,
    EventType.FAIL: 3,
}


def stamp_of(at: int, event_type: EventType) -> int:
    """Order values: by event time, then by how final the event is; one number, so it sorts fast."""
    return at << 3 | _RANK[event_type]


def time_of(stamp: int) -> int:
    """The event time of a stamp."""
    return stamp >> 3


class Projection:
    """An event on its way to facts."""

    __slots__ = ("at", "author", "datasets", "event", "facts", "job", "run", "stamp")

    def __init__(self, event: Event, received_at: int) -> None:
        self.event = event
        self.facts = Facts()
        self.at = event.at
        self.stamp = stamp_of(event.at, event.type)
        self.author = author_id(event.producer)
        self.job: bytes | None = None
        self.run: bytes | None = None
        self.datasets: dict[bytes, tuple[str, str]] = {}
        if event.job is not None:
            self.job = job_id(event.job.namespace, event.job.name)
            if event.run is not None:
                self.run = run_key(event.job.namespace, event.job.name, event.run.runId)
        self.facts.add(
            "event",
            EventRow(
                event.at,
                event.digest,
                received_at,
                event.kind,
                event.type,
                self.job,
                self.run,
                event.raw,
            ),
        )

    def mention(self, dataset: NamedDataset) -> None:
        """Give a dataset a node, even if it is only named inside a facet."""
        self.datasets[dataset.id] = (dataset.namespace, dataset.name)

    def keep(self, facet: Facet) -> bytes:
        """Keep a facet's content and refer to it."""
        if facet.digest != NO_CONTENT:
            self.facts.contents[facet.digest] = facet
        return facet.digest

    def add_facet(self, owner: bytes, slot: Slot, name: str, facet: Facet) -> None:
        author = self.author if name in _AUTHORED else NOBODY
        self.facts.add("facet", FacetRow(owner, slot, name, author, self.keep(facet), self.stamp))


def project(event: Event, received_at: int = 0) -> Facts:
    """State the facts of an event. Only the event's own row knows when it was received."""
    projection = Projection(event, received_at)
    for step in STEPS[event.kind]:
        step(projection)
    return projection.facts


def _project_job(projection: Projection) -> None:
    """The job and its facets; its parent comes from the run's facet."""
    job = projection.event.job
    assert job is not None and projection.job is not None
    for name, raw in (job.facets or {}).items():
        if (facet := read_job_facet(name, bytes(raw))) is not None:
            projection.add_facet(projection.job, Slot.JOB, name, facet)
    at = projection.at
    parent = _parent_of(projection)
    projection.facts.add(
        "job",
        JobRow(
            projection.job,
            namespace_id(job.namespace),
            job.namespace,
            job.name,
            at,
            at,
            None,
            None,
            parent.parent.job if parent else None,
            projection.stamp if parent else None,
        ),
    )


def _project_run(projection: Projection) -> None:
    """The run: when it was heard of, in which state, under which parent."""
    event = projection.event
    assert event.run is not None and projection.run is not None
    for name, raw in (event.run.facets or {}).items():
        if (facet := read_facet(name, bytes(raw))) is not None:
            projection.add_facet(projection.run, Slot.RUN, name, facet)
    at, stamp, kind = projection.at, projection.stamp, event.type
    is_start = kind is EventType.START
    is_terminal = kind in TERMINAL
    parent = _parent_of(projection)
    root = parent.root if parent else None
    nominal = _meaning(event.run.facets, "nominalTime")
    code = _job_digest(projection, "sourceCodeLocation")
    sql = _job_digest(projection, "sql")
    projection.facts.add(
        "run",
        RunRow(
            projection.run,
            None if is_uuid(event.run.runId) else event.run.runId,
            projection.job,
            stamp,
            parent.parent.id if parent else None,
            parent.parent.job if parent else None,
            root.id if root else None,
            root.job if root else None,
            stamp if parent else None,
            at,
            at,
            at if is_start else None,
            at if is_start else None,
            at if kind is EventType.RUNNING else None,
            at if "run_dataset" in projection.facts.rows else None,
            int(kind) if is_terminal else None,
            stamp if is_terminal else None,
            nominal[0] if nominal else None,
            nominal[1] if nominal else None,
            stamp if nominal else None,
            code,
            stamp if code else None,
            sql,
            stamp if sql else None,
        ),
    )


def _project_parents(projection: Projection) -> None:
    """The runs and jobs a parent facet names, so that they can be shown by name."""
    parent = _parent_of(projection)
    for named in (parent.parent, parent.root) if parent else ():
        if named is None or named.id == projection.run:
            continue
        at = projection.at
        names = (namespace_id(named.job_namespace), named.job_namespace, named.job_name)
        projection.facts.add("job", JobRow(named.job, *names, at, at))
        projection.facts.add("run", RunRow(named.id, named.name, named.job, projection.stamp))


def _project_used_datasets(projection: Projection) -> None:
    """What a run read and wrote: its history, and the graph as it is now."""
    event = projection.event
    for dataset in event.inputs:
        _use(projection, dataset, Direction.INPUT)
    for dataset in event.outputs:
        _use(projection, dataset, Direction.OUTPUT)
    for flow in _job_flows(projection):
        _follow_flow(projection, flow, flow.target)


def _use(projection: Projection, dataset: Dataset, direction: Direction) -> None:
    named = _named(projection, dataset)
    projection.mention(named)
    schema, columns, version = _describe(projection, dataset, named)
    statistics = _project_access_facets(projection, dataset, named, direction)
    _add_use(projection, named.id, direction, schema, columns, version, statistics)


def _add_use(
    projection: Projection,
    dataset: bytes,
    direction: Direction,
    schema: bytes | None = None,
    columns: bytes | None = None,
    version: bytes | None = None,
    statistics: bytes | None = None,
) -> None:
    at, stamp = projection.at, projection.stamp
    run, job = cast(bytes, projection.run), cast(bytes, projection.job)
    schema_at = stamp if schema else None
    columns_at = stamp if columns else None
    projection.facts.add(
        "run_dataset",
        RunDataset(
            run,
            dataset,
            direction,
            at,
            at,
            schema,
            schema_at,
            columns,
            columns_at,
            version,
            stamp if version else None,
            statistics,
            stamp if statistics else None,
        ),
    )
    projection.facts.add(
        "job_dataset",
        JobDataset(job, dataset, direction, at, at, schema, schema_at, columns, columns_at),
    )


def _project_declared_datasets(projection: Projection) -> None:
    """What a job event says its job uses, until its author says something else."""
    event = projection.event
    job = cast(bytes, projection.job)
    for direction, datasets in (
        (Direction.INPUT, event.inputs),
        (Direction.OUTPUT, event.outputs),
    ):
        for dataset in datasets:
            _declare(projection, dataset, job, direction)
    for flow in _job_flows(projection):
        _follow_flow(projection, flow, flow.target)
    projection.facts.add("declaration", Declaration(projection.author, job, projection.at))


def _project_described_dataset(projection: Projection) -> None:
    """A dataset event: how a dataset is, whoever uses it."""
    assert projection.event.dataset is not None
    _declare(projection, projection.event.dataset, NO_JOB, Direction.ITSELF)


def _declare(projection: Projection, dataset: Dataset, job: bytes, direction: Direction) -> None:
    named = _named(projection, dataset)
    projection.mention(named)
    schema, columns, _ = _describe(projection, dataset, named)
    _add_declared(projection, named.id, job, direction, schema, columns)


def _add_declared(
    projection: Projection,
    dataset: bytes,
    job: bytes,
    direction: Direction,
    schema: bytes | None = None,
    columns: bytes | None = None,
) -> None:
    at, stamp = projection.at, projection.stamp
    projection.facts.add(
        "declared_dataset",
        DeclaredDataset(
            projection.author,
            job,
            dataset,
            direction,
            at,
            at,
            schema,
            stamp if schema else None,
            columns,
            stamp if columns else None,
        ),
    )


def _follow_flow(projection: Projection, flow: Flow, target: NamedDataset | None) -> None:
    """Explicit lineage means that the job reads the inputs and writes the target."""
    for source in flow.inputs:
        projection.mention(source)
        _add_edge(projection, source.id, Direction.INPUT)
    if target is not None:
        projection.mention(target)
        columns = projection.keep(flow.columns) if flow.columns else None
        _add_edge(projection, target.id, Direction.OUTPUT, columns)


def _add_edge(
    projection: Projection, dataset: bytes, direction: Direction, columns: bytes | None = None
) -> None:
    if projection.run is not None:
        _add_use(projection, dataset, direction, columns=columns)
    elif projection.job is not None:
        _add_declared(projection, dataset, projection.job, direction, columns=columns)


def _describe(
    projection: Projection, dataset: Dataset, named: NamedDataset
) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Project a dataset's own facets; give the digests of its schema, columns and version."""
    schema = columns = version = None
    stated: bytes | None = None
    for name, raw in (dataset.facets or {}).items():
        facet = read_facet(name, bytes(raw))
        if facet is None:
            continue
        if name == "schema":
            schema = projection.keep(facet)
            continue
        if name == "columnLineage":
            columns = projection.keep(facet)
            for source in facet.meaning or ():
                projection.mention(source)
            continue
        projection.add_facet(named.id, Slot.DATASET, name, facet)
        if name == "version":
            version = facet.digest
        elif name == "symlinks":
            _project_symlinks(projection, named, facet.meaning or ())
        elif name == "lifecycleStateChange":
            _project_lifecycle(projection, named, facet.meaning)
        elif name == "lineage":
            stated = _project_dataset_lineage(projection, facet.meaning or ())
    return schema, columns or stated, version


def _project_symlinks(
    projection: Projection, named: NamedDataset, links: tuple[Symlink, ...]
) -> None:
    for link in links:
        if link.dataset.id != named.id:
            projection.mention(link.dataset)
            projection.facts.add(
                "alias",
                Alias(named.id, link.dataset.id, Voice.EVENT, link.joined, projection.stamp),
            )


def _project_lifecycle(
    projection: Projection, named: NamedDataset, change: LifecycleChange | None
) -> None:
    if change is None:
        return
    if change.previous is not None:
        projection.mention(change.previous)
    previous = change.previous.id if change.previous else NO_DATASET
    projection.facts.add("lifecycle", Lifecycle(named.id, projection.at, change.change, previous))


def _project_dataset_lineage(projection: Projection, flows: tuple[Flow, ...]) -> bytes | None:
    columns = None
    for flow in flows:
        _follow_flow(projection, flow, None)
        if flow.columns is not None:
            columns = projection.keep(flow.columns)
    return columns


def _project_access_facets(
    projection: Projection, dataset: Dataset, named: NamedDataset, direction: Direction
) -> bytes | None:
    """Project what a run says of its own reading or writing; give the statistics' digest."""
    statistics = None
    is_input = direction is Direction.INPUT
    slot = Slot.INPUT if is_input else Slot.OUTPUT
    for name, raw in ((dataset.inputFacets if is_input else dataset.outputFacets) or {}).items():
        facet = read_facet(name, bytes(raw))
        if facet is None:
            continue
        if name in _STATISTICS:
            statistics = projection.keep(facet)
            _project_sample(projection, named.id, direction, facet.meaning)
            continue
        run = cast(bytes, projection.run)
        projection.add_facet(access_id(run, named.id, direction), slot, name, facet)
        projection.add_facet(named.id, slot, name, facet)
    return statistics


def _project_sample(
    projection: Projection, dataset: bytes, direction: Direction, counters: Counters | None
) -> None:
    if counters is not None:
        run, minute = cast(bytes, projection.run), projection.at // MINUTE
        projection.facts.add(
            "sample", Sample(run, dataset, direction, minute, *counters, projection.stamp)
        )


def _project_mentioned_datasets(projection: Projection) -> None:
    at = projection.at
    for dataset, (namespace, name) in projection.datasets.items():
        row = DatasetRow(dataset, namespace_id(namespace), namespace, name, at, at)
        projection.facts.add("dataset", row)


def _project_edit(projection: Projection) -> None:
    """A person's word: hides or shows an entity, joins or cuts names, or gives a value."""
    edit = projection.event.edit
    assert edit is not None
    values: dict[str, bytes | None] = {name: bytes(raw) for name, raw in edit.set.items()}
    values.update(dict.fromkeys(edit.unset))
    for aspect, raw in values.items():
        facet = None if raw is None else read_facet(aspect, raw)
        if aspect == "deleted":
            _project_deletion(projection, is_deleted=facet is not None)
        elif aspect == "symlinks":
            _project_join(projection, facet)
        else:
            _project_edit_value(projection, aspect, facet)


def _project_deletion(projection: Projection, is_deleted: bool) -> None:
    entity = projection.event.edit.entity  # type: ignore[union-attr]
    times = (projection.at, None) if is_deleted else (None, projection.at)
    names = (entity.namespace, entity.name)
    row = (namespace_id(entity.namespace), *names, None, None, *times)
    if entity.type == "dataset":
        projection.facts.add("dataset", DatasetRow(dataset_id(*names), *row))
    else:
        projection.facts.add("job", JobRow(job_id(*names), *row))


def _project_join(projection: Projection, facet: Facet | None) -> None:
    """A person's symlinks join names; an identifier of type CUT parts them."""
    entity = projection.event.edit.entity  # type: ignore[union-attr]
    dataset = dataset_id(entity.namespace, entity.name)
    for link in (facet.meaning if facet else None) or ():
        projection.facts.add(
            "alias",
            Alias(dataset, link.dataset.id, Voice.PERSON, link.joined, projection.stamp),
        )


def _project_edit_value(projection: Projection, aspect: str, facet: Facet | None) -> None:
    entity = projection.event.edit.entity  # type: ignore[union-attr]
    names = (entity.namespace, entity.name)
    owner = dataset_id(*names) if entity.type == "dataset" else job_id(*names)
    value = NO_CONTENT if facet is None else projection.keep(facet)
    projection.facts.add(
        "edit_value",
        EditValue(
            owner,
            digest(f"{entity.field}\0{aspect}".encode()),
            entity.field,
            aspect,
            value,
            projection.stamp,
        ),
    )


def _named(projection: Projection, dataset: Dataset) -> NamedDataset:
    namespace = dataset.namespace
    if not namespace:
        job = projection.event.job
        namespace = f"unknown://{job.namespace}/{job.name}" if job else "unknown://"
    return NamedDataset(dataset_id(namespace, dataset.name), namespace, dataset.name)


def _meaning(facets: Facets | None, name: str) -> tuple[int | None, int | None] | None:
    if facets is None or (raw := facets.get(name)) is None:
        return None
    facet = read_facet(name, bytes(raw))
    return facet.meaning if facet else None


def _parent_of(projection: Projection) -> Parent | None:
    run = projection.event.run
    if run is None or run.facets is None or (raw := run.facets.get("parent")) is None:
        return None
    facet = read_facet("parent", bytes(raw))
    return facet.meaning if facet else None


def _job_digest(projection: Projection, name: str) -> bytes | None:
    facets = projection.event.job.facets if projection.event.job else None
    if facets is None or (raw := facets.get(name)) is None:
        return None
    facet = read_job_facet(name, bytes(raw))
    return facet.digest if facet else None


def _job_flows(projection: Projection) -> tuple[Flow, ...]:
    facets = projection.event.job.facets if projection.event.job else None
    if facets is None or (raw := facets.get("lineage")) is None:
        return ()
    facet = read_job_facet("lineage", bytes(raw))
    return (facet.meaning if facet else None) or ()


STEPS: dict[Kind, tuple[Callable[[Projection], None], ...]] = {
    Kind.RUN: (
        _project_job,
        _project_used_datasets,
        _project_run,
        _project_parents,
        _project_mentioned_datasets,
    ),
    Kind.JOB: (_project_job, _project_declared_datasets, _project_mentioned_datasets),
    Kind.DATASET: (_project_described_dataset, _project_mentioned_datasets),
    Kind.EDIT: (_project_edit, _project_mentioned_datasets),
}
