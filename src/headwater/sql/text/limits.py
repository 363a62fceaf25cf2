"""How much SQL is read: no text makes a program hang or recurse to death."""

from typing import NamedTuple


class SqlLimits(NamedTuple):
    seconds: float = 60.0
    """For a whole script; what is left then is reported."""
    characters: int = 20_000_000
    """Of a script."""
    statement_characters: int = 1_000_000
    """Of one statement, which is parsed in one go."""
    nesting: int = 200
    """Of parentheses, brackets and CASE inside each other."""

    suggestions: int = 3
    """Statements with syntax errors for which another dialect is looked for."""


DEFAULT_LIMITS = SqlLimits()
