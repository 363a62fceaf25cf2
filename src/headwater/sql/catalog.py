"""The tables that exist outside a script, and their columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater.model.naming import DatasetName


class CatalogColumn(NamedTuple):
    name: str
    type: str | None = None


class CatalogTable(NamedTuple):
    """A table by its full name; `dataset` is what OpenLineage calls it, where that is known."""

    name: str
    columns: tuple[CatalogColumn, ...]
    dataset: DatasetName | None = None


class Catalog:
    """Tables by name. Names compare without case, and a shorter name means the only longer one."""

    def __init__(self, tables: Iterable[CatalogTable] = ()) -> None:
        self._by_name: dict[str, CatalogTable] = {}
        self._by_ending: dict[str, list[CatalogTable]] = {}
        for table in tables:
            self.add(table)

    @classmethod
    def of(cls, schemas: Mapping[str, Sequence[str] | Mapping[str, str | None]]) -> "Catalog":
        """A catalog of {table: [columns]} or {table: {column: type}}."""
        return cls(CatalogTable(name, _columns(columns)) for name, columns in schemas.items())

    def add(self, table: CatalogTable) -> None:
        self._by_name[table.name.lower()] = table
        parts = table.name.lower().split(".")
        for start in range(1, len(parts)):
            self._by_ending.setdefault(".".join(parts[start:]), []).append(table)

    def find(self, name: str) -> CatalogTable | None:
        """The table of a name, or the only one that ends with it."""
        key = name.lower()
        found = self._by_name.get(key)
        if found is not None:
            return found
        # A name of three parts is a full one.
        endings = self._by_ending.get(key, ()) if key.count(".") < 2 else ()
        return endings[0] if len(endings) == 1 else None

    def __len__(self) -> int:
        return len(self._by_name)


def _columns(
    columns: Sequence[str] | Mapping[str, str | None],
) -> tuple[CatalogColumn, ...]:
    """A column and its type; fields of a structure, named `column.field`, are no columns."""
    pairs = columns.items() if isinstance(columns, Mapping) else ((name, None) for name in columns)
    found = [CatalogColumn(name, kind) for name, kind in pairs]
    names = {column.name.lower() for column in found}
    return tuple(
        column
        for column in found
        if "." not in column.name or column.name.lower().split(".")[0] not in names
    )
