"""Reading which run wrote what another run read."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, select

from headwater.model.relations import Direction
from headwater.store import tables
from headwater.store.query.paging import in_parts


class ReadDataset(NamedTuple):
    """A dataset that a run read: up to when, and in which state it saw it."""

    run: bytes
    dataset: bytes
    namespace: str
    name: str
    read_at: int
    schema: bytes | None


def read_inputs(connection: Connection, runs: Iterable[bytes]) -> list[ReadDataset]:
    """Read what runs read, by name."""
    use, dataset = tables.run_dataset, tables.dataset
    names = (dataset.c.namespace, dataset.c.name)
    query = (
        select(use.c.run, use.c.dataset, *names, use.c.last_seen, use.c.schema)
        .join(dataset, dataset.c.id == use.c.dataset)
        .where(use.c.direction == int(Direction.INPUT))
        .order_by(*names)
    )
    return [
        ReadDataset(*row)
        for part in in_parts(runs)
        for row in connection.execute(query.where(use.c.run.in_(part)))
    ]


def find_writing_run(
    connection: Connection, names: Iterable[bytes], by: int, but: bytes
) -> bytes | None:
    """Find the run that had written a dataset last by a time, other than the one that read it.

    A dataset is looked for under all its names.
    """
    use, run, wrote = tables.job_dataset, tables.run, tables.run_dataset
    is_output = int(Direction.OUTPUT)
    # Runs of one job by when they began: the index has them so, however many there are.
    newest = (
        select(run.c.id)
        .select_from(run.join(wrote, wrote.c.run == run.c.id))
        .where(
            run.c.job == use.c.job,
            run.c.id != but,
            run.c.first_event <= by,
            wrote.c.dataset == use.c.dataset,
            wrote.c.direction == is_output,
            wrote.c.first_seen <= by,
        )
        .order_by(run.c.first_event.desc(), run.c.id.desc())
        .limit(1)
        .correlate(use)
        .scalar_subquery()
    )
    found = (
        select(newest.label("run"), use.c.dataset)
        .where(
            use.c.dataset.in_(sorted(set(names))),
            use.c.direction == is_output,
            use.c.first_seen <= by,
        )
        .distinct()
        .subquery()
    )
    last = (
        select(wrote.c.run)
        .join(found, (found.c.run == wrote.c.run) & (found.c.dataset == wrote.c.dataset))
        .where(wrote.c.direction == is_output)
        .order_by(wrote.c.first_seen.desc(), wrote.c.run.desc())
        .limit(1)
    )
    run_id = connection.execute(last).scalar()
    return None if run_id is None else bytes(run_id)
