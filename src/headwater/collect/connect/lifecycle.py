"""The condition of a connector, and the events that report its changes: as the plugin inside a
worker decides them (`Condition` and `Step` there)."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

Json = Mapping[str, Any]


class ConnectorStep(Enum):
    """A change that is reported: the type of its event, and the reason in it."""

    STARTED = ("START", "started")
    RECORDS = ("RUNNING", "records")
    HEARTBEAT = ("RUNNING", "heartbeat")
    PAUSED = ("OTHER", "paused")
    RESUMED = ("OTHER", "resumed")
    FAILED = ("FAIL", "failed")
    STOPPED = ("ABORT", "stopped")
    DELETED = ("ABORT", "deleted")
    # The run had ended before, with a state that remains.
    DELETED_AFTER_END = ("OTHER", "deleted")
    RECONFIGURED = ("COMPLETE", "reconfigured")

    @property
    def event_type(self) -> str:
        return self.value[0]

    @property
    def reason(self) -> str:
        return self.value[1]


class Condition(Enum):
    ABSENT = "absent"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def is_alive(self) -> bool:
        """Whether the run continues."""
        return self in (Condition.RUNNING, Condition.PAUSED)


def condition_of(status: Json) -> Condition | None:
    """The condition of a connector and its tasks; None while it changes from one to another."""
    state = str(status["connector"].get("state", ""))
    if state == "STOPPED":
        return Condition.STOPPED
    if find_failures(status):
        return Condition.FAILED
    return {"RUNNING": Condition.RUNNING, "PAUSED": Condition.PAUSED}.get(state)


def find_failures(status: Json) -> dict[str, str]:
    """The traces of the connector and of its tasks that have failed, by who has."""
    found = {}
    if status["connector"].get("state") == "FAILED":
        found["connector"] = str(status["connector"].get("trace") or "")
    for task in status.get("tasks") or []:
        if task.get("state") == "FAILED":
            found[f"task {task.get('id')}"] = str(task.get("trace") or "")
    return found


def steps_between(before: Condition, after: Condition) -> list[ConnectorStep]:
    """The events that lead from one condition to another."""
    if before == after:
        return []
    if after is Condition.RUNNING:
        return [ConnectorStep.RESUMED if before is Condition.PAUSED else ConnectorStep.STARTED]
    if after is Condition.PAUSED:
        return (
            [ConnectorStep.PAUSED]
            if before is Condition.RUNNING
            else [ConnectorStep.STARTED, ConnectorStep.PAUSED]
        )
    if after is Condition.FAILED:
        return (
            [ConnectorStep.FAILED]
            if before.is_alive
            else [ConnectorStep.STARTED, ConnectorStep.FAILED]
        )
    if after is Condition.STOPPED:
        return [ConnectorStep.STOPPED] if before.is_alive else []
    return [ConnectorStep.DELETED if before.is_alive else ConnectorStep.DELETED_AFTER_END]
