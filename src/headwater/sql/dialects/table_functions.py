"""Functions and patterns over whole tables, as Flink writes them in FROM."""

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from headwater.sql.dialects.nodes import (
    Descriptor,
    ModelArgument,
    PatternMatch,
    TableFunction,
    WindowTableFunction,
)
from headwater.sql.dialects.streaming import StreamingParser

_WINDOWS = ("TUMBLE", "HOP", "CUMULATE", "SESSION")


class TableFunctionParser(StreamingParser):
    """Parses `TABLE(f(...))`, `LATERAL TABLE(f(...))`, `f(TABLE t, ...)` and MATCH_RECOGNIZE."""

    # UNNEST and VALUES in FROM are sqlglot's to parse.
    CALL_NAME_TOKENS: ClassVar = StreamingParser.FUNC_TOKENS - {TokenType.UNNEST, TokenType.VALUES}

    # In parentheses they can be joined: `FROM (TABLE(f(...)) AS t JOIN u ON ...)`.
    MODIFIABLES = (*StreamingParser.MODIFIABLES, TableFunction, PatternMatch)  # type: ignore[assignment]

    def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        is_reference = kwargs.get("schema") or kwargs.get("is_db_reference")
        found = None if is_reference else self._parse_table_function()
        if found is not None:
            if kwargs.get("joins"):
                for join in self._parse_joins(alias_tokens=kwargs.get("alias_tokens")):
                    found.append("joins", join)
        else:
            found = super()._parse_table(*args, **kwargs)
        if found is None or not self._match(TokenType.MATCH_RECOGNIZE):
            return found
        match = self._parse_pattern_match(found)
        # The joins that follow belong to the result, as they would to a table.
        for join in self._parse_joins() if kwargs.get("joins") else ():
            match.append("joins", join)
        return match

    def _parse_table_function(self) -> exp.Expr | None:
        """A call in FROM; none where something else follows."""
        index = self._index
        self._match(TokenType.LATERAL)
        is_wrapped = self._match_pair(TokenType.TABLE, TokenType.L_PAREN)
        function = self._parse_call() if is_wrapped or not self._is_lateral(index) else None
        if function is None:
            self._retreat(index)
            return None
        if is_wrapped:
            self._match_r_paren()
        alias = self._parse_table_alias()
        if isinstance(function, TableFunction):
            function.set("alias", alias)
            return function
        return self.expression(exp.Lateral(this=function, alias=alias))

    def _is_lateral(self, index: int) -> bool:
        """Whether LATERAL was there: what follows it without TABLE is sqlglot's to parse."""
        return self._index != index

    def _parse_call(self) -> exp.Expr | None:
        """`name(arguments)`, the name of up to three parts."""
        names = []
        while self._curr and self._curr.token_type in self.CALL_NAME_TOKENS:
            names.append(self._curr)
            self._advance()
            if not self._match(TokenType.DOT):
                break
        if not names or not self._match(TokenType.L_PAREN):
            return None
        arguments = _Arguments()
        if not self._match(TokenType.R_PAREN, advance=False):
            self._parse_csv(lambda: self._parse_argument(arguments))
        self._match_r_paren()
        name = ".".join(token.text for token in names)
        if not arguments.inputs:
            return self.expression(exp.Anonymous(this=name, expressions=arguments.others), names[0])
        kind = WindowTableFunction if name.upper() in _WINDOWS else TableFunction
        function = kind(
            this=name,
            inputs=arguments.inputs,
            expressions=arguments.others,
            partition_by=arguments.partition_by,
            order=arguments.order,
        )
        return self.expression(function, names[0])

    def _parse_argument(self, found: "_Arguments") -> exp.Expr | None:
        name = None
        if self._next.token_type == TokenType.FARROW:
            name = self._curr.text
            self._advance(2)
        table = self._parse_table_argument()
        if table is not None:
            found.inputs.append(table)
            if self._match(TokenType.PARTITION_BY):
                found.partition_by += self._parse_partition_columns()
            found.order += self._parse_argument_order()
            return table
        if self._match_text_seq("MODEL"):
            value: exp.Expr | None = self.expression(ModelArgument(this=self._parse_name()))
        else:
            value = self._parse_lambda()
        if value is None:
            self.raise_error("Expected an argument")
            return None
        if name:
            value = self.expression(exp.Kwarg(this=exp.var(name), expression=value))
        found.others.append(value)
        return value

    def _parse_table_argument(self) -> exp.Expr | None:
        if self._match(TokenType.TABLE):
            wrapped = self._match(TokenType.L_PAREN)
            if wrapped and self._match_set((TokenType.SELECT, TokenType.WITH), advance=False):
                self._retreat(self._index - 1)
                return self._parse_select(table=True)
            table = self._parse_table_function() or self._parse_name()
            if wrapped:
                self._match_r_paren()
            return table
        is_query = self._match(TokenType.L_PAREN, advance=False) and self._next.token_type in (
            TokenType.SELECT,
            TokenType.WITH,
        )
        return self._parse_select(table=True) if is_query else None

    def _parse_partition_columns(self) -> list[exp.Expr]:
        if not self._match(TokenType.L_PAREN, advance=False):
            # A comma is the next argument's, not the next column's.
            column = self._parse_column()
            return [column] if column else []
        return self._parse_wrapped_csv(self._parse_column)

    def _parse_argument_order(self) -> list[exp.Expr]:
        """`ORDER BY a` or `ORDER BY (a, b DESC)`; a comma outside is the next argument's."""
        if not self._match(TokenType.ORDER_BY):
            return []
        if self._match(TokenType.L_PAREN, advance=False):
            return self._parse_wrapped_csv(self._parse_ordered)
        first = self._parse_ordered()
        return [first] if first else []

    def _parse_descriptor(self) -> Descriptor:
        return self.expression(Descriptor(expressions=self._parse_csv(self._parse_column)))

    def _parse_pattern_match(self, this: exp.Expr) -> PatternMatch:
        self._match_l_paren()
        match = PatternMatch(
            this=this,
            partition_by=self._parse_partition_by(),
            order=self._parse_order(),
            measures=self._match_text_seq("MEASURES") and self._parse_csv(self._parse_measure),
            rows=self._parse_words("ONE ROW PER MATCH", "ALL ROWS PER MATCH"),
            after=self._parse_skip(),
            pattern=self._parse_pattern(),
            within=self._match_text_seq("WITHIN") and self._parse_disjunction(),
            subset=self._match_text_seq("SUBSET") and self._parse_csv(self._parse_subset),
            define=self._match_text_seq("DEFINE") and self._parse_csv(self._parse_definition),
        )
        self._match_r_paren()
        match.set("alias", self._parse_table_alias())
        return self.expression(match)

    def _parse_measure(self) -> exp.Expr | None:
        self._match_texts(("FINAL", "RUNNING"))
        return self._parse_expression()

    def _parse_definition(self) -> exp.Expr:
        variable = self._parse_id_var()
        if not self._match(TokenType.ALIAS):
            self.raise_error("Expected AS after a pattern variable")
        return self.expression(exp.Alias(this=self._parse_disjunction(), alias=variable))

    def _parse_subset(self) -> exp.Expr:
        variable = self._parse_id_var()
        self._match(TokenType.EQ)
        variables = self._parse_wrapped_id_vars()
        return self.expression(exp.Alias(this=exp.Tuple(expressions=variables), alias=variable))

    def _parse_words(self, *phrases: str) -> exp.Var | None:
        for phrase in phrases:
            if self._match_text_seq(*phrase.split()):
                return exp.var(phrase)
        return None

    def _parse_skip(self) -> exp.Var | None:
        start = self._curr
        if not self._match_text_seq("AFTER", "MATCH"):
            return None
        while self._curr and not self._match_texts(("PATTERN", "WITHIN", "DEFINE"), advance=False):
            self._advance()
        return exp.var(self._find_sql(start, self._prev))

    def _parse_pattern(self) -> exp.Var | None:
        if not self._match_text_seq("PATTERN"):
            return None
        self._match_l_paren()
        start, depth = self._curr, 1
        while self._curr and depth:
            depth += self._match(TokenType.L_PAREN, advance=False) or 0
            depth -= self._match(TokenType.R_PAREN, advance=False) or 0
            self._advance()
        if depth:
            self.raise_error("Expected ) after a pattern")
        return exp.var(self._find_sql(start, self._prev).removesuffix(")"))


class _Arguments:
    """What the arguments of a table function are, apart by kind."""

    def __init__(self) -> None:
        self.inputs: list[exp.Expr] = []
        self.others: list[exp.Expr] = []
        self.partition_by: list[exp.Expr] = []
        self.order: list[exp.Expr] = []
