"""Fields as OpenLineage's schema facet has them; types are named as Kafka Connect's, as the plugin
for Kafka Connect names them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]

# A schema may contain itself, and may be machine-made.
DEEPEST = 12
MOST_FIELDS = 5_000
_MOST_TEXT = 1_000
# Between the parts of a path while fields are collected: no name has it.
SEPARATOR = "\x1f"
ELEMENT = "_element"
MAP_KEY = "{key}"
MAP_VALUE = "{}"
_NAMES = {MAP_KEY: "key", MAP_VALUE: "value"}


class SchemaProblem(Exception):
    """Why a schema cannot be read, in one sentence."""


class ParsedSchema(NamedTuple):
    """What a schema says; `defaults` and `tags` are by the path of their field, and `owners` are
    its names for tags: the record and the field."""

    name: str = ""
    fields: tuple[Json, ...] = ()
    description: str = ""
    defaults: dict[str, Any] = {}
    tags: tuple[tuple[str, str], ...] = ()
    owners: dict[str, str] = {}
    problems: tuple[str, ...] = ()


class FieldBuilder:
    """Collects what is found beside the fields, and holds their number within limits."""

    def __init__(self) -> None:
        self.defaults: dict[str, Any] = {}
        self.tags: list[tuple[str, str]] = []
        self.owners: dict[str, str] = {}
        self.problems: dict[str, None] = {}
        self._count = 0

    def may_add(self) -> bool:
        self._count += 1
        if self._count > MOST_FIELDS:
            self.problems[f"it has more than {MOST_FIELDS:,} fields, the first are shown"] = None
        return self._count <= MOST_FIELDS

    def may_enter(self, depth: int) -> bool:
        if depth >= DEEPEST:
            self.problems[f"fields deeper than {DEEPEST} levels are left out"] = None
        return depth < DEEPEST

    def field(
        self,
        path: str,
        kind: str,
        description: Any = None,
        inside: Sequence[Json] = (),
        tags: Any = None,
        owner: str = "",
    ) -> Json:
        """A field at a path, whose last part is its name."""
        part = path.rpartition(SEPARATOR)[2]
        found: Json = {"name": _NAMES.get(part, part), "type": kind}
        if isinstance(description, str) and description.strip():
            found["description"] = description.strip()[:_MOST_TEXT]
        if inside:
            found["fields"] = list(inside)
        self.tags += [(path, str(tag)) for tag in (tags if isinstance(tags, list) else ())]
        if owner:
            self.owners[path] = owner
        return found

    def set_default(self, path: str, value: Any) -> None:
        """A default of None is worth no word: a field that may be null has it."""
        if value is not None and len(str(value)) <= _MOST_TEXT:
            self.defaults[path] = value

    def result(
        self, name: str, fields: Iterable[Json], description: Any, tags: Any = None
    ) -> ParsedSchema:
        self.tags += [("", str(tag)) for tag in (tags if isinstance(tags, list) else ())]
        text = description.strip()[:_MOST_TEXT] if isinstance(description, str) else ""
        return ParsedSchema(
            name,
            tuple(fields),
            text,
            {show_path(path): value for path, value in self.defaults.items()},
            tuple(dict.fromkeys((show_path(path), tag) for path, tag in self.tags)),
            {show_path(path): owner for path, owner in self.owners.items()},
            tuple(self.problems),
        )


def join(path: str, name: str) -> str:
    return f"{path}{SEPARATOR}{name}" if path else name


def show_path(path: str) -> str:
    """A path as columns have it everywhere: `a.b`, `items[].sku`, `prices{}`."""
    shown = ""
    for part in path.split(SEPARATOR):
        if part == ELEMENT:
            shown += "[]"
        elif part in _NAMES:
            shown += part
        else:
            shown += f".{part}" if shown else part
    return shown
