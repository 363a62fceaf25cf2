"""Text -> statements as sqlglot's trees, each on its own: one that is broken breaks no other."""

import logging
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects import Flink, KsqlDB
from headwater.sql.dialects.variables import with_variables
from headwater.sql.results import Problem, TextPosition
from headwater.sql.text.limits import SqlLimits
from headwater.sql.text.rewriting import rewrite_tokens

# sqlglot's parser goes some 17 calls deeper with each parenthesis; Python's usual limit is 1,000
# of them. Calls between Python functions need no C stack (3.11 and later).
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))
# What it cannot parse is reported as a problem, not in a log.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

WHOLE_TEXT = 1_000_000
"""Up to this many characters a text is divided into tokens in one go."""

_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)
# Importing them is what makes sqlglot know them.
OWN_DIALECTS = (Flink, KsqlDB)
ALIASES = {
    "": "", "ansi": "", "generic": "", "sparksql": "spark", "spark_sql": "spark",
    "postgresql": "postgres", "greenplum": "postgres", "mssql": "tsql", "sqlserver": "tsql",
    "mariadb": "mysql", "flinksql": "flink", "flink_sql": "flink", "ksql": "ksqldb", "db2": "",
    "vertica": "postgres", "impala": "hive", "presto": "presto", "googlesql": "bigquery",
}  # fmt: skip


# How sqlglot shows a token in a message.
_TOKEN = re.compile(r"<Token token_type: \S+ text: (\S*?), line[^>]*>")
# What sqlglot keeps as text behind some first words may be a statement after all.
_WORDS = """
    BEGIN CREATE COPY DECLARE DELETE DROP ELSE END EXEC EXECUTE FROM IF INSERT INTO MERGE PRINT
    RETURN SELECT SET TRUNCATE UPDATE WHILE WITH
    """
STATEMENT_WORDS = frozenset(_WORDS.split())


class Piece(NamedTuple):
    """The tokens of one statement, or the reason why there are none."""

    tokens: Sequence[Token]
    start: TextPosition
    end: TextPosition
    problem: Problem | None = None


def dialect_named(name: str) -> Dialect:
    """A dialect by its name or an alias of it; raises ValueError for one that is not known."""
    key = name.strip().lower()
    return Dialect.get_or_raise(ALIASES.get(key, key))


def pieces(text: str, dialect: Dialect, limits: SqlLimits) -> Iterator[Piece]:
    """The statements of a text, in order."""
    if len(text) <= WHOLE_TEXT:
        try:
            tokens = dialect.tokenize(text)
        except (TokenError, ValueError, RecursionError, IndexError):
            tokens = None
        if tokens is not None:
            if isinstance(dialect, KsqlDB):
                tokens = with_variables(tokens, dialect.tokenize)
            yield from _by_semicolon(tokens, text, dialect)
            return
    yield from _one_by_one(text, dialect, limits)


def _by_semicolon(tokens: Sequence[Token], text: str, dialect: Dialect) -> Iterator[Piece]:
    chunk: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if chunk:
                yield piece_of(_opened(chunk, text, dialect))
            chunk = []
        else:
            chunk.append(token)
    if chunk:
        yield piece_of(_opened(chunk, text, dialect))


def _opened(chunk: list[Token], text: str, dialect: Dialect, levels: int = 5) -> list[Token]:
    """With the tokens of what sqlglot keeps as one text, if that may be a statement."""
    last = chunk[-1]
    if len(chunk) != 2 or last.token_type != TokenType.STRING or not levels:
        return chunk
    start = text.find(last.text, chunk[0].end + 1) if last.text else -1
    if start < 0 or text[chunk[0].end + 1 : start].strip():
        return chunk
    if last.text.split(maxsplit=1)[0].upper() not in STATEMENT_WORDS:
        return chunk
    line = chunk[0].line + text.count("\n", chunk[0].end, start)
    place = TextPosition(line, start - text.rfind("\n", 0, start), start)
    try:
        rest = dialect.tokenize(last.text)
    except (TokenError, ValueError, RecursionError, IndexError):
        return chunk
    moved = [_moved(token, place) for token in rest]
    return [chunk[0], *_opened(moved, text, dialect, levels - 1)]


def piece_of(tokens: list[Token]) -> Piece:
    """The piece that some tokens are."""
    first, last = tokens[0], tokens[-1]
    start = TextPosition(first.line, max(first.col - (first.end - first.start), 1), first.start)
    return Piece(tokens, start, TextPosition(last.line, last.col, last.end + 1))


def _one_by_one(text: str, dialect: Dialect, limits: SqlLimits) -> Iterator[Piece]:
    """Statements that are divided by a rough scan, so that each is tokenized on its own."""
    line, counted = 1, 0
    for begin, end in _scan(text, dialect):
        part = text[begin:end]
        stripped = part.lstrip()
        if not stripped:
            continue
        begin += len(part) - len(stripped)
        line += text.count("\n", counted, begin)
        counted = begin
        column = begin - text.rfind("\n", 0, begin)
        start, stop = TextPosition(line, column, begin), TextPosition(line, column, end)
        if len(stripped) > limits.statement_characters:
            message = f"A statement of {len(stripped)} characters is too long."
            yield Piece((), start, stop, Problem("too long", message, line, column))
            continue
        try:
            tokens = dialect.tokenize(stripped)
        except (TokenError, ValueError, RecursionError, IndexError) as error:
            yield Piece((), start, stop, _token_problem(error, line, column))
            continue
        if tokens:
            moved = [_moved(token, start) for token in tokens]
            yield piece_of(_opened(moved, text, dialect))


def _token_problem(error: Exception, line: int, column: int) -> Problem:
    message = "The text cannot be divided into tokens."
    if "Missing" in f"{error} {error.__cause__}":
        message = "A quote or a comment is not closed."
    return Problem("syntax", message, line, column)


def _moved(token: Token, start: TextPosition) -> Token:
    """A token of a part of the text, at its place in the whole."""
    column = token.col + (start.column - 1 if token.line == 1 else 0)
    return Token(
        token.token_type,
        token.text,
        token.line + start.line - 1,
        column,
        token.start + start.offset,
        token.end + start.offset,
        token.comments,
    )


def _scan(text: str, dialect: Dialect) -> Iterator[tuple[int, int]]:
    """Where statements begin and end: at semicolons outside of quotes and comments."""
    comments = [each for each in dialect.tokenizer_class.COMMENTS if isinstance(each, str)]
    line_comments = "|".join(re.escape(each) for each in comments)
    pattern = re.compile(
        rf"(?:{line_comments})[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|''|\\.)*(?:'|\Z)"
        r'|"(?:[^"\\]|\\.)*(?:"|\Z)|`[^`]*(?:`|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)|;',
        re.DOTALL,
    )
    begin = 0
    for match in pattern.finditer(text):
        if match[0] == ";":
            yield begin, match.start()
            begin = match.end()
    yield begin, len(text)


def is_too_deep(tokens: Sequence[Token], limit: int) -> bool:
    """Whether parentheses, brackets or CASE are nested deeper than a limit."""
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
            if depth > limit:
                return True
        elif token.token_type in _CLOSING and depth:
            depth -= 1
    return False


def parse(
    piece: Piece, text: str, dialect: Dialect, limits: SqlLimits
) -> tuple[list[exp.Expr], Problem | None]:
    """The trees of a piece, one but for blocks; or why there are none."""
    start = piece.start
    if piece.problem is not None:
        return [], piece.problem
    if piece.end.offset - start.offset > limits.statement_characters:
        message = f"A statement of {piece.end.offset - start.offset} characters is too long."
        return [], Problem("too long", message, start.line, start.column)
    if is_too_deep(piece.tokens, limits.nesting):
        message = f"Parentheses or CASE are nested deeper than {limits.nesting}."
        return [], Problem("too deep", message, start.line, start.column)
    parser = dialect.parser(error_level=ErrorLevel.IMMEDIATE, error_message_context=0)
    try:
        found = parser.parse(rewrite_tokens(piece.tokens, dialect), text)
    except ParseError as error:
        return [], _parse_problem(error, start)
    except RecursionError:
        return [], Problem(
            "too deep", "The statement is nested too deep.", start.line, start.column
        )
    except Exception as error:  # sqlglot raises what it happens to on a broken text.
        message = f"The statement cannot be parsed ({type(error).__name__})."
        return [], Problem("syntax", message, start.line, start.column)
    return [each for each in found if each is not None], None


def _parse_problem(error: ParseError, start: TextPosition) -> Problem:
    first = error.errors[0] if error.errors else {}
    line, column = first.get("line") or start.line, first.get("col") or start.column
    near = str(first.get("highlight") or "").strip()
    description = str(first.get("description") or "It cannot be parsed").rstrip(".")
    description = _TOKEN.sub(lambda each: repr(each[1]), description)
    message = f"{description}, near {near[:60]!r}." if near else f"{description}."
    return Problem("syntax", message, int(line), max(int(column) - len(near) + 1, 1))
