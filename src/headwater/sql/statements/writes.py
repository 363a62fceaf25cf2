"""Statements that write: INSERT, CREATE ... AS, MERGE, UPDATE, DELETE, COPY and the like."""

from collections.abc import Callable, Sequence

from sqlglot import exp

from headwater.sql.catalog import CatalogColumn
from headwater.sql.dialects import nodes
from headwater.sql.queries import QUERIES, QueryReader
from headwater.sql.relations import add_source, table_parts
from headwater.sql.rows import NamedRows, QueryRows
from headwater.sql.session import Definition, Session
from headwater.sql.statements.changes import delete, merge, update
from headwater.sql.statements.conflicts import with_conflict
from headwater.sql.statements.definitions import create, declare
from headwater.sql.statements.moves import alter, cache, copy, drop, export, load, truncate, use
from headwater.sql.statements.no_lineage import (
    COMMANDS_WITHOUT_LINEAGE,
    PHRASES_WITHOUT_LINEAGE,
    WITHOUT_LINEAGE,
)
from headwater.sql.statements.outcome import WriteBuilder, target_parts
from headwater.sql.statements.outputs import rows_of_target, write_output
from headwater.sql.table_functions import files_of

_PLAIN_QUERIES = (exp.Query, exp.Values, exp.Pivot)


class StatementReader:
    """Reads one statement of a session; what it writes is in `built`."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.queries = QueryReader(session)
        self.queries.write = self._inside_query
        self.built = WriteBuilder(session)
        self.changed = QueryRows()
        """What the statement has written to the table that it changes."""

    def read(self, node: exp.Expr) -> None:
        """Read a statement; one of a kind that is not known is a problem."""
        reading = READERS.get(type(node))
        if reading is not None:
            reading(self, node)
        elif isinstance(node, _PLAIN_QUERIES):
            self._query(node)
        elif isinstance(node, exp.Command):
            is_plain = _words(node).split()[0] in COMMANDS_WITHOUT_LINEAGE
            if not is_plain and _words(node) not in PHRASES_WITHOUT_LINEAGE:
                self.session.report("not understood", f"{_words(node)} is not understood.", node)
        elif isinstance(node, (exp.Column, exp.Alias, exp.Literal, exp.Paren, exp.Identifier)):
            name = node.this.name if isinstance(node, exp.Alias) else node.name
            if name.upper() not in COMMANDS_WITHOUT_LINEAGE:
                self.session.report("syntax", "This is no statement.", node)
        elif not isinstance(node, WITHOUT_LINEAGE):
            self.session.report("not understood", f"{node.key.upper()} is not understood.", node)

    def _inside_query(self, node: exp.Expr) -> QueryRows:
        """A statement that changes data in WITH: it writes, and RETURNING gives rows."""
        inner = StatementReader(self.session)
        inner.queries = self.queries
        inner.built = self.built
        inner.read(node)
        returning = node.args.get("returning")
        if returning is None:
            return QueryRows()
        scope = self.queries.scope()
        parts = target_parts(node.this) if node.args.get("this") else ()
        if parts:
            rows = rows_of_target(self, parts)
            scope.relations.append(NamedRows(node.this.alias or parts[-1], rows, parts))
            table = self.session.table(parts)
            self.session.inputs.setdefault(table.name.lower(), table)
        returned = self.queries.selected(returning.expressions, scope)
        return returned.decided_by(inner.changed.deciding)

    # Queries.

    def _query(self, node: exp.Expr) -> None:
        rows = self.queries.read(node)
        into = _find_into(node)
        if into is None:
            self.built.returned(rows)
            return
        target = into.this if isinstance(into.this, exp.Expr) else None
        if isinstance(target, exp.Table):
            parts = table_parts(target)
            is_temporary = bool(into.args.get("temporary")) or parts[-1].startswith("#")
            self._define(parts, rows, is_temporary)
            self.built.written(parts, rows, operation="CREATE", is_temporary=is_temporary)
        else:
            self.built.returned(rows)

    def _define(self, parts: Sequence[str], rows: QueryRows, is_temporary: bool = False) -> None:
        name = self.session.table_name(parts)
        is_known = not rows.open_tables and all(each.name != "*" for each in rows.columns)
        columns = tuple(CatalogColumn(each.name, each.type) for each in rows.columns)
        self.session.define(
            Definition(name, columns if is_known else None, is_temporary=is_temporary)
        )

    # INSERT.

    def _insert(self, node: exp.Expr) -> None:
        levels = self.queries.mark()
        self.queries.define_common(node)
        self._insert_rows(node, self._inserted(node))
        self.queries.release(levels)

    def _inserted(self, node: exp.Expr) -> QueryRows:
        source = node.args.get("expression")
        if isinstance(source, (*QUERIES, exp.Paren, exp.Tuple)):
            return self.queries.read(source)
        if node.args.get("source"):
            return self.queries.read(node.args["source"])
        if isinstance(source, exp.Expr):
            self.session.report("query", "What is inserted is not understood.", source)
        return QueryRows()

    def _insert_rows(self, node: exp.Expr, rows: QueryRows) -> None:
        target = node.this
        if isinstance(target, exp.Directory):
            parts: tuple[str, ...] = (target.this.name,)
            names: list[str] = []
        else:
            table = target.this if isinstance(target, exp.Schema) else target
            parts = table_parts(table) if isinstance(table, exp.Table) else ()
            if not parts and isinstance(table, exp.Func):
                # ClickHouse: INSERT INTO FUNCTION s3('...').
                parts = tuple(files_of(self.queries, table)[:1])
            if not parts:
                self.session.report("table", "The table that is written has no name.", node)
                return
            names = self._target_columns(node, target, table, parts, rows)
        operation = "OVERWRITE" if node.args.get("overwrite") else "INSERT"
        if not names or node.args.get("by_name"):
            names = []
        conflict = node.args.get("conflict")
        if conflict is not None and conflict.expressions:
            rows, names = with_conflict(self, node, parts, rows.named(names), conflict), []
        self.built.written(parts, rows, names, operation)
        self.changed = rows.named(names)
        write_output(self, node, parts, self.changed)

    def _target_columns(
        self,
        node: exp.Expr,
        target: exp.Expr,
        table: exp.Expr,
        parts: tuple[str, ...],
        rows: QueryRows,
    ) -> list[str]:
        """Where values go, by position: as listed, or as the table has its columns."""
        static, dynamic = _partition(node.args.get("partition") or table.args.get("partition"))
        if isinstance(target, exp.Schema):
            listed = [each.name for each in target.expressions]
            extra = [each for each in dynamic if each.lower() not in {n.lower() for n in listed}]
            return [*listed, *extra]
        known = self.session.written_columns_of(parts)
        count = len(rows.columns)
        if known is None:
            # Partitions come last, whatever the others are called.
            before = count - len(dynamic)
            named = [each.name for each in rows.columns[:before]] if before > 0 else []
            return [*named, *dynamic] if dynamic and named and "*" not in named else []
        apart = {name.lower() for name in (*static, *dynamic)}
        names = [each.name for each in known if each.name.lower() not in apart]
        own = {each.name.lower(): each.name for each in known}
        names += [own.get(each.lower(), each) for each in dynamic]
        if count > len(names):
            message = (
                f"{count} values for {len(names)} columns of {self.session.table_name(parts)}."
            )
            self.session.report("columns", message, node)
        return names

    def _several(self, node: exp.Expr) -> None:
        """FROM ... INSERT ... INSERT of Hive; INSERT ALL and FIRST, with conditions."""
        levels = self.queries.mark()
        self.queries.define_common(node)
        source = node.args["source"]
        conditions: list[exp.Expr] = []
        for each in node.expressions:
            insert = each.this if isinstance(each, exp.ConditionalInsert) else each
            own = each.args.get("expression") if isinstance(each, exp.ConditionalInsert) else None
            if own is not None:
                conditions.append(own)
            # ELSE depends on all conditions before it.
            is_else = bool(each.args.get("else_"))
            deciding = conditions if is_else else [own] if own is not None else []
            self._insert_from(insert, source, deciding)
        self.queries.release(levels)

    def _insert_from(
        self, insert: exp.Expr, source: exp.Expr, conditions: Sequence[exp.Expr]
    ) -> None:
        query = insert.args.get("expression")
        scope = self.queries.scope()
        add_source(self.queries, scope, source)
        if isinstance(query, exp.Select):
            # As if FROM stood in it: what follows FROM may be a join as well.
            whole = query.copy()
            if query.args.get("from_") is None:
                whole.set("from_", exp.From(this=source.copy()))
            rows = self.queries.read(whole)
        elif isinstance(query, exp.Values):
            rows = self.queries.values(query, scope).decided_by(scope.deciding)
        else:
            star = scope.star()
            rows = QueryRows(star.columns, scope.deciding, star.open_tables)
        decided = self.queries.expressions(scope).deciding(conditions, "FILTER")
        rows = rows.decided_by(decided)
        self._insert_rows(insert, rows)

    def _block(self, node: exp.Expr) -> None:
        """BEGIN ... END: one statement after another."""
        for each in node.expressions:
            self.read(each)

    def _flow(self, node: exp.Expr) -> None:
        """IF and WHILE: what they hold, as if it ran."""
        for name in ("this", "true", "false", "body", "expression"):
            inner = node.args.get(name)
            if isinstance(inner, exp.Expr) and isinstance(inner, (*READERS, *_PLAIN_QUERIES)):
                self.read(inner)

    def _locking(self, node: exp.Expr) -> None:
        """Teradata: `LOCKING ... FOR ACCESS SELECT ...`."""
        self.read(node.expression)

    def _explained(self, node: exp.Expr) -> None:
        """EXPLAIN: nothing runs."""


def _words(node: exp.Expr) -> str:
    first = str(node.this).upper()
    second = str(node.args.get("expression") or "").split()
    return f"{first} {second[0]}"[:80] if second else first[:80]


def _partition(node: exp.Expr | None) -> tuple[list[str], list[str]]:
    """Partition columns with a value, and those that come last in the query."""
    static, dynamic = [], []
    for each in node.expressions if isinstance(node, exp.Expr) else ():
        if isinstance(each, (exp.EQ, exp.PropertyEQ)):
            static.append(each.this.name)
        elif each.name:
            dynamic.append(each.name)
    return static, dynamic


def _find_into(node: exp.Expr) -> exp.Expr | None:
    """SELECT ... INTO t, also in the first part of a union."""
    while isinstance(node, (exp.SetOperation, exp.Subquery)):
        node = node.this
    return node.args.get("into")


_Reading = Callable[[StatementReader, exp.Expr], None]
READERS: dict[type[exp.Expr], _Reading] = {
    exp.Alter: alter,
    exp.Block: StatementReader._block,
    exp.Cache: cache,
    exp.Copy: copy,
    exp.Create: create,
    exp.Delete: delete,
    exp.Drop: drop,
    exp.Insert: StatementReader._insert,
    exp.LoadData: load,
    exp.Merge: merge,
    exp.MultitableInserts: StatementReader._several,
    exp.TruncateTable: truncate,
    exp.Update: update,
    exp.IfBlock: StatementReader._flow,
    exp.WhileBlock: StatementReader._flow,
    exp.Declare: declare,
    exp.Export: export,
    exp.LockingStatement: StatementReader._locking,
    nodes.Explain: StatementReader._explained,
    exp.Use: use,
}
