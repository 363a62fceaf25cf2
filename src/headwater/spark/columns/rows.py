"""The rows of a plan: their columns, and what decides about all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater.spark.columns.sources import ColumnSource, Deciding, PlanValue
from headwater.spark.plan import PlanNode, expression_id

Id = tuple[int, str]


class Rows(NamedTuple):
    """The columns of a plan by their ids, their ids in order, and what decides about its rows.

    A column may be there twice, under one id.
    """

    columns: Mapping[Id, PlanValue]
    names: Mapping[Id, str]
    order: tuple[Id, ...]
    deciding: frozenset[Deciding] = frozenset()

    @property
    def values(self) -> list[PlanValue]:
        """The columns as they are in order."""
        return [self.columns[id] for id in self.order]

    @property
    def sources(self) -> frozenset[ColumnSource]:
        """All that the rows are made of, and that decides about them."""
        deciding = self.deciding.union(*(value.all_indirect for value in self.columns.values()))
        direct = (source for value in self.columns.values() for source in value.whole)
        return frozenset((*direct, *(source for source, _ in deciding)))

    def decided_by(self, deciding: frozenset[Deciding]) -> "Rows":
        return self._replace(deciding=self.deciding | deciding)


NO_ROWS = Rows({}, {}, ())


def rows_of(
    attributes: Sequence[PlanNode],
    values: Iterable[PlanValue],
    deciding: frozenset[Deciding] = frozenset(),
) -> Rows:
    """Columns that attributes or named expressions are the names of."""
    ids = [expression_id(each) for each in attributes]
    return Rows(
        dict(zip(ids, values, strict=True)),
        {id: each.fields["name"] for id, each in zip(ids, attributes, strict=True)},
        tuple(ids),
        deciding,
    )


def side_by_side(inputs: Sequence[Rows]) -> Rows:
    """All columns of several."""
    if len(inputs) == 1:
        return inputs[0]
    columns: dict[Id, PlanValue] = {}
    names: dict[Id, str] = {}
    for rows in inputs:
        columns.update(rows.columns)
        names.update(rows.names)
    order = tuple(id for rows in inputs for id in rows.order)
    return Rows(columns, names, order, all_deciding(inputs))


def all_deciding(inputs: Sequence[Rows]) -> frozenset[Deciding]:
    return frozenset[Deciding]().union(*(rows.deciding for rows in inputs))
