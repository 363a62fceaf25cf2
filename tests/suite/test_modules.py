"""Every module has a test file of its name, or a line in docs/testing.md that says where."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "headwater"
TESTS = {file.stem.removeprefix("test_") for file in (ROOT / "tests").rglob("test_*.py")}


def modules() -> Iterator[str]:
    """Modules as the page writes them; migrations are run whole, by `test_migrate.py`."""
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).with_suffix("").as_posix()
        if file.stem != "__init__" and "/migrations/" not in name:
            yield name


def listed() -> dict[str, list[str]]:
    """The tests of each pattern of modules."""
    page = (ROOT / "docs" / "testing.md").read_text()
    _, _, section = page.partition("## Where modules are tested\n")
    table = section.partition("\n## ")[0]
    rows = (line.split(" | ") for line in table.splitlines() if line.startswith("| `"))
    return {
        pattern: re.findall(r"`(tests/[^`]+)`", tests)
        for patterns, tests in rows
        for pattern in re.findall(r"`([^`]+)`", patterns)
    }


def test_none_is_left_out() -> None:
    patterns = listed()
    others = [name for name in modules() if name.rpartition("/")[2] not in TESTS]
    assert [name for name in others if not any(fnmatchcase(name, each) for each in patterns)] == []


def test_each_line_is_about_a_module_and_names_tests() -> None:
    names = list(modules())
    for pattern, tests in listed().items():
        assert any(fnmatchcase(name, pattern) for name in names), pattern
        assert tests, pattern
        for test in tests:
            assert list(ROOT.glob(test)), test
