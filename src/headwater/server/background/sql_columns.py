"""Deriving the columns of jobs from their SQL, beside requests."""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from time import monotonic
from typing import Any

import msgspec

from headwater.answers.inferred.jobs import infer_columns
from headwater.answers.inferred.queries import infer_queries
from headwater.model.event import decode_event
from headwater.model.project import project
from headwater.model.values.instant import now
from headwater.server.background.periodic import Background
from headwater.store.engine import Connection, Engine
from headwater.store.stats.arrivals import ArrivalPosition, read_place, read_touched
from headwater.store.stats.column_evidence import (
    all_queries,
    all_sql_jobs,
    find_queries_near,
    find_sql_jobs_near,
)
from headwater.store.write.group_commit import GroupCommit

Json = dict[str, Any]
Infer = Callable[[Connection, Iterable[bytes], Callable[[], None]], Iterator[Json]]

log = logging.getLogger(__name__)

_EVERY = timedelta(seconds=10)
_FIRST_AFTER = timedelta(seconds=1)
# Of the time at most this part: deriving takes a core, which requests share.
_SHARE = 0.1
_AT_ONCE = 10
# More than this since the last pass: as cheap to look at all jobs with SQL.
_MANY = 20_000


class SqlColumns(Background):
    """Derives what is missing every few seconds, of the jobs that anything arrived for."""

    name = "deriving columns from SQL"

    def __init__(
        self,
        engine: Engine,
        commits: GroupCommit,
        every: timedelta = _EVERY,
        first_after: timedelta = _FIRST_AFTER,
    ) -> None:
        super().__init__(every, first_after)
        self._engine = engine
        self._commits = commits
        self._place: ArrivalPosition | None = None

    def work(self) -> None:
        with self._engine.connect() as connection:
            place = read_place(connection)
            touched = None
            if self._place and self._place.precedes(place):
                touched = read_touched(connection, self._place, _MANY)
            if touched is None:
                jobs, queries = all_sql_jobs(connection), all_queries(connection)
            else:
                jobs = find_sql_jobs_near(connection, *touched)
                queries = find_queries_near(connection, *touched)
        self._infer(infer_queries, queries)
        self._infer(infer_columns, jobs)
        # Only now: what was cut short is begun again.
        self._place = place

    def _infer(self, infer: Infer, ids: list[bytes]) -> None:
        left = iter(ids)
        while some := list(islice(left, _AT_ONCE)):
            started = monotonic()
            # A connection for each part, so that none keeps the store waiting.
            with self._engine.connect() as connection:
                events = list(infer(connection, some, self.check_stopping))
            for event in events:
                self._commits.write([project(decode_event(msgspec.json.encode(event)), now())])
            if events:
                log.info("derived the columns of %d jobs or queries from SQL", len(events))
            # Rest in proportion, so that requests have the rest of the time.
            self.pause((monotonic() - started) * (1 / _SHARE - 1))
