"""The state of a run: one rule, and every place that tells it agrees."""

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest
from sqlalchemy import Engine

from headwater.model.event import EventType, decode_event
from headwater.model.project import project
from headwater.model.run_states import RUN_STATES, RUNNING
from headwater.model.search_text import TermSource
from headwater.model.uses import NOW
from headwater.model.values.ids import job_id
from headwater.model.values.instant import SECOND, format_instant, parse_instant
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.query.paging import Page
from headwater.store.read.jobs import list_jobs
from headwater.store.read.runs import list_runs
from headwater.store.search.filters import Filters
from headwater.store.search.results import SearchHit
from headwater.store.stats import health
from headwater.store.stats.systems import count_by_system
from headwater.store.write.writer import open_writer
from testing.events.minimal import JOBS, run_event

START = parse_instant("2024-05-01T10:00:00Z")
EVERYTHING = Page(limit=10_000, offset=0)
# In which order the times of up to three events can be.
TIMES: dict[int, list[tuple[int, ...]]] = {
    1: [(0,)],
    2: [(0, 1), (0, 0)],
    3: [(0, 1, 2), (0, 0, 1), (0, 1, 1), (0, 0, 0)],
}
_ENDS = {
    EventType.COMPLETE: "COMPLETED",
    EventType.FAIL: "FAILED",
    EventType.ABORT: "ABORTED",
}

Sequence = tuple[tuple[int, EventType], ...]


def sequences() -> Iterator[Sequence]:
    """Every sequence of one to three events of a run, also at the same time."""
    for length, patterns in TIMES.items():
        for kinds, times in product(product(EventType, repeat=length), patterns):
            yield tuple(zip(times, kinds, strict=True))


def final_state(events: Sequence) -> str:
    """The state event by event: a terminal event ends a run, and only a START begins it again."""

    def order(event: tuple[int, EventType]) -> tuple[int, bool, int]:
        return event[0], event[1] in _ENDS, int(event[1])

    state = "NEW"
    for _, kind in sorted(events, key=order):
        if kind in _ENDS:
            state = _ENDS[kind]
        elif kind is EventType.START or (kind is EventType.RUNNING and state == "NEW"):
            state = "RUNNING"
    return state


@pytest.fixture
def expected(engine: Engine) -> dict[str, str]:
    """The states of jobs in the store, each with one run of one of the sequences."""
    states: dict[str, str] = {}
    batch = []
    for number, events in enumerate(sequences()):
        name = f"job_{number}"
        states[name] = final_state(events)
        for seconds, kind in events:
            at = format_instant(START + seconds * SECOND)
            event = run_event(kind.name, at, f"run-{number}", name)
            batch.append(project(decode_event(msgspec.json.encode(event))))
    writer = open_writer(engine)
    writer.write(batch)
    writer.close()
    assert set(states.values()) == set(RUN_STATES)
    return states


def test_every_answer_has_the_same_state(engine: Engine, expected: dict[str, str]) -> None:
    ids = {name: job_id(JOBS, name) for name in expected}
    with engine.connect() as connection:
        by_list = {
            job.name: state
            for state in RUN_STATES
            for job in list_jobs(connection, JOBS, EVERYTHING, [state])[0]
        }
        by_run = {name: list_runs(connection, id, EVERYTHING)[0].state for name, id in ids.items()}
        newest = StoreReader(connection).newest_runs(ids.values(), NOW)
        by_graph = {name: newest[id].state for name, id in ids.items()}
        past = health.read_jobs(connection, health.Judging(JOBS), 1)
        by_health = {job.name: job.runs[0].state for job in past}
        hits = [SearchHit(id, TermSource.JOB, JOBS, name) for name, id in ids.items()]
        by_search = {
            hit.name: state
            for state in RUN_STATES
            for hit in Filters(state=state).keep(connection, hits)
        }
        running = sum(counts.running_jobs for counts in count_by_system(connection).values())
    assert by_run == expected
    assert by_list == expected
    assert by_graph == expected
    assert by_health == expected
    assert by_search == expected
    assert running == list(expected.values()).count(RUNNING)
