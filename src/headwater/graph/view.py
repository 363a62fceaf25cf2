"""The graph as of a time: who writes and reads a dataset, what a job's executions use.

An edge stands if a job's newest execution used the dataset, or if it is declared. A dataset left
without a writer keeps the execution that last wrote it, as that was then: a visit in the past.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from headwater.graph.aliases import AliasSets
from headwater.graph.edge_rules import CurrentExecution, EdgeKind, find_kind, newest_maps
from headwater.graph.gaps import find_gaps
from headwater.graph.pairs import Pairs, read_pairs
from headwater.graph.reader import Reader
from headwater.model.gaps import Gaps, merge_lists
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Evidence, Execution, Use
from headwater.model.values.ids import NO_CONTENT


class Visit(NamedTuple):
    """A job as a walk comes to it: as of the view's time, or as of a time in its past.

    `of` is the output or input that the walk comes from, if the job states which belong together.
    """

    job: bytes
    at: int | None = None
    of: bytes | None = None
    way: Direction | None = None


class Link(NamedTuple):
    """A dataset that a job uses: how that is known, and the column maps that were stated, or
    that were inferred where none was."""

    dataset: bytes
    kind: EdgeKind
    columns: frozenset[bytes]
    uses: tuple[Use, ...]
    has_inferred_columns: bool = False

    @property
    def column_kind(self) -> EdgeKind:
        """How the column maps are known."""
        return EdgeKind.INFERRED if self.has_inferred_columns else self.kind


Reached = tuple[Visit, EdgeKind]

_WAYS = tuple(Direction)


class View:
    """Neighbours in the graph as of one time; remembers what it has read.

    What is deleted is judged as of `deleted_by`, where that is not the same time: a view of the
    past within another does not show what is gone by now.
    """

    def __init__(
        self,
        reader: Reader,
        at: int,
        classes: AliasSets | None = None,
        deleted_by: int | None = None,
    ) -> None:
        self.reader = reader
        self.at = at
        self.classes = classes or AliasSets(reader)
        self.left_out: dict[tuple[bytes, int], int] = {}
        self._deleted_by = at if deleted_by is None else deleted_by
        self._current: dict[bytes, CurrentExecution] = {}
        self._jobs: dict[bytes, _JobUses] = {}
        self._pairs: dict[bytes, Pairs] = {}
        self._users: dict[tuple[bytes, int], list[Use]] = {}
        self._loaded: dict[int, set[bytes]] = {way: set() for way in Direction}
        self._past: dict[bytes, Visit | None] = {}
        self._views: dict[int, View] = {}
        self._hidden: dict[bytes, bool] = {}

    def writers(self, datasets: Iterable[bytes]) -> dict[bytes, list[Reached]]:
        """Who writes each dataset; where nobody does any more, who last did."""
        requested = list(datasets)
        found = self._current_users(requested, Direction.OUTPUT)
        abandoned = [dataset for dataset in requested if not found[dataset]]
        past = self._last_writers(abandoned)
        names = {name for dataset in past for name in self.classes.names(dataset)}
        stated = self.reader.stated_inputs(names) if names else []
        paired = {(each.job, self.classes.chosen(each.output)) for each in stated}
        for dataset, visit in past.items():
            if (visit.job, dataset) in paired:
                visit = visit._replace(of=dataset, way=Direction.OUTPUT)
            found[dataset].append((visit, EdgeKind.PAST))
        return found

    def readers(self, datasets: Iterable[bytes]) -> dict[bytes, list[Reached]]:
        """Who reads each dataset, and executions in the past that read it and still count."""
        requested = list(datasets)
        found = self._current_users(requested, Direction.INPUT)
        jobs = {use.job for dataset in requested for use in self._users[dataset, Direction.INPUT]}
        visits = self.past_visits(jobs)
        for visit, inputs in self.inputs(visits).items():
            for dataset, _ in inputs:
                if dataset in found:
                    came = self._of(visit, dataset, Direction.INPUT)
                    found[dataset].append((came, EdgeKind.PAST))
        return found

    def naming(self, datasets: Iterable[bytes]) -> dict[bytes, list[Visit]]:
        """Every job that ever read a dataset or names it inside a facet: its maps may be of it."""
        requested = list(datasets)
        self.load_users(requested, (Direction.ITSELF, Direction.INPUT))
        jobs = {
            dataset: {
                use.job
                for way in (Direction.ITSELF, Direction.INPUT)
                for use in self._users[dataset, way]
                if any(use.job)
            }
            for dataset in requested
        }
        past: defaultdict[bytes, list[Visit]] = defaultdict(list)
        for visit in self.past_visits({job for some in jobs.values() for job in some}):
            past[visit.job].append(visit)
        return {
            dataset: [visit for job in sorted(some) for visit in (Visit(job), *past[job])]
            for dataset, some in jobs.items()
        }

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
        """What visited jobs use. Of a past execution, only outputs that nobody else has written.

        Of a visit by one side of a job's pairs, the other side is only what belongs to it.
        """
        requested = list(visits)
        self.load_jobs(visit.job for visit in requested)
        found: dict[Visit, list[Link]] = {}
        for visit in requested:
            if visit.at is not None:
                found[visit] = self._past_links(visit, direction)
            elif visit.of is None or visit.way is direction:
                found[visit] = list(self._jobs[visit.job].links[direction].values())
            else:
                found[visit] = self._paired_links(visit, direction)
        return found

    def _paired_links(self, visit: Visit, direction: Direction) -> list[Link]:
        links, pairs = self._jobs[visit.job].links[direction], self._pairs.get(visit.job)
        if pairs is None or visit.of is None:
            return list(links.values())
        if direction is Direction.OUTPUT:
            return [link for link in links.values() if pairs.is_fed(link.dataset, visit.of)]
        inputs = pairs.inputs_of(visit.of)
        if inputs is None:
            return list(links.values())
        found = [links[dataset] for dataset in sorted(inputs) if dataset in links]
        # What was stated last may not be of what the job used at an earlier time.
        return found if found or not inputs else list(links.values())

    def _of(self, visit: Visit, dataset: bytes, way: Direction) -> Visit:
        """A visit that comes from a dataset, where the job states which belong together.

        Only jobs whose uses are read: the others are not walked through.
        """
        pairs = self._pairs.get(visit.job)
        if pairs is None or (way is Direction.OUTPUT and pairs.inputs_of(dataset) is None):
            return visit
        return visit._replace(of=dataset, way=way)

    def link(self, job: bytes, dataset: bytes, direction: Direction) -> Link | None:
        self.load_jobs([job])
        return self._jobs[job].links[direction].get(dataset)

    def past_visits(self, jobs: Collection[bytes]) -> list[Visit]:
        """The past executions of jobs that were the last to write some dataset."""
        self.load_jobs(jobs)
        stale = {dataset for job in jobs for dataset in self._jobs[job].stale_outputs}
        if not stale:
            return []
        found = {
            Visit(visit.job, visit.at)
            for reached in self.writers(sorted(stale)).values()
            for visit, kind in reached
            if kind is EdgeKind.PAST and visit.job in jobs
        }
        return sorted(found, key=lambda visit: visit[:2])

    def users(self, dataset: bytes) -> list[Use]:
        """Every row read of a dataset under any of its names."""
        users = self._users
        return [use for way in _WAYS for use in users.get((dataset, way), ())]

    def uses(self, job: bytes) -> list[Use]:
        """Every row that stands of what a job uses."""
        self.load_jobs([job])
        links = self._jobs[job].links.values()
        return [use for some in links for link in some.values() for use in link.uses]

    def execution(self, job: bytes) -> Execution | None:
        """A job's newest execution with datasets."""
        self._load_current([job])
        return self._current[job].execution

    def gaps(self, visits: Iterable[Visit]) -> dict[bytes, Gaps]:
        """What was not understood of visited jobs, as of when they are visited."""
        if not self.reader.has_gaps:
            return {}
        by_time: defaultdict[int | None, set[bytes]] = defaultdict(set)
        for visit in visits:
            by_time[visit.at].add(visit.job)
        found: dict[bytes, Gaps] = {}
        for at, jobs in by_time.items():
            view = self if at is None else self._past_view(at)
            view._load_current(jobs)
            executions = {job: view._current[job].execution for job in jobs}
            for job, gaps in find_gaps(self.reader, executions, view.at).items():
                known = found.get(job, ())
                found[job] = known if known == gaps else merge_lists(known, gaps)
        return found

    def chosen(self, dataset: bytes) -> bytes:
        """The name that stands for a dataset."""
        self.classes.resolve([dataset])
        return self.classes.chosen(dataset)

    def has_dataset(self, dataset: bytes) -> bool:
        """Whether a dataset was seen by the view's time; now it is known by its name alone."""
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

    def prefetch(self, requested: Mapping[Direction, Iterable[bytes]], with_uses: bool) -> None:
        """Read a whole level at once: who uses datasets in these directions, and what those use."""
        datasets = set().union(*requested.values())
        if not datasets:
            return
        # All that is stated of a dataset where both ways are requested: its schema is among it.
        self.load_users(datasets, Direction if len(requested) > 1 else tuple(requested))
        jobs = {
            use.job
            for direction, some in requested.items()
            for dataset in some
            for use in self._users[dataset, direction]
        }
        if with_uses:
            self.load_jobs(jobs)
        else:
            self._load_current(jobs)

    def load_jobs(self, jobs: Iterable[bytes]) -> None:
        """Read what jobs use; those not known yet."""
        new = {job for job in jobs if job not in self._jobs}
        if not new:
            return
        read = self.reader.uses_of_jobs(new, self.at)
        self.left_out.update(read.left_out)
        self.classes.resolve(use.dataset for use in read.rows)
        self._load_current(new)
        chosen = self.classes.chosen
        by_job: dict[bytes, defaultdict[tuple[bytes, int], list[Use]]] = {
            job: defaultdict(list) for job in new
        }
        for use in read.rows:
            by_job[use.job][chosen(use.dataset), use.direction].append(use)
        hidden = self.hidden({*new, *(chosen(use.dataset) for use in read.rows)})
        for job, grouped in by_job.items():
            self._jobs[job] = self._judge({} if job in hidden else grouped, job, hidden)
        self._load_pairs(new)

    def _load_pairs(self, jobs: Iterable[bytes]) -> None:
        """Read which inputs belong to which outputs, of jobs that have several of either."""
        outputs: dict[bytes, set[bytes]] = {}
        for job in jobs:
            links = self._jobs[job].links
            if all(links.values()) and any(len(some) > 1 for some in links.values()):
                written = links[Direction.OUTPUT].values()
                outputs[job] = {use.dataset for link in written for use in link.uses}
        classes = self.classes
        self._pairs |= read_pairs(self.reader, outputs, classes.resolve, classes.chosen)

    def load_users(self, datasets: Iterable[bytes], directions: Iterable[Direction]) -> None:
        """Read who uses datasets, under all their names; those not known yet."""
        ways = sorted(directions)
        every = set(datasets)
        self.classes.resolve(every)
        requested = {dataset for way in ways for dataset in every - self._loaded[way]}
        if not requested:
            return
        span = [way for way in Direction if ways[0] <= way <= ways[-1]]
        for dataset in requested:
            for way in span:
                self._loaded[way].add(dataset)
                self._users[dataset, way] = []
                self.left_out.pop((dataset, way), None)
        names = {name: dataset for dataset in requested for name in self.classes.names(dataset)}
        read = self.reader.uses_of_datasets(names, span, self.at)
        for (name, its_direction), count in read.left_out.items():
            key = (names[name], its_direction)
            self.left_out[key] = self.left_out.get(key, 0) + count
        for use in read.rows:
            self._users[names[use.dataset], use.direction].append(use)

    def hidden(self, ids: Iterable[bytes]) -> set[bytes]:
        """Those of some nodes that a person deleted, under any of their names, and those that are
        shown as the stream that they are part of."""
        if not self.reader.hides:
            return set()
        requested = set(ids)
        new = {id for id in requested if id not in self._hidden}
        if new:
            names = {name: id for id in new for name in self.classes.names(id)}
            deleted: dict[bytes, int] = {}
            for name, (at, is_deleted) in self.reader.deletions(names, self._deleted_by).items():
                if is_deleted:
                    deleted[names[name]] = max(at, deleted.get(names[name], at))
            self._hidden.update(dict.fromkeys(new, False))
            for id, at in deleted.items():
                self._hidden[id] = not any(
                    self.reader.is_seen(name, at, self._deleted_by)
                    for name in self.classes.names(id)
                )
            self._hidden.update(dict.fromkeys(self.reader.parts_of_streams(new), True))
        return {id for id in requested if self._hidden[id]}

    def _load_current(self, jobs: Iterable[bytes]) -> None:
        """Read what decides whether uses of jobs stand: their newest executions."""
        new = {job for job in jobs if job not in self._current}
        if not new:
            return
        executions = self.reader.executions(new, self.at)
        for job in new:
            execution = executions.get(job)
            snapshot = None
            if execution is not None and execution.emits_snapshots:
                named = self.reader.snapshot(execution, self.at)
                self.classes.resolve(dataset for dataset, _ in named)
                snapshot = frozenset((self.classes.chosen(id), way) for id, way in named)
            self._current[job] = CurrentExecution(execution, snapshot)

    def _judge(
        self, grouped: Mapping[tuple[bytes, int], list[Use]], job: bytes, hidden: set[bytes]
    ) -> "_JobUses":
        """Find which uses of a job are current."""
        links: dict[int, dict[bytes, Link]] = {Direction.INPUT: {}, Direction.OUTPUT: {}}
        stale = set()
        current = self._current[job]
        for (dataset, direction), uses in grouped.items():
            if dataset in hidden:
                continue
            kind = find_kind(current, dataset, direction, uses)
            if kind is not None:
                columns, is_inferred = self._stated_columns(uses, current.execution)
                link = Link(dataset, kind, columns, tuple(uses), is_inferred)
                links[direction][dataset] = link
            elif direction == Direction.OUTPUT and any(
                use.word == Evidence.OBSERVED for use in uses
            ):
                stale.add(dataset)
        return _JobUses(links, frozenset(stale))

    def _stated_columns(
        self, uses: list[Use], execution: Execution | None
    ) -> tuple[frozenset[bytes], bool]:
        """The column maps of an output, and whether they were inferred; of runs that share a
        parent each has its own."""
        maps, must_ask_runs, is_inferred = newest_maps(uses, execution)
        if must_ask_runs and execution is not None:
            names = {use.dataset for use in uses}
            stated = {use.columns for use in uses}
            for name in names:
                maps |= self.reader.execution_maps(execution, name, self.at) & stated
        return frozenset(maps - {NO_CONTENT}), is_inferred

    def _current_users(
        self, datasets: list[bytes], direction: Direction
    ) -> dict[bytes, list[Reached]]:
        self.load_users(datasets, (direction,))
        users = self._users
        jobs = {use.job for dataset in datasets for use in users[dataset, direction]}
        self._load_current(jobs)
        hidden = self.hidden({*jobs, *datasets})
        found: dict[bytes, list[Reached]] = {}
        for dataset in datasets:
            shown = () if dataset in hidden else users[dataset, direction]
            found[dataset] = [
                (self._of(Visit(job), dataset, direction), kind)
                for job in sorted({use.job for use in shown})
                if job not in hidden and (kind := self._kind(job, dataset, direction)) is not None
            ]
        return found

    def _kind(self, job: bytes, dataset: bytes, direction: Direction) -> EdgeKind | None:
        """How a job's use of a dataset stands, by its own rows or by those of the dataset."""
        known = self._jobs.get(job)
        if known is not None and (job, direction) not in self.left_out:
            link = known.links[direction].get(dataset)
            return None if link is None else link.kind
        uses = [use for use in self._users[dataset, direction] if use.job == job]
        return find_kind(self._current[job], dataset, direction, uses) if any(job) else None

    def _last_writers(self, datasets: list[bytes]) -> dict[bytes, Visit]:
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
            use for use in self._users[dataset, Direction.OUTPUT] if use.word == Evidence.OBSERVED
        ]
        hidden = self.hidden(use.job for use in uses)
        shown = [use for use in uses if use.job not in hidden]
        newest = max(shown, key=lambda use: (use.reported_at, use.job), default=None)
        return None if newest is None else Visit(newest.job, self._end_of(newest))

    def _end_of(self, use: Use) -> int:
        """The last moment of the execution with datasets: all it named counts."""
        execution = self.reader.executions([use.job], use.reported_at).get(use.job)
        if execution is None or execution.emits_snapshots:
            return use.reported_at
        following = self.reader.next_execution(execution, use.reported_at)
        return use.reported_at if following is None or following > self.at else following - 1

    def _past_links(self, visit: Visit, direction: Direction) -> list[Link]:
        """A past execution's links as of then; its outputs are those it is still kept for."""
        assert visit.at is not None
        then = self._past_view(visit.at)
        came = visit._replace(at=None)
        links = then.links([came], direction)[came]
        if direction is Direction.OUTPUT:
            links = [link for link in links if self._is_kept(link.dataset, visit)]
        return [link._replace(kind=EdgeKind.PAST) for link in links]

    def _past_view(self, at: int) -> "View":
        then = self._views.get(at)
        if then is None:
            then = View(self.reader, at, self.classes, self._deleted_by)
            self._views[at] = then
        return then

    def _is_kept(self, dataset: bytes, visit: Visit) -> bool:
        return any(
            kind is EdgeKind.PAST and writer[:2] == visit[:2]
            for writer, kind in self.writers([dataset])[dataset]
        )


class _JobUses(NamedTuple):
    """A job's present links by direction and dataset, and the outputs it no longer writes."""

    links: Mapping[int, dict[bytes, Link]]
    stale_outputs: frozenset[bytes]
