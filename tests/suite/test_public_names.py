"""Tests replace and import only what is public; that they read nothing else, the linter checks."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPLACING = ("setattr", "delattr", "setitem", "delitem")
# A file without this has no such name, and need not be parsed.
UNDERSCORE = re.compile(r"(?<!\w)_(?!_)\w")


def private_names(source: str) -> Iterator[str]:
    """Names with an underscore that are imported from the package, or replaced in it."""
    if not UNDERSCORE.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("headwater"):
                names = [imported.name for imported in node.names]
            case ast.Call(func=ast.Attribute(attr=method)) if method in REPLACING:
                given = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
                names = [each for each in given if isinstance(each, str)]
            case _:
                names = []
        yield from filter(_is_private, names)


def _is_private(name: str) -> bool:
    return any(part[:1] == "_" and part[:2] != "__" for part in name.split("."))


def test_nothing_private_is_imported_or_replaced() -> None:
    found = {
        str(file.relative_to(ROOT)): names
        for folder in ("testing", "tests", "bench", "labs", "scripts")
        for file in (ROOT / folder).rglob("*.py")
        if (names := list(private_names(file.read_text())))
    }
    assert found == {}


def test_what_is_private_is_found() -> None:
    source = (
        "from headwater.model import _one, two\n"
        "from headwater import __version__\n"
        "patch.setattr(module, '_three', 1)\n"
        "patch.setattr('headwater.module._four', 1)\n"
        "patch.setattr(module, 'five', '_not')\n"
    )
    assert list(private_names(source)) == ["_one", "_three", "headwater.module._four"]
