"""Storing events that come by this API, and noting them as members of a graph."""

from collections.abc import Sequence
from typing import NamedTuple

from headwater.errors import InvalidEvent
from headwater.model.intake import Intake, take_in
from headwater.model.relations import EventRow
from headwater.model.values.instant import SECOND, now
from headwater.server.http.metrics import ServerMetrics
from headwater.server.ingest import slices
from headwater.store.engine import Engine
from headwater.store.event_lists.sets import add_members
from headwater.store.failures import answering
from headwater.store.write.acceptance import store_intakes
from headwater.store.write.group_commit import GroupCommit


class StoredEvents(NamedTuple):
    """How many events were stored, and of those that were not their place and reason."""

    total: int
    refused: list[tuple[int, InvalidEvent]]


class EventSink:
    """Stores events as if they had been sent: what is refused is kept as rejected."""

    def __init__(
        self, commits: GroupCommit, engine: Engine, metrics: ServerMetrics, max_ahead_seconds: int
    ) -> None:
        self._commits = commits
        self._engine = engine
        self._metrics = metrics
        self._max_ahead = max_ahead_seconds * SECOND

    def store(self, events: Sequence[bytes], source: str, graph: str | None = None) -> StoredEvents:
        """Store events, a slice at a time; those that are taken in become members of a graph."""
        count, refused, start = 0, [], 0
        for part in slices(events):
            stored = self._store(part, source)
            members = [intake for intake in stored if intake.error is None]
            if graph is not None and members:
                with answering(), self._engine.begin() as connection:
                    add_members(connection, graph, map(_place, members), now())
            count += len(members)
            refused += [
                (start + place, intake.error)
                for place, intake in enumerate(stored)
                if intake.error is not None
            ]
            start += len(part)
        return StoredEvents(count, refused)

    def _store(self, events: Sequence[bytes], source: str) -> list[Intake]:
        at = now()
        intakes = [take_in(event, at, self._max_ahead, source) for event in events]
        stored = store_intakes(intakes, source, self._commits.write)
        failed = sum(intake.error is not None for intake in stored)
        self._metrics.stored.inc(len(stored) - failed)
        self._metrics.rejected.inc(failed)
        return stored


def _place(intake: Intake) -> tuple[int, bytes]:
    row = EventRow._make(intake.facts.rows["event"][0])
    return row.at, row.digest
