"""The state of a run: derived from the times of its events whenever it is read, never stored."""

from typing import Protocol

from headwater.model.event import EventType
from headwater.model.uses import NOW
from headwater.model.values.stamp import time_of

NEW = "NEW"
RUNNING = "RUNNING"
COMPLETED = "COMPLETED"
FAILED = "FAILED"
ABORTED = "ABORTED"

# By the event that ends a run.
ENDS = {EventType.COMPLETE: COMPLETED, EventType.FAIL: FAILED, EventType.ABORT: ABORTED}
RUN_STATES = (NEW, RUNNING, *ENDS.values())


class RunTimes(Protocol):
    """What a state is derived from: the columns of a run's row."""

    @property
    def first_start(self) -> int | None: ...
    @property
    def last_start(self) -> int | None: ...
    @property
    def first_running(self) -> int | None: ...
    @property
    def terminal(self) -> int | None: ...
    @property
    def terminal_at(self) -> int | None: ...


def state_of(run: RunTimes, at: int = NOW) -> tuple[str, int | None]:
    """The last terminal event's, unless a START is later: then the run was started again.

    As of a time, what is later takes no part; of several ends and starts only the last are known.
    `store/read/runs.state_column` is the same rule, as of now, for queries.
    """
    if run.terminal is not None and run.terminal_at is not None:
        ended_at = time_of(run.terminal_at)
        is_restarted = run.last_start is not None and ended_at < run.last_start <= at
        if ended_at <= at and not is_restarted:
            return ENDS[EventType(run.terminal)], ended_at
    has_run = run.first_start is not None and run.first_start <= at
    has_run = has_run or (run.first_running is not None and run.first_running <= at)
    return (RUNNING if has_run else NEW), None
