"""What was reported of each job, kept in a file: only changes are sent, also by the next run of
the command."""

from pathlib import Path

import msgspec

from headwater.collect.state_file import StateFile


class Counter(msgspec.Struct, frozen=True):
    """A counter of one operator. It begins anew with each attempt of its vertex: `base` is what
    attempts before have counted."""

    attempt: int
    base: int
    last: int

    @property
    def total(self) -> int:
        return self.base + self.last


class KnownJob(msgspec.Struct, frozen=True):
    """A job as it was last reported."""

    namespace: str
    name: str
    state: str
    """`GONE`: its cluster knew it no longer, before it was seen to end."""
    started_at: int
    reported_at: int
    """In microseconds since 1970."""
    sent_at: int = 0
    """When that was: what ended long ago may be reported now."""
    counters: dict[str, Counter] = {}
    described: str = ""
    """A digest of what was reported of its datasets and gaps."""


class _Kept(msgspec.Struct):
    jobs: dict[str, KnownJob] = {}


class ReportedJobs(StateFile[_Kept]):
    """What one destination was sent of one Flink cluster."""

    def __init__(self, folder: Path, destination: str, url: str) -> None:
        super().__init__(folder, "flink", (destination, url), _Kept())

    @property
    def jobs(self) -> dict[str, KnownJob]:
        return self.kept.jobs

    def note(self, changes: dict[str, KnownJob | None]) -> None:
        """Note what was delivered, whole or not at all; None: it need not be remembered."""
        for job, known in changes.items():
            if known is None:
                self.kept.jobs.pop(job, None)
            else:
                self.kept.jobs[job] = known
        self.save()
