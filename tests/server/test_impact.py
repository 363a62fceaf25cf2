"""`/impact`: what a change affects, directly or not, how far, and whose it is."""

from pathlib import Path
from typing import Any

from headwater.collect.dbt import DbtCollector, DbtSettings
from headwater.model.values.instant import MINUTE
from testing.api import Api, error_of
from testing.dbt_project import NAMESPACE, small_project
from testing.events.minimal import JOBS, TABLES, dataset, schema
from tests.server.test_health import ended
from tests.server.test_problems import owned

ORDERS = f"dataset:{TABLES}:orders"


def made(name: str, source: str, columns: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """A dataset whose columns come from those of another: by column, the source and the type."""
    fields = {
        column: {
            "inputFields": [
                {
                    "namespace": TABLES,
                    "name": source,
                    "field": of,
                    "transformations": [{"type": type, "subtype": ""}],
                }
            ]
        }
        for column, (of, type) in columns.items()
    }
    return dataset(
        name,
        schema=schema(**dict.fromkeys(columns, "int")),
        columnLineage={"fields": fields},
    )


def fill(api: Api) -> None:
    """orders -> sums (price directly, day by a filter) -> report (no columns); owned by teams."""
    orders = dataset("orders", schema=schema(price="int", day="date"))
    sums = made("sums", "orders", {"total": ("price", "DIRECT"), "rows": ("day", "INDIRECT")})
    ended(api, "load", 5 * MINUTE, inputs=[orders], outputs=[sums], job_facets=owned("team:loads"))
    report = dataset("report", ownership={"owners": [{"name": "team:sales"}]})
    ended(api, "publish", 4 * MINUTE, inputs=[dataset("sums")], outputs=[report])


def assets(api: Api, node: str, **parameters: Any) -> dict[str, Any]:
    found = api.read("/impact", nodeId=node, **parameters)
    assert found["totalCount"] == len(found["assets"])
    return {each["name"]: each for each in found["assets"]}


class TestImpact:
    def test_of_a_dataset_is_all_downstream(self, api: Api) -> None:
        fill(api)
        found = assets(api, ORDERS)
        assert [(name, each["hops"]) for name, each in found.items()] == [
            ("sums", 1),
            ("load", 1),
            ("report", 2),
            ("publish", 2),
        ]
        assert found["sums"]["columns"] == ["rows", "total"]
        assert found["sums"]["dependency"] == "direct"
        assert found["report"]["dependency"] == "whole"
        assert found["load"]["dependency"] is None
        assert found["load"]["owners"] == ["team:loads"]
        assert api.read("/impact", nodeId=ORDERS)["owners"][0] == "team:loads"
        assert found["sums"]["lastUsedAt"]

    def test_of_a_column_is_what_is_made_of_it(self, api: Api) -> None:
        fill(api)
        price = assets(api, f"datasetField:{TABLES}:orders:price")
        assert price["sums"]["columns"] == ["total"]
        assert price["sums"]["dependency"] == "direct"
        day = assets(api, f"datasetField:{TABLES}:orders:day")
        assert day["sums"]["columns"] == ["rows"]
        assert day["sums"]["dependency"] == "indirect"
        assert "sums" not in assets(api, f"datasetField:{TABLES}:orders:day", indirect=False)
        assert "orders" not in price and "load" in price

    def test_of_a_job_is_what_it_writes_and_beyond(self, api: Api) -> None:
        fill(api)
        found = assets(api, f"job:{JOBS}:load")
        assert {name: each["hops"] for name, each in found.items()} == {
            "sums": 0,
            "report": 1,
            "publish": 1,
        }

    def test_of_the_end_is_nothing(self, api: Api) -> None:
        fill(api)
        assert assets(api, f"dataset:{TABLES}:report") == {}

    def test_is_cut_where_it_is_bounded(self, api: Api) -> None:
        fill(api)
        assert api.read("/impact", nodeId=ORDERS, depth=1)["isCut"]
        assert api.read("/impact", nodeId=ORDERS, limit=2)["isCut"]
        assert not api.read("/impact", nodeId=ORDERS)["isCut"]

    def test_unknown_and_wrong_nodes(self, sqlite_api: Api) -> None:
        error_of(sqlite_api.get("/impact", nodeId="dataset:n:none"), 404)
        error_of(sqlite_api.get("/impact", nodeId="none"), 400, "nodeId")


class TestEndsOfChains:
    def test_a_job_that_writes_nothing_is_affected_by_what_it_reads(self, api: Api) -> None:
        fill(api)
        ended(api, "board", 3 * MINUTE, inputs=[dataset("sums")], outputs=[])
        found = assets(api, f"datasetField:{TABLES}:orders:price")
        assert (found["board"]["type"], found["board"]["hops"]) == ("JOB", 2)
        near = assets(api, f"datasetField:{TABLES}:orders:price", depth=1)
        assert "board" not in near and "sums" in near

    def test_a_dashboard_of_dbt_is_reached_from_a_column_of_a_topic(
        self, sqlite_api: Api, tmp_path: Path
    ) -> None:
        api = sqlite_api
        way = {"type": "DIRECT", "subtype": "IDENTITY"}
        source = {"namespace": "kafka://broker:9092", "name": "orders"}
        fields = {
            "amount": {"inputFields": [{**source, "field": "amount", "transformations": [way]}]}
        }
        table = dataset("dw.raw.orders", columnLineage={"fields": fields})
        ended(
            api,
            "orders-sink",
            5 * MINUTE,
            inputs=[source],
            outputs=[{**table, "namespace": NAMESPACE}],
        )
        project = small_project()
        project.ran()
        target = project.write(tmp_path / "target")
        settings = DbtSettings(target=target, namespace=NAMESPACE, state=tmp_path / "state")
        api.store(*(each.data for each in DbtCollector(settings, "x").collect()))
        found = assets(api, "datasetField:kafka://broker:9092:orders:amount")
        assert found["dw.main.revenue"]["columns"] == ["revenue"]
        assert found["exposure.shop.board"]["owners"] == ["Ann"]
        other = assets(api, "datasetField:kafka://broker:9092:orders:amount", depth=2)
        assert "exposure.shop.board" not in other
