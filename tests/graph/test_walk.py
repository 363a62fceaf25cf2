"""How far walks go and how much they find, on graphs that are deep, wide or all one node."""

from collections import Counter

import pytest

from headwater.graph import aliases
from headwater.graph.answer import Graph, Side, Towards
from headwater.graph.column_graph import ColumnKey
from headwater.graph.columns import walk_columns
from headwater.graph.edge_rules import EdgeKind
from headwater.graph.view import View
from headwater.graph.walk import Limits, walk_from_dataset, walk_from_job
from headwater.model.relations import Direction
from headwater.model.uses import NOW
from headwater.store.lineage import uses
from testing.events.history import dataset as described
from testing.events.history import describe, run
from tests.graph.bulk import JobUses, counted, dataset, filled, job
from tests.graph.lineage import ALL, Lineage, Tell
from tests.store.stores import Store

UP, DOWN = Side.UPSTREAM, Side.DOWNSTREAM


def chain(tell: Tell) -> Lineage:
    """a -> one -> b -> two -> c -> three -> d"""
    return tell(
        run("one", "COMPLETE", 0, 1, ["a"], ["b"]),
        run("two", "COMPLETE", 0, 2, ["b"], ["c"]),
        run("three", "COMPLETE", 0, 3, ["c"], ["d"]),
    )


def down(reader_view: View, name: str, depth: int = 10**9, nodes: int = 10**9) -> Graph:
    return walk_from_dataset(reader_view, dataset(name), Towards.DOWNSTREAM, Limits(depth, nodes))


@pytest.mark.slow
class TestDepth:
    @pytest.mark.parametrize(
        ("depth", "nodes", "more"),
        [
            (0, {"d": 0}, {("d", UP): 1}),
            (1, {"d": 0, "three": 1, "c": 1}, {("c", UP): 1}),
            (2, {"d": 0, "three": 1, "c": 1, "two": 2, "b": 2}, {("b", UP): 1}),
        ],
    )
    def test_it_is_the_number_of_jobs_between(
        self, tell: Tell, depth: int, nodes: dict[str, int], more: dict[tuple[str, Side], int]
    ) -> None:
        lineage = chain(tell)
        graph = lineage.walk("d", Towards.UPSTREAM, limits=Limits(depth, 100))
        assert lineage.nodes(graph) == nodes
        assert lineage.more(graph) == more
        assert graph.is_cut

    @pytest.mark.parametrize("depth", [3, 10**9])
    def test_a_walk_that_is_deep_enough_finds_all(self, tell: Tell, depth: int) -> None:
        lineage = chain(tell)
        graph = lineage.walk("a", Towards.DOWNSTREAM, limits=Limits(depth, 100))
        assert len(graph) == 7
        assert lineage.nodes(graph)["d"] == 3
        assert not graph.is_cut

    def test_the_datasets_of_a_job_are_no_step_away(self, tell: Tell) -> None:
        lineage = chain(tell)
        view = lineage.view()
        graph = walk_from_job(view, job("two"), Towards.BOTH, Limits(0, 100))
        assert lineage.nodes(graph) == {"two": 0, "b": 0, "c": 0}
        assert lineage.more(graph) == {("b", UP): 1, ("c", DOWN): 1}

    def test_both_ways_do_not_turn_and_connected_does(self, tell: Tell) -> None:
        lineage = tell(
            run("one", "COMPLETE", 0, 1, ["a"], ["b"]),
            run("two", "COMPLETE", 0, 2, ["b", "x"], ["c"]),
            run("three", "COMPLETE", 0, 3, ["a"], ["y"]),
        )
        both = lineage.nodes(lineage.walk("b", Towards.BOTH))
        assert set(both) == {"a", "one", "b", "two", "c"}
        connected = lineage.nodes(lineage.walk("b", Towards.CONNECTED))
        assert set(connected) == {*both, "x", "three", "y"}

    def test_what_a_table_was_renamed_from_is_counted_beyond_the_depth(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            describe(10, described("sums", renamed_from="totals")),
        )
        deep = lineage.walk("sums", Towards.UPSTREAM, limits=Limits(1, 100))
        assert "totals" in lineage.nodes(deep)
        flat = lineage.walk("sums", Towards.UPSTREAM, limits=Limits(0, 100))
        assert lineage.more(flat) == {("sums", UP): 1}

    def test_a_job_that_is_there_by_its_past_is_counted_for_what_it_does_now(
        self, tell: Tell
    ) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"]),
            run("load", "COMPLETE", 10, 2, ["c"], ["a"]),
        )
        assert set(lineage.nodes(lineage.walk("b", Towards.UPSTREAM))) == {"a", "b", "c", "load"}
        graph = lineage.walk("b", Towards.UPSTREAM, limits=Limits(1, 100))
        assert set(lineage.nodes(graph)) == {"a", "b", "load"}
        assert graph.is_cut

    @pytest.mark.parametrize(("depth", "count"), [(0, 1), (1, 2), (2, 3), (10**9, 4)])
    def test_it_is_the_same_for_columns(self, tell: Tell, depth: int, count: int) -> None:
        lineage = chain(tell)
        start = ColumnKey(dataset("a"), "x")
        graph = walk_columns(lineage.view(), [start], Towards.DOWNSTREAM, Limits(depth, 100))
        assert len(graph) == count
        assert graph.is_cut == (count < 4)
        assert sum(graph.more.values()) == (count < 4)

    def test_a_chain_of_two_thousand_jobs_is_walked_to_its_end(self, sqlite_store: Store) -> None:
        length = 2_000
        jobs = [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(length)]
        with filled(sqlite_store, jobs) as reader, counted(sqlite_store) as statements:
            graph = down(View(reader, NOW), "d0")
        assert (len(graph.jobs), len(graph.datasets)) == (length, length + 1)
        assert graph.datasets[dataset(f"d{length}")] == length
        assert not graph.is_cut
        assert len(statements) <= 6 * length

    def test_a_column_goes_to_the_end_of_a_chain_of_two_thousand_jobs(
        self, sqlite_store: Store
    ) -> None:
        length = 2_000
        jobs = [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(length)]
        with filled(sqlite_store, jobs) as reader:
            start = ColumnKey(dataset(f"d{length}"), "x")
            graph = walk_columns(View(reader, NOW), [start], Towards.UPSTREAM, ALL)
        assert len(graph) == length + 1
        assert graph.columns[ColumnKey(dataset("d0"), "")] == length


class TestLimits:
    """`hub` has ten readers that each write a table; `calm` has one; `start` feeds both."""

    JOBS = [
        ("begin", ["start"], ["hub", "calm"]),
        *((f"r{number}", ["hub"], [f"t{number}"]) for number in range(10)),
        ("quiet", ["calm"], ["end"]),
    ]

    @pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6, 8, 13, 20, 26, 27, 1_000])
    def test_every_neighbour_is_in_the_answer_or_counted(
        self, sqlite_store: Store, limit: int
    ) -> None:
        with filled(sqlite_store, self.JOBS) as reader:
            whole = down(View(reader, NOW), "start")
            graph = down(View(reader, NOW), "start", nodes=limit)
        assert len(whole) == 26
        assert min(limit, 26) // 2 < len(graph) <= limit
        assert graph.is_cut == (limit < 26)
        assert set(graph.edges) <= set(whole.edges)
        reached = {graph.starts[0], *(edge.destination for edge in graph.edges)}
        assert reached == {*graph.datasets, *graph.jobs}
        for node in reached:
            shown = {edge.destination for edge in graph.edges if edge.origin == node}
            there = {edge.destination for edge in whole.edges if edge.origin == node}
            missing = len(there - {*graph.datasets, *graph.jobs})
            assert graph.more.get((node, DOWN), 0) == missing
            assert len(shown) + missing == len(there)

    def test_a_crowd_does_not_push_out_the_few(self, sqlite_store: Store) -> None:
        with filled(sqlite_store, self.JOBS) as reader:
            graph = down(View(reader, NOW), "start", nodes=10)
        assert job("quiet") in graph.jobs
        assert dataset("end") in graph.datasets

    def test_a_crowd_leaves_room_to_what_lies_behind_it(self, sqlite_store: Store) -> None:
        jobs = [(f"r{number}", ["hub"], [f"t{number}"]) for number in range(100)]
        with filled(sqlite_store, jobs) as reader:
            deep = down(View(reader, NOW), "hub", nodes=41)
            flat = walk_from_dataset(
                View(reader, NOW), dataset("hub"), Towards.DOWNSTREAM, Limits(1, 41)
            )
        assert len(deep) == 41
        assert len(deep.jobs) == len(deep.datasets) - 1 == 20
        assert len(flat) == 41
        assert flat.more[dataset("hub"), DOWN] == 100 - len(flat.jobs)

    def test_columns_are_cut_and_counted_alike(self, sqlite_store: Store) -> None:
        jobs = [(f"r{number}", ["hub"], [f"t{number}"]) for number in range(100)]
        start = ColumnKey(dataset("hub"), "x")
        with filled(sqlite_store, jobs) as reader:
            graph = walk_columns(View(reader, NOW), [start], Towards.DOWNSTREAM, Limits(1, 31))
        assert len(graph) == 31
        assert graph.more == {(start, DOWN): 70}
        assert len(graph.edges) == 30


@pytest.mark.slow
class TestHubs:
    READERS = 20_000

    def test_twenty_thousand_readers_are_counted_and_some_shown(self, sqlite_store: Store) -> None:
        jobs = [(f"r{number}", ["hub"], [f"t{number}"]) for number in range(self.READERS)]
        with filled(sqlite_store, jobs) as reader, counted(sqlite_store) as statements:
            graph = down(View(reader, NOW), "hub", nodes=1_000)
        assert 500 < len(graph) <= 1_000
        assert graph.more[dataset("hub"), DOWN] == self.READERS - len(graph.jobs)
        assert set(graph.edges.values()) == {EdgeKind.OBSERVED}
        assert len(statements) < 200

    def test_readers_with_several_uses_each_are_not_requested_one_by_one(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The uses of a hub's readers are more than one level may have; the readers are not."""
        monkeypatch.setattr(uses, "MOST_USES", 5_000)
        jobs = [(f"r{number}", ["hub"], [f"t{number}", f"u{number}"]) for number in range(2_000)]
        with filled(sqlite_store, jobs) as reader, counted(sqlite_store) as statements:
            graph = down(View(reader, NOW), "hub", nodes=100)
        assert 50 < len(graph) <= 100
        assert graph.more[dataset("hub"), DOWN] == 2_000 - len(graph.jobs)
        assert len(statements) < 200

    def test_readers_that_are_not_read_at_all_are_counted_with_those_cut(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 100)
        jobs: list[JobUses] = [(f"r{number}", ["hub"], []) for number in range(500)]
        with filled(sqlite_store, jobs) as reader:
            whole = down(View(reader, NOW), "hub")
            graph = down(View(reader, NOW), "hub", nodes=51)
        assert len(whole.jobs) == 100
        assert whole.more == {(dataset("hub"), DOWN): 400}
        assert graph.more == {(dataset("hub"), DOWN): 500 - len(graph.jobs)}

    def test_columns_of_readers_that_are_not_read_are_counted_too(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 100)
        jobs = [(f"r{number}", ["hub"], [f"t{number}"]) for number in range(500)]
        start = ColumnKey(dataset("hub"), "x")
        with filled(sqlite_store, jobs) as reader:
            graph = walk_columns(View(reader, NOW), [start], Towards.DOWNSTREAM, Limits(1, 1_000))
        assert graph.more == {(start, DOWN): 501 - len(graph)}

    def test_outputs_that_are_not_read_at_all_are_counted(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 100)
        jobs = [("write", ["in"], [f"t{number}" for number in range(500)])]
        with filled(sqlite_store, jobs) as reader:
            graph = walk_from_job(View(reader, NOW), job("write"), Towards.DOWNSTREAM, ALL)
        assert graph.more == {(job("write"), DOWN): 500 - len(graph.datasets)}

    def test_a_hub_beside_others_leaves_them_their_share(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 100)
        jobs = [
            ("begin", ["start"], ["hub", "calm"]),
            *((f"r{number}", ["hub"], []) for number in range(500)),
            *((f"q{number}", ["calm"], []) for number in range(5)),
        ]
        with filled(sqlite_store, jobs) as reader:
            graph = down(View(reader, NOW), "start")
        assert {job(f"q{number}") for number in range(5)} <= graph.jobs.keys()
        readers = len(graph.jobs) - 6
        assert 40 <= readers <= 100
        assert graph.more == {(dataset("hub"), DOWN): 500 - readers}

    def test_what_was_left_out_is_counted_once(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 10)
        jobs: list[JobUses] = [(f"r{number}", ["hub"], []) for number in range(50)]
        with filled(sqlite_store, jobs) as reader:
            view = View(reader, NOW)
            view.load_users([dataset("hub")], [Direction.INPUT])
            once = dict(view.left_out)
            view.load_users([dataset("hub")], Direction)
        assert once == {(dataset("hub"), Direction.INPUT): 40}
        assert view.left_out == once

    def test_the_writer_of_a_dataset_is_found_however_many_it_writes(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(uses, "MOST_USES", 10)
        jobs = [("write", ["in"], [f"t{number}" for number in range(50)])]
        with filled(sqlite_store, jobs) as reader:
            lineage = Lineage(reader)
            for number in range(50):
                found = lineage.upstream(f"t{number}")
                assert found == {"in -> write", f"write -> t{number}"}

    def test_a_use_described_in_many_ways_stands_by_its_newest(
        self, sqlite_store: Store, tell: Tell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each run saw another schema: more descriptions than one level may have."""
        monkeypatch.setattr(uses, "MOST_USES", 4)
        lineage = tell(
            *(
                run("load", "COMPLETE", at, at, [described("orders", schema=f"c{at}")], ["totals"])
                for at in range(1, 13)
            )
        )
        assert lineage.upstream("totals") == {"orders -> load", "load -> totals"}
        assert lineage.downstream("orders") == {"orders -> load", "load -> totals"}


class TestOneNode:
    """Every dataset is the same under another name."""

    COUNT = 300
    JOBS = [(f"j{step}", [f"d{step}"], [f"d{step + 1}"]) for step in range(COUNT)]
    ALIASES = [(f"d{step}", f"d{step + 1}") for step in range(COUNT)]

    @pytest.mark.parametrize("towards", Towards)
    def test_all_jobs_read_and_write_it(self, sqlite_store: Store, towards: Towards) -> None:
        with filled(sqlite_store, self.JOBS, self.ALIASES) as reader:
            view = View(reader, NOW)
            graph = walk_from_dataset(view, dataset("d7"), towards, ALL)
            column_graph = walk_columns(view, [ColumnKey(dataset("d7"), "x")], towards, ALL)
        (node,) = graph.datasets
        assert len(graph.jobs) == self.COUNT
        assert set(graph.edges) == {
            edge for each in graph.jobs for edge in ((node, each), (each, node))
        }
        assert not graph.is_cut
        assert {column.dataset for column in column_graph.columns} == {node}

    def test_any_name_is_a_start(self, sqlite_store: Store) -> None:
        with filled(sqlite_store, self.JOBS, self.ALIASES) as reader:
            starts = {down(View(reader, NOW), f"d{step}", depth=0).starts for step in (0, 150, 300)}
        assert len(starts) == 1

    def test_more_names_than_can_be_followed_stand_by_themselves(
        self, sqlite_store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(aliases, "MOST_NAMES", 10)
        with filled(sqlite_store, self.JOBS, self.ALIASES) as reader:
            view = View(reader, NOW)
            graph = walk_from_dataset(view, dataset("d0"), Towards.CONNECTED, ALL)
        assert view.classes.is_cut
        assert len(graph.jobs) == self.COUNT
        assert len(graph.datasets) >= self.COUNT // 10

    @pytest.mark.parametrize("by", ["job", "dataset"])
    def test_the_share_of_one_is_its_own(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, by: uses.By
    ) -> None:
        """Forty jobs use the same forty datasets: of ten of them each, nobody else's uses come."""
        monkeypatch.setattr(uses, "MOST_USES", 400)
        tables = [f"t{number}" for number in range(40)]
        jobs: list[JobUses] = [(f"r{number}", tables, []) for number in range(40)]
        ids = [job(f"r{n}") if by == "job" else dataset(f"t{n}") for n in range(40)]
        with filled(store, jobs), store.engine.connect() as connection:
            found, left_out = uses.read_uses(connection, by, ids, [Direction.INPUT], NOW)
        assert len(found) == len({(use.job, use.dataset) for use in found}) == 400
        shares = Counter(use.job if by == "job" else use.dataset for use in found)
        assert shares == dict.fromkeys(ids, 10)
        assert left_out == {(id, Direction.INPUT): 30 for id in ids}
