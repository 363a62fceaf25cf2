"""The graph as of a time: who writes and reads a dataset, what a job's executions use.

An edge stands if a job's newest execution used the dataset, or if it is declared. A dataset left
without a writer keeps the execution that last wrote it, as that was then: a visit in the past.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.aliases import Classes
from headwater.graph.reader import Reader
from headwater.model.ids import NO_CONTENT, UNSAID
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Execution, Use, Word


class EdgeKind(StrEnum):
    """Why an edge is there."""

    OBSERVED = "observed"
    DECLARED = "declared"
    PAST = "past"
    SUCCESSION = "succession"


class Visit(NamedTuple):
    """A job as a walk comes to it: as of the view's time, or as of a time in its past."""

    job: bytes
    at: int | None = None


class Link(NamedTuple):
    """A dataset that a job uses: how that is known, and the column maps that were stated."""

    dataset: bytes
    kind: EdgeKind
    columns: frozenset[bytes]
    uses: tuple[Use, ...]


Reached = tuple[Visit, EdgeKind]

_WAYS = tuple(Direction)


class View:
    """Neighbours in the graph as of one time; remembers what it has read."""

    def __init__(self, reader: Reader, at: int, classes: Classes | None = None) -> None:
        self.reader = reader
        self.at = at
        self.classes = classes or Classes(reader)
        self.left_out: dict[tuple[bytes, int], int] = {}
        self._jobs: dict[bytes, _JobUses] = {}
        self._users: dict[tuple[bytes, int], list[Use]] = {}
        self._loaded: dict[int, set[bytes]] = {way: set() for way in Direction}
        self._past: dict[bytes, Visit | None] = {}
        self._views: dict[int, View] = {}
        self._hidden: dict[bytes, bool] = {}

    def writers(self, datasets: Iterable[bytes]) -> dict[bytes, list[Reached]]:
        """Who writes each dataset; where nobody does any more, who last did."""
        wanted = list(datasets)
        found = self._standing_users(wanted, Direction.OUTPUT)
        abandoned = [dataset for dataset in wanted if not found[dataset]]
        for dataset, visit in self._last_writers(abandoned).items():
            found[dataset].append((visit, EdgeKind.PAST))
        return found

    def readers(self, datasets: Iterable[bytes]) -> dict[bytes, list[Reached]]:
        """Who reads each dataset, and executions in the past that read it and still count."""
        wanted = list(datasets)
        found = self._standing_users(wanted, Direction.INPUT)
        users = {
            dataset: {use.job for use in self._users[dataset, Direction.INPUT]}
            for dataset in wanted
        }
        visits = self.past_visits(job for jobs in users.values() for job in jobs)
        for visit, inputs in self.inputs(visits).items():
            for dataset, _ in inputs:
                if visit.job in users.get(dataset, ()):
                    found[dataset].append((visit, EdgeKind.PAST))
        return found

    def inputs(self, visits: Iterable[Visit]) -> dict[Visit, list[tuple[bytes, EdgeKind]]]:
        return {
            visit: [(link.dataset, link.kind) for link in links]
            for visit, links in self.links(visits, Direction.INPUT).items()
        }

    def outputs(self, visits: Iterable[Visit]) -> dict[Visit, list[tuple[bytes, EdgeKind]]]:
        return {
            visit: [(link.dataset, link.kind) for link in links]
            for visit, links in self.links(visits, Direction.OUTPUT).items()
        }

    def links(self, visits: Iterable[Visit], direction: Direction) -> dict[Visit, list[Link]]:
        """What visited jobs use. Of a past execution, only outputs that nobody else has written."""
        wanted = list(visits)
        self.load_jobs(visit.job for visit in wanted)
        found: dict[Visit, list[Link]] = {}
        for visit in wanted:
            if visit.at is None:
                found[visit] = list(self._jobs[visit.job].links[direction].values())
            else:
                found[visit] = self._past_links(visit, direction)
        return found

    def past_visits(self, jobs: Iterable[bytes]) -> list[Visit]:
        """The past executions of jobs that were the last to write some dataset."""
        wanted = set(jobs)
        self.load_jobs(wanted)
        stale = {dataset for job in wanted for dataset in self._jobs[job].stale_outputs}
        if not stale:
            return []
        found = {
            visit
            for reached in self.writers(stale).values()
            for visit, kind in reached
            if kind is EdgeKind.PAST and visit.job in wanted
        }
        return sorted(found)

    def users(self, dataset: bytes) -> list[Use]:
        """Every row read of a dataset under any of its names."""
        users = self._users
        return [use for way in _WAYS for use in users.get((dataset, way), ())]

    def uses(self, job: bytes) -> list[Use]:
        """Every row that stands of what a job uses."""
        self.load_jobs([job])
        return [
            use
            for links in self._jobs[job].links.values()
            for link in links.values()
            for use in link.uses
        ]

    def link(self, job: bytes, dataset: bytes, direction: Direction) -> Link | None:
        self.load_jobs([job])
        return self._jobs[job].links[direction].get(dataset)

    def execution(self, job: bytes) -> Execution | None:
        """A job's newest execution with datasets."""
        self.load_jobs([job])
        return self._jobs[job].execution

    def has_dataset(self, dataset: bytes) -> bool:
        """Whether a dataset was heard of by the view's time; now it is known by its name alone."""
        if self.hidden([dataset]):
            return False
        if self.at == NOW:
            return True
        self.load_users([dataset], Direction)
        return bool(self.users(dataset))

    def has_job(self, job: bytes) -> bool:
        if self.hidden([job]):
            return False
        return self.at == NOW or not self.reader.unseen_jobs([job], self.at)

    def naming(self, datasets: Iterable[bytes]) -> dict[bytes, set[bytes]]:
        """The jobs that name a dataset only inside a facet, as the source of a column."""
        wanted = list(datasets)
        self.load_users(wanted, (Direction.ITSELF,))
        found = {
            dataset: {
                use.job
                for use in self._users[dataset, Direction.ITSELF]
                if use.word == Word.OBSERVED
            }
            for dataset in wanted
        }
        self.load_jobs(job for jobs in found.values() for job in jobs)
        return found

    def prefetch(self, wanted: Mapping[Direction, Iterable[bytes]]) -> None:
        """Read a whole level at once: who uses datasets in these directions, and what those use."""
        datasets = set().union(*wanted.values())
        if not datasets:
            return
        # All that is said of a dataset where both ways are asked for: its schema is among it.
        ways = Direction if len(wanted) > 1 else tuple(wanted)
        self.load_users(datasets, ways)
        self.load_jobs(
            use.job
            for direction, some in wanted.items()
            for dataset in some
            for use in self._users[dataset, direction]
        )

    def load_jobs(self, jobs: Iterable[bytes]) -> None:
        new = {job for job in jobs if job not in self._jobs}
        if not new:
            return
        read = self.reader.uses_of_jobs(new, self.at)
        self.left_out.update(read.left_out)
        by_job: defaultdict[bytes, list[Use]] = defaultdict(list)
        for use in read.rows:
            by_job[use.job].append(use)
        self.classes.resolve(use.dataset for use in read.rows)
        executions = self.reader.executions(by_job, self.at)
        hidden = self.hidden({*new, *(self.classes.chosen(use.dataset) for use in read.rows)})
        for job in new:
            uses = [] if job in hidden else by_job[job]
            self._jobs[job] = self._job_uses(uses, executions.get(job), hidden)

    def load_users(self, datasets: Iterable[bytes], directions: Iterable[Direction]) -> None:
        """Read who uses datasets, under all their names; those not known yet."""
        ways = sorted(directions)
        self.classes.resolve(datasets := list(datasets))
        asked = set(datasets)
        wanted = {dataset for way in ways for dataset in asked - self._loaded[way]}
        if not wanted:
            return
        span = [way for way in Direction if ways[0] <= way <= ways[-1]]
        for dataset in wanted:
            for way in span:
                self._loaded[way].add(dataset)
                self._users[dataset, way] = []
        names = {name: dataset for dataset in wanted for name in self.classes.names(dataset)}
        read = self.reader.uses_of_datasets(names, span, self.at)
        for (name, its_direction), count in read.left_out.items():
            key = (names[name], its_direction)
            self.left_out[key] = self.left_out.get(key, 0) + count
        for use in read.rows:
            self._users[names[use.dataset], use.direction].append(use)

    def hidden(self, ids: Iterable[bytes]) -> set[bytes]:
        """Those of some nodes that a person deleted."""
        wanted = set(ids)
        new = {id for id in wanted if id not in self._hidden}
        if new:
            hidden = self.reader.hidden(new, self.at)
            self._hidden.update((id, id in hidden) for id in new)
        return {id for id in wanted if self._hidden[id]}

    def _job_uses(
        self, uses: list[Use], execution: Execution | None, hidden: set[bytes]
    ) -> "_JobUses":
        grouped: defaultdict[tuple[bytes, int], list[Use]] = defaultdict(list)
        for use in uses:
            dataset = self.classes.chosen(use.dataset)
            if use.direction != Direction.ITSELF and dataset not in hidden:
                grouped[dataset, use.direction].append(use)
        snapshot = None
        if execution is not None and execution.emits_snapshots:
            snapshot = {
                (self.classes.chosen(dataset), direction)
                for dataset, direction in self.reader.snapshot(execution, self.at)
            }
        return _judge(grouped, execution, snapshot)

    def _standing_users(
        self, datasets: list[bytes], direction: Direction
    ) -> dict[bytes, list[Reached]]:
        self.load_users(datasets, (direction,))
        found: dict[bytes, list[Reached]] = {}
        self.load_jobs(use.job for dataset in datasets for use in self._users[dataset, direction])
        for dataset in datasets:
            jobs = {use.job for use in self._users[dataset, direction]}
            found[dataset] = [
                (Visit(job), link.kind)
                for job in sorted(jobs)
                if (link := self._jobs[job].links[direction].get(dataset)) is not None
            ]
        return found

    def _last_writers(self, datasets: Iterable[bytes]) -> dict[bytes, Visit]:
        for dataset in datasets:
            if dataset not in self._past:
                self._past[dataset] = self._find_last_writer(dataset)
        return {
            dataset: visit for dataset in datasets if (visit := self._past[dataset]) is not None
        }

    def _find_last_writer(self, dataset: bytes) -> Visit | None:
        if self.hidden([dataset]):
            return None
        uses = [
            use
            for use in self._users[dataset, Direction.OUTPUT]
            if use.word == Word.OBSERVED and not self._hidden[use.job]
        ]
        newest = max(uses, key=lambda use: (use.said_at, use.job), default=None)
        return None if newest is None else Visit(newest.job, newest.said_at)

    def _past_links(self, visit: Visit, direction: Direction) -> list[Link]:
        """A past execution's links as of then; its outputs are those it is still kept for."""
        assert visit.at is not None
        then = self._views.get(visit.at)
        if then is None:
            then = self._views[visit.at] = View(self.reader, visit.at, self.classes)
        links = then.links([Visit(visit.job)], direction)[Visit(visit.job)]
        if direction is Direction.OUTPUT:
            links = [link for link in links if self._is_kept(link.dataset, visit)]
        return [link._replace(kind=EdgeKind.PAST) for link in links]

    def _is_kept(self, dataset: bytes, visit: Visit) -> bool:
        return (visit, EdgeKind.PAST) in self.writers([dataset])[dataset]


class _JobUses(NamedTuple):
    """A job's standing links by direction and dataset, and the outputs it no longer writes."""

    execution: Execution | None
    links: Mapping[int, dict[bytes, Link]]
    stale_outputs: frozenset[bytes]


def _judge(
    grouped: Mapping[tuple[bytes, int], list[Use]],
    execution: Execution | None,
    snapshot: set[tuple[bytes, int]] | None,
) -> _JobUses:
    """Tell which uses stand: those of the newest execution, and what is declared."""
    links: dict[int, dict[bytes, Link]] = {Direction.INPUT: {}, Direction.OUTPUT: {}}
    stale = set()
    for key, uses in grouped.items():
        dataset, direction = key
        kind, said_at = None, None
        for use in uses:
            if use.word == Word.OBSERVED:
                said_at = use.said_at if said_at is None else max(said_at, use.said_at)
            elif use.word == Word.DECLARED:
                kind = EdgeKind.DECLARED
        is_of_newest = said_at is not None and execution is not None and said_at >= execution.began
        if is_of_newest and (snapshot is None or key in snapshot):
            kind = EdgeKind.OBSERVED
        if kind is not None:
            columns = _stated_columns(uses, execution)
            links[direction][dataset] = Link(dataset, kind, columns, tuple(uses))
        elif said_at is not None and direction == Direction.OUTPUT:
            stale.add(dataset)
    return _JobUses(execution, links, frozenset(stale))


_NO_COLUMNS: frozenset[bytes] = frozenset()


def _stated_columns(uses: list[Use], execution: Execution | None) -> frozenset[bytes]:
    """The column maps of the newest execution that stated one.

    A run's newest map replaces its older ones; runs that share a parent each have theirs.
    """
    stated = [use for use in uses if use.columns != UNSAID and use.word != Word.TAKEN_BACK]
    if not stated:
        return _NO_COLUMNS
    observed = [use for use in stated if use.word == Word.OBSERVED]
    maps = {use.columns for use in stated if use.word == Word.DECLARED}
    if observed:
        newest = max(observed, key=lambda use: (use.said_at, use.columns))
        maps.add(newest.columns)
        if execution is not None and execution.parent_run is not None:
            maps.update(use.columns for use in observed if use.said_at >= execution.began)
    maps.discard(NO_CONTENT)
    return frozenset(maps)
