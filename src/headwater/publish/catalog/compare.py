"""What a catalog is to hold, compared with what it was given: the changes, one after another."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from headwater.model.values import ids
from headwater.publish.catalog import CatalogItem, CatalogSettings, Skipped
from headwater.store.published import ItemKey, PublishedItem


class Action(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    REMOVE = "remove"
    KEEP = "keep"
    """Published before, and as it should be."""
    LEAVE = "leave"
    """Published before, and no longer known: only pruning removes it."""
    SKIP = "skip"
    FORGET = "forget"
    """Never taken, and no longer to be there: nothing is there to be removed."""


class ItemChange(NamedTuple):
    action: Action
    key: ItemKey
    subject: str
    item: CatalogItem | None = None
    known: PublishedItem | None = None
    reason: str = ""

    @property
    def reference(self) -> str:
        return self.known.reference if self.known else ""

    @property
    def what(self) -> str:
        # What is left out may have no kind.
        return f"{self.key.kind} {self.key.key}".strip()


def encode_body(item: CatalogItem) -> bytes:
    """All that is published of an item, always in the same bytes."""
    return msgspec.json.encode(item.body, order="sorted")


def find_changes(
    items: Iterable[CatalogItem | Skipped],
    known: Mapping[ItemKey, PublishedItem],
    settings: CatalogSettings,
    kinds: Sequence[str],
    renewed_before: int | None = None,
    subjects: frozenset[str] | None = None,
) -> Iterator[ItemChange]:
    """Compare item by item; what is out of the scope of the patterns is neither changed nor gone.

    What was published before `renewed_before` is published again, whether it changed or not. Of
    `subjects`, if they are given, is all that is looked at.
    """
    seen: set[ItemKey] = set()

    def has(subject: str) -> bool:
        return (subjects is None or subject in subjects) and settings.has_in_scope(subject)

    for item in items:
        if not has(item.subject):
            continue
        if isinstance(item, Skipped):
            key = ItemKey("", item.what)
            yield ItemChange(Action.SKIP, key, item.subject, reason=item.reason)
        elif item.id in seen:
            reason = f"another node has the same place in the catalog: {item.key}"
            yield ItemChange(Action.SKIP, item.id, item.subject, reason=reason)
        else:
            seen.add(item.id)
            yield _compare(item, known.get(item.id), renewed_before)
    for change in _find_gone(known, seen, settings, kinds):
        if has(change.subject):
            yield change


def _compare(
    item: CatalogItem, known: PublishedItem | None, renewed_before: int | None
) -> ItemChange:
    if known is None or known.published_at is None:
        return ItemChange(Action.CREATE, item.id, item.subject, item, known)
    is_old = renewed_before is not None and known.published_at < renewed_before
    if known.digest != ids.digest(encode_body(item)) or is_old:
        return ItemChange(Action.UPDATE, item.id, item.subject, item, known)
    return ItemChange(Action.KEEP, item.id, item.subject, item, known)


def _find_gone(
    known: Mapping[ItemKey, PublishedItem],
    seen: set[ItemKey],
    settings: CatalogSettings,
    kinds: Sequence[str],
) -> Iterator[ItemChange]:
    """What was published and is no longer to be there; last what others may refer to."""
    order = {kind: rank for rank, kind in enumerate(reversed(kinds))}
    action = Action.REMOVE if settings.prune else Action.LEAVE
    gone = [
        each for key, each in known.items() if key not in seen and each.published_at is not None
    ]
    for each in sorted(gone, key=lambda each: (order[each.key.kind], each.key)):
        its_action = Action.FORGET if each.published_at is None else action
        yield ItemChange(its_action, each.key, each.subject, None, each, "no longer known here")
