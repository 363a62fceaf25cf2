"""Collectors that run by themselves: the sections `[collect.NAME]` of the settings."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, field_validator

from headwater.collect import COLLECTORS, Collector
from headwater.config import Section
from headwater.durations import parse_duration
from headwater.errors import BadConfig, NotFound


class ScheduleSettings(Section):
    """When a collector runs; the other keys of its section are the collector's own."""

    type: str = Field(default="", description="The collector; by default that of the name.")
    every: str = Field(default="1m", description="How often to look.")
    max_pass: str = Field(default="5m", description="How long one pass may take.")
    is_on: bool = Field(default=True, description="Whether it runs.")

    @field_validator("every", "max_pass")
    @classmethod
    def _is_duration(cls, value: str) -> str:
        parse_duration(value)
        return value


class CollectorPlan(NamedTuple):
    """A collector with its settings, and when it runs; spans in seconds."""

    name: str
    type: str
    every: float
    max_pass: float
    settings: Section
    is_on: bool = True

    def open(self, destination: str) -> Collector:
        collector: Collector = COLLECTORS.load(self.type)(self.settings, destination)
        return collector


def read_plans(sections: Mapping[str, Mapping[str, Any]]) -> list[CollectorPlan]:
    """The collectors that the settings name, in their order; raises BadConfig with the place."""
    return [_read_plan(name, dict(section)) for name, section in sections.items()]


def choose_plans(plans: Sequence[CollectorPlan], names: Sequence[str]) -> list[CollectorPlan]:
    """Those of the given names, or all that are switched on."""
    if not names:
        return [plan for plan in plans if plan.is_on]
    by_name = {plan.name: plan for plan in plans}
    for name in names:
        if name not in by_name:
            raise NotFound("collector of the settings", name, sorted(by_name))
    return [by_name[name] for name in names]


def _read_plan(name: str, section: dict[str, Any]) -> CollectorPlan:
    place = f"collect.{name}"
    scheduling = {key: section.pop(key) for key in ScheduleSettings.model_fields if key in section}
    schedule = _validated(place, ScheduleSettings, scheduling, ())
    kind = schedule.type or name
    if kind not in COLLECTORS.names():
        known = ", ".join(COLLECTORS.names())
        raise BadConfig(f"{place}.type", f"no collector '{kind}'; there are {known}")
    settings_class: type[Section] = COLLECTORS.load(kind).settings_class
    settings = _validated(place, settings_class, section, ScheduleSettings.model_fields)
    return CollectorPlan(
        name,
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
