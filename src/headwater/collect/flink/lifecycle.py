"""The states of a Flink job, and the events that report its changes."""

from enum import Enum

# The state that is noted of a job that its cluster no longer knows.
GONE = "GONE"
NOT_RUNNING_YET = ("INITIALIZING", "CREATED")


class JobStep(Enum):
    """A change that is reported: the type of its event, and the reason in it."""

    STARTED = ("START", "started")
    FOUND_AGAIN = ("START", "found again")
    COUNTED = ("RUNNING", "counted")
    DESCRIBED = ("RUNNING", "described otherwise")
    CHANGED = ("RUNNING", "another state")
    HEARTBEAT = ("RUNNING", "heartbeat")
    SUSPENDED = ("OTHER", "suspended")
    FINISHED = ("COMPLETE", "finished")
    FAILED = ("FAIL", "failed")
    CANCELED = ("ABORT", "canceled")
    GONE = ("ABORT", "gone")

    @property
    def event_type(self) -> str:
        return self.value[0]

    @property
    def reason(self) -> str:
        return self.value[1]


_ENDS = {"FINISHED": JobStep.FINISHED, "FAILED": JobStep.FAILED, "CANCELED": JobStep.CANCELED}


def is_over(state: str) -> bool:
    """Whether a job of this state has ended for good."""
    return state in _ENDS


def end_of(state: str) -> JobStep | None:
    return _ENDS.get(state)


def change_of(before: str, after: str) -> JobStep | None:
    """The step that a change of state is, where it has not ended."""
    if before == after:
        return None
    if after == "SUSPENDED":
        return JobStep.SUSPENDED
    return JobStep.FOUND_AGAIN if before == GONE else JobStep.CHANGED
