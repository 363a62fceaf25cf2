"""Statements of T-SQL that sqlglot does not parse, as others that mean the same for lineage."""

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.text.token_lists import Tokens, closing, like, words_at


def _without_top(tokens: Tokens) -> Tokens:
    """T-SQL: `DELETE TOP (10) FROM t`."""
    end = closing(tokens, 2) if words_at(tokens, 1, 2) == ["TOP", "("] else None
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
    listed = closing([*tokens, tokens[-1]], end) if words[end : end + 1] == ["("] else None
    if listed is not None and words[end + 1] not in ("SELECT", "WITH", "VALUES"):
        end = listed + 1
    text = "".join(_bracketed(each) for each in tokens[into + 1 : end])
    name = like(tokens[into + 1], TokenType.IDENTIFIER, text)
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


def _distributed(tokens: Tokens) -> Tokens:
    """`CREATE TABLE t WITH (DISTRIBUTION = ..., HEAP) AS SELECT`: how rows are kept is left out."""
    for place in range(2, min(len(tokens) - 1, 12)):
        if words_at(tokens, place, 2) != ["WITH", "("]:
            continue
        end = closing(tokens, place + 1)
        if end is not None and words_at(tokens, end + 1, 1) == ["AS"]:
            return tokens[:place] + tokens[end + 1 :]
    return tokens


def _read_in_bulk(tokens: Tokens) -> Tokens:
    """`OPENROWSET(BULK 'path', FORMAT = '...') WITH (a INT) AS t`: the columns are its own."""
    for place in range(len(tokens) - 3):
        if words_at(tokens, place, 3) != ["OPENROWSET", "(", "BULK"]:
            continue
        found = tokens[: place + 2] + tokens[place + 3 :]
        end = closing(found, place + 1)
        if end is not None and words_at(found, end + 1, 2) == ["WITH", "("]:
            listed = closing([*found, found[-1]], end + 2)
            found = found[: end + 1] + (found[listed + 1 :] if listed is not None else [])
        return found
    return tokens


def _copied_places(tokens: Tokens) -> Tokens:
    """`COPY INTO t (a 1, b DEFAULT 0 2) FROM '...'`: the columns alone."""
    start = next((n for n, each in enumerate(tokens[:12]) if each.text == "("), 0)
    end = closing(tokens, start) if start else None
    if end is None or words_at(tokens, end + 1, 1) != ["FROM"]:
        return tokens
    listed = [
        each
        for before, each in zip(tokens[start:end], tokens[start + 1 : end + 1], strict=True)
        if before.text in ("(", ",") or each.text in (",", ")")
    ]
    return [*tokens[: start + 1], *listed, *tokens[end + 1 :]]


def _inserted_result(tokens: Tokens) -> Tokens:
    """`INSERT INTO t EXEC p 1, 2`: the rows of a procedure are those of a function nobody knows."""
    for place in range(2, len(tokens) - 1):
        if words_at(tokens, place, 1)[0] in ("EXEC", "EXECUTE"):
            end = place + 2
            while words_at(tokens, end, 1) == ["."]:
                end += 2
            token = tokens[place]
            select = [
                like(token, TokenType.SELECT, "SELECT"),
                like(token, TokenType.STAR, "*"),
                like(token, TokenType.FROM, "FROM"),
                like(tokens[end - 1], TokenType.VAR, tokens[end - 1].text),
                like(token, TokenType.L_PAREN, "("),
                like(token, TokenType.R_PAREN, ")"),
            ]
            return [*tokens[:place], *select]
    return tokens


_CHANGES = ("DELETE", "INSERT", "MERGE", "UPDATE", "WITH")
# First words of the statement (none: any), and what is done to the tokens.
TRANSACT_SQL: tuple[tuple[tuple[str, ...], Callable[[Tokens], Tokens]], ...] = (
    (_CHANGES, _output_into),
    (("DELETE", "INSERT", "UPDATE"), _without_top),
    (("DELETE",), _output_last),
    (("CREATE",), _distributed),
    (("COPY",), _copied_places),
    (("INSERT",), _inserted_result),
    ((), _read_in_bulk),
)
