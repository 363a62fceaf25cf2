"""What kind of job it is, and how complete its events are, as the jobType facet states it."""

from typing import Any

import msgspec

from headwater.model import facets

BATCH, STREAM, SERVICE = "BATCH", "STREAM", "SERVICE"
_TYPES = {"STREAMING": STREAM, "STREAM": STREAM, "SERVICE": SERVICE}
# What a job of each type states as its processingType.
PROCESSING_TYPES = {BATCH: "BATCH", STREAM: "STREAMING", SERVICE: "SERVICE"}


class _EmissionPattern(msgspec.Struct):
    eventContentMode: Any = None


class _JobType(msgspec.Struct):
    processingType: Any = None


class _Snapshots(msgspec.Struct):
    emissionPattern: _EmissionPattern | None = None


_JOB_TYPE = facets.decoder(_JobType)
_SNAPSHOTS = facets.decoder(_Snapshots)


def job_type(processing: object) -> str:
    """A job's type by its processingType; a batch job unless something else is stated."""
    return _TYPES.get(str(processing).upper(), BATCH)


def read_job_type(facet: bytes) -> str:
    """A job's type by its jobType facet."""
    found: _JobType | None = facets.read(_JOB_TYPE, facet)
    return job_type(found.processingType) if found else BATCH


def emits_snapshots(facet: bytes) -> bool:
    """Tell by a jobType facet whether each event names all that a run uses."""
    found: _Snapshots | None = facets.read(_SNAPSHOTS, facet)
    pattern = found.emissionPattern if found else None
    return pattern is not None and pattern.eventContentMode == "COMPLETE_SNAPSHOT"
