"""Lists of a statement's tokens, for what changes them before they are parsed."""

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

Tokens = list[Token]


def words_at(tokens: Sequence[Token], start: int, count: int) -> list[str]:
    return [each.text.upper() for each in tokens[start : start + count]]


def without(tokens: Tokens, *phrase: str) -> Tokens:
    """Without the first occurrence of some words."""
    for place in range(len(tokens) - len(phrase) + 1):
        if words_at(tokens, place, len(phrase)) == list(phrase):
            return tokens[:place] + tokens[place + len(phrase) :]
    return tokens


def closing(tokens: Tokens, start: int) -> int | None:
    """Where the parenthesis that opens at a place is closed, if more follows."""
    depth = 0
    for place in range(start, len(tokens) - 1):
        kind = tokens[place].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0:
            return place if place > start else None
    return None


def like(token: Token, kind: TokenType, text: str) -> Token:
    """A token at another's place."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)
