"""Which old events of the lake the store still needs: those that what it shows rests on.

A prune removes runs that repeat others, and events of old ones. A rebuild brings back what the
lake has. So the lake can do without the events of a run that the store has removed, unless the
store shows a value that one of them gave: a description that no later event repeated.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select, tuple_

from headwater.errors import InvalidEvent
from headwater.model.event import Kind, decode_event
from headwater.model.merge import Row
from headwater.model.project import project
from headwater.model.project.same_runs import find_same_run
from headwater.model.relations import EventRow
from headwater.model.unmerge import rests_on
from headwater.model.values.ids import run_key
from headwater.store import tables
from headwater.store.maintenance.erasable import WIDTHS
from headwater.store.maintenance.erase import read_by_key
from headwater.store.query.paging import in_parts

# Names and content are needed by rows alone; of runs the rows themselves are looked for.
_APART = frozenset(("event", "content", "rejected", "dataset", "run"))
_AT_ONCE = 500


def run_of(payload: bytes) -> bytes | None:
    """The run of an event; None where it has none, or cannot be read: such an event is needed."""
    try:
        event = decode_event(payload)
    except InvalidEvent:
        return None
    if event.kind is not Kind.RUN or event.job is None or event.run is None:
        return None
    namespace, name = event.job.namespace, event.job.name
    facets = {key: bytes(raw) for key, raw in (event.run.facets or {}).items()}
    return find_same_run(namespace, name, facets) or run_key(namespace, name, event.run.runId)


def find_stored(
    connection: Connection, places: Sequence[tuple[int, bytes]]
) -> set[tuple[int, bytes]]:
    """Those events, by their keys, that the store has."""
    table = tables.event
    key = (table.c.at, table.c.digest)
    found: set[tuple[int, bytes]] = set()
    for start in range(0, len(places), _AT_ONCE):
        query = select(*key).where(tuple_(*key).in_(places[start : start + _AT_ONCE]))
        found.update((row.at, row.digest) for row in connection.execute(query))
    return found


def find_needed_runs(connection: Connection, payloads: Iterable[bytes]) -> set[bytes]:
    """Those runs of some run events that the store has, or shows values of."""
    runs: set[bytes] = set()
    stated: defaultdict[str, defaultdict[Row, list[tuple[bytes, Row]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    places: dict[tuple[int, bytes], bytes] = {}
    for payload in payloads:
        facts = project(decode_event(payload))
        event = EventRow._make(facts.rows["event"][0])
        assert event.run is not None
        runs.add(event.run)
        places[event.at, event.digest] = event.run
        for name, rows in facts.rows.items():
            if name not in _APART:
                for row in rows:
                    stated[name][tuple(row[: WIDTHS[name]])].append((event.run, row))
    needed = _stored_runs(connection, runs)
    needed |= {places[place] for place in find_stored(connection, [*places])}
    for name, by_key in stated.items():
        for stored in read_by_key(connection, name, by_key):
            for run, row in by_key[stored[: WIDTHS[name]]]:
                if run not in needed and rests_on(name, stored, row):
                    needed.add(run)
    return needed


def _stored_runs(connection: Connection, runs: Iterable[bytes]) -> set[bytes]:
    id = tables.run.c.id
    return {
        found
        for part in in_parts(runs)
        for found in connection.execute(select(id).where(id.in_(part))).scalars()
    }
