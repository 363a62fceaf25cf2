"""Everything that needs somebody now, in one list: what is wrong, what was, and who knows of it.

A problem is acknowledged by an edit of its dataset or job (`acknowledged`): for this occurrence,
or until a time. It is then left out of what needs attention, and still listed if requested.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from headwater.answers.health import JudgedDataset, JudgedJob
from headwater.graph.health.datasets import DatasetState
from headwater.graph.health.jobs import JobState
from headwater.graph.health.pace import describe_span
from headwater.model.relations import Slot
from headwater.model.systems import system_of_dataset
from headwater.model.values.ids import run_name
from headwater.model.values.instant import DAY, format_instant
from headwater.store.engine import Connection
from headwater.store.query.paging import Page
from headwater.store.read.acknowledgements import Acknowledgement, read_acknowledgements
from headwater.store.read.owners import read_owners
from headwater.store.stats.failures import FailedRun, count_rejected
from headwater.store.stats.health import read_error_messages

Shape = dict[str, Any]

RECOVERED, REJECTED = "recovered", "rejected"
JOB_PROBLEMS = (JobState.FAILED, JobState.SILENT, JobState.LATE)
DATASET_PROBLEMS = (DatasetState.EMPTY, DatasetState.STALE, DatasetState.LOW, DatasetState.HIGH)
# Worst first.
PROBLEMS: tuple[str, ...] = (*JOB_PROBLEMS, *DATASET_PROBLEMS, REJECTED, RECOVERED)
_MOST_SOURCES = 20


class ProblemFilter(NamedTuple):
    """Which problems are requested; what is empty does not filter."""

    problems: frozenset[str] = frozenset(PROBLEMS)
    owner: str = ""
    system: str = ""
    namespace: str = ""
    acknowledged: bool | None = False

    @property
    def needs_all(self) -> bool:
        """Whether every problem must be read to tell which are requested."""
        return bool(self.owner or self.system) or self.acknowledged is True

    def admits(self, problem: "FoundProblem") -> bool:
        return (
            problem.problem in self.problems
            and (not self.owner or self.owner in problem.owners)
            and (not self.system or self.system == problem.system)
            and (not self.namespace or self.namespace == problem.namespace)
        )


class FoundProblem(NamedTuple):
    """One thing that is wrong; `run` is the run that shows it, if there is one."""

    type: str
    namespace: str
    name: str
    problem: str
    reason: str
    since: int | None
    run: str | None = None
    system: str = ""
    owners: Sequence[str] = ()
    entity: bytes = b""
    acknowledged: Acknowledgement | None = None

    @property
    def rank(self) -> tuple[int, str, str]:
        return PROBLEMS.index(self.problem), self.namespace, self.name


class JudgedStates(NamedTuple):
    """What was judged, with how many more there are in each state."""

    jobs: Sequence[JudgedJob]
    datasets: Sequence[JudgedDataset]
    counts: dict[str, int]


def list_problems(
    connection: Connection,
    found: JudgedStates,
    failed: Sequence[FailedRun],
    requested: ProblemFilter,
    page: Page,
    time: int,
) -> Shape:
    """The page of the problems that are requested, worst first, with the choices there are."""
    problems = [
        *problems_of_jobs(connection, found.jobs, failed, time),
        *problems_of_datasets(found.datasets),
        *_of_rejected(connection, time),
    ]
    problems = complete_problems(connection, problems, time)
    admitted = sorted(filter(requested.admits, problems), key=lambda problem: problem.rank)
    known = [problem for problem in admitted if problem.acknowledged is not None]
    chosen = [
        problem
        for problem in admitted
        if requested.acknowledged in (None, problem.acknowledged is not None)
    ]
    counts = Counter(problem.problem for problem in chosen)
    # Of states of which not all were read, all are counted but those that are known of.
    left = {
        state: max(0, count - sum(problem.problem == state for problem in problems))
        for state, count in found.counts.items()
        if state in requested.problems
    }
    is_cut = requested.needs_all and any(left.values())
    if not requested.needs_all:
        counts.update(left)
    return {
        "problems": [
            problem_shape(problem) for problem in chosen[page.offset : page.offset + page.limit]
        ],
        "counts": {problem: counts[problem] for problem in PROBLEMS},
        "totalCount": sum(counts.values()),
        "acknowledgedCount": len(known),
        "owners": sorted({owner for problem in problems for owner in problem.owners}),
        "systems": sorted({problem.system for problem in problems} - {""}),
        "namespaces": sorted({problem.namespace for problem in problems} - {""}),
        "isCut": is_cut,
        "asOf": format_instant(time),
    }


def problems_of_jobs(
    connection: Connection, jobs: Iterable[JudgedJob], failed: Sequence[FailedRun], time: int
) -> Iterator[FoundProblem]:
    judged = {past.id: (past, verdict) for past, verdict in jobs}
    newest = [past.runs[0].key for past, _ in judged.values() if past.runs]
    messages = read_error_messages(connection, [*newest, *(each.run for each in failed)])
    for past, verdict in judged.values():
        if verdict.state in JOB_PROBLEMS:
            run = past.runs[0] if past.runs else None
            is_failed = run is not None and verdict.state is JobState.FAILED
            message = messages.get(run.key) if run is not None and is_failed else None
            yield FoundProblem(
                "JOB",
                past.namespace,
                past.name,
                verdict.state,
                f"{verdict.reason}: {message}" if message else verdict.reason,
                verdict.since,
                None if run is None else run_name(run.key, run.name),
                past.system,
                entity=past.id,
            )
    for each in failed:
        if each.job not in judged:
            continue
        past, verdict = judged[each.job]
        if verdict.state not in JOB_PROBLEMS:
            names = {run.key: run.name for run in past.runs}
            message = messages.get(each.run, "")
            reason = f"A run failed {describe_span(time - each.at)} ago{message and f': {message}'}"
            yield FoundProblem(
                "JOB",
                past.namespace,
                past.name,
                RECOVERED,
                f"{reason}. {verdict.reason}",
                each.at,
                run_name(each.run, names.get(each.run)),
                past.system,
                entity=past.id,
            )


def problems_of_datasets(datasets: Iterable[JudgedDataset]) -> Iterator[FoundProblem]:
    for past, verdict in datasets:
        if verdict.state in DATASET_PROBLEMS:
            system = system_of_dataset(past.namespace)
            yield FoundProblem(
                "DATASET",
                past.namespace,
                past.name,
                verdict.state,
                verdict.reason,
                verdict.since,
                system=system,
                entity=past.id,
            )


def _of_rejected(connection: Connection, time: int) -> Iterator[FoundProblem]:
    for source, count, newest, reason in count_rejected(connection, time - DAY, _MOST_SOURCES):
        events = "1 event was" if count == 1 else f"{count:,} events were"
        text = f"{events} rejected in the last day; the newest: {reason}"
        yield FoundProblem("EVENTS", "", source, REJECTED, text, newest)


def complete_problems(
    connection: Connection, problems: list[FoundProblem], time: int
) -> list[FoundProblem]:
    """The same with owners and acknowledgements."""
    owners: dict[bytes, list[str]] = {}
    for type, slot in (("JOB", Slot.JOB), ("DATASET", Slot.DATASET)):
        ids = [problem.entity for problem in problems if problem.type == type]
        owners |= read_owners(connection, ids, slot)
    ids = [problem.entity for problem in problems if problem.entity]
    known = read_acknowledgements(connection, ids)
    return [
        problem._replace(
            owners=owners.get(problem.entity, ()),
            acknowledged=_covering(known.get(problem.entity), problem, time),
        )
        for problem in problems
    ]


def _covering(
    known: Acknowledgement | None, problem: FoundProblem, time: int
) -> Acknowledgement | None:
    if known is None or not known.covers(problem.problem, problem.since, time):
        return None
    return known


def problem_shape(problem: FoundProblem) -> Shape:
    known = problem.acknowledged
    is_node = bool(problem.entity)
    prefix = problem.type.lower()
    return {
        "id": f"{prefix}:{problem.namespace}:{problem.name}" if is_node else None,
        "type": problem.type,
        "namespace": problem.namespace,
        "name": problem.name,
        "system": problem.system,
        "owners": list(problem.owners),
        "problem": problem.problem,
        "reason": problem.reason,
        "since": None if problem.since is None else format_instant(problem.since),
        "run": problem.run,
        "acknowledged": None
        if known is None
        else {
            "actor": known.actor,
            "at": format_instant(known.at),
            "reason": known.reason,
            "until": None if known.until is None else format_instant(known.until),
            "edit": known.edit.hex(),
        },
    }
