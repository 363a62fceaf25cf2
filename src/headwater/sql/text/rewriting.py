"""Statements that sqlglot does not parse, as others that mean the same for lineage.

Either some of a statement's tokens are left out or changed (`rewrite_tokens`), or all of a
statement that sqlglot keeps as text is put another way (`rewrite_command`).
"""

import re
from collections.abc import Callable, Sequence

from sqlglot import exp, parse_one
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

Tokens = list[Token]

MAX_COMMAND = 20_000
"""Characters of a statement that is looked at as a whole."""


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


def _like(token: Token, kind: TokenType, text: str) -> Token:
    """A token at another's place."""
    return Token(kind, text, token.line, token.col, token.start, token.end, token.comments)


_SPARK = ("Spark", "Spark2", "Databricks")
# First words of the statement, dialects (none: all), and what is done to the tokens.
_REWRITES: tuple[tuple[tuple[str, ...], tuple[str, ...], Callable[[Tokens], Tokens]], ...] = (
    (("REPLACE",), ("MySQL", "Doris", "StarRocks", "SingleStore", "SQLite"), _replace_into),
    (("CREATE",), (), _materialized),
    (("CREATE",), _SPARK, _clone),
    (("INSERT",), (*_SPARK, "Hive"), _directory),
    (("MERGE",), _SPARK, lambda tokens: _without(tokens, "WITH", "SCHEMA", "EVOLUTION")),
    (("MERGE",), ("Oracle",), _merge_delete),
    ((), _SPARK, _window_function),
    ((), ("Teradata",), _phrases),
)

_NAME = r"[^\s(),;]+"
_PARTITION = rf"ALTER\s+TABLE\s+(?P<a>{_NAME})\s+"
# Statements that sqlglot keeps as text, and what each is for lineage, in a dialect that has it.
_COMMANDS = tuple(
    (re.compile(rf"\s*{pattern}", re.I | re.S), template, dialect)
    for pattern, template, dialect in (
        (rf"{_PARTITION}APPEND\s+FROM\s+(?P<b>{_NAME})", "INSERT INTO {a} SELECT * FROM {b}", None),
        (
            rf"{_PARTITION}(?:EXCHANGE|MOVE)\s+PARTITION\b.*?\b(?:WITH|TO)\s+TABLE\s+(?P<b>{_NAME})",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"{_PARTITION}(?:REPLACE|ATTACH)\s+PARTITION\b[^;]*?\bFROM\s+(?P<b>{_NAME})\s*$",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"{_PARTITION}ATTACH\s+PARTITION\s+(?P<b>{_NAME})\s+(?:FOR|DEFAULT)",
            "INSERT INTO {a} SELECT * FROM {b}",
            None,
        ),
        (
            rf"EXCHANGE\s+TABLES\s+(?P<a>{_NAME})\s+AND\s+(?P<b>{_NAME})",
            "ALTER TABLE {a} SWAP WITH {b}",
            None,
        ),
        (
            rf"RENAME\s+TABLE\s+(?P<a>{_NAME})\s+TO\s+(?P<b>{_NAME})",
            "ALTER TABLE {a} RENAME TO {b}",
            None,
        ),
        (
            r"UNLOAD\s*\(\s*'(?P<a>(?:[^']|'')*)'\s*\)\s*TO\s*'(?P<b>[^']*)'",
            "COPY ({a}) TO '{b}'",
            None,
        ),
        (
            rf"CREATE\s+(?:OR\s+REPLACE\s+)?STREAM\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<a>{_NAME})\s.*?"
            rf"\bON\s+(?:TABLE|VIEW|DYNAMIC\s+TABLE|EXTERNAL\s+TABLE|STAGE)\s+(?P<b>{_NAME})",
            'CREATE VIEW {a} AS SELECT *, NULL AS "METADATA$ACTION", NULL AS "METADATA$ISUPDATE",'
            ' NULL AS "METADATA$ROW_ID" FROM {b}',
            None,
        ),
        (
            rf"BULK\s+INSERT\s+(?P<a>{_NAME})\s+FROM\s+'(?P<b>[^']*)'",
            "LOAD DATA INPATH '{b}' INTO TABLE {a}",
            "hive",
        ),
        (
            rf"LOAD\s+DATA\b.*?\bINFILE\s+'(?P<b>[^']*)'.*?\bINTO\s+TABLE\s+(?P<a>{_NAME})",
            "LOAD DATA INPATH '{b}' INTO TABLE {a}",
            "hive",
        ),
    )
)


def rewrite_command(text: str, dialect: Dialect) -> exp.Expr | None:
    """The tree of a statement that sqlglot does not parse, or keeps as text; or none."""
    for pattern, template, other in _COMMANDS:
        match = pattern.match(text)
        if match is None:
            continue
        parts = {key: value.replace("''", "'") for key, value in match.groupdict().items()}
        if other:
            parts["a"] = re.sub(r"[\[\]]", "`", parts["a"])
            parts["b"] = parts["b"].replace("\\", "\\\\")
        try:
            tree = parse_one(template.format(**parts), read=other or dialect)
        except (SqlglotError, RecursionError):
            return None
        # Positions are those of another text: problems are at the statement's start.
        for node in tree.walk():
            node._meta = None
        return tree
    return None
