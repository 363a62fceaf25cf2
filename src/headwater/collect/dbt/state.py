"""What was reported of a project, kept in a file: only what is new is sent."""

from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class _KeptDigests(msgspec.Struct):
    events: dict[str, str] = {}
    """The digest of the newest event by what it is about."""
    jobs: dict[str, str] = {}
    """The suffix of each node's job, which the command that ran it last decided."""


class ReportedProject(StateFile[_KeptDigests]):
    """What one destination was sent of one target folder."""

    def __init__(self, folder: Path, destination: str, target: Path, jobs: str) -> None:
        place = str(target.absolute())
        super().__init__(folder, "dbt", (destination, place, jobs), _KeptDigests())

    def has(self, key: str, digest: str) -> bool:
        return self.kept.events.get(key) == digest

    def note(self, delivered: dict[str, str], suffixes: dict[str, str]) -> None:
        """Note what was delivered; of what was taken back, by an empty digest, nothing is left."""
        for about, digest in delivered.items():
            if digest:
                self.kept.events[about] = digest
            else:
                self.kept.events.pop(about, None)
        self.kept.jobs.update(suffixes)
        self.save()
