"""Statements that sqlglot does not parse, as others that mean the same for lineage.

Here some of a statement's tokens are left out or changed; `commands.py` puts all of a statement
that sqlglot keeps as text another way.
"""

from collections.abc import Callable, Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

Tokens = list[Token]


def rewrite_tokens(tokens: Sequence[Token], dialect: Dialect) -> Tokens:
    """The tokens of a statement as sqlglot can parse them."""
    found = list(tokens)
    kind = type(dialect).__name__
    first = found[0].text.upper() if found else ""
    for words, dialects, rewrite in _REWRITES:
        if (not words or first in words) and (not dialects or kind in dialects):
            found = rewrite(found)
    return found


def _words(tokens: Sequence[Token], start: int, count: int) -> list[str]:
    return [each.text.upper() for each in tokens[start : start + count]]


def _without(tokens: Tokens, *phrase: str) -> Tokens:
    """Without the first occurrence of some words."""
    for place in range(len(tokens) - len(phrase) + 1):
        if _words(tokens, place, len(phrase)) == list(phrase):
            return tokens[:place] + tokens[place + len(phrase) :]
    return tokens


def _replace_into(tokens: Tokens) -> Tokens:
    """MySQL: REPLACE INTO is an INSERT that deletes what it replaces."""
    first = tokens[0]
    insert = _like(first, TokenType.INSERT, "INSERT")
    if len(tokens) > 1 and tokens[1].token_type == TokenType.STRING and len(tokens) == 2:
        return tokens
    return [insert, *tokens[1:]]


def _materialized(tokens: Tokens) -> Tokens:
    """PostgreSQL: `CREATE MATERIALIZED VIEW ... WITH [NO] DATA`; BigQuery: `SNAPSHOT TABLE`."""
    if "MATERIALIZED" in _words(tokens, 1, 4):
        for ending in (["WITH", "DATA"], ["WITH", "NO", "DATA"]):
            if _words(tokens, len(tokens) - len(ending), len(ending)) == ending:
                return tokens[: -len(ending)]
    if _words(tokens, 1, 2) == ["SNAPSHOT", "TABLE"]:
        return _without(tokens, "SNAPSHOT")
    return tokens


def _clone(tokens: Tokens) -> Tokens:
    """Databricks: DEEP CLONE, of a version."""
    words = [each.text.upper() for each in tokens]
    if "CLONE" not in words:
        return tokens
    place = words.index("CLONE")
    end = next((at for at in range(place, len(words) - 1) if words[at : at + 2] == ["AS", "OF"]), 0)
    kept = tokens[: end - 1] if end else tokens
    return _without(kept, "DEEP")


def _directory(tokens: Tokens) -> Tokens:
    """Spark: `INSERT OVERWRITE DIRECTORY 'path' USING format OPTIONS (...)`."""
    words = _words(tokens, 0, 8)
    if "DIRECTORY" not in words or "USING" not in words:
        return tokens
    start = words.index("USING")
    end = start + 2
    if _words(tokens, end, 1) == ["OPTIONS"]:
        while end < len(tokens) and tokens[end].token_type != TokenType.R_PAREN:
            end += 1
        end += 1
    return tokens[:start] + tokens[end:]


def _window_function(tokens: Tokens) -> Tokens:
    """Spark: `window(ts, '5 minutes')` and `window.start` are no WINDOW clause."""
    follow = (TokenType.L_PAREN, TokenType.DOT)
    return [
        _like(each, TokenType.VAR, each.text)
        if each.token_type == TokenType.WINDOW
        and place + 1 < len(tokens)
        and tokens[place + 1].token_type in follow
        else each
        for place, each in enumerate(tokens)
    ]


def _merge_delete(tokens: Tokens) -> Tokens:
    """Oracle: `UPDATE SET ... DELETE WHERE c` is a second clause that deletes."""
    for place in range(1, len(tokens) - 2):
        if _words(tokens, place, 2) == ["DELETE", "WHERE"]:
            end = place + 2
            while end < len(tokens) and _words(tokens, end, 2) != ["WHEN", "NOT"]:
                end += 1
            delete, where = tokens[place], tokens[place + 1]
            before = [
                _like(delete, TokenType.WHEN, "WHEN"),
                _like(delete, TokenType.VAR, "MATCHED"),
                _like(where, TokenType.AND, "AND"),
                _like(where, TokenType.L_PAREN, "("),
            ]
            after = [
                _like(where, TokenType.R_PAREN, ")"),
                _like(where, TokenType.THEN, "THEN"),
                delete,
            ]
            return [*tokens[:place], *before, *tokens[place + 2 : end], *after, *tokens[end:]]
    return tokens


def _phrases(tokens: Tokens) -> Tokens:
    """Teradata: `(TITLE 'x')` and `(FORMAT 'x')`, which change how a column is shown."""
    kept: Tokens = []
    place = 0
    while place < len(tokens):
        four = tokens[place : place + 4]
        if (
            len(four) == 4
            and [four[0].text, four[3].text] == ["(", ")"]
            and four[1].text.upper() in ("TITLE", "FORMAT")
            and four[2].token_type == TokenType.STRING
        ):
            place += 4
            continue
        kept.append(tokens[place])
        place += 1
    return kept


def _created_pivot(tokens: Tokens) -> Tokens:
    """DuckDB: `CREATE TABLE t AS PIVOT ...` is `... AS SELECT * FROM (PIVOT ...)`."""
    for place in range(2, len(tokens) - 1):
        if _words(tokens, place - 1, 1) == ["AS"] and tokens[place].text.upper() in _PIVOTS:
            token = tokens[place]
            before = [
                _like(token, TokenType.SELECT, "SELECT"),
                _like(token, TokenType.STAR, "*"),
                _like(token, TokenType.FROM, "FROM"),
                _like(token, TokenType.L_PAREN, "("),
            ]
            end = _like(tokens[-1], TokenType.R_PAREN, ")")
            return [*tokens[:place], *before, *tokens[place:], end]
    return tokens


def _updated_query(tokens: Tokens) -> Tokens:
    """Oracle: `UPDATE (SELECT ...) SET ...` changes the table that the query's columns are of."""
    end = _closing(tokens, 1)
    if end is None:
        return tokens
    first = tokens[0]
    has_alias = _words(tokens, end + 1, 1) != ["SET"]
    name = _like(first, TokenType.VAR, tokens[end + 1].text if has_alias else "updated rows")
    with_ = [_like(first, TokenType.WITH, "WITH"), name, _like(first, TokenType.ALIAS, "AS")]
    rest = tokens[end + 1 + has_alias :]
    return [*with_, *tokens[1 : end + 1], first, name, *rest]


def _closing(tokens: Tokens, start: int) -> int | None:
    """Where the parenthesis that opens at a place is closed, if more follows."""
    depth = 0
    for place in range(start, len(tokens) - 1):
        kind = tokens[place].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth == 0:
            return place if place > start else None
    return None


def _without_top(tokens: Tokens) -> Tokens:
    """T-SQL: `DELETE TOP (10) FROM t`."""
    end = _closing(tokens, 2) if _words(tokens, 1, 2) == ["TOP", "("] else None
    return [tokens[0], *tokens[end + 1 :]] if end is not None else tokens


def _output_into(tokens: Tokens) -> Tokens:
    """T-SQL: the table of `OUTPUT ... INTO dbo.t (a, b)` as one name, which sqlglot can parse."""
    kinds = [each.token_type for each in tokens]
    start = kinds.index(TokenType.RETURNING) if TokenType.RETURNING in kinds else len(kinds)
    into = kinds.index(TokenType.INTO, start) if TokenType.INTO in kinds[start:] else len(kinds)
    words = [each.text.upper() for each in tokens]
    end = into + (3 if words[into + 1 : into + 2] in (["@"], ["#"]) else 2)
    while words[end : end + 1] == ["."]:
        end += 1 if words[end + 1 : end + 2] == ["."] else 2
    if end > len(words):
        return tokens
    listed = _closing([*tokens, tokens[-1]], end) if words[end : end + 1] == ["("] else None
    if listed is not None and words[end + 1] not in ("SELECT", "WITH", "VALUES"):
        end = listed + 1
    text = "".join(_bracketed(each) for each in tokens[into + 1 : end])
    name = _like(tokens[into + 1], TokenType.IDENTIFIER, text)
    return [*tokens[: into + 1], name, *tokens[end:]]


def _output_last(tokens: Tokens) -> Tokens:
    """T-SQL: `DELETE FROM t OUTPUT ... WHERE c`, where sqlglot has RETURNING at the end."""
    kinds = [each.token_type for each in tokens]
    start = kinds.index(TokenType.RETURNING) if TokenType.RETURNING in kinds else len(kinds)
    end = kinds.index(TokenType.WHERE, start) if TokenType.WHERE in kinds[start:] else len(kinds)
    if kinds[:2] != [TokenType.DELETE, TokenType.FROM] or TokenType.FROM in kinds[start:end]:
        return tokens
    return tokens[:start] + tokens[end:] + tokens[start:end]


def _bracketed(token: Token) -> str:
    is_name = token.token_type == TokenType.IDENTIFIER
    return f"[{token.text}]" if is_name else token.text


def _like(token: Token, kind: TokenType, text: str) -> Token:
    """A token at another's place."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


_PIVOTS = ("PIVOT", "UNPIVOT", "PIVOT_WIDER", "PIVOT_LONGER")
_TSQL = ("TSQL", "Fabric")
_SPARK = ("Spark", "Spark2", "Databricks")
# First words of the statement, dialects (none: all), and what is done to the tokens.
_REWRITES: tuple[tuple[tuple[str, ...], tuple[str, ...], Callable[[Tokens], Tokens]], ...] = (
    (("REPLACE",), ("MySQL", "Doris", "StarRocks", "SingleStore", "SQLite"), _replace_into),
    (("CREATE",), (), _materialized),
    (("CREATE",), _SPARK, _clone),
    (("INSERT",), (*_SPARK, "Hive"), _directory),
    (("MERGE",), _SPARK, lambda tokens: _without(tokens, "WITH", "SCHEMA", "EVOLUTION")),
    (("MERGE",), ("Oracle",), _merge_delete),
    (("CREATE",), ("DuckDB",), _created_pivot),
    (("UPDATE",), ("Oracle",), _updated_query),
    (("DELETE", "INSERT", "MERGE", "UPDATE", "WITH"), _TSQL, _output_into),
    (("DELETE", "INSERT", "UPDATE"), _TSQL, _without_top),
    (("DELETE",), _TSQL, _output_last),
    ((), _SPARK, _window_function),
    ((), ("Teradata",), _phrases),
)
