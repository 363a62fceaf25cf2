"""Erasing events from store and lake: found, taken out of the store, then out of the lake.

The store first: what is not in it can no longer be carried on to the lake. Interrupted anywhere,
the store is as before or without them; the same erasure, run again, does what is left.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from headwater.errors import InvalidEvent
from headwater.model.event import Kind, decode_event
from headwater.model.project import project
from headwater.model.values.instant import format_instant, now
from headwater.store.engine import Engine
from headwater.store.failures import answering
from headwater.store.maintenance.erasable import (
    ArrivalMark,
    StatedRows,
    mark_arrivals,
    read_events,
    read_pruned_before,
)
from headwater.store.maintenance.erase import erase_from_store, find_rejected, forget_removed
from headwater.store.maintenance.selection import ERASURE_ASPECT, Selection
from headwater.store.write.outbox import Place
from headwater.store.write.writer import open_writer

if TYPE_CHECKING:
    from headwater.pipeline.lake.lake import Lake, LakeEvent

# Called with the step, how much of it is done, and the total if known.
Progress = Callable[[str, int, int | None], None]

_SHOWN_EVERY = 1_000


@dataclass
class FoundEvents:
    """What an erasure would remove."""

    since: ArrivalMark
    stated: StatedRows
    places: set[Place] = field(default_factory=set)
    in_store: int = 0
    in_lake: int = 0
    rejected: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def events(self) -> int:
        return len(self.places)

    @property
    def is_empty(self) -> bool:
        return not self.places and not self.rejected


@dataclass(frozen=True)
class Erasure:
    """One erasure on its way. Nobody may rebuild the store meanwhile (`only_rebuild`)."""

    engine: Engine
    lake: "Lake | None"
    """None where there is none, nor the library that reads one."""
    selection: Selection
    progress: Progress = lambda step, done, total: None

    def find(self) -> FoundEvents:
        """Look through everything; nothing is changed."""
        with answering(), self.engine.connect() as connection:
            found = FoundEvents(
                mark_arrivals(connection), StatedRows(read_pruned_before(connection))
            )
            found.rejected = sum(1 for _ in find_rejected(connection, self.selection))
        for place, payload, is_in_lake in self._events("searching for events"):
            if not self.selection.has(payload):
                continue
            found.in_lake += is_in_lake
            found.in_store += not is_in_lake
            if place not in found.places:
                found.places.add(place)
                found.kinds[_kind_of(payload)] += 1
                found.stated.add(payload)
        return found

    def apply(self, found: FoundEvents, actor: str, notes_for_lake: bool) -> Counter[str]:
        """Remove what was found; how many rows of each table, and `lake` for the lake's events.

        What has come since it was found stays.
        """
        id = str(uuid4())
        self._log(id, actor, notes_for_lake, {"state": "began"})
        rest = StatedRows(found.stated.pruned_before)
        for place, payload, _ in self._events("reading what others state"):
            if place not in found.places:
                rest.add_shared(payload, found.stated)
        self.progress("removing from the store", 0, None)
        with answering():
            counts = erase_from_store(
                self.engine, self.selection, found.places, found.stated, rest, found.since
            )
        counts["lake"] = self._remove_from_lake({digest for _, digest in found.places})
        with answering():
            forget_removed(self.engine)
        ended = {"events": found.events, "rejected": counts["rejected"], "lake": counts["lake"]}
        self._log(id, actor, notes_for_lake, {"state": "ended", **ended})
        return counts

    def _events(self, step: str) -> Iterator[tuple[Place, bytes, bool]]:
        """Every event of store and lake, those of both twice."""
        done = 0
        self.progress(step, done, None)
        with answering():
            for kept in read_events(self.engine):
                yield (kept.at, kept.digest), kept.payload, False
                done += 1
                if done % _SHOWN_EVERY == 0:
                    self.progress(step, done, None)
        for event in self.lake.read() if self.lake is not None else ():
            yield (event.at, event.digest), event.payload, True
            done += 1
            if done % _SHOWN_EVERY == 0:
                self.progress(step, done, None)

    def _remove_from_lake(self, digests: set[bytes]) -> int:
        if self.lake is None or not self.lake.days():
            return 0
        from headwater.pipeline.lake.adding import wait_for_adding
        from headwater.pipeline.lake.removal import remove_from_lake

        # Who has read some of them in the store before they were removed from it.
        wait_for_adding(self.lake.folder)

        def find(events: "Sequence[LakeEvent]") -> set[bytes]:
            return {event.digest for event in events} & digests

        return remove_from_lake(
            self.lake, find, None, lambda done, total: self.progress("the lake", done, total)
        ).events

    def _log(self, id: str, actor: str, notes_for_lake: bool, value: dict[str, object]) -> None:
        """An edit, as all that people do: it tells that something was erased, never what."""
        logged = {"id": id, "selected": self.selection.kind, **value}
        edit = {
            "actor": "local" if self.selection.has_text(actor) else actor,
            "entity": {"type": "namespace", "name": "headwater"},
            "set": {ERASURE_ASPECT: logged},
        }
        event = msgspec.json.encode({"eventTime": format_instant(now()), "edit": edit})
        with closing(open_writer(self.engine, notes_for_lake)) as writer:
            writer.write([project(decode_event(event), now())])


def _kind_of(payload: bytes) -> str:
    try:
        return Kind(decode_event(payload).kind).name.lower()
    except InvalidEvent:
        return "not understood"
