"""Reading the files of a target folder: each whole, of a known version, or not at all."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from headwater.collect.dbt.artifacts import (
    FreshnessResults,
    Manifest,
    ManifestNode,
    ProjectCatalog,
    RunResults,
)
from headwater.errors import SourceUnavailable

Artifact = TypeVar("Artifact", Manifest, RunResults, ProjectCatalog, FreshnessResults)

_VERSION = re.compile(r"/(manifest|run-results|catalog|sources)/v(\d+)\.json")
# Of each file its kind and the versions that are read: dbt 1.0 (manifest v4) to 1.11 (v12).
_KNOWN: Mapping[str, tuple[str, int, int]] = {
    "manifest.json": ("manifest", 4, 12),
    "run_results.json": ("run-results", 4, 6),
    "catalog.json": ("catalog", 1, 1),
    "sources.json": ("sources", 2, 3),
}
_MOST_OF_A_LINE = 100_000
_MOST_BYTES = 1_000_000_000
# When a file was written and how long it is: what has not changed is not read again.
Signature = tuple[tuple[int, int] | None, ...]


class ProjectFiles(NamedTuple):
    """What a target folder holds; `problems` are files that are there and cannot be used."""

    manifest: Manifest
    results: RunResults | None
    catalog: ProjectCatalog | None
    freshness: FreshnessResults | None
    problems: Sequence[SourceUnavailable]


def find_signature(folder: Path) -> Signature:
    return tuple(_signature(folder / name) for name in _KNOWN)


def _signature(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def read_project(folder: Path) -> ProjectFiles:
    """Read all files; without a manifest there is no project, and SourceUnavailable is raised."""
    manifest = _read(folder / "manifest.json", Manifest)
    if manifest is None:
        raise SourceUnavailable(
            str(folder / "manifest.json"),
            "is not there; run `dbt build` or `dbt parse`, or name its folder with --target",
        )
    problems: list[SourceUnavailable] = []

    def read(name: str, kind: type[Artifact]) -> Artifact | None:
        try:
            return _read(folder / name, kind)
        except SourceUnavailable as error:
            problems.append(error)
            return None

    return ProjectFiles(
        manifest,
        read("run_results.json", RunResults),
        read("catalog.json", ProjectCatalog),
        read("sources.json", FreshnessResults),
        problems,
    )


def read_headers(folder: Path, manifest: Manifest) -> dict[str, list[str]]:
    """The columns of seeds, by the first lines of their files, where the project is beside them."""
    found = {}
    for node in manifest.nodes.values():
        if node.resource_type != "seed" or not node.original_file_path:
            continue
        delimiter = str((node.config or {}).get("delimiter") or ",")
        try:
            with (folder.absolute().parent / node.original_file_path).open(newline="") as file:
                header = next(csv.reader([file.readline(_MOST_OF_A_LINE)], delimiter=delimiter))
        except (OSError, StopIteration, csv.Error, TypeError, ValueError):
            # A package's seed, or files without their project: the catalog may list it.
            continue
        found[node.unique_id] = [name.strip().lstrip("\ufeff") for name in header]
    return found


def add_compiled_sql(folder: Path, files: ProjectFiles) -> None:
    """Add the SQL of nodes as they were compiled last: a command compiles only those it selects.

    It is in the results of a run, else in the file that dbt keeps of each model.
    """
    results = files.results.results if files.results else ()
    compiled = {each.unique_id: each.compiled_code for each in results}
    for node in files.manifest.nodes.values():
        if node.is_uncompiled:
            node.compiled_code = compiled.get(node.unique_id) or _read_compiled(folder, node)


def _read_compiled(folder: Path, node: ManifestNode) -> str | None:
    if not node.original_file_path:
        return None
    place = folder / "compiled" / node.package_name / node.original_file_path
    if Path(node.path).name != place.name:
        # Of several nodes in one file each has its own.
        place = place / node.path
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _read(file: Path, kind: type[Artifact]) -> Artifact | None:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise SourceUnavailable(str(file), "is longer than 1 GB, which is not read")
        data = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SourceUnavailable(str(file), f"cannot be read: {error.strerror}") from None
    try:
        found = msgspec.json.decode(data, type=kind, strict=False)
    except (msgspec.ValidationError, RecursionError) as error:
        # One of another version has another shape: that is the better reason.
        if stated := _version_in(data):
            _check_version(file, stated)
        raise SourceUnavailable(str(file), f"is not what dbt writes: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = f"is no complete JSON ({error}); is dbt still writing it, or was it stopped?"
        raise SourceUnavailable(str(file), reason) from None
    _check_version(file, found.metadata.dbt_schema_version)
    return found


def _version_in(data: bytes) -> str:
    found = re.search(rb'"dbt_schema_version"\s*:\s*"([^"]{1,200})"', data[:10_000])
    return found[1].decode(errors="replace") if found else ""


def _check_version(file: Path, stated: str) -> None:
    kind, oldest, newest = _KNOWN[file.name]
    found = _VERSION.search(stated)
    if found is None or found[1] != kind:
        reason = f"names no version of dbt's {kind} file, but {stated[:200]!r}"
        raise SourceUnavailable(str(file), reason)
    if not oldest <= int(found[2]) <= newest:
        versions = f"v{oldest} to v{newest}" if oldest < newest else f"v{newest}"
        advice = "a newer dbt" if int(found[2]) < oldest else "a newer Headwater"
        reason = f"is of version v{found[2]}; {versions} are read: use {advice}"
        raise SourceUnavailable(str(file), reason)
