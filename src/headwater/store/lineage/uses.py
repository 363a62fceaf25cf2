"""Reading who uses what as of a time: the rows that walks are made of."""

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, get_args

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    SmallInteger,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from headwater.emit.spec import INFERRING_AUTHOR
from headwater.model.relations import Direction
from headwater.model.uses import Evidence, Succession, Use
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store import tables
from headwater.store.query.prepared import IsAmong, Prepared

By = Literal["job", "dataset"]

_AT = bindparam("at", type_=BigInteger)
_MOST = bindparam("most", type_=BigInteger)
_LOWEST = bindparam("lowest", type_=SmallInteger)
_HIGHEST = bindparam("highest", type_=SmallInteger)
_ONE = bindparam("one", type_=LargeBinary)

# Rows for a thousand nodes: where there are more, each node gets its share.
MOST_USES = 50_000
# Runs of a job whose reports are read, of those that had begun by then the newest.
RUNS_READ = 8


def _up_to(time: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((time < _AT, time), else_=_AT)


def _reported_at() -> ColumnElement[Any]:
    """When a job's use was last observed, up to the time requested.

    If it was seen later as well, the runs of then decide: the interval from first to last seen may
    have gaps in which the job used something else. Mostly the newest of them knows.
    """
    use = tables.job_dataset
    reported_by_runs = func.coalesce(
        _reported_by_runs(1), _reported_by_runs(RUNS_READ), use.c.first_seen
    )
    return case((use.c.last_seen <= _AT, use.c.last_seen), else_=reported_by_runs)


def _reported_by_runs(most: int) -> ColumnElement[Any]:
    """When the newest runs by then reported a use last.

    A run is known by its last word alone; where nobody had reported that by then, it had
    reported something older, such as this.
    """
    use, observed, known = tables.job_dataset, tables.run_dataset, tables.job_dataset.alias("known")
    run = tables.run.alias("began")
    newest = (
        select(run.c.id)
        .where(run.c.job == use.c.job, run.c.first_event <= _AT)
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(most)
        .correlate(use)
        .subquery("newest")
    )
    schema, columns = (
        func.coalesce(observed.c[name], UNREPORTED) for name in ("schema", "columns")
    )
    is_known = (
        select(1)
        .where(
            known.c.job == use.c.job,
            known.c.dataset == use.c.dataset,
            known.c.direction == use.c.direction,
            known.c.schema == schema,
            known.c.columns == columns,
            known.c.first_seen <= _AT,
        )
        .correlate(use, observed)
        .exists()
    )
    is_the_same = and_(
        or_(use.c.schema == UNREPORTED, schema == use.c.schema),
        or_(use.c.columns == UNREPORTED, columns == use.c.columns),
    )
    return (
        select(func.max(_up_to(observed.c.last_seen)))
        .select_from(newest.join(observed, observed.c.run == newest.c.id))
        .where(
            observed.c.dataset == use.c.dataset,
            observed.c.direction == use.c.direction,
            observed.c.first_seen <= _AT,
            or_(is_the_same, ~is_known),
        )
        .correlate(use)
        .scalar_subquery()
    )


def _observed() -> Select[Any]:
    use = tables.job_dataset
    described = (use.c.schema, use.c.columns, use.c.first_seen)
    return select(
        use.c.job,
        use.c.dataset,
        use.c.direction,
        *described,
        _reported_at().label("reported_at"),
        literal_column(str(int(Evidence.OBSERVED))).label("word"),
    ).where(use.c.first_seen <= _AT)


def _declared() -> Select[Any]:
    """What authors say; it is taken back by their next word on the job that leaves it out."""
    declared, declarations = tables.declared_dataset, tables.declaration
    reported_at = _up_to(declared.c.last_said)
    newest = (
        select(func.max(declarations.c.said_at))
        .where(
            declarations.c.author == declared.c.author,
            declarations.c.job == declared.c.job,
            declarations.c.said_at <= _AT,
        )
        .correlate(declared)
        .scalar_subquery()
    )
    return select(
        declared.c.job,
        declared.c.dataset,
        declared.c.direction,
        declared.c.schema,
        declared.c.columns,
        declared.c.first_said,
        reported_at.label("reported_at"),
        case(
            (reported_at < newest, literal_column(str(int(Evidence.TAKEN_BACK)))),
            (
                declared.c.author == INFERRING_AUTHOR,
                literal_column(str(int(Evidence.INFERRED))),
            ),
            else_=literal_column(str(int(Evidence.DECLARED))),
        ).label("word"),
    ).where(declared.c.first_said <= _AT)


def _uses_by(column: By, has_declared: bool, is_among: IsAmong) -> Any:
    use, declared = tables.job_dataset, tables.declared_dataset
    parts = [
        _observed().where(is_among(use.c[column]), use.c.direction.between(_LOWEST, _HIGHEST)),
        _declared().where(
            is_among(declared.c[column]), declared.c.direction.between(_LOWEST, _HIGHEST)
        ),
    ]
    return union_all(*parts[: 2 if has_declared else 1]).limit(_MOST)


# By what is requested, and whether anything is declared at all: most stores hold only runs.
_USES: dict[tuple[By, bool], Prepared] = {
    (by, has_declared): Prepared(partial(_uses_by, by, has_declared))
    for by in get_args(By)
    for has_declared in (False, True)
}


def _uses_between(by: By, is_among: IsAmong) -> Any:
    """Uses of one job or dataset, and some of the others: what all of them use may be a lot."""
    use, declared = tables.job_dataset, tables.declared_dataset
    other = "dataset" if by == "job" else "job"
    return union_all(
        *(
            stated.where(
                table.c[by] == _ONE, is_among(table.c[other]), table.c.direction == _LOWEST
            )
            for table, stated in ((use, _observed()), (declared, _declared()))
        )
    )


_BETWEEN: dict[By, Prepared] = {by: Prepared(partial(_uses_between, by)) for by in get_args(By)}

Counts = dict[tuple[bytes, int], int]

_AT_ONCE = 1_024
_NO_LIMIT = 2**62


def read_uses(
    connection: Connection,
    by: By,
    ids: Iterable[bytes],
    directions: Iterable[Direction],
    at: int,
    has_declared: bool = True,
    most: int | None = None,
) -> tuple[list[Use], Counts]:
    """Read what jobs use, or who uses datasets, and count what is too much for one answer."""
    most = MOST_USES if most is None else most
    requested, ways = sorted(set(ids)), sorted(directions)
    found: list[tuple[Any, ...]] = []
    left_out: Counts = {}
    query = _USES[by, has_declared]
    limits = {"lowest": ways[0], "highest": ways[-1], "most": most + 1}
    for start in range(0, len(requested), _AT_ONCE):
        part = requested[start : start + _AT_ONCE]
        rows = query.rows(connection, part, at=at, **limits)
        if len(rows) > most:
            # Let go of first: as much again comes.
            rows = []
            for way in ways:
                rows += _read_fairly(connection, by, part, way, at, left_out, most)
        found += rows
    return [Use._make(row) for row in found], left_out


def _read_fairly(
    connection: Connection,
    by: By,
    ids: list[bytes],
    way: Direction,
    at: int,
    left_out: Counts,
    most: int,
) -> list[tuple[Any, ...]]:
    """The same with as many others for each, so that one with a million does not starve the rest.

    Each of the others comes with all its rows: the newest tells whether it still counts.
    """
    rows: list[tuple[Any, ...]] = []
    fair = max(1, most // len(ids))
    limits = {"lowest": way, "highest": way, "most": _NO_LIMIT}
    use = tables.job_dataset
    other = use.c.job if by == "dataset" else use.c.dataset
    for id in ids:
        among = (use.c[by] == id, use.c.direction == int(way), use.c.first_seen <= at)
        others = connection.execute(select(other).where(*among).distinct().limit(fair + 1))
        chosen = sorted(others.scalars())
        if len(chosen) <= fair:
            rows += _USES[by, True].rows(connection, [id], at=at, **limits)
            continue
        rows += _BETWEEN[by].rows(connection, chosen[:fair], one=id, at=at, lowest=way)
        count = connection.execute(select(func.count(other.distinct())).where(*among)).scalar()
        left_out[id, way] = int(count or 0) - fair
    return rows


def _successions(is_among: IsAmong) -> Any:
    mark = tables.lifecycle
    return select(mark.c.previous, mark.c.dataset, mark.c.at).where(
        mark.c.change == "RENAME",
        mark.c.previous != NO_CONTENT,
        mark.c.at <= _AT,
        or_(is_among(mark.c.dataset), is_among(mark.c.previous)),
    )


_SUCCESSIONS = Prepared(_successions)


def read_successions(
    connection: Connection, datasets: Iterable[bytes], at: int
) -> list[Succession]:
    """Read the renames that datasets came from or ended in by a time."""
    rows = _SUCCESSIONS.rows(connection, datasets, at=at)
    return [Succession._make(row) for row in sorted(set(rows))]
