"""Each rule of what is derived when read, with the events that show it, as of several times."""

import pytest

from testing.events.full import Json
from testing.events.history import (
    SNAPSHOTS,
    dataset,
    declare,
    delete_dataset,
    delete_job,
    describe,
    edit,
    join,
    run,
)
from tests.graph.lineage import Lineage, Tell

LOADED = {"orders -> load", "load -> totals"}


class TestFromWhenLineageIsThere:
    def test_it_shows_from_start(self, tell: Tell) -> None:
        lineage = tell(run("load", "START", 0, 1, ["orders"], ["totals"]))
        assert lineage.upstream("totals", as_of=0) == LOADED
        assert lineage.downstream("orders", as_of=0) == LOADED
        assert lineage.upstream("totals") == LOADED

    def test_it_shows_from_the_first_running_where_start_names_nothing(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1),
            run("load", "RUNNING", 5, 1, ["orders"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=4.9) == set()
        assert lineage.upstream("totals", as_of=5) == LOADED
        assert lineage.upstream("totals") == LOADED

    def test_it_shows_from_complete_where_nothing_was_named_before(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1),
            run("load", "COMPLETE", 5, 1, ["orders"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=4) == set()
        assert lineage.upstream("totals", as_of=6) == LOADED

    def test_there_is_nothing_before_the_first_event(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], [dataset("totals", columns={"a": ["orders.b"]})])
        )
        assert lineage.upstream("totals", as_of=-0.1) == set()
        assert lineage.downstream("orders", as_of=-0.1) == set()
        assert lineage.of_job("load", as_of=-0.1) == set()
        assert lineage.columns_upstream("totals", "a", as_of=-0.1) == set()

    def test_inputs_and_outputs_may_come_in_different_events(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"]),
            run("load", "COMPLETE", 5, 1, [], ["totals"]),
        )
        assert lineage.downstream("orders", as_of=1) == {"orders -> load"}
        assert lineage.upstream("totals", as_of=5) == LOADED

    def test_what_is_not_in_the_store_has_no_lineage(self, tell: Tell) -> None:
        lineage = tell(run("load", "START", 0, 1, ["orders"], ["totals"]))
        assert lineage.upstream("elsewhere") == set()
        assert lineage.of_job("elsewhere") == set()


class TestWhatErasesNothing:
    def test_a_bare_complete(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 10, 1),
        )
        assert lineage.upstream("totals", as_of=10) == LOADED
        assert lineage.upstream("totals") == LOADED

    @pytest.mark.parametrize("job_type", [None, SNAPSHOTS])
    def test_a_checkpoint_without_datasets(self, tell: Tell, job_type: Json | None) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"], job_type=job_type),
            run("load", "RUNNING", 5, 1, job_type=job_type),
        )
        assert lineage.upstream("totals", as_of=5) == LOADED
        assert lineage.upstream("totals") == LOADED

    def test_a_next_run_that_has_named_nothing_yet(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 5, 1),
            run("load", "START", 10, 2),
            run("load", "RUNNING", 20, 2, ["customers"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=20) == {"customers -> load", "load -> totals"}

    def test_a_failed_run_without_datasets(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load", "START", 10, 2),
            run("load", "FAIL", 11, 2),
        )
        assert lineage.upstream("totals") == LOADED


class TestOrderOfEvents:
    def test_complete_may_come_before_start(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 5, 1, [], ["totals"]),
            run("load", "START", 0, 1, ["orders"]),
        )
        assert lineage.upstream("totals", as_of=4) == set()
        assert lineage.downstream("orders", as_of=4) == {"orders -> load"}
        assert lineage.upstream("totals", as_of=5) == LOADED

    def test_complete_may_be_earlier_than_start_by_its_own_clock(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load", "START", 5, 1),
        )
        assert lineage.upstream("totals", as_of=2) == LOADED
        assert lineage.upstream("totals") == LOADED

    def test_a_late_event_of_an_older_run_is_history_only(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 5, 1),
            run("load", "COMPLETE", 10, 2, ["customers"], ["totals"]),
            run("load", "RUNNING", 4, 1, ["extra"], ["totals"]),
        )
        assert lineage.upstream("totals") == {"customers -> load", "load -> totals"}
        assert lineage.upstream("totals", as_of=3) == LOADED
        assert lineage.upstream("totals", as_of=9) == LOADED | {"extra -> load"}
        assert lineage.downstream("extra") == set()

    def test_a_next_run_replaces_what_the_last_one_read(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["orders", "customers"], ["totals"]),
            run("load", "COMPLETE", 20, 3, ["orders", "rates"], ["totals"]),
        )
        by_rates = LOADED | {"rates -> load"}
        by_customers = LOADED | {"customers -> load"}
        assert lineage.upstream("totals", as_of=5) == by_rates
        assert lineage.upstream("totals", as_of=10) == by_customers
        assert lineage.upstream("totals", as_of=15) == by_customers
        assert lineage.upstream("totals", as_of=20) == by_rates
        assert lineage.downstream("rates", as_of=15) == set()
        assert lineage.downstream("customers") == set()


class TestSnapshots:
    """A job whose events each name everything drops what the newest no longer names."""

    def topics(self, tell: Tell, job_type: Json | None) -> Lineage:
        lineage = [
            run("match", "START", 0, 1, ["t1"], ["all"], job_type=job_type),
            run("match", "RUNNING", 10, 1, ["t1", "t2"], ["all"], job_type=job_type),
            run("match", "RUNNING", 20, 1, ["t2"], ["all"], job_type=job_type),
            run("match", "RUNNING", 30, 1, ["t2", "t3"], ["all"], job_type=job_type),
        ]
        return tell(*lineage)

    @pytest.mark.parametrize(
        ("as_of", "topics"),
        [(0, ["t1"]), (10, ["t1", "t2"]), (20, ["t2"]), (30, ["t2", "t3"]), (99, ["t2", "t3"])],
    )
    def test_a_topic_pattern_grows_and_shrinks(
        self, tell: Tell, as_of: float, topics: list[str]
    ) -> None:
        lineage = self.topics(tell, SNAPSHOTS)
        assert _sources(lineage.upstream("all", as_of=as_of)) == topics

    @pytest.mark.parametrize(("as_of", "topics"), [(5, ["t1"]), (15, ["t2"]), (25, ["t2"])])
    def test_between_two_snapshots_what_the_later_one_drops_is_gone(
        self, tell: Tell, as_of: float, topics: list[str]
    ) -> None:
        """When a snapshot was sent that left something out is not kept: decision 0010."""
        lineage = self.topics(tell, SNAPSHOTS)
        assert _sources(lineage.upstream("all", as_of=as_of)) == topics

    @pytest.mark.parametrize(
        ("as_of", "topics"),
        [(5, ["t1"]), (15, ["t1", "t2"]), (25, ["t1", "t2"]), (99, ["t1", "t2", "t3"])],
    )
    def test_without_the_pattern_nothing_is_dropped_inside_a_run(
        self, tell: Tell, as_of: float, topics: list[str]
    ) -> None:
        lineage = self.topics(tell, None)
        assert _sources(lineage.upstream("all", as_of=as_of)) == topics

    def test_a_topic_that_comes_back_counts_as_never_away(self, tell: Tell) -> None:
        """Of each dataset of a run the first and last time are kept: decision 0010."""
        lineage = tell(
            run("match", "START", 0, 1, ["t1", "t2"], ["all"], job_type=SNAPSHOTS),
            run("match", "RUNNING", 10, 1, ["t1"], ["all"], job_type=SNAPSHOTS),
            run("match", "RUNNING", 20, 1, ["t1", "t2"], ["all"], job_type=SNAPSHOTS),
        )
        assert _sources(lineage.upstream("all", as_of=0)) == ["t1", "t2"]
        assert _sources(lineage.upstream("all", as_of=10)) == ["t1", "t2"]
        assert _sources(lineage.upstream("all")) == ["t1", "t2"]

    def test_a_dropped_output_keeps_its_writer_of_the_past(self, tell: Tell) -> None:
        lineage = tell(
            run("match", "START", 0, 1, ["t1"], ["a", "b"], job_type=SNAPSHOTS),
            run("match", "RUNNING", 10, 1, ["t2"], ["a"], job_type=SNAPSHOTS),
        )
        assert lineage.upstream("b", as_of=0) == {"t1 -> match", "match -> b"}
        assert lineage.upstream("b") == {"t1 -> match (past)", "match -> b (past)"}
        assert lineage.upstream("a") == {"t2 -> match", "match -> a"}
        assert lineage.downstream("t1") == {"t1 -> match (past)", "match -> b (past)"}

    def test_two_runs_at_once_each_have_their_snapshot(self, tell: Tell) -> None:
        lineage = tell(
            run("match", "START", 0, 1, ["t1", "t2"], ["all"], job_type=SNAPSHOTS),
            run("match", "START", 10, 2, ["t3", "t4"], ["all"], job_type=SNAPSHOTS),
            run("match", "RUNNING", 20, 1, ["t1"], ["all"], job_type=SNAPSHOTS),
            run("match", "RUNNING", 30, 2, ["t4"], ["all"], job_type=SNAPSHOTS),
        )
        assert _sources(lineage.upstream("all", as_of=20)) == ["t1", "t4"]
        assert _sources(lineage.upstream("all")) == ["t1", "t4"]

    def test_batches_of_one_application_do_not_drop_each_other(self, tell: Tell) -> None:
        lineage = tell(
            run("match", "COMPLETE", 0, 1, ["t1"], ["a"], parent=90, job_type=SNAPSHOTS),
            run("match", "COMPLETE", 10, 2, ["t1"], ["b"], parent=90, job_type=SNAPSHOTS),
        )
        assert lineage.downstream("t1") == {"t1 -> match", "match -> a", "match -> b"}


class TestExecutions:
    def test_overlapping_runs_both_count_while_both_speak(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "START", 10, 2, ["customers"], ["totals"]),
            run("load", "COMPLETE", 20, 2, ["customers"], ["totals"]),
            run("load", "COMPLETE", 30, 1, ["orders"], ["totals"]),
        )
        both = LOADED | {"customers -> load"}
        assert lineage.upstream("totals", as_of=5) == LOADED
        assert lineage.upstream("totals", as_of=30) == both
        assert lineage.upstream("totals") == both

    def test_a_run_counts_for_all_the_time_that_it_lasts(self, tell: Tell) -> None:
        """As of 15, run 1 has been heard of before and is heard of after."""
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "START", 10, 2, ["customers"], ["totals"]),
            run("load", "COMPLETE", 30, 1, ["orders"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED | {"customers -> load"}

    def test_a_long_run_counts_beside_shorter_ones_of_the_same_use(self, tell: Tell) -> None:
        """As of 40, run 1 goes on reading orders, though run 2, which began later, has ended."""
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "START", 10, 2, ["orders"], ["totals"]),
            run("load", "COMPLETE", 15, 2),
            run("load", "START", 20, 3, ["customers"], ["totals"]),
            run("load", "COMPLETE", 60, 1, ["orders"], ["totals"]),
        )
        both = LOADED | {"customers -> load"}
        assert lineage.upstream("totals") == both
        assert lineage.upstream("totals", as_of=40) == both

    def test_one_application_that_writes_two_tables_is_one_execution(self, tell: Tell) -> None:
        lineage = tell(
            run("app.sql", "COMPLETE", 0, 1, ["orders"], ["totals"], parent=90),
            run("app.sql", "COMPLETE", 10, 2, ["customers"], ["names"], parent=90),
            run("app.sql", "COMPLETE", 100, 3, ["orders"], ["totals"], parent=91),
        )
        before = {"orders -> app.sql", "app.sql -> totals"}
        assert lineage.upstream("totals", as_of=5) == before
        assert lineage.upstream("totals", as_of=50) == before | {"customers -> app.sql"}
        assert lineage.upstream("names", as_of=50) == {
            "orders -> app.sql",
            "customers -> app.sql",
            "app.sql -> names",
        }
        assert lineage.upstream("totals") == before
        assert lineage.upstream("names") == {
            "orders -> app.sql (past)",
            "customers -> app.sql (past)",
            "app.sql -> names (past)",
        }

    def test_micro_batches_under_one_parent_are_one_execution(self, tell: Tell) -> None:
        batches = [
            run("query", kind, 10 * batch + (kind == "COMPLETE"), batch, ["clicks"], out, parent=90)
            for batch, out in enumerate([["good"], ["good", "bad"], ["good"]], start=1)
            for kind in ("START", "COMPLETE")
        ]
        lineage = tell(
            *batches,
            run("query", "START", 100, 50, ["clicks"], ["good"], parent=91),
        )
        good = {"clicks -> query", "query -> good"}
        assert lineage.downstream("clicks", as_of=15) == good
        assert lineage.downstream("clicks", as_of=25) == good | {"query -> bad"}
        assert lineage.downstream("clicks", as_of=40) == good | {"query -> bad"}
        assert lineage.upstream("bad", as_of=40) == {"clicks -> query", "query -> bad"}
        assert lineage.upstream("bad") == {"clicks -> query (past)", "query -> bad (past)"}
        assert lineage.downstream("clicks") == good | {"query -> bad (past)"}

    def test_runs_without_parent_are_each_their_own(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"], parent=90),
            run("load", "COMPLETE", 10, 2, ["customers"], ["totals"]),
        )
        assert lineage.upstream("totals") == {"customers -> load", "load -> totals"}

    def test_a_run_that_was_known_before_its_parent_is_part_of_it(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 1, 1, parent=90),
            run("load", "START", 10, 2, ["customers"], ["totals"], parent=90),
        )
        assert lineage.upstream("totals") == LOADED | {"customers -> load"}

    def test_two_jobs_that_use_one_run_id_both_keep_their_lineage(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("sum", "COMPLETE", 10, 1, ["totals"], ["report"]),
        )
        assert lineage.upstream("report") == LOADED | {"totals -> sum", "sum -> report"}

    def test_a_schema_that_changes_later_in_a_run_is_no_gap_before(self, tell: Tell) -> None:
        """As of 15, run 2 has said for five minutes that it reads orders."""
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [dataset("orders", schema="a")], ["totals"]),
            run("load", "START", 10, 2, [dataset("orders", schema="a")], ["totals"]),
            run("load", "RUNNING", 20, 2, [dataset("orders", schema="a")], ["totals"]),
            run("load", "RUNNING", 30, 2, [dataset("orders", schema="ab")], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=25) == LOADED
        assert lineage.upstream("totals") == LOADED


class TestPastWriters:
    def test_an_abandoned_output_keeps_the_execution_that_last_wrote_it(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["customers"], ["names"]),
        )
        past = {"orders -> load (past)", "load -> totals (past)"}
        now = {"customers -> load", "load -> names"}
        assert lineage.upstream("totals", as_of=5) == LOADED
        assert lineage.upstream("totals") == past
        assert lineage.downstream("orders") == past
        assert lineage.upstream("names") == now
        assert lineage.downstream("customers") == now
        assert lineage.of_job("load") == past | now
        assert lineage.of_job("load", as_of=5) == LOADED

    def test_what_lies_behind_a_past_execution_is_as_it_is_now(self, tell: Tell) -> None:
        lineage = tell(
            run("take", "COMPLETE", 0, 9, ["shop"], ["orders"]),
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["customers"], ["names"]),
            run("take", "COMPLETE", 20, 8, ["till"], ["orders"]),
        )
        past = {"orders -> load (past)", "load -> totals (past)"}
        assert lineage.upstream("totals") == past | {"till -> take", "take -> orders"}
        assert lineage.downstream("till") == past | {"till -> take", "take -> orders"}

    def test_another_writer_ends_the_past(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["orders"], ["names"]),
            run("sum", "COMPLETE", 20, 3, ["customers"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == {
            "orders -> load (past)",
            "load -> totals (past)",
        }
        assert lineage.upstream("totals") == {"customers -> sum", "sum -> totals"}
        assert lineage.downstream("orders") == {"orders -> load", "load -> names"}

    def test_of_several_past_writers_the_last_is_kept(self, tell: Tell) -> None:
        lineage = tell(
            run("one", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("two", "COMPLETE", 5, 2, ["customers"], ["totals"]),
            run("one", "COMPLETE", 10, 3, ["orders"], ["names"]),
            run("two", "COMPLETE", 10, 4, ["customers"], ["names"]),
        )
        assert lineage.upstream("totals") == {"customers -> two (past)", "two -> totals (past)"}

    def test_an_execution_is_kept_with_all_its_inputs(self, tell: Tell) -> None:
        """Run 1 named its output in its first event and an input in a later one."""
        lineage = tell(
            run("load", "START", 0, 1, ["rates"], ["totals"]),
            run("load", "COMPLETE", 5, 1, ["orders"]),
            run("load", "COMPLETE", 10, 2, ["customers"], ["names"]),
        )
        assert lineage.upstream("totals", as_of=5) == LOADED | {"rates -> load"}
        assert lineage.upstream("totals") == {
            "rates -> load (past)",
            "orders -> load (past)",
            "load -> totals (past)",
        }

    def test_two_outputs_may_be_left_at_different_times(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["x"], ["a"]),
            run("load", "COMPLETE", 10, 2, ["y"], ["b"]),
            run("load", "COMPLETE", 20, 3, ["z"], ["c"]),
        )
        assert lineage.of_job("load") == {
            "x -> load (past)",
            "load -> a (past)",
            "y -> load (past)",
            "load -> b (past)",
            "z -> load",
            "load -> c",
        }
        assert lineage.upstream("a") == {"x -> load (past)", "load -> a (past)"}
        assert lineage.upstream("b", as_of=15) == {"y -> load", "load -> b"}
        assert lineage.connected("a") == lineage.of_job("load")


class TestNames:
    def test_a_renamed_job_stands_beside_its_old_name(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("load v2", "COMPLETE", 10, 2, ["orders"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=5) == LOADED
        both = LOADED | {"orders -> load v2", "load v2 -> totals"}
        assert lineage.upstream("totals") == both
        assert lineage.downstream("orders") == both

    def test_a_symlink_learned_late_makes_one_history_of_two(self, tell: Tell) -> None:
        links = dataset("totals", symlinks=[("s3://lake|shop/totals", "TABLE")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("sum", "COMPLETE", 5, 2, ["s3://lake|shop/totals"], ["report"]),
            run("load", "COMPLETE", 10, 3, ["orders"], [links]),
        )
        whole = LOADED | {"totals -> sum", "sum -> report"}
        for as_of in (5, 10, None):
            assert lineage.upstream("report", as_of=as_of) == whole
            assert lineage.downstream("orders", as_of=as_of) == whole
        assert lineage.upstream("s3://lake|shop/totals", as_of=0) == LOADED

    def test_a_joined_node_shows_the_name_that_events_use(self, tell: Tell) -> None:
        links = dataset("s3://lake|shop/totals", symlinks=[("totals", "TABLE")])
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders"], [links]))
        assert lineage.upstream("totals") == {"orders -> load", "load -> s3://lake|shop/totals"}

    def test_one_event_may_use_both_names(self, tell: Tell) -> None:
        links = dataset("totals", symlinks=[("s3://lake|shop/totals", "TABLE")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [links, "s3://lake|shop/totals"]),
            run("sum", "COMPLETE", 0, 2, ["totals", "s3://lake|shop/totals"], ["report"]),
        )
        chosen = {edge for edge in lineage.upstream("report") if edge.startswith("load -> ")}
        assert len(chosen) == 1
        assert len(lineage.upstream("report")) == 4

    def test_a_location_joins_where_it_is_a_place_of_its_own(self, tell: Tell) -> None:
        links = dataset("totals", symlinks=[("s3://lake|shop/totals", "LOCATION")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [links]),
            run("sum", "COMPLETE", 5, 2, ["s3://lake|shop/totals"], ["report"]),
        )
        assert lineage.upstream("report") == LOADED | {"totals -> sum", "sum -> report"}

    def test_the_root_of_a_bucket_joins_nothing(self, tell: Tell) -> None:
        root = [("s3://lake|/", "LOCATION")]
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [dataset("totals", symlinks=root)]),
            run("name", "COMPLETE", 0, 2, ["customers"], [dataset("names", symlinks=root)]),
            run("sum", "COMPLETE", 5, 3, ["s3://lake|/"], ["report"]),
        )
        assert lineage.upstream("totals") == LOADED
        assert lineage.upstream("names") == {"customers -> name", "name -> names"}
        assert lineage.upstream("report") == {"s3://lake|/ -> sum", "sum -> report"}

    def test_a_person_cuts_a_join_and_makes_it_again(self, tell: Tell) -> None:
        links = dataset("totals", symlinks=[("s3://lake|shop/totals", "TABLE")])
        events = [
            run("load", "COMPLETE", 0, 1, ["orders"], [links]),
            run("sum", "COMPLETE", 5, 2, ["s3://lake|shop/totals"], ["report"]),
        ]
        joined = LOADED | {"totals -> sum", "sum -> report"}
        apart = {"s3://lake|shop/totals -> sum", "sum -> report"}
        cut = join(10, "totals", "s3://lake|shop/totals", "CUT")
        again = join(20, "s3://lake|shop/totals", "totals")
        said_again = run("load", "COMPLETE", 15, 3, ["orders"], [links])
        assert tell(*events).upstream("report") == joined
        assert tell(*events, cut).upstream("report") == apart
        assert tell(*events, cut, said_again).upstream("report") == apart
        assert tell(*events, cut, again).upstream("report") == joined
        assert tell(again, cut, *events).upstream("report") == joined

    def test_a_person_joins_what_no_event_does(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("sum", "COMPLETE", 5, 2, ["kafka://k|totals"], ["report"]),
            join(10, "kafka://k|totals", "totals"),
        )
        assert lineage.upstream("report") == LOADED | {"totals -> sum", "sum -> report"}

    def test_aliases_in_a_circle_are_one_node(self, tell: Tell) -> None:
        lineage = tell(
            run("in", "COMPLETE", 0, 1, ["orders"], [dataset("a", symlinks=[("b", "TABLE")])]),
            run("on", "COMPLETE", 1, 2, [dataset("b", symlinks=[("c", "TABLE")])], ["x"]),
            run("out", "COMPLETE", 2, 3, [dataset("c", symlinks=[("a", "TABLE")])], ["y"]),
        )
        expected = {"orders -> in", "in -> a", "a -> on", "on -> x", "a -> out", "out -> y"}
        assert lineage.downstream("orders") == expected
        for name in "abc":
            assert lineage.connected(name) == expected

    def test_an_alias_of_itself_is_harmless(self, tell: Tell) -> None:
        links = dataset("totals", symlinks=[("totals", "TABLE")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [links]), join(1, "totals", "totals")
        )
        assert lineage.upstream("totals") == LOADED


class TestLifecycle:
    def test_a_rename_is_followed_up_and_down_from_its_time_on(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            describe(10, dataset("sums", renamed_from="totals")),
            run("show", "COMPLETE", 20, 2, ["sums"], ["report"]),
        )
        renamed = "totals -> sums (succession)"
        shown = {"sums -> show", "show -> report"}
        assert lineage.upstream("sums", as_of=9) == set()
        assert lineage.upstream("sums", as_of=10) == LOADED | {renamed}
        assert lineage.upstream("report") == LOADED | shown | {renamed}
        assert lineage.downstream("orders", as_of=5) == LOADED
        assert lineage.downstream("orders", as_of=10) == LOADED | {renamed}
        assert lineage.downstream("orders") == LOADED | shown | {renamed}
        assert lineage.upstream("totals") == LOADED

    def test_a_rename_may_be_reported_by_the_run_that_did_it(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("alter", "COMPLETE", 10, 2, [], [dataset("sums", renamed_from="totals")]),
        )
        assert lineage.upstream("sums") == LOADED | {"totals -> sums (succession)", "alter -> sums"}

    def test_columns_keep_their_names_over_a_rename(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            describe(10, dataset("sums", renamed_from="totals")),
        )
        whole = {
            "orders.price -> totals.amount by load",
            "totals.amount -> sums.amount (succession)",
        }
        assert lineage.columns_upstream("sums", "amount") == whole
        assert lineage.columns_downstream("orders", "price") == whole
        assert lineage.columns_upstream("sums", "amount", as_of=9) == set()

    def test_a_table_renamed_there_and_back_is_no_endless_walk(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            describe(10, dataset("sums", renamed_from="totals")),
            describe(20, dataset("totals", renamed_from="sums")),
        )
        both = {"totals -> sums (succession)", "sums -> totals (succession)"}
        assert lineage.upstream("totals") == LOADED | both
        assert lineage.downstream("orders") == LOADED | both

    def test_a_dropped_table_keeps_its_lineage_and_gets_new(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [dataset("totals", lifecycle="CREATE")]),
            describe(10, dataset("totals", lifecycle="DROP")),
            run("load", "COMPLETE", 20, 2, ["orders"], ["names"]),
            run("make", "COMPLETE", 30, 3, ["customers"], [dataset("totals", lifecycle="CREATE")]),
        )
        assert lineage.upstream("totals", as_of=5) == LOADED
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=25) == {
            "orders -> load (past)",
            "load -> totals (past)",
        }
        assert lineage.upstream("totals") == {"customers -> make", "make -> totals"}


class TestDeclared:
    def test_what_an_author_declares_stands_until_the_next_word(self, tell: Tell) -> None:
        lineage = tell(
            declare("load", 0, ["orders", "rates"], ["totals"]),
            declare("load", 10, ["orders"], ["totals"]),
        )
        declared = {"orders -> load (declared)", "load -> totals (declared)"}
        assert lineage.upstream("totals", as_of=-1) == set()
        assert lineage.upstream("totals", as_of=0) == declared | {"rates -> load (declared)"}
        assert lineage.upstream("totals", as_of=10) == declared
        assert lineage.upstream("totals") == declared
        assert lineage.downstream("rates") == set()

    def test_what_is_taken_back_held_until_then(self, tell: Tell) -> None:
        lineage = tell(
            declare("load", 0, ["orders", "rates"], ["totals"]),
            declare("load", 10, ["orders"], ["totals"]),
        )
        declared = {"orders -> load (declared)", "load -> totals (declared)"}
        assert lineage.upstream("totals", as_of=5) == declared | {"rates -> load (declared)"}

    def test_what_is_declared_again_counts_as_never_taken_back(self, tell: Tell) -> None:
        """Of each declared dataset the first and last time are kept: decision 0010."""
        lineage = tell(
            declare("load", 0, ["orders", "rates"], ["totals"]),
            declare("load", 10, ["orders"], ["totals"]),
            declare("load", 20, ["orders", "rates"], ["totals"]),
        )
        declared = {
            "orders -> load (declared)",
            "rates -> load (declared)",
            "load -> totals (declared)",
        }
        assert lineage.upstream("totals", as_of=10) == declared
        assert lineage.upstream("totals") == declared

    def test_two_authors_do_not_take_back_each_others_words(self, tell: Tell) -> None:
        lineage = tell(
            declare("load", 0, ["orders"], ["totals"], author="https://a.example"),
            declare("load", 10, ["rates"], [], author="https://b.example"),
        )
        assert lineage.upstream("totals") == {
            "orders -> load (declared)",
            "rates -> load (declared)",
            "load -> totals (declared)",
        }

    def test_a_newer_release_of_an_author_is_the_same_author(self, tell: Tell) -> None:
        lineage = tell(
            declare("load", 0, ["orders"], ["totals"], author="https://a.example/1.2.0"),
            declare("load", 10, ["rates"], ["totals"], author="https://a.example/1.3.0"),
        )
        assert lineage.upstream("totals") == {
            "rates -> load (declared)",
            "load -> totals (declared)",
        }

    def test_runs_do_not_end_what_is_declared(self, tell: Tell) -> None:
        lineage = tell(
            declare("load", 0, ["rates"], ["totals"]),
            run("load", "COMPLETE", 10, 1, ["orders"], ["totals"]),
            run("load", "COMPLETE", 20, 2, ["customers"], ["names"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED | {"rates -> load (declared)"}
        assert lineage.upstream("totals") == {
            "customers -> load",
            "rates -> load (declared)",
            "load -> totals (declared)",
        }

    def test_declared_columns_are_followed(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(declare("load", 0, ["orders"], [totals]))
        edge = {"orders.price -> totals.amount by load (declared)"}
        assert lineage.columns_upstream("totals", "amount") == edge
        assert lineage.columns_downstream("orders", "price") == edge


class TestDeleted:
    def test_a_deleted_dataset_is_not_shown_until_seen_again(self, tell: Tell) -> None:
        events = [
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            delete_dataset(10, "rates"),
        ]
        whole = LOADED | {"rates -> load"}
        lineage = tell(*events)
        assert lineage.upstream("totals", as_of=9) == whole
        assert lineage.upstream("totals", as_of=10) == LOADED
        assert lineage.upstream("totals") == LOADED
        assert lineage.downstream("rates") == set()
        lineage = tell(*events, run("load", "COMPLETE", 20, 2, ["orders", "rates"], ["totals"]))
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=20) == whole
        assert lineage.upstream("totals") == whole

    def test_a_deleted_job_is_not_shown_until_seen_again(self, tell: Tell) -> None:
        events = [
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("sum", "COMPLETE", 0, 2, ["totals"], ["report"]),
            delete_job(10, "load"),
        ]
        summed = {"totals -> sum", "sum -> report"}
        lineage = tell(*events)
        assert lineage.upstream("report", as_of=9) == LOADED | summed
        assert lineage.upstream("report", as_of=10) == summed
        assert lineage.upstream("report") == summed
        assert lineage.downstream("orders") == set()
        assert lineage.of_job("load") == set()
        lineage = tell(*events, run("load", "START", 20, 3))
        assert lineage.upstream("report", as_of=15) == summed
        assert lineage.upstream("report") == LOADED | summed

    def test_what_is_seen_often_is_shown_after_the_first_time(self, tell: Tell) -> None:
        """As of 25, load and rates have been heard of since their deletion, and are again later."""
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            delete_dataset(10, "rates"),
            delete_job(10, "load"),
            run("load", "COMPLETE", 20, 2, ["orders", "rates"], ["totals"]),
            run("load", "COMPLETE", 30, 3, ["orders", "rates"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == set()
        assert lineage.upstream("totals", as_of=25) == LOADED | {"rates -> load"}

    def test_a_second_deletion_does_not_undo_the_first(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            delete_dataset(10, "rates"),
            run("load", "COMPLETE", 20, 2, ["orders", "rates"], ["totals"]),
            delete_dataset(30, "rates"),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=25) == LOADED | {"rates -> load"}
        assert lineage.upstream("totals") == LOADED

    def test_a_restored_dataset_is_shown(self, tell: Tell) -> None:
        entity = {"type": "dataset", "namespace": "db", "name": "rates"}
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            delete_dataset(10, "rates"),
            edit(20, entity, unset=["deleted"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals", as_of=20) == LOADED | {"rates -> load"}

    def test_the_inputs_of_a_past_execution_can_be_deleted_too(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], ["totals"]),
            run("load", "COMPLETE", 10, 2, ["orders"], ["names"]),
            delete_dataset(20, "rates"),
        )
        past = {"orders -> load (past)", "load -> totals (past)"}
        assert lineage.upstream("totals", as_of=15) == past | {"rates -> load (past)"}
        assert lineage.upstream("totals") == past
        assert lineage.downstream("rates") == set()

    def test_a_deleted_dataset_is_seen_under_any_of_its_names(self, tell: Tell) -> None:
        links = dataset("rates", symlinks=[("s3://lake|rates", "TABLE")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", links], ["totals"]),
            delete_dataset(10, "rates"),
            run("load", "COMPLETE", 20, 2, ["orders", "s3://lake|rates"], ["totals"]),
        )
        assert lineage.upstream("totals", as_of=15) == LOADED
        assert lineage.upstream("totals") == LOADED | {"rates -> load"}

    def test_a_dataset_deleted_under_another_of_its_names_is_deleted(self, tell: Tell) -> None:
        links = dataset("rates", symlinks=[("s3://lake|rates", "TABLE")])
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", links], ["totals"]),
            delete_dataset(10, "s3://lake|rates"),
        )
        assert lineage.upstream("totals", as_of=5) == LOADED | {"rates -> load"}
        assert lineage.upstream("totals") == LOADED

    def test_a_deleted_last_writer_leaves_the_one_before(self, tell: Tell) -> None:
        lineage = tell(
            run("one", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            run("one", "COMPLETE", 5, 2, ["orders"], ["names"]),
            run("two", "COMPLETE", 7, 3, ["customers"], ["totals"]),
            delete_job(10, "two"),
        )
        assert lineage.upstream("totals") == {"orders -> one (past)", "one -> totals (past)"}


class TestCircles:
    def test_a_job_that_reads_what_it_writes(self, tell: Tell) -> None:
        lineage = tell(run("merge", "COMPLETE", 0, 1, ["orders", "totals"], ["totals"]))
        loop = {"orders -> merge", "totals -> merge", "merge -> totals"}
        assert lineage.upstream("totals") == loop
        assert lineage.downstream("orders") == loop
        assert lineage.downstream("totals") == {"totals -> merge", "merge -> totals"}
        assert lineage.of_job("merge") == loop

    def test_two_jobs_in_a_circle(self, tell: Tell) -> None:
        lineage = tell(
            run("there", "COMPLETE", 0, 1, ["a"], ["b"]),
            run("back", "COMPLETE", 0, 2, ["b", "c"], ["a"]),
        )
        circle = {"a -> there", "there -> b", "b -> back", "back -> a"}
        assert lineage.upstream("a") == circle | {"c -> back"}
        assert lineage.downstream("a") == circle
        assert lineage.downstream("c") == circle | {"c -> back"}
        assert lineage.connected("c") == circle | {"c -> back"}


def _sources(edges: set[str]) -> list[str]:
    return sorted(edge.removesuffix(" -> match") for edge in edges if edge.endswith(" -> match"))
