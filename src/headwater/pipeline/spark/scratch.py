"""A folder for as long as a process needs it, also where processes are killed."""

import fcntl
import shutil
import tempfile
from pathlib import Path
from typing import IO

_PREFIX = "session-"
_LOCK = ".lock"


class Scratch:
    """A new folder under `parent`; what killed processes left behind there is removed first.

    Without a parent it is one of the system's temporary folders, and the system's to look after.
    """

    def __init__(self, parent: Path | None) -> None:
        if parent is None:
            self.path = Path(tempfile.mkdtemp(prefix="headwater-spark-"))
            self._lock = _lock(self.path)
            return
        parent.mkdir(parents=True, exist_ok=True)
        # Nobody looks between the making of a folder and its being locked.
        with _wait_for(parent):
            _remove_left_behind(parent)
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent.absolute()))
            self._lock = _lock(self.path)

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            self._lock.close()


def _wait_for(folder: Path) -> IO[str]:
    lock = (folder / _LOCK).open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def _lock(folder: Path) -> IO[str] | None:
    """Take a folder's lock, which goes with its process; None if a process has it."""
    lock = (folder / _LOCK).open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def _remove_left_behind(parent: Path) -> None:
    # By its lock, so that nothing goes that was not made here.
    for found in parent.glob(f"{_PREFIX}*/{_LOCK}"):
        if (lock := _lock(found.parent)) is not None:
            shutil.rmtree(found.parent, ignore_errors=True)
            lock.close()
