"""Reading the versions of a job: what its runs used together, and the code they ran."""

from collections import defaultdict
from typing import NamedTuple

from sqlalchemy import Connection, select

from headwater.model.relations import Direction
from headwater.store import tables

# Runs whose uses are read, the newest: of older ones the versions are not known.
RUNS_READ = 5_000


class RunFootprint(NamedTuple):
    """What a run used, by direction and dataset, and the digest of where its code is."""

    run: bytes
    first_event: int
    code: bytes | None
    uses: frozenset[tuple[int, bytes]]


def read_footprints(connection: Connection, job: bytes) -> list[RunFootprint]:
    """Read what a job's newest runs used, newest first; those that named datasets."""
    run, used = tables.run, tables.run_dataset
    newest = (
        select(run.c.id, run.c.first_event, run.c.code)
        .where(run.c.job == job, run.c.first_event.is_not(None))
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(RUNS_READ)
    )
    runs = connection.execute(newest).all()
    chosen = newest.subquery()
    query = (
        select(used.c.run, used.c.direction, used.c.dataset)
        .join(chosen, chosen.c.id == used.c.run)
        .where(used.c.direction != int(Direction.ITSELF))
    )
    uses: defaultdict[bytes, set[tuple[int, bytes]]] = defaultdict(set)
    for id, direction, dataset in connection.execute(query):
        uses[id].add((direction, dataset))
    return [
        RunFootprint(id, first_event, code, frozenset(uses[id]))
        for id, first_event, code in runs
        if id in uses
    ]
