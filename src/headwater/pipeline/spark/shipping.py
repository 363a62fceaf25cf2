"""This package as one file, for executors on machines where it is not installed."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

# Everything in it, for modules read files beside them: the vocabulary, SQL, schemas.
_LEFT_OUT = {"__pycache__"}


def zip_package(target: Path, package: str = "headwater") -> Path:
    """Write a zip that Python imports the package from, as it is installed here."""
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        _add(archive, files(package), package)
    return target


def _add(archive: ZipFile, folder: Traversable, name: str) -> None:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_dir():
            _add(archive, entry, f"{name}/{entry.name}")
        else:
            archive.writestr(f"{name}/{entry.name}", entry.read_bytes())
