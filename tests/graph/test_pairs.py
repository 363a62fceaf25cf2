"""Jobs that state which of their inputs each output comes from, as connectors of many tables do."""

from testing.events.full import Json
from testing.events.history import dataset, declare, join, run
from tests.graph.lineage import Tell


def connector(at: float, number: int, tables: str, *, name: str = "cdc") -> Json:
    """A source: each table has its topic."""
    topics = [dataset(f"topic-{each}", inputs=[f"table-{each}"]) for each in tables]
    return run(name, "RUNNING", at, number, [f"table-{each}" for each in tables], topics)


def test_a_walk_goes_on_to_what_belongs_together(tell: Tell) -> None:
    lineage = tell(connector(0, 1, "abc"))
    assert lineage.upstream("topic-a") == {"table-a -> cdc", "cdc -> topic-a"}
    assert lineage.downstream("table-b") == {"table-b -> cdc", "cdc -> topic-b"}
    assert len(lineage.of_job("cdc")) == 6


def test_a_hundred_tables_have_a_topic_each(tell: Tell) -> None:
    numbers = [str(number) for number in range(100)]
    topics = [dataset(f"topic-{each}", inputs=[f"table-{each}"]) for each in numbers]
    lineage = tell(run("cdc", "RUNNING", 0, 1, [f"table-{each}" for each in numbers], topics))
    for each in numbers:
        assert lineage.upstream(f"topic-{each}") == {f"table-{each} -> cdc", f"cdc -> topic-{each}"}


def test_it_holds_as_of_a_time_at_which_it_was_not_yet_repeated(tell: Tell) -> None:
    lineage = tell(connector(0, 1, "ab"), connector(10, 1, "ab"))
    assert lineage.upstream("topic-a", as_of=5) == {"table-a -> cdc", "cdc -> topic-a"}


def test_a_later_level_comes_to_the_job_by_another_output(tell: Tell) -> None:
    lineage = tell(
        connector(0, 1, "ab"),
        run("merge", "COMPLETE", 1, 2, ["topic-a", "copy"], ["merged"]),
        run("copying", "COMPLETE", 2, 3, ["topic-b"], ["copy"]),
    )
    assert lineage.upstream("merged") == {
        "table-a -> cdc",
        "cdc -> topic-a",
        "topic-a -> merge",
        "copy -> merge",
        "merge -> merged",
        "topic-b -> copying",
        "copying -> copy",
        "cdc -> topic-b",
        "table-b -> cdc",
    }


def test_an_output_of_which_nothing_is_stated_comes_from_all(tell: Tell) -> None:
    lineage = tell(
        run("cdc", "RUNNING", 0, 1, ["t1", "t2"], [dataset("o1", inputs=["t1"]), "o2"]),
    )
    assert lineage.upstream("o2") == {"t1 -> cdc", "t2 -> cdc", "cdc -> o2"}
    assert lineage.downstream("t2") == {"t2 -> cdc", "cdc -> o2"}
    assert lineage.downstream("t1") == {"t1 -> cdc", "cdc -> o1", "cdc -> o2"}


def test_an_output_of_the_jobs_own_comes_from_nothing(tell: Tell) -> None:
    beat = dataset("heartbeat", inputs=[])
    lineage = tell(run("cdc", "RUNNING", 0, 1, ["t1", "t2"], [dataset("o1", inputs=["t1"]), beat]))
    assert lineage.upstream("heartbeat") == {"cdc -> heartbeat"}
    assert lineage.downstream("t2") == {"t2 -> cdc"}


def test_another_job_that_writes_the_same_has_its_own_inputs(tell: Tell) -> None:
    lineage = tell(
        connector(0, 1, "ab"),
        run("backfill", "COMPLETE", 1, 2, ["old-a", "old-b"], ["topic-a", "topic-b"]),
    )
    assert lineage.upstream("topic-a") == {
        "table-a -> cdc",
        "cdc -> topic-a",
        "old-a -> backfill",
        "old-b -> backfill",
        "backfill -> topic-a",
    }


def test_columns_without_a_map_come_from_the_table_that_belongs_to_them(tell: Tell) -> None:
    lineage = tell(connector(0, 1, "ab"))
    up = lineage.columns_upstream("topic-a", "id")
    assert up == {"table-a.* -> topic-a.id by cdc (assumed)"}
    down = lineage.columns_downstream("table-b", "id")
    assert down == {"table-b.id -> topic-b.* by cdc (assumed)"}


def test_a_topic_that_is_no_longer_written_keeps_its_table(tell: Tell) -> None:
    lineage = tell(connector(0, 1, "abc"), connector(10, 2, "ab"))
    assert lineage.upstream("topic-c") == {"table-c -> cdc (past)", "cdc -> topic-c (past)"}


def test_another_name_of_an_input_belongs_to_the_output_too(tell: Tell) -> None:
    lineage = tell(connector(0, 1, "ab"), join(1, "table-a", "public.table-a"))
    assert len(lineage.upstream("topic-a")) == 2


def test_a_design_states_it_too(tell: Tell) -> None:
    outputs = [dataset("o1", inputs=["t1"]), dataset("o2", inputs=["t2"])]
    lineage = tell(declare("cdc", 0, ["t1", "t2"], outputs))
    assert lineage.upstream("o1") == {"t1 -> cdc (declared)", "cdc -> o1 (declared)"}
