"""The topics and consumer groups that a store knows, and which jobs read by which groups."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from headwater.model.relations import StreamRole
from headwater.model.uses import Name
from headwater.model.values.consumer_groups import GROUP_SCHEME
from headwater.model.values.ids import namespace_id
from headwater.store import tables
from headwater.store.query.prepared import Prepared
from headwater.store.read.visibility.pages import list_namespace_names
from headwater.store.read.visibility.shown import (
    DATASET_IS_LISTED,
    JOB_IS_KNOWN,
    JOB_IS_PART_OF_STREAM,
)

_PART, _WHOLE = tables.stream_job.alias("part"), tables.stream_job.alias("whole")
_WHOLES = Prepared(
    lambda is_among: (
        select(_PART.c.job, _WHOLE.c.job)
        .join(_WHOLE, _WHOLE.c.application == _PART.c.application)
        .where(
            is_among(_PART.c.job),
            _PART.c.role == int(StreamRole.PART),
            _WHOLE.c.role == int(StreamRole.WHOLE),
        )
    )
)


def list_topics(connection: Connection, namespace: str = "") -> list[tuple[bytes, Name]]:
    """The datasets of Kafka that are listed, by name; of one cluster's namespace, or of all."""
    table = tables.dataset
    found = []
    for space in sorted(list_namespace_names(connection, table)):
        if space.startswith("kafka://") and namespace in ("", space):
            query = select(table.c.id, table.c.name).where(
                table.c.namespace_id == namespace_id(space), DATASET_IS_LISTED
            )
            rows = connection.execute(query.order_by(table.c.name))
            found += [(id, Name(space, name)) for id, name in rows]
    return found


def list_group_jobs(connection: Connection, namespace: str = "") -> dict[bytes, tuple[Name, bool]]:
    """The jobs of consumer groups by their ids, each with whether it is shown as another job."""
    table = tables.job
    found = {}
    for space in sorted(list_namespace_names(connection, table)):
        if space.startswith(f"{GROUP_SCHEME}://") and namespace in ("", space):
            query = select(table.c.id, table.c.name, JOB_IS_PART_OF_STREAM).where(
                table.c.namespace_id == namespace_id(space), JOB_IS_KNOWN
            )
            for id, name, is_part in connection.execute(query.order_by(table.c.name)):
                found[id] = (Name(space, name), bool(is_part))
    return found


def read_wholes(connection: Connection, parts: Iterable[bytes]) -> dict[bytes, set[bytes]]:
    """The jobs that parts are shown as."""
    found: dict[bytes, set[bytes]] = {}
    for part, whole in _WHOLES.rows(connection, parts):
        found.setdefault(part, set()).add(whole)
    return found
