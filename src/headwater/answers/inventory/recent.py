"""Which datasets and jobs events since a time are about, with what is next to them."""

from typing import NamedTuple

from headwater.answers.nodes import view_at
from headwater.errors import InvalidRequest
from headwater.graph.view import View
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection, Engine
from headwater.store.failures import answering
from headwater.store.stats.touched import (
    EventPlace,
    Touched,
    add_neighbours,
    has_all_events,
    walk_touched,
)

_FIRST = 1_000
_END = EventPlace(2**63 - 1, b"")


class RecentSubjects(NamedTuple):
    """By their ids, and by their names as NAMESPACE/NAME."""

    touched: Touched
    subjects: frozenset[str]


def read_recent(engine: Engine, since: int) -> RecentSubjects:
    """Raises InvalidRequest where events since then were pruned."""
    with answering(), engine.connect() as connection:
        if not has_all_events(connection, since):
            reason = f"events of {format_instant(since)} or later were pruned; leave it out"
            raise InvalidRequest("since", reason)
        return _read(connection, since)


def _read(connection: Connection, since: int) -> RecentSubjects:
    view = view_at(connection, None)

    def names_of(datasets: set[bytes]) -> set[bytes]:
        view.classes.resolve(datasets)
        return {name for each in datasets for name in _all_names(view, each)}

    found = Touched(set(), set())
    # Times of events are whole microseconds: what is of this one is after the one before.
    start = EventPlace(since - 1, b"\xff" * 64)
    for step in walk_touched(connection, start, _END, is_newest_first=False, first=_FIRST):
        for known, new in zip(found, step.touched, strict=True):
            known |= new
    found = add_neighbours(connection, found, names_of)
    found = Touched(found.jobs, names_of(found.datasets))
    jobs, datasets = view.reader.job_names(found.jobs), view.reader.dataset_names(found.datasets)
    names = (*jobs.values(), *datasets.values())
    return RecentSubjects(found, frozenset(f"{name.namespace}/{name.name}" for name in names))


def _all_names(view: View, dataset: bytes) -> list[bytes]:
    return [
        dataset,
        *view.classes.names(dataset),
        *view.classes.names(view.classes.chosen(dataset)),
    ]
