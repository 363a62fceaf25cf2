"""A bounded memory of a pure function's results."""

from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")
# What was read, as bytes, or all that a value is made from.
Key = bytes | tuple[Hashable, ...]


class Memo(Generic[V]):
    """Keeps what was used lately, up to about a number of bytes.

    Two generations: a full young one becomes the old one, and what is not asked for again goes
    with it. That is nearly least-recently-used, at the price of a dictionary.
    """

    def __init__(self, max_bytes: int) -> None:
        self._half = max_bytes // 2
        self._size = 0
        self._young: dict[Key, V] = {}
        self._old: dict[Key, V] = {}
        self._weights: dict[Key, int] = {}

    def get(self, key: Key) -> V | None:
        if (found := self._young.get(key)) is not None:
            return found
        if (found := self._old.get(key)) is not None:
            self.put(key, found, self._weights.get(key, 0))
        return found

    def put(self, key: Key, value: V, weight: int = 0) -> None:
        """Remember a value; `weight` is about the bytes it takes beyond those of its key."""
        # One that would push out most others is not worth remembering.
        if len(key) + weight > self._half // 4:
            return
        if self._size > self._half:
            self._old, self._young, self._size = self._young, {}, 0
            self._weights = {key: self._weights[key] for key in self._old if key in self._weights}
        self._young[key] = value
        if weight:
            self._weights[key] = weight
        # The key, and what a small object and a slot of the dictionary take.
        self._size += len(key) + weight + 400

    def clear(self) -> None:
        self._young, self._old, self._weights, self._size = {}, {}, {}, 0
