"""The types of expressions, where they can be derived from the text and the catalog."""

from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from headwater.sql.scope import Scope

# One of these is of its first argument's type.
_LIKE_FIRST = (exp.Max, exp.Min, exp.Coalesce, exp.Paren, exp.Alias, exp.FirstValue, exp.LastValue,
               exp.Lag, exp.Lead, exp.AnyValue, exp.Window, exp.Nullif, exp.First, exp.Last,
               exp.Neg)  # fmt: skip
_BOOLEAN = (exp.Predicate, exp.Connector, exp.Not, exp.Exists, exp.Boolean)
_BIGINT = (exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, exp.ApproxDistinct)
_TEXT = (exp.Concat, exp.Upper, exp.Lower, exp.Substring, exp.Trim, exp.MD5, exp.SHA2, exp.DPipe)


def type_of(node: exp.Expr, scope: Scope, dialect: Dialect) -> str | None:
    """The type of a value in the words of the dialect, or None where it is unknown."""
    for _ in range(50):
        if isinstance(node, exp.Cast):
            return node.to.sql(dialect=dialect)
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return _column_type([part.name for part in node.parts], scope)
        if isinstance(node, _BIGINT):
            return _written(exp.DType.BIGINT, dialect)
        if isinstance(node, _BOOLEAN):
            return _written(exp.DType.BOOLEAN, dialect)
        if isinstance(node, _TEXT):
            return _written(exp.DType.TEXT, dialect)
        if isinstance(node, exp.Literal):
            return _literal(node, dialect)
        if not isinstance(node, _LIKE_FIRST) or not isinstance(node.this, exp.Expr):
            return None
        node = node.this
    return None


def _column_type(parts: list[str], scope: Scope | None) -> str | None:
    while scope is not None:
        for relation in scope.relations:
            if len(parts) == 1 or relation.answers_to(parts[:-1]):
                found = relation.rows.find(parts[-1])
                if found is not None:
                    return found.type
        scope = scope.parent
    return None


def _literal(node: exp.Expr, dialect: Dialect) -> str:
    if node.is_string:
        return _written(exp.DType.TEXT, dialect)
    return _written(exp.DType.INT if node.is_int else exp.DType.DECIMAL, dialect)


def _written(kind: exp.DType, dialect: Dialect) -> str:
    return _written_in(kind, type(dialect))


@cache
def _written_in(kind: exp.DType, dialect: type[Dialect]) -> str:
    return exp.DataType.build(kind).sql(dialect=dialect)
