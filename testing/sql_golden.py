"""Golden cases of SQL lineage: files of statements, each with its expected lineage in comments.

A file begins with a catalog, `-- catalog: orders(id INT, name STRING)`, and has cases:

    -- case: a sum for each group
    -- dialect: spark
    SELECT name, sum(price) AS total FROM orders GROUP BY name;
    --> reads orders
    --> (result).name = orders.name IDENTITY
    --> (result).total = orders.price AGGREGATION
    --> (result) rows: orders.name GROUP_BY

`make golden` writes what is found now behind each case; the difference is reviewed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from headwater.model.column_map import Transformation
from headwater.sql import Catalog, CatalogColumn, CatalogTable, SourceColumn, Statement, analyze

FOLDER = Path(__file__).parents[1] / "tests/golden/sql"
_EXPECTED = "--> "
_TABLE = re.compile(r"([\w.\-#]+)\(([^)]*)\)")


class GoldenCase(NamedTuple):
    file: str
    title: str
    dialect: str
    catalog: str
    sql: str
    expected: tuple[str, ...]


def read_golden(folder: Path = FOLDER) -> list[GoldenCase]:
    return [case for path in sorted(folder.glob("*.sql")) for case in read_file(path)]


def read_file(path: Path) -> Iterator[GoldenCase]:
    """The cases of one file."""
    catalog = title = ""
    dialect = ""
    sql: list[str] = []
    expected: list[str] = []
    for line in [*path.read_text("utf-8").splitlines(), "-- case: "]:
        if line.startswith("-- case:"):
            if title:
                text = "\n".join(sql).strip("\n")
                yield GoldenCase(path.name, title, dialect, catalog, text, tuple(expected))
            title, sql, expected = line.removeprefix("-- case:").strip(), [], []
        elif line.startswith("-- catalog:"):
            catalog = line.removeprefix("-- catalog:").strip()
        elif line.startswith("-- dialect:"):
            dialect = line.removeprefix("-- dialect:").strip()
        elif line.startswith(_EXPECTED):
            expected.append(line.removeprefix(_EXPECTED))
        elif title:
            sql.append(line)


def read_catalog(text: str) -> Catalog:
    """A catalog of `orders(id INT, name), suppliers(...)`."""
    tables = []
    for match in _TABLE.finditer(text):
        pairs = [column.strip().partition(" ") for column in match[2].split(",")]
        columns = tuple(CatalogColumn(name, kind or None) for name, _, kind in pairs if name)
        tables.append(CatalogTable(match[1], columns))
    return Catalog(tables)


def found_lineage(case: GoldenCase) -> tuple[str, ...]:
    """What is found now, in the words of the files."""
    statements = analyze(case.sql, case.dialect or "ansi", read_catalog(case.catalog))
    return tuple(line for each in statements for line in _lines(each))


def _lines(statement: Statement) -> Iterator[str]:
    if statement.inputs:
        yield f"reads {', '.join(table.name for table in statement.inputs)}"
    for write in statement.writes:
        name = write.table.name if write.table is not None else "(result)"
        if write.table is not None:
            kind = " (temporary)" if write.table.is_temporary else ""
            where = f" as {' '.join(write.table.dataset)}" if write.table.dataset else ""
            yield f"{write.operation} {name}{kind}{where}"
        for column in write.columns:
            kind = f" {column.type}" if column.type else ""
            yield f"{name}.{column.name}{kind} = {_sources(column.sources) or 'nothing'}"
        if write.rows:
            yield f"{name} rows: {_sources(write.rows)}"
    for problem in statement.problems:
        yield f"problem {problem.line}:{problem.column} {problem.kind}: {problem.message}"


def _sources(sources: Mapping[SourceColumn, Sequence[Transformation]]) -> str:
    return ", ".join(
        f"{source.table}.{source.field}{'?' if source.is_candidate else ''} "
        + " ".join(f"{way.subtype}{' masked' if way.is_masking else ''}" for way in ways)
        for source, ways in sources.items()
    )


def rewrite(path: Path) -> None:
    """Write what is found now behind each case of a file."""
    found = {case.title: found_lineage(case) for case in read_file(path)}
    lines: list[str] = []
    title = ""
    for line in [*path.read_text("utf-8").rstrip().splitlines(), "-- case:"]:
        if line.startswith(_EXPECTED):
            continue
        if line.startswith("-- case:"):
            while lines and not lines[-1].strip():
                lines.pop()
            lines += [f"{_EXPECTED}{each}" for each in found.get(title, ())]
            title = line.removeprefix("-- case:").strip()
            lines += ["", line] if title else []
        else:
            lines.append(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    for each in sorted(FOLDER.glob("*.sql")):
        rewrite(each)
