"""The SQL of jobs, from files: which job each statement is of, as Flink's SQL client names them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from headwater.errors import BadConfig
from headwater.sql import SqlTable, Statement, analyze

_DIALECT = "flink"
# Where Flink has tables that say no other.
_HOME = ("default_catalog", "default_database")
_LARGEST = 1_000_000
_SET_NAME = re.compile(r"SET\s+'?pipeline\.name'?\s*=\s*'?(?P<name>.*?)'?\s*;?\s*", re.I | re.S)
_RESET = re.compile(r"RESET(\s+'?pipeline\.name'?)?\s*;?\s*", re.I)
_SET_BEGINS = re.compile(
    r"(EXECUTE\s+STATEMENT\s+SET\s+BEGIN|BEGIN\s+STATEMENT\s+SET)\b\s*;?", re.I
)


class JobSql(NamedTuple):
    """The statements of one job, which write tables; `tables` has those that define tables."""

    file: str
    text: str
    statements: Sequence[Statement]
    tables: Mapping[str, Statement]


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


def jobs_of_script(text: str, file: str) -> list[tuple[str, JobSql]]:
    """The jobs of a script with their names: `pipeline.name`, else the one that Flink makes.

    The only job of a file, if nothing names it, goes by the file's name as well.
    """
    statements = analyze(text, _DIALECT, current=_HOME)
    tables = {table.name: each for each in statements for table in _defined(each)}
    jobs = list(_jobs(text, statements))
    found = []
    for name, some in jobs:
        written = dict.fromkeys(table.name for each in some for table in each.outputs)
        query = ";\n".join(_SET_BEGINS.sub("", _text_of(text, each)).lstrip() for each in some)
        sql = JobSql(file, query, some, tables)
        if name or written:
            found.append((name or f"insert-into_{','.join(written)}", sql))
    if len(jobs) == 1 and not jobs[0][0]:
        found.append((Path(file).stem, sql))
    return found


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
