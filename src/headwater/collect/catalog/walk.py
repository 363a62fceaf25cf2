"""Reading tables and what is linked to them, step by step, several at once."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Report = TypeVar("Report")

AT_ONCE = 8


def read_linked(
    starts: Iterable[str],
    depth: int,
    read: Callable[[str], Report | None],
    linked: Callable[[Report], Iterable[str]],
) -> Iterator[Report]:
    """What is read of some tables, then of those linked to them, at most `depth` steps away.

    A name is read once, whatever names it.
    """
    seen: set[str] = set()
    level = list(dict.fromkeys(starts))
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="catalog") as pool:
        for _ in range(depth + 1):
            seen.update(level)
            found: dict[str, None] = {}
            for report in pool.map(read, level):
                if report is not None:
                    yield report
                    found.update(dict.fromkeys(linked(report)))
            level = [name for name in found if name not in seen]
            if not level:
                return
