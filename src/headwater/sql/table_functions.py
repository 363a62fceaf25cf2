"""Functions in FROM: their columns are made of their arguments, or of the tables they are given."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from headwater.model.values.derivation import CHANGED, combine
from headwater.sql.dialects import nodes
from headwater.sql.rows import NOTHING, Derived, NamedRows, QueryRows, RowColumn
from headwater.sql.scope import Scope
from headwater.sql.set_operations import united

if TYPE_CHECKING:
    from headwater.sql.queries import QueryReader

_WINDOWS = frozenset(("TUMBLE", "HOP", "CUMULATE", "SESSION"))
_PREDICTIONS = frozenset(("ML_PREDICT", "ML.PREDICT"))
# Functions that read the files they are given by name, by the class of a dialect.
_FILES = {
    "DuckDB": "read_parquet parquet_scan read_csv read_csv_auto read_json read_json_auto "
    "read_ndjson read_ndjson_auto read_text read_blob delta_scan iceberg_scan",
    "Databricks": "read_files cloud_files",
    **dict.fromkeys(("TSQL", "Fabric"), "openrowset"),
    "ClickHouse": "s3 s3cluster gcs hdfs url file azureblobstorage iceberg deltalake hudi",
}
_CLUSTERS = frozenset(("cluster", "clusterallreplicas"))
_FILE_CLASSES = (exp.ReadCSV, exp.ReadParquet)
# Functions of one column, of those that sqlglot does not know, and the columns of others.
_ONE_COLUMN_WORDS = """
    flatten generate_series generate_subscripts json_array_elements json_array_elements_text
    json_object_keys jsonb_array_elements jsonb_array_elements_text jsonb_object_keys
    jsonb_path_query numbers numbers_mt range regexp_matches regexp_split_to_table sequence
    string_split string_to_table
    """
_ONE_COLUMN = frozenset(_ONE_COLUMN_WORDS.split())
_COLUMNS = {
    **dict.fromkeys(("json_each", "json_each_text"), ("key", "value")),
    **dict.fromkeys(("jsonb_each", "jsonb_each_text"), ("key", "value")),
    "openjson": ("key", "value", "type"),
}
_FLATTENED = ("SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS")


def alias_columns(node: exp.Expr) -> list[str]:
    """The names of columns that `AS t (a, b)` gives."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return []
    return [each.name for each in alias.args.get("columns") or ()]


def aliased(rows: QueryRows, node: exp.Expr, parts: tuple[str, ...] = ()) -> NamedRows:
    """Rows under the name that an item of FROM gives them, or the table's own."""
    name = node.alias or (parts[-1] if parts else "")
    return NamedRows(name, rows.named(alias_columns(node)), parts)


def function_rows(reader: "QueryReader", scope: Scope, node: exp.Expr, call: exp.Expr) -> NamedRows:
    """A table function: its columns are made of its arguments.

    Where one of them is a table or a query, its rows come out again, with what the function adds:
    so are Flink's windows. One that reads files is a table of that name.
    """
    if isinstance(call, exp.Predict):
        return rows_of_tables(reader, scope, node, call, [call.expression])
    if isinstance(node, exp.TableFromRows) and isinstance(call, exp.Dot):
        # Snowflake: TABLE(schema.f(x)).
        call = call.parts[-1]
    if places := files_of(reader, call):
        tables_read = [reader.session.read_table((place,)) for place in places]
        return aliased(united(tables_read), node)
    if (parts := _table_of(reader, call)) is not None:
        return aliased(reader.session.read_table(parts), node)
    tables = [each for each in _arguments(call) if isinstance(each, (exp.Table, exp.Query))]
    if tables:
        return rows_of_tables(reader, scope, node, call, tables)
    names = alias_columns(node) or _listed(reader, call)
    if names and (cells := stacked(reader, scope, call, len(names))) is not None:
        columns = [RowColumn(*each) for each in zip(names, cells, strict=True)]
        return NamedRows(node.alias, QueryRows(columns))
    value = reader.expressions(scope).read(call).through(CHANGED)
    if not names:
        # One column of the function's own alias, as PostgreSQL has it, or any that is requested.
        name = node.alias or call.name or "value"
        unknown = call.name if _is_unknown(call) else ""
        if unknown and not value.whole:
            reader.session.report("function", f"What {unknown} reads is not known.", call)
        return NamedRows(
            name, QueryRows([RowColumn(name, value)], added_by=value, function=unknown)
        )
    return NamedRows(node.alias, QueryRows([RowColumn(name, value) for name in names]))


def _is_unknown(call: exp.Expr) -> bool:
    """Whether nobody knows how many columns a function has; most that sqlglot knows have one."""
    return isinstance(call, exp.Anonymous) and call.name.lower() not in _ONE_COLUMN


def stacked(
    reader: "QueryReader", scope: Scope, call: exp.Expr, count: int
) -> list[Derived] | None:
    """`stack(rows, a, b, c, d)` of Spark: each column is one of the cells below each other."""
    first, cells = call.args.get("this"), call.expressions
    if not isinstance(call, exp.Stack) or not isinstance(first, exp.Literal) or not first.is_int:
        return None
    if int(first.name) < 1 or -(-len(cells) // int(first.name)) != count:
        return None
    read = [reader.expressions(scope).read(each) for each in cells]
    return [combine(read[place::count]) for place in range(count)]


def files_of(reader: "QueryReader", call: exp.Expr) -> list[str]:
    """The files or folders that a function reads, if it is such a function."""
    known = _FILES.get(type(reader.session.dialect).__name__, "")
    is_named = isinstance(call, exp.Anonymous) and str(call.this).lower() in known.split()
    if not is_named and not isinstance(call, _FILE_CLASSES):
        return []
    for each in _arguments(call):
        given = each.expressions if isinstance(each, exp.Array) else [each]
        found = [one.name for one in given if isinstance(one, exp.Literal) and one.is_string]
        if found:
            return found
    return []


def _table_of(reader: "QueryReader", call: exp.Expr) -> tuple[str, ...] | None:
    """ClickHouse: the table of `cluster('name', db.t)`, which is on all its servers."""
    if type(reader.session.dialect).__name__ != "ClickHouse" or call.name.lower() not in _CLUSTERS:
        return None
    given = call.expressions[1:]
    if given and isinstance(given[0], exp.Column):
        return tuple(part.name for part in given[0].parts)
    names = [each.name for each in given[:2] if isinstance(each, exp.Literal)]
    return tuple(names) if len(names) == 2 else None


def _arguments(call: exp.Expr) -> list[exp.Expr]:
    """The arguments of a function, without the names they are given by."""
    found = []
    for each in call.iter_expressions():
        while isinstance(each, (exp.Kwarg, exp.PropertyEQ, exp.TableFromRows)) or (
            isinstance(each, exp.Alias) and isinstance(each.this, (exp.Table, exp.Query))
        ):
            each = each.expression if isinstance(each, (exp.Kwarg, exp.PropertyEQ)) else each.this
        found.append(each)
    return found


def rows_of_tables(
    reader: "QueryReader",
    scope: Scope,
    node: exp.Expr,
    call: exp.Expr,
    tables: Sequence[exp.Expr],
) -> NamedRows:
    """The rows of tables, with what a function of them adds.

    A window's bounds are made of its time column, within its partitions; what a model predicts, of
    the columns it is given. Of other functions nobody knows which columns they add, so that each
    name that is not an input's may be made of all arguments.
    """
    inner = Scope(scope.report, scope.parent)
    for table in tables:
        reader.add_source(inner, table)
    rows = inner.star()
    name = "ML.PREDICT" if isinstance(call, exp.Predict) else call.name.upper()
    if isinstance(call, nodes.WindowTableFunction) or name in _WINDOWS:
        keys = _named_columns(reader, inner, call, tables).through(CHANGED)
        partition = call.args.get("partition_by") or ()
        keys = keys.beside(reader.expressions(inner).deciding(partition, "WINDOW"))
        added = [RowColumn(n, keys) for n in nodes.WINDOW_COLUMNS if rows.find(n) is None]
        made = QueryRows([*rows.columns, *added], inner.deciding, rows.open_tables)
        return aliased(made, node)
    whole = rows.everything().through(CHANGED)
    if name in _PREDICTIONS:
        given = _named_columns(reader, inner, call, tables).through(CHANGED)
        whole = given if given.whole else whole
        outputs = reader.session.models.get(_model_of(call))
        if outputs is not None:
            added = [RowColumn(each.name, whole, each.type) for each in outputs]
            made = QueryRows([*rows.columns, *added], inner.deciding, rows.open_tables)
            return aliased(made, node)
    reader.session.report("function", f"The columns that {name} adds are not known.", call)
    added = [RowColumn(each, whole) for each in alias_columns(node)[len(rows.columns) :]]
    made = QueryRows([*rows.columns, *added], inner.deciding, rows.open_tables, added_by=whole)
    return aliased(made, node)


def _named_columns(
    reader: "QueryReader", scope: Scope, call: exp.Expr, tables: Sequence[exp.Expr]
) -> Derived:
    """What the arguments that are no tables name, as DESCRIPTOR does."""
    is_parsed = isinstance(call, nodes.TableFunction)
    others = call.expressions if is_parsed else [e for e in _arguments(call) if e not in tables]
    columns = [each for one in others for each in one.find_all(exp.Column)]
    return combine([reader.expressions(scope).read(each) for each in columns])


def _model_of(call: exp.Expr) -> str:
    """The model that a function applies, in lower case: `MODEL m`, or its name in quotes."""
    model = call.find(nodes.ModelArgument)
    if model is not None and isinstance(model.this, exp.Table):
        return str(model.this.name).lower()
    first = next(iter(call.expressions), None)
    return first.name.lower() if isinstance(first, exp.Literal) else ""


def _listed(reader: "QueryReader", call: exp.Expr) -> list[str]:
    """Columns that the function is known to have: JSON_TABLE's own, a model's, FLATTEN's."""
    if isinstance(call, exp.JSONTable) and call.args.get("schema"):
        return [each.name for each in call.args["schema"].find_all(exp.JSONColumnDef) if each.name]
    if isinstance(call, exp.Explode) and type(reader.session.dialect).__name__ == "Snowflake":
        return list(_FLATTENED)
    if call.name.upper() in _PREDICTIONS:
        return [each.name for each in reader.session.models.get(_model_of(call), ())]
    return list(_COLUMNS.get(call.name.lower(), ()))


def unnested(reader: "QueryReader", scope: Scope, node: exp.Expr) -> NamedRows:
    """The elements of arrays; several arrays side by side give a column each."""
    given = [reader.expressions(scope).read(each) for each in node.expressions]
    values = [each.through(CHANGED) for each in given]
    fields = given[0].members if len(given) == 1 else None
    names = alias_columns(node)
    offset = node.args.get("offset")
    offsets = [offset.name] if isinstance(offset, exp.Expr) else []
    counts = [RowColumn(each, NOTHING) for each in offsets if each not in names]
    # The fields of structures are columns without further ado in BigQuery.
    has_fields = type(reader.session.dialect).__name__ == "BigQuery"
    if has_fields and fields:
        known = [RowColumn(each, value) for each, value in fields.items()]
        name = names[0] if names else node.alias
        return NamedRows(name, QueryRows([*known, *counts]))
    if not names:
        name, whole = node.alias or "unnest", combine(values)
        added_by = whole if has_fields else None
        return NamedRows(name, QueryRows([RowColumn(name, whole), *counts], added_by=added_by))
    if fields and len(names) - (offset is True) == len(fields):
        values = [*fields.values()]
    columns = []
    for place, name in enumerate(names):
        # An array of structures has a column for each field.
        value = values[place] if len(values) > 1 and place < len(values) else combine(values)
        is_count = offset is True and place == len(names) - 1 and place >= len(values)
        columns.append(RowColumn(name, NOTHING if is_count else value))
    return NamedRows(node.alias, QueryRows([*columns, *counts]))
