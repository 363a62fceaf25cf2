"""Flink SQL, as Apache Flink and Confluent Cloud speak it."""

from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.tokenizer_core import TokenType

from headwater.sql.dialects.flink_functions import FlinkFunctionParser
from headwater.sql.dialects.flink_tables import FlinkTableParser
from headwater.sql.dialects.generator import FlinkGenerator
from headwater.sql.dialects.nodes import Explain, SetBoundary
from headwater.sql.dialects.streaming import StreamingDialect, StreamingTokenizer

_PLAIN = (
    "SHOW DESCRIBE DESC SET RESET ADD REMOVE LOAD UNLOAD CALL ANALYZE HELP QUIT EXIT CLEAR STOP"
)


class FlinkParser(FlinkTableParser, FlinkFunctionParser):
    """Statements of Flink SQL."""

    STATEMENTS: ClassVar = {
        "ALTER": "_parse_change",
        "BEGIN": "_parse_begin",
        "COMPILE": "_parse_compile",
        "CREATE": "_parse_create",
        "DELETE": "_parse_delete",
        "DROP": "_parse_drop",
        "END": "_parse_end",
        "EXECUTE": "_parse_execute",
        "EXPLAIN": "_parse_explain",
        "INSERT": "_parse_insert",
        "TRUNCATE": "_parse_truncate_table",
        "UPDATE": "_parse_update",
        "USE": "_parse_use",
        **dict.fromkeys(_PLAIN.split(), "_parse_plain_command"),
    }

    def reset(self) -> None:
        super().reset()
        # Whether the statements up to END are of a set that is only explained.
        self._is_explained_set = False

    def _parse_statement(self) -> exp.Expr | None:
        if not self._is_explained_set or not self._curr:
            return super()._parse_statement()
        return self.expression(Explain(this=super()._parse_statement()))

    def _parse_begin(self) -> exp.Expr | None:
        if not self._match_text_seq("STATEMENT", "SET"):
            self.raise_error("Expected STATEMENT SET")
        return self.expression(SetBoundary(this="BEGIN"))

    def _parse_end(self) -> exp.Expr | None:
        return exp.EndStatement()

    def _advance_chunk(self) -> None:
        super()._advance_chunk()
        if self._match_text_seq("END", advance=False):
            self._is_explained_set = False

    def _parse_execute(self) -> exp.Expr | None:
        """`EXECUTE STATEMENT SET BEGIN insert`: the others follow as statements of their own."""
        if self._match_text_seq("PLAN", advance=False):
            return self._parse_plain_command()
        if self._match_text_seq("STATEMENT", "SET"):
            self._match_text_seq("BEGIN")
            return self._parse_set_start()
        return self._parse_statement()

    def _parse_set_start(self) -> exp.Expr | None:
        return self._parse_statement() if self._curr else SetBoundary(this="BEGIN")

    def _parse_explain(self) -> exp.Expr | None:
        # EXPLAIN [PLAN FOR | ESTIMATED_COST, CHANGELOG_MODE, ...] statement
        if not self._match_text_seq("PLAN", "FOR"):
            while self._match_texts(_EXPLAIN_DETAILS):
                self._match(TokenType.COMMA)
        if self._match_text_seq("STATEMENT", "SET"):
            self._match_text_seq("BEGIN")
            statement = self._parse_set_start()
            self._is_explained_set = True
        else:
            statement = self._parse_statement()
        if statement is None:
            self.raise_error("Expected a statement")
        return self.expression(Explain(this=statement))

    def _parse_compile(self) -> exp.Expr | None:
        """Compiling a plan runs nothing, unless it is compiled and executed."""
        is_run = self._match_text_seq("AND", "EXECUTE")
        if not self._match_text_seq("PLAN"):
            self.raise_error("Expected PLAN")
        self._parse_string()
        self._parse_exists(not_=True)
        self._match(TokenType.FOR)
        if is_run:
            return self._parse_execute()
        return self._parse_explain()

    def _parse_use(self) -> exp.Use:
        kind = self._match_texts(("CATALOG", "MODULES", "DATABASE")) and self._prev.text.upper()
        names = self._parse_csv(self._parse_name)
        return self.expression(
            exp.Use(kind=exp.var(kind) if kind else None, this=names[0] if names else None)
        )

    def _parse_on_conflict(self) -> exp.OnConflict | None:
        if not self._match_text_seq("ON", "CONFLICT"):
            return None
        self._match_text_seq("DO")
        return self.expression(exp.OnConflict(action=self._parse_var(any_token=True)))


_EXPLAIN_DETAILS = (
    "ESTIMATED_COST",
    "CHANGELOG_MODE",
    "JSON_EXECUTION_PLAN",
    "PLAN_ADVICE",
)


class Flink(StreamingDialect):
    """Names are case-sensitive, tables have a catalog and a database."""

    NORMALIZATION_STRATEGY = NormalizationStrategy.CASE_SENSITIVE
    STRICT_STRING_CONCAT = True

    class Tokenizer(StreamingTokenizer):
        HEX_STRINGS: ClassVar = [("x'", "'"), ("X'", "'")]
        UNICODE_STRINGS: ClassVar = [("u&'", "'"), ("U&'", "'")]
        KEYWORDS: ClassVar = {
            **StreamingTokenizer.KEYWORDS,
            "ROW": TokenType.STRUCT,
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
            "BYTES": TokenType.VARBINARY,
            "TIMESTAMP_LTZ": TokenType.TIMESTAMPLTZ,
        }

    Parser = FlinkParser

    Generator = FlinkGenerator
