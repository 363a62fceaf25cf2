"""ksqlDB's SQL: streams and tables over Kafka topics."""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.nodes import (
    Emit,
    Explain,
    HeadersColumnConstraint,
    JoinWithin,
    KeyColumnConstraint,
    SourceProperty,
    StreamWindow,
)
from headwater.sql.dialects.streaming import (
    StreamingDialect,
    StreamingParser,
    StreamingTokenizer,
    aggregates,
)
from headwater.sql.dialects.variables import with_variables

_PLAIN = (
    "SHOW LIST DESCRIBE SET UNSET ALTER TERMINATE PAUSE RESUME PRINT ASSERT DEFINE UNDEFINE RUN"
    " SPOOL"
)
# Functions of a unit of time and two more arguments.
_OF_UNITS = ("DATEADD", "DATESUB", "TIMEADD", "TIMESUB", "TIMESTAMPADD", "TIMESTAMPSUB")
_AGGREGATES = (
    *("ATTR", "COLLECT_LIST", "COLLECT_SET", "CORRELATION", "COUNT_DISTINCT", "EARLIEST_BY_OFFSET"),
    *(
        "HISTOGRAM",
        "LATEST_BY_OFFSET",
        "STDDEV_SAMP",
        "STDDEV_SAMPLE",
        "SUM_LIST",
        "TOPK",
        "TOPKDISTINCT",
    ),
)
# ksqlDB's clauses in tokens that sqlglot never takes for an alias.
_EMIT = TokenType.PREWHERE
_WITHIN = TokenType.MATCH_CONDITION


def _of_unit(name: str) -> Any:
    """Build `f(DAYS, 1, ts)`, whose first argument is a unit and no column."""

    def build(args: list[Any]) -> exp.Expr:
        unit = [exp.var(args[0].name)] if args else []
        return exp.Anonymous(this=name, expressions=[*unit, *args[1:]])

    return build


class KsqlDBParser(StreamingParser):
    """Statements, clauses and expressions of ksqlDB."""

    STATEMENTS: ClassVar = {
        "CREATE": "_parse_create",
        "DROP": "_parse_drop",
        "EXPLAIN": "_parse_explain",
        "INSERT": "_parse_insert",
        **dict.fromkeys(_PLAIN.split(), "_parse_plain_command"),
    }

    FUNCTIONS: ClassVar = {
        **Parser.FUNCTIONS,
        **{name: _of_unit(name) for name in _OF_UNITS},
        **aggregates(*_AGGREGATES),
    }

    FUNCTION_PARSERS: ClassVar = {
        **{
            name: Parser.FUNCTION_PARSERS[name] for name in ("CAST", "TRIM", "SUBSTRING", "EXTRACT")
        },
        "MAP": lambda self: self._parse_map(),
    }

    CONSTRAINT_PARSERS: ClassVar = {
        "HEADER": lambda self: self._parse_header(),
        "HEADERS": lambda self: self.expression(HeadersColumnConstraint()),
        "KEY": lambda self: self.expression(KeyColumnConstraint()),
        "NOT": Parser.CONSTRAINT_PARSERS["NOT"],
        "PRIMARY KEY": lambda self: self.expression(exp.PrimaryKeyColumnConstraint()),
    }

    LAMBDAS: ClassVar = {TokenType.FARROW: Parser.LAMBDAS[TokenType.ARROW]}

    COLUMN_OPERATORS: ClassVar = {
        TokenType.DOT: None,
        TokenType.ARROW: lambda self, this, field: self._as_field(this, field),
    }

    QUERY_MODIFIER_PARSERS: ClassVar = {
        **Parser.QUERY_MODIFIER_PARSERS,
        _EMIT: lambda self: ("options", self._parse_emit()),
        TokenType.PARTITION_BY: lambda self: ("distribute", self._parse_key()),
        TokenType.WINDOW: lambda self: ("windows", self._parse_stream_window()),
    }

    def parse(self, raw_tokens: list[Token], sql: str) -> list[exp.Expr | None]:
        return super().parse(with_variables(raw_tokens, self.dialect.tokenize), sql)

    def _parse_map(self) -> exp.Map:
        """`MAP('key' := value, ...)`; a key may be a column."""
        keys: list[exp.Expr] = []
        values: list[exp.Expr] = []
        while self._curr and not self._match(TokenType.R_PAREN, advance=False):
            key = self._parse_disjunction()
            if not self._match(TokenType.COLON_EQ):
                self.raise_error("Expected :=")
            value = self._parse_disjunction()
            if key is None or value is None:
                self.raise_error("Expected key := value")
            else:
                keys.append(key)
                values.append(value)
            if not self._match(TokenType.COMMA):
                break
        return self._as_map(keys, values)

    def _parse_create(self) -> exp.Create:
        replace = self._match_text_seq("OR", "REPLACE")
        if self._match_text_seq("TYPE"):
            return self._parse_create_type()
        found: list[exp.Expr] = []
        role = self._match_texts(("SOURCE", "SINK")) and self._prev.text.upper()
        if not self._match_texts(("STREAM", "TABLE", "CONNECTOR")):
            self.raise_error("Expected STREAM, TABLE, CONNECTOR or TYPE")
        kind = self._prev.text.upper()
        if kind == "CONNECTOR":
            kind = f"{role} {kind}" if role else kind
        elif role:
            found.append(SourceProperty())
        exists = self._parse_exists(not_=True)
        name = self._parse_name() if "CONNECTOR" not in kind else self._parse_connector_name()
        this = self._parse_schema(this=name)
        if self._match(TokenType.WITH):
            found += self._parse_options()
        query = None
        if self._match(TokenType.ALIAS):
            query = self._parse_select()
            if query is None:
                self.raise_error("Expected a query")
        return self.expression(
            exp.Create(
                this=this,
                kind=kind,
                replace=bool(replace),
                exists=exists,
                expression=query,
                properties=self._with_properties(found),
            )
        )

    def _parse_connector_name(self) -> exp.Expr | None:
        """`my-connector`: Connect's names often have a `-`, also where quotes are left out."""
        name = self._parse_name()
        while name is not None and self._match(TokenType.DASH):
            part = self._parse_name()
            name.this.set("this", f"{name.name}-{part.name if part is not None else ''}")
        return name

    def _parse_create_type(self) -> exp.Create:
        exists = self._parse_exists(not_=True)
        name = self._parse_name()
        self._match(TokenType.ALIAS)
        kind = self._parse_types(schema=True)
        if kind is None:
            self.raise_error("Expected a type")
        return self.expression(exp.Create(this=name, kind="TYPE", exists=exists, expression=kind))

    def _parse_constraint(self) -> exp.Expr | None:
        """None stands on its own in a schema: `KEY STRING` is a column of that name."""
        return None

    def _parse_header(self) -> HeadersColumnConstraint:
        name = self._parse_wrapped(self._parse_string)
        return self.expression(HeadersColumnConstraint(this=name))

    def _parse_drop(self, exists: bool = False, kind: str | None = None) -> exp.Drop:
        if not self._match_texts(("STREAM", "TABLE", "CONNECTOR", "TYPE")):
            self.raise_error("Expected STREAM, TABLE, CONNECTOR or TYPE")
        kind = self._prev.text.upper()
        if_exists = self._parse_exists() or exists
        name = self._parse_name()
        # The topic goes too: it is a change to a dataset.
        purge = self._match_text_seq("DELETE", "TOPIC")
        return self.expression(exp.Drop(kind=kind, tables=[name], exists=if_exists, purge=purge))

    def _parse_explain(self) -> exp.Expr:
        """`EXPLAIN query` or the id of a running one."""
        statements = (TokenType.SELECT, TokenType.CREATE, TokenType.INSERT)
        if self._match_set(statements, advance=False):
            return self.expression(Explain(this=self._parse_statement()))
        return self._parse_plain_command()

    def _parse_insert(self) -> exp.Insert:
        if not self._match(TokenType.INTO):
            self.raise_error("Expected INTO")
        this = self._parse_schema(this=self._parse_name())
        if self._match_pair(TokenType.WITH, TokenType.L_PAREN, advance=False):
            self._advance()
            self._parse_options()
        source = self._parse_derived_table_values() or self._parse_select()
        if source is None:
            self.raise_error("Expected VALUES or a query")
        return self.expression(exp.Insert(this=this, expression=source))

    def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        table = super()._parse_table(*args, **kwargs)
        if isinstance(table, exp.Table) and self._match(_WITHIN):
            table.set("hints", [self._parse_within()])
        return table

    def _parse_join(self, *args: Any, **kwargs: Any) -> exp.Join | None:
        join = super()._parse_join(*args, **kwargs)
        hints = join.this.args.get("hints") if join and join.this else None
        if join and hints and isinstance(hints[0], JoinWithin):
            join.this.set("hints", None)
            join.set("match_condition", hints[0])
        return join

    def _parse_within(self) -> JoinWithin:
        if self._match(TokenType.L_PAREN):
            bounds = self._parse_csv(self._parse_duration)
            self._match_r_paren()
        else:
            bounds = [self._parse_duration()]
        if self._match_text_seq("GRACE", "PERIOD"):
            bounds.append(self._parse_duration())
        return self.expression(JoinWithin(expressions=bounds))

    def _parse_duration(self) -> exp.Expr:
        size = self._parse_number()
        if size is None:
            self.raise_error("Expected a number")
        return self.expression(exp.Interval(this=size, unit=self._parse_var(any_token=True)))

    def _parse_stream_window(self) -> list[exp.Expr]:
        """`WINDOW [name] HOPPING (SIZE 1 HOUR, ADVANCE BY 1 MINUTE, RETENTION 1 DAY, ...)`."""
        self._match(TokenType.WINDOW)
        if not self._match_texts(_WINDOWS):
            self._advance_any()
            if not self._match_texts(_WINDOWS):
                self.raise_error(f"Expected one of {', '.join(_WINDOWS)}")
        kind = self._prev.text.upper()
        bounds = self._parse_wrapped_csv(self._parse_bound)
        return [self.expression(StreamWindow(this=kind, expressions=bounds))]

    def _parse_bound(self) -> exp.Expr:
        words = []
        while self._curr and not self._match_set(
            (TokenType.NUMBER, TokenType.COMMA, TokenType.R_PAREN), advance=False
        ):
            words.append(self._curr.text.upper())
            self._advance()
        value = self._parse_duration()
        name = " ".join(words) or "SIZE"
        return self.expression(exp.Property(this=exp.var(name), value=value))

    def _parse_emit(self) -> list[exp.Expr]:
        self._match(_EMIT)
        return [self.expression(Emit(this=self._prev.text.split()[-1].upper()))]

    def _parse_key(self) -> exp.Distribute:
        self._match(TokenType.PARTITION_BY)
        return self.expression(exp.Distribute(expressions=self._parse_csv(self._parse_disjunction)))

    def _as_field(self, this: exp.Expr | None, field: exp.Expr | None) -> exp.Expr:
        """`struct->field`, and `struct->*`."""
        name = field.this if isinstance(field, exp.Column) else field
        return self.expression(exp.Dot(this=this, expression=name))


_WINDOWS = ("TUMBLING", "HOPPING", "SESSION")


class KsqlDB(StreamingDialect):
    """Names fold to upper case, unless they are quoted."""

    NORMALIZATION_STRATEGY = NormalizationStrategy.UPPERCASE
    IDENTIFIERS_CAN_START_WITH_DIGIT = True

    class Tokenizer(StreamingTokenizer):
        IDENTIFIERS: ClassVar = ["`", '"']
        KEYWORDS: ClassVar = {
            **StreamingTokenizer.KEYWORDS,
            "BYTES": TokenType.VARBINARY,
            "EMIT CHANGES": _EMIT,
            "EMIT FINAL": _EMIT,
            "WITHIN": _WITHIN,
        }

    Parser = KsqlDBParser
