"""The shape of the Java plugin: small packages, each importing only those below it, plain words."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.suite.test_code_shape import MOST_MODULES

ROOT = (
    Path(__file__).parents[2] / "connect" / "src" / "main" / "java" / "io" / "headwater" / "connect"
)
# As docs/architecture.md has them: the first may import all others, the last none.
LAYERS = ("", "cluster", "send", "record", "column", "dataset")
# What configurations name stays where it is.
NAMED = {"HeadwaterTransform", "HeadwaterRestExtension"}
PRIVATE_WORDS = re.compile(
    r"\b(told|tells?|teller|heard|said|asked|wanted|voices?|looks? at|looked)\b", re.IGNORECASE
)


def classes() -> Iterator[tuple[str, Path]]:
    """Each class with its package, below that of the plugin."""
    for file in sorted(ROOT.rglob("*.java")):
        yield file.parent.relative_to(ROOT).as_posix().removeprefix("."), file


def test_packages_are_small_and_known() -> None:
    counts = dict.fromkeys(LAYERS, 0)
    for package, _ in classes():
        counts[package] += 1
    assert all(0 < count <= MOST_MODULES for count in counts.values()), counts


def test_the_root_has_what_configurations_name() -> None:
    assert {file.stem for package, file in classes() if not package} == NAMED


def test_a_package_imports_only_those_below_it() -> None:
    found = {
        (file.name, line)
        for package, file in classes()
        for line in re.findall(r"^import io\.headwater\.connect\.(.+);$", file.read_text(), re.M)
        if LAYERS.index(line.rpartition(".")[0]) <= LAYERS.index(package)
    }
    assert found == set()


def test_comments_and_messages_are_plain_words() -> None:
    found = {
        (file.name, match.group())
        for _, file in classes()
        for match in PRIVATE_WORDS.finditer(file.read_text())
    }
    assert found == set()
