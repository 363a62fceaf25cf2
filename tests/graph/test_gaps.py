"""What producers did not understand, on walks over datasets, jobs and columns."""

from headwater.graph.answer import Towards
from headwater.graph.fold import fold_children
from headwater.graph.walk import walk_from_job
from headwater.model.values.ids import dataset_id, job_id
from testing.events.history import JOBS, TABLES, dataset, run
from tests.graph.lineage import ALL, Lineage, Tell

RDD = ("input LogicalRDD", "input LogicalRDD")
IN_WORDS = "2 inputs not recognised: LogicalRDD"


def upstream(lineage: Lineage, name: str, as_of: float | None = None) -> dict[str, str]:
    return lineage.gaps(lineage.walk(name, Towards.UPSTREAM, as_of))


class TestGapsOfJobs:
    def test_a_walk_says_which_jobs_have_gaps(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"], gaps=RDD),
            run("next", "COMPLETE", 1, 2, ["b"], ["c"], gaps=()),
        )
        assert upstream(lineage, "c") == {"load": IN_WORDS}
        assert lineage.gaps(lineage.walk("a", Towards.DOWNSTREAM)) == {"load": IN_WORDS}

    def test_the_newest_execution_decides(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"], gaps=RDD),
            run("load", "COMPLETE", 10, 2, ["a"], ["b"]),
            run("load", "COMPLETE", 20, 3, ["a"], ["b"], gaps=RDD),
        )
        assert upstream(lineage, "b", as_of=5) == {"load": IN_WORDS}
        assert upstream(lineage, "b", as_of=15) == {}
        assert upstream(lineage, "b") == {"load": IN_WORDS}
        assert upstream(lineage, "b", as_of=-1) == {}

    def test_a_run_takes_back_what_it_reported(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "START", 0, 1, ["a"], ["b"], gaps=RDD),
            run("load", "COMPLETE", 10, 1, ["a"], ["b"], gaps=()),
        )
        assert upstream(lineage, "b", as_of=5) == {"load": IN_WORDS}
        assert upstream(lineage, "b") == {}

    def test_a_run_without_any_dataset_reports_gaps_too(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"]),
            run("load", "COMPLETE", 10, 2, [], [], gaps=["output NoIdea"]),
            run("alone", "COMPLETE", 10, 3, [], [], gaps=["other plan"]),
        )
        assert upstream(lineage, "b") == {"load": "1 output not recognised: NoIdea"}
        walk = walk_from_job(lineage.view(), job_id(JOBS, "alone"), Towards.BOTH, ALL)
        assert lineage.gaps(walk) == {"alone": "1 part not recognised: plan"}

    def test_runs_of_one_execution_each_count(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"], parent=9, gaps=["input LogicalRDD"]),
            run("load", "COMPLETE", 1, 2, ["a"], ["b"], parent=9, gaps=["operator Generate"]),
            run("load", "COMPLETE", 2, 3, ["a"], ["b"], parent=9, gaps=["input LogicalRDD"]),
        )
        assert upstream(lineage, "b") == {
            "load": "1 input not recognised: LogicalRDD; 1 operator not recognised: Generate"
        }

    def test_the_last_writer_of_the_past_has_the_gaps_of_then(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["a"], ["b"], gaps=RDD),
            run("load", "COMPLETE", 10, 2, ["a"], ["c"]),
        )
        assert upstream(lineage, "b") == {"load": IN_WORDS}
        assert upstream(lineage, "c") == {}

    def test_a_folded_job_has_the_gaps_of_its_parts(self, tell: Tell) -> None:
        lineage = tell(run("load", "COMPLETE", 0, 1, ["a"], ["b"], parent=9, gaps=RDD))
        graph = fold_children(lineage.reader, lineage.walk("b", Towards.UPSTREAM))
        assert lineage.gaps(graph) == {"app": IN_WORDS}


class TestGapsOfColumns:
    def test_a_column_without_any_edge_is_known_to_be_incomplete(self, tell: Tell) -> None:
        """The worst answer: nothing, as if there were nothing."""
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [], [dataset("b", columns={"x": []})], gaps=RDD),
            run("next", "COMPLETE", 1, 2, ["b"], [dataset("c", columns={"y": ["b.x"], "z": []})]),
        )
        graph = lineage.column_graph("c", "y", Towards.UPSTREAM)
        assert lineage.gaps(graph) == {"load": IN_WORDS}
        assert {(column.dataset, column.name) for column in graph.incomplete} == {
            (dataset_id(TABLES, "b"), "x")
        }
        beside = lineage.column_graph("c", "z", Towards.UPSTREAM)
        assert not beside.gaps and not beside.incomplete

    def test_downstream_a_reader_with_gaps_counts(self, tell: Tell) -> None:
        lineage = tell(run("load", "COMPLETE", 0, 1, ["a"], [], gaps=["output NoIdea"]))
        graph = lineage.column_graph("a", "x", Towards.DOWNSTREAM)
        assert lineage.gaps(graph) == {"load": "1 output not recognised: NoIdea"}
        assert len(graph.incomplete) == 1
