"""The rows of queries and tables while they are resolved: columns, and what decides about rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from headwater.model.values import derivation
from headwater.model.values.derivation import AS_IT_IS, combine
from headwater.sql.results import SourceColumn

Derived: TypeAlias = derivation.Derived[SourceColumn]
Deciding: TypeAlias = tuple[SourceColumn, str]

NOTHING = Derived()


class RowColumn(NamedTuple):
    name: str
    value: Derived
    type: str | None = None


@dataclass(frozen=True)
class QueryRows:
    """Columns in order. `open_tables` may have further columns, which nobody has listed."""

    columns: Sequence[RowColumn] = ()
    deciding: frozenset[Deciding] = frozenset()
    open_tables: tuple[str, ...] = ()
    listed_table: str | None = None
    """The table that these are all columns of, as a catalog lists them."""
    added_by: Derived | None = None
    """What further columns are made of, where a function adds some that nobody has listed."""
    function: str = ""
    """The function whose columns these are, where none is listed: `*` stays `*`."""

    def decided_by(self, deciding: Iterable[Deciding]) -> "QueryRows":
        added = frozenset(deciding)
        return QueryRows(self.columns, self.deciding | added, self.open_tables) if added else self

    def named(self, names: Sequence[str]) -> "QueryRows":
        """The same with other names for the first columns, as `AS t (a, b)` gives them."""
        if not names:
            return self
        columns = self.in_order()
        stars = [place for place, each in enumerate(columns) if each.name == "*"]
        if stars:
            return QueryRows(_around_star(columns, stars, names), self.deciding)
        if self.added_by is not None and len(names) > len(self.columns):
            further = [RowColumn(name, self.added_by) for name in names[len(self.columns) :]]
            return QueryRows([*self.columns, *further], self.deciding).named(names)
        renamed = [
            RowColumn(names[place] if place < len(names) else each.name, each.value, each.type)
            for place, each in enumerate(self.columns)
        ]
        return QueryRows(renamed, self.deciding, self.open_tables, added_by=self.added_by)

    def listed(self) -> "QueryRows":
        """The same with a `*` for columns that nobody has listed, as `SELECT *` has them."""
        return QueryRows(self.in_order(), self.deciding, self.open_tables)

    def in_order(self) -> Sequence[RowColumn]:
        """The columns with a `*` for each table that nobody has listed.

        What a function or PIVOT adds to such a table stands behind the columns of the table.
        """
        if self.function and self.added_by is not None:
            return [RowColumn("*", self.added_by)]
        stars = star_tables(self.columns)
        unlisted = [table for table in self.open_tables if table not in stars]
        if not unlisted:
            return self.columns
        return [*(open_column(table, "*") for table in unlisted), *self.columns]

    def everything(self) -> Derived:
        """A value made of all columns, as a reference to a whole row is."""
        parts = [each.value for each in self.columns]
        parts += [Derived({SourceColumn(name, "*"): AS_IT_IS}) for name in self.open_tables]
        return combine(parts)

    def find(self, name: str) -> RowColumn | None:
        """The column of a name: as it is written, else without case."""
        key = name.lower()
        found = None
        for each in self.columns:
            if each.name == name:
                return each
            if found is None and each.name.lower() == key:
                found = each
        return found

    def at_place(self, name: str) -> RowColumn | None:
        """The column that `$2` means, where all are listed."""
        place = int(name[1:]) if name[:1] == "$" and name[1:].isdecimal() else 0
        is_listed = not self.open_tables and 0 < place <= len(self.columns)
        return self.columns[place - 1] if is_listed else None

    def may_have(self, name: str) -> bool:
        return bool(self.open_tables) or self.find(name) is not None


def _around_star(
    columns: Sequence[RowColumn], stars: Sequence[int], names: Sequence[str]
) -> list[RowColumn]:
    """Names for columns of which some are not known: those before and behind have their places.

    Each of the others may be any of the unknown ones.
    """
    first, behind = stars[0], len(columns) - 1 - stars[-1]
    end = max(len(names) - behind, first)
    unknown = combine([each.value for each in columns[first : stars[-1] + 1]])
    before = [RowColumn(n, c.value, c.type) for n, c in zip(names, columns[:first], strict=False)]
    last = columns[len(columns) - behind :] if behind else ()
    after = [RowColumn(n, c.value, c.type) for n, c in zip(names[end:], last, strict=False)]
    return [*before, *(RowColumn(name, unknown) for name in names[first:end]), *after]


def star_tables(columns: Iterable[RowColumn]) -> set[str]:
    """The tables of which nobody has listed the columns, by each `*` that is one of theirs."""
    stars = (each for each in columns if each.name == "*")
    return {s.table for each in stars for s in each.value.direct if s.column == "*"}


def open_column(table: str, name: str, is_candidate: bool = False) -> RowColumn:
    """A column of a table whose columns nobody has listed."""
    source = SourceColumn(table, name, (), is_candidate)
    return RowColumn(name, Derived({source: AS_IT_IS}, origin=source))


@dataclass(frozen=True)
class NamedRows:
    """Rows under a name, as a table, a subquery or a lateral join is in FROM."""

    name: str
    rows: QueryRows
    parts: tuple[str, ...] = ()
    """The parts of its full name, by which columns may be qualified too."""
    hidden: frozenset[str] = frozenset()
    """Columns that `*` leaves out: those that USING or NATURAL join into one, in lower case."""

    def answers_to(self, qualifier: Sequence[str]) -> bool:
        """Whether `a.b` in `a.b.column` means this relation."""
        qualifier_parts = [part.lower() for part in qualifier]
        if len(qualifier_parts) == 1 and self.name.lower() == qualifier_parts[0]:
            return True
        own = [part.lower() for part in self.parts]
        return (
            bool(own)
            and len(qualifier_parts) <= len(own)
            and own[len(own) - len(qualifier_parts) :] == qualifier_parts
        )
