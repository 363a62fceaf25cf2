"""Applying changes to a catalog, and noting what it has taken, some at a time."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from headwater.errors import TargetUnavailable
from headwater.model.values import ids
from headwater.model.values.instant import now
from headwater.publish import Published
from headwater.publish.catalog import ItemRefused, ItemSkipped, Json, KeyRefused, OpenCatalog
from headwater.publish.catalog.compare import Action, ItemChange, encode_body
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.published import (
    ItemKey,
    ItemProblem,
    PublishedItem,
    clear_problems,
    forget_items,
    note_problem,
    note_published,
    read_body,
)

# So many failures one after another that a later try may not meet are the catalog's, not an item's.
_FAILURES_IN_A_ROW = 3
# Seconds between tries of one change, or as long as the catalog asks to be left alone.
_WAITS = (1.0, 2.0, 4.0, 8.0)
_LONGEST_WAIT = 120.0
_MOST_PROBLEMS_SHOWN = 20


class Applier:
    """Applies one change at a time; what was done is noted by `record`."""

    def __init__(
        self,
        catalog: OpenCatalog,
        engine: Engine,
        target: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._catalog = catalog
        self._sleep = sleep
        self._has_taken = False
        self._engine = engine
        self._target = target
        self._published: list[tuple[PublishedItem, bytes]] = []
        self._problems: list[ItemProblem] = []
        self._removed: list[ItemKey] = []
        self._settled: list[ItemKey] = []
        self._lines: list[str] = []
        self._left_out: list[str] = []
        self._written: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._failures = 0

    @property
    def pending(self) -> int:
        """How many changes are not noted yet."""
        return len(self._published) + len(self._problems) + len(self._removed)

    def apply(self, change: ItemChange) -> None:
        """Raises TargetUnavailable where the catalog takes nothing now."""
        if change.action is Action.KEEP:
            self._counts["unchanged"] += 1
            if change.known is not None and change.known.problem:
                self._settled.append(change.key)
        elif change.action is Action.FORGET:
            self._removed.append(change.key)
        elif change.action in (Action.SKIP, Action.LEAVE):
            self._skip(change, change.reason)
        else:
            self._try(change)

    def _try(self, change: ItemChange) -> None:
        try:
            self._persist(change)
            self._failures, self._has_taken = 0, True
        except ItemSkipped as error:
            self._skip(change, error.message)
            self._note_problem(change, error.message)
        except ItemRefused as error:
            self._counts["failed"] += 1
            again = "; the next pass tries again" if error.is_retriable else ""
            self._add(self._lines, f"{change.what}: {error.message}{again}")
            self._note_problem(change, error.message)
            self._failures = self._failures + 1 if error.is_retriable else 0
            if self._failures >= _FAILURES_IN_A_ROW:
                raise TargetUnavailable(self._target, error.message) from None

    def _persist(self, change: ItemChange) -> None:
        """Try again what may pass: a catalog that asks to wait, or that has taken others."""
        for wait in _WAITS:
            try:
                return self._do(change)
            except KeyRefused:
                raise
            except TargetUnavailable as error:
                requested = error.retry_after
                if requested is None and not self._has_taken:
                    raise
                if requested is not None and requested > _LONGEST_WAIT:
                    raise
                self._sleep(max(wait, requested or 0.0))
        return self._do(change)

    def _do(self, change: ItemChange) -> None:
        if change.item is None:
            self._catalog.remove(change.key, change.reference, self._read_body(change.key))
            self._removed.append(change.key)
            self._counts["removed"] += 1
            return
        is_new = change.action is Action.CREATE
        reference = self._catalog.write(change.item, change.reference, is_new)
        body = encode_body(change.item)
        item = PublishedItem(change.key, change.subject, ids.digest(body), reference, now())
        self._published.append((item, body))
        self._counts["created" if is_new else "updated"] += 1
        self._written[change.key.kind] += 1

    def _read_body(self, key: ItemKey) -> Json:
        with answering(), self._engine.connect() as connection:
            body = read_body(connection, self._target, key)
        return msgspec.json.decode(body, type=dict[str, Any]) if body else {}

    def _skip(self, change: ItemChange, reason: str) -> None:
        self._counts["skipped"] += 1
        self._add(self._left_out, f"{change.what}: {reason}")

    def _add(self, lines: list[str], line: str) -> None:
        if len(lines) < _MOST_PROBLEMS_SHOWN:
            lines.append(line)

    def _note_problem(self, change: ItemChange, reason: str) -> None:
        self._problems.append(ItemProblem(change.key, change.subject, reason, now()))

    def record(self) -> Published:
        """Note what was done since the last time; gives it."""
        with answering(), self._engine.begin() as connection:
            for item, body in self._published:
                note_published(connection, self._target, item, body)
            for problem in self._problems:
                note_problem(connection, self._target, problem)
            forget_items(connection, self._target, self._removed)
            clear_problems(connection, self._target, self._settled)
        counts = self._counts
        done = {name: counts[name] for name in ("created", "updated", "removed", "unchanged")}
        sent = counts["created"] + counts["updated"] + counts["removed"]
        step = Published(
            sent,
            counts["failed"],
            counts["skipped"],
            **done,
            problems=tuple(self._lines),
            left_out=tuple(self._left_out),
            written=tuple(sorted(self._written.items())),
        )
        self._reset()
        return step

    def _reset(self) -> None:
        self._published, self._problems, self._removed, self._settled = [], [], [], []
        self._lines, self._left_out = [], []
        self._counts, self._written = Counter(), Counter()
