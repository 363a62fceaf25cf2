"""The store as a walk reads it: the `Reader` of `headwater.graph` over one connection."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    Connection,
    bindparam,
    func,
    literal,
    or_,
    select,
    union_all,
)

from headwater.model.column_map import ColumnMap
from headwater.model.gaps import Gaps
from headwater.model.relations import Alias, Authority, Direction, Joined, StreamRole
from headwater.model.run_states import state_of
from headwater.model.uses import (
    Execution,
    GapReport,
    Mark,
    Name,
    RunAt,
    StatedInputs,
    Succession,
    Uses,
)
from headwater.model.values.ids import NO_CONTENT, dataset_id
from headwater.store import tables
from headwater.store.lineage import executions, gaps, stated_inputs, uses
from headwater.store.lineage.cluster_names import clusters_of
from headwater.store.lineage.newest_runs import (
    NewestRun,
    read_first_run,
    read_last_stated,
    read_newest_runs,
    read_runs_at,
)
from headwater.store.query.prepared import IsAmong, Prepared
from headwater.store.read.content_cache import COLUMN_MAPS, COLUMN_TYPES
from headwater.store.read.datasets import read_lifecycles
from headwater.store.read.visibility.deletions import read_last_changes
from headwater.store.read.visibility.last_seen import was_seen
from headwater.store.read.visibility.shown import JOB_IS_PART_OF_STREAM

_AT = bindparam("at", type_=BigInteger)
_USED = (Direction.INPUT, Direction.OUTPUT)


def _aliases(is_among: IsAmong) -> Any:
    alias = tables.alias
    return select(*(alias.c[name] for name in Alias._fields)).where(
        or_(is_among(alias.c.dataset), is_among(alias.c.other))
    )


def _first_used(is_among: IsAmong) -> Any:
    use = tables.job_dataset
    return (
        select(use.c.dataset, func.min(use.c.first_seen))
        .where(is_among(use.c.dataset), use.c.direction != int(Direction.ITSELF))
        .group_by(use.c.dataset)
    )


_ALIASES = Prepared(_aliases)
_FIRST_USED = Prepared(_first_used)
_DATASET_NAMES = Prepared(
    lambda is_among: select(
        tables.dataset.c.id, tables.dataset.c.namespace, tables.dataset.c.name
    ).where(is_among(tables.dataset.c.id))
)
_JOB_NAMES = Prepared(
    lambda is_among: select(tables.job.c.id, tables.job.c.namespace, tables.job.c.name).where(
        is_among(tables.job.c.id)
    )
)
_UNSEEN_JOBS = Prepared(
    lambda is_among: select(tables.job.c.id).where(
        is_among(tables.job.c.id),
        or_(tables.job.c.first_seen.is_(None), tables.job.c.first_seen > _AT),
    )
)
_PARTS_OF_STREAMS = Prepared(
    lambda is_among: select(tables.job.c.id).where(is_among(tables.job.c.id), JOB_IS_PART_OF_STREAM)
)
_PARENTS = Prepared(
    lambda is_among: select(tables.job.c.id, tables.job.c.parent).where(
        is_among(tables.job.c.id), tables.job.c.parent.is_not(None)
    )
)


# What a store has any of; built once, as every walk begins with it.
_PRESENT = union_all(
    *(
        select(literal(name)).where(select(1).where(condition).exists())
        for name, condition in (
            ("alias", tables.alias.c.dataset.is_not(None)),
            ("hidden", tables.hidden.c.entity.is_not(None)),
            ("stream", tables.stream_job.c.role == int(StreamRole.PART)),
            ("rename", tables.lifecycle.c.previous != NO_CONTENT),
            ("lifecycle", tables.lifecycle.c.dataset.is_not(None)),
            ("declared", tables.declared_dataset.c.dataset.is_not(None)),
            ("gaps", tables.reported_gaps.c.job.is_not(None)),
        )
    )
)


def _run_at(row: NewestRun, at: int) -> RunAt:
    state, ended_at = state_of(row, at)
    since = row.first_event if ended_at is None else ended_at
    return RunAt(row.id, row.first_event, state, since, row.code, row.sql)


class StoreReader:
    """Reads what walks ask for; what a store has none of is not requested again."""

    def __init__(self, connection: Connection, most_uses: int | None = None) -> None:
        self._connection = connection
        self._most_uses = most_uses
        present = connection.execute(_PRESENT).scalars()
        self._present = set(present)
        self._has_declared = "declared" in self._present
        self._clusters = clusters_of(connection)

    @property
    def hides(self) -> bool:
        return not self._present.isdisjoint(("hidden", "stream"))

    def uses_of_jobs(self, jobs: Iterable[bytes], at: int) -> Uses:
        return Uses._make(
            uses.read_uses(
                self._connection, "job", jobs, _USED, at, self._has_declared, self._most_uses
            )
        )

    def uses_of_datasets(
        self, datasets: Iterable[bytes], directions: Iterable[Direction], at: int
    ) -> Uses:
        read = uses.read_uses(
            self._connection,
            "dataset",
            datasets,
            directions,
            at,
            self._has_declared,
            self._most_uses,
        )
        return Uses._make(read)

    def stated_inputs(self, outputs: Iterable[bytes]) -> list[StatedInputs]:
        return stated_inputs.read_stated_inputs(self._connection, outputs)

    def executions(self, jobs: Iterable[bytes], at: int) -> dict[bytes, Execution]:
        return executions.read_executions(self._connection, jobs, at)

    def snapshot(self, execution: Execution, at: int) -> set[tuple[bytes, int]]:
        return executions.read_snapshot(self._connection, execution, at)

    def next_execution(self, execution: Execution, after: int) -> int | None:
        return executions.read_next_execution(self._connection, execution, after)

    def execution_maps(self, execution: Execution, dataset: bytes, at: int) -> set[bytes]:
        return executions.read_execution_maps(self._connection, execution, dataset, at)

    @property
    def has_gaps(self) -> bool:
        return "gaps" in self._present

    def gap_reports(self, jobs: Iterable[bytes], at: int) -> list[GapReport]:
        return gaps.read_gap_reports(self._connection, jobs, at) if self.has_gaps else []

    def gap_lists(self, digests: Iterable[bytes]) -> dict[bytes, Gaps]:
        return gaps.GAP_LISTS.read(self._connection, digests)

    def aliases(self, datasets: Iterable[bytes]) -> list[Alias]:
        requested = set(datasets)
        found = list(self._aliases_by_cluster(requested)) if self._clusters else []
        if "alias" in self._present:
            rows = _ALIASES.rows(self._connection, requested)
            found += [Alias._make(row) for row in rows]
        return found

    def _aliases_by_cluster(self, datasets: set[bytes]) -> Iterator[Alias]:
        """The other names that topics have by the names of their cluster, where they are known."""
        others = {
            dataset_id(*other): id
            for id, name in self.dataset_names(datasets).items()
            for other in self._clusters.others(*name)
        }
        for other in self.dataset_names(others):
            yield Alias(others[other], other, Authority.EVENT, Joined.TABLE)

    def first_used(self, datasets: Iterable[bytes]) -> dict[bytes, int]:
        return dict(_FIRST_USED.rows(self._connection, datasets))

    def successions(self, datasets: Iterable[bytes], at: int) -> list[Succession]:
        if "rename" not in self._present:
            return []
        return uses.read_successions(self._connection, datasets, at)

    def deletions(self, ids: Iterable[bytes], at: int) -> Mapping[bytes, tuple[int, bool]]:
        if "hidden" not in self._present:
            return {}
        return read_last_changes(self._connection, ids, at)

    def parts_of_streams(self, ids: Iterable[bytes]) -> set[bytes]:
        if "stream" not in self._present:
            return set()
        return {row[0] for row in _PARTS_OF_STREAMS.rows(self._connection, ids)}

    def is_seen(self, id: bytes, since: int, at: int) -> bool:
        return was_seen(self._connection, id, since, at)

    def dataset_names(self, datasets: Iterable[bytes]) -> dict[bytes, Name]:
        rows = _DATASET_NAMES.rows(self._connection, datasets)
        return {id: Name(namespace, name) for id, namespace, name in rows}

    def job_names(self, jobs: Iterable[bytes]) -> dict[bytes, Name]:
        rows = _JOB_NAMES.rows(self._connection, jobs)
        return {id: Name(namespace, name) for id, namespace, name in rows}

    def parents(self, jobs: Iterable[bytes]) -> dict[bytes, bytes]:
        return dict(_PARENTS.rows(self._connection, jobs))

    def unseen_jobs(self, jobs: Iterable[bytes], at: int) -> set[bytes]:
        return {row[0] for row in _UNSEEN_JOBS.rows(self._connection, jobs, at=at)}

    def newest_runs(self, jobs: Iterable[bytes], at: int) -> dict[bytes, RunAt]:
        return {
            job: _run_at(row, at)
            for job, row in read_newest_runs(self._connection, jobs, at).items()
        }

    def first_run(
        self, job: bytes, after: int, at: int, code: bytes | None = None, sql: bytes | None = None
    ) -> RunAt | None:
        row = read_first_run(self._connection, job, after, at, code, sql)
        return None if row is None else _run_at(row, at)

    def last_stated(self, job: bytes, at: int, aspect: Literal["code", "sql"]) -> bytes | None:
        return read_last_stated(self._connection, job, at, aspect)

    def runs_at(self, at: int) -> list[tuple[bytes, bytes]]:
        return read_runs_at(self._connection, at)

    def lifecycles(self, datasets: Iterable[bytes], at: int) -> dict[bytes, Mark]:
        if "lifecycle" not in self._present:
            return {}
        return read_lifecycles(self._connection, datasets, at)

    def column_types(self, digests: Iterable[bytes]) -> dict[bytes, dict[str, str]]:
        return COLUMN_TYPES.read(self._connection, digests)

    def column_maps(self, digests: Iterable[bytes]) -> dict[bytes, ColumnMap]:
        return COLUMN_MAPS.read(self._connection, digests)
