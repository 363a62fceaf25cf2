"""The relations facts are rows of: each class declares its columns and how each value merges.

This is the only place that knows the columns. The tables, the upserts of both databases and the
merge in memory, which Spark's tasks use as well, all come from these declarations.

A column is part of the KEY; or fixed by the key (ONCE); or merges by MIN or MAX; or is the LATEST:
then the next STAMP column closes its group and decides for all of it. An absent value is None and
takes no part in a merge. Ids and digests are 16 bytes, times microseconds since 1970.
"""

from enum import Enum, IntEnum
from typing import Annotated, NamedTuple


class Rule(Enum):
    KEY = "key"
    ONCE = "once"
    MIN = "min"
    MAX = "max"
    LATEST = "latest"
    STAMP = "stamp"


class Form(Enum):
    """How a database stores a column where its Python type does not say."""

    SMALL = "a small number"
    PACKED = "compressed where that pays"


KEY, ONCE, MIN, MAX, LATEST, STAMP = Rule
SMALL, PACKED = Form

IdKey = Annotated[bytes, KEY]
SmallKey = Annotated[int, KEY, SMALL]
FirstTime = Annotated[int | None, MIN]
LastTime = Annotated[int | None, MAX]
Digest = Annotated[bytes | None, LATEST]
Stamp = Annotated[int | None, STAMP]


class Direction(IntEnum):
    """How a job uses a dataset; ITSELF where it is only named or described."""

    ITSELF = 0
    INPUT = 1
    OUTPUT = 2


class Slot(IntEnum):
    """Where a facet stood in its event."""

    RUN = 0
    JOB = 1
    DATASET = 2
    INPUT = 3
    OUTPUT = 4


class Joined(IntEnum):
    """The kind of an alias between two names."""

    CUT = 0
    TABLE = 1
    LOCATION = 2
    OTHER = 3


class NamedKind(IntEnum):
    """What users name besides datasets and jobs."""

    NAMESPACE = 0
    SOURCE = 1
    TAG = 2


class Authority(IntEnum):
    """Where a value comes from; an edit overrides an event when read."""

    EVENT = 0
    PERSON = 1


class EventRow(NamedTuple):
    """An event as it came. Time leads the key, so that new events go to the end of the table.

    `job` is that of the event; of an edit, the entity that is edited.
    """

    at: Annotated[int, KEY]
    digest: IdKey
    received_at: Annotated[int, ONCE]
    kind: Annotated[int, ONCE, SMALL]
    type: Annotated[int, ONCE, SMALL]
    job: Annotated[bytes | None, ONCE]
    run: Annotated[bytes | None, ONCE]
    payload: Annotated[bytes, ONCE, PACKED]


class Content(NamedTuple):
    """A facet's value, without the white space between tokens, under its digest."""

    digest: IdKey
    body: Annotated[bytes, ONCE, PACKED]


class DatasetRow(NamedTuple):
    """A dataset's name, and no more: when it was seen is kept with who used it.

    Many jobs share a dataset. A row that each of their events had to update would be waited for
    by every writer.
    """

    id: IdKey
    namespace_id: Annotated[bytes, ONCE]
    namespace: Annotated[str, ONCE]
    name: Annotated[str, ONCE]


class JobRow(NamedTuple):
    id: IdKey
    namespace_id: Annotated[bytes, ONCE]
    namespace: Annotated[str, ONCE]
    name: Annotated[str, ONCE]
    first_seen: FirstTime = None
    last_seen: LastTime = None
    parent: Annotated[bytes | None, LATEST] = None
    parent_at: Stamp = None


class RunRow(NamedTuple):
    """A run; its name is kept only where the id is no UUID."""

    id: IdKey
    name: Annotated[str | None, ONCE] = None
    job: Annotated[bytes | None, LATEST] = None
    job_at: Stamp = None
    parent_run: Annotated[bytes | None, LATEST] = None
    parent_job: Annotated[bytes | None, LATEST] = None
    root_run: Annotated[bytes | None, LATEST] = None
    root_job: Annotated[bytes | None, LATEST] = None
    parent_at: Stamp = None
    first_event: FirstTime = None
    last_event: LastTime = None
    first_start: FirstTime = None
    last_start: LastTime = None
    first_running: FirstTime = None
    last_running: LastTime = None
    first_datasets: FirstTime = None
    terminal: Annotated[int | None, LATEST, SMALL] = None
    terminal_at: Stamp = None
    nominal_start: Annotated[int | None, LATEST] = None
    nominal_end: Annotated[int | None, LATEST] = None
    nominal_at: Stamp = None
    code: Digest = None
    code_at: Stamp = None
    sql: Digest = None
    sql_at: Stamp = None


class RunDataset(NamedTuple):
    """What a run read or wrote, and how it described it: the history of the graph."""

    run: IdKey
    dataset: IdKey
    direction: SmallKey
    first_seen: FirstTime = None
    last_seen: LastTime = None
    schema: Digest = None
    schema_at: Stamp = None
    columns: Digest = None
    columns_at: Stamp = None
    version: Digest = None
    version_at: Stamp = None
    statistics: Digest = None
    statistics_at: Stamp = None


class JobDataset(NamedTuple):
    """The same by job over all its runs: the graph as it is now, however long the history.

    One row for each way the dataset was described, UNREPORTED if it was not: so that what changes
    within a run that lasts for weeks is history as well.
    """

    job: IdKey
    dataset: IdKey
    direction: SmallKey
    schema: IdKey
    columns: IdKey
    first_seen: FirstTime = None
    last_seen: LastTime = None


class DeclaredDataset(NamedTuple):
    """What a design-time event declares that a job uses, or how a dataset is (no job, ITSELF)."""

    author: IdKey
    job: IdKey
    dataset: IdKey
    direction: SmallKey
    schema: IdKey
    columns: IdKey
    first_said: FirstTime = None
    last_said: LastTime = None


class Declaration(NamedTuple):
    """When an author declared a job: a declared dataset older than that is withdrawn by then."""

    author: IdKey
    job: IdKey
    said_at: Annotated[int, KEY]


class FacetRow(NamedTuple):
    """The newest facet of a name. Owners, tags and descriptions are stored by author."""

    owner: IdKey
    slot: SmallKey
    name: Annotated[str, KEY]
    author: IdKey
    digest: Digest = None
    digest_at: Stamp = None


class Sample(NamedTuple):
    """A run's counters, cumulative, as of the last event of a minute."""

    run: IdKey
    dataset: IdKey
    direction: SmallKey
    minute: Annotated[int, KEY]
    rows: Annotated[int | None, LATEST] = None
    bytes: Annotated[int | None, LATEST] = None
    files: Annotated[int | None, LATEST] = None
    lag: Annotated[int | None, LATEST] = None
    counted_at: Stamp = None


class Alias(NamedTuple):
    """Another name of a dataset, by a symlink or an edit."""

    dataset: IdKey
    other: IdKey
    voice: SmallKey
    joined: Annotated[int | None, LATEST, SMALL] = None
    joined_at: Stamp = None


class Lifecycle(NamedTuple):
    """A mark on a dataset's timeline; `previous` is the dataset a RENAME took over from."""

    dataset: IdKey
    at: Annotated[int, KEY]
    change: Annotated[str, KEY]
    previous: IdKey


class Named(NamedTuple):
    """A namespace, source or tag that an edit names; others are known by what is in them."""

    kind: SmallKey
    name: Annotated[str, KEY]
    first_said: FirstTime = None
    last_said: LastTime = None


class Hidden(NamedTuple):
    """When a user deleted an entity or restored it; a later event shows it again."""

    entity: IdKey
    at: Annotated[int, KEY]
    is_deleted: SmallKey


class EditValue(NamedTuple):
    """The edited value of one aspect of an entity or field; NO_CONTENT: it was removed."""

    entity: IdKey
    slot: IdKey
    field: Annotated[str, ONCE]
    aspect: Annotated[str, ONCE]
    digest: Digest = None
    digest_at: Stamp = None


class StreamRole(IntEnum):
    """A job by itself, or only a part of one; stored, so the numbers stay."""

    WHOLE = 0
    PART = 1


class StreamJob(NamedTuple):
    """A job that others are parts of, or a part: where the whole is known it alone is shown.

    Of a Spark application its streaming queries and their batches; of a consumer group (then
    `application` is the group) the jobs that read by it, and the group as its broker knows it.
    """

    job: IdKey
    application: IdKey
    role: SmallKey
    last_seen: LastTime = None


class ReportedGaps(NamedTuple):
    """What a run's producer did not understand; NO_CONTENT: it understood all.

    Content is a list of gaps. When a run reports another list, both are history.
    """

    job: IdKey
    run: IdKey
    gaps: IdKey
    first_seen: FirstTime = None
    last_seen: LastTime = None


class Rejected(NamedTuple):
    """An invalid event or body, and the reason."""

    digest: IdKey
    received_at: Annotated[int, ONCE]
    source: Annotated[str, ONCE]
    path: Annotated[str, ONCE]
    reason: Annotated[str, ONCE]
    size: Annotated[int, ONCE]
    payload: Annotated[bytes, ONCE, PACKED]


class RejectedPlace(NamedTuple):
    """Where an invalid event or body came from: equal ones may stand in several places."""

    digest: IdKey
    source: Annotated[str, KEY]
    received_at: Annotated[int, ONCE]


# In the order they are written: the same for every writer, so that none waits in a circle.
RELATIONS: dict[str, type[tuple[object, ...]]] = {
    "event": EventRow,
    "content": Content,
    "dataset": DatasetRow,
    "job": JobRow,
    "run": RunRow,
    "run_dataset": RunDataset,
    "job_dataset": JobDataset,
    "declared_dataset": DeclaredDataset,
    "declaration": Declaration,
    "facet": FacetRow,
    "sample": Sample,
    "alias": Alias,
    "lifecycle": Lifecycle,
    "named": Named,
    "hidden": Hidden,
    "edit_value": EditValue,
    "stream_job": StreamJob,
    "reported_gaps": ReportedGaps,
    "rejected": Rejected,
    "rejected_place": RejectedPlace,
}
