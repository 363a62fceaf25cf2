"""`publish glue`, with the Glue of moto: tables really change, and only where they are to."""

import contextlib
from collections.abc import Iterator
from typing import Any

import boto3
import msgspec
import pytest

from headwater.answers.inventory.entries import DatasetRef
from headwater.errors import TargetUnavailable
from headwater.model.uses import Name
from headwater.publish.glue import GluePublisher, GlueSettings
from headwater.publish.glue.items import table_key
from headwater.store.engine import Engine
from testing.events.bridge import GLUE, KAFKA
from testing.events.minimal import dataset, run_event
from testing.services.moto import Moto
from tests.publish.conftest import Fill, run

REGION = "eu-west-1"


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    with Moto.start() as service:
        yield service


@pytest.fixture
def glue(moto: Moto, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The catalog, with the table of the estate as somebody has made it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    client = boto3.client("glue", region_name=REGION, endpoint_url=moto.url)
    with contextlib.suppress(client.exceptions.EntityNotFoundException):
        client.delete_database(Name="sales")
    client.create_database(DatabaseInput={"Name": "sales"})
    columns = [{"Name": "order_id", "Type": "int"}]
    client.create_table(
        DatabaseName="sales",
        TableInput={
            "Name": "orders",
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {"classification": "parquet"},
            "StorageDescriptor": {"Columns": columns, "Location": "s3://lake/orders"},
        },
    )
    return client


def publisher(moto: Moto, store: Engine, **more: Any) -> GluePublisher:
    given = {"region": REGION, "endpoint_url": moto.url, **more}
    return GluePublisher(GlueSettings.model_validate(given), store)


def read(glue: Any) -> Any:
    return glue.get_table(DatabaseName="sales", Name="orders")["Table"]


def versions(glue: Any) -> int:
    return len(glue.get_table_versions(DatabaseName="sales", TableName="orders")["TableVersions"])


@pytest.mark.integration
class TestWithMoto:
    def test_a_table_is_changed_once(self, moto: Moto, glue: Any, shop: Engine) -> None:
        before = versions(glue)
        done = run(publisher(moto, shop))
        assert (done.created, done.refused, done.skipped) == (1, 0, 0)
        table = read(glue)
        assert table["Parameters"]["classification"] == "parquet"
        assert (
            table["Parameters"]["headwater.source_topics"]
            == f"{KAFKA}/orders, {KAFKA}/orders.enriched"
        )
        columns = msgspec.json.decode(table["Parameters"]["headwater.columns"])
        assert columns["amount"] == [f"{KAFKA}/orders.enriched#amount"]
        assert "orders.enriched" in table["Description"]
        assert table["StorageDescriptor"]["Location"] == "s3://lake/orders"
        after = versions(glue)
        assert after <= before + 1
        assert run(publisher(moto, shop)).sent == 0
        # Also where nothing is known of what was published: the table is as it should be.
        assert run(publisher(moto, shop, name="other")).created == 1
        assert versions(glue) == after

    def test_a_description_of_a_person_stays(self, moto: Moto, glue: Any, shop: Engine) -> None:
        glue.update_table(
            DatabaseName="sales", TableInput={"Name": "orders", "Description": "Ask Ann"}
        )
        run(publisher(moto, shop))
        assert read(glue)["Description"] == "Ask Ann"
        assert "headwater.upstream_chain" in read(glue)["Parameters"]

    def test_changed_by_others_and_gone(self, moto: Moto, glue: Any, shop: Engine) -> None:
        run(publisher(moto, shop))
        glue.update_table(
            DatabaseName="sales", TableInput={"Name": "orders", "Parameters": {"a": "b"}}
        )
        assert run(publisher(moto, shop)).sent == 0
        assert run(publisher(moto, shop, verify=True)).updated == 1
        assert read(glue)["Parameters"]["a"] == "b"
        with shop.begin() as connection:
            connection.exec_driver_sql("DELETE FROM job_dataset")
        assert run(publisher(moto, shop, prune=True)).removed == 1
        assert read(glue)["Parameters"] == {"a": "b"}

    def test_a_table_that_is_not_there(
        self, moto: Moto, glue: Any, store: Engine, fill: Fill
    ) -> None:
        target = dataset("table/sales/none", GLUE)
        fill(
            [
                msgspec.json.encode(
                    run_event("COMPLETE", inputs=[dataset("t", KAFKA)], outputs=[target])
                )
            ]
        )
        done = run(publisher(moto, store))
        assert (done.created, done.refused, done.skipped) == (0, 0, 1)

    def test_a_long_chain(self, moto: Moto, glue: Any, store: Engine, fill: Fill) -> None:
        many = [dataset(f"{'topic' * 40}-{number}", KAFKA) for number in range(400)]
        target = dataset("table/sales/orders", GLUE)
        fill([msgspec.json.encode(run_event("COMPLETE", inputs=many, outputs=[target]))])
        assert run(publisher(moto, store)).refused == 0
        parameters = read(glue)["Parameters"]
        assert parameters["headwater.upstream_truncated"] == "true"
        assert "more" in parameters["headwater.source_topics"]
        assert len(read(glue)["Description"]) <= 2_048

    def test_check(self, moto: Moto, glue: Any, shop: Engine) -> None:
        assert all(step.is_ok for step in publisher(moto, shop).check())


def test_nobody_is_there(shop: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very-secret")
    given = {"region": REGION, "endpoint_url": "http://127.0.0.1:1"}
    one = GluePublisher(GlueSettings.model_validate(given), shop)
    with pytest.raises(TargetUnavailable):
        run(one)
    assert not all(step.is_ok for step in one.check())


def test_names_of_tables() -> None:
    def key(namespace: str, name: str, account: str = "") -> str | None:
        return table_key(DatasetRef(Name(namespace, name)), REGION, account)

    assert key(GLUE, "table/sales/orders") == "sales/orders"
    assert key(GLUE, "table/sales/orders", "123456789012") == "sales/orders"
    assert key(GLUE, "table/sales/orders", "999999999999") is None
    assert key(GLUE.replace("eu-west-1", "us-east-1"), "table/sales/orders") is None
    assert key(f"aws://{REGION}/sales", "orders") == "sales/orders"
    assert key(KAFKA, "orders") is None
