"""Carrying events on, and waiting for those who do: so that none is carried on that is erased."""

from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOTDIR
from pathlib import Path

from headwater.pipeline.lake.files import writing

try:
    import fcntl
except ImportError:  # Not there on Windows: what is erased there must not be carried on meanwhile.
    fcntl = None  # type: ignore[assignment]

_LOCK = ".adding"


@contextmanager
def adding(lake: Path) -> Iterator[None]:
    """Held from reading events in a store until they are in the lake; by any number at once."""
    with _locked(lake, is_alone=False):
        yield


def wait_for_adding(lake: Path) -> None:
    """Return once all who have read events in a store by now have written them."""
    with _locked(lake, is_alone=True):
        pass


@contextmanager
def _locked(lake: Path, is_alone: bool) -> Iterator[None]:
    with writing(lake):
        if lake.exists() and not lake.is_dir():
            raise NotADirectoryError(ENOTDIR, "Not a directory", str(lake))
        lake.mkdir(parents=True, exist_ok=True)
        file = (lake / _LOCK).open("w")
    with file:
        if fcntl is not None:
            with writing(lake):
                fcntl.flock(file, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        yield
