"""ClickHouse's `dictGet('dictionary', 'column', key)` as a query of the dictionary."""

from sqlglot import exp


def dictionary_query(node: exp.Expr) -> tuple[exp.Select | None, list[exp.Expr]]:
    """The columns that are read, and the other arguments; no query if names are not written out."""
    dictionary, names, *rest = [*node.expressions, None, None]
    keys = [each for each in rest if isinstance(each, exp.Expr)]
    if isinstance(dictionary, exp.Column):
        parts = [part.name for part in dictionary.parts]
    else:
        parts = dictionary.name.split(".") if isinstance(dictionary, exp.Literal) else []
    listed = names.expressions if isinstance(names, exp.Tuple) else [names]
    columns = [each.name for each in listed if isinstance(each, exp.Literal) and each.is_string]
    if not columns or not parts or not all(parts) or len(parts) > 3:
        return None, keys
    catalog, database, name = [*[None] * (3 - len(parts)), *parts]
    table = exp.table_(name, db=database, catalog=catalog, quoted=True)
    query = exp.Select(expressions=[exp.column(each, quoted=True) for each in columns])
    query.set("from_", exp.From(this=table))
    return query, keys


def has_default(node: exp.Expr) -> bool:
    """Whether the last argument is the value where there is no such key."""
    return "default" in str(node.this).lower()
