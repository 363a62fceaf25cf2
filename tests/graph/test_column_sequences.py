"""Schemas and column lineage as they are derived when read, as of several times."""

from typing import Any

import pytest

from headwater.emit.spec import SQL_LINEAGE, producer_url
from testing.events.full import Json
from testing.events.history import dataset, declare, delete_dataset, describe, run
from tests.graph.lineage import Tell


class TestSchemas:
    def test_a_reader_that_sees_only_key_and_value_does_not_decide(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [], [dataset("totals", schema=["id", "amount"])]),
            run("copy", "COMPLETE", 10, 2, [dataset("totals", schema=["key", "value"])], ["x"]),
        )
        assert lineage.schema("totals") == ["id", "amount"]
        assert lineage.schema("totals", as_of=5) == ["id", "amount"]
        assert lineage.schema("totals", as_of=-1) == []

    def test_a_reader_decides_where_nobody_else_says_anything(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 5, 1, [], ["totals"]),
            run("copy", "COMPLETE", 0, 2, [dataset("totals", schema=["key", "value"])], ["x"]),
            run("load", "COMPLETE", 10, 3, [], [dataset("totals", schema=["id"])]),
        )
        assert lineage.schema("totals", as_of=5) == ["key", "value"]
        assert lineage.schema("totals", as_of=10) == ["id"]

    def test_a_registry_knows_best(self, tell: Tell) -> None:
        lineage = tell(
            describe(0, dataset("totals", schema=["id", "amount"])),
            run("load", "COMPLETE", 10, 1, [], [dataset("totals", schema=["id"])]),
            describe(20, dataset("totals", schema=["id", "amount", "currency"])),
        )
        assert lineage.schema("totals", as_of=15) == ["id", "amount"]
        assert lineage.schema("totals") == ["id", "amount", "currency"]

    def test_the_newest_of_one_kind_counts(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [], [dataset("totals", schema="a")]),
            run("load", "COMPLETE", 10, 2, [], [dataset("totals", schema="ab")]),
            run("load", "COMPLETE", 20, 3, [], [dataset("totals", schema="a")]),
        )
        assert lineage.schema("totals", as_of=5) == ["a"]
        assert lineage.schema("totals", as_of=15) == ["a", "b"]
        assert lineage.schema("totals") == ["a"]

    def test_a_schema_is_known_in_the_middle_of_a_run_that_changes_it(self, tell: Tell) -> None:
        """As of 25, run 3 has gone back to the schema of run 1."""
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [], [dataset("totals", schema="a")]),
            run("load", "COMPLETE", 10, 2, [], [dataset("totals", schema="ab")]),
            run("load", "START", 20, 3, [], [dataset("totals", schema="a")]),
            run("load", "RUNNING", 30, 3, [], [dataset("totals", schema="a")]),
            run("load", "RUNNING", 40, 3, [], [dataset("totals", schema="abc")]),
        )
        assert lineage.schema("totals", as_of=35) == ["a"]
        assert lineage.schema("totals", as_of=25) == ["a"]

    def test_names_of_one_dataset_have_one_schema(self, tell: Tell) -> None:
        links = dataset("totals", schema="ab", symlinks=[("s3://lake|totals", "TABLE")])
        lineage = tell(run("load", "COMPLETE", 0, 1, [], [links]))
        assert lineage.schema("s3://lake|totals") == ["a", "b"]


class TestColumns:
    MAPPED = {"orders.price -> totals.amount by load"}

    def test_a_column_is_followed_over_two_jobs(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price", "orders.count"]})
        report = dataset("report", columns={"sum": ["totals.amount"], "day": ["days.day"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("sum", "COMPLETE", 0, 2, ["totals", "days"], [report]),
        )
        summed = {"totals.amount -> report.sum by sum"}
        count = {"orders.count -> totals.amount by load"}
        assert lineage.columns_upstream("report", "sum") == self.MAPPED | count | summed
        assert lineage.columns_downstream("orders", "price") == self.MAPPED | summed
        assert lineage.columns_upstream("report", "day") == {"days.day -> report.day by sum"}
        assert lineage.columns_downstream("orders", "tax") == set()

    def test_an_edge_that_the_next_run_does_not_state_is_gone(self, tell: Tell) -> None:
        first = dataset("totals", columns={"amount": ["orders.price", "orders.tax"]})
        second = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [first]),
            run("load", "COMPLETE", 10, 2, ["orders"], [second]),
        )
        tax = {"orders.tax -> totals.amount by load"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED | tax
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED
        assert lineage.columns_downstream("orders", "tax", as_of=5) == tax
        assert lineage.columns_downstream("orders", "tax") == set()

    @pytest.mark.parametrize("parent", [None, 90])
    def test_a_run_replaces_its_own_map(self, tell: Tell, parent: int | None) -> None:
        first = dataset("totals", columns={"amount": ["orders.price", "orders.tax"]})
        second = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "START", 0, 1, ["orders"], [first], parent=parent),
            run("load", "RUNNING", 10, 1, ["orders"], [second], parent=parent),
        )
        tax = {"orders.tax -> totals.amount by load"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED | tax
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED

    def test_runs_of_one_application_each_have_their_map(self, tell: Tell) -> None:
        orders = dataset("totals", columns={"amount": ["orders.price"]})
        refunds = dataset("totals", columns={"amount": ["refunds.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [orders], parent=90),
            run("load", "COMPLETE", 10, 2, ["refunds"], [refunds], parent=90),
            run("load", "COMPLETE", 100, 3, ["refunds"], [refunds], parent=91),
        )
        refunded = {"refunds.price -> totals.amount by load"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED
        assert lineage.columns_upstream("totals", "amount", as_of=50) == self.MAPPED | refunded
        assert lineage.columns_upstream("totals", "amount") == refunded

    def test_a_run_that_states_no_map_leaves_the_last_one(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("load", "START", 10, 2, ["orders"], ["totals"]),
        )
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED
        assert lineage.columns_downstream("orders", "price") == self.MAPPED

    def test_a_map_is_followed_from_both_ends_when_the_job_reads_other_data(
        self, tell: Tell
    ) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("load", "COMPLETE", 10, 2, ["customers"], ["totals"]),
        )
        assert lineage.columns_downstream("orders", "price") == lineage.columns_upstream(
            "totals", "amount"
        )

    def test_a_map_that_is_taken_back_leaves_the_datasets(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        gone = {**dataset("totals"), "facets": {"columnLineage": {"_deleted": True}}}
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("load", "COMPLETE", 10, 2, ["orders"], [gone]),
        )
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED
        assert lineage.columns_upstream("totals", "amount") == {
            "orders.* -> totals.amount by load (assumed)"
        }

    def test_where_a_job_states_no_columns_whole_datasets_are_followed(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("copy", "COMPLETE", 0, 2, ["totals", "days"], ["copied"]),
            run("copy on", "COMPLETE", 0, 3, ["copied"], ["kept"]),
        )
        assert lineage.columns_downstream("orders", "price") == self.MAPPED | {
            "totals.amount -> copied.* by copy (assumed)",
            "copied.* -> kept.* by copy on",
        }
        assert lineage.columns_upstream("copied", "amount") == {
            "totals.* -> copied.amount by copy (assumed)",
            "days.* -> copied.amount by copy (assumed)",
            "orders.* -> totals.* by load",
        }

    def test_of_two_writers_each_says_what_it_knows(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("patch", "COMPLETE", 0, 2, ["fixes"], ["totals"]),
        )
        patched = {"fixes.* -> totals.amount by patch (assumed)"}
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED | patched
        assert lineage.columns_downstream("fixes", "x") == {
            "fixes.x -> totals.* by patch (assumed)"
        }

    def test_from_a_whole_dataset_every_column_of_a_map_is_reached(self, tell: Tell) -> None:
        sold = dataset("sold", columns={"price": ["copied.price"], "day": ["days.day"]})
        lineage = tell(
            run("copy", "COMPLETE", 0, 1, ["orders"], ["copied"]),
            run("sell", "COMPLETE", 0, 2, ["copied", "days"], [sold]),
        )
        assert lineage.columns_downstream("orders", "price") == {
            "orders.price -> copied.* by copy (assumed)",
            "copied.* -> sold.* by sell (assumed)",
            "copied.* -> sold.price by sell (assumed)",
        }

    def test_direct_and_indirect_are_distinguished(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price", "?orders.country"]})
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders"], [totals]))
        filtered = {"orders.country -> totals.amount by load (indirect)"}
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED | filtered
        assert lineage.columns_upstream("totals", "amount", with_indirect=False) == self.MAPPED
        assert lineage.columns_downstream("orders", "country") == filtered
        assert lineage.columns_downstream("orders", "country", with_indirect=False) == set()

    def test_an_indirect_way_is_not_taken_from_a_whole_dataset_either(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price", "?days.day"]})
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders", "days"], [totals]))
        found = lineage.columns_downstream("days", "", with_indirect=False)
        assert not {edge for edge in found if "totals.amount" in edge}

    def test_what_decides_over_all_rows_is_behind_every_column(self, tell: Tell) -> None:
        totals = dataset(
            "totals",
            columns={"amount": ["orders.price"], "name": ["orders.name"]},
            rows_by=["?orders.country"],
        )
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders"], [totals]))
        by_country = "orders.country -> totals.{} by load (indirect)"
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED | {
            by_country.format("amount")
        }
        assert lineage.columns_upstream("totals", "amount", with_indirect=False) == self.MAPPED
        assert lineage.columns_downstream("orders", "country") == {
            by_country.format("amount"),
            by_country.format("name"),
            by_country.format("*"),
        }
        assert lineage.columns_downstream("orders", "price") == self.MAPPED

    def test_a_source_that_is_only_named_in_a_map_is_followed_from_both_ends(
        self, tell: Tell
    ) -> None:
        totals = dataset("totals", columns={"amount": ["rates.rate"]})
        edge = {"rates.rate -> totals.amount by load"}
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders"], [totals]))
        assert lineage.columns_upstream("totals", "amount") == edge
        assert lineage.columns_downstream("rates", "rate") == edge
        assert lineage.columns_downstream("rates", "") == set()

    def test_a_source_that_is_only_named_in_a_declared_map_is_too(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["rates.rate"]})
        edge = {"rates.rate -> totals.amount by load (declared)"}
        lineage = tell(declare("load", 0, ["orders"], [totals]))
        assert lineage.columns_upstream("totals", "amount") == edge
        assert lineage.columns_downstream("rates", "rate") == edge

    def test_a_source_that_is_only_named_in_a_past_map_is_too(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["rates.rate"]})
        edge = {"rates.rate -> totals.amount by load (past)"}
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("load", "COMPLETE", 10, 2, ["orders"], ["names"]),
        )
        assert lineage.columns_upstream("totals", "amount") == edge
        assert lineage.columns_downstream("rates", "rate") == edge

    def test_the_columns_of_a_past_execution_are_those_it_stated(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price"]})
        names = dataset("names", columns={"name": ["orders.name"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [totals]),
            run("load", "COMPLETE", 10, 2, ["orders"], [names]),
        )
        past = {"orders.price -> totals.amount by load (past)"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED
        assert lineage.columns_upstream("totals", "amount") == past
        assert lineage.columns_downstream("orders", "price") == past
        assert lineage.columns_downstream("orders", "name") == {"orders.name -> names.name by load"}

    def test_columns_are_followed_under_every_name_of_a_dataset(self, tell: Tell) -> None:
        links = dataset(
            "totals",
            columns={"amount": ["orders.price"]},
            symlinks=[("s3://lake|totals", "TABLE")],
        )
        report = dataset("report", columns={"sum": ["s3://lake|totals.amount"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [links]),
            run("sum", "COMPLETE", 0, 2, ["s3://lake|totals"], [report]),
        )
        whole = self.MAPPED | {"totals.amount -> report.sum by sum"}
        assert lineage.columns_upstream("report", "sum") == whole
        assert lineage.columns_downstream("orders", "price") == whole
        assert lineage.columns_upstream("s3://lake|totals", "amount") == self.MAPPED

    def test_the_columns_of_a_deleted_dataset_are_not_shown(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["orders.price", "rates.rate"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders", "rates"], [totals]),
            delete_dataset(10, "rates"),
        )
        rate = {"rates.rate -> totals.amount by load"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == self.MAPPED | rate
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED
        assert lineage.columns_downstream("rates", "rate") == set()

    def test_a_column_made_of_itself_is_no_endless_walk(self, tell: Tell) -> None:
        totals = dataset("totals", columns={"amount": ["totals.amount", "orders.price"]})
        lineage = tell(run("load", "COMPLETE", 0, 1, ["orders", "totals"], [totals]))
        loop = {"totals.amount -> totals.amount by load"}
        assert lineage.columns_upstream("totals", "amount") == self.MAPPED | loop
        assert lineage.columns_downstream("orders", "price") == self.MAPPED | loop


class TestInferred:
    """What Headwater derives from a job's SQL: it counts where nobody stated anything."""

    INFERRED = dataset("totals", columns={"amount": ["orders.price"]})

    @staticmethod
    def infer(at: float, job: str, inputs: list[Any], outputs: list[Any]) -> Json:
        return declare(job, at, inputs, outputs, author=producer_url(SQL_LINEAGE))

    def test_it_is_shown_as_inferred(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            self.infer(10, "load", ["orders"], [self.INFERRED]),
        )
        inferred = {"orders.price -> totals.amount by load (inferred)"}
        assert lineage.columns_upstream("totals", "amount") == inferred
        assert lineage.columns_downstream("orders", "price") == inferred
        assert lineage.upstream("totals") == {"orders -> load", "load -> totals"}
        assert lineage.columns_upstream("totals", "amount", as_of=5) == {
            "orders.* -> totals.amount by load (assumed)"
        }

    @pytest.mark.parametrize("by", ["a run", "an author"])
    def test_what_is_stated_outranks_it_however_old(self, tell: Tell, by: str) -> None:
        stated = dataset("totals", columns={"amount": ["orders.net"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], [stated])
            if by == "a run"
            else declare("load", 0, ["orders"], [stated]),
            self.infer(10, "load", ["orders"], [self.INFERRED]),
        )
        marks = "" if by == "a run" else " (declared)"
        edge = f"orders.net -> totals.amount by load{marks}"
        assert lineage.columns_upstream("totals", "amount") == {edge}
        assert lineage.columns_downstream("orders", "price") == set()

    def test_a_table_that_only_the_sql_names_is_an_inferred_input(self, tell: Tell) -> None:
        lineage = tell(
            run("load", "COMPLETE", 0, 1, [], ["totals"]),
            self.infer(10, "load", ["orders"], [self.INFERRED]),
        )
        assert lineage.upstream("totals") == {"orders -> load (inferred)", "load -> totals"}

    def test_it_is_replaced_and_taken_back(self, tell: Tell) -> None:
        other = dataset("totals", columns={"amount": ["orders.net"]})
        lineage = tell(
            run("load", "COMPLETE", 0, 1, ["orders"], ["totals"]),
            self.infer(10, "load", ["orders"], [self.INFERRED]),
            self.infer(20, "load", ["orders"], [other]),
            self.infer(30, "load", [], []),
        )
        assert lineage.columns_upstream("totals", "amount", as_of=25) == {
            "orders.net -> totals.amount by load (inferred)"
        }
        assert lineage.columns_upstream("totals", "amount") == {
            "orders.* -> totals.amount by load (assumed)"
        }
