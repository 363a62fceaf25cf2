"""Where OpenLineage events go to: a backend by HTTP, a topic of Kafka, or a file."""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Protocol, Self

from headwater.extras import require
from headwater.plugins import CheckStep
from headwater.publish.openlineage.send import HttpTarget
from headwater.publish.openlineage.settings import TargetSettings


class EventTarget(Protocol):
    """A connection to a target."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def check(self) -> list[CheckStep]: ...

    def send(self, events: Sequence[bytes]) -> Iterable[tuple[int, str | None]]:
        """Send events; for each, by its index, None or why the target refuses it."""

    def send_one(self, event: bytes) -> None:
        """Send an event that stands for itself; raises ItemRefused where it is not taken."""


def open_target(settings: TargetSettings, batch: int = 1) -> EventTarget:
    """Open what the settings name; raises BadSecret where a secret is not there."""
    if settings.is_file:
        from headwater.publish.openlineage.file import FileTarget

        return FileTarget(settings.file)
    if settings.is_kafka:
        require("kafka")
        from headwater.publish.openlineage.kafka import open_topic

        return open_topic(settings)
    return HttpTarget(
        settings.address, settings.read_key(), batch, more_headers=settings.read_headers()
    )
