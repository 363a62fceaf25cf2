"""The strict Confluent Cloud of the demo, for tests: with settings that open it, and faults."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from headwater.collect.confluent import ConfluentSettings
from headwater.demo.confluent.cloud import StandInCloud, serve_cloud
from headwater.demo.confluent.connection import connection_settings
from headwater.demo.confluent.estate import CloudEstate
from headwater.demo.confluent.example import build_example
from headwater.demo.confluent.protocol import CloudAnswer

__all__ = ["CloudAnswer", "OpenCloud", "open_cloud"]


class OpenCloud(NamedTuple):
    """A stand-in that is served, and what opens it."""

    cloud: StandInCloud
    values: dict[str, Any]

    @property
    def estate(self) -> CloudEstate:
        return self.cloud.estate

    def settings(self, **more: Any) -> ConfluentSettings:
        return ConfluentSettings(**{**self.values, **more})

    def fail(self, start: str, *answers: CloudAnswer) -> None:
        """Answer all paths that begin so with these, the last one for good."""
        self.cloud.faults[start] = list(answers)


@contextmanager
def open_cloud(folder: Path, estate: CloudEstate | None = None) -> Iterator[OpenCloud]:
    """Serve an estate, by default the example."""
    with serve_cloud(estate or build_example()) as cloud:
        yield OpenCloud(cloud, connection_settings(cloud, folder))
