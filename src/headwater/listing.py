"""The files of events at a place: a directory with all below it, one file, or a pattern."""

import logging
import os
import stat
from collections.abc import Callable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple

from headwater.errors import BadConfig

_log = logging.getLogger(__name__)

# What writers call a file until it is finished, and what stands beside files of events.
_IGNORED_SUFFIXES = (".tmp", ".part", ".partial", ".crc", ".emitted", ".emitted.new")


# Called with a path and what is wrong with it.
Report = Callable[[str, str], None]


class FoundFile(NamedTuple):
    """A file as it was when looked for; `changed_at` is in nanoseconds."""

    changed_at: int
    path: str
    size: int


def check_place(place: str) -> None:
    """Refuse a place where there is nothing, and could not be: a typing error, most likely."""
    root = _fixed_part(place)
    if not _exists(root):
        raise BadConfig("path", f"nothing at '{root}'; name a directory, a file or a pattern")
    if not os.access(root, os.R_OK):
        raise BadConfig("path", f"'{root}' may not be read by this user")


def is_there(place: str) -> bool:
    """Whether there is something at a place, or of a pattern something that matches it."""
    if _is_pattern(place):
        return bool(glob(place, recursive=True))  # noqa: PTH207
    return _exists(Path(place))


def _exists(path: Path) -> bool:
    """Whether something is there that this user can see."""
    try:
        return path.exists()
    except PermissionError:
        return False


def _fixed_part(place: str) -> Path:
    """A place itself, or of a pattern the directory that it begins with."""
    path = Path(place)
    if not _is_pattern(place):
        return path
    return next(parent for parent in path.parents if not has_magic(str(parent)))


def _is_pattern(place: str) -> bool:
    # A file may be called so, too.
    return has_magic(place) and not _exists(Path(place))


class Listing:
    """Lists a place again and again, and reports once what stands in the way: to the log, or to
    whoever wants to know."""

    def __init__(self, place: str, report: Report | None = None) -> None:
        self.place = place
        self._report = report or _log_it
        self._warned: set[str] = set()
        self._was_there = False

    def list(self) -> list[FoundFile]:
        """The files there are, the oldest first; a place that is gone has none."""
        if not _is_pattern(self.place) and not _exists(Path(self.place)):
            if self._was_there:
                self._warn(self.place, "is gone; waiting for it to come back", _log_it)
            return []
        self._was_there = True
        self._warned.discard(self.place)
        return sorted(found for path in self._paths() if (found := self._look(path)))

    def _paths(self) -> Iterator[str]:
        if not _is_pattern(self.place):
            yield from self._walk(self.place)
            return
        # A pattern with ** names directories and what is in them.
        matches = glob(self.place, recursive=True)  # noqa: PTH207
        requested = (match for match in matches if _is_included(Path(match).name))
        yield from {path for match in requested for path in self._walk(match)}

    def _walk(self, top: str) -> Iterator[str]:
        if not Path(top).is_dir():
            yield top
            return
        # By Path, so that a slash at the end makes no other name of the same file.
        for folder, folders, names in os.walk(str(Path(top)), onerror=self._warn_of_error):
            folders[:] = filter(_is_included, folders)
            yield from (f"{folder}{os.sep}{name}" for name in names if _is_included(name))

    def _look(self, path: str) -> FoundFile | None:
        try:
            # A Path would take longer than all else, of ten thousands of files every few seconds.
            status = os.stat(path)  # noqa: PTH116
            path.encode()
        except FileNotFoundError:
            # Gone since it was listed, or a link to nowhere.
            return None
        except OSError as error:
            self._warn(path, f"cannot be read: {error.strerror}")
            return None
        except UnicodeEncodeError:
            self._warn(path, "has a name that is not UTF-8; rename it")
            return None
        # To open a pipe would wait for whoever writes to it.
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        return FoundFile(status.st_mtime_ns, path, status.st_size)

    def _warn_of_error(self, error: OSError) -> None:
        self._warn(str(error.filename), f"cannot be listed: {error.strerror}")

    def _warn(self, path: str, what: str, report: Report | None = None) -> None:
        if path not in self._warned:
            self._warned.add(path)
            (report or self._report)(path, what)


def _log_it(path: str, what: str) -> None:
    _log.warning("%r %s", path, what)


def _is_included(name: str) -> bool:
    return not name.startswith((".", "_")) and not name.endswith(_IGNORED_SUFFIXES)
