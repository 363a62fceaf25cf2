"""Reading runs; their state is derived from the times of their events."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    FromClause,
    and_,
    case,
    false,
    func,
    literal_column,
    or_,
    select,
)

from headwater.model.project.same_runs import SAME_RUN, read_same_run
from headwater.model.relations import Slot
from headwater.model.run_states import ENDS, NEW, RUNNING, state_of
from headwater.model.uses import NOW
from headwater.model.values.ids import is_uuid, run_key, run_name
from headwater.store import tables
from headwater.store.query.paging import Page, in_parts
from headwater.store.read.facets import read_facets


class RunRecord(NamedTuple):
    """A run as it stands: `state` and the times are derived from its facts."""

    key: bytes
    id: str
    job: bytes | None
    state: str
    created_at: int | None
    updated_at: int | None
    started_at: int | None
    ended_at: int | None
    nominal_start: int | None
    nominal_end: int | None
    parent_run: bytes | None
    code: bytes | None


class RunUse(NamedTuple):
    """A dataset a run read or wrote."""

    run: bytes
    direction: int
    namespace: str
    name: str
    dataset: bytes
    schema: bytes | None
    statistics: bytes | None


def find_run(connection: Connection, run_id: str) -> RunRecord | None:
    """Find a run by the id its producer gave it; an id several jobs used means the newest."""
    table = tables.run
    if is_uuid(run_id):
        query = select(table).where(table.c.id == run_key("", "", run_id))
    else:
        # NUL is in no name, and PostgreSQL does not even accept it.
        requested = table.c.name == run_id if "\0" not in run_id else false()
        newest = (table.c.first_event.is_(None), table.c.first_event.desc(), table.c.id.desc())
        query = select(table).where(requested).order_by(*newest)
    row = connection.execute(query.limit(1)).one_or_none()
    if row is None and is_uuid(run_id):
        joined = find_joined(connection, run_key("", "", run_id))
        return read_runs(connection, [joined]).get(joined) if joined is not None else None
    return None if row is None else make_run(row)


def find_joined(connection: Connection, reported: bytes) -> bytes | None:
    """The run that one reported by another id is joined with: that of the same job of Flink,
    or of the same call of dbt."""
    body = read_facets(connection, [reported], Slot.RUN).get(reported, {}).get(SAME_RUN)
    return read_same_run(body) if body is not None else None


def count_runs(connection: Connection, job: bytes) -> int:
    """Count a job's runs, in the index alone."""
    query = select(func.count()).select_from(tables.run).where(tables.run.c.job == job)
    return int(connection.execute(query).scalar() or 0)


def list_runs(connection: Connection, job: bytes, page: Page) -> list[RunRecord]:
    """List a job's runs, newest first; at the end those that only their children speak of."""
    table = tables.run
    runs = (
        select(table)
        .where(table.c.job == job)
        .order_by(table.c.first_event.desc(), table.c.id.desc())
    )
    # In two queries, because no index has the absent times last on both databases.
    with_events = runs.where(table.c.first_event.is_not(None))
    found = connection.execute(with_events.limit(page.limit).offset(page.offset)).all()
    if room := page.limit - len(found):
        count = select(func.count()).where(table.c.job == job, table.c.first_event.is_not(None))
        passed = max(0, page.offset - int(connection.execute(count).scalar() or 0))
        named = runs.where(table.c.first_event.is_(None)).limit(room).offset(passed)
        found = [*found, *connection.execute(named)]
    return [make_run(row) for row in found]


def find_run_before(connection: Connection, run: RunRecord) -> RunRecord | None:
    """The run of the same job that was reported last before another."""
    table = tables.run
    query = (
        select(table)
        .where(table.c.job == run.job, table.c.first_event < run.created_at)
        .order_by(table.c.first_event.desc(), table.c.id.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else make_run(row)


def find_run_after(connection: Connection, run: RunRecord) -> RunRecord | None:
    """The run of the same job whose first event came next after another's."""
    table = tables.run
    query = (
        select(table)
        .where(table.c.job == run.job, table.c.first_event > run.created_at)
        .order_by(table.c.first_event, table.c.id)
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else make_run(row)


def read_runs(connection: Connection, runs: Iterable[bytes]) -> dict[bytes, RunRecord]:
    """Read runs by key."""
    table = tables.run
    return {
        row.id: make_run(row)
        for part in in_parts(runs)
        for row in connection.execute(select(table).where(table.c.id.in_(part)))
    }


def list_run_uses(connection: Connection, runs: Iterable[bytes]) -> list[RunUse]:
    """List the datasets that runs used, as each run reported them."""
    use, dataset = tables.run_dataset, tables.dataset
    query = (
        select(
            use.c.run,
            use.c.direction,
            dataset.c.namespace,
            dataset.c.name,
            use.c.dataset,
            use.c.schema,
            use.c.statistics,
        )
        .join(dataset, dataset.c.id == use.c.dataset)
        .order_by(dataset.c.namespace, dataset.c.name)
    )
    return [
        RunUse(*row)
        for part in in_parts(runs)
        for row in connection.execute(query.where(use.c.run.in_(part)))
    ]


def make_run(row: Any, at: int = NOW) -> RunRecord:
    """A run as it stands, from its row."""
    state, ended_at = state_of(row, at)
    return RunRecord(
        key=row.id,
        id=run_name(row.id, row.name),
        job=row.job,
        state=state,
        created_at=row.first_event,
        updated_at=min(row.last_event, at) if row.last_event is not None else None,
        started_at=row.first_start if row.first_start is not None else row.first_event,
        ended_at=ended_at,
        nominal_start=row.nominal_start,
        nominal_end=row.nominal_end,
        parent_run=row.parent_run,
        code=row.code,
    )


def state_column(run: FromClause) -> ColumnElement[str]:
    """The state of a run as of now, in a query: the same as `state_of` of its row."""
    # A stamp is a time with a rank in its last three bits.
    ended_at = run.c.terminal_at.op(">>")(literal_column("3", BigInteger))
    is_restarted = func.coalesce(run.c.last_start > ended_at, false())
    ends = case({int(kind): name for kind, name in ENDS.items()}, value=run.c.terminal)
    has_run = or_(run.c.first_start.is_not(None), run.c.first_running.is_not(None))
    return case(
        (and_(run.c.terminal.is_not(None), ~is_restarted), ends),
        (has_run, RUNNING),
        else_=NEW,
    )
