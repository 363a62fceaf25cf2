"""What runs by itself: a section of the settings with its schedule, and an entry's own settings."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, field_validator

from headwater.config import Section
from headwater.durations import parse_duration
from headwater.errors import BadConfig
from headwater.plugins import Registry


class ScheduleSettings(Section):
    """When an entry runs; the other keys of its section are the entry's own."""

    type: str = Field(default="", description="The entry; by default that of the name.")
    every: str = Field(default="1m", description="How often to look.")
    max_pass: str = Field(default="5m", description="How long one pass may take.")
    is_on: bool = Field(default=True, description="Whether it runs.")

    @field_validator("every", "max_pass")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value


class ReadSection(NamedTuple):
    """A section that was read; spans in seconds."""

    type: str
    every: float
    max_pass: float
    settings: Section
    is_on: bool


def read_section(
    registry: Registry, root: str, name: str, values: Mapping[str, Any], **defaults: str
) -> ReadSection:
    """Read the section `[ROOT.NAME]` of an entry; raises BadConfig with the place."""
    place, section = f"{root}.{name}", dict(values)
    scheduling = {key: section.pop(key) for key in ScheduleSettings.model_fields if key in section}
    schedule = _validated(place, ScheduleSettings, defaults | scheduling, ())
    kind = schedule.type or name
    if kind not in registry.names():
        known = ", ".join(registry.names())
        raise BadConfig(f"{place}.type", f"no {registry.kind} '{kind}'; there are {known}")
    settings_class: type[Section] = registry.load(kind).settings_class
    settings = _validated(place, settings_class, section, ScheduleSettings.model_fields)
    return ReadSection(
        kind,
        parse_duration(schedule.every).total_seconds(),
        parse_duration(schedule.max_pass).total_seconds(),
        settings,
        schedule.is_on,
    )


def _validated(
    place: str, settings_class: type[Any], values: dict[str, Any], others: Sequence[str] | Any
) -> Any:
    known = [*settings_class.model_fields, *others]
    for key in values:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"
            raise BadConfig(f"{place}.{key}", f"no such setting{hint}")
    try:
        return settings_class.model_validate(values)
    except ValidationError as error:
        raise BadConfig(*_first_problem(place, error)) from None


def _first_problem(place: str, error: ValidationError) -> Iterator[str]:
    first = error.errors()[0]
    yield ".".join((place, *map(str, first["loc"])))
    yield first["msg"].removeprefix("Value error, ")
