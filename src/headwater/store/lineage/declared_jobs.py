"""The jobs that anybody has declared, by an event without a run, a file or an edit."""

from sqlalchemy import Connection, select

from headwater.emit.spec import INFERRING_AUTHOR
from headwater.model.relations import Direction
from headwater.model.uses import Name
from headwater.store import tables
from headwater.store.read.visibility.shown import UNLISTED_JOBS


def list_declared_jobs(connection: Connection, namespace: str = "") -> list[tuple[bytes, Name]]:
    """Their ids and names, by name; of one namespace, or of all."""
    declared, job = tables.declared_dataset, tables.job
    query = (
        select(job.c.id, job.c.namespace, job.c.name)
        .where(
            job.c.id.in_(
                select(declared.c.job).where(
                    declared.c.author != INFERRING_AUTHOR,
                    declared.c.direction.in_((int(Direction.INPUT), int(Direction.OUTPUT))),
                )
            ),
            job.c.id.not_in(UNLISTED_JOBS),
        )
        .order_by(job.c.namespace, job.c.name)
    )
    if namespace:
        query = query.where(job.c.namespace == namespace)
    return [(id, Name(space, name)) for id, space, name in connection.execute(query)]
