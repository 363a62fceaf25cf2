"""What a statement writes, from rows to results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from headwater.model.column_map import Transformation
from headwater.model.values.derivation import AS_IT_IS, Way
from headwater.sql.relations import table_parts
from headwater.sql.results import SourceColumn, SqlTable, TableWrite, WrittenColumn
from headwater.sql.rows import Deciding, Derived, QueryRows, RowColumn, star_tables
from headwater.sql.session import Session


class WriteBuilder:
    """Collects what one statement writes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.writes: list[TableWrite] = []

    def returned(self, rows: QueryRows) -> None:
        """A query that writes to no table."""
        self._report_stars(rows)
        self.writes.append(TableWrite(None, _columns(rows, ()), _of_rows(rows), "SELECT"))

    def _report_stars(self, rows: QueryRows) -> None:
        for table in sorted(star_tables(rows.columns)):
            message = f"The columns of {table} are not known: `*` is not expanded."
            self._session.report("star", message)

    def written(
        self,
        parts: Sequence[str],
        rows: QueryRows,
        names: Sequence[str] = (),
        operation: str = "INSERT",
        is_temporary: bool = False,
        is_declaration: bool = False,
    ) -> SqlTable:
        """Rows that go to a table, under its names by position where they are known.

        A declaration puts no rows into it.
        """
        self._report_stars(rows)
        table = self._session.table(parts)
        if is_temporary:
            table = table._replace(is_temporary=True)
        known = self._session.columns_of(parts) or ()
        types = {each.name.lower(): each.type for each in known}
        columns = [_typed(each, types) for each in _columns(rows, names)]
        self.writes.append(TableWrite(table, columns, _of_rows(rows), operation))
        is_filled = bool(rows.columns or rows.deciding) and "VIEW" not in operation
        if table.is_temporary and is_filled and not is_declaration:
            self._session.fill(parts, rows.named(names))
        return table


def _typed(column: WrittenColumn, types: Mapping[str, str | None]) -> WrittenColumn:
    """With the type that the table has for a column, where that is known."""
    kind = types.get(column.name.lower())
    return replace(column, type=kind) if kind else column


def target_parts(node: exp.Expr) -> tuple[str, ...]:
    """The name of the table in `t` or `t (a, b)`."""
    table = node.this if isinstance(node, exp.Schema) else node
    return table_parts(table) if isinstance(table, exp.Table) else ()


def _columns(rows: QueryRows, names: Sequence[str]) -> list[WrittenColumn]:
    """By position; behind a `*` that is not expanded any column may come from it."""
    stars = [place for place, each in enumerate(rows.columns) if each.name == "*"]
    star = stars[0] if stars else None
    behind_star = len(rows.columns) - 1 - star if star is not None else 0
    if names and star is not None and len(stars) == 1 and star + behind_star < len(names):
        # What stands before and behind it has its place from either end.
        middle = [_merged(n, [rows.columns[star]]) for n in names[star : len(names) - behind_star]]
        first = [_written(n, c) for n, c in zip(names, rows.columns[:star], strict=False)]
        ends = names[len(names) - behind_star :]
        last = [_written(n, c) for n, c in zip(ends, rows.columns[star + 1 :], strict=True)]
        return [*first, *middle, *last]
    if names and star is not None:
        rest = [each.value for each in rows.columns[star:]]
        before = [_written(n, c) for n, c in zip(names, rows.columns[:star], strict=False)]
        whole = [RowColumn("*", value) for value in rest]
        behind = [_merged(name, whole) for name in names[star:]]
        return [*before, *behind]
    written = []
    for place, each in enumerate(rows.columns):
        name = names[place] if place < len(names) else each.name
        written.append(_written(name, each))
    return written


def _merged(name: str, columns: Sequence[RowColumn]) -> WrittenColumn:
    sources: dict[SourceColumn, tuple[Transformation, ...]] = {}
    for each in columns:
        sources.update(transformations(each.value))
    return WrittenColumn(name, sources)


def _written(name: str, column: RowColumn) -> WrittenColumn:
    return WrittenColumn(name, transformations(column.value), column.type)


def _of_rows(rows: QueryRows) -> dict[SourceColumn, tuple[Transformation, ...]]:
    return _listed({}, rows.deciding)


def transformations(value: Derived) -> dict[SourceColumn, tuple[Transformation, ...]]:
    """The ways from each source to a value, as the columnLineage facet has them."""
    return _listed(value.whole, value.through(AS_IT_IS).indirect)


def _listed(
    direct: Mapping[SourceColumn, Way], indirect: Iterable[Deciding]
) -> dict[SourceColumn, tuple[Transformation, ...]]:
    found: dict[SourceColumn, list[Transformation]] = {}
    for source, way in direct.items():
        stated = Transformation("DIRECT", way.direct.name, None, way.is_masking)
        found.setdefault(source, []).append(stated)
    for source, subtype in sorted(indirect):
        stated = Transformation("INDIRECT", subtype, None, False)
        found.setdefault(source, []).append(stated)
    return {source: tuple(ways) for source, ways in found.items()}
