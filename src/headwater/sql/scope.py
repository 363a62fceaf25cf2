"""The names that are visible at a place of a query, and what they mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from headwater.model.values.derivation import AS_IT_IS, CHANGED, combine
from headwater.sql.results import SourceColumn
from headwater.sql.rows import (
    NOTHING,
    Deciding,
    Derived,
    NamedRows,
    QueryRows,
    RowColumn,
    open_column,
)

Report = Callable[[str, str, exp.Expr | None], None]

# Names without parentheses that are values of the system and not of a table.
_SYSTEM_WORDS = (
    "connect_by_iscycle connect_by_isleaf current_date current_time current_timestamp "
    "current_user level localtime localtimestamp rowid rownum session_user sysdate systimestamp "
    "windowend windowstart"
)
_SYSTEM_VALUES = frozenset(_SYSTEM_WORDS.split())
_STRUCTURES = ("JSON", "OBJECT", "RECORD", "ROW", "STRUCT", "SUPER", "VARIANT")
# Of each record of a ksqlDB source, whatever columns it has.
_RECORD_VALUES = frozenset(("rowtime", "rowpartition", "rowoffset"))


@dataclass
class Scope:
    """Relations side by side, inside another scope for what is correlated."""

    report: Report
    parent: "Scope | None" = None
    relations: list[NamedRows] = field(default_factory=list)
    aliases: dict[str, RowColumn] = field(default_factory=dict)
    """Columns of the select list that other expressions may refer to, by name in lower case."""
    prefers_aliases: bool = False
    """Whether an alias comes before a column that may or may not exist."""
    merged: dict[str, RowColumn] = field(default_factory=dict)
    """Columns that USING made one, by name in lower case."""
    windows: Mapping[str, exp.Expr] = field(default_factory=dict)
    deciding: frozenset[Deciding] = frozenset()

    def column(self, parts: Sequence[str], node: exp.Expr) -> RowColumn:
        """What `a.b.c` means: a column of a relation, or a field inside one."""
        scope: Scope | None = self
        while scope is not None:
            found = scope._find(parts, node)
            if found is not None:
                return found
            scope = scope.parent
        name = parts[-1]
        if len(parts) > 1 or name.lower() not in _SYSTEM_VALUES | _RECORD_VALUES:
            self.report("column", f"There is no column {'.'.join(parts)} here.", node)
        return RowColumn(name, NOTHING)

    def _find(self, parts: Sequence[str], node: exp.Expr) -> RowColumn | None:
        for length in range(len(parts) - 1, 0, -1):
            relation = self._relation(parts[:length])
            if relation is not None:
                found = self._in_relation(relation, parts[length], node)
                return inside(found, parts[length + 1 :])
        if len(parts) > 1 and not self._has_structure(parts[0]) and self._knows_better(parts[0]):
            return None
        found_here = self._unqualified(parts[0], node)
        if found_here is not None:
            return inside(found_here, parts[1:])
        return self._whole_row(parts[0]) if len(parts) == 1 else None

    def _has_structure(self, name: str) -> bool:
        """Whether a column here is known to have fields."""
        found = [each.rows.find(name) for each in self.relations]
        return any(c is not None and (c.value.members or _has_fields(c.type)) for c in found)

    def _knows_better(self, qualifier: str) -> bool:
        """Whether a scope around this one has a relation of this name."""
        scope = self.parent
        while scope is not None:
            if scope._relation((qualifier,)) is not None:
                return True
            scope = scope.parent
        return False

    def has_relation(self, name: str) -> bool:
        """Whether there is a relation of this name, here or around."""
        return self._relation((name,)) is not None or self._knows_better(name)

    def _relation(self, qualifier: Sequence[str]) -> NamedRows | None:
        if len(qualifier) == 1:
            key = qualifier[0].lower()
            for relation in reversed(self.relations):
                if relation.name.lower() == key:
                    return relation
        for relation in self.relations:
            if relation.answers_to(qualifier):
                return relation
        return None

    def _in_relation(self, relation: NamedRows, name: str, node: exp.Expr) -> RowColumn:
        found = relation.rows.find(name) or relation.rows.at_place(name)
        if found is not None:
            return found
        tables = relation.rows.open_tables
        if len(tables) == 1:
            return open_column(tables[0], name)
        if tables:
            return self._candidates([open_column(table, name, True) for table in tables], node)
        if relation.rows.added_by is not None:
            return RowColumn(name, relation.rows.added_by)
        if relation.rows.listed_table is not None:
            return self._unlisted(relation.rows.listed_table, name, node)
        self.report("column", f"There is no column {name} in {relation.name or 'it'}.", node)
        return RowColumn(name, NOTHING)

    def _unlisted(self, table: str, name: str, node: exp.Expr) -> RowColumn:
        """A column that a statement says a table has, and a catalog does not list."""
        if name.lower() not in _RECORD_VALUES:
            self.report("column", f"The catalog lists no column {name} in {table}.", node)
        return open_column(table, name)

    def certainly_has(self, name: str) -> bool:
        """Whether a relation here is known to have a column."""
        return any(relation.rows.find(name) for relation in self.relations)

    def _unqualified(self, name: str, node: exp.Expr) -> RowColumn | None:
        key = name.lower()
        if self.prefers_aliases and key in self.aliases:
            return self.aliases[key]
        if key in self.merged:
            return self.merged[key]
        known = [found for each in self.relations if (found := each.rows.find(name))]
        if len(known) > 1:
            return self._candidates(known, node)
        if known:
            return known[0]
        if key in self.aliases:
            return self.aliases[key]
        if key in _SYSTEM_VALUES:
            return RowColumn(name, NOTHING)
        # A table under two names is one candidate, too.
        tables = dict.fromkeys(t for each in self.relations for t in each.rows.open_tables)
        if len(tables) == 1:
            return open_column(next(iter(tables)), name)
        if not tables:
            return self._of_only_table(name, node)
        return self._candidates([open_column(table, name, True) for table in tables], node)

    def _of_only_table(self, name: str, node: exp.Expr) -> RowColumn | None:
        added = [r.rows.added_by for r in self.relations if r.rows.added_by is not None]
        if len(added) == 1 and not self._is_outside(name):
            return RowColumn(name, added[0])
        listed = self.relations[0].rows.listed_table if len(self.relations) == 1 else None
        if listed is None or self.parent is not None or self._relation((name,)) is not None:
            return None
        return self._unlisted(listed, name, node)

    def _is_outside(self, name: str) -> bool:
        """Whether a scope around this one is known to have a column."""
        scope = self.parent
        while scope is not None:
            if scope.certainly_has(name):
                return True
            scope = scope.parent
        return False

    def _candidates(self, found: Sequence[RowColumn], node: exp.Expr) -> RowColumn:
        """A column that may be any of several."""
        values = {id(each.value): each.value for each in found}
        if len(values) == 1 or all(each.value.direct == found[0].value.direct for each in found):
            return found[0]
        tables = sorted({source.table for each in found for source in each.value.whole})
        name = found[0].name
        self.report("ambiguous", f"The column {name} may be of {' or '.join(tables)}.", node)
        return RowColumn(name, combine([_as_candidate(each.value) for each in found]))

    def _whole_row(self, name: str) -> RowColumn | None:
        """A relation's name in place of a column: its rows as structures."""
        relation = self._relation((name,))
        if relation is None:
            return None
        return RowColumn(name, relation.rows.everything().through(CHANGED))

    def star(self) -> QueryRows:
        """The columns of `*`."""
        merged = [RowColumn(each.name, each.value, each.type) for each in self.merged.values()]
        rest = [
            column
            for relation in self.relations
            for column in relation.rows.in_order()
            if column.name.lower() not in self.merged
        ]
        tables = tuple(t for relation in self.relations for t in relation.rows.open_tables)
        return QueryRows([*merged, *rest], frozenset(), tables)

    def star_of(self, parts: Sequence[str], node: exp.Expr) -> QueryRows:
        """The columns of `t.*`; of a structure, what is in it is not known by name."""
        scope: Scope | None = self
        while scope is not None:
            relation = scope._relation(parts)
            if relation is not None:
                return relation.rows
            scope = scope.parent
        found = self.column(parts, node)
        if found.value.members:
            return QueryRows(
                [RowColumn(name, value) for name, value in found.value.members.items()]
            )
        message = f"The fields of {'.'.join(parts)} are not known: `*` is not expanded."
        self.report("star", message, node)
        return QueryRows([RowColumn("*", found.value.through(CHANGED))])


def _has_fields(kind: str | None) -> bool:
    return kind is not None and kind.upper().startswith(_STRUCTURES)


def _as_candidate(value: Derived) -> Derived:
    direct = {source._replace(is_candidate=True): way for source, way in value.whole.items()}
    indirect = frozenset((s._replace(is_candidate=True), by) for s, by in value.indirect)
    return Derived(direct, indirect)


def inside(column: RowColumn, path: Sequence[str]) -> RowColumn:
    """A field inside a column: the one that was put there, or the one of that name."""
    for name in path:
        value = column.value
        member = next(
            (v for n, v in (value.members or {}).items() if n.lower() == name.lower()), None
        )
        if member is not None:
            column = RowColumn(name, member.beside(value.indirect))
        elif value.origin is not None:
            origin: SourceColumn = value.origin
            source = origin._replace(path=(*origin.path, name))
            column = RowColumn(
                name, Derived({source: AS_IT_IS}, value.indirect, origin=source), None
            )
        else:
            column = RowColumn(name, value.through(CHANGED))
    return column
