"""The shape of the code: small packages, one meaning for a class name, plain words."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import headwater
from tests.suite.sources import nodes_of, tree_of

ROOT = Path(headwater.__file__).parent
MOST_MODULES = 20
# Columns of stored relations, and a field of the API: they stay as they are.
STORED = {"first_said", "last_said", "said_at", "lastHeardAt"}
PRIVATE_WORDS = re.compile(
    r"(^|_)(stretch(es)?|said|wanted|asked|told|heard|looking|standings?)(_|$)", re.IGNORECASE
)
PRIVATE_SENTENCES = re.compile(
    r"\b(stretch(es)?|(un)?said|wanted|asked|told|hears?|heard)\b", re.IGNORECASE
)


def modules() -> list[Path]:
    # Migrations are never changed.
    return [path for path in sorted(ROOT.rglob("*.py")) if "versions" not in path.parts]


def test_packages_are_small() -> None:
    counts: defaultdict[Path, int] = defaultdict(int)
    for path in modules():
        counts[path.parent.relative_to(ROOT)] += path.name != "__init__.py"
    assert {str(path): count for path, count in counts.items() if count > MOST_MODULES} == {}


def test_a_class_name_has_one_meaning() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_names_are_plain_words() -> None:
    found = {
        (str(path.relative_to(ROOT)), name)
        for path in modules()
        for node in nodes_of(path)
        for name in _names(node)
        if name not in STORED and PRIVATE_WORDS.search(name)
    }
    assert found == set()


def test_comments_and_messages_are_plain_words() -> None:
    found = {
        (str(path.relative_to(ROOT)), match.group())
        for path in modules()
        for match in PRIVATE_SENTENCES.finditer(path.read_text())
    }
    assert found == set()


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node of a syntax tree defines or uses."""
    for field in ("id", "name", "attr", "arg", "asname"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value
