"""Patterns of names with `*`, `?` and `[...]`, as shells have them, on either database."""

import re
from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement

MOST_STARS = 8
_TOKEN = re.compile(r"\*+|\?|\[(!?)(\]?[^\]]*)\]|(.)", re.DOTALL)
_LITERAL = re.compile(r"[^*?\[]*")
# Of a range, what a set of characters gives no meaning to.
_SPECIAL = re.compile(r"([\\\[\]^])")


def is_like(column: ColumnElement[Any], pattern: str, dialect: str) -> ColumnElement[bool]:
    """Whether a name is as a pattern says, in the same case."""
    if _LITERAL.fullmatch(pattern):
        return column == pattern
    if dialect == "sqlite":
        return column.op("GLOB", is_comparison=True)("".join(_for_sqlite(pattern)))
    return column.op("~", is_comparison=True)("^" + "".join(_for_postgres(pattern)) + "$")


def count_stars(pattern: str) -> int:
    """How often a pattern leaves out any number of characters; many make it slow."""
    return len(re.findall(r"\*+", pattern))


def _for_sqlite(pattern: str) -> Iterator[str]:
    for token in _TOKEN.finditer(pattern):
        if _is_set(token):
            yield f"[{'^' if token[1] else ''}{token[2]}]"
        elif token[3] is not None:
            yield f"[{token[3]}]" if token[3] in "*?[" else token[3]
        else:
            yield token[0][:1]


def _for_postgres(pattern: str) -> Iterator[str]:
    for token in _TOKEN.finditer(pattern):
        if _is_set(token):
            escaped = _SPECIAL.sub(r"\\\1", token[2])
            yield f"[{'^' if token[1] else ''}{escaped}]"
        elif token[3] is not None:
            yield re.escape(token[3]) if token[3].isascii() else token[3]
        else:
            yield ".*" if token[0][0] == "*" else "."


def _is_set(token: re.Match[str]) -> bool:
    return token[2] is not None
