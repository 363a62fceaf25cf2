"""Statements that no semicolon divides, as SQL Server allows."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.text.limits import SqlLimits
from headwater.sql.text.parsing import STATEMENT_WORDS, Piece, parse, piece_of

_AHEAD = 4
"""How many beginnings of statements may be inside one statement, as in INSERT ... SELECT."""

_FLOW = frozenset(("BEGIN", "ELSE", "END"))
_INSIDE = frozenset(("FROM", "INTO"))


def divide(piece: Piece, text: str, dialect: Dialect, limits: SqlLimits) -> Iterator[Piece]:
    """The statements of a piece: itself, unless it is wrong as a whole and right in parts."""
    is_divided = type(dialect).__name__ in ("TSQL", "Fabric") and piece.tokens
    starts = [*_starts(piece.tokens), len(piece.tokens)] if is_divided else []
    if len(starts) <= 2 or _is_right(piece, text, dialect, limits):
        yield piece
        return
    at = 0
    while at < len(starts) - 1:
        ends = starts[at + 1 : at + 1 + _AHEAD]
        found = [piece_of(list(piece.tokens[starts[at] : end])) for end in ends]
        # The longest: INSERT INTO t is a statement, and so is SELECT behind it.
        right = [n for n, each in enumerate(found) if _is_right(each, text, dialect, limits)]
        yield found[right[-1] if right else 0]
        at += 1 + (right[-1] if right else 0)


def _is_right(piece: Piece, text: str, dialect: Dialect, limits: SqlLimits) -> bool:
    trees, problem = parse(piece, text, dialect, limits)
    return problem is None and not any(isinstance(each, exp.Command) for each in trees)


def _starts(tokens: Sequence[Token]) -> Iterator[int]:
    """Where statements may begin: at the first word of a line, and behind BEGIN and END."""
    depth = 0
    line, before = 0, ""
    for place, token in enumerate(tokens):
        word = token.text.upper()
        is_first = place == 0 or token.line > line or before in _FLOW
        if place == 0 or (
            depth == 0 and is_first and word in STATEMENT_WORDS and word not in _INSIDE
        ):
            yield place
        if token.token_type == TokenType.L_PAREN:
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
        line, before = token.line, word
