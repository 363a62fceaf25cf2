"""Reading what health is judged by: the newest runs of jobs, and what they wrote.

Of each job only its newest runs are read, so that the cost does not grow with history.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    bindparam,
    func,
    literal_column,
    select,
)

from headwater.model import facets
from headwater.model.job_types import BATCH, read_job_type
from headwater.model.project.projection import NOBODY
from headwater.model.relations import Direction, Slot
from headwater.model.run_states import state_of
from headwater.model.systems import system_of_job
from headwater.model.values.ids import dataset_id, job_id, namespace_id
from headwater.store import tables
from headwater.store.lineage.newest_runs import join_newest_runs
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import BODIES, FIELDS, Readings
from headwater.store.read.job_types import join_job_type
from headwater.store.read.visibility.shown import DATASET_IS_LISTED, JOB_IS_LISTED

_MINUTES = 60
_MOST_CHARACTERS = 300


class PastRun(NamedTuple):
    """A run of a job; `attempted_at` is its last START, `is_beating` if it sent two RUNNING."""

    key: bytes
    name: str | None
    state: str
    started_at: int
    attempted_at: int
    ended_at: int | None
    last_event_at: int
    is_beating: bool


class JobPast(NamedTuple):
    """A job, its type and system, and its newest runs, newest first."""

    id: bytes
    namespace: str
    name: str
    type: str
    runs: list[PastRun]
    system: str = ""
    first_seen: int | None = None


class PastWrite(NamedTuple):
    """A run that named a dataset as its output; its counters as they were last."""

    job: bytes
    run: bytes
    state: str
    last_event_at: int
    is_beating: bool
    at: int
    rows: int | None
    bytes: int | None


class DatasetPast(NamedTuple):
    """A dataset that jobs write, when any last did, and the newest runs that say so."""

    id: bytes
    namespace: str
    name: str
    last_seen: int
    writes: list[PastWrite]


_RUN_COLUMNS = (
    *("id", "name", "job", "first_event", "last_event", "first_start", "last_start"),
    *("first_running", "last_running", "terminal", "terminal_at"),
)


class Judging(NamedTuple):
    """What is to be judged: all, what is in a namespace, one name in it; or some, by their ids."""

    namespace: str = ""
    name: str = ""
    ids: Sequence[bytes] | None = None

    def conditions(self, table: Table, id_of: Callable[[str, str], bytes]) -> list[Any]:
        if self.ids is not None:
            return [table.c.id.in_(list(self.ids))]
        if self.name:
            return [table.c.id == id_of(self.namespace, self.name)]
        within = table.c.namespace_id == namespace_id(self.namespace)
        return [within] if self.namespace else []


def read_jobs(connection: Connection, of: Judging, most: int) -> list[JobPast]:
    """Read jobs, each with so many of its newest runs."""
    job = tables.job
    conditions = [JOB_IS_LISTED, *of.conditions(job, job_id)]
    joined, its_type = join_job_type(job)
    query = select(job.c.id, job.c.namespace, job.c.name, its_type, job.c.first_seen)
    rows = connection.execute(query.select_from(joined).where(*conditions)).all()
    types = _TYPES.read(connection, (row[3] for row in rows))
    stated = FIELDS.read(connection, (row[3] for row in rows))
    runs = _read_runs(connection, conditions, most)
    return [
        JobPast(
            id,
            namespace,
            name,
            types.get(digest, BATCH),
            runs.get(id, []),
            system_of_job(stated.get(digest, {}).get("integration"), namespace),
            first_seen,
        )
        for id, namespace, name, digest, first_seen in rows
    ]


def _read_runs(
    connection: Connection, conditions: Iterable[ColumnElement[bool]], most: int
) -> dict[bytes, list[PastRun]]:
    """The newest runs of the jobs that meet conditions, newest first."""
    runs: defaultdict[bytes, list[PastRun]] = defaultdict(list)
    for row in connection.execute(_newest_runs(connection, most).where(*conditions)):
        runs[row.job].append(_past_run(row))
    return runs


def _newest_runs(connection: Connection, most: int) -> Select[Any]:
    joined, runs = join_newest_runs(
        connection, _RUN_COLUMNS, most, lambda run: run.c.first_event.is_not(None)
    )
    return (
        select(*(runs.c[name] for name in _RUN_COLUMNS))
        .select_from(joined)
        .order_by(runs.c.job, runs.c.first_event.desc(), runs.c.id.desc())
    )


def _past_run(row: Row[Any]) -> PastRun:
    state, ended_at = state_of(row)
    is_beating = row.first_running is not None and row.first_running < row.last_running
    return PastRun(
        row.id,
        row.name,
        state,
        row.first_event if row.first_start is None else row.first_start,
        row.first_event if row.last_start is None else row.last_start,
        ended_at,
        row.last_event,
        is_beating,
    )


def read_datasets(connection: Connection, of: Judging, most: int) -> list[DatasetPast]:
    """Read the datasets that jobs write, with each job's newest runs."""
    dataset, use, job = tables.dataset, tables.job_dataset, tables.job
    conditions = [
        DATASET_IS_LISTED,
        use.c.direction == int(Direction.OUTPUT),
        *of.conditions(dataset, dataset_id),
    ]
    written = dataset.join(use, use.c.dataset == dataset.c.id)
    names = (dataset.c.id, dataset.c.namespace, dataset.c.name)
    rows = connection.execute(
        select(*names, func.max(use.c.last_seen))
        .select_from(written.join(job, job.c.id == use.c.job))
        .where(*conditions, JOB_IS_LISTED)
        .group_by(*names)
    ).all()
    writers = select(use.c.job).select_from(written).where(*conditions)
    writes = _read_writes(connection, [JOB_IS_LISTED, job.c.id.in_(writers)], most)
    return [DatasetPast(*row, writes.get(row.id, [])) for row in rows]


def _read_writes(
    connection: Connection, conditions: Iterable[ColumnElement[bool]], most: int
) -> dict[bytes, list[PastWrite]]:
    runs = {
        run.key: (job, run.key, run.state, run.last_event_at, run.is_beating)
        for job, some in _read_runs(connection, conditions, most).items()
        for run in some
    }
    writes: defaultdict[bytes, list[PastWrite]] = defaultdict(list)
    for run, dataset, *values in _OUTPUTS.rows(connection, runs):
        writes[dataset].append(PastWrite(*runs[run], *values))
    return writes


def _is_of_use() -> ColumnElement[bool]:
    """A sample of the same run, dataset and direction."""
    use, sample = tables.run_dataset, tables.sample
    return and_(*(sample.c[name] == use.c[name] for name in ("run", "dataset", "direction")))


def _outputs(is_among: IsAmong) -> Any:
    """What runs wrote and when they last reported it, with their last counters."""
    use, sample = tables.run_dataset, tables.sample
    counters = (
        select(column)
        .where(_is_of_use())
        .order_by(sample.c.minute.desc())
        .limit(1)
        .correlate(use)
        .scalar_subquery()
        for column in (sample.c.rows, sample.c.bytes)
    )
    return select(use.c.run, use.c.dataset, use.c.last_seen, *counters).where(
        is_among(use.c.run), use.c.direction == int(Direction.OUTPUT)
    )


def _hours(is_among: IsAmong) -> Any:
    """Counters only grow, so the highest of an hour are those at its end."""
    use, sample = tables.run_dataset, tables.sample
    hour = sample.c.minute // literal_column(str(_MINUTES), BigInteger)
    return (
        select(use.c.run, use.c.dataset, hour, func.max(sample.c.rows), func.max(sample.c.bytes))
        .select_from(use.join(sample, _is_of_use()))
        .where(
            is_among(use.c.run),
            use.c.direction == int(Direction.OUTPUT),
            sample.c.minute >= bindparam("since", type_=BigInteger),
        )
        .group_by(use.c.run, use.c.dataset, hour)
    )


_OUTPUTS = Prepared(_outputs)
_HOURS = Prepared(_hours)

Hours = dict[int, tuple[int | None, int | None]]


def read_hours(
    connection: Connection, runs: Iterable[bytes], since: int
) -> dict[tuple[bytes, bytes], Hours]:
    """Read the rows and bytes that runs had written by the end of each hour, from an hour on.

    By run and dataset; hours are counted from 1970.
    """
    found: defaultdict[tuple[bytes, bytes], Hours] = defaultdict(dict)
    rows = _HOURS.rows(connection, runs, since=since * _MINUTES)
    for run, dataset, hour, *counters in rows:
        found[run, dataset][hour] = tuple(counters)
    return found


def read_error_messages(connection: Connection, runs: Iterable[bytes]) -> dict[bytes, str]:
    """Read the first line of what runs say went wrong, of those that do."""
    rows = _ERRORS.rows(connection, runs)
    bodies = BODIES.read(connection, (digest for _, digest in rows))
    messages = {run: _message(bodies[digest]) for run, digest in rows if digest in bodies}
    return {run: message for run, message in messages.items() if message}


def read_deleted(connection: Connection, runs: Iterable[bytes]) -> set[bytes]:
    """Those of some ended runs whose connector was deleted, as the last event of the run has it:
    from inside of its cluster, or from outside."""
    requested = list(runs)
    rows = [row for facets in _CONNECTORS for row in facets.rows(connection, requested)]
    stated = FIELDS.read(connection, (digest for _, digest in rows))
    return {run for run, digest in rows if stated.get(digest, {}).get("reason") == "deleted"}


def _facets_of_runs(name: str) -> Prepared:
    return Prepared(
        lambda is_among: select(tables.facet.c.owner, tables.facet.c.digest).where(
            is_among(tables.facet.c.owner),
            tables.facet.c.slot == int(Slot.RUN),
            tables.facet.c.name == name,
            tables.facet.c.author == NOBODY,
        )
    )


_ERRORS = _facets_of_runs("errorMessage")
_CONNECTORS = (_facets_of_runs("kafka_connect"), _facets_of_runs("kafka_connect_rest"))


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words where it has any."""
    if len(text) <= most:
        return text
    start = text[: most - 1]
    # One more character tells whether the last word is whole.
    words, _, _ = text[:most].rpartition(" ")
    return f"{(words if len(words) * 2 > most else start).rstrip()}…"


class _ErrorMessage(msgspec.Struct):
    message: Any = None


_ERROR_MESSAGE = facets.decoder(_ErrorMessage)


def _message(body: bytes) -> str:
    found: _ErrorMessage | None = facets.read(_ERROR_MESSAGE, body)
    lines = str(found.message).strip().splitlines() if found and found.message else []
    return shorten(lines[0], _MOST_CHARACTERS) if lines else ""


_TYPES: Readings[str] = Readings(read_job_type, 1_000_000)
