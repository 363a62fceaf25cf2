"""Pages of lists, and long lists of ids in parts that a statement can take."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MOST_AT_ONCE = 1_024
# A list is read in pages: who asks for more gets this much, and the next page by its offset.
LONGEST_PAGE = 1_000


class Page(NamedTuple):
    limit: int
    offset: int


def in_parts(ids: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Distinct ids, sorted, some at once, for statements that look for any of them.

    The last part is filled up to a power of two by repeating an id: a driver keeps every statement
    it has prepared, and one for each number of ids would come to hundreds of megabytes.
    """
    requested = sorted(set(ids))
    for start in range(0, len(requested), _MOST_AT_ONCE):
        part = requested[start : start + _MOST_AT_ONCE]
        size = 1 << (len(part) - 1).bit_length()
        yield part + part[-1:] * (size - len(part))
