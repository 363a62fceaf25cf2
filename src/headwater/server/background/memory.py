"""Giving memory back: what is not needed is let go, and what was freed goes to the system.

A server collects seldom, for each collection is paid for by a request; caches and connections keep
what was looked at once; and the allocator keeps what large bodies left behind. All of it is let go
here, once memory has grown.

glibc gives each thread an arena of its own, and of all but the first the free end is given back
only when it exceeds a limit. That limit follows the largest body: one of 20 MB makes it 40 MB for
each of some twenty threads, and `malloc_trim` does not touch these ends. `limit_allocator` fixes
the limits instead, and the number of arenas.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from pathlib import Path

from headwater.model.values.memo import forget_unused
from headwater.server.background.periodic import Background

EVERY = timedelta(seconds=10)
# Growth since the last time that makes it worth the work: amid work, and once nothing goes on.
# Then it costs little: the next request prepares its statements anew.
WORTH_BYTES = 32_000_000
_WORTH_WHEN_QUIET = 4_000_000
# A process that changes by less from one look to the next is quiet.
_QUIET_BYTES = 1_000_000
_STATM = Path("/proc/self/statm")
# Numbers of glibc's mallopt, and values. Threads wait for each other little: they take turns in
# Python anyhow, and two arenas serve those that are in the database or compress.
_MALLOC_LIMITS = {
    -8: 2,  # M_ARENA_MAX
    -3: 256 * 1024,  # M_MMAP_THRESHOLD: larger ones are the system's again as soon as freed
    -1: 4 * 1024 * 1024,  # M_TRIM_THRESHOLD: more than that at the end of an arena, too
}


class GiveMemoryBack(Background):
    """Looks every few seconds how much memory the process has; nothing where that is unknown."""

    name = "giving memory back"

    def __init__(
        self,
        releases: Iterable[Callable[[], None]] = (),
        read_bytes: Callable[[], int | None] | None = None,
    ) -> None:
        super().__init__(EVERY, EVERY)
        self._releases = [forget_unused, *releases]
        self._read_bytes = read_bytes or read_resident_bytes
        # What a release amid work leaves is more than what it needs: it has work in hand. So what
        # it has at rest is compared with what it had when it last was.
        self._before = self._after_last = self._at_rest = self._read_bytes()

    def work(self) -> None:
        used, before = self._read_bytes(), self._before
        if used is None or before is None or self._after_last is None or self._at_rest is None:
            return
        is_quiet = abs(used - before) < _QUIET_BYTES
        if is_quiet and used - self._at_rest > _WORTH_WHEN_QUIET:
            self._before = self._after_last = self._at_rest = self._release()
        elif not is_quiet and used - self._after_last > WORTH_BYTES:
            self._before = self._after_last = self._release()
        else:
            # Little by little it may grow as well; what has shrunk may grow again.
            self._after_last = min(used, self._after_last)
            self._at_rest = min(used, self._at_rest)
            self._before = used

    def _release(self) -> int | None:
        for release in self._releases:
            release()
        gc.collect()
        _trim()
        return self._read_bytes()


def read_resident_bytes() -> int | None:
    """The memory of this process; None on systems that do not tell."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def limit_allocator() -> None:
    """Fix what the allocator may keep; before threads start, which take their arenas then."""
    if (library := _glibc()) is not None:
        for number, value in _MALLOC_LIMITS.items():
            library.mallopt(number, value)


def _trim() -> None:
    """Let glibc give back what is free; other allocators do so by themselves, or never."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    is_there = sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "malloc_trim")
    return library if is_there else None
