"""Pages of lists, and long lists of ids in parts that a statement can take."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MOST_AT_ONCE = 5_000


class Page(NamedTuple):
    limit: int
    offset: int


def in_parts(ids: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Distinct ids, sorted, so many at once as a statement takes parameters."""
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _MOST_AT_ONCE):
        yield wanted[start : start + _MOST_AT_ONCE]
