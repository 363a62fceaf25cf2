"""A bounded memory of a pure function's results."""

from collections.abc import Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

V = TypeVar("V")
# What was read, as bytes, or all that a value is made from.
Key = bytes | tuple[Hashable, ...]


_SHARED: "WeakSet[Memo[Any]]" = WeakSet()


def forget_unused() -> None:
    """Let every shared memo drop what was not requested since this was last called.

    Each has its limit, but all of them together are a lot for what was looked at once.
    """
    for memo in list(_SHARED):
        memo.forget_unused()


class Memo(Generic[V]):
    """Keeps what was used lately, up to about a number of bytes.

    Two generations: a full young one becomes the old one, and what is not requested again goes
    with it. That is nearly least-recently-used, at the price of a dictionary.
    """

    def __init__(self, max_bytes: int, is_shared: bool = True) -> None:
        """Shared by threads, unless one alone has it and looks after it."""
        self._half = max_bytes // 2
        self._size = 0
        self._young: dict[Key, V] = {}
        self._old: dict[Key, V] = {}
        self._weights: dict[Key, int] = {}
        if is_shared:
            _SHARED.add(self)

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
            self.forget_unused()
        self._young[key] = value
        if weight:
            self._weights[key] = weight
        # The key, and what a small object and a slot of the dictionary take.
        self._size += len(key) + weight + 400

    def forget_unused(self) -> None:
        """Drop what was not requested since this was last called, or the memo was last full."""
        self._old, self._young, self._size = self._young, {}, 0
        weights = self._weights
        # At once, as other threads go on adding to both.
        self._weights = {key: weights.get(key, 0) for key in list(self._old)}

    def clear(self) -> None:
        self._young, self._old, self._weights, self._size = {}, {}, {}, 0
