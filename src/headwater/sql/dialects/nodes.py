"""Nodes of streaming SQL that sqlglot has no class for, and what each means for lineage."""

from typing import ClassVar

from sqlglot import exp

# Databricks' `STREAM t`, in releases of sqlglot that have a class for it.
STREAM: tuple[type[exp.Expr], ...] = tuple(
    each for each in (getattr(exp, "Stream", None),) if each is not None
)

# What a windowing table function adds to the columns of its input.
WINDOW_COLUMNS = ("window_start", "window_end", "window_time")

# What ksqlDB adds to a row: to those of any source, and to those of a windowed one.
KSQLDB_PSEUDO_COLUMNS = ("ROWTIME", "ROWPARTITION", "ROWOFFSET")
KSQLDB_WINDOW_COLUMNS = ("WINDOWSTART", "WINDOWEND")


class TableFunction(exp.Expression, exp.UDTF):
    """A function over whole tables in FROM: `ML_PREDICT(TABLE t, MODEL m, DESCRIPTOR(x))`.

    Inputs: `inputs`, each an `exp.Table` or an `exp.Subquery`; its columns pass through.
    Columns: those of the inputs, and others that only the function knows.
    `partition_by` and `order` are of the inputs (`TABLE t PARTITION BY k ORDER BY ts`), columns in
    `expressions` (`Descriptor`) too. `this` is the function's name.
    """

    arg_types: ClassVar = {
        "this": True,
        "inputs": True,
        "expressions": False,
        "partition_by": False,
        "order": False,
        "alias": False,
        "joins": False,
    }

    @property
    def inputs(self) -> list[exp.Expr]:
        """The tables and subqueries that the function reads."""
        found: list[exp.Expr] = self.args["inputs"]
        return found


class WindowTableFunction(TableFunction):
    """TUMBLE, HOP, CUMULATE or SESSION over one table.

    Input: the one of `inputs`. Columns: all of the input, unchanged, then `WINDOW_COLUMNS`, each
    of which depends on the column in `time_column`.
    """

    @property
    def time_column(self) -> exp.Column | None:
        """The time attribute that decides the window of a row."""
        descriptor = self.find(Descriptor)
        first = descriptor.expressions[0] if descriptor and descriptor.expressions else None
        return first if isinstance(first, exp.Column) else None


class Descriptor(exp.Expression, exp.Condition):
    """`DESCRIPTOR(a, b)`: names columns of a table function's input; has no value itself."""

    arg_types: ClassVar = {"expressions": False}


class ModelArgument(exp.Expression, exp.Condition):
    """`MODEL m`: a model that a table function applies; no dataset."""

    arg_types: ClassVar = {"this": True}


class PatternMatch(exp.Expression, exp.UDTF):
    """`t MATCH_RECOGNIZE (...)` in FROM.

    Input: `this`, an `exp.Table` or `exp.Subquery` (or another UDTF). Columns, with ONE ROW PER
    MATCH: those of `partition_by`, then the aliases of `measures`; with ALL ROWS PER MATCH
    (`is_all_rows`) the input's own columns too. A column's qualifier in `measures` and `define` is
    a pattern variable: it stands for rows of the input, not for a table. `define` decides which
    rows match (each an `exp.Alias` of a condition by its variable), as do `order` and `within`.
    """

    arg_types: ClassVar = {
        "this": True,
        "partition_by": False,
        "order": False,
        "measures": False,
        "rows": False,
        "after": False,
        "pattern": False,
        "within": False,
        "subset": False,
        "define": False,
        "alias": False,
        "joins": False,
    }

    @property
    def is_all_rows(self) -> bool:
        """Whether the input's columns are among the columns of the result."""
        rows = self.args.get("rows")
        return rows is not None and str(rows.this).startswith("ALL")


class MetadataColumnConstraint(exp.Expression, exp.ColumnConstraintKind):
    """`c STRING METADATA FROM 'key' VIRTUAL`: a column read from a record's metadata.

    A column of the table like any other; `virtual` ones are not written by INSERT.
    """

    arg_types: ClassVar = {"this": False, "virtual": False}


class KeyColumnConstraint(exp.Expression, exp.ColumnConstraintKind):
    """ksqlDB's `KEY` of a stream's column: it is in the record's key."""

    arg_types: ClassVar = {}


class HeadersColumnConstraint(exp.Expression, exp.ColumnConstraintKind):
    """ksqlDB's `HEADERS` or `HEADER('name')`: a column read from a record's headers, read-only."""

    arg_types: ClassVar = {"this": False}


class SourceProperty(exp.Property):
    """`CREATE SOURCE STREAM/TABLE`: read-only; ksqlDB neither writes nor creates its topic."""

    arg_types: ClassVar = {}


class TableSetting(exp.Property):
    """A clause of CREATE that changes no lineage: `FRESHNESS = INTERVAL '3' MINUTE`."""

    arg_types: ClassVar = {"this": True, "value": False}


class ModelColumns(exp.Property):
    """`INPUT (...)` or `OUTPUT (...)` (`this`) of CREATE MODEL; `expressions` are its columns."""

    arg_types: ClassVar = {"this": True, "expressions": True}


class Explain(exp.Expression):
    """`EXPLAIN statement`, `COMPILE PLAN ... FOR statement`: described, not run.

    No lineage. The statement is `this`; those of a statement set after the first have a node each.
    """

    arg_types: ClassVar = {"this": True}


class SetBoundary(exp.Expression):
    """The beginning of a statement set, on its own; no lineage. Its end is `exp.EndStatement`."""

    arg_types: ClassVar = {"this": True}


class StreamWindow(exp.Expression):
    """ksqlDB's `WINDOW TUMBLING (SIZE 1 HOUR, ...)`, in a Select's `windows`.

    Rows are grouped by time (ROWTIME, or the stream's timestamp column) as well as by GROUP BY;
    adds the pseudo columns `KSQLDB_WINDOW_COLUMNS`. `this` is the kind, `expressions` the bounds.
    """

    arg_types: ClassVar = {"this": True, "expressions": True}


class JoinWithin(exp.Expression):
    """ksqlDB's `WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 1 DAY`, a join's `match_condition`.

    Bounds the difference of the two rows' ROWTIME; names no column.
    """

    arg_types: ClassVar = {"expressions": True}


class Emit(exp.Expression):
    """ksqlDB's `EMIT CHANGES` or `EMIT FINAL` (`this`), in a Select's `options`; no lineage."""

    arg_types: ClassVar = {"this": True}
