"""`headwater sql`: the lineage of SQL texts, by table and column, before anything runs."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from headwater.cli.api.client import DEFAULT_URL, Client, ServerOption, json_of
from headwater.cli.output.screen import Grid, Screen, print_json
from headwater.emit.events import Producer
from headwater.errors import InvalidRequest

# sqlglot is not in the core, and slow to load: commands that do without it start without it.
if TYPE_CHECKING:
    from headwater.sql import Catalog, Statement
    from headwater.sql.results import TableWrite

Json = dict[str, Any]
_COLUMNS = ("column", "type", "source", "how")
_PRODUCER = Producer.of_part("sql")
LONGEST_FILE = 20_000_000


class SqlOutput(StrEnum):
    TABLE = "table"
    JSON = "json"
    MERMAID = "mermaid"


def sql(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="SQL files; - is standard input.")
    ] = None,
    dialect: Annotated[
        str,
        typer.Option(
            "--dialect", "-d", help="flink, ksqldb, spark, or any of sqlglot's; else chosen."
        ),
    ] = "",
    catalog: Annotated[
        str,
        typer.Option(
            "--catalog",
            help="Columns of tables outside the text: a JSON file {table: ['column']} or "
            "{table: {column: type}}, or the URL of a server, whose graph is used.",
        ),
    ] = "",
    output: Annotated[
        SqlOutput, typer.Option("--output", "-o", help="A table, JSON, or a Mermaid flowchart.")
    ] = SqlOutput.TABLE,
    is_emitted: Annotated[
        bool, typer.Option("--emit", help="Send a design-time event for each file to the server.")
    ] = False,
    job_namespace: Annotated[
        str, typer.Option("--job-namespace", help="Namespace of the emitted jobs.")
    ] = "sql",
    dataset_namespace: Annotated[
        str,
        typer.Option("--dataset-namespace", help="Namespace of tables that name no other."),
    ] = "sql",
    kafka: Annotated[
        str,
        typer.Option(
            "--kafka", help="HOST:PORT of the Kafka cluster whose topics ksqlDB's statements name."
        ),
    ] = "",
    is_batch: Annotated[
        bool,
        typer.Option(
            "--batch", help="Read JSON lines {id, sql, dialect, schemas} from standard input."
        ),
    ] = False,
    server: ServerOption = DEFAULT_URL,
) -> None:
    """Show what SQL statements read and write, by column.

    Nothing is run. What is not understood is listed with its line and column;
    the rest still has its lineage. docs/sql.md has the dialects.

        headwater sql job.sql --dialect flink
        headwater sql etl/*.sql --catalog schemas.json -o mermaid
    """
    if is_batch:
        _run_batch(sys.stdin.buffer)
        return
    if not files:
        raise InvalidRequest("FILE", "missing; name a file of SQL, or - for standard input")
    for name in files:
        _show_file(
            name,
            dialect,
            catalog,
            kafka,
            output,
            (job_namespace, dataset_namespace),
            is_emitted,
            server,
        )


def _show_file(
    name: str,
    dialect: str,
    catalog: str,
    kafka: str,
    output: SqlOutput,
    namespaces: tuple[str, str],
    is_emitted: bool,
    server: str,
) -> None:
    from headwater.sql import analyze, choose_dialect
    from headwater.sql.render.batch import script_answer, statement_answer
    from headwater.sql.render.mermaid import draw

    text = _read(name)
    chosen = dialect or choose_dialect(text)
    try:
        tables = _open_catalog(catalog, text, chosen)
        statements = analyze(text, chosen or "ansi", tables, kafka=kafka)
    except ValueError as error:
        raise InvalidRequest("--dialect", str(error)) from None
    shown = chosen or "standard SQL"
    if output is SqlOutput.JSON:
        parts = [statement_answer(each) for each in statements]
        answer = {"file": name, "dialect": chosen, **script_answer(statements)}
        print_json({**answer, "statements": parts})
    elif output is SqlOutput.MERMAID:
        typer.echo(draw(statements), nl=False)
    else:
        _print_table(Screen(), name, statements, shown, is_chosen=not dialect)
    if is_emitted:
        _emit(name, text, chosen, statements, namespaces, server)


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InvalidRequest(name, f"cannot be read: {error.strerror}") from None
    if len(data) > LONGEST_FILE:
        raise InvalidRequest(name, f"larger than {LONGEST_FILE:,} bytes")
    return data.decode("utf-8-sig", "replace")


def _open_catalog(place: str, text: str, dialect: str) -> "Catalog | Mapping[str, Any] | None":
    if not place:
        return None
    if "://" in place:
        return _catalog_of_server(place, text, dialect)
    try:
        found = json.loads(Path(place).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidRequest("--catalog", f"{place} cannot be read: {error}") from None
    if not is_catalog(found):
        raise InvalidRequest("--catalog", "no {table: [columns]} or {table: {column: type}}")
    return dict(found)


def is_catalog(found: Any) -> bool:
    """Whether a value is {table: [columns]} or {table: {column: type}}."""
    return isinstance(found, dict) and all(
        (isinstance(each, list) and all(isinstance(name, str) for name in each))
        or (
            isinstance(each, dict)
            and all(kind is None or isinstance(kind, str) for kind in each.values())
        )
        for each in found.values()
    )


def _catalog_of_server(url: str, text: str, dialect: str) -> "Catalog":
    """The tables of a text as a server knows them."""
    from headwater.model.naming import DatasetName
    from headwater.sql import Catalog, CatalogColumn, CatalogTable

    with Client(url) as client:
        body = {"sql": text, "dialect": dialect, "graph": True}
        reply = client.send("POST", "/api/v1/sql/lineage", json=body)
        if reply.status_code != 200:
            raise client.refusal(reply)
        tables = json_of(reply)["tables"]
    return Catalog(
        CatalogTable(
            name,
            tuple(CatalogColumn(each["name"], each.get("type")) for each in table["columns"]),
            DatasetName(table["namespace"], table["name"]),
        )
        for name, table in tables.items()
    )


def _print_table(
    screen: Screen, name: str, statements: Sequence["Statement"], dialect: str, is_chosen: bool
) -> None:
    how = "chosen" if is_chosen else "as requested"
    screen.say(f"{screen.clean(name)}: {len(statements)} statements, {dialect} ({how})")
    for statement in statements:
        if statement.writes or statement.inputs:
            _print_statement(screen, statement)
        for problem in statement.problems:
            place = f"{problem.line}:{problem.column}"
            screen.say(f"  {place} {problem.kind}: {screen.clean(problem.message)}", "yellow")


def _print_statement(screen: Screen, statement: "Statement") -> None:
    reads = ", ".join(table.name for table in statement.inputs)
    for write in statement.writes:
        target = _target(write)
        title = f"line {statement.position.line}: {write.operation} {target}"
        screen.say()
        screen.say(screen.clean(f"{title}{f' from {reads}' if reads else ''}"))
        grid = Grid(_COLUMNS, ("type",))
        for row in _rows(write):
            grid.add(*(Text(screen.clean(cell)) for cell in row))
        if grid.rows:
            screen.show(grid)


def _target(write: "TableWrite") -> str:
    """The table that is written, and the dataset it stands for."""
    if write.table is None:
        return "(result)"
    dataset = write.table.dataset
    return (
        f"{write.table.name} as {dataset.namespace} {dataset.name}" if dataset else write.table.name
    )


def _rows(write: Any) -> Iterator[tuple[str, str, str, str]]:
    for column in write.columns:
        sources = list(column.sources.items())
        if not sources:
            yield column.name, column.type or "-", "-", "-"
        for source, ways in sources:
            mark = " ?" if source.is_candidate else ""
            name = f"{source.table}.{source.field}{mark}"
            yield column.name, column.type or "-", name, _how(ways)
    for source, ways in write.rows.items():
        mark = " ?" if source.is_candidate else ""
        yield "(all rows)", "-", f"{source.table}.{source.field}{mark}", _how(ways)


def _how(ways: Sequence[Any]) -> str:
    return ", ".join(
        f"{way.type} {way.subtype}{' masked' if way.is_masking else ''}" for way in ways
    )


def _emit(
    name: str,
    text: str,
    dialect: str,
    statements: Sequence["Statement"],
    namespaces: tuple[str, str],
    server: str,
) -> None:
    """Send what a file reads and writes as an event without a run."""
    from headwater.sql.render.events import script_datasets

    inputs, outputs = script_datasets(statements, namespaces[1], _PRODUCER.facet)
    facets = {"sql": _PRODUCER.facet("SQLJobFacet", query=text, dialect=dialect)}
    job = {"namespace": namespaces[0], "name": Path(name).stem or "sql", "facets": facets}
    event = _PRODUCER.job_event(job, inputs, outputs)
    with Client(server) as client:
        reply = client.send("POST", "/api/v1/lineage", json=event)
        if reply.status_code >= 400:
            raise client.refusal(reply)
    Screen(is_error=True).say(f"sent {len(inputs)} inputs and {len(outputs)} outputs of {name}")


def _run_batch(lines: Any) -> None:
    """A line of JSON for each line; one that cannot be read is answered with a problem."""
    from headwater.sql.render.batch import answer_request

    for line in lines:
        if line.strip():
            sys.stdout.write(json.dumps(answer_request(line), ensure_ascii=False) + "\n")
            sys.stdout.flush()
