"""A change as lines that a person reads: what an item is to hold, or what differs from before."""

from collections.abc import Iterator
from typing import Any

import msgspec

_MOST_LINES = 40
_LONGEST = 160


def diff_lines(old: dict[str, Any] | None, new: dict[str, Any] | None) -> tuple[str, ...]:
    """Fields that are added (+), removed (-) or changed (-, +); those that stay are left out."""
    before, after = dict(_flatten(old or {}, "")), dict(_flatten(new or {}, ""))
    lines = []
    for field in sorted(before.keys() | after.keys()):
        one, other = before.get(field), after.get(field)
        if one == other:
            continue
        if one is not None:
            lines.append(_line("-", field, one))
        if other is not None:
            lines.append(_line("+", field, other))
    if len(lines) > _MOST_LINES:
        more = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"  ... and {more:,} more lines"]
    return tuple(lines)


def _flatten(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every field by its path; the elements of a list stand by themselves, whatever their place."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flatten(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for each in value:
            text = each if isinstance(each, str) else _encode(each)
            yield f"{path}[{text}]", ""
    elif path:
        yield path, value if isinstance(value, str) else _encode(value)


def _encode(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _line(sign: str, field: str, value: str) -> str:
    text = f"{field}: {value}" if value else field
    shown = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return f"{sign} {shown}"
