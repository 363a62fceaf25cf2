"""What was reported of each dataset's schemas: only changes are sent, also by the next run."""

from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class KnownSubject(msgspec.Struct, frozen=True):
    """A subject as it was last reported."""

    version: int
    compatibility: str


class KnownDataset(msgspec.Struct, frozen=True):
    """A dataset as it was last reported."""

    namespace: str
    name: str
    subjects: dict[str, KnownSubject]
    facets: tuple[str, ...]
    at: int
    """The time of the newest event, in microseconds since 1970."""


class _Kept(msgspec.Struct):
    datasets: dict[str, KnownDataset] = {}


class ReportedSchemas(StateFile[_Kept]):
    """What one destination was sent of one registry; by the dataset's name in one text."""

    def __init__(self, folder: Path, destination: str, url: str, bootstrap: str) -> None:
        super().__init__(folder, "schema-registry", (destination, url, bootstrap), _Kept())

    @property
    def datasets(self) -> dict[str, KnownDataset]:
        return self.kept.datasets

    def note(self, changes: dict[str, KnownDataset | None]) -> None:
        for name, known in changes.items():
            if known is None:
                self.kept.datasets.pop(name, None)
            else:
                self.kept.datasets[name] = known
        self.save()
