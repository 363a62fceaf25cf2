"""What `collect files --check` looks at: that files can be read, and their positions written."""

import os
from collections.abc import Iterator
from pathlib import Path

from headwater.collect.files.fetch import STDIN, is_stream
from headwater.collect.files.settings import FilesSettings
from headwater.errors import BadConfig
from headwater.listing import Listing, check_place
from headwater.plugins import CheckStep


def check_files(settings: FilesSettings) -> list[CheckStep]:
    folders: set[Path] = set()
    steps = [_check_path(path, folders) for path in settings.paths]
    if settings.resume and folders:
        steps.append(_check_positions({settings.positions} if settings.positions else folders))
    return steps


def _check_path(path: str, folders: set[Path]) -> CheckStep:
    """Try one path, and note the folders of its files."""
    if is_stream(path):
        return CheckStep("read", True, "standard input" if path == STDIN else f"{path}: a pipe")
    problems: list[str] = []
    try:
        check_place(path)
        listing = Listing(path, lambda where, what: problems.append(f"{where} {what}"))
        files = [Path(found.path) for found in listing.list()]
    except BadConfig as error:
        return CheckStep("read", False, f"{path}: {error.reason}", "check the path")
    folders.update(file.parent for file in files)
    problems += [f"{file} cannot be read" for file in files if not os.access(file, os.R_OK)]
    if problems:
        others = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
        return CheckStep("read", False, f"{problems[0]}{others}", "let this user read it")
    return CheckStep("read", True, f"{path}: {len(files):,} files")


def _check_positions(folders: set[Path]) -> CheckStep:
    closed = sorted(folder for folder in folders if not _can_write(folder))
    if not closed:
        return CheckStep("positions", True, "can be written")
    next_step = "let this user write there, or choose a folder with --positions, or --no-resume"
    return CheckStep("positions", False, f"'{closed[0]}' cannot be written", next_step)


def _can_write(folder: Path) -> bool:
    """Whether files can be made in a folder, which may have to be made first."""
    try:
        there = next(each for each in _upwards(folder.absolute()) if each.exists())
    except PermissionError:
        return False
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _upwards(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.parents
