"""Runs the collectors of the settings in this server, one server at a time for each."""

from collections.abc import Sequence

from headwater.collect.plans import CollectorPlan
from headwater.collect.schedule import PassResult, ScheduledPlan, Scheduler
from headwater.leases import LEASE_SECONDS, make_holder
from headwater.model.intake import take_in
from headwater.model.values.instant import SECOND, now
from headwater.store.collectors import (
    COLLECTORS,
    PassTable,
    note_ended,
    note_started,
    read_collector,
    release_lease,
    take_lease,
)
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.write.acceptance import store_intakes
from headwater.store.write.group_commit import GroupCommit

_SOURCE = "collector"


class StoreBoard:
    """Notes in the store who runs a collector, or what else a table is of, and what came of it."""

    def __init__(self, engine: Engine, table: PassTable = COLLECTORS) -> None:
        self._engine = engine
        self._table = table
        self._holder = make_holder()

    def take_lease(self, plan: ScheduledPlan) -> bool:
        at = now()
        until = at + int(LEASE_SECONDS * SECOND)
        with answering(), self._engine.begin() as connection:
            own = (plan.name, plan.type, int(plan.every), self._holder)
            return take_lease(connection, *own, at, until, self._table)

    def is_requested(self, plan: ScheduledPlan) -> bool:
        with answering(), self._engine.connect() as connection:
            return read_collector(connection, plan.name, self._table).is_requested

    def started(self, plan: ScheduledPlan) -> None:
        with answering(), self._engine.begin() as connection:
            note_started(connection, plan.name, now(), self._table)

    def ended(self, plan: ScheduledPlan, result: PassResult, next_at: int) -> None:
        problem = result.error or result.first_refusal
        with answering(), self._engine.begin() as connection:
            note_ended(
                connection,
                plan.name,
                now(),
                next_at,
                result.stored,
                result.refused,
                problem,
                result.is_failed,
                self._table,
            )

    def release(self, plan: ScheduledPlan) -> None:
        with answering(), self._engine.begin() as connection:
            release_lease(connection, plan.name, self._holder, now(), self._table)


class InProcessSink:
    """Stores what collectors find as if it had been sent: refused events are kept as rejected."""

    def __init__(self, commits: GroupCommit, max_ahead_seconds: int) -> None:
        self._commits = commits
        self._max_ahead = max_ahead_seconds * SECOND

    def send(self, events: Sequence[bytes]) -> list[str | None]:
        at = now()
        intakes = [take_in(event, at, self._max_ahead, _SOURCE) for event in events]
        stored = store_intakes(intakes, _SOURCE, self._commits.write)
        return [intake.error.message if intake.error else None for intake in stored]


def schedule_collectors(
    plans: Sequence[CollectorPlan],
    engine: Engine,
    commits: GroupCommit,
    max_ahead_seconds: int,
    destination: str,
) -> Scheduler:
    """A scheduler that stores in this process; `destination` names the store for positions."""
    sink = InProcessSink(commits, max_ahead_seconds)
    return Scheduler(plans, destination, sink.send, StoreBoard(engine))
