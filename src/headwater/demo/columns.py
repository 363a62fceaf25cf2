"""Which column of the example comes from which, and how."""

from typing import NamedTuple

from headwater.demo.build import Clock, Json, Producer
from headwater.demo.tables import (
    ALERTS,
    CUSTOMER_CHANGES,
    CUSTOMERS,
    DASHBOARD,
    ENRICHED,
    FACT,
    ORDER_CHANGES,
    ORDERS,
    RAW,
    SUMMARY,
    Table,
)


class How(NamedTuple):
    """A transformation as OpenLineage names it."""

    type: str
    subtype: str
    description: str = ""
    masking: bool = False

    def stated(self) -> Json:
        return self._asdict()


SAME = How("DIRECT", "IDENTITY")


class Link(NamedTuple):
    """An output column's source; without an output it decides over whole rows."""

    output: str
    source: Table
    column: str
    how: How = SAME


def _computed(text: str) -> How:
    return How("DIRECT", "TRANSFORMATION", text)


def _aggregated(text: str) -> How:
    return How("DIRECT", "AGGREGATION", text)


def _same(source: Table, *names: str) -> tuple[Link, ...]:
    return tuple(Link(name, source, name) for name in names)


def _all_of(source: Table, target: Table) -> tuple[Link, ...]:
    """Every column that both have."""
    both = {column.name for column in source.columns}
    return _same(source, *(column.name for column in target.columns if column.name in both))


_ON_CUSTOMER = How("INDIRECT", "JOIN", "orders.customer_id = customers.customer_id")
_NOT_CANCELLED = How("INDIRECT", "FILTER", "status <> 'cancelled'")
_BY_DAY = How("INDIRECT", "GROUP_BY", "group by order_date, country")
_THIS_WEEK = How("INDIRECT", "FILTER", "order_date > current_date - 7")
_HASHED = How("DIRECT", "TRANSFORMATION", "sha2(lower(customer_email), 256)", masking=True)

LINKS: dict[Table, tuple[Link, ...]] = {
    ORDER_CHANGES: _all_of(ORDERS, ORDER_CHANGES),
    CUSTOMER_CHANGES: _all_of(CUSTOMERS, CUSTOMER_CHANGES),
    ENRICHED: (
        *_same(ORDER_CHANGES, "order_id", "customer_id", "sku", "quantity", "price", "status"),
        *_same(ORDER_CHANGES, "coupon_code"),
        Link("ordered_at", ORDER_CHANGES, "created_at"),
        Link("customer_email", CUSTOMER_CHANGES, "email"),
        Link("customer_country", CUSTOMER_CHANGES, "country"),
        Link("", ORDER_CHANGES, "customer_id", _ON_CUSTOMER),
        Link("", CUSTOMER_CHANGES, "customer_id", _ON_CUSTOMER),
    ),
    ALERTS: (
        *_same(ENRICHED, "order_id"),
        Link("score", ENRICHED, "price", _computed("model(price, customer_country)")),
        Link("score", ENRICHED, "customer_country", _computed("model(price, customer_country)")),
    ),
    RAW: _all_of(ENRICHED, RAW),
    FACT: (
        *_same(RAW, "order_id", "quantity", "price"),
        Link("customer_email_hash", RAW, "customer_email", _HASHED),
        Link("country", RAW, "customer_country"),
        Link("order_date", RAW, "ordered_at", _computed("ordered_at::date")),
        Link("revenue", RAW, "quantity", _computed("quantity * price")),
        Link("revenue", RAW, "price", _computed("quantity * price")),
        Link("is_discounted", RAW, "coupon_code", _computed("coupon_code is not null")),
        Link("", RAW, "status", _NOT_CANCELLED),
    ),
    SUMMARY: (
        *_same(FACT, "order_date", "country"),
        Link("revenue", FACT, "revenue", _aggregated("sum(revenue)")),
        Link("orders", FACT, "order_id", _aggregated("count(order_id)")),
        Link(
            "customers",
            FACT,
            "customer_email_hash",
            _aggregated("count(distinct customer_email_hash)"),
        ),
        Link("discounted_orders", FACT, "is_discounted", _aggregated("count_if(is_discounted)")),
        Link("", FACT, "order_date", _BY_DAY),
        Link("", FACT, "country", _BY_DAY),
    ),
    DASHBOARD: (
        Link("revenue_last_7_days", SUMMARY, "revenue", _aggregated("sum(revenue)")),
        Link("revenue_by_country", SUMMARY, "revenue", _aggregated("sum(revenue)")),
        Link("revenue_by_country", SUMMARY, "country", How("INDIRECT", "GROUP_BY")),
        Link("customers_last_7_days", SUMMARY, "customers", _aggregated("sum(customers)")),
        Link("average_order_value", SUMMARY, "revenue", _computed("sum(revenue) / sum(orders)")),
        Link("average_order_value", SUMMARY, "orders", _computed("sum(revenue) / sum(orders)")),
        Link("", SUMMARY, "order_date", _THIS_WEEK),
    ),
}


def derived(table: Table, by: Producer, at: int, clock: Clock) -> Json:
    """An output with all that is said of it, the columns it is made from included."""
    described = table.described(by, at, clock)
    fields: dict[str, Json] = {}
    rows: list[Json] = []
    known = {field["name"] for field in described["facets"]["schema"]["fields"]}
    for link in LINKS[table]:
        source = {**link.source.named(), "field": link.column}
        source["transformations"] = [link.how.stated()]
        if not link.output:
            rows.append(source)
        elif link.output in known:
            fields.setdefault(link.output, {"inputFields": []})["inputFields"].append(source)
    lineage = by.facet("ColumnLineageDatasetFacet", fields=fields, dataset=rows)
    described["facets"]["columnLineage"] = lineage
    return described
