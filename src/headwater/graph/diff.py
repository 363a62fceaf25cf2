"""What changed between two times: two views compared, each change with what brought it."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.graph.answer import Edge, Graph
from headwater.graph.columns import Column
from headwater.graph.standing import EdgeKind
from headwater.graph.view import Link, View, Visit
from headwater.model.ids import NO_CONTENT, UNSAID
from headwater.model.relations import Direction
from headwater.model.uses import Mark, RunAt, Use, Word, newest_schema


class Cause(NamedTuple):
    """The run that brought a change, or no run: then an author or a person said so."""

    job: bytes | None
    run: bytes | None
    at: int | None
    is_edit: bool = False


class Change(NamedTuple):
    """A thing before and after; absent where it was not there."""

    what: str
    subject: tuple[bytes | str, ...]
    before: str | None
    after: str | None
    cause: Cause


Mapped = dict[tuple[bytes, str, bytes, str], str]

_UNKNOWN = Cause(None, None, None)
# Users of a dataset that are asked for their first run since.
_JOBS_ASKED = 8


class _Sides(NamedTuple):
    """The two views and what a walk found in each."""

    old: View
    new: View
    old_graph: Graph
    new_graph: Graph

    @property
    def jobs(self) -> list[bytes]:
        return sorted(self.old_graph.jobs.keys() | self.new_graph.jobs.keys())

    @property
    def datasets(self) -> list[bytes]:
        return sorted(self.old_graph.datasets.keys() | self.new_graph.datasets.keys())


def compare(old: View, new: View, old_graph: Graph, new_graph: Graph) -> list[Change]:
    """List what came, went and changed from one view to a later one."""
    sides = _Sides(old, new, old_graph, new_graph)
    causes = _Causes(sides)
    changes = [
        *_compare_nodes(sides, causes),
        *_compare_edges(sides, causes),
        *_compare_fields(sides, causes),
        *_compare_columns(sides, causes),
        *_compare_runs(sides, causes),
        *_compare_lifecycles(sides, causes),
    ]
    return [_within(change, sides) for change in changes]


def _within(change: Change, sides: _Sides) -> Change:
    """What was there before the first time, or came after the second, brought no change between."""
    at = change.cause.at
    is_within = at is None or sides.old.at < at <= sides.new.at
    return change if is_within else change._replace(cause=_UNKNOWN)


class _Causes:
    """Finds the runs behind changes."""

    def __init__(self, sides: _Sides) -> None:
        self._old = sides.old
        self._new = sides.new
        self._runs: dict[tuple[bytes, int], Cause] = {}

    def by(self, job: bytes, at: int) -> Cause:
        """The run of a job that an event of that time is of; else the one that was the newest."""
        known = self._runs.get((job, at))
        if known is None:
            run = next((run for its, run in self._new.reader.runs_at(at) if its == job), None)
            if run is None:
                newest = self._new.reader.newest_runs([job], at).get(job)
                run = newest.run if newest else None
            known = self._runs[job, at] = Cause(job, run, at)
        return known

    def of_use(self, uses: Iterable[Use]) -> Cause:
        """Who first said what is said now; if that was before, who said it again."""
        since = self._old.at
        said = sorted(uses, key=lambda use: (use.first_seen, use.job))
        if not said:
            return _UNKNOWN
        first = said[0]
        if first.word != Word.OBSERVED:
            return Cause(first.job if any(first.job) else None, None, first.first_seen)
        if first.first_seen > since:
            return self.by(first.job, first.first_seen)
        return self._first_run(dict.fromkeys(use.job for use in said if any(use.job)))

    def _first_run(self, jobs: Iterable[bytes]) -> Cause:
        """The first run since of any of some jobs."""
        find = self._new.reader.first_run
        found = [
            (run.began, run.run, job)
            for job in list(jobs)[:_JOBS_ASKED]
            if (run := find(job, self._old.at, self._new.at)) is not None
        ]
        if not found:
            return _UNKNOWN
        began, first, job = min(found)
        return Cause(job, first, began)

    def of_edit(self, nodes: Iterable[bytes]) -> Cause | None:
        """When a person deleted or restored any of some nodes, if that was between the times."""
        names = [name for node in nodes for name in self._new.classes.names(node)]
        words = self._new.reader.words_on(names, self._new.at)
        times = [at for at, _ in words.values() if at > self._old.at]
        return Cause(None, None, max(times), is_edit=True) if times else None

    def of_job(self, job: bytes) -> Cause:
        """The first run of a job since, or who said first what it uses."""
        run = self._new.reader.first_run(job, self._old.at, self._new.at)
        return Cause(job, run.run, run.began) if run else self.of_use(self._new.uses(job))

    def of_mark(self, dataset: bytes, mark: Mark) -> Cause:
        """The run of a writer that marked its output."""
        jobs = {
            use.job
            for use in self._new.users(dataset)
            if use.direction == Direction.OUTPUT and use.first_seen <= mark.at <= use.said_at
        }
        for job, run in sorted(self._new.reader.runs_at(mark.at)):
            if job in jobs:
                return Cause(job, run, mark.at)
        return self.by(min(jobs), mark.at) if jobs else Cause(None, None, mark.at)

    def of_succession(self, dataset: bytes) -> Cause:
        """Who renamed what a dataset was before."""
        self._new.load_users([dataset], Direction)
        marks = self._new.reader.lifecycles(self._new.classes.names(dataset), self._new.at)
        found = [self.of_mark(dataset, mark) for mark in marks.values() if mark.change == "RENAME"]
        return found[0] if found else _UNKNOWN

    def of_execution(self, job: bytes) -> Cause:
        """The execution of a job that is the newest now."""
        execution = self._new.execution(job)
        if execution is None or execution.began <= self._old.at:
            return _UNKNOWN
        return self.by(job, execution.began)


def _compare_nodes(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    for what, old, new in (
        ("dataset", sides.old_graph.datasets, sides.new_graph.datasets),
        ("job", sides.old_graph.jobs, sides.new_graph.jobs),
    ):
        differing = sorted(old.keys() ^ new.keys())
        if what == "dataset":
            sides.new.load_users(differing, Direction)
        for node in differing:
            is_there = node in new
            cause = _UNKNOWN
            if (edited := causes.of_edit([node])) is not None and _is_by_edit(sides, node):
                cause = edited
            elif is_there and what == "dataset":
                cause = causes.of_use(sides.new.users(node))
            elif is_there:
                cause = causes.of_job(node)
            yield Change(what, (node,), _there(not is_there), _there(is_there), cause)


def _is_by_edit(sides: _Sides, node: bytes) -> bool:
    """Whether a node went because it was deleted, or came because it was restored."""
    if sides.new.hidden([node]):
        return True
    words = sides.new.reader.words_on(sides.new.classes.names(node), sides.new.at)
    newest = max(words.values(), default=(0, True))
    return bool(sides.old.hidden([node])) and not newest[1]


def _there(is_there: bool) -> str | None:
    return "there" if is_there else None


def _compare_edges(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    old, new = sides.old_graph.edges, sides.new_graph.edges
    for edge in sorted(old.keys() | new.keys()):
        before, after = old.get(edge), new.get(edge)
        if before != after:
            cause = _cause_of_edge(edge, before, after, sides, causes)
            yield Change("edge", edge, before, after, cause)


def _cause_of_edge(
    edge: Edge, before: EdgeKind | None, after: EdgeKind | None, sides: _Sides, causes: _Causes
) -> Cause:
    for node in edge:
        if _is_by_edit(sides, node) and (edited := causes.of_edit([node])) is not None:
            return edited
    job, dataset, direction = _ends(edge, sides)
    if job is None:
        return causes.of_succession(dataset)
    if after in (EdgeKind.OBSERVED, EdgeKind.DECLARED):
        link = sides.new.link(job, dataset, direction)
        words = (Word.OBSERVED,) if after is EdgeKind.OBSERVED else (Word.DECLARED,)
        uses = [use for use in (link.uses if link else ()) if use.word in words]
        return causes.of_use(uses)
    if before is EdgeKind.PAST and direction is Direction.OUTPUT:
        # Somebody else writes it now.
        sides.new.load_users([dataset], (Direction.OUTPUT,))
        since = sides.old.at
        users = [use for use in sides.new.users(dataset) if use.direction == Direction.OUTPUT]
        return causes.of_use([use for use in users if use.first_seen > since] or users)
    return causes.of_execution(job)


def _ends(edge: Edge, sides: _Sides) -> tuple[bytes | None, bytes, Direction]:
    """The job and the dataset of an edge; a succession has no job."""
    for jobs in (sides.new_graph.jobs, sides.old_graph.jobs):
        if edge.origin in jobs:
            return edge.origin, edge.destination, Direction.OUTPUT
        if edge.destination in jobs:
            return edge.destination, edge.origin, Direction.INPUT
    return None, edge.destination, Direction.ITSELF


def _compare_fields(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    """Columns that came, went or changed their type, of datasets that are there at either time."""
    datasets = sides.datasets
    for view in (sides.old, sides.new):
        view.load_users(datasets, Direction)
    schemas = {
        dataset: (newest_schema(sides.old.users(dataset)), newest_schema(sides.new.users(dataset)))
        for dataset in datasets
    }
    changed = {
        dataset: (old, new)
        for dataset, (old, new) in schemas.items()
        if (old.schema if old else None) != (new.schema if new else None)
    }
    words = {dataset: _schemas_since(sides, dataset) for dataset in changed}
    types = sides.new.reader.column_types(
        {use.schema for pair in changed.values() for use in pair if use is not None}
        | {use.schema for some in words.values() for use in some}
    )
    for dataset, (old, new) in changed.items():
        before = types.get(old.schema, {}) if old else {}
        after = types.get(new.schema, {}) if new else {}
        for name in sorted(before.keys() | after.keys()):
            was, now = before.get(name), after.get(name)
            if was != now:
                # Of all schemas since, the first that has the column as it is now.
                first = next(
                    (use for use in words[dataset] if types.get(use.schema, {}).get(name) == now),
                    new,
                )
                cause = causes.of_use([first]) if first else _UNKNOWN
                yield Change("field", (dataset, name), was, now, cause)


def _schemas_since(sides: _Sides, dataset: bytes) -> list[Use]:
    """The schemas a dataset was first described with between the two times, in that order."""
    new = newest_schema(sides.new.users(dataset))
    return sorted(
        (
            use
            for use in sides.new.users(dataset)
            if use.schema not in (UNSAID, NO_CONTENT)
            and use.first_seen > sides.old.at
            and new is not None
            and use.direction == new.direction
        ),
        key=lambda use: (use.first_seen, use.job),
    )


def _compare_columns(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    """Column edges of jobs whose column maps are not the same at both times."""
    old_links, new_links = (
        _output_links(sides.old, sides.jobs),
        _output_links(sides.new, sides.jobs),
    )
    changed = [
        key
        for key in sorted(old_links.keys() | new_links.keys())
        if _maps(old_links.get(key)) != _maps(new_links.get(key))
    ]
    digests = {
        digest
        for key in changed
        for links in (old_links, new_links)
        for digest in _maps(links.get(key))
    }
    mapped = _MappedColumns(sides.new, digests)
    for key in changed:
        job, dataset = key
        before = mapped.of(dataset, _maps(old_links.get(key)))
        after = mapped.of(dataset, _maps(new_links.get(key)))
        link = new_links.get(key)
        cause = (
            causes.of_use(use for use in (link.uses if link else ()) if use.columns in link.columns)
            if link and link.columns
            else causes.of_execution(job)
        )
        for ends in sorted(before.keys() | after.keys()):
            if before.get(ends) != after.get(ends):
                subject = (*ends, job)
                yield Change("column", subject, before.get(ends), after.get(ends), cause)


def _maps(link: Link | None) -> frozenset[bytes]:
    return link.columns if link is not None else frozenset()


def _output_links(view: View, jobs: list[bytes]) -> dict[tuple[bytes, bytes], Link]:
    found = view.links([Visit(job) for job in jobs], Direction.OUTPUT)
    return {(visit.job, link.dataset): link for visit, links in found.items() for link in links}


class _MappedColumns:
    """Column maps as edges between columns, each with its transformations in words."""

    def __init__(self, view: View, digests: set[bytes]) -> None:
        self._maps = view.reader.column_maps(digests)
        self._chosen = view.classes.chosen
        view.classes.resolve(
            {
                source.dataset
                for column_map in self._maps.values()
                for sources in column_map.outputs.values()
                for source in sources
            }
        )

    def of(self, dataset: bytes, digests: frozenset[bytes]) -> Mapped:
        mapped: Mapped = {}
        for digest in sorted(digests & self._maps.keys()):
            for output, sources in self._maps[digest].outputs.items():
                for source in sources:
                    origin = Column(self._chosen(source.dataset), source.column)
                    words = [
                        "/".join(filter(None, (each.type, each.subtype)))
                        for each in source.transformations
                    ]
                    mapped[(*origin, dataset, output)] = ", ".join(words)
        return mapped


def _compare_runs(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    """States of jobs, and the versions of their code and SQL."""
    old = sides.old.reader.newest_runs(sides.jobs, sides.old.at)
    new = sides.new.reader.newest_runs(sides.jobs, sides.new.at)
    for job in sorted(old.keys() | new.keys()):
        before, after = old.get(job), new.get(job)
        cause = Cause(job, after.run, after.since) if after else _UNKNOWN
        if (before.state if before else None) != (after.state if after else None):
            yield Change(
                "state",
                (job,),
                before.state if before else None,
                after.state if after else None,
                cause,
            )
        if before and after:
            yield from _compare_code(job, before, after, sides)


def _compare_code(job: bytes, before: RunAt, after: RunAt, sides: _Sides) -> Iterable[Change]:
    """A run that says nothing of its code ran what the one before it did, as far as is known."""
    reader, since, until = sides.new.reader, sides.old.at, sides.new.at
    if after.code is not None and after.code != before.code:
        was = before.code or reader.last_stated(job, since, "code")
        first = reader.first_run(job, since, until, code=after.code) or after
        if was != after.code:
            cause = Cause(job, first.run, first.began)
            yield Change("code", (job,), was.hex() if was else None, after.code.hex(), cause)
    if after.sql is not None and after.sql != before.sql:
        was = before.sql or reader.last_stated(job, since, "sql")
        first = reader.first_run(job, since, until, sql=after.sql) or after
        if was != after.sql:
            cause = Cause(job, first.run, first.began)
            yield Change("sql", (job,), was.hex() if was else None, after.sql.hex(), cause)


def _compare_lifecycles(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    classes = sides.new.classes
    names = {name: dataset for dataset in sides.datasets for name in classes.names(dataset)}
    old = sides.old.reader.lifecycles(names, sides.old.at)
    new = sides.new.reader.lifecycles(names, sides.new.at)
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before != after:
            cause = causes.of_mark(names[name], after) if after else _UNKNOWN
            was, now = before.change if before else None, after.change if after else None
            yield Change("lifecycle", (names[name],), was, now, cause)
