"""A publisher for catalogs: a pass compares, applies what differs, and notes what was done."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from typing import Any, ClassVar, cast

import msgspec

from headwater.answers.inventory.recent import read_recent
from headwater.config import Section
from headwater.errors import BadConfig, BadSecret, Conflict, HeadwaterError, TargetUnavailable
from headwater.model.values.instant import SECOND, now
from headwater.plugins import CheckStep
from headwater.publish import PlannedChange, Published
from headwater.publish.catalog import CatalogSettings, ItemState, OpenCatalog
from headwater.publish.catalog.apply import Applier
from headwater.publish.catalog.compare import Action, ItemChange, find_changes
from headwater.publish.catalog.diff import diff_lines
from headwater.publish.catalog.scope import ScopedInventory
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.published import (
    begin_pass,
    check_same_target,
    end_pass,
    find_target,
    note_counts,
    read_body,
    read_items,
)
from headwater.store.write.outbox_readers import only_publisher

# Steps are noted in one transaction: so much is done again after a crash, which changes nothing.
_CHANGES_AT_ONCE = 50
_SECONDS_AT_ONCE = 2.0


class CatalogPublisher:
    """What the publishers of all catalogs share; each says how its catalog is opened."""

    settings_class: ClassVar[type[Section]] = CatalogSettings
    publisher: ClassVar[str]

    def __init__(self, settings: Any, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self.name: str = settings.name or self.address()
        self.sleep: Callable[[float], None] = time.sleep

    def address(self) -> str:
        """Where the catalog is, by which a target is recognised."""
        raise NotImplementedError

    def open(self) -> OpenCatalog:
        """Connect to the catalog; raises BadSecret where a secret is not there."""
        raise NotImplementedError

    def alone(self) -> AbstractContextManager[None]:
        return only_publisher(self._engine, self.name)

    def check(self) -> list[CheckStep]:
        try:
            self._check_target()
        except Conflict as error:
            return [CheckStep("store", False, error.message, "choose another --name")]
        steps = [CheckStep("store", True, f"target {self.name}")]
        try:
            with closing(self.open()) as catalog:
                return steps + catalog.check()
        except (BadSecret, BadConfig) as error:
            return [*steps, CheckStep("secret", False, error.message, "set it where it is missing")]
        except TargetUnavailable as error:
            return [*steps, CheckStep("connect", False, error.message, "is the address right?")]

    def plan(self) -> Iterator[PlannedChange]:
        """The changes, one after another: the first of a large store are many."""
        self._check_target()
        with closing(self.open()) as catalog:
            for change in self._find_changes(catalog):
                if change.action not in (Action.KEEP, Action.FORGET):
                    yield PlannedChange(change.action.value, change.what, 1, self._details(change))

    def publish(self) -> Iterator[Published]:
        self._check_target()
        problem: str | None = None
        with closing(self.open()) as catalog:
            with answering(), self._engine.begin() as connection:
                begin_pass(connection, self.name, self.publisher, self.address(), now())
            try:
                yield from self._run(catalog)
            except HeadwaterError as error:
                problem = error.message
                raise
            except GeneratorExit:
                problem = "interrupted"
                raise
            finally:
                with answering(), self._engine.begin() as connection:
                    end_pass(connection, self.name, now(), problem)

    def _run(self, catalog: OpenCatalog) -> Iterator[Published]:
        applier = Applier(catalog, self._engine, self.name, self.sleep)
        totals: dict[str, int] = {}
        failure: HeadwaterError | None = None
        try:
            begun = time.monotonic()
            for change in self._find_changes(catalog):
                applier.apply(change)
                is_due = time.monotonic() - begun > _SECONDS_AT_ONCE
                if is_due or applier.pending >= _CHANGES_AT_ONCE:
                    yield self._note(applier, totals)
                    begun = time.monotonic()
        except HeadwaterError as error:
            failure = error
        except BaseException:
            # Also where it is interrupted: what the catalog has taken is not sent again.
            self._note(applier, totals)
            raise
        yield self._note(applier, totals)
        if failure is not None:
            raise failure

    def _note(self, applier: Applier, totals: dict[str, int]) -> Published:
        step = applier.record()
        counts = {
            "created": step.created,
            "updated": step.updated,
            "removed": step.removed,
            "unchanged": step.unchanged,
            "skipped": step.skipped,
            "failed": step.refused,
        }
        for name, count in counts.items():
            totals[name] = totals.get(name, 0) + count
        with answering(), self._engine.begin() as connection:
            note_counts(connection, self.name, totals)
        return step

    def _find_changes(self, catalog: OpenCatalog) -> Iterator[ItemChange]:
        settings = cast(CatalogSettings, self._settings)
        with answering(), self._engine.connect() as connection:
            known = read_items(connection, self.name)
        recent = read_recent(self._engine, settings.since_time) if settings.since else None
        touched, subjects = recent or (None, None)
        items = catalog.items(ScopedInventory(self._engine, settings, touched))
        renewed = None
        if catalog.lasts_seconds is not None:
            renewed = now() - int(catalog.lasts_seconds / 2 * SECOND)
        for change in find_changes(items, known, settings, catalog.kinds, renewed, subjects):
            yield _verified(catalog, change) if settings.verify else change

    def _details(self, change: ItemChange) -> tuple[str, ...]:
        if change.action in (Action.SKIP, Action.LEAVE):
            return (f"  {change.reason}",)
        before: dict[str, Any] | None = None
        if change.known is not None:
            with answering(), self._engine.connect() as connection:
                body = read_body(connection, self.name, change.key)
            before = msgspec.json.decode(body) if body else None
        lines = diff_lines(before, change.item.body if change.item else None)
        return (f"  {change.reason}", *lines) if change.reason else lines

    def _check_target(self) -> None:
        with answering(), self._engine.connect() as connection:
            found = find_target(connection, self.name)
        if found is not None:
            check_same_target(found, self.publisher, self.address())


def _verified(catalog: OpenCatalog, change: ItemChange) -> ItemChange:
    """The same change, or another where the catalog does not have what it was given."""
    if change.action is not Action.KEEP or change.item is None:
        return change
    state = catalog.read_state(change.item, change.reference)
    if state is ItemState.SAME:
        return change
    if state is ItemState.MISSING:
        return change._replace(action=Action.CREATE, reason="the catalog has lost it")
    return change._replace(action=Action.UPDATE, reason="it was changed in the catalog")
