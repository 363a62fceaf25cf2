"""Reading which jobs are only the micro-batches of streams that tell of themselves."""

from typing import Any

from sqlalchemy import ColumnElement, select

from headwater.model.relations import StreamRole
from headwater.store import tables


def _is_part_of_stream() -> ColumnElement[bool]:
    """The job is micro-batches of an application of which a query is known as a job by itself."""
    part, whole = tables.stream_job.alias("part"), tables.stream_job.alias("whole")
    told = tables.job.alias("told")
    conditions: tuple[ColumnElement[Any], ...] = (
        part.c.job == tables.job.c.id,
        part.c.role == int(StreamRole.MICRO_BATCH),
        whole.c.application == part.c.application,
        whole.c.role == int(StreamRole.QUERY),
        told.c.id == whole.c.job,
        told.c.first_seen.is_not(None),
    )
    return select(1).where(*conditions).correlate(tables.job).exists()


IS_PART_OF_STREAM = _is_part_of_stream()
EVERY_PART = select(tables.stream_job.c.job).where(
    tables.stream_job.c.role == int(StreamRole.MICRO_BATCH)
)
