"""What is one in Flink, whoever reports it: the run of a job, by its own id; and what is not."""

import re
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from headwater.model import facets
from headwater.model.facet_readers import NamedDataset
from headwater.model.naming import is_unknown

# The run facet of OpenLineage's listener for Flink, and of the collector.
FLINK_JOB = "flink_job"
_JOB = re.compile(r"[0-9a-f]{32}")
# Clusters of one application (with high availability) give each job this id.
_NO_ID = "0" * 32
# Flink's own catalog, in memory, which each session has for itself.
_SESSION_CATALOG = "default_catalog."


class _FlinkJob(msgspec.Struct):
    jobId: str = ""


_FLINK_JOB = facets.decoder(_FlinkJob)


def is_unique_job_id(job: str) -> bool:
    """Whether an id tells one job of Flink from all others."""
    return _JOB.fullmatch(job) is not None and job != _NO_ID


def flink_run_id(job: str, started_at: int) -> str:
    """The run of a job, which was started at a time in milliseconds since 1970.

    A job's id is as long as a UUID, and made at random as one.
    """
    if is_unique_job_id(job):
        return str(UUID(hex=job))
    return str(uuid5(NAMESPACE_URL, f"flink:{job}:{started_at}"))


def run_key_of(body: bytes) -> bytes | None:
    """The key of the run of the job that a run's facet names; None where it names none."""
    found: _FlinkJob | None = facets.read(_FLINK_JOB, body)
    return bytes.fromhex(found.jobId) if found and is_unique_job_id(found.jobId) else None


def is_session_table(dataset: NamedDataset) -> bool:
    """Whether a name holds in one session alone: others have tables of their own by it.

    What is unknown is so by job, which tells it from others.
    """
    return dataset.name.startswith(_SESSION_CATALOG) and not is_unknown(dataset.namespace)
