"""CREATE, ALTER and DROP of Flink SQL."""

from typing import ClassVar

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from headwater.sql.dialects.nodes import MetadataColumnConstraint, ModelColumns, TableSetting
from headwater.sql.dialects.streaming import StreamingParser

_KINDS = ("TABLE", "VIEW", "FUNCTION", "CATALOG", "DATABASE", "MODEL", "CONNECTION")
# Confluent's, which read and write nothing themselves.
_PLAIN_KINDS = ("TOOL", "AGENT")
# Clauses of `NAME = value`.
_SETTINGS = ("FRESHNESS", "REFRESH_MODE", "START_MODE")


class FlinkTableParser(StreamingParser):
    """Tables and other objects, and what they are made of."""

    CONSTRAINT_PARSERS: ClassVar = {
        **{
            name: Parser.CONSTRAINT_PARSERS[name]
            for name in ("CHECK", "COMMENT", "DEFAULT", "NOT", "NULL", "PRIMARY KEY", "UNIQUE")
        },
        "METADATA": lambda self: self._parse_metadata(),
        "WATERMARK": lambda self: self._parse_watermark(),
    }
    SCHEMA_UNNAMED_CONSTRAINTS: ClassVar = {"PRIMARY KEY", "UNIQUE", "WATERMARK"}

    def _parse_create(self) -> exp.Create | exp.Command:
        if self._match_texts(_PLAIN_KINDS, advance=False):
            return self._parse_plain_command()
        replace = self._match_text_seq("OR", "REPLACE") or self._match_text_seq("OR", "ALTER")
        found: list[exp.Expr] = []
        if self._match(TokenType.TEMPORARY):
            found.append(exp.TemporaryProperty())
        self._match_text_seq("SYSTEM")
        if self._match_text_seq("MATERIALIZED"):
            found.append(exp.MaterializedProperty())
        kind = self._parse_kind()
        exists = self._parse_exists(not_=True)
        this: exp.Expr | None = self._parse_name()
        if kind in ("TABLE", "VIEW"):
            this = self._parse_schema(this=this)
        expression = None
        if kind == "FUNCTION":
            expression = self._parse_function_class()
        found += self._parse_clauses()
        if kind != "FUNCTION" and self._match(TokenType.ALIAS):
            expression = self._parse_query()
        return self.expression(
            exp.Create(
                this=this,
                kind=kind,
                replace=bool(replace),
                exists=exists,
                expression=expression,
                properties=self._with_properties(found),
            )
        )

    def _parse_kind(self) -> str:
        if not self._match_texts(_KINDS):
            self.raise_error(f"Expected one of {', '.join(_KINDS)}")
        return self._prev.text.upper()

    def _parse_query(self) -> exp.Expr | None:
        query = self._parse_ddl_select()
        if query is None:
            self.raise_error("Expected a query")
        return query

    def _parse_function_class(self) -> exp.Expr | None:
        """`AS 'class' [LANGUAGE JAVA] [USING JAR 'path', JAR 'path']`."""
        self._match(TokenType.ALIAS)
        name = self._parse_string()
        if self._match_text_seq("LANGUAGE"):
            self._advance_any()
        if self._match(TokenType.USING):
            self._parse_csv(self._parse_resource)
        return name

    def _parse_resource(self) -> exp.Expr | None:
        self._match_texts(("JAR", "FILE", "ARTIFACT", "ARCHIVE"))
        return self._parse_string()

    def _parse_clauses(self) -> list[exp.Expr]:
        """What stands between a table's columns and its query, in any order."""
        found: list[exp.Expr] = []
        while True:
            index = self._index
            found += self._parse_clause()
            if self._index == index:
                return found

    def _parse_clause(self) -> list[exp.Expr]:
        if self._match_text_seq("COMMENT"):
            return [self.expression(exp.SchemaCommentProperty(this=self._parse_string()))]
        if self._match(TokenType.WITH):
            return self._parse_options()
        if self._match(TokenType.PARTITION_BY):
            return [self._parse_partitioned_by()]
        if self._match_text_seq("DISTRIBUTED"):
            return [self._parse_distribution()]
        if self._match(TokenType.LIKE):
            like = self._parse_create_like()
            return [like] if like else []
        if self._match_texts(("INPUT", "OUTPUT")):
            which = self._prev.text.upper()
            columns = self._parse_wrapped_csv(self._parse_field_def)
            return [self.expression(ModelColumns(this=which, expressions=columns))]
        if self._match_texts(_SETTINGS):
            return [self._parse_setting(self._prev.text.upper())]
        return []

    def _parse_distribution(self) -> exp.Expr:
        """`DISTRIBUTED [BY [HASH|RANGE] (columns)] [INTO n BUCKETS]`: how rows are spread."""
        start = self._prev
        if self._match_text_seq("BY"):
            self._match_texts(("HASH", "RANGE"))
            self._parse_wrapped_id_vars()
        if self._match_text_seq("INTO"):
            self._parse_number()
            self._match_text_seq("BUCKETS")
        return self.expression(
            TableSetting(this="DISTRIBUTED", value=exp.var(self._find_sql(start, self._prev)))
        )

    def _parse_create_like(self) -> exp.LikeProperty | None:
        table = self._parse_name()
        features: list[exp.Expr] = []
        if self._match(TokenType.L_PAREN):
            while self._match_texts(("INCLUDING", "EXCLUDING", "OVERWRITING")):
                how = self._prev.text.upper()
                feature = self._parse_var(any_token=True, upper=True)
                features.append(exp.Property(this=how, value=feature))
            self._match_r_paren()
        return self.expression(exp.LikeProperty(this=table, expressions=features))

    def _parse_watermark(self) -> exp.Expr | None:
        """`WATERMARK FOR column AS expression`."""
        if not self._match(TokenType.FOR):
            return None
        column = self._parse_column()
        if not self._match(TokenType.ALIAS):
            self.raise_error("Expected AS in WATERMARK")
        return self.expression(
            exp.WatermarkColumnConstraint(this=column, expression=self._parse_disjunction())
        )

    def _parse_metadata(self) -> MetadataColumnConstraint:
        is_named = self._match(TokenType.FROM)
        key = (self._parse_string() or self._parse_identifier()) if is_named else None
        virtual = self._match_text_seq("VIRTUAL")
        return self.expression(MetadataColumnConstraint(this=key, virtual=virtual))

    def _parse_change(self) -> exp.Expr:
        """A new query redefines a view or materialized table; other changes are kept as text."""
        if self._match_texts(_PLAIN_KINDS, advance=False):
            return self._parse_plain_command()
        start, index = self._prev, self._index
        is_materialized = self._match_text_seq("MATERIALIZED")
        if not self._match_texts(_KINDS):
            self.raise_error(f"Expected one of {', '.join(_KINDS)}")
        kind = self._prev.text.upper()
        exists = self._parse_exists()
        name = self._parse_name()
        if self._match_text_seq("RENAME", "TO"):
            action = self.expression(exp.AlterRename(this=self._parse_name()))
            return self.expression(exp.Alter(this=name, kind=kind, exists=exists, actions=[action]))
        if kind in ("VIEW", "TABLE") and self._match(TokenType.ALIAS):
            made: list[exp.Expr] = [exp.MaterializedProperty()] if is_materialized else []
            return self.expression(
                exp.Create(
                    this=name,
                    kind=kind,
                    replace=True,
                    expression=self._parse_query(),
                    properties=self._with_properties(made),
                )
            )
        changes = self._try_parse(self._parse_table_changes) if kind == "TABLE" else None
        if changes is not None:
            actions = changes.expressions
            return self.expression(exp.Alter(this=name, kind=kind, exists=exists, actions=actions))
        return self._rest_as_command(start, index)

    def _parse_table_changes(self) -> exp.Tuple | None:
        changes = self._parse_column_changes()
        return None if changes is None else exp.Tuple(expressions=changes)

    def _parse_column_changes(self) -> list[exp.Expr] | None:
        """ADD, DROP and RENAME of columns; whatever else is changed moves no data."""
        if self._match_texts(("SET", "RESET", "MODIFY", "COMPACT", "SUSPEND", "RESUME", "REFRESH")):
            return self._parse_rest()
        if self._match_text_seq("RENAME"):
            old = self._parse_column()
            self._match_text_seq("TO")
            return [self.expression(exp.RenameColumn(this=old, to=self._parse_column()))]
        is_dropped = bool(self._match_text_seq("DROP"))
        if not is_dropped and not self._match_text_seq("ADD"):
            return None
        if self._match_texts(("PARTITION", "WATERMARK", "CONSTRAINT", "DISTRIBUTION")):
            return self._parse_rest()
        if self._match(TokenType.PRIMARY_KEY):
            return self._parse_rest()
        self._match(TokenType.COLUMN)
        is_wrapped = self._match(TokenType.L_PAREN, advance=False)
        if is_dropped:
            one = self._parse_column
            found = self._parse_wrapped_csv(one) if is_wrapped else self._parse_csv(one)
            return [self.expression(exp.Drop(kind="COLUMN", tables=found))]
        added = self._parse_wrapped_csv(self._parse_added) if is_wrapped else [self._parse_added()]
        return [each for each in added if isinstance(each, exp.ColumnDef)]

    def _parse_added(self) -> exp.Expr | None:
        """A column and its place, a watermark or a key."""
        found = self._parse_constraint() or self._parse_field_def()
        if not self._match_text_seq("FIRST") and self._match_text_seq("AFTER"):
            self._parse_column()
        return found

    def _parse_rest(self) -> list[exp.Expr]:
        while self._curr:
            self._advance()
        return []

    def _rest_as_command(self, start: Token, index: int) -> exp.Command:
        self._retreat(index)
        command = self._parse_plain_command()
        command.set("this", start.text.upper())
        return command

    def _parse_drop(self, exists: bool = False, kind: str | None = None) -> exp.Drop:
        temporary = self._match(TokenType.TEMPORARY)
        self._match_text_seq("SYSTEM")
        materialized = self._match_text_seq("MATERIALIZED")
        kind = self._parse_kind()
        if_exists = self._parse_exists() or exists
        name = self._parse_name()
        cascade = self._match_texts(("CASCADE", "RESTRICT")) and self._prev.text.upper()
        return self.expression(
            exp.Drop(
                kind=kind,
                tables=[name],
                exists=if_exists,
                temporary=temporary,
                materialized=materialized,
                cascade=cascade == "CASCADE",
            )
        )
