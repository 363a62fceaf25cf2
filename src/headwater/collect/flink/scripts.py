"""The SQL of jobs, from files: which job each statement is of, as Flink's SQL client names them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from headwater.errors import BadConfig
from headwater.model.naming import DatasetName
from headwater.sql import SqlTable, Statement, WrittenColumn, analyze

_DIALECT = "flink"
# Where Flink has tables that say no other.
HOME = ("default_catalog", "default_database")
_LARGEST = 1_000_000
_SET_NAME = re.compile(r"SET\s+'?pipeline\.name'?\s*=\s*'?(?P<name>.*?)'?\s*;?\s*", re.I | re.S)
_RESET = re.compile(r"RESET(\s+'?pipeline\.name'?)?\s*;?\s*", re.I)
_VIEW = re.compile(r"\bCREATE VIEW\b", re.I)
_SET_BEGINS = re.compile(
    r"(EXECUTE\s+STATEMENT\s+SET\s+BEGIN|BEGIN\s+STATEMENT\s+SET)\b\s*;?", re.I
)


class JobSql(NamedTuple):
    """The statements of one job, which write tables; `tables` has those that define tables."""

    file: str
    text: str
    statements: Sequence[Statement]
    tables: Mapping[str, Statement]
    script: str = ""
    """The whole text that it is in, and which of its jobs it is."""
    number: int = 0


class DefinedTable(NamedTuple):
    """A table by its definition alone: where its data is, if that says so, and its columns."""

    dataset: DatasetName | None
    columns: Sequence[WrittenColumn]
    undefined: Sequence[str]
    """What a view reads, and nobody has defined."""
    problems: Sequence[str]


class SqlScripts:
    """Files of SQL by the names of their jobs; a file is read again when it has changed."""

    def __init__(self, places: Sequence[str]) -> None:
        self._places = places
        self._read: dict[Path, tuple[tuple[int, int], list[tuple[str, JobSql]]]] = {}

    def read(self) -> dict[str, list[JobSql]]:
        """The SQL that jobs of each name may have; raises BadConfig for a file that cannot be
        read."""
        found: dict[str, list[JobSql]] = {}
        for file in self._files():
            for name, sql in self._of_file(file):
                found.setdefault(name, []).append(sql)
        return found

    def _files(self) -> Iterator[Path]:
        for place in map(Path, self._places):
            if place.is_dir():
                yield from sorted(place.rglob("*.sql"))
            else:
                yield place

    def _of_file(self, file: Path) -> list[tuple[str, JobSql]]:
        try:
            status = file.stat()
            version = (status.st_mtime_ns, status.st_size)
            if file in self._read and self._read[file][0] == version:
                return self._read[file][1]
            if status.st_size > _LARGEST:
                raise BadConfig("sql", f"'{file}' is larger than {_LARGEST:,} bytes")
            text = file.read_text("utf-8-sig")
        except OSError as error:
            raise BadConfig("sql", f"'{file}' cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise BadConfig("sql", f"'{file}' is not UTF-8") from None
        self._read[file] = (version, jobs_of_script(text, str(file)))
        return self._read[file][1]


def jobs_of_script(text: str, file: str, definitions: str = "") -> list[tuple[str, JobSql]]:
    """The jobs of a script with their names: `pipeline.name`, else the one that Flink makes.

    The only job of a file, if nothing names it, goes by the file's name as well. `definitions` is
    a script that ran before.
    """
    script, text = text, _with_inlined_views(definitions + text)
    statements = analyze(text, _DIALECT, current=HOME)
    tables = {table.name: each for each in statements for table in _defined(each)}
    jobs = list(_jobs(text, [_moved(each, definitions) for each in statements]))
    found = []
    for number, (name, some) in enumerate(jobs):
        written = dict.fromkeys(table.name for each in some for table in each.outputs)
        query = ";\n".join(_SET_BEGINS.sub("", _text_of(text, each)).lstrip() for each in some)
        sql = JobSql(file, query, some, tables, script, number)
        if name or written:
            found.append((name or f"insert-into_{','.join(written)}", sql))
    if len(jobs) == 1 and not jobs[0][0]:
        found.append((Path(file).stem, sql))
    return found


def complete(sql: JobSql, definitions: str) -> JobSql:
    """The SQL of a job after a script that defines tables."""
    if not definitions:
        return sql
    found = jobs_of_script(sql.script, sql.file, definitions)
    return next((each for _, each in found if each.number == sql.number), sql)


def read_definitions(text: str) -> dict[str, DefinedTable]:
    """The tables and views that a script defines, by their full names."""
    text = _with_inlined_views(text)
    defined = [each for each in analyze(text, _DIALECT, current=HOME) if each.outputs]
    names = [each.outputs[0].name for each in defined]
    # What `*` of a table is are its columns.
    queries = "".join(f"SELECT * FROM {quote_name(name)};\n" for name in names)
    shown = analyze(text + queries, _DIALECT, current=HOME)[-len(names) :] if names else []
    return {
        name: DefinedTable(
            each.outputs[0].dataset,
            [column for write in columns.writes for column in write.columns],
            [table.name for table in each.inputs if table.dataset is None],
            [problem.message for problem in each.problems],
        )
        for name, each, columns in zip(names, defined, shown, strict=True)
    }


def _with_inlined_views(text: str) -> str:
    """A view is no table to a job of Flink, whose plan has what the view reads."""
    return _VIEW.sub("CREATE TEMPORARY VIEW", text)


def quote_name(name: str) -> str:
    return ".".join(f"`{part.replace('`', '``')}`" for part in name.split("."))


def _moved(statement: Statement, before: str) -> Statement:
    """With the lines of its own file: those of a text before it are not counted."""
    lines = before.count("\n")
    if not lines or statement.position.line <= lines:
        return statement
    problems = [each._replace(line=each.line - lines) for each in statement.problems]
    return replace(statement, problems=problems)


def _jobs(text: str, statements: Sequence[Statement]) -> Iterator[tuple[str, list[Statement]]]:
    """The statements of each job, with the name that was set then; a statement set is one job."""
    name, in_set = "", False
    together: list[Statement] = []
    for each in statements:
        words = _text_of(text, each)
        if (named := _SET_NAME.fullmatch(words)) is not None:
            name = named["name"]
        elif _RESET.fullmatch(words):
            name = ""
        in_set = in_set or _SET_BEGINS.match(words) is not None
        if _is_job(each):
            together.append(each)
        if each.kind == "END":
            in_set = False
        if together and not in_set:
            yield name, together
            together = []
    if together:
        yield name, together


def _is_job(statement: Statement) -> bool:
    """Whether Flink runs a job for it: not for what is only defined.

    An INSERT that is not understood is one too: its problems are gaps of this job.
    """
    if statement.kind == "INSERT":
        return True
    if statement.kind == "CREATE TABLE":
        return any(write.columns for write in statement.writes)
    return bool(statement.outputs) and not statement.kind.startswith(("CREATE", "DROP", "ALTER"))


def _defined(statement: Statement) -> Sequence[SqlTable]:
    return statement.outputs if statement.kind == "CREATE TABLE" else []


def _text_of(text: str, statement: Statement) -> str:
    return text[statement.position.offset : statement.end.offset].strip()
