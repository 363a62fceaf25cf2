"""Statements that sqlglot does not parse, as others that mean the same for lineage.

Here some of a statement's tokens are left out or changed; `commands.py` puts all of a statement
that sqlglot keeps as text another way.
"""

from collections.abc import Callable, Sequence

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.text.token_lists import Tokens, closing, like, without, words_at
from headwater.sql.text.transact_sql import TRANSACT_SQL


def rewrite_tokens(tokens: Sequence[Token], dialect: Dialect) -> Tokens:
    """The tokens of a statement as sqlglot can parse them."""
    found = list(tokens)
    kind = type(dialect).__name__
    first = found[0].text.upper() if found else ""
    for words, dialects, rewrite in _REWRITES:
        if (not words or first in words) and (not dialects or kind in dialects):
            found = rewrite(found)
    return found


def _replace_into(tokens: Tokens) -> Tokens:
    """MySQL: REPLACE INTO is an INSERT that deletes what it replaces."""
    first = tokens[0]
    insert = like(first, TokenType.INSERT, "INSERT")
    if len(tokens) > 1 and tokens[1].token_type == TokenType.STRING and len(tokens) == 2:
        return tokens
    return [insert, *tokens[1:]]


def _materialized(tokens: Tokens) -> Tokens:
    """PostgreSQL: `CREATE MATERIALIZED VIEW ... WITH [NO] DATA`; BigQuery: `SNAPSHOT TABLE`."""
    if "MATERIALIZED" in words_at(tokens, 1, 4):
        for ending in (["WITH", "DATA"], ["WITH", "NO", "DATA"]):
            if words_at(tokens, len(tokens) - len(ending), len(ending)) == ending:
                return tokens[: -len(ending)]
    if words_at(tokens, 1, 2) == ["SNAPSHOT", "TABLE"]:
        return without(tokens, "SNAPSHOT")
    return tokens


def _clone(tokens: Tokens) -> Tokens:
    """Databricks: DEEP CLONE, of a version."""
    words = [each.text.upper() for each in tokens]
    if "CLONE" not in words:
        return tokens
    place = words.index("CLONE")
    end = next((at for at in range(place, len(words) - 1) if words[at : at + 2] == ["AS", "OF"]), 0)
    kept = tokens[: end - 1] if end else tokens
    return without(kept, "DEEP")


def _directory(tokens: Tokens) -> Tokens:
    """Spark: `INSERT OVERWRITE DIRECTORY 'path' USING format OPTIONS (...)`."""
    words = words_at(tokens, 0, 8)
    if "DIRECTORY" not in words or "USING" not in words:
        return tokens
    start = words.index("USING")
    end = start + 2
    if words_at(tokens, end, 1) == ["OPTIONS"]:
        while end < len(tokens) and tokens[end].token_type != TokenType.R_PAREN:
            end += 1
        end += 1
    return tokens[:start] + tokens[end:]


def _window_function(tokens: Tokens) -> Tokens:
    """Spark: `window(ts, '5 minutes')` and `window.start` are no WINDOW clause."""
    follow = (TokenType.L_PAREN, TokenType.DOT)
    return [
        like(each, TokenType.VAR, each.text)
        if each.token_type == TokenType.WINDOW
        and place + 1 < len(tokens)
        and tokens[place + 1].token_type in follow
        else each
        for place, each in enumerate(tokens)
    ]


def _merge_delete(tokens: Tokens) -> Tokens:
    """Oracle: `UPDATE SET ... DELETE WHERE c` is a second clause that deletes."""
    for place in range(1, len(tokens) - 2):
        if words_at(tokens, place, 2) == ["DELETE", "WHERE"]:
            end = place + 2
            while end < len(tokens) and words_at(tokens, end, 2) != ["WHEN", "NOT"]:
                end += 1
            delete, where = tokens[place], tokens[place + 1]
            before = [
                like(delete, TokenType.WHEN, "WHEN"),
                like(delete, TokenType.VAR, "MATCHED"),
                like(where, TokenType.AND, "AND"),
                like(where, TokenType.L_PAREN, "("),
            ]
            after = [
                like(where, TokenType.R_PAREN, ")"),
                like(where, TokenType.THEN, "THEN"),
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
        if words_at(tokens, place - 1, 1) == ["AS"] and tokens[place].text.upper() in _PIVOTS:
            token = tokens[place]
            before = [
                like(token, TokenType.SELECT, "SELECT"),
                like(token, TokenType.STAR, "*"),
                like(token, TokenType.FROM, "FROM"),
                like(token, TokenType.L_PAREN, "("),
            ]
            end = like(tokens[-1], TokenType.R_PAREN, ")")
            return [*tokens[:place], *before, *tokens[place:], end]
    return tokens


def _updated_query(tokens: Tokens) -> Tokens:
    """Oracle: `UPDATE (SELECT ...) SET ...` changes the table that the query's columns are of."""
    end = closing(tokens, 1)
    if end is None:
        return tokens
    first = tokens[0]
    has_alias = words_at(tokens, end + 1, 1) != ["SET"]
    name = like(first, TokenType.VAR, tokens[end + 1].text if has_alias else "updated rows")
    with_ = [like(first, TokenType.WITH, "WITH"), name, like(first, TokenType.ALIAS, "AS")]
    rest = tokens[end + 1 + has_alias :]
    return [*with_, *tokens[1 : end + 1], first, name, *rest]


def _returned(tokens: Tokens) -> Tokens:
    """`RETURN 'done'` at the end of a procedure."""
    is_query = any(each.token_type == TokenType.SELECT for each in tokens)
    return tokens if is_query else tokens[:1]


_PIVOTS = ("PIVOT", "UNPIVOT", "PIVOT_WIDER", "PIVOT_LONGER")
_TSQL = ("TSQL", "Fabric")
_SPARK = ("Spark", "Spark2", "Databricks")
# First words of the statement, dialects (none: all), and what is done to the tokens.
_REWRITES: tuple[tuple[tuple[str, ...], tuple[str, ...], Callable[[Tokens], Tokens]], ...] = (
    (("REPLACE",), ("MySQL", "Doris", "StarRocks", "SingleStore", "SQLite"), _replace_into),
    (("CREATE",), (), _materialized),
    (("CREATE",), _SPARK, _clone),
    (("INSERT",), (*_SPARK, "Hive"), _directory),
    (("MERGE",), _SPARK, lambda tokens: without(tokens, "WITH", "SCHEMA", "EVOLUTION")),
    (("MERGE",), ("Oracle",), _merge_delete),
    (("CREATE",), ("DuckDB",), _created_pivot),
    (("UPDATE",), ("Oracle",), _updated_query),
    (("RETURN",), (), _returned),
    *((words, _TSQL, rewrite) for words, rewrite in TRANSACT_SQL),
    ((), _SPARK, _window_function),
    ((), ("Teradata",), _phrases),
)
