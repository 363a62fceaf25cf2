"""Which jobType facet counts for a job: what a person has set, else what its events state."""

from typing import Any

from sqlalchemy import ColumnElement, FromClause, and_, func

from headwater.model.aspects import JOB_TYPE
from headwater.model.project.projection import NOBODY
from headwater.model.relations import Slot
from headwater.model.values.ids import NO_CONTENT
from headwater.store import tables


def join_job_type(jobs: FromClause) -> tuple[FromClause, ColumnElement[Any]]:
    """Jobs, joined with what states their type; and the digest of the facet that counts.

    How complete a job's events are (`emits_snapshots`) is for its events alone to state, and is
    not read here.
    """
    job, stated, edited = tables.job, tables.facet, tables.edit_value
    is_stated = and_(
        stated.c.owner == job.c.id,
        stated.c.slot == int(Slot.JOB),
        stated.c.name == JOB_TYPE,
        stated.c.author == NOBODY,
    )
    is_edited = and_(
        edited.c.entity == job.c.id,
        edited.c.field == "",
        edited.c.aspect == JOB_TYPE,
        edited.c.digest != NO_CONTENT,
    )
    joined = jobs.outerjoin(stated, is_stated).outerjoin(edited, is_edited)
    return joined, func.coalesce(edited.c.digest, stated.c.digest)
