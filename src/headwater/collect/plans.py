"""Collectors that run by themselves: the sections `[collect.NAME]` of the settings."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headwater.collect import COLLECTORS, Collector
from headwater.config import Section
from headwater.errors import NotFound
from headwater.scheduling import read_section


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
    return [
        CollectorPlan(name, *read_section(COLLECTORS, "collect", name, section))
        for name, section in sections.items()
    ]


def choose_plans(plans: Sequence[CollectorPlan], names: Sequence[str]) -> list[CollectorPlan]:
    """Those of the given names, or all that are switched on."""
    if not names:
        return [plan for plan in plans if plan.is_on]
    by_name = {plan.name: plan for plan in plans}
    for name in names:
        if name not in by_name:
            raise NotFound("collector of the settings", name, sorted(by_name))
    return [by_name[name] for name in names]
