"""The columns of a record's key, value and headers on their way through transforms."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

Path = tuple[str, ...]


class ColumnOrigin(NamedTuple):
    """A column of the record before all transforms; what became of it on the way."""

    part: str
    path: Path
    is_changed: bool = False
    is_masked: bool = False

    def then(self, is_changed: bool, is_masked: bool) -> "ColumnOrigin":
        return self._replace(
            is_changed=self.is_changed or is_changed, is_masked=self.is_masked or is_masked
        )


class StateColumn(NamedTuple):
    """What is at a path: a column, or a part whose columns are not known (`is_open`)."""

    origins: tuple[ColumnOrigin, ...] = ()
    is_open: bool = False
    is_absent: bool = False

    def changed(self, is_masked: bool = False) -> "StateColumn":
        origins = tuple(each.then(True, is_masked) for each in self.origins)
        return self._replace(origins=origins)


class UnknownColumns(Exception):
    """What a step does cannot be derived from what is known of the records."""


_ABSENT = StateColumn(is_absent=True)


class PartColumns:
    """The columns of one part of a record, by their paths; never changed in place.

    Where the columns are not known beforehand, a path stands for all that is below it; `joined` are
    such paths after their names were joined into one, by the beginning of these names.
    """

    def __init__(
        self,
        columns: Mapping[Path, StateColumn] | None = None,
        joined: Mapping[str, StateColumn] | None = None,
    ) -> None:
        self.columns = dict(columns or {})
        self.joined = dict(joined or {})

    @classmethod
    def of_fields(cls, part: str, paths: Iterable[Path]) -> "PartColumns":
        """All columns of a schema that is known."""
        return cls({path: StateColumn((ColumnOrigin(part, path),)) for path in paths})

    @property
    def is_open(self) -> bool:
        return bool(self.joined) or any(each.is_open for each in self.columns.values())

    def named(self) -> dict[Path, tuple[ColumnOrigin, ...]]:
        """The columns; raises UnknownColumns if they are not all known."""
        if self.is_open:
            raise UnknownColumns
        return {p: each.origins for p, each in self.columns.items() if not each.is_absent}

    def find(self, path: Path) -> StateColumn | None:
        """What is at a path: itself, or what it is a part of; None if there is nothing."""
        for length in range(len(path), -1, -1):
            found = self.columns.get(path[:length])
            if found is not None:
                return None if found.is_absent else _below(found, path[length:])
        for start in sorted(self.joined, key=len, reverse=True) if path else ():
            if path[0].startswith(start):
                rest = (path[0].removeprefix(start), *path[1:])
                return _below(self.joined[start], rest)
        return None

    def take(self, path: Path) -> dict[Path, StateColumn]:
        """All columns at and below a path, by what their paths have more than it."""
        below = {
            each[len(path) :]: column
            for each, column in self.columns.items()
            if each[: len(path)] == path
        }
        if () not in below and (found := self.find(path)) is not None:
            below[()] = found
        return below

    def with_column(self, path: Path, column: StateColumn) -> "PartColumns":
        return self.with_columns(path, {(): column})

    def with_columns(self, path: Path, added: Mapping[Path, StateColumn]) -> "PartColumns":
        """With other columns at and below a path."""
        kept = {p: each for p, each in self.columns.items() if p[: len(path)] != path}
        return PartColumns({**kept, **{(*path, *p): c for p, c in added.items()}}, self.joined)

    def take_each(self, names: Collection[str]) -> dict[str, dict[Path, StateColumn]]:
        """All columns at and below each of some names; the names that have any."""
        found: dict[str, dict[Path, StateColumn]] = {name: {} for name in names}
        for path, column in self.columns.items():
            if path and path[0] in found:
                found[path[0]][path[1:]] = column
        for name, below in found.items():
            if () not in below and (whole := self.find((name,))) is not None:
                below[()] = whole
        return {name: below for name, below in found.items() if below}

    def without(self, names: Collection[str]) -> "PartColumns":
        kept = {p: each for p, each in self.columns.items() if not p or p[0] not in names}
        found = PartColumns(kept, self.joined)
        hidden = [(name,) for name in names if found.find((name,)) is not None]
        found.columns.update(dict.fromkeys(hidden, _ABSENT))
        return found

    def with_each(self, added: Mapping[str, Mapping[Path, StateColumn]]) -> "PartColumns":
        """With other columns at and below some names."""
        kept = {p: each for p, each in self.columns.items() if not p or p[0] not in added}
        more = {(name, *p): each for name, below in added.items() for p, each in below.items()}
        return PartColumns({**kept, **more}, self.joined)

    def changed(self, is_masked: bool) -> "PartColumns":
        """With all columns changed."""
        columns = {path: each.changed(is_masked) for path, each in self.columns.items()}
        joined = {start: each.changed(is_masked) for start, each in self.joined.items()}
        return PartColumns(columns, joined)

    def flat(self, delimiter: str) -> "PartColumns":
        """With the names of paths joined, as far as these are known."""
        columns: dict[Path, StateColumn] = {}
        joined = dict(self.joined)
        for path, column in self.columns.items():
            name = delimiter.join(path)
            columns[(name,) if path else ()] = column
            if column.is_open and path:
                joined[name + delimiter] = column
        return PartColumns(columns, joined)


def _below(column: StateColumn, rest: Path) -> StateColumn:
    if not rest:
        return column
    origins = tuple(each._replace(path=(*each.path, *rest)) for each in column.origins)
    return column._replace(origins=origins)
