"""`POST /api/v1/sql/lineage`: columns of a text, with the graph as its catalog."""

from typing import Any

import pytest

from testing.api import Api

SCHEMA = {"fields": [{"name": "id", "type": "int"}, {"name": "name", "type": "string"}]}


def post(api: Api, **body: Any) -> Any:
    return api.client.post("/api/v1/sql/lineage", json=body)


def test_columns_by_the_schemas_that_are_sent(api: Api) -> None:
    answer = post(api, sql="SELECT * FROM t", dialect="spark", schemas={"t": ["a"]}).json()
    assert answer["inputs"] == ["t"]
    assert answer["columns"] == [{"out": [None, "a"], "in": [["t", "a"]]}]
    assert answer["dialect"] == "spark"


def test_the_graph_is_the_catalog(api: Api) -> None:
    facets = {"schema": {"_producer": "x", "_schemaURL": "x", **SCHEMA}}
    dataset = {"namespace": "postgres://db:5432", "name": "shop.public.orders", "facets": facets}
    event = {"eventTime": "2026-01-01T00:00:00Z", "producer": "x", "dataset": dataset}
    assert api.client.post("/api/v1/lineage", json=event).status_code == 201
    answer = post(api, sql="SELECT * FROM public.orders", graph=True).json()
    assert answer["tables"]["public.orders"]["name"] == "shop.public.orders"
    assert [each["out"][1] for each in answer["columns"]] == ["id", "name"]
    earlier = post(api, sql="SELECT * FROM public.orders", graph=True, asOf="2020-01-01").json()
    assert [each["out"][1] for each in earlier["columns"]] == ["*"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"sql": "SELECT 1", "dialect": "nonsense"}, 422),
        ({"sql": "SELECT 1", "asOf": "soon"}, 422),
        ({"dialect": "spark"}, 422),
        ({"sql": 1}, 422),
        ({"sql": "SELECT '"}, 200),
        ({"sql": "(" * 20_000}, 200),
        ({"sql": "\0", "graph": True}, 200),
        ({"sql": 'SELECT a FROM ""', "graph": True}, 200),
    ],
)
@pytest.mark.slow
def test_bad_input_is_answered(api: Api, body: dict[str, Any], status: int) -> None:
    assert post(api, **body).status_code == status
