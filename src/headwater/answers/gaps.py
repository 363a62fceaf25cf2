"""Which jobs have gaps: whose lineage is known to be incomplete, and for want of what."""

from collections import Counter
from typing import NamedTuple

from headwater.graph.view import View, Visit
from headwater.model.gaps import Gaps
from headwater.model.uses import NOW, Name
from headwater.store.engine import Connection
from headwater.store.lineage.gaps import list_jobs_with_reports
from headwater.store.lineage.graph_reader import StoreReader


class JobsWithGaps(NamedTuple):
    """The gaps of jobs by their names, and in how many jobs each kind and name is one."""

    jobs: dict[Name, Gaps]
    counts: Counter[tuple[str, str]]


def find_jobs_with_gaps(connection: Connection) -> JobsWithGaps:
    """Find the jobs whose newest executions reported gaps, by name."""
    view = View(StoreReader(connection), NOW)
    reported = list_jobs_with_reports(connection) if view.reader.has_gaps else []
    hidden = view.hidden(reported)
    gaps = view.gaps(Visit(job) for job in reported if job not in hidden)
    names = view.reader.job_names(gaps)
    jobs = {names[job]: some for job, some in gaps.items() if job in names}
    counts = Counter(gap[:2] for some in jobs.values() for gap in some)
    return JobsWithGaps(dict(sorted(jobs.items())), counts)
