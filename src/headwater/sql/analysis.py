"""A script -> its statements, with tables, columns and problems: `analyze`."""

import time
from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from headwater.sql.catalog import Catalog
from headwater.sql.results import Problem, Statement, TextPosition
from headwater.sql.session import Session, TooLong
from headwater.sql.statements.writes import StatementReader
from headwater.sql.text.commands import MAX_COMMAND, rewrite_command
from headwater.sql.text.dialect_choice import better_dialect, choose_dialect
from headwater.sql.text.dividing import divide
from headwater.sql.text.limits import DEFAULT_LIMITS, SqlLimits
from headwater.sql.text.parsing import Piece, dialect_named, parse, pieces
from headwater.sql.text.procedures import body_of
from headwater.sql.text.script_text import prepare_script
from headwater.sql.text.templates import Templates

Schemas = Mapping[str, Sequence[str] | Mapping[str, str | None]]


def analyze(
    text: str,
    dialect: str | None = None,
    catalog: "Catalog | Schemas | None" = None,
    limits: SqlLimits = DEFAULT_LIMITS,
    current: Sequence[str] = (),
    kafka: str = "",
) -> list[Statement]:
    """The statements of a script, in order.

    `dialect` is a name that sqlglot knows, `flink` or `ksqldb`; without one the best fitting is
    chosen (`choose_dialect`). `catalog` lists tables outside the script. `current` is the catalog
    and schema in which names without them are; `kafka` is the cluster (`host:port`) of a dialect
    whose statements do not name theirs, as ksqlDB's. Whatever is not understood is among the
    problems of its statement; nothing is raised but ValueError, for a dialect that is not known.
    """
    chosen = dialect if dialect else choose_dialect(text, limits)
    session = Session(dialect_named(chosen), _catalog(catalog), kafka=kafka)
    return list(_ScriptReader(text, session, limits, tuple(current)).statements())


def _catalog(given: "Catalog | Schemas | None") -> Catalog:
    if isinstance(given, Catalog):
        return given
    return Catalog.of(given or {})


class _ScriptReader:
    def __init__(
        self,
        text: str,
        session: Session,
        limits: SqlLimits,
        current: tuple[str, ...],
    ) -> None:
        self._original = text
        self._dialect = session.dialect
        self._limits = limits
        self._deadline = time.monotonic() + limits.seconds
        self._templates = Templates(text, _variables(text, session.dialect))
        self._session = session
        session.deadline, session.templates = self._deadline, self._templates
        if current:
            self._session.current_schema = current[-1]
            self._session.current_catalog = current[-2] if len(current) > 1 else ""
        self._suggestions = limits.suggestions

    def statements(self) -> Iterator[Statement]:
        text = prepare_script(self._templates.text, self._dialect)
        if len(text) > self._limits.characters:
            message = f"A script of {len(text)} characters is too long."
            problem = Problem("too long", message, 1, 1)
            yield Statement("", TextPosition(), TextPosition(), problems=[problem])
            return
        templates = iter(self._templates.problems)
        waiting = next(templates, None)
        for piece in self._pieces(text):
            if time.monotonic() > self._deadline:
                yield self._out_of_time(piece)
                return
            noted = []
            while waiting is not None and waiting[2:] < (piece.end.line, piece.end.column + 1):
                noted.append(waiting)
                waiting = next(templates, None)
            yield self._statement(piece, text, noted)
        if waiting is not None:
            rest = [waiting, *templates]
            place = TextPosition(waiting.line, waiting.column)
            yield Statement("", place, place, problems=rest)

    def _pieces(self, text: str) -> Iterator[Piece]:
        for piece in pieces(text, self._dialect, self._limits):
            yield from divide(piece, text, self._dialect, self._limits)

    def _out_of_time(self, piece: Piece) -> Statement:
        message = f"The time of {self._limits.seconds:g} s is up: the rest is not read."
        problem = Problem("too long", message, piece.start.line, piece.start.column)
        return Statement("", piece.start, piece.end, problems=[problem])

    def _statement(self, piece: Piece, text: str, noted: Sequence[Problem]) -> Statement:
        session = self._session
        session.begin(piece.start.line, piece.start.column)
        session.problems.update(dict.fromkeys(noted))
        reader = StatementReader(session)
        kind = _kind(piece)
        trees, problem = parse(piece, text, self._dialect, self._limits)
        if problem is not None or any(_is_opaque(each) for each in trees):
            trees, problem = self._otherwise(piece, text) or (trees, problem)
        if problem is not None:
            session.problems[self._suggested(piece, text, problem)] = None
        for each in trees:
            self._read(reader, each)
        statement = Statement(
            kind,
            piece.start,
            piece.end,
            list(session.inputs.values()),
            reader.built.writes,
            list(session.problems),
        )
        return self._templates.restore(statement)

    def _otherwise(self, piece: Piece, text: str) -> tuple[list[exp.Expr], None] | None:
        """What a statement is that sqlglot does not parse: a body's, or one that means the same."""
        body = body_of(piece)
        if body is not None:
            inner, problem = parse(body, text, self._dialect, self._limits)
            if problem is None and not any(_is_opaque(each) for each in inner):
                return inner, None
        if piece.end.offset - piece.start.offset > MAX_COMMAND:
            return None
        found = rewrite_command(text[piece.start.offset : piece.end.offset], self._dialect)
        return ([found], None) if found is not None else None

    def _read(self, reader: StatementReader, tree: exp.Expr) -> None:
        """Read a tree; a fault of ours is a problem of this statement, as any other."""
        session = self._session
        try:
            reader.read(tree)
        except TooLong:
            session.report("too long", "The time is up.", None)
        except RecursionError:
            session.report("too deep", "The statement is nested too deep.", None)
        except Exception as error:
            message = f"The statement is not understood ({type(error).__name__})."
            session.report("not understood", message, tree)

    def _suggested(self, piece: Piece, text: str, problem: Problem) -> Problem:
        """A syntax error, with the dialect in which the statement is right."""
        if problem.kind != "syntax" or self._suggestions <= 0:
            return problem
        self._suggestions -= 1
        part = text[piece.start.offset : piece.end.offset]
        other = better_dialect(part, self._dialect, self._limits)
        if other is None:
            return problem
        return problem._replace(message=f"{problem.message} It is valid in {other}.")


def _is_opaque(tree: exp.Expr) -> bool:
    """Whether sqlglot kept the text of a statement, or of a procedure's body, as it is."""
    if isinstance(tree, (exp.Command, exp.Execute, exp.ExecuteSql)):
        return True
    return isinstance(tree, exp.Create) and str(tree.args.get("kind")).upper() in (
        "PROCEDURE",
        "PROC",
    )


def _variables(text: str, dialect: Dialect) -> frozenset[str]:
    """The variables that a ksqlDB script defines itself, in upper case."""
    if type(dialect).__name__ != "KsqlDB" or "define" not in text.lower():
        return frozenset()
    words = text.upper().split()
    return frozenset(b for a, b in zip(words, words[1:], strict=False) if a == "DEFINE")


_SECOND = frozenset(("OVERWRITE", "TABLE", "VIEW", "STREAM", "FUNCTION"))


def _kind(piece: Piece) -> str:
    """The first words of a statement, or of the first of a statement set."""
    words = [token.text.upper() for token in piece.tokens[:8]]
    if "SET" in words[:3] and "BEGIN" in words[:4]:
        words = words[words.index("BEGIN") + 1 :]
    if not words:
        return ""
    first = words[0]
    if first == "CREATE":
        kinds = ("TABLE", "VIEW", "STREAM", "FUNCTION", "PROCEDURE", "DATABASE", "SCHEMA")
        found = next((each for each in words[1:] if each in kinds), "")
        return f"CREATE {found}".strip()
    if first in ("INSERT", "DROP", "ALTER") and len(words) > 1 and words[1] in _SECOND:
        return f"{first} {words[1]}"
    return first if first.isidentifier() else ""
