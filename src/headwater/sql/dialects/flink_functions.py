"""Functions of Flink SQL whose arguments are not plain expressions, and Flink's types."""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from headwater.sql.dialects.streaming import aggregates
from headwater.sql.dialects.table_functions import TableFunctionParser


def _timestamp_add(args: list[Any]) -> exp.Expr:
    return _with_unit(exp.TimestampAdd, "TIMESTAMPADD", args)


def _timestamp_diff(args: list[Any]) -> exp.Expr:
    return _with_unit(exp.TimestampDiff, "TIMESTAMPDIFF", args)


def _with_unit(kind: type[exp.Func], name: str, args: list[Any]) -> exp.Expr:
    """`f(DAY, a, b)`: the first argument is a unit and no column."""
    if len(args) != 3:
        return exp.Anonymous(this=name, expressions=args)
    return kind(this=args[2], expression=args[1], unit=exp.var(args[0].name))


class FlinkFunctionParser(TableFunctionParser):
    """Functions over JSON and over time, and types."""

    FUNCTIONS: ClassVar = {
        **TableFunctionParser.FUNCTIONS,
        **aggregates("COLLECT", "LISTAGG", "PERCENTILE"),
        "TIMESTAMPADD": _timestamp_add,
        "TIMESTAMPDIFF": _timestamp_diff,
    }

    NO_PAREN_FUNCTIONS: ClassVar = {
        **TableFunctionParser.NO_PAREN_FUNCTIONS,
        TokenType.LOCALTIME: exp.Localtime,
        TokenType.LOCALTIMESTAMP: exp.Localtimestamp,
    }

    FUNCTION_PARSERS: ClassVar = {
        **{
            name: parser
            for name, parser in TableFunctionParser.FUNCTION_PARSERS.items()
            if name not in ("CONVERT", "DECODE", "MATCH", "STRING_AGG", "CHR")
        },
        "DESCRIPTOR": lambda self: self._parse_descriptor(),
        "JSON_ARRAY": lambda self: self._parse_json_values(exp.JSONArray),
        "JSON_ARRAYAGG": lambda self: self._parse_json_aggregate(),
        "JSON_EXISTS": lambda self: self._parse_json_path("JSON_EXISTS"),
        "JSON_OBJECT": lambda self: self._parse_json_values(exp.JSONObject),
        "JSON_OBJECTAGG": lambda self: self._parse_json_values(exp.JSONObjectAgg),
        "JSON_QUERY": lambda self: self._parse_json_path("JSON_QUERY"),
        "JSON_VALUE": lambda self: self._parse_json_path("JSON_VALUE"),
    }

    def _parse_type(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        """An operand; `MAP[k, v, ...]` is a map, and no element of a column `MAP`."""
        if self._next.token_type != TokenType.L_BRACKET or not self._match(TokenType.MAP):
            return super()._parse_type(*args, **kwargs)
        self._advance()
        pairs = self._parse_csv(self._parse_disjunction)
        if not self._match(TokenType.R_BRACKET):
            self.raise_error("Expected ]")
        return self._parse_column_ops(self._as_map(pairs[::2], pairs[1::2]))

    def _parse_json_path(self, name: str) -> exp.Expr:
        """`JSON_VALUE(text, path [RETURNING type] [handling ON EMPTY] [handling ON ERROR])`."""
        arguments = self._parse_csv(self._parse_json_argument)
        returning = None
        if self._match_text_seq("PASSING"):
            arguments += self._parse_csv(self._parse_expression)
        if self._match(TokenType.RETURNING):
            returning = self._parse_types()
        arguments += self._parse_json_handling()
        if name == "JSON_VALUE" and len(arguments) == 2:
            this, path = arguments
            return self.expression(exp.JSONValue(this=this, path=path, returning=returning))
        call = self.expression(exp.Anonymous(this=name, expressions=arguments))
        return self.expression(exp.Cast(this=call, to=returning)) if returning else call

    def _parse_json_handling(self) -> list[exp.Expr]:
        """What to return when there is nothing, or an error: the values of DEFAULT."""
        found: list[exp.Expr] = []
        while self._curr and not self._match(TokenType.R_PAREN, advance=False):
            if self._match(TokenType.DEFAULT):
                value = self._parse_bitwise()
                if value:
                    found.append(value)
            elif self._match_texts(_JSON_WORDS):
                continue
            else:
                self.raise_error("Unexpected in a JSON function")
        return found

    def _parse_json_argument(self) -> exp.Expr | None:
        return self._parse_format_json(self._parse_disjunction())

    def _parse_json_values(self, kind: type[exp.Expression]) -> exp.Expr:
        """`JSON_OBJECT([KEY] k VALUE v, ... [NULL ON NULL])`, `JSON_ARRAY(v, ...)`."""
        values = []
        if not self._match(TokenType.R_PAREN, advance=False) and not self._is_null_handling():
            values = self._parse_csv(self._parse_json_pair)
        self._parse_json_handling()
        return self.expression(kind(expressions=values))

    def _is_null_handling(self) -> bool:
        return bool(
            self._match_text_seq("NULL", "ON", advance=False)
            or self._match_text_seq("ABSENT", "ON", advance=False)
        )

    def _parse_json_pair(self) -> exp.Expr | None:
        self._match_text_seq("KEY")
        key = self._parse_json_argument()
        if not self._match_text_seq("VALUE") and not self._match(TokenType.COLON):
            return key
        value = self._parse_json_argument()
        return self.expression(exp.JSONKeyValue(this=key, expression=value))

    def _parse_json_aggregate(self) -> exp.Expr:
        this = self._parse_order(self._parse_json_argument())
        self._parse_json_handling()
        return self.expression(exp.JSONArrayAgg(this=this))

    def _parse_types(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        """A type, which may be a collection written behind its element: `INT MULTISET`."""
        found = self._parse_named_type() or super()._parse_types(*args, **kwargs)
        while isinstance(found, exp.DataType) and self._match_text_seq("MULTISET"):
            found = _user_type("MULTISET", [found])
        if kwargs.get("with_collation"):
            # sqlglot asks for this where a type is the element of another: `ARRAY<INT NOT NULL>`.
            self._match_text_seq("NOT", "NULL")
        return found

    def _parse_named_type(self) -> exp.DataType | None:
        """Types that sqlglot has none like: MULTISET<t>, RAW('class', 'bytes'), STRUCTURED<...>."""
        following = self._next.token_type
        if following == TokenType.LT and self._match_text_seq("MULTISET"):
            self._advance()
            inner = self._parse_types()
            self._match(TokenType.GT)
            return _user_type("MULTISET", [inner] if inner else [])
        if following == TokenType.LT and self._match_text_seq("STRUCTURED"):
            self._advance()
            self._parse_string()
            fields = []
            if self._match(TokenType.COMMA):
                fields = self._parse_csv(self._parse_struct_types)
            self._match(TokenType.GT)
            return exp.DataType(this=exp.DType.STRUCT, expressions=fields, nested=True)
        if following == TokenType.L_PAREN and self._match_text_seq("RAW"):
            self._parse_wrapped_csv(self._parse_string)
            return _user_type("RAW", [])
        return None


_JSON_WORDS = (
    *("NULL", "ERROR", "EMPTY", "TRUE", "FALSE", "UNKNOWN", "ABSENT", "ON", "ARRAY", "OBJECT"),
    *("WITH", "WITHOUT", "CONDITIONAL", "UNCONDITIONAL", "WRAPPER", "FORMAT", "JSON"),
)


def _user_type(name: str, inner: list[exp.Expr]) -> exp.DataType:
    return exp.DataType(
        this=exp.DType.USERDEFINED, kind=name, expressions=inner, nested=bool(inner)
    )
