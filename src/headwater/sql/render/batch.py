"""The answer for a script as plain values: what `--batch` and the API return."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from headwater.model.column_map import Transformation
from headwater.sql.analysis import analyze
from headwater.sql.results import Problem, SourceColumn, SqlTable, Statement, TableWrite

Json = dict[str, Any]


class Request(msgspec.Struct):
    """A line of `--batch`. Without a dialect the best fitting is chosen; without a database or
    schema names are completed by the schemas and by USE alone."""

    sql: str
    id: Any = None
    dialect: str | None = None
    schemas: dict[str, list[str] | dict[str, str | None]] | None = None
    default_db: str | None = None
    default_schema: str | None = None


def answer_request(line: bytes) -> Json:
    """The answer to one request {id, sql, dialect, schemas}; one that is no such thing has a
    problem in it, and nothing else."""
    try:
        request = msgspec.json.decode(line, type=Request)
    except (msgspec.MsgspecError, UnicodeError) as error:
        return {"id": _id_of(line), **_refusal(f"The request cannot be read: {error}.")}
    unknown = []
    names = (request.default_db or "", request.default_schema or "")
    current = names if any(names) else ()
    try:
        dialect = request.dialect or None
        statements = analyze(request.sql, dialect, request.schemas, current=current)
    except ValueError:
        statements = analyze(request.sql, None, request.schemas, current=current)
        name = (request.dialect or "")[:100]
        message = f"The dialect {name!r} is not known: the best fitting was chosen."
        unknown = [problem_json(Problem("dialect", message, 1, 1))]
    answer = script_answer(statements)
    return {"id": request.id, **answer, "problems": [*unknown, *answer["problems"]]}


def _id_of(line: bytes) -> Any:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return found.get("id") if isinstance(found, dict) else None


def _refusal(message: str) -> Json:
    return {**script_answer(()), "problems": [problem_json(Problem("request", message, 1, 1))]}


def script_answer(statements: Sequence[Statement]) -> Json:
    """What a script as a whole reads and writes.

    A table that one statement fills and a later one reads is no input of the script, and one that
    is temporary is no output either. One that is only defined, as a topic is in Flink, and then
    read is an input.
    """
    inputs: dict[str, SqlTable] = {}
    outputs: dict[str, SqlTable] = {}
    read: set[str] = set()
    filled: set[str] = set()
    for statement in statements:
        for table in statement.inputs:
            read.add(table.name.lower())
            if table.name.lower() not in filled:
                inputs.setdefault(table.name.lower(), table)
        is_definition = statement.kind.startswith("CREATE") and not statement.inputs
        for table in statement.outputs:
            outputs.setdefault(table.name.lower(), table)
            if not is_definition:
                filled.add(table.name.lower())
    for key in read - filled:
        outputs.pop(key, None)
    return {
        "inputs": [table.name for table in inputs.values()],
        "outputs": [
            table.name
            for key, table in outputs.items()
            if not (table.is_temporary and (key in read or len(outputs) > 1))
        ],
        "columns": _once(column for each in statements for column in _columns(each)),
        "transformations": _once(way for each in statements for way in _transformations(each)),
        "problems": [problem_json(each) for one in statements for each in one.problems],
    }


def _once(some: Iterable[Json]) -> list[Json]:
    """Each of some values once, as several statements may say the same."""
    return list({msgspec.json.encode(each): each for each in some}.values())


def statement_answer(statement: Statement) -> Json:
    """The same of one statement, with its kind and position."""
    position = statement.position
    return {
        "kind": statement.kind,
        "line": position.line,
        "column": position.column,
        "inputs": [table.name for table in statement.inputs],
        "outputs": [table.name for table in statement.outputs],
        "datasets": {
            table.name: {"namespace": table.dataset.namespace, "name": table.dataset.name}
            for table in (*statement.inputs, *statement.outputs)
            if table.dataset is not None
        },
        "columns": _columns(statement),
        "transformations": _transformations(statement),
        "schema": [
            {"table": _name(write), "name": each.name, "type": each.type}
            for write in statement.writes
            for each in write.columns
        ],
        "problems": [problem_json(each) for each in statement.problems],
    }


def problem_json(problem: Problem) -> Json:
    return problem._asdict()


def _name(write: TableWrite) -> str | None:
    return write.table.name if write.table is not None else None


def _columns(statement: Statement) -> list[Json]:
    """The columns that values are made of; candidates are apart, under `candidates`."""
    found = []
    for write in statement.writes:
        for column in write.columns:
            sources = dict.fromkeys((each.table, each.column) for each in column.inputs)
            answer: Json = {"out": [_name(write), column.name], "in": [[*each] for each in sources]}
            candidates = dict.fromkeys(
                (each.table, each.column)
                for each, ways in column.sources.items()
                if each.is_candidate and any(not way.is_indirect for way in ways)
            )
            if candidates:
                answer["candidates"] = [[*each] for each in candidates]
            found.append(answer)
    return found


def _transformations(statement: Statement) -> list[Json]:
    found = []
    for write in statement.writes:
        for column in write.columns:
            found += _ways([_name(write), column.name], column.sources)
        found += _ways(None, write.rows)
    return found


def _ways(
    out: list[str | None] | None, sources: Mapping[SourceColumn, Iterable[Transformation]]
) -> list[Json]:
    found = []
    for source, ways in sources.items():
        for way in ways:
            answer: Json = {
                "out": out,
                "in": [source.table, source.column],
                "type": way.type,
                "subtype": way.subtype,
                "masking": bool(way.is_masking),
            }
            if source.path:
                answer["field"] = source.field
            if source.is_candidate:
                answer["candidate"] = True
            found.append(answer)
    return found
