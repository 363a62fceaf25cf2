"""What can be searched for: the words of names, and of descriptions and other texts.

A term is what the index keeps: a word in lower case. Every process makes the same terms of the
same text, so that an index may be filled from anywhere.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec

from headwater.model import facets
from headwater.model.values.json_text import storable

# Of a longer word, the beginning is searched.
MAX_TERM = 64
# Of a longer text, the first words are.
_MAX_WORDS = 1_000
# More columns than any table has that people made.
MAX_COLUMNS = 10_000
# Shorter parts inside a word find nothing: too many words hold them.
SHORTEST_PART = 3
# A word this long is found with one letter wrong.
SHORTEST_NEAR = 5
# What an index orders by is the length of a name, or more than any where a word is inside it.
INSIDE = 2_048
UNNAMED = 2 * INSIDE

_WORD = re.compile(r"[^\W_]+")
_SEPARATOR = re.compile(r"[./:|\\]+")
_ID = re.compile(r"(?=[a-z]*[0-9])[0-9a-f]{8,}")


class TermSource(IntEnum):
    """What a term was found in."""

    DATASET = 0
    JOB = 1
    NAMESPACE = 2
    CONTENT = 3
    TAGGED = 4


class Rank(IntEnum):
    """How well a name answers; the best first."""

    EXACT = 0
    PREFIX = 1
    WORD = 2
    WORD_PREFIX = 3
    PART = 4
    TEXT = 5
    NEAR = 6
    NAMESPACE = 7


def words_of(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, in lower case, in their order."""
    return [word[:MAX_TERM] for word in _WORD.findall(text.lower())]


def last_part(name: str) -> str:
    """What a name ends in: the table of `database.schema.table`."""
    parts = [part for part in _SEPARATOR.split(name) if part]
    return parts[-1] if parts else name


def terms_of_name(name: str) -> dict[str, int]:
    """The terms of a name, each with its weight: what begins a short name weighs least.

    One and two letters find what begins with them, so that they need not look through all words.
    """
    lower = name.lower()
    terms = dict.fromkeys(words_of(lower), INSIDE + len(name))
    last = last_part(lower)
    for beginning in dict.fromkeys((lower, last)):
        if first := _WORD.search(beginning):
            word = first.group()[:MAX_TERM]
            for term in (word, word[:1], word[:2]):
                terms[term] = min(len(beginning), terms.get(term, INSIDE))
    return terms


def parts_of(term: str) -> list[str]:
    """What a term is found by: itself, and its ends from any letter on; a short one as it is.

    No end begins with a digit: numbers and ids are many, and are requested from their beginning.
    """
    if len(term) < SHORTEST_PART:
        return []
    ends = range(1, len(term) - SHORTEST_PART + 1)
    is_id = _ID.fullmatch(term) is not None
    return [term, *(term[at:] for at in ends if not is_id and not term[at].isdigit())]


_NOTHING = msgspec.Raw(b"null")


class _Texts(msgspec.Struct):
    """The parts of a facet that are searched, not read yet: those of a column map are large."""

    description: msgspec.Raw = _NOTHING
    fields: msgspec.Raw = _NOTHING
    owners: msgspec.Raw = _NOTHING
    tags: msgspec.Raw = _NOTHING

    def read(self, part: str, start: bytes) -> Any:
        raw = bytes(getattr(self, part))
        return facets.read(_ANY, raw) if raw.startswith(start) else None


_TEXTS = msgspec.json.Decoder(_Texts)
_ANY = msgspec.json.Decoder()
_SIGNS = (b'"fields":[', b'"owners":[', b'"tags":[', b'"description":"')


def terms_of_content(body: bytes) -> list[str]:
    """The terms of a facet: columns, descriptions, owners, tags, recognised by its structure.

    Most facets have none of these, and nothing is spent on them.
    """
    if not any(sign in body for sign in _SIGNS):
        return []
    found: _Texts | None = facets.read(_TEXTS, body)
    if found is None:
        return []
    terms: dict[str, None] = {}
    fields = found.read("fields", b"[")
    described = (text for field in _objects(fields) for text in _strings(field, "description"))
    for text in chain(_texts(found), described):
        terms.update(dict.fromkeys(words_of(text)))
        if len(terms) >= _MAX_WORDS:
            break
    # Columns are what is looked for: all of any table that people made.
    columns = islice(_columns(fields), MAX_COLUMNS)
    terms.update(dict.fromkeys(words_of(" ".join(columns))))
    return list(terms)


def _texts(matches: _Texts) -> Iterator[str]:
    description = matches.read("description", b'"')
    if isinstance(description, str):
        yield storable(description)
    for owner in _objects(matches.read("owners", b"[")):
        yield from _strings(owner, "name")
    for tag in _objects(matches.read("tags", b"[")):
        yield from _strings(tag, "key", "value")


def _columns(fields: Any) -> Iterator[str]:
    pending = [fields]
    while pending:
        for field in _objects(pending.pop()):
            yield from _strings(field, "name")
            if field.get("fields"):
                pending.append(field["fields"])


def _objects(found: Any) -> Iterator[dict[str, Any]]:
    listed = found if isinstance(found, list) else ()
    return (each for each in listed if isinstance(each, dict))


def _strings(found: dict[str, Any], *names: str) -> Iterator[str]:
    for name in names:
        if isinstance(value := found.get(name), str):
            yield storable(value)


class Sought(NamedTuple):
    """A word that is looked for, and the terms of the index that are near it."""

    word: str
    near: frozenset[str] = frozenset()

    def rank(self, text: str) -> Rank | None:
        """How a text in lower case answers this word; None where it does not."""
        if self.word in text:
            words = words_of(text)
            if self.word in words:
                return Rank.WORD
            if any(word.startswith(self.word) for word in words):
                return Rank.WORD_PREFIX
            return Rank.PART if len(self.word) >= SHORTEST_PART else None
        if self.near and any(word in self.near for word in words_of(text)):
            return Rank.NEAR
        return None


def is_beginning(query: str, name: str) -> Rank | None:
    """Whether a name, or what it ends in, is a query or begins with it; all in lower case."""
    names = (name, last_part(name))
    if query in names:
        return Rank.EXACT
    return Rank.PREFIX if any(each.startswith(query) for each in names) else None


def halves(word: str) -> tuple[str, str]:
    """One of the two is whole in whatever is one letter off: what near words are looked up by."""
    middle = len(word) // 2
    return word[:middle], word[middle:]


def pieces_of_near(word: str) -> list[str]:
    """Pieces of which every word that is one letter off holds one.

    An edit leaves one half as it is; only a swap over the middle changes both, and is made here.
    """
    first, second = halves(word)
    swapped = first[:-1] + second[:1] + first[-1:]
    return list(dict.fromkeys((first, second, swapped)))


def is_near(word: str, other: str) -> bool:
    """Whether one letter is wrong, missing, additional, or swapped with the next."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    short, long = sorted((word, other), key=len)
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    if short[start + 1 :] == long[start + 1 :]:
        return True
    return (
        short[start : start + 2] == long[start : start + 2][::-1]
        and short[start + 2 :] == long[start + 2 :]
    )


def near_words(word: str, terms: Iterable[str]) -> list[str]:
    """Which terms are near a word."""
    least, most = len(word) - 1, len(word) + 1
    return sorted({term for term in terms if least <= len(term) <= most and is_near(word, term)})
