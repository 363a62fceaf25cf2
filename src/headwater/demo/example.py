"""The example as a whole: all its events, in the order they happened, up to now."""

from collections.abc import Callable, Iterator

import msgspec

from headwater.demo.build import HOUR, Clock, Happening, round_down
from headwater.demo.dashboard import tell_dashboard
from headwater.demo.streams import SCREENING, tell_streams
from headwater.demo.warehouse import tell_warehouse
from headwater.model.values.instant import DAY

# A new number makes `headwater demo` load the example anew.
VERSION = 1

_DAYS = 5
_CHANGED_DAYS_AGO = 2

SCENES: tuple[Callable[[Clock], Iterator[Happening]], ...] = (
    tell_streams,
    tell_warehouse,
    tell_dashboard,
)


def clock_at(now: int) -> Clock:
    """When things happen in an example that ends now (microseconds since 1970)."""
    begin = round_down(now - _DAYS * DAY, HOUR)
    return Clock(now, begin, round_down(now - _CHANGED_DAYS_AGO * DAY, HOUR))


def make_events(now: int) -> list[bytes]:
    """Every event as bytes; the same for the same now."""
    clock = clock_at(now)
    past = [happening for scene in SCENES for happening in scene(clock) if happening.at <= now]
    return _encoded(past)


def make_next_events(now: int, after: int, until: int) -> list[bytes]:
    """How an example that ended goes on: the events after a time, up to another.

    Without this its streams would all be silent some minutes after it was loaded. The one that is
    meant to be silent stays so.
    """
    clock = clock_at(now)._replace(now=until)
    coming = [
        happening
        for scene in SCENES
        for happening in scene(clock)
        if after < happening.at <= until and happening.event["job"]["name"] != SCREENING.name.name
    ]
    return _encoded(coming)


def _encoded(happenings: list[Happening]) -> list[bytes]:
    happenings.sort(key=lambda happening: happening.at)
    return [msgspec.json.encode(happening.event) for happening in happenings]
