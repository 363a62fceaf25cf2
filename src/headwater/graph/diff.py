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
    return [
        *_compare_nodes(sides, causes),
        *_compare_edges(sides, causes),
        *_compare_fields(sides, causes),
        *_compare_columns(sides, causes),
        *_compare_runs(sides, causes),
        *_compare_lifecycles(sides, causes),
    ]


class _Causes:
    """Finds the runs behind changes."""

    def __init__(self, sides: _Sides) -> None:
        self._old = sides.old
        self._new = sides.new
        self._runs: dict[tuple[bytes, int], Cause] = {}

    def by(self, job: bytes, at: int | None) -> Cause:
        """The run of a job that was the newest at a time."""
        if at is None:
            return _UNKNOWN
        known = self._runs.get((job, at))
        if known is None:
            run = self._new.reader.newest_runs([job], at).get(job)
            known = self._runs[job, at] = Cause(job, run.run if run else None, at)
        return known

    def of_use(self, uses: Iterable[Use]) -> Cause:
        """Who first said what is said now; came back, if that was before."""
        since = self._old.at
        first = min(uses, key=lambda use: use.first_seen, default=None)
        if first is None:
            return _UNKNOWN
        if first.word != Word.OBSERVED:
            return Cause(first.job if any(first.job) else None, None, first.first_seen)
        if first.first_seen > since:
            return self.by(first.job, first.first_seen)
        return self.of_execution(first.job)

    def of_job(self, job: bytes) -> Cause:
        """The first run of a job since, or who said first what it uses."""
        run = self._new.reader.first_run(job, self._old.at, self._new.at)
        return Cause(job, run.run, run.began) if run else self.of_use(self._new.uses(job))

    def of_mark(self, dataset: bytes, mark: Mark) -> Cause:
        """The run of a writer that marked its output."""
        jobs = [
            use.job
            for use in self._new.users(dataset)
            if use.direction == Direction.OUTPUT and use.first_seen <= mark.at <= use.said_at
        ]
        return self.by(min(jobs), mark.at) if jobs else Cause(None, None, mark.at)

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
        deleted = sides.new.reader.deletions(differing, sides.new.at) if differing else {}
        hidden = sides.new.hidden(deleted)
        for node in differing:
            is_there = node in new
            cause = _UNKNOWN
            if node in hidden:
                cause = Cause(None, None, deleted[node], is_edit=True)
            elif is_there and what == "dataset":
                cause = causes.of_use(sides.new.users(node))
            elif is_there:
                cause = causes.of_job(node)
            yield Change(what, (node,), _there(not is_there), _there(is_there), cause)


def _there(is_there: bool) -> str | None:
    return "there" if is_there else None


def _compare_edges(sides: _Sides, causes: _Causes) -> Iterable[Change]:
    old, new = sides.old_graph.edges, sides.new_graph.edges
    for edge in sorted(old.keys() | new.keys()):
        before, after = old.get(edge), new.get(edge)
        if before != after:
            cause = _cause_of_edge(edge, after, sides, causes)
            yield Change("edge", edge, before, after, cause)


def _cause_of_edge(edge: Edge, after: EdgeKind | None, sides: _Sides, causes: _Causes) -> Cause:
    job, dataset, direction = _ends(edge, sides)
    if job is None:
        return _UNKNOWN
    if after in (EdgeKind.OBSERVED, EdgeKind.DECLARED):
        link = sides.new.link(job, dataset, direction)
        return causes.of_use(link.uses) if link is not None else _UNKNOWN
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
        cause = Cause(job, after.run, after.began) if after else _UNKNOWN
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
    find = sides.new.reader.first_run
    since, until = sides.old.at, sides.new.at
    if after.code is not None and after.code != before.code:
        first = find(job, since, until, code=after.code) or after
        was = before.code.hex() if before.code else None
        yield Change("code", (job,), was, after.code.hex(), Cause(job, first.run, first.began))
    if after.sql is not None and after.sql != before.sql:
        first = find(job, since, until, sql=after.sql) or after
        was = before.sql.hex() if before.sql else None
        yield Change("sql", (job,), was, after.sql.hex(), Cause(job, first.run, first.began))


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
