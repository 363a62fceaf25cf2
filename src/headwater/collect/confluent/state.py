"""What was reported of an account, kept in a file: only changes are sent."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class KnownItem(msgspec.Struct, frozen=True):
    """A job or a dataset as it was last reported; `digest` is empty once it is gone."""

    namespace: str
    name: str
    place: str
    part: str
    digest: str
    at: int
    """In microseconds since 1970."""
    turn: int = 0
    """How often another state was reported."""
    job_type: str = ""
    run: str = ""


class _KeptItems(msgspec.Struct):
    since: int = 0
    items: dict[str, KnownItem] = {}


class ReportedAccount(StateFile[_KeptItems]):
    """What one destination was sent of one account."""

    def __init__(self, folder: Path, destination: str, url: str, key: str, now: int) -> None:
        super().__init__(folder, "confluent", (destination, url, key), _KeptItems())
        if not self.kept.since:
            self.kept = _KeptItems(now, {})

    @property
    def items(self) -> dict[str, KnownItem]:
        return self.kept.items

    @property
    def since(self) -> int:
        """When this file was begun: turns are counted from then."""
        return self.kept.since

    def note(self, changes: Mapping[str, KnownItem]) -> None:
        """Note what was delivered."""
        self.kept.items.update(changes)
        self.save()
