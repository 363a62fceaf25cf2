"""Tables of catalogs by the names that others have for them, without a word of the event."""

import pytest

from headwater.model.project import project
from headwater.model.values.ids import dataset_id
from testing.events.full import Json, dataset_event, decode, edit_event, job_event, run_event

HOST = "dbc-1.cloud.databricks.com"
UNITY = {"namespace": f"databricks://https://{HOST}", "name": "main.sales.orders"}
BIGQUERY = {"namespace": "google://shop/sales", "name": "orders"}


def aliases(event: Json) -> set[tuple[bytes, bytes]]:
    facts = project(decode(event))
    return {(row[0], row[1]) for row in facts.rows.get("alias", ())}


def pairs(table: Json, *others: tuple[str, str]) -> set[tuple[bytes, bytes]]:
    return {(dataset_id(**table), dataset_id(*other)) for other in others}


UNITY_NAMES = pairs(
    UNITY,
    (f"databricks://{HOST}", "main.sales.orders"),
    (f"unitycatalog://{HOST}", "main.sales.orders"),
)
BIGQUERY_NAMES = pairs(BIGQUERY, ("bigquery", "shop.sales.orders"))


@pytest.mark.parametrize("make", [run_event, job_event])
def test_tables_of_jobs_and_runs(make: object) -> None:
    assert callable(make)
    assert aliases(make(inputs=[UNITY], outputs=[BIGQUERY])) == UNITY_NAMES | BIGQUERY_NAMES


def test_a_table_that_is_described() -> None:
    assert aliases(dataset_event(dataset=BIGQUERY)) == BIGQUERY_NAMES


@pytest.mark.parametrize(
    "table",
    [
        {"namespace": "databricks://workspace-1", "name": "main.sales.orders"},
        {"namespace": "aws://eu-west-1/sales", "name": "orders"},
        {"namespace": "google://shop", "name": "sales.orders"},
        {"namespace": "bigquery", "name": "shop.sales.orders"},
    ],
)
def test_names_that_do_not_say_another(table: Json) -> None:
    assert aliases(dataset_event(dataset=table)) == set()


def test_an_edit_names_nothing_else() -> None:
    assert aliases(edit_event(entity={"type": "dataset", **BIGQUERY})) == set()
