"""`publish openlineage`: every event, as it came, to another OpenLineage backend."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

from pydantic import Field, field_validator

from headwater.config import Section
from headwater.errors import BadConfig, BadSecret, Conflict
from headwater.plugins import CheckStep
from headwater.publish import PlannedChange, Published
from headwater.publish.openlineage.selection import RelayedEvents
from headwater.publish.openlineage.settings import TargetSettings
from headwater.publish.openlineage.target import EventTarget, open_target
from headwater.publish.relay import Relay
from headwater.publish.since import check_since, read_since
from headwater.store.engine import Engine

NAME = "openlineage"


class OpenLineageSettings(TargetSettings):
    batch: int = Field(
        default=1,
        ge=1,
        le=1_000,
        description="Events per request, for a backend with OpenLineage's batch endpoint "
        "(PATH/batch), such as Headwater: many times faster.",
    )
    name: str = Field(
        default="",
        max_length=200,
        description="Name of the target in `publish status`; its address unless set.",
        json_schema_extra={"metavar": "NAME"},
    )
    new_only: bool = Field(
        default=False,
        description="For a new target: leave out the events that are already stored.",
    )
    include: tuple[str, ...] = Field(
        default=(),
        description="Send only events of jobs (of datasets, where they have none) whose name, or "
        "NAMESPACE/NAME, matches; * and ? as in file names. Can be repeated.",
        json_schema_extra={"metavar": "PATTERN"},
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="Leave out events of jobs (of datasets, where they have none) whose name, or "
        "NAMESPACE/NAME, matches; datasets that other events name stay in them. Can be repeated.",
        json_schema_extra={"metavar": "PATTERN"},
    )

    since: str = Field(
        default="",
        description="Leave out events of before then: a time, or how long ago, such as 12h. They "
        "do not wait for the target any more.",
        json_schema_extra={"metavar": "TIME"},
    )

    @field_validator("since")
    @classmethod
    def _is_time(cls, value: str) -> str:
        return check_since(value)

    @property
    def selection(self) -> RelayedEvents:
        return RelayedEvents(self.include, self.exclude, self.rewrites)


class OpenLineagePublisher:
    """A new target first gets the events that are stored, in the order of their times, then every
    new one as it comes; edits are not OpenLineage events and stay.

    While the target is down, events wait. An event that it refuses is recorded with the reason
    and skipped (`headwater publish refused`). A target that is gone must be removed
    (`headwater publish remove`): events that wait for it are never pruned.
    """

    settings_class: ClassVar[type[Section]] = OpenLineageSettings

    def __init__(self, settings: OpenLineageSettings, engine: Engine) -> None:
        self._settings = settings
        self.name = settings.name or settings.to
        self._relay = Relay(engine, self.name, NAME, settings.address)

    def alone(self) -> AbstractContextManager[None]:
        return self._relay.alone()

    def check(self) -> list[CheckStep]:
        try:
            reader = self._relay.find()
        except Conflict as error:
            return [CheckStep("store", False, error.message, "choose another --name")]
        known = "registered" if reader else "not registered yet; the first publish does that"
        steps = [CheckStep("store", True, f"target {self.name} is {known}")]
        return steps + check_target(self._settings)

    def plan(self) -> Sequence[PlannedChange]:
        return self._relay.plan(self._settings.new_only)

    def publish(self) -> Iterator[Published]:
        with self._open() as target:
            given = self._settings
            since = read_since(given.since) if given.since else None
            choose = given.selection.choose
            yield from self._relay.run(target.send, given.new_only, choose, since)

    def _open(self) -> EventTarget:
        return open_target(self._settings, self._settings.batch)


def check_target(settings: TargetSettings) -> list[CheckStep]:
    """Open a target and try it."""
    try:
        with open_target(settings) as target:
            return target.check()
    except (BadSecret, BadConfig) as error:
        return [CheckStep("key", False, error.message, "set it where it is missing")]
