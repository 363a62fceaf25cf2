"""The lake: every event as it came, by day of its time, in Parquet files that are only ever added.

    FOLDER/day=2026-01-31/NAME.parquet

An event may be there more than once: whoever was interrupted writes again. Readers go by its id,
the digest of its bytes, so that copies do not count.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from headwater.errors import LakeUnavailable
from headwater.model.values.instant import (
    DAY,
    EPOCH,
    MICROSECOND,
    format_instant,
    parse_instant,
)
from headwater.pipeline.lake.compaction import NOTHING, Compacted, compact_day, compacting
from headwater.pipeline.lake.files import (
    SCHEMA,
    FileGone,
    Footer,
    LakeEvent,
    read_file,
    read_footer,
    write_file,
    writing,
)

__all__ = ["SCHEMA", "Compacted", "FileGone", "Lake", "LakeEvent", "LakeStats", "read_file"]

_DAY = "day="
# A file that tells up to when events may have expired.
_EXPIRED = "expired-before"

Progress = Callable[[int, int], None]


class LakeStats(NamedTuple):
    days: int
    files: int
    events: int
    """With copies."""
    bytes: int
    first_day: date | None
    last_day: date | None


class Lake:
    """The files under a folder."""

    def __init__(self, folder: Path) -> None:
        # Tasks of Spark work elsewhere.
        self.folder = folder.absolute()

    def add(self, events: Sequence[LakeEvent]) -> int:
        """Write events, a file a day; returns once they are on disk. Gives the number of files."""
        by_day: defaultdict[int, dict[bytes, LakeEvent]] = defaultdict(dict)
        for event in events:
            by_day[event.at // DAY][event.digest] = event
        for day, some in sorted(by_day.items()):
            write_file(self.folder / _name_of(day), uuid4().hex, some.values())
        return len(by_day)

    def days(self) -> list[Path]:
        """The folders of days, in their order."""
        return [path for path in self._list(self.folder) if day_of(path) and path.is_dir()]

    def files(self) -> list[Path]:
        """All files of events, in the order of their days.

        Those that a compaction removes are gone when they are read; `read` sees to that.
        """
        return [file for folder in self.days() for file in self._files(folder)]

    def read(self) -> Iterator[LakeEvent]:
        """Every event once, day by day."""
        for folder in self.days():
            yield from self._read_day(folder)

    def stats(self) -> LakeStats:
        days = self.days()
        footers = [footer for folder in days for footer in self._read_footers(folder)]
        return LakeStats(
            days=len(days),
            files=len(footers),
            events=sum(footer.events for footer in footers),
            bytes=sum(footer.bytes for footer in footers),
            first_day=day_of(days[0]) if days else None,
            last_day=day_of(days[-1]) if days else None,
        )

    def compact(self, progress: Progress = lambda done, total: None) -> Compacted:
        """Make few files of many, without copies.

        Whoever writes or reads meanwhile is not disturbed but by copies. Only one at a time.
        """
        days = self.days()
        total = NOTHING
        if not days:
            return total
        with compacting(self.folder):
            for done, folder in enumerate(days):
                progress(done, len(days))
                total = total.plus(compact_day(folder, self._files(folder)))
        progress(len(days), len(days))
        return total

    @property
    def expired_before(self) -> int | None:
        """The time before which events may be missing; None if none ever expired."""
        try:
            return parse_instant((self.folder / _EXPIRED).read_text().strip())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise LakeUnavailable(f"the lake at {self.folder} cannot be read: {error}") from error

    def note_expired(self, before: int) -> None:
        """Note that events of before a time may be missing from now on."""
        known = self.expired_before
        if known is None or before > known:
            with writing(self.folder):
                unfinished = self.folder / f".{_EXPIRED}.tmp"
                unfinished.write_text(format_instant(before) + "\n")
                unfinished.replace(self.folder / _EXPIRED)

    def _read_day(self, folder: Path) -> Iterator[LakeEvent]:
        """Every event of a day once, whoever compacts it meanwhile.

        The day is listed until there is nothing new: of a file that is gone since, the events are
        in one that is there by now; and a list of a folder that changes may lack both.
        """
        seen: set[bytes] = set()
        done: set[Path] = set()
        while new := [file for file in self._files(folder) if file not in done]:
            for file in new:
                done.add(file)
                with suppress(FileGone):
                    for event in read_file(file):
                        if event.digest not in seen:
                            seen.add(event.digest)
                            yield event

    def _read_footers(self, folder: Path) -> list[Footer]:
        while True:
            with suppress(FileGone):
                return [read_footer(file) for file in self._files(folder)]

    def _files(self, folder: Path) -> list[Path]:
        """The files of a day; names with a dot are not finished, or not ours."""
        files = self._list(folder)
        return [file for file in files if file.suffix == ".parquet" and file.name[0] != "."]

    def _list(self, folder: Path) -> list[Path]:
        try:
            return sorted(folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LakeUnavailable(f"the lake at {self.folder} cannot be read: {error}") from error


def _name_of(day: int) -> str:
    return f"{_DAY}{(EPOCH + day * DAY * MICROSECOND).date().isoformat()}"


def day_of(folder: Path) -> date | None:
    """The day of a folder; None where its name is that of something else."""
    text = folder.name.removeprefix(_DAY)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if folder.name == _DAY + day.isoformat() else None
