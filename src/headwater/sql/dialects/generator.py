"""Writes trees of streaming SQL as text again, for messages: nodes that sqlglot does not know."""

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.generator import Generator

from headwater.sql.dialects import nodes


def _table_function(self: Generator, node: exp.Expr) -> str:
    partition = self.expressions(node, key="partition_by", flat=True)
    order = self.expressions(node, key="order", flat=True)
    tail = f" PARTITION BY ({partition})" if partition else ""
    tail += f" ORDER BY ({order})" if order else ""
    inputs = [f"TABLE {self.sql(each)}" for each in node.args["inputs"]]
    arguments = ", ".join([f"{', '.join(inputs)}{tail}", *map(self.sql, node.expressions)])
    return f"{node.this}({arguments}){_alias(self, node)}{_joins(self, node)}"


def _pattern_match(self: Generator, node: exp.Expr) -> str:
    clauses = [
        ("PARTITION BY", self.expressions(node, key="partition_by", flat=True)),
        ("", self.sql(node, "order").strip()),
        ("MEASURES", self.expressions(node, key="measures", flat=True)),
        ("", self.sql(node, "rows")),
        ("", self.sql(node, "after")),
        ("PATTERN", f"({self.sql(node, 'pattern')})"),
        ("WITHIN", self.sql(node, "within")),
        ("SUBSET", ", ".join(map(_subset(self), node.args.get("subset") or []))),
        ("DEFINE", ", ".join(map(_definition(self), node.args.get("define") or []))),
    ]
    body = " ".join(f"{word} {text}".strip() for word, text in clauses if text)
    alias = _alias(self, node)
    return f"{self.sql(node, 'this')} MATCH_RECOGNIZE ({body}){alias}{_joins(self, node)}"


def _definition(self: Generator) -> Callable[[exp.Expr], str]:
    return lambda node: f"{self.sql(node, 'alias')} AS {self.sql(node, 'this')}"


def _subset(self: Generator) -> Callable[[exp.Expr], str]:
    return lambda node: f"{self.sql(node, 'alias')} = {self.sql(node, 'this')}"


def _alias(self: Generator, node: exp.Expr) -> str:
    alias = self.sql(node, "alias")
    return f" AS {alias}" if alias else ""


def _joins(self: Generator, node: exp.Expr) -> str:
    return "".join(self.sql(join) for join in node.args.get("joins") or [])


def _metadata(self: Generator, node: exp.Expr) -> str:
    key = f" FROM {self.sql(node, 'this')}" if node.this else ""
    return f"METADATA{key}{' VIRTUAL' if node.args.get('virtual') else ''}"


def _headers(self: Generator, node: exp.Expr) -> str:
    return f"HEADER({self.sql(node, 'this')})" if node.this else "HEADERS"


def _bounds(self: Generator, node: exp.Expr) -> str:
    return self.expressions(node, flat=True)


def _bound(self: Generator, node: exp.Expr) -> str:
    """A bound of a window, or any property."""
    if isinstance(node.parent, nodes.StreamWindow):
        value = node.args["value"]
        return f"{self.sql(node, 'this')} {self.sql(value, 'this')} {self.sql(value, 'unit')}"
    return f"{self.sql(node, 'this')}={self.sql(node, 'value')}"


# Anything sqlglot does not know how to write.
WRITTEN: dict[type[exp.Expr], Callable[[Any, Any], str]] = {
    nodes.TableFunction: _table_function,
    nodes.WindowTableFunction: _table_function,
    nodes.PatternMatch: _pattern_match,
    nodes.Descriptor: lambda self, node: f"DESCRIPTOR({_bounds(self, node)})",
    nodes.ModelArgument: lambda self, node: f"MODEL {self.sql(node, 'this')}",
    nodes.MetadataColumnConstraint: _metadata,
    nodes.KeyColumnConstraint: lambda self, node: "KEY",
    nodes.HeadersColumnConstraint: _headers,
    nodes.SourceProperty: lambda self, node: "SOURCE",
    nodes.TableSetting: lambda self, node: f"{node.this} = {self.sql(node, 'value')}",
    nodes.ModelColumns: lambda self, node: f"{node.this} ({_bounds(self, node)})",
    nodes.Explain: lambda self, node: f"EXPLAIN {self.sql(node, 'this')}",
    nodes.SetBoundary: lambda self, node: "BEGIN STATEMENT SET",
    nodes.StreamWindow: lambda self, node: f"{node.this} ({_bounds(self, node)})",
    nodes.JoinWithin: lambda self, node: f"WITHIN ({_bounds(self, node)})",
    nodes.Emit: lambda self, node: f"EMIT {node.this}",
    exp.Property: _bound,
    exp.WatermarkColumnConstraint: lambda self, node: (
        f"WATERMARK FOR {self.sql(node, 'this')} AS {self.sql(node, 'expression')}"
    ),
}

_AFTER_SCHEMA = (nodes.TableSetting, nodes.ModelColumns)


class StreamingGenerator(Generator):
    """Close to what was written; not every clause is where its engine wants it."""

    TRANSFORMS: ClassVar = {**Generator.TRANSFORMS, **WRITTEN}

    PROPERTIES_LOCATION: ClassVar = {
        **Generator.PROPERTIES_LOCATION,
        nodes.SourceProperty: exp.Properties.Location.POST_CREATE,
        **dict.fromkeys(_AFTER_SCHEMA, exp.Properties.Location.POST_SCHEMA),
    }

    TYPE_MAPPING: ClassVar = {
        **Generator.TYPE_MAPPING,
        exp.DType.TEXT: "STRING",
        exp.DType.VARBINARY: "BYTES",
    }


class FlinkGenerator(StreamingGenerator):
    """Types by their names in Flink."""

    TYPE_MAPPING: ClassVar = {
        **StreamingGenerator.TYPE_MAPPING,
        exp.DType.STRUCT: "ROW",
        exp.DType.TIMESTAMPLTZ: "TIMESTAMP_LTZ",
    }
