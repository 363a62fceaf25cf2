"""A check, step by step: what was found at each, up to the first that fails."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from headwater.errors import HeadwaterError, InvalidEvent
from headwater.model.event import decode_event

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    OpenSession = Callable[[], SparkSession]
else:
    OpenSession = Callable


class IngestionStep(Struct):
    """Something tried: `state` is ok, problem, or skipped where it cannot be tried here."""

    name: str
    state: str
    detail: str


class Step(NamedTuple):
    """Something tried: what was found, or why it failed."""

    name: str
    is_good: bool
    text: str


def run_steps(*steps: tuple[str, Callable[[], str]]) -> Iterator[Step]:
    """Try one after another; the first that fails is the last."""
    for name, work in steps:
        try:
            yield Step(name, True, work())
        except HeadwaterError as error:
            yield Step(name, False, error.message)
            return


def describe_event(data: bytes | None) -> str:
    """What a message holds, as an ingest would judge it."""
    if data is None:
        return "has no value"
    try:
        decode_event(data)
        return "is an event"
    except InvalidEvent as error:
        return f"is not a valid event and would be rejected: {error.message}"
