"""What holds of lineage whatever happened: up is the inverse of down, and every reader agrees."""

from collections.abc import Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from headwater.graph.answer import Graph, Towards
from headwater.graph.column_graph import ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.reader import Reader
from headwater.graph.view import View
from headwater.graph.walk import Limits, walk_from_dataset, walk_from_job
from headwater.model.relations import Direction
from headwater.model.uses import NOW, Use
from headwater.model.values.field_paths import is_inside
from headwater.model.values.ids import dataset_id, job_id
from headwater.store.lineage.graph_reader import StoreReader
from testing.events.full import Json
from testing.events.history import JOBS, TABLES, minute
from tests.graph import histories
from tests.graph.lineage import ALL, Lineage, facts_of, memory_reader
from tests.graph.memory_reader import MemoryReader
from tests.store.stores import Store

DATASET_IDS = [dataset_id(TABLES, name) for name in histories.DATASETS]
ALL_COLUMNS = [ColumnKey(dataset, name) for dataset in DATASET_IDS for name in histories.COLUMNS]
ALL_NESTED = [ColumnKey(dataset, name) for dataset in DATASET_IDS for name in histories.NESTED]
JOB_IDS = [job_id(JOBS, name) for name in histories.JOBS]
ASKED = (None, -1, *range(histories.LAST + 1))
TIMES = st.sampled_from(ASKED)
CHECKED = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def view_of(reader: Reader, as_of: float | None) -> View:
    return Lineage(reader).view(as_of)


def walks(view: View, towards: Towards, limits: Limits = ALL) -> dict[bytes, Graph]:
    """A walk from every node there is, by the name that stands for it."""
    found = [walk_from_dataset(view, dataset, towards, limits) for dataset in DATASET_IDS]
    found += [walk_from_job(view, job, towards, limits) for job in JOB_IDS]
    return {graph.starts[0]: graph for graph in found}


def reached(graphs: dict[bytes, Graph]) -> set[tuple[bytes, bytes]]:
    return {
        (start, node) for start, graph in graphs.items() for node in (*graph.datasets, *graph.jobs)
    }


def answers(reader: Reader, as_of: float | None, limits: Limits) -> Any:
    """All there is to ask of the graph."""
    return {
        (towards, start): (graph.datasets, graph.jobs, graph.edges, graph.more, graph.gaps)
        for towards in Towards
        for start, graph in walks(view_of(reader, as_of), towards, limits).items()
    }


def edges(reader: Reader, as_of: float | None) -> Any:
    """All edges up and down from each node."""
    found = walks(view_of(reader, as_of), Towards.BOTH)
    return {start: graph.edges for start, graph in found.items()}


def column_answers(
    reader: Reader, as_of: float | None, columns: Iterable[ColumnKey] = ALL_COLUMNS
) -> Any:
    """All edges up and down from each column, and what is not known there."""
    view = view_of(reader, as_of)
    graphs = {start: walk_columns(view, [start], Towards.BOTH, ALL) for start in columns}
    return {
        start: (
            {ends: set(some) for ends, some in graph.edges.items()},
            graph.more,
            graph.gaps,
            graph.incomplete,
        )
        for start, graph in graphs.items()
    }


@CHECKED
@given(events=histories.histories(), as_of=TIMES)
def test_upstream_is_the_inverse_of_downstream(events: list[Json], as_of: float | None) -> None:
    reader = memory_reader(facts_of(events))
    up = reached(walks(view_of(reader, as_of), Towards.UPSTREAM))
    down = reached(walks(view_of(reader, as_of), Towards.DOWNSTREAM))
    assert up == {(node, start) for start, node in down}


@CHECKED
@given(events=histories.histories(), as_of=TIMES)
def test_what_a_view_remembers_does_not_change_its_answers(
    events: list[Json], as_of: float | None
) -> None:
    reader = memory_reader(facts_of(events))
    shared = view_of(reader, as_of)
    for towards in Towards:
        for dataset in DATASET_IDS:
            again = walk_from_dataset(shared, dataset, towards, ALL)
            assert again == walk_from_dataset(view_of(reader, as_of), dataset, towards, ALL)


@CHECKED
@given(
    events=histories.histories(),
    as_of=TIMES,
    towards=st.sampled_from(Towards),
    limits=st.builds(Limits, st.integers(0, 3), st.integers(1, 8)),
)
def test_an_answer_says_whether_there_is_more(
    events: list[Json], as_of: float | None, towards: Towards, limits: Limits
) -> None:
    reader = memory_reader(facts_of(events))
    whole = walks(view_of(reader, as_of), towards)
    for start, graph in walks(view_of(reader, as_of), towards, limits).items():
        assert len(graph) <= limits.nodes
        assert graph.edges.keys() <= whole[start].edges.keys()
        assert graph.is_cut == (len(graph) < len(whole[start]))


@CHECKED
@given(events=histories.histories())
def test_as_of_the_last_event_is_now(events: list[Json]) -> None:
    reader = memory_reader(facts_of(events))
    assert edges(reader, histories.LAST) == edges(reader, None)


@CHECKED
@given(events=histories.orderly_histories(), as_of=TIMES)
def test_as_of_a_time_is_as_if_nothing_had_come_later(
    events: list[Json], as_of: float | None
) -> None:
    """For runs that do not overlap; of those that do, it is known later that they went on."""
    then = NOW if as_of is None else minute(as_of)
    stated = facts_of(events)
    earlier = [facts for facts in stated if facts.rows["event"][0][0] <= then]
    assert edges(memory_reader(stated), as_of) == edges(memory_reader(earlier), None)


@settings(CHECKED, max_examples=60)
@given(
    events=histories.histories(),
    as_of=TIMES,
    limits=st.sampled_from((ALL, Limits(1, 100), Limits(2, 3), Limits(9, 5))),
    data=st.data(),
)
def test_a_store_answers_as_memory_does_whatever_the_order_of_arrival(
    store: Store, events: list[Json], as_of: float | None, limits: Limits, data: DataObject
) -> None:
    stated = facts_of(events)
    in_memory = memory_reader(stated)
    order = data.draw(st.permutations(stated))
    cut = data.draw(st.integers(0, len(order)))
    store.empty()
    for batch in (order[:cut], order[cut:]):
        store.writer.write(batch)
    with store.engine.connect() as connection:
        stored = StoreReader(connection)
        compare_readers(stored, in_memory, NOW if as_of is None else minute(as_of))
        assert answers(stored, as_of, limits) == answers(in_memory, as_of, limits)
        assert column_answers(stored, as_of) == column_answers(in_memory, as_of)


@settings(CHECKED, max_examples=40)
@given(events=histories.nested_histories(), as_of=TIMES)
def test_a_store_answers_as_memory_does_for_nested_fields(
    store: Store, events: list[Json], as_of: float | None
) -> None:
    stated = facts_of(events)
    store.empty()
    store.writer.write(stated)
    with store.engine.connect() as connection:
        found = column_answers(StoreReader(connection), as_of, ALL_NESTED)
        assert found == column_answers(memory_reader(stated), as_of, ALL_NESTED)


def compare_readers(found: Reader, expected: MemoryReader, at: int) -> None:
    """Ask both for everything."""
    ids = [*DATASET_IDS, *JOB_IDS]
    uses = expected.uses_of_jobs(JOB_IDS, at)
    assert same(found.uses_of_jobs(JOB_IDS, at).rows, uses.rows)
    for first in Direction:
        for last in Direction:
            ways = [way for way in Direction if first <= way <= last]
            if ways:
                read = found.uses_of_datasets(DATASET_IDS, ways, at)
                assert same(read.rows, expected.uses_of_datasets(DATASET_IDS, ways, at).rows)
                assert read.left_out == {}
    executions = expected.executions(JOB_IDS, at)
    assert found.executions(JOB_IDS, at) == executions
    for execution in executions.values():
        assert found.snapshot(execution, at) == expected.snapshot(execution, at)
    assert found.stated_inputs(DATASET_IDS) == expected.stated_inputs(DATASET_IDS)
    assert sorted(found.aliases(DATASET_IDS)) == sorted(expected.aliases(DATASET_IDS))
    assert found.first_used(DATASET_IDS) == expected.first_used(DATASET_IDS)
    assert found.successions(DATASET_IDS, at) == expected.successions(DATASET_IDS, at)
    assert found.parts_of_streams(ids) == expected.parts_of_streams(ids)
    words = found.deletions(ids, at)
    assert words == expected.deletions(ids, at)
    for id, (since, _) in words.items():
        assert found.is_seen(id, since, at) == expected.is_seen(id, since, at)
    assert found.dataset_names(ids) == expected.dataset_names(ids)
    assert found.job_names(ids) == expected.job_names(ids)
    assert found.parents(ids) == expected.parents(ids)
    assert found.unseen_jobs(ids, at) == expected.unseen_jobs(ids, at)
    assert found.newest_runs(ids, at) == expected.newest_runs(ids, at)
    assert found.lifecycles(ids, at) == expected.lifecycles(ids, at)
    reports = expected.gap_reports(JOB_IDS, at)
    assert sorted(found.gap_reports(JOB_IDS, at)) == sorted(reports)
    lists = {report.gaps for report in reports}
    assert found.gap_lists(lists) == expected.gap_lists(lists)
    schemas = {use.schema for use in uses.rows}
    assert found.column_types(schemas) == expected.column_types(schemas)
    maps = {use.columns for use in uses.rows}
    assert found.column_maps(maps) == expected.column_maps(maps)


def same(found: list[Use], expected: list[Use]) -> bool:
    return sorted(map(tuple, found)) == sorted(map(tuple, expected))


def column_pairs(
    reader: Reader, as_of: float | None, starts: Iterable[ColumnKey], towards: Towards, depth: int
) -> set[tuple[ColumnKey, ColumnKey]]:
    limits = Limits(depth, 10**9)
    view = view_of(reader, as_of)
    graphs = [walk_columns(view, [start], towards, limits) for start in starts]
    return {(graph.starts[0], column) for graph in graphs for column in graph.columns}


@CHECKED
@given(events=histories.mapped_histories(), as_of=TIMES)
def test_columns_up_are_the_inverse_of_columns_down_where_all_state_maps(
    events: list[Json], as_of: float | None
) -> None:
    reader = memory_reader(facts_of(events))
    up = column_pairs(reader, as_of, ALL_COLUMNS, Towards.UPSTREAM, 10**9)
    down = column_pairs(reader, as_of, ALL_COLUMNS, Towards.DOWNSTREAM, 10**9)
    assert up == {(column, start) for start, column in down}


@CHECKED
@given(events=histories.histories(), as_of=TIMES)
def test_columns_one_step_up_and_down_differ_only_by_whole_datasets(
    events: list[Json], as_of: float | None
) -> None:
    """Further than a step a whole dataset stands for columns that are not on the way back."""
    reader = memory_reader(facts_of(events))
    starts = [*ALL_COLUMNS, *(ColumnKey(dataset, "") for dataset in DATASET_IDS)]
    up = column_pairs(reader, as_of, starts, Towards.UPSTREAM, 1)
    down = column_pairs(reader, as_of, starts, Towards.DOWNSTREAM, 1)
    for start, source in up:
        assert is_covered(start, {column for other, column in down if other == source})
    for start, target in down:
        assert is_covered(start, {column for other, column in up if other == target})


@CHECKED
@given(events=histories.nested_histories(), as_of=TIMES)
def test_nested_fields_one_step_up_and_down_differ_only_by_what_lies_inside(
    events: list[Json], as_of: float | None
) -> None:
    """What is found one way is found the other way, as itself, around it or inside it."""
    reader = memory_reader(facts_of(events))
    up = column_pairs(reader, as_of, ALL_NESTED, Towards.UPSTREAM, 1)
    down = column_pairs(reader, as_of, ALL_NESTED, Towards.DOWNSTREAM, 1)
    for start, source in up:
        if source in ALL_NESTED:
            assert is_near(start, {column for other, column in down if other == source})
    for start, target in down:
        if target in ALL_NESTED:
            assert is_near(start, {column for other, column in up if other == target})


def is_near(column: ColumnKey, found: set[ColumnKey]) -> bool:
    return any(
        other.dataset == column.dataset
        and (
            other.name == column.name
            or is_inside(other.name, column.name)
            or is_inside(column.name, other.name)
        )
        for other in found
    )


def is_covered(column: ColumnKey, found: set[ColumnKey]) -> bool:
    """Whether a column is found, by its name or with its dataset; of a whole dataset, any."""
    if not column.name:
        return any(other.dataset == column.dataset for other in found)
    return column in found or column._replace(name="") in found
