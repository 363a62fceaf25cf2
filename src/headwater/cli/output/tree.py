"""A graph as a tree: every node in full once, and after that only by name."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from headwater.cli.output.screen import Marks

E = TypeVar("E")


class Branch(NamedTuple, Generic[E]):
    """A line of a tree: a node and the edge it hangs by; or only how many more there are."""

    guide: str
    key: str
    edge: E | None = None
    is_repeated: bool = False
    more: int = 0


class _Pending(NamedTuple, Generic[E]):
    guide: str
    below: str
    key: str
    edge: E | None
    more: int = 0


def grow(
    root: str,
    children: Callable[[str], Sequence[tuple[str, E]]],
    more: Callable[[str], int],
    marks: Marks,
) -> Iterator[Branch[E]]:
    """Walk down from a root; circles and nodes met again end where they were met before.

    There are as many lines as edges, and no more: what hangs below a node is shown once.
    """
    pending: list[_Pending[E]] = [_Pending("", "", root, None)]
    seen: set[str] = set()
    while pending:
        guide, below, key, edge, missing = pending.pop()
        if missing:
            yield Branch(guide, "", None, more=missing)
            continue
        is_repeated = key in seen
        yield Branch(guide, key, edge, is_repeated)
        if is_repeated:
            continue
        seen.add(key)
        found: list[tuple[str, E | None, int]] = [(*child, 0) for child in children(key)]
        if beyond := more(key):
            found.append(("", None, beyond))
        for index, (child, hanging, count) in reversed(list(enumerate(found))):
            is_last = index == len(found) - 1
            pending.append(
                _Pending(
                    below + (marks.last if is_last else marks.branch),
                    below + (marks.blank if is_last else marks.bar),
                    child,
                    hanging,
                    count,
                )
            )
