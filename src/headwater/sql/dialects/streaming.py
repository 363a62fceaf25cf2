"""What the dialects of streaming engines share: options, commands, and errors of one kind."""

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp, tokens
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, ParseError, TokenError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.generator import StreamingGenerator
from headwater.sql.dialects.nodes import TableSetting


def aggregates(*names: str) -> dict[str, Callable[[list[Any]], exp.Expr]]:
    """Builders of functions over many rows that sqlglot has no class for."""

    def builder(name: str) -> Callable[[list[Any]], exp.Expr]:
        return lambda args: exp.AnonymousAggFunc(this=name, expressions=args)

    return {name: builder(name) for name in names}


class StreamingTokenizer(tokens.Tokenizer):
    """Identifiers in backticks, and no statement whose text is skipped."""

    IDENTIFIERS: ClassVar = ["`"]
    # sqlglot would not tokenize what follows these, and it may be an INSERT.
    COMMANDS: ClassVar = set()
    # A template's variable outside quotes is one token (`STRING_PARSERS` below).
    NATIONAL_RAW_STRINGS: ClassVar = [("${", "}")]


class StreamingParser(Parser):
    """Statements are recognized by their first word; nothing unknown becomes a command."""

    STATEMENTS: ClassVar[dict[str, str]] = {}
    """The first word of each statement, and the method that parses what follows it."""

    # SESSION is a function of both engines: a window.
    FUNC_TOKENS: ClassVar = Parser.FUNC_TOKENS | {TokenType.SESSION}

    STRING_PARSERS: ClassVar = {
        **Parser.STRING_PARSERS,
        TokenType.NATIONAL_RAW_STRING: lambda self, token: self._as_template(token),
    }

    PRIMARY_PARSERS: ClassVar = {
        **Parser.PRIMARY_PARSERS,
        TokenType.NATIONAL_RAW_STRING: lambda self, token: self._as_template(token),
    }

    def parse(self, raw_tokens: list[Token], sql: str) -> list[exp.Expr | None]:
        try:
            return super().parse(raw_tokens, sql)
        except RecursionError:
            # Where it was deepest is as good a place as any in that nesting.
            raise _error("Nested too deeply", self._curr or self._prev) from None

    def _parse_statement(self) -> exp.Expr | None:
        if not self._curr:
            return None
        is_word = self._curr.token_type not in (TokenType.IDENTIFIER, TokenType.STRING)
        method = self.STATEMENTS.get(self._curr.text.upper()) if is_word else None
        if method:
            comments = self._curr.comments
            self._advance()
            statement: exp.Expr | None = getattr(self, method)()
            if statement:
                statement.add_comments(comments, prepend=True)
            return statement
        if self._match_set(
            (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES), advance=False
        ):
            return super()._parse_statement()
        if self._match(TokenType.SEMICOLON):
            return exp.Semicolon()
        self.raise_error("Expected a statement")
        return None

    def _parse_plain_command(self) -> exp.Command:
        """A statement without lineage, kept as text: its first word, and the rest."""
        start = self._prev
        while self._curr:
            self._advance()
        text = self._find_sql(start, self._prev)
        size = len(start.text)
        return exp.Command(this=text[:size].upper(), expression=text[size:].strip())

    def _parse_as_command(self, start: Token) -> exp.Command:
        """Refuse what sqlglot would keep as text: it may be a statement with lineage."""
        self.raise_error("Invalid expression / Unexpected token")
        return exp.Command(this=start.text)

    def validate_expression(self, expression: Any, args: list[Any] | None = None) -> Any:
        """A function that is called unlike sqlglot's of the same name is another function."""
        is_call = args is not None and isinstance(expression, exp.Func)
        if is_call and self.error_level != ErrorLevel.IGNORE and expression.error_messages(args):
            return exp.Anonymous(this=expression.sql_name(), expressions=args)
        return super().validate_expression(expression, args)

    def _parse_hint(self) -> exp.Hint | None:
        """A hint is text: what it names are no columns."""
        if not self._match(TokenType.HINT):
            return None
        return exp.Hint(expressions=self._prev_comments[:1])

    def _as_map(self, keys: list[exp.Expr], values: list[exp.Expr]) -> exp.Map:
        return self.expression(
            exp.Map(keys=exp.Array(expressions=keys), values=exp.Array(expressions=values))
        )

    def _as_template(self, token: Token) -> exp.Identifier:
        """`${name}` that has no value: an identifier of this very text."""
        text = f"${{{token.text}}}"
        return self.expression(exp.Identifier(this=text, quoted=True), token)

    def _parse_id_var(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        if self._match(TokenType.NATIONAL_RAW_STRING):
            return self._as_template(self._prev)
        return super()._parse_id_var(*args, **kwargs)

    def _parse_name(self) -> exp.Table:
        """The name of an object, of up to three parts."""
        name = self._parse_table_parts(schema=True)
        if not isinstance(name, exp.Table):
            self.raise_error("Expected a name")
        return exp.Table() if not isinstance(name, exp.Table) else name

    def _parse_options(self) -> list[exp.Expr]:
        """`('key' = 'value', KEY = 1, ...)`, each an `exp.Property` of two literals."""
        self._match_l_paren()
        found: list[exp.Expr] = []
        if not self._match(TokenType.R_PAREN, advance=False):
            found = self._parse_csv(self._parse_option)
        self._match_r_paren()
        return found

    def _parse_option(self) -> exp.Property | None:
        start = self._curr
        if self._match(TokenType.R_PAREN, advance=False):
            # Behind a last comma: the engines refuse it, but what is meant is plain.
            return None
        words = []
        while self._curr and not self._match_set(
            (TokenType.EQ, TokenType.COMMA, TokenType.R_PAREN), advance=False
        ):
            words.append(self._curr)
            self._advance()
        if not words or not self._match(TokenType.EQ):
            self.raise_error("Expected an option 'key' = 'value'", start)
        is_quoted = words[0].token_type in (TokenType.STRING, TokenType.IDENTIFIER)
        key = "".join(word.text for word in words)
        value = exp.Literal.string(self._parse_option_value())
        return exp.Property(this=exp.Literal.string(key if is_quoted else key.upper()), value=value)

    def _parse_option_value(self) -> str:
        if self._match(TokenType.STRING):
            text = self._prev.text
            # Adjacent strings are one, as in other SQL.
            while self._match(TokenType.STRING):
                text += self._prev.text
            return text
        start = self._curr
        depth = 0
        while self._curr:
            if self._match(TokenType.L_PAREN, advance=False):
                depth += 1
            elif not depth and self._match_set((TokenType.COMMA, TokenType.R_PAREN), advance=False):
                break
            elif self._match(TokenType.R_PAREN, advance=False):
                depth -= 1
            self._advance()
        if start is self._curr or not start:
            self.raise_error("Expected an option's value")
        return self._find_sql(start, self._prev)

    def _parse_struct_types(self, type_required: bool = False) -> exp.Expr | None:
        """A field of a ROW or STRUCT: its name, its type, NOT NULL, and a comment in quotes."""
        name = self._parse_id_var(any_token=True)
        kind = self._parse_types(schema=True)
        if kind is None:
            # Not a type after all, but a call: `ROW(a, b)`.
            return None
        not_null = self._match_text_seq("NOT", "NULL")
        self._match_text_seq("NULL")
        self._match_text_seq("COMMENT")
        if self._match(TokenType.STRING, advance=False):
            self._parse_string()
        constraint = exp.ColumnConstraint(kind=exp.NotNullColumnConstraint())
        return self.expression(
            exp.ColumnDef(this=name, kind=kind, constraints=[constraint] if not_null else [])
        )

    def _parse_setting(self, name: str) -> TableSetting:
        """`NAME = value`, with an interval, a number or a word."""
        self._match(TokenType.EQ)
        value = self._parse_primary() or self._parse_interval() or self._parse_var(any_token=True)
        return self.expression(TableSetting(this=name, value=value))

    def _with_properties(self, found: list[exp.Expr]) -> exp.Properties | None:
        return exp.Properties(expressions=found) if found else None


class StreamingDialect(Dialect):
    """Whatever is wrong with a text is a `ParseError` that names line and column."""

    Generator = StreamingGenerator

    def parse(self, sql: str, **opts: Any) -> list[exp.Expr | None]:
        try:
            return super().parse(sql, **opts)
        except TokenError as error:
            place = sql[: _stopped_at(error, len(sql))]
            line = place.count("\n") + 1
            column = len(place) - (place.rfind("\n") + 1)
            raise ParseError.new(
                f"{error}. Line {line}, Col: {column}.",
                description=str(error.__cause__ or error),
                line=line,
                col=column,
            ) from None


def _stopped_at(error: TokenError, size: int) -> int:
    """Where the tokenizer was: its error has up to 50 characters around that."""
    if error.start:
        return error.start + 50
    if error.end is not None and error.end < size - 1:
        return error.end - 50
    return size


def _error(text: str, token: Token) -> ParseError:
    return ParseError.new(
        f"{text}. Line {token.line}, Col: {token.col}.",
        description=text,
        line=token.line,
        col=token.col,
    )
