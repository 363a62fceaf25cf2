"""The shape of the code: small packages, one meaning for a class name, plain words."""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import headwater

ROOT = Path(headwater.__file__).parent
MOST_MODULES = 20
# Columns of stored relations, and a field of the API: they stay as they are.
STORED = {"first_said", "last_said", "said_at", "lastHeardAt"}
PRIVATE_WORDS = re.compile(
    r"(^|_)(stretch(es)?|said|wanted|asked|told|heard|looking|standings?)(_|$)", re.IGNORECASE
)
NAME = re.compile(r"[^\W\d]\w*")
CLASS = re.compile(r"^class ([^\W\d_]\w*)", re.MULTILINE)
PRIVATE_SENTENCES = re.compile(
    r"\b(stretch(es)?|(un)?said|wanted|asked|told|hears?|heard)\b", re.IGNORECASE
)


@cache
def modules() -> dict[Path, str]:
    """The modules and their texts: as patterns find all of it, nothing is parsed."""
    # Migrations are never changed.
    paths = (path for path in sorted(ROOT.rglob("*.py")) if "versions" not in path.parts)
    return {path: path.read_text() for path in paths}


def test_packages_are_small() -> None:
    counts: defaultdict[Path, int] = defaultdict(int)
    for path in modules():
        counts[path.parent.relative_to(ROOT)] += path.name != "__init__.py"
    assert {str(path): count for path, count in counts.items() if count > MOST_MODULES} == {}


def test_a_class_name_has_one_meaning() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in modules().items():
        for name in CLASS.findall(text):
            places[name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_names_are_plain_words() -> None:
    found = {
        (str(path.relative_to(ROOT)), name)
        for path, text in modules().items()
        for name in {*NAME.findall(text)} - STORED
        if PRIVATE_WORDS.search(name)
    }
    assert found == set()


def test_comments_and_messages_are_plain_words() -> None:
    found = {
        (str(path.relative_to(ROOT)), match.group())
        for path, text in modules().items()
        for match in PRIVATE_SENTENCES.finditer(text)
    }
    assert found == set()
