"""Taking events out of merged rows: which values rest on them, and what is left without them.

A merge cannot be undone from its result alone. But a value that differs from everything that some
events state does not come from them; and one that does not differ is what the others state.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from headwater.model.merge import CATALOG, Row
from headwater.model.relations import Rule


class _Place(NamedTuple):
    """Columns of a row that merge as one."""

    start: int
    stop: int
    deciding: int
    """The column without which they say nothing: the stamp, or the value itself."""


@cache
def _places(relation: str) -> tuple[_Place, ...]:
    columns = CATALOG[relation].columns
    position = {column.name: index for index, column in enumerate(columns)}
    alone = [
        _Place(index, index + 1, index)
        for index, column in enumerate(columns)
        if column.rule in (Rule.MIN, Rule.MAX)
    ]
    groups = [
        _Place(position[group.columns[0].name], stamp + 1, stamp)
        for group in CATALOG[relation].groups
        for stamp in (position[group.stamp.name],)
    ]
    return (*alone, *groups)


def rests_on(relation: str, stored: Row, stated: Row) -> bool:
    """Whether a stored row shows a value that another row of its key states.

    A row that states no value at all counts, if the stored one shows none either.
    """
    places = _places(relation)
    if all(stated[place.deciding] is None for place in places):
        return all(stored[place.deciding] is None for place in places)
    return any(_is_same(stored, stated, place) for place in places)


def take_out(relation: str, stored: Row, gone: Row, rest: Row | None) -> Row | None:
    """A stored row without what `gone` states, where `rest` is all that others state.

    None where nothing is left. What neither of them states was stated by events that are no longer
    kept, and stays.
    """
    places = _places(relation)
    left = list(stored)
    for place in places:
        if _is_same(stored, gone, place):
            width = place.stop - place.start
            values: Sequence[object] = (
                [None] * width if rest is None else rest[place.start : place.stop]
            )
            left[place.start : place.stop] = values
    if rest is None and all(left[place.deciding] is None for place in places):
        return None
    return tuple(left)


def _is_same(one: Row, other: Row, place: _Place) -> bool:
    return (
        one[place.deciding] is not None
        and one[place.start : place.stop] == other[place.start : place.stop]
    )
