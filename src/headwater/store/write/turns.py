"""Much to store, in turns with what others store: no request keeps the writer for seconds.

New names and new content cost most, for the search index. They never change under their id, and
nothing shows them until a row refers to them, so they are written ahead, some at a time. What is
written last has all of an event: it is stored as a whole or not at all, and finds most there.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from headwater.model.facts import Facts

T = TypeVar("T")

# A tenth of a second's work: no more new names and contents, or rows, than this at a time.
MAX_NEW = 500
MAX_ROWS = 5_000


def count_rows(facts: Facts) -> int:
    return sum(map(len, facts.rows.values()))


def in_turns(facts: Sequence[Facts]) -> Iterator[list[Facts]]:
    """What to store one after the other, with others in between; each at once."""
    if sum(len(each.names) + len(each.contents) for each in facts) > MAX_NEW:
        yield from _ahead(facts)
    group: list[Facts] = []
    rows = 0
    for each in facts:
        size = count_rows(each)
        if group and rows + size > MAX_ROWS:
            yield group
            group, rows = [], 0
        group.append(each)
        rows += size
    if group:
        yield group


def _ahead(facts: Iterable[Facts]) -> Iterator[list[Facts]]:
    names = {id: name for each in facts for id, name in each.names.items()}
    contents = {digest: content for each in facts for digest, content in each.contents.items()}
    for part in _parts(names.items()):
        some = Facts()
        some.names.update(part)
        yield [some]
    for piece in _parts(contents.items()):
        some = Facts()
        some.contents.update(piece)
        yield [some]


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(items)
    while part := list(islice(iterator, MAX_NEW)):
        yield part
