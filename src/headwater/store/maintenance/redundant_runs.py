"""Which of a job's runs its history can do without; pure, so that it can be reasoned about.

Lineage as of a time is what the newest execution by then used, and whatever else the job used since
that execution began. A run can go where the kept run before it says the same, and where no run
that says something else reaches into the interval between them.
"""

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

# What a run says of its datasets: (dataset, direction, schema, columns), sorted.
ReportedUses = tuple[tuple[bytes, int, bytes | None, bytes | None], ...]

# What runs say that are not at hand: taken for something else.
_UNKNOWN: ReportedUses = ((b"", -1, None, None),)
_LOWEST = -(2**62)


class OldRun(NamedTuple):
    """A run that began before the horizon; `may_go` if it is old, ended and not the newest."""

    id: bytes
    execution: bytes
    began: int
    last_use: int
    reported: ReportedUses
    may_go: bool


def find_repeats(runs: Sequence[OldRun], going_on: Set[bytes]) -> dict[bytes, bytes | None]:
    """Find the runs to do without, each with the kept one that says the same.

    That is None for a run that says nothing. Runs come in the order they began; executions
    `going_on` have runs that are not among them.
    """
    repeats: dict[bytes, bytes | None] = {}
    left = list(runs)
    # Until nothing changes: what a removed run stood in the way of can go as well, and a second
    # prune finds nothing that the first has left.
    while found := _pass(left, going_on):
        repeats.update(found)
        left = [run for run in left if run.id not in found]
    return {id: _last_of_chain(repeats, same) for id, same in repeats.items()}


def _last_of_chain(repeats: Mapping[bytes, bytes | None], same: bytes | None) -> bytes | None:
    while same is not None and same in repeats:
        same = repeats[same]
    return same


class _Execution:
    """The runs of a job that share a parent, as far as they count here."""

    __slots__ = ("began", "first", "last_began", "reported")

    def __init__(self, first: OldRun) -> None:
        self.first = first.id
        self.began = self.last_began = first.began
        self.reported: set[ReportedUses] = set()


def _pass(runs: Sequence[OldRun], going_on: Set[bytes]) -> dict[bytes, bytes | None]:
    executions: dict[bytes, _Execution] = {}
    for run in runs:
        execution = executions.setdefault(run.execution, _Execution(run))
        execution.last_began = run.began
        if run.reported:
            execution.reported.add(run.reported)
    lingering = _Highest()

    def is_repeat(run: OldRun, kept: OldRun, next_other: int) -> bool:
        if not run.may_go or run.reported != kept.reported:
            return False
        if next_other <= run.last_use:
            # An execution with other datasets that began meanwhile shows this run's as well.
            return False
        if run.execution == kept.execution:
            return True
        # Between executions: each must be of one mind, or it shows more than its last run says,
        # and nothing else may have begun or gone on meanwhile, or it shows that as well.
        before, execution = executions[kept.execution], executions[run.execution]
        return (
            next_other > execution.last_began
            and kept.execution not in going_on
            and before.reported == execution.reported == {run.reported}
            and lingering.of_others(run.reported) < min(before.began, execution.began)
        )

    found: dict[bytes, bytes | None] = {}
    kept: OldRun | None = None
    next_others = _next_others(runs, executions, going_on)
    for run, next_other in zip(runs, next_others, strict=True):
        if run.reported:
            if kept is not None and is_repeat(run, kept, next_other):
                found[run.id] = kept.id
            else:
                kept = run
            lingering.add(run.reported, run.last_use)
        elif run.may_go:
            # The first run of an execution with datasets tells when that began.
            execution = executions[run.execution]
            has_datasets = execution.reported or run.execution in going_on
            if not (has_datasets and execution.first == run.id):
                found[run.id] = None
    return found


def _next_others(
    runs: Sequence[OldRun], executions: Mapping[bytes, _Execution], going_on: Set[bytes]
) -> list[int]:
    """For each run, when the first execution began that has later runs saying something else."""
    nexts: list[int] = []
    later = _Highest()
    for id in going_on & executions.keys():
        later.add(_UNKNOWN, -executions[id].began)
    for run in reversed(runs):
        nexts.append(-later.of_others(run.reported))
        if run.reported:
            later.add(run.reported, -executions[run.execution].began)
    return nexts[::-1]


class _Highest:
    """The highest number of those that say something else than a given run.

    It is enough to remember two that say different things: one of them is another's.
    """

    def __init__(self) -> None:
        self._numbers: dict[ReportedUses, int] = {}

    def add(self, reported: ReportedUses, number: int) -> None:
        self._numbers[reported] = max(number, self._numbers.get(reported, _LOWEST))
        if len(self._numbers) > 2:
            del self._numbers[min(self._numbers, key=lambda reported: self._numbers[reported])]

    def of_others(self, reported: ReportedUses) -> int:
        others = (number for each, number in self._numbers.items() if each != reported)
        return max(others, default=_LOWEST)
