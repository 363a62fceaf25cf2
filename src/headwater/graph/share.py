"""Cutting fairly: who has more neighbours than fit gives way to those with few."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


def share(requested: Mapping[K, list[V]], room: int) -> set[V]:
    """Choose at most `room` values: one of each list in turn, until there is no more room."""
    chosen: set[V] = set()
    queues = [list(dict.fromkeys(values)) for values in requested.values()]
    turn = 0
    while queues and len(chosen) < room:
        for queue in queues:
            if len(chosen) >= room:
                break
            chosen.add(queue[turn])
        turn += 1
        queues = [queue for queue in queues if len(queue) > turn]
    return chosen
