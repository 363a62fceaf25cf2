"""Which jobs have gaps: what their producers did not understand, as of a time.

As edges do, a report counts if it is of the job's newest execution or later; of one run its newest
report counts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import reduce

from headwater.graph.reader import Reader
from headwater.model.gaps import Gaps, merge_lists
from headwater.model.uses import Execution, GapReport
from headwater.model.values.ids import NO_CONTENT

_EVER = -(2**62)


def find_gaps(
    reader: Reader, executions: Mapping[bytes, Execution | None], at: int
) -> dict[bytes, Gaps]:
    """The gaps of jobs, by their newest executions; jobs without any are left out."""
    if not executions or not reader.has_gaps:
        return {}
    reports: defaultdict[bytes, list[GapReport]] = defaultdict(list)
    for report in reader.gap_reports(executions, at):
        execution = executions[report.job]
        if report.last_seen >= (_EVER if execution is None else execution.began):
            reports[report.job].append(report)
    counted = {job: _newest_of_runs(some, at) for job, some in reports.items()}
    lists = reader.gap_lists(set().union(*counted.values())) if counted else {}
    return {
        job: reduce(merge_lists, (lists[digest] for digest in some))
        for job, digests in counted.items()
        if (some := sorted(digests & lists.keys()))
    }


def _newest_of_runs(reports: Iterable[GapReport], at: int) -> set[bytes]:
    """The lists that each run reported last; where two are equally new, both."""
    newest: dict[bytes, tuple[int, set[bytes]]] = {}
    for report in reports:
        time = min(report.last_seen, at)
        known, lists = newest.get(report.run, (_EVER, set()))
        if time > known:
            newest[report.run] = (time, {report.gaps})
        elif time == known:
            lists.add(report.gaps)
    return {digest for _, lists in newest.values() for digest in lists} - {NO_CONTENT}
