"""ClickHouse's `dictGet('dictionary', 'column', key)` as a query of the dictionary."""

from sqlglot import exp


def dictionary_query(node: exp.Expr) -> tuple[exp.Select | None, list[exp.Expr]]:
    """The columns that are read, and the other arguments; no query if names are not written out."""
    if len(node.expressions) < 2:
        return None, []
    dictionary, names, *keys = node.expressions
    if isinstance(dictionary, exp.Column):
        parts = [part.name for part in dictionary.parts]
    else:
        parts = dictionary.name.split(".") if isinstance(dictionary, exp.Literal) else []
    listed = names.expressions if isinstance(names, exp.Tuple) else [names]
    columns = [each.name for each in listed if isinstance(each, exp.Literal) and each.is_string]
    if not columns or not parts or not all(parts) or len(parts) > 2:
        return None, keys
    table = exp.table_(parts[-1], db=parts[0] if len(parts) > 1 else None, quoted=True)
    query = exp.Select(expressions=[exp.column(each, quoted=True) for each in columns])
    query.set("from_", exp.From(this=table))
    return query, keys


def has_default(node: exp.Expr) -> bool:
    """Whether the last argument is the value where there is no such key."""
    return "default" in str(node.this).lower()
