"""What changed between two times: two views compared, each change with what brought it."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from headwater.graph.answer import Edge, Graph
from headwater.graph.causes import UNKNOWN, Causes, ChangeCause, Sides
from headwater.graph.column_graph import ColumnKey
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.view import Link, View, Visit
from headwater.model.relations import Direction
from headwater.model.uses import Evidence, RunAt, Use, newest_schema
from headwater.model.values.ids import NO_CONTENT, UNREPORTED


class Change(NamedTuple):
    """A thing before and after; absent where it was not there."""

    what: str
    subject: tuple[bytes | str, ...]
    before: str | None
    after: str | None
    cause: ChangeCause


# The evidence that makes an edge what it is.
_EVIDENCE: dict[EdgeKind | None, Evidence] = {
    EdgeKind.OBSERVED: Evidence.OBSERVED,
    EdgeKind.DECLARED: Evidence.DECLARED,
    EdgeKind.INFERRED: Evidence.INFERRED,
}
_ASPECTS: tuple[Literal["code", "sql"], ...] = ("code", "sql")

Mapped = dict[tuple[bytes, str, bytes, str], str]


def compare(old: View, new: View, old_graph: Graph, new_graph: Graph) -> list[Change]:
    """List what came, went and changed from one view to a later one."""
    sides = Sides(old, new, old_graph, new_graph)
    causes = Causes(sides)
    changes = [
        *_compare_nodes(sides, causes),
        *_compare_edges(sides, causes),
        *_compare_fields(sides, causes),
        *_compare_columns(sides, causes),
        *_compare_runs(sides, causes),
        *_compare_lifecycles(sides, causes),
    ]
    return [_within(change, sides) for change in changes]


def _within(change: Change, sides: Sides) -> Change:
    """What was there before the first time, or came after the second, brought no change between."""
    at = change.cause.at
    is_within = at is None or sides.old.at < at <= sides.new.at
    return change if is_within else change._replace(cause=UNKNOWN)


def _compare_nodes(sides: Sides, causes: Causes) -> Iterable[Change]:
    for what, old, new in (
        ("dataset", sides.old_graph.datasets, sides.new_graph.datasets),
        ("job", sides.old_graph.jobs, sides.new_graph.jobs),
    ):
        differing = sorted(old.keys() ^ new.keys())
        if what == "dataset":
            sides.new.load_users(differing, Direction)
        for node in differing:
            is_there = node in new
            cause = UNKNOWN
            if (edited := causes.of_edit([node])) is not None and _is_by_edit(sides, node):
                cause = edited
            elif is_there and what == "dataset":
                cause = causes.of_use(sides.new.users(node))
            elif is_there:
                cause = causes.of_job(node)
            yield Change(what, (node,), _there(not is_there), _there(is_there), cause)


def _is_by_edit(sides: Sides, node: bytes) -> bool:
    """Whether a node went because it was deleted, or came because it was restored."""
    if sides.new.hidden([node]):
        return True
    deletions = sides.new.reader.deletions(sides.new.classes.names(node), sides.new.at)
    newest = max(deletions.values(), default=(0, True))
    return bool(sides.old.hidden([node])) and not newest[1]


def _there(is_there: bool) -> str | None:
    return "there" if is_there else None


def _compare_edges(sides: Sides, causes: Causes) -> Iterable[Change]:
    old, new = sides.old_graph.edges, sides.new_graph.edges
    for edge in sorted(old.keys() | new.keys()):
        before, after = old.get(edge), new.get(edge)
        if before != after:
            cause = _cause_of_edge(edge, before, after, sides, causes)
            yield Change("edge", edge, before, after, cause)


def _cause_of_edge(
    edge: Edge, before: EdgeKind | None, after: EdgeKind | None, sides: Sides, causes: Causes
) -> ChangeCause:
    for node in edge:
        if _is_by_edit(sides, node) and (edited := causes.of_edit([node])) is not None:
            return edited
    job, dataset, direction = _ends(edge, sides)
    if job is None:
        return causes.of_succession(dataset)
    if after in _EVIDENCE:
        link = sides.new.link(job, dataset, direction)
        uses = [use for use in (link.uses if link else ()) if use.word == _EVIDENCE[after]]
        return causes.of_use(uses)
    if before is EdgeKind.PAST and direction is Direction.OUTPUT:
        # Somebody else writes it now.
        sides.new.load_users([dataset], (Direction.OUTPUT,))
        since = sides.old.at
        users = [use for use in sides.new.users(dataset) if use.direction == Direction.OUTPUT]
        return causes.of_use([use for use in users if use.first_seen > since] or users)
    return causes.of_execution(job)


def _ends(edge: Edge, sides: Sides) -> tuple[bytes | None, bytes, Direction]:
    """The job and the dataset of an edge; a succession has no job."""
    for jobs in (sides.new_graph.jobs, sides.old_graph.jobs):
        if edge.origin in jobs:
            return edge.origin, edge.destination, Direction.OUTPUT
        if edge.destination in jobs:
            return edge.destination, edge.origin, Direction.INPUT
    return None, edge.destination, Direction.ITSELF


def _compare_fields(sides: Sides, causes: Causes) -> Iterable[Change]:
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
                cause = causes.of_use([first]) if first else UNKNOWN
                yield Change("field", (dataset, name), was, now, cause)


def _schemas_since(sides: Sides, dataset: bytes) -> list[Use]:
    """The schemas a dataset was first described with between the two times, in that order."""
    new = newest_schema(sides.new.users(dataset))
    return sorted(
        (
            use
            for use in sides.new.users(dataset)
            if use.schema not in (UNREPORTED, NO_CONTENT)
            and use.first_seen > sides.old.at
            and new is not None
            and use.direction == new.direction
        ),
        key=lambda use: (use.first_seen, use.job),
    )


def _compare_columns(sides: Sides, causes: Causes) -> Iterable[Change]:
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
                    origin = ColumnKey(self._chosen(source.dataset), source.column)
                    words = [each.words for each in source.transformations]
                    mapped[(*origin, dataset, output)] = ", ".join(words)
        return mapped


def _compare_runs(sides: Sides, causes: Causes) -> Iterable[Change]:
    """States of jobs, and the versions of their code and SQL."""
    old = sides.old.reader.newest_runs(sides.jobs, sides.old.at)
    new = sides.new.reader.newest_runs(sides.jobs, sides.new.at)
    for job in sorted(old.keys() | new.keys()):
        before, after = old.get(job), new.get(job)
        cause = ChangeCause(job, after.run, after.since) if after else UNKNOWN
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


def _compare_code(job: bytes, before: RunAt, after: RunAt, sides: Sides) -> Iterable[Change]:
    """A run that does not report its code is assumed to run the code of the one before it."""
    reader, since, until = sides.new.reader, sides.old.at, sides.new.at
    for aspect in _ASPECTS:
        was, now = getattr(before, aspect), getattr(after, aspect)
        if now is None or was == now:
            continue
        was = was or reader.last_stated(job, since, aspect)
        if was != now:
            first = reader.first_run(job, since, until, **{aspect: now}) or after
            cause = ChangeCause(job, first.run, first.began)
            yield Change(aspect, (job,), was.hex() if was else None, now.hex(), cause)


def _compare_lifecycles(sides: Sides, causes: Causes) -> Iterable[Change]:
    classes = sides.new.classes
    names = {name: dataset for dataset in sides.datasets for name in classes.names(dataset)}
    old = sides.old.reader.lifecycles(names, sides.old.at)
    new = sides.new.reader.lifecycles(names, sides.new.at)
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before != after:
            cause = causes.of_mark(names[name], after) if after else UNKNOWN
            was, now = before.change if before else None, after.change if after else None
            yield Change("lifecycle", (names[name],), was, now, cause)
