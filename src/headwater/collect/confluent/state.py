"""What was reported of an account, kept in a file: only changes are sent."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile

# A large account has megabytes of state.
_SAVE_SECONDS = 5.0


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
    outline: str = ""
    """Of a job: the digest of what does not depend on schemas."""
    facets: dict[str, str] = {}
    """Of a dataset: the digest of each of its facets."""


class _KeptItems(msgspec.Struct):
    since: int = 0
    items: dict[str, KnownItem] = {}


class ReportedAccount(StateFile[_KeptItems]):
    """What one destination was sent of one account."""

    def __init__(
        self,
        folder: Path,
        destination: str,
        url: str,
        key: str,
        now: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(folder, "confluent", (destination, url, key), _KeptItems())
        self._clock = clock
        self._saved_at = clock()
        if not self.kept.since:
            self.kept = _KeptItems(now, {})

    @property
    def items(self) -> dict[str, KnownItem]:
        return self.kept.items

    @property
    def since(self) -> int:
        """When this file was begun: turns are counted from then."""
        return self.kept.since

    def note(self, changes: Mapping[str, KnownItem], is_last: bool) -> None:
        """Note what was delivered; in a long pass it is written now and then, and at its end.

        What was not written by then is sent again, which changes nothing.
        """
        self.kept.items.update(changes)
        if is_last or self._clock() - self._saved_at >= _SAVE_SECONDS:
            self.save()
            self._saved_at = self._clock()
