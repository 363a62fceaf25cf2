"""`collect google`: BigQuery's tables, and the processes that link them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collect.google import GoogleCollector, GoogleReadSettings
from headwater.collect.google.names import dataset_name
from headwater.errors import SourceUnavailable
from testing.stand_ins.catalogs import PARENT, TOKEN, fill_google
from testing.stand_ins.google_lineage import GoogleLineageStandIn
from testing.stand_ins.recording import serve_written

Json = dict[str, Any]


@pytest.fixture
def google() -> Iterator[GoogleLineageStandIn]:
    with serve_written(GoogleLineageStandIn(TOKEN)) as found:
        fill_google(found)
        yield found


def collect(google: GoogleLineageStandIn, folder: Path, **more: Any) -> dict[str, Json]:
    """One pass by a collector made anew; its events by the name of their dataset or job."""
    token = folder / "token"
    token.write_text(TOKEN)
    urls = {"url": google.url, "bigquery_url": google.url}
    given = {"project": "acme", "token": f"file:{token}", "state": folder / "state", **urls, **more}
    collector = GoogleCollector(GoogleReadSettings(**given), "http://server")
    found = list(collector.collect())
    collector.acknowledge(found)
    events = [json.loads(each.data) for each in found]
    return {(e.get("dataset") or e["job"])["name"]: e for e in events}


def test_tables_and_the_processes_between_them(
    google: GoogleLineageStandIn, tmp_path: Path
) -> None:
    found = collect(google, tmp_path)
    assert set(found) == {
        *("acme.sales.orders", "acme.gold.daily", "acme.gold.weekly", "bq-1", "export-1")
    }
    facets = found["acme.sales.orders"]["dataset"]["facets"]
    assert facets["schema"]["fields"] == [{"name": "order_id", "type": "INTEGER"}]
    assert facets["tags"]["tags"] == [{"key": "domain", "value": "sales"}]
    (other,) = facets["symlinks"]["identifiers"]
    assert (other["namespace"], other["name"]) == ("google://acme/sales", "orders")
    job = found["bq-1"]
    assert job["job"]["namespace"] == "google://acme/us"
    assert job["job"]["facets"]["jobType"]["jobType"] == "CATALOG_QUERY"
    assert job["job"]["facets"]["documentation"]["description"] == "scheduled query daily"
    assert [each["name"] for each in job["inputs"]] == ["acme.sales.orders"]
    (file,) = found["export-1"]["outputs"]
    assert (file["namespace"], file["name"]) == ("gs://reports", "daily")
    assert collect(google, tmp_path) == {}


def test_from_some_tables_as_far_as_lineage_goes(
    google: GoogleLineageStandIn, tmp_path: Path
) -> None:
    found = collect(google, tmp_path, tables=("acme.sales.orders",))
    assert set(found) == {"acme.sales.orders", "acme.gold.daily", "bq-1", "export-1"}


def test_what_headwater_has_published_does_not_come_back(
    google: GoogleLineageStandIn, tmp_path: Path
) -> None:
    process = google.processes[f"{PARENT}/processes/bq-1"]
    process["attributes"] = {"managed_by": "headwater"}
    assert "bq-1" not in collect(google, tmp_path)


def test_what_may_not_be_read_is_a_gap(google: GoogleLineageStandIn, tmp_path: Path) -> None:
    google.forbidden.add("tables/weekly")
    found = collect(google, tmp_path)
    (event,) = (event for name, event in found.items() if name.startswith("collect google"))
    (gap,) = event["run"]["facets"]["headwater_gaps"]["gaps"]
    assert gap["name"] == "table acme.gold.weekly"
    assert "answered 403" in gap["description"]


def test_a_token_that_is_refused_ends_the_pass(
    google: GoogleLineageStandIn, tmp_path: Path
) -> None:
    google.token = "another"
    with pytest.raises(SourceUnavailable) as raised:
        collect(google, tmp_path)
    assert "--token" in str(raised.value) and TOKEN not in str(raised.value)


@pytest.mark.parametrize(
    ("qualified", "expected"),
    [
        ("bigquery:acme.sales.orders", ("bigquery", "acme.sales.orders")),
        ("kafka:`broker:9092`.`orders.v1`", ("kafka://broker:9092", "orders.v1")),
        ("gcs:reports.daily", ("gs://reports", "daily")),
        ("pubsub:topic:acme.orders", ("pubsub", "topic:acme:orders")),
        ("spanner:a.b", ("spanner", "a.b")),
        ("odd", ("google", "odd")),
    ],
)
def test_qualified_names_are_those_of_openlineage(
    qualified: str, expected: tuple[str, str]
) -> None:
    assert tuple(dataset_name(qualified)) == expected
