"""The drift of each job that anybody has declared: by edge and by column, since when, by which run.

Only the newest execution counts, as in the graph. Columns are compared where both sides state some,
by the values that others are made of: what only decides about rows is stated in different ways.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from headwater.answers.names import check_namespace
from headwater.graph.edge_rules import EdgeKind, newest_maps
from headwater.graph.view import Link, View, Visit
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Evidence, Execution, Name, Use
from headwater.model.values.ids import NO_CONTENT, UNREPORTED
from headwater.store import tables
from headwater.store.engine import Connection
from headwater.store.lineage.declared_jobs import list_declared_jobs
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.visibility.pages import list_namespace_names

_AT_ONCE = 500
_NOTHING = (UNREPORTED, NO_CONTENT)


class DriftKind(StrEnum):
    NOT_OBSERVED = "notObserved"
    NOT_DECLARED = "notDeclared"


class EdgeDrift(NamedTuple):
    """A dataset that a job uses by one side alone.

    `since` is when it was first declared or first observed, `last_observed` when a run of the past
    used what is declared.
    """

    kind: DriftKind
    direction: Direction
    dataset: bytes
    since: int
    last_observed: int | None


class ColumnDrift(NamedTuple):
    """A column that an output's column is made of by one side alone."""

    kind: DriftKind
    output: bytes
    column: str
    source: bytes
    field: str


class JobDrift(NamedTuple):
    """A declared job; `run` is the newest of its newest execution, if any run observed anything."""

    job: bytes
    name: Name
    run: bytes | None
    edges: Sequence[EdgeDrift]
    columns: Sequence[ColumnDrift]

    @property
    def has_drift(self) -> bool:
        return bool(self.edges or self.columns)


def find_drift(connection: Connection, namespace: str = "") -> Iterator[JobDrift]:
    """Every declared job, by name; those that do not differ have neither edges nor columns."""
    listed = list_declared_jobs(connection, namespace)
    if namespace and not listed:
        check_namespace("namespace", namespace, list_namespace_names(connection, tables.job))
    for start in range(0, len(listed), _AT_ONCE):
        # A view for each part: it remembers all that it has read.
        view = View(StoreReader(connection), NOW)
        jobs = [job for job, _ in listed[start : start + _AT_ONCE]]
        hidden = view.hidden(jobs)
        visits = [Visit(job) for job in jobs if job not in hidden]
        inputs = view.links(visits, Direction.INPUT)
        outputs = view.links(visits, Direction.OUTPUT)
        executions = view.reader.executions([visit.job for visit in visits], NOW)
        names = dict(listed)
        for visit in visits:
            execution = executions.get(visit.job)
            edges = [
                *_edges(inputs[visit], Direction.INPUT),
                *_edges(outputs[visit], Direction.OUTPUT),
            ]
            columns = _columns(view, outputs[visit], execution)
            run = execution.run if execution is not None else None
            yield JobDrift(visit.job, names[visit.job], run, edges, columns)


def _by(uses: Iterable[Use], word: Evidence) -> list[Use]:
    return [use for use in uses if use.word == word]


def _edges(links: Iterable[Link], direction: Direction) -> Iterator[EdgeDrift]:
    for link in links:
        declared, observed = _by(link.uses, Evidence.DECLARED), _by(link.uses, Evidence.OBSERVED)
        is_observed = link.kind is EdgeKind.OBSERVED
        if declared and not is_observed:
            since = min(use.first_seen for use in declared)
            last = max((use.reported_at for use in observed), default=None)
            yield EdgeDrift(DriftKind.NOT_OBSERVED, direction, link.dataset, since, last)
        elif is_observed and not declared:
            since = min(use.first_seen for use in observed)
            last = max(use.reported_at for use in observed)
            yield EdgeDrift(DriftKind.NOT_DECLARED, direction, link.dataset, since, last)


def _columns(
    view: View, links: Iterable[Link], execution: Execution | None
) -> Sequence[ColumnDrift]:
    found: list[ColumnDrift] = []
    for link in links:
        declared = {use.columns for use in _by(link.uses, Evidence.DECLARED)}
        stated = _by(link.uses, Evidence.OBSERVED)
        observed = newest_maps(stated, execution).digests
        one, other = (_direct(view, some) for some in (declared, observed))
        if not one or not other or link.kind is not EdgeKind.OBSERVED:
            continue
        for kind, some in (
            (DriftKind.NOT_OBSERVED, one - other),
            (DriftKind.NOT_DECLARED, other - one),
        ):
            found += [ColumnDrift(kind, link.dataset, *each) for each in sorted(some)]
    return found


def _direct(view: View, digests: Iterable[bytes]) -> set[tuple[str, bytes, str]]:
    """(column, source, field) of all values in some maps, each source by the name that stands."""
    maps = view.reader.column_maps({each for each in digests if each not in _NOTHING})
    pairs = [
        (column, source)
        for each in maps.values()
        for column, sources in each.outputs.items()
        for source in sources
        if column and source.column and not source.is_indirect
    ]
    view.classes.resolve({source.dataset for _, source in pairs})
    return {
        (column, view.classes.chosen(source.dataset), source.column) for column, source in pairs
    }
