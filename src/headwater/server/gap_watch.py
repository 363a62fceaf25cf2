"""Says once, in the log, that a job's lineage is incomplete: not all of it was recognised."""

import logging

from headwater.model.facts import Facts
from headwater.model.gaps import decode_gaps, describe_gaps
from headwater.model.relations import JobRow, ReportedGaps
from headwater.model.values.ids import NO_CONTENT
from headwater.server.http.metrics import ServerMetrics

log = logging.getLogger(__name__)

# So many jobs are remembered; beyond that the oldest may be named again.
_MOST_JOBS = 100_000


class GapWatch:
    """Counts events with gaps, and names each job when it reports any for the first time."""

    def __init__(self, metrics: ServerMetrics) -> None:
        self._metrics = metrics
        self._named: dict[bytes, None] = {}

    def observe(self, facts: Facts) -> None:
        for report in map(ReportedGaps._make, facts.rows["reported_gaps"]):
            if report.gaps == NO_CONTENT:
                continue
            self._metrics.with_gaps.inc()
            if report.job in self._named:
                continue
            self._named[report.job] = None
            if len(self._named) > _MOST_JOBS:
                del self._named[next(iter(self._named))]
            gaps = decode_gaps(facts.contents[report.gaps].body)
            job = next(JobRow._make(row) for row in facts.rows["job"] if row[0] == report.job)
            log.warning(
                "lineage of job %s in %s is incomplete: %s",
                job.name,
                job.namespace,
                describe_gaps(gaps),
            )
