"""Publishers that run by themselves: the sections `[publish.NAME]` of the settings."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from headwater.config import Section
from headwater.publish import PUBLISHERS, Publisher
from headwater.scheduling import read_section
from headwater.store.engine import Engine


class PublisherPlan(NamedTuple):
    """A publisher with its settings, and when it runs; spans in seconds."""

    name: str
    type: str
    every: float
    max_pass: float
    settings: Section
    is_on: bool = True

    def open(self, engine: Engine) -> Publisher:
        publisher: Publisher = PUBLISHERS.load(self.type)(self.settings, engine)
        return publisher


def read_publisher_plans(sections: Mapping[str, Mapping[str, Any]]) -> list[PublisherPlan]:
    """The publishers that the settings name, in their order; raises BadConfig with the place.

    The name of the section is that of the target, unless it has another.
    """
    plans = []
    for name, section in sections.items():
        read = read_section(PUBLISHERS, "publish", name, section, every="5m", max_pass="1h")
        settings = read.settings
        if "name" in type(settings).model_fields and not getattr(settings, "name", ""):
            read = read._replace(settings=settings.model_copy(update={"name": name}))
        plans.append(PublisherPlan(name, *read))
    return plans
