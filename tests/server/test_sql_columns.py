"""Columns of jobs that report SQL and no column lineage: derived, and shown as inferred."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from headwater.config import SqlSettings
from headwater.server.background.sql_columns import SqlColumns
from headwater.store.write.group_commit import GroupCommit
from headwater.store.write.writer import open_writer
from testing.api import Api, error_of, open_api
from testing.events.minimal import JOBS, TABLES, Json, dataset, run_event, schema
from testing.wait import wait_until

ORDERS = dataset("shop.public.orders", schema=schema(id="INT", price="INT", tax="INT"))
TOTALS = dataset("shop.public.totals", schema=schema(id="INT", amount="INT"))
SQL = "INSERT INTO public.totals SELECT id, price + tax AS amount FROM public.orders"


def load(sql: str = SQL, at: str = "2024-05-01T10:00:00Z", job: str = "load", **rest: Any) -> Json:
    uses = {"inputs": [ORDERS], "outputs": [TOTALS]} | rest
    run = f"01890000-0000-7000-8000-{abs(hash((at, job))) % 10**12:012d}"
    return run_event("COMPLETE", at, run, job, job_facets={"sql": {"query": sql}}, **uses)


Derive = Callable[[], None]


@pytest.fixture
def derive(api: Api) -> Iterator[Derive]:
    """Do what a server does every few seconds."""
    commits = GroupCommit(open_writer(api.engine, notes_for_lake=False))
    background = SqlColumns(api.engine, commits)
    yield background.work
    commits.close()


def sources(api: Api, table: str, column: str) -> dict[str, tuple[str, list[str]]]:
    """The columns that a column comes from: how that is known, and the transformations."""
    node = f"datasetField:{TABLES}:{table}:{column}"
    answer = api.read("/column-lineage", nodeId=node, depth=1)
    found = next(each for each in answer["graph"] if each["id"] == node)
    return {
        f"{each['dataset']}.{each['field']}": (
            each.get("kind", "observed"),
            [way["subtype"] for way in each["transformations"]],
        )
        for each in found["data"]["inputFields"]
    }


def columns_health(api: Api, columns: str = "none") -> Any:
    return api.read("/health/columns", columns=columns)


class TestDeriving:
    def test_columns_are_inferred(self, api: Api, derive: Derive) -> None:
        api.store(load())
        derive()
        assert sources(api, "shop.public.totals", "amount") == {
            "shop.public.orders.price": ("inferred", ["TRANSFORMATION"]),
            "shop.public.orders.tax": ("inferred", ["TRANSFORMATION"]),
        }
        counts = columns_health(api)["counts"]
        assert counts == {"observed": 0, "declared": 0, "inferred": 1, "none": 0}

    def test_nothing_is_derived_twice(self, api: Api, derive: Derive) -> None:
        api.store(load())
        derive()
        before = len(api.rows("event"))
        api.store(load(at="2024-05-01T11:00:00Z"))
        derive()
        assert len(api.rows("event")) == before + 1

    def test_what_a_run_observed_counts(self, api: Api, derive: Derive) -> None:
        observed = dataset(
            "shop.public.totals",
            columnLineage={
                "fields": {"amount": {"inputFields": [{**_named("orders"), "field": "net"}]}}
            },
        )
        api.store(load())
        derive()
        api.store(load(at="2024-05-01T11:00:00Z", outputs=[observed]))
        derive()
        assert list(sources(api, "shop.public.totals", "amount")) == ["shop.public.orders.net"]
        assert columns_health(api)["counts"]["observed"] == 1

    def test_new_sql_replaces_what_was_derived(self, api: Api, derive: Derive) -> None:
        api.store(load())
        derive()
        other = "INSERT INTO totals SELECT id, sum(price) FROM orders GROUP BY id"
        api.store(load(other, at="2024-05-01T11:00:00Z"))
        derive()
        assert sources(api, "shop.public.totals", "amount") == {
            "shop.public.orders.price": ("inferred", ["AGGREGATION"]),
            "shop.public.orders.id": ("inferred", ["GROUP_BY"]),
        }

    def test_a_new_schema_of_an_input_counts(self, api: Api, derive: Derive) -> None:
        text = "INSERT INTO totals SELECT * FROM orders"
        api.store(load(text, inputs=[dataset("shop.public.orders")], outputs=[TOTALS]))
        derive()
        assert columns_health(api)["counts"]["inferred"] == 0
        wider = dataset("shop.public.orders", schema=schema(id="INT", price="INT"))
        fill = run_event("COMPLETE", "2024-05-01T12:00:00Z", job="fill", outputs=[wider])
        fill["run"]["runId"] = "01890000-0000-7000-8000-0000000000ff"
        api.store(fill)
        derive()
        assert list(sources(api, "shop.public.totals", "amount")) == ["shop.public.orders.price"]

    def test_a_query_is_of_the_only_output(self, api: Api, derive: Derive) -> None:
        api.store(load("SELECT id, price AS amount FROM shop.public.orders"))
        derive()
        assert sources(api, "shop.public.totals", "amount") == {
            "shop.public.orders.price": ("inferred", ["IDENTITY"])
        }

    def test_an_input_that_is_not_reported_but_exists(self, api: Api, derive: Derive) -> None:
        api.store(
            run_event("COMPLETE", job="fill", outputs=[ORDERS]),
            load(inputs=[]),
        )
        derive()
        assert "shop.public.orders.price" in sources(api, "shop.public.totals", "amount")
        graph = api.read("/lineage", nodeId=f"job:{JOBS}:load", depth=1)["graph"]
        edges = next(node for node in graph if node["id"] == f"job:{JOBS}:load")["inEdges"]
        assert [edge.get("kind") for edge in edges] == ["inferred"]


class TestQueries:
    """A query in the place of a table, as Spark reports those of JDBC."""

    def test_it_is_resolved_to_its_tables(self, api: Api, derive: Derive) -> None:
        text = "SELECT o.id, o.price * 2 AS double FROM orders o WHERE o.tax > 0"
        query = dataset(
            "shop.(query 1f2e)",
            schema=schema(id="INT", double="INT"),
            headwater_query={"query": text, "dialect": "postgres"},
        )
        api.store(run_event("COMPLETE", inputs=[query], outputs=[TOTALS]))
        derive()
        assert sources(api, "shop.(query 1f2e)", "double") == {
            "shop.public.orders.price": ("inferred", ["TRANSFORMATION"]),
            "shop.public.orders.tax": ("inferred", ["FILTER"]),
        }
        before = len(api.rows("event"))
        derive()
        assert len(api.rows("event")) == before

    @pytest.mark.parametrize("facet", [{}, {"query": 3}, {"query": "((", "dialect": 1}])
    def test_odd_queries(self, api: Api, derive: Derive, facet: Json) -> None:
        query = dataset("shop.(query 1f2e)", headwater_query=facet)
        api.store(run_event("COMPLETE", inputs=[query], outputs=[TOTALS]))
        derive()
        assert columns_health(api)["counts"]["none"] == 1


class TestReasons:
    def test_a_table_that_nobody_knows(self, api: Api, derive: Derive) -> None:
        api.store(load("INSERT INTO totals SELECT id, x FROM elsewhere.things"))
        derive()
        [job] = columns_health(api)["jobs"]
        assert job["name"] == "load"
        assert any("elsewhere.things" in reason for reason in job["reasons"])

    def test_broken_sql(self, api: Api, derive: Derive) -> None:
        api.store(load("INSERT INTO totals SELECT FROM WHERE (("))
        derive()
        [job] = columns_health(api)["jobs"]
        assert job["reasons"]

    def test_no_sql(self, api: Api, derive: Derive) -> None:
        api.store(run_event("COMPLETE", inputs=[ORDERS], outputs=[TOTALS]))
        derive()
        [job] = columns_health(api)["jobs"]
        assert job["reasons"] == ["The job reports neither column lineage nor SQL"]

    @pytest.mark.parametrize("facet", [{"query": 5}, {"query": ""}, {"query": "x" * 600_000}, {}])
    def test_odd_facets(self, api: Api, derive: Derive, facet: Json) -> None:
        odd = {"sql": facet, "headwater_sqlLineage": {"time": [], "problems": 3, "key": {}}}
        event = run_event("COMPLETE", inputs=[ORDERS], outputs=[TOTALS], job_facets=odd)
        api.store(event)
        derive()
        assert columns_health(api)["counts"]["none"] == 1

    def test_an_unknown_kind(self, sqlite_api: Api) -> None:
        error_of(sqlite_api.get("/health/columns", columns="some"), 400, "columns")


@pytest.mark.integration
def test_a_server_derives_by_itself(tmp_path: Any) -> None:
    with open_api(f"sqlite:///{tmp_path / 'store.db'}", sql=SqlSettings()) as api:
        api.store(load())
        wait_until(lambda: columns_health(api)["counts"]["inferred"] == 1)


def _named(table: str) -> Json:
    return {"namespace": TABLES, "name": f"shop.public.{table}"}
