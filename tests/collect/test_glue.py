"""`collect glue`: tables, crawlers and drawn jobs; the real calls are tested with moto."""

from typing import Any

from headwater.collect.catalog.events import job_uses
from headwater.collect.glue.translate import (
    PRODUCER,
    GlueNames,
    translate_crawler,
    translate_job,
    translate_table,
)
from headwater.model.naming import DatasetName

Json = dict[str, Any]
NAMES = GlueNames("eu-west-1", "123456789012")
GLUE = "arn:aws:glue:eu-west-1:123456789012"
ORDERS = DatasetName(GLUE, "table/sales/orders")


def table(name: str = "orders", location: str = "s3://lake/topics/orders/", **given: Any) -> Json:
    columns = [{"Name": "order_id", "Type": "int", "Comment": "its number"}]
    storage = {"Columns": columns, "Location": location}
    found = {"Name": name, "DatabaseName": "sales", "StorageDescriptor": storage, "Owner": "ada"}
    return {**found, **given}


def crawled(name: str = "orders", **given: Any) -> Json:
    return table(name, Parameters={"UPDATED_BY_CRAWLER": "crawl"}, **given)


def crawler(**targets: Any) -> Json:
    return {"Name": "crawl", "DatabaseName": "sales", "Role": "r", "Targets": targets}


def test_a_table_has_its_columns_its_owner_and_its_other_names() -> None:
    partitions = [{"Name": "day", "Type": "date"}]
    found = translate_table(NAMES, table(PartitionKeys=partitions, Description="All orders"))
    assert found.name == ORDERS
    assert found.others == (DatasetName("aws://eu-west-1/sales", "orders"),)
    assert found.location == DatasetName("s3://lake", "topics/orders")
    assert [each.name for each in found.columns] == ["order_id", "day"]
    assert (found.owner, found.description) == ("ada", "All orders")


def test_what_headwater_has_published_does_not_come_back() -> None:
    given = {"classification": "parquet", "headwater.jobs": "x", "recordCount": "9"}
    found = translate_table(NAMES, table(Parameters=given, Description="Lineage: of 1 topic"))
    assert found.description == ""
    assert found.facets["glue_table"]["parameters"] == {"classification": "parquet"}


def test_a_crawler_makes_its_tables_of_the_folders_below_its_targets() -> None:
    made = crawled()
    # What it found there is made of the files, and is no other name of them.
    assert translate_table(NAMES, made).location is None
    job, gaps = translate_crawler(
        NAMES, crawler(S3Targets=[{"Path": "s3://lake/topics"}]), [made, table("other")], {"t": "x"}
    )
    assert gaps == [] and job.tags == (("t", "x"),)
    assert job.flows == {ORDERS: {DatasetName("s3://lake", "topics/orders")}}
    inputs, outputs = job_uses(PRODUCER, job)
    assert [each["name"] for each in inputs] == ["topics/orders"]
    assert [each["name"] for each in outputs] == ["table/sales/orders"]


def test_a_crawler_of_other_systems() -> None:
    found = crawler(
        DynamoDBTargets=[{"Path": "orders"}],
        JdbcTargets=[{"ConnectionName": "shop", "Path": "shop/%"}],
        DeltaTargets=[{"DeltaTables": ["s3://lake/delta"]}],
    )
    job, gaps = translate_crawler(NAMES, found, [crawled(location="s3://elsewhere/x")], {})
    assert job.flows[ORDERS] == {
        DatasetName("dynamodb://eu-west-1", "orders"),
        DatasetName("s3://lake", "delta"),
    }
    assert [gap.name for gap in gaps] == ["crawl: shop/%"]


def test_a_crawler_that_has_marked_no_table_is_a_gap() -> None:
    job, gaps = translate_crawler(NAMES, crawler(S3Targets=[{"Path": "s3://lake/a"}]), [], {})
    assert (job.flows, job.inputs) == ({}, [DatasetName("s3://lake", "a")])
    assert [gap.kind for gap in gaps] == ["output"]


def test_a_drawn_job_goes_from_its_sources_to_its_targets() -> None:
    nodes = {
        "a": {"CatalogSource": {"Name": "orders", "Database": "sales", "Table": "orders"}},
        "b": {"S3JsonSource": {"Name": "prices", "Paths": ["s3://lake/prices/"]}},
        "j": {"Join": {"Name": "join", "Inputs": ["a", "b"]}},
        "t": {"S3DirectTarget": {"Name": "out", "Inputs": ["j"], "Path": "s3://lake/out"}},
        "u": {"RedshiftTarget": {"Name": "warehouse", "Inputs": ["a"], "ConnectionName": "c"}},
    }
    job, gaps = translate_job(NAMES, {"Name": "join", "CodeGenConfigurationNodes": nodes}, {})
    prices = DatasetName("s3://lake", "prices")
    assert job.flows == {DatasetName("s3://lake", "out"): {ORDERS, prices}}
    assert [gap.name for gap in gaps] == ["join: warehouse"]


def test_what_a_script_does_is_a_gap() -> None:
    found = {"Name": "script", "Command": {"Name": "glueetl", "ScriptLocation": "s3://s/x.py"}}
    job, gaps = translate_job(NAMES, found, {})
    assert (job.inputs, job.flows) == ([], {})
    assert "s3://s/x.py" in gaps[0].description
