"""Paths of nested fields: `a.b` is a field of a struct, `items[].sku` one of an array's elements,
`prices{}` the values of a map and `prices{key}` its keys.

A column is its own path. What is inside it begins with its path and one of these marks.
"""

_MARKS = (".", "[", "{")
# OpenLineage's schema facet names elements, keys and values like fields: so do its producers.
_ELEMENT = "_element"
_MAP = frozenset(("key", "value"))
# Deeper than any schema: a job that writes a field into itself must not go on for ever.
MOST_LEVELS = 16


def is_nested(path: str) -> bool:
    """Whether a path may lie inside another; a flat column may have a dot in its name as well."""
    return "." in path or "[" in path or "{" in path


def list_parents(path: str) -> list[str]:
    """The paths that a path lies inside, the nearest first."""
    return [path[:end] for end in range(len(path) - 1, 0, -1) if path[end] in _MARKS]


def is_inside(path: str, parent: str) -> bool:
    """Whether a path lies inside another; nothing lies inside itself."""
    return len(path) > len(parent) > 0 and path.startswith(parent) and path[len(parent)] in _MARKS


def append(path: str, rest: str) -> str:
    """A path with what lies inside it, unless that gets too deep."""
    levels = len(list_parents(path)) + len(list_parents(rest))
    return path + rest if levels < MOST_LEVELS else path


def child_path(parent: str, parent_type: str, name: str, siblings: frozenset[str]) -> str:
    """The path of a field of a schema's field, by the names that OpenLineage gives to elements."""
    if name == _ELEMENT:
        return f"{parent}[]"
    if siblings == _MAP and parent_type.lower().startswith("map"):
        return f"{parent}{{}}" if name == "value" else f"{parent}{{key}}"
    return f"{parent}.{name}"
