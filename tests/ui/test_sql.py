"""SQL in the web UI: a job's own, linked to the graph, and the page that takes any."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from headwater.emit.events import Producer
from headwater.emit.spec import SQL_LINEAGE, producer_url
from testing.api import Api
from testing.site import SUMMARY_JOB, Site, field_id
from tests.ui.events import event, facet, run_id, table

pytestmark = pytest.mark.integration

SQL = "insert into totals\nselect o.price + o.tax as amount, name\nfrom shop.orders as o, other"
FLINK = """\
CREATE TABLE orders (id BIGINT, price DECIMAL(10, 2), tax DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 'orders');
CREATE TABLE rates (currency STRING, rate DECIMAL(10, 4))
  WITH ('connector' = 'upsert-kafka', 'topic' = 'rates');
CREATE TABLE totals (hour_start TIMESTAMP(3), amount DECIMAL(20, 2))
  WITH ('connector' = 'kafka', 'topic' = 'totals');
CREATE TABLE converted (id BIGINT, amount DECIMAL(20, 2))
  WITH ('connector' = 'kafka', 'topic' = 'converted');
EXECUTE STATEMENT SET BEGIN
INSERT INTO totals SELECT window_start, SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start;
INSERT INTO converted SELECT o.id, o.price * r.rate FROM orders AS o
JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON r.currency = 'EUR';
END;
SELECT FROM WHERE"""


def open_job(site: Site, names: tuple[str, str]) -> None:
    site.open("/job", namespace=names[0], name=names[1])
    site.page.locator(".source-list").wait_for()


def lit(page: Page, kind: str) -> list[str]:
    return page.locator(f".sql .lit-{kind}").all_inner_texts()


def test_a_job_s_sql_leads_to_tables_and_columns_and_lights_sources(site: Site) -> None:
    page = site.page
    open_job(site, SUMMARY_JOB)
    expect(page.locator(".sql .keyword").first).to_have_text("create")
    mark = page.locator(".sql .mark", has_text="customers")
    mark.hover()
    expect(mark).to_have_class(re.compile("lit-self"))
    assert lit(page, "source") == ["customer_email_hash"]
    row = page.locator(".source-list li.lit")
    expect(row).to_contain_text("orders_fact.customer_email_hash (AGGREGATION")
    # By the keyboard as well, and the other way round.
    page.locator(".sql .mark", has_text="is_discounted").focus()
    expect(page.locator(".sql .lit-target")).to_have_text("discounted_orders")
    assert site.violations() == []
    page.locator(".sql .mark", has_text="analytics.marts.orders_fact").click()
    expect(page).to_have_url(re.compile("/dataset.*orders_fact"))
    page.go_back()
    page.locator(".sql .mark", has_text="customer_email_hash").click()
    expect(page).to_have_url(re.compile("/column.*field=customer_email_hash"))


def test_what_was_inferred_is_marked_everywhere(own: tuple[Site, Api]) -> None:
    site, api = own
    page = site.page
    store_inferred(api)
    open_job(site, ("jobs", "load"))
    # `name` may be of either table, and `other` is no dataset of the job.
    marks = ["totals", "o.price", "o.tax", "amount", "shop.orders"]
    expect(page.locator(".sql .mark")).to_have_text(marks)
    row = page.locator(".source-list li").first
    expect(row).to_contain_text("amount ← orders.price (TRANSFORMATION)")
    expect(row).to_contain_text("inferred from SQL")
    site.open("/run", id=run_id(1))
    expect(page.locator(".sql .mark")).to_have_text(marks)
    site.open("/column", namespace="db://host", name="totals", field="amount")
    expect(page.locator(".edge-row").first).to_contain_text("inferred from SQL")
    site.open_graph(
        node="dataset:db://host:totals", column=field_id(("db://host", "totals"), "amount")
    )
    expect(page.locator(".wire.column.inferred").first).to_be_attached()
    expect(page.locator(".lines-legend")).to_contain_text("inferred from SQL")
    expect(page.get_by_label("Details", exact=True)).to_contain_text("edges inferred from SQL")
    assert site.violations() == []


def store_inferred(api: Api) -> None:
    """A run whose producer states the SQL and no columns, and what was derived from that."""
    source = table("shop.orders", ["price", "tax", "name"])
    target = table("totals", ["amount", "name"])
    job = {"namespace": "jobs", "name": "load"}
    run = event("load", [source], [target])
    run["job"]["facets"] = {"sql": {**facet("SQLJobFacet"), "query": SQL}}
    api.store(run)
    by = Producer(producer_url(SQL_LINEAGE))
    ways = [{"type": "DIRECT", "subtype": "TRANSFORMATION"}]
    inputs = [
        {"namespace": "db://host", "name": "shop.orders", "field": field, "transformations": ways}
        for field in ("price", "tax")
    ]
    lineage = by.facet("ColumnLineageDatasetFacet", fields={"amount": {"inputFields": inputs}})
    derived = {**target, "facets": {"columnLineage": lineage}}
    api.store(by.job_event(job, [table("shop.orders")], [derived]))


def fill(site: Site, sql: str) -> Locator:
    """Paste SQL and ask for its lineage."""
    box = site.page.get_by_role("textbox", name="SQL", exact=True)
    box.fill(sql)
    box.press("Control+Enter")
    return box


def test_pasted_sql_is_drawn_with_tables_columns_and_problems(site: Site) -> None:
    page = site.page
    site.open("/")
    page.get_by_role("link", name="SQL", exact=True).click()
    box = fill(site, FLINK)
    expect(page.get_by_text("Read as Flink.")).to_be_visible()
    page.locator(".wire.column.direct").first.wait_for(state="attached")
    tables = {f"table:{name}" for name in ("orders", "rates", "totals", "converted")}
    assert tables <= site.shown()
    rows = page.locator(".source-list li")
    row = rows.filter(has_text="totals.amount")
    expect(row).to_contain_text("totals.amount ← orders.price (AGGREGATION)")
    expect(rows.filter(has_text="converted.amount")).to_contain_text("rates.rate (TRANSFORMATION)")
    # Only what a column is made from, by a click.
    site.node("table:totals").get_by_role("button", name="amount").click()
    expect(page.locator(".wire.column")).to_have_count(1)
    page.get_by_role("button", name="Back to all columns").click()
    assert site.violations() == []
    # The options of its connectors name no broker: those are problems too.
    page.locator(".problem", has_text="line 15").click()
    expect(box).to_be_focused()
    selected = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
    assert box.evaluate(selected) in "SELECT FROM WHERE"
    # In this tab, and not in the address.
    assert page.url == f"{site.url}/sql"
    page.reload()
    expect(box).to_have_value(FLINK)


def test_sql_uses_the_schemas_of_the_server_and_shows_hostile_names_as_text(site: Site) -> None:
    page = site.page
    site.open("/sql")
    hostile = "<img src=x onerror=alert(1)>"
    fill(site, f'insert into "{hostile}" select * from analytics.marts.orders_fact')
    sources = page.locator(".source-list li")
    expect(sources.filter(has_text="orders_fact.customer_email_hash")).to_contain_text(hostile)
    expect(page.locator(".source-list a", has_text="orders_fact.revenue")).to_be_visible()
    page.get_by_role("checkbox", name="Use the schemas of this server").uncheck()
    fill(site, "select * from analytics.marts.orders_fact")
    expect(page.locator(".problem")).to_contain_text("orders_fact")
    expect(page.locator(".source-list a")).to_have_count(0)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, {"code": 404, "message": "Not found"}, "of an older version"),
        (413, {"code": 413, "message": "The body is too large"}, "The body is too large"),
        (500, {}, "The request failed"),
    ],
)
def test_a_server_that_refuses_sql_is_explained(
    site: Site, status: int, body: dict[str, Any], words: str
) -> None:
    """Of these servers there is none here: the answer alone is theirs."""

    def refuse(route: Route) -> None:
        route.fulfill(status=status, json=body)

    site.page.route("**/api/v1/sql/lineage", refuse)
    site.open("/sql")
    fill(site, "select 1")
    expect(site.page.get_by_role("alert")).to_contain_text(words)
