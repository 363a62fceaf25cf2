"""Catalogs with something downstream in them, for what is read back from there."""

from typing import Any

from testing.stand_ins.databricks import DatabricksStandIn
from testing.stand_ins.google_lineage import GoogleLineageStandIn

TOKEN = "very-secret-token"
PARENT = "projects/acme/locations/us"
COLUMNS = {"order_id": "int", "amount": "decimal(10,2)"}
NOTEBOOK = {"workspace_id": 42, "notebook_id": 1001}
JOB = {"workspace_id": 42, "job_id": 7}
QUERY = {"workspace_id": 42, "query_id": "q-1"}


def fill_databricks(workspace: DatabricksStandIn) -> None:
    """main.sales.orders -> main.gold.daily by a job and its notebook; a saved query reads that."""
    workspace.add_table("main.sales.orders", None, COLUMNS, owner="ada@example.com")
    workspace.add_table("main.gold.daily", "Orders a day", {"day": "date", "total": "decimal"})
    workspace.add_table("system.access.audit")
    between = ("main.sales.orders", "main.gold.daily")
    workspace.add_lineage(*between, jobInfos=[JOB], notebookInfos=[NOTEBOOK])
    workspace.add_column_lineage(*between, total="amount")
    workspace.add_reader("main.gold.daily", queryInfos=[QUERY])
    workspace.tags["main.sales.orders"] = [{"tag_key": "domain", "tag_value": "sales"}]
    privileges = [
        {"privilege": "SELECT"},
        {"privilege": "MODIFY", "inherited_from_name": "main", "inherited_from_type": "CATALOG"},
    ]
    workspace.grants["main.sales.orders"] = [{"principal": "analysts", "privileges": privileges}]
    settings = {"name": "nightly totals", "tags": {"team": "finance"}}
    workspace.jobs["7"] = {"creator_user_name": "bob@example.com", "settings": settings}
    workspace.queries["q-1"] = {
        "display_name": "Revenue",
        "owner_user_name": "eve@example.com",
        "query_text": "SELECT sum(total) FROM main.gold.daily",
    }


def fill_google(google: GoogleLineageStandIn) -> None:
    """acme.sales.orders -> acme.gold.daily by a job of BigQuery -> a file of Cloud Storage."""
    google.add_table("acme.sales.orders", {"order_id": "INTEGER"}, labels={"domain": "sales"})
    google.add_table("acme.gold.daily", {"total": "NUMERIC"}, description="Orders a day")
    google.add_table("acme.gold.weekly", {"total": "NUMERIC"})
    origin = {"sourceType": "BIGQUERY", "name": PARENT}
    google.add_process(
        PARENT,
        "bq-1",
        "bigquery:acme.sales.orders",
        "bigquery:acme.gold.daily",
        displayName="scheduled query daily",
        origin=origin,
        attributes={"bigquery_job_id": "acme:us.job_1"},
    )
    google.add_process(
        PARENT, "export-1", "bigquery:acme.gold.daily", "gcs:reports.daily", origin=origin
    )


def fill_glue(client: Any) -> None:
    """A crawler that has made a table of a folder, and a drawn job from that table to another."""
    client.create_database(DatabaseInput={"Name": "sales"})
    for name, location, parameters in (
        ("orders", "s3://lake/topics/orders", {"UPDATED_BY_CRAWLER": "crawl-sales"}),
        ("daily", "s3://lake/daily", {"classification": "parquet"}),
    ):
        columns = [{"Name": "order_id", "Type": "int", "Comment": "its number"}]
        client.create_table(
            DatabaseName="sales",
            TableInput={
                "Name": name,
                "Owner": "ada",
                "TableType": "EXTERNAL_TABLE",
                "Parameters": parameters,
                "StorageDescriptor": {"Columns": columns, "Location": location},
            },
        )
    role = "arn:aws:iam::123456789012:role/glue"
    client.create_crawler(
        Name="crawl-sales",
        Role=role,
        DatabaseName="sales",
        Targets={"S3Targets": [{"Path": "s3://lake/topics"}]},
        Tags={"team": "sales"},
    )
    ends = [
        ("CatalogSource", {"Name": "orders", "Database": "sales", "Table": "orders"}),
        ("ApplyMapping", {"Name": "map", "Inputs": ["1"], "Mapping": []}),
        (
            "CatalogTarget",
            {"Name": "daily", "Inputs": ["2"], "Database": "sales", "Table": "daily"},
        ),
    ]
    client.create_job(
        Name="daily-totals",
        Role=role,
        Command={"Name": "glueetl", "ScriptLocation": "s3://scripts/daily.py"},
        CodeGenConfigurationNodes={
            str(number): {kind: settings} for number, (kind, settings) in enumerate(ends, 1)
        },
    )
