"""ksqlDB's session variables: `DEFINE name = 'value'`, used as `${name}`."""

import re
from collections.abc import Callable

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)


def with_variables(tokens: list[Token], tokenize: Callable[[str], list[Token]]) -> list[Token]:
    """Replace the variables that the script itself defines before their use.

    What takes a variable's place has its position. A variable without a value is left as it is.
    """
    values: dict[str, str] = {}
    found: list[Token] = []
    is_start = True
    for index, token in enumerate(tokens):
        if is_start:
            _follow(tokens[index : index + 4], values)
        is_start = token.token_type == TokenType.SEMICOLON
        found += _replaced(token, values, tokenize) if values else [token]
    return found


def _follow(statement: list[Token], values: dict[str, str]) -> None:
    """Note what DEFINE and UNDEFINE say; names of variables are case-insensitive."""
    word = statement[0].text.upper()
    if word == "DEFINE" and len(statement) == 4 and statement[3].token_type == TokenType.STRING:
        values[statement[1].text.upper()] = statement[3].text
    elif word == "UNDEFINE" and len(statement) > 1:
        values.pop(statement[1].text.upper(), None)


def _replaced(
    token: Token, values: dict[str, str], tokenize: Callable[[str], list[Token]]
) -> list[Token]:
    if token.token_type == TokenType.NATIONAL_RAW_STRING:
        value = values.get(token.text.upper())
        return [token] if value is None else [_at(token, each) for each in _tokens(value, tokenize)]
    if token.token_type in _QUOTED and "${" in token.text:
        text = _VARIABLE.sub(lambda each: values.get(each[1].upper(), each[0]), token.text)
        return [_at(token, Token(token.token_type, text))]
    return [token]


def _tokens(value: str, tokenize: Callable[[str], list[Token]]) -> list[Token]:
    try:
        return tokenize(value)
    except TokenError:
        return [Token(TokenType.STRING, value)]


def _at(place: Token, token: Token) -> Token:
    return Token(
        token.token_type,
        token.text,
        place.line,
        place.col,
        place.start,
        place.end,
        place.comments,
    )
