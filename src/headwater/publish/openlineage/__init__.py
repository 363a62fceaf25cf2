"""`publish openlineage`: every event, byte for byte, to another OpenLineage backend by HTTP."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

from pydantic import Field, field_validator

from headwater.config import Section, read_secret
from headwater.errors import BadSecret, Conflict
from headwater.plugins import CheckStep
from headwater.publish import PlannedChange, Published
from headwater.publish.openlineage.send import HttpTarget, check_url
from headwater.publish.relay import Relay
from headwater.store.engine import Engine

NAME = "openlineage"


class OpenLineageSettings(Section):
    to: str = Field(
        description="URL of the backend, such as http://marquez:5000.",
        json_schema_extra={"metavar": "URL"},
    )
    endpoint: str = Field(
        default="api/v1/lineage",
        min_length=1,
        description="Path below the URL that takes events.",
        json_schema_extra={"metavar": "PATH"},
    )
    api_key_env: str = Field(
        default="",
        description="Name of the environment variable that holds the backend's API key.",
        json_schema_extra={"metavar": "VARIABLE"},
    )
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
        description="Name of the target in `publish status`; its URL unless set.",
        json_schema_extra={"metavar": "NAME"},
    )
    new_only: bool = Field(
        default=False,
        description="For a new target: leave out the events that are already stored.",
    )

    @field_validator("to")
    @classmethod
    def _is_url(cls, value: str) -> str:
        return check_url(value)

    @property
    def address(self) -> str:
        return f"{self.to}/{self.endpoint.lstrip('/')}"


class OpenLineagePublisher:
    """A new target first gets the events that are stored, in the order of their times, then every
    new one as it comes; edits are not OpenLineage events and stay.

    While the backend is down, events wait. An event that it refuses is recorded with the reason
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
        variable = self._settings.api_key_env
        steps = [CheckStep("store", True, f"target {self.name} is {known}")]
        try:
            with self._open() as target:
                steps += target.check()
        except BadSecret as error:
            steps.append(CheckStep("key", False, error.message, f"set {variable}"))
        return steps

    def plan(self) -> Sequence[PlannedChange]:
        return self._relay.plan(self._settings.new_only)

    def publish(self) -> Iterator[Published]:
        with self._open() as target:
            yield from self._relay.run(target.send, self._settings.new_only)

    def _open(self) -> HttpTarget:
        variable = self._settings.api_key_env
        key = read_secret(variable) if variable else None
        if variable and key is None:
            raise BadSecret(f"{variable}, named by --api-key-env,", "is not set")
        return HttpTarget(self._settings.address, key, self._settings.batch)
