"""Compares two runs of a job: datasets, schemas, counts and facets."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from headwater.answers.results import (
    ComparedColumn,
    ComparedCounters,
    ComparedDataset,
    ComparedFacet,
    ComparedField,
    ComparedRun,
    CountedDataset,
    NodeName,
    RunComparison,
)
from headwater.errors import NotFound
from headwater.graph.node_id import ParsedNodeId, dataset_node_id, field_node_id, job_node_id
from headwater.model.column_map import ColumnMap
from headwater.model.relations import Direction, Slot
from headwater.model.uses import Name
from headwater.model.values.ids import UNREPORTED
from headwater.model.values.instant import format_instant
from headwater.store.engine import Connection
from headwater.store.lineage.graph_reader import StoreReader
from headwater.store.read.content_cache import COLUMN_MAPS, COLUMN_TYPES, FIELDS, read_fields
from headwater.store.read.facets import read_facets
from headwater.store.read.jobs import find_job
from headwater.store.read.run_comparison import (
    CountedUse,
    StatedRun,
    find_newest_finished,
    find_run_of,
    read_counted_uses,
)
from headwater.store.read.runs import RunRecord

K = TypeVar("K")
V = TypeVar("V")

# Limit of each list; tables with more columns than this differ in all of them or few.
_MOST = 10_000
_WAYS = {int(Direction.INPUT): "input", int(Direction.OUTPUT): "output"}
# Producer and schema URL are not part of a facet's value.
_ABOUT_FACETS = frozenset(("_producer", "_schemaURL"))

_NO_COLUMNS = ColumnMap({})

Key = tuple[bytes, int]
Uses = dict[Key, CountedUse]
# What each of two runs has under a key; None where it has nothing.
Difference = tuple[K, str, V | None, V | None]


class _Pair(NamedTuple):
    """What both runs used, by dataset and direction, and the names of all datasets."""

    before: Uses
    after: Uses
    names: dict[bytes, Name]

    def ordered(self) -> list[Key]:
        """In the order of the response: by direction and name."""
        every = self.before.keys() | self.after.keys()
        return sorted(every, key=lambda key: (key[1], self.names[key[0]]))


def find_pair(
    connection: Connection, node: ParsedNodeId, a: str | None, b: str | None
) -> tuple[StatedRun, StatedRun]:
    """Find the runs that are named; else the newest that has ended, and the one before it."""
    job = find_job(connection, node.namespace, node.name)
    if job is None:
        raise NotFound("job", f"{node.namespace}/{node.name}")
    found = []
    for run_id in (a, b):
        run = find_run_of(connection, job, run_id) if run_id else None
        if run_id and run is None:
            raise NotFound("run of the job", run_id[:500])
        found.append(run)
    before, after = found
    if after is None:
        after = find_newest_finished(connection, job.id, before.run.key if before else None)
    if before is None and after is not None:
        key, began = after.run.key, after.run.created_at
        before = find_newest_finished(connection, job.id, key, began)
    if before is None or after is None:
        raise NotFound("pair of ended runs of job", f"{node.namespace}/{node.name}")
    return before, after


def compare_runs(
    connection: Connection, node: ParsedNodeId, before: StatedRun, after: StatedRun
) -> RunComparison:
    pair = _read_pair(connection, before.run.key, after.run.key)
    lists: dict[str, list[Any]] = {
        "datasets": list(_datasets(pair)),
        "fields": list(_fields(connection, pair)),
        "columns": list(_columns(connection, pair)),
        "code": list(_code(connection, before, after)),
        "facets": list(_run_facets(connection, before.run.key, after.run.key)),
        "counters": list(_counters(pair)),
    }
    one, other = _run(before.run), _run(after.run)
    is_timed = one.durationMs is not None and other.durationMs is not None
    return RunComparison(
        job=NodeName(job_node_id(node.namespace, node.name), node.namespace, node.name),
        a=one,
        b=other,
        durationDeltaMs=(other.durationMs or 0) - (one.durationMs or 0) if is_timed else None,
        isCut=any(len(some) > _MOST for some in lists.values()),
        **{name: some[:_MOST] for name, some in lists.items()},
    )


def _read_pair(connection: Connection, before: bytes, after: bytes) -> _Pair:
    uses = read_counted_uses(connection, (before, after))
    names = StoreReader(connection).dataset_names({use.dataset for use in uses})
    sides: dict[bytes, Uses] = {before: {}, after: {}}
    for use in uses:
        if use.dataset in names:
            sides[use.run][use.dataset, use.direction] = use
    return _Pair(sides[before], sides[after], names)


def _differences(before: Mapping[K, V], after: Mapping[K, V]) -> Iterator[Difference[K, V]]:
    """What came, went and changed, in the order of the keys as they stand."""
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if key not in before:
            yield key, "added", None, new
        elif key not in after:
            yield key, "removed", old, None
        elif old != new:
            yield key, "changed", old, new


def _datasets(pair: _Pair) -> Iterator[ComparedDataset]:
    for key in pair.ordered():
        if (key in pair.before) != (key in pair.after):
            name = pair.names[key[0]]
            change = "added" if key in pair.after else "removed"
            yield ComparedDataset(dataset_node_id(*name), *name, _WAYS[key[1]], change)


def _restated(pair: _Pair, aspect: Literal["schema", "columns"]) -> list[tuple[Key, bytes, bytes]]:
    """The datasets that both runs used and described differently; none counts as unknown."""
    both = [key for key in pair.ordered() if key in pair.before and key in pair.after]
    stated = ((key, *(getattr(use[key], aspect) for use in pair[:2])) for key in both)
    return [(key, old, new) for key, old, new in stated if old and new and old != new]


def _fields(connection: Connection, pair: _Pair) -> Iterator[ComparedField]:
    changed = _restated(pair, "schema")
    types = COLUMN_TYPES.read(connection, (digest for _, *some in changed for digest in some))
    for (dataset, way), old, new in changed:
        id = dataset_node_id(*pair.names[dataset])
        for name, change, was, now in _differences(types.get(old, {}), types.get(new, {})):
            yield ComparedField(id, _WAYS[way], name, change, was, now)


def _columns(connection: Connection, pair: _Pair) -> Iterator[ComparedColumn]:
    changed = _restated(pair, "columns")
    maps = COLUMN_MAPS.read(connection, (digest for _, *some in changed for digest in some))
    sources = {
        source.dataset
        for column_map in maps.values()
        for some in column_map.outputs.values()
        for source in some
    }
    names = StoreReader(connection).dataset_names(sources) | pair.names
    for (dataset, _), *stated in changed:
        before, after = (_edges(maps.get(digest, _NO_COLUMNS), names) for digest in stated)
        for (origin, output), change, was, now in _differences(before, after):
            destination = field_node_id(*names[dataset], output)
            yield ComparedColumn(origin, destination, change, was, now)


def _edges(column_map: ColumnMap, names: Mapping[bytes, Name]) -> dict[tuple[str, str], str]:
    """The edges of a column map, by node id of the source and name of the output column."""
    return {
        (field_node_id(*names[source.dataset], source.column), output): ", ".join(
            each.words for each in source.transformations
        )
        for output, sources in column_map.outputs.items()
        for source in sources
        if source.dataset in names
    }


def _code(connection: Connection, before: StatedRun, after: StatedRun) -> Iterator[ComparedFacet]:
    fields = FIELDS.read(connection, (before.code, before.sql, after.code, after.sql))
    for name, old, new in (
        ("sourceCodeLocation", before.code, after.code),
        ("sql", before.sql, after.sql),
    ):
        if old != new:
            yield from _facet(
                name, fields.get(old or UNREPORTED, {}), fields.get(new or UNREPORTED, {})
            )


def _run_facets(connection: Connection, before: bytes, after: bytes) -> Iterator[ComparedFacet]:
    facets = read_facets(connection, (before, after), Slot.RUN)
    old, new = facets.get(before, {}), facets.get(after, {})
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was != now:
            yield from _facet(name, read_fields(was or b"{}"), read_fields(now or b"{}"))


def _facet(name: str, before: dict[str, Any], after: dict[str, Any]) -> Iterator[ComparedFacet]:
    for field, change, was, now in _differences(before, after):
        if field not in _ABOUT_FACETS:
            yield ComparedFacet(name, field, change, was, now)


def _counters(pair: _Pair) -> Iterator[CountedDataset]:
    for key in pair.ordered():
        sides = [
            ComparedCounters(use.rows, use.bytes, use.files) if use else None
            for use in (pair.before.get(key), pair.after.get(key))
        ]
        yield CountedDataset(dataset_node_id(*pair.names[key[0]]), _WAYS[key[1]], *sides)


def _run(run: RunRecord) -> ComparedRun:
    duration = None
    if run.ended_at is not None and run.started_at is not None:
        duration = max(0, run.ended_at - run.started_at) // 1_000
    return ComparedRun(
        run.id,
        run.state,
        _instant(run.created_at),
        _instant(run.started_at),
        _instant(run.ended_at),
        duration,
        _instant(run.nominal_start),
        _instant(run.nominal_end),
    )


def _instant(time: int | None) -> str | None:
    return None if time is None else format_instant(time)
