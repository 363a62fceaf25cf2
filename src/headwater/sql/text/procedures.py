"""Procedures and control flow: the statements in them are read as if they ran."""

from sqlglot.tokenizer_core import Token

from headwater.sql.results import TextPosition
from headwater.sql.text.parsing import Piece

# What may begin a statement that reads or writes.
_STARTS = frozenset(
    ("INSERT", "SELECT", "WITH", "UPDATE", "DELETE", "MERGE", "CREATE", "TRUNCATE", "COPY", "FROM")
)
# What stands before a statement inside a body.
_BEFORE = frozenset(("BEGIN", "THEN", "ELSE", "LOOP", "DO", "AS", "IS", "REPEAT", "$$", "SET"))


# What is created with statements in it.
_WITH_BODY = frozenset(
    ("ALERT", "EVENT", "FLOW", "FUNCTION", "PACKAGE", "PIPE", "PROC", "PROCEDURE", "TASK",
     "TRIGGER")
)  # fmt: skip


def body_of(piece: Piece) -> Piece | None:
    """The first statement behind `CREATE PROCEDURE ... BEGIN`, `IF ... THEN` and the like.

    The others of a body are pieces of their own, since each ends with a semicolon.
    """
    tokens = list(piece.tokens)
    words = [token.text.upper() for token in tokens]
    if words[:1] == ["CREATE"] and not _WITH_BODY.intersection(words[1:8]):
        # What a table or view is made of is no body: it would be read without them.
        return None
    for place in range(1, len(tokens)):
        if words[place] in _STARTS and words[place - 1] in _BEFORE:
            if words[place] == "CREATE" and place == 0:
                continue
            return _behind(piece, tokens[place:])
    return None


def _behind(piece: Piece, tokens: list[Token]) -> Piece:
    while tokens and tokens[-1].text.upper() in ("END", "GO"):
        tokens = tokens[:-1]
    first = tokens[0]
    start = TextPosition(first.line, max(first.col - (first.end - first.start), 1), first.start)
    return Piece(tokens, start, piece.end)
