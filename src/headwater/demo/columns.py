"""Which column of the example comes from which, and how."""

from typing import NamedTuple

from headwater.demo.build import Clock, Json, System
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


class ColumnSourceSpec(NamedTuple):
    """An output column's source; without an output it decides over whole rows."""

    output: str
    source: Table
    column: str
    how: How = SAME


def _computed(text: str) -> How:
    return How("DIRECT", "TRANSFORMATION", text)


def _aggregated(text: str) -> How:
    return How("DIRECT", "AGGREGATION", text)


def _same(source: Table, *names: str) -> tuple[ColumnSourceSpec, ...]:
    return tuple(ColumnSourceSpec(name, source, name) for name in names)


def _all_of(source: Table, target: Table) -> tuple[ColumnSourceSpec, ...]:
    """Every column that both have."""
    both = {column.name for column in source.columns}
    return _same(source, *(column.name for column in target.columns if column.name in both))


_ON_CUSTOMER = How("INDIRECT", "JOIN", "orders.customer_id = customers.customer_id")
_NOT_CANCELLED = How("INDIRECT", "FILTER", "status <> 'cancelled'")
_BY_DAY = How("INDIRECT", "GROUP_BY", "group by order_date, country")
_THIS_WEEK = How("INDIRECT", "FILTER", "order_date > current_date - 7")
_HASHED = How("DIRECT", "TRANSFORMATION", "sha2(lower(customer_email), 256)", masking=True)

LINKS: dict[Table, tuple[ColumnSourceSpec, ...]] = {
    ORDER_CHANGES: _all_of(ORDERS, ORDER_CHANGES),
    CUSTOMER_CHANGES: _all_of(CUSTOMERS, CUSTOMER_CHANGES),
    ENRICHED: (
        *_same(ORDER_CHANGES, "order_id", "customer_id", "sku", "quantity", "price", "status"),
        *_same(ORDER_CHANGES, "coupon_code"),
        ColumnSourceSpec("ordered_at", ORDER_CHANGES, "created_at"),
        ColumnSourceSpec("customer_email", CUSTOMER_CHANGES, "email"),
        ColumnSourceSpec("customer_country", CUSTOMER_CHANGES, "country"),
        ColumnSourceSpec("", ORDER_CHANGES, "customer_id", _ON_CUSTOMER),
        ColumnSourceSpec("", CUSTOMER_CHANGES, "customer_id", _ON_CUSTOMER),
    ),
    ALERTS: (
        *_same(ENRICHED, "order_id"),
        ColumnSourceSpec("score", ENRICHED, "price", _computed("model(price, customer_country)")),
        ColumnSourceSpec(
            "score", ENRICHED, "customer_country", _computed("model(price, customer_country)")
        ),
    ),
    RAW: _all_of(ENRICHED, RAW),
    FACT: (
        *_same(RAW, "order_id", "quantity", "price"),
        ColumnSourceSpec("customer_email_hash", RAW, "customer_email", _HASHED),
        ColumnSourceSpec("country", RAW, "customer_country"),
        ColumnSourceSpec("order_date", RAW, "ordered_at", _computed("ordered_at::date")),
        ColumnSourceSpec("revenue", RAW, "quantity", _computed("quantity * price")),
        ColumnSourceSpec("revenue", RAW, "price", _computed("quantity * price")),
        ColumnSourceSpec("is_discounted", RAW, "coupon_code", _computed("coupon_code is not null")),
        ColumnSourceSpec("", RAW, "status", _NOT_CANCELLED),
    ),
    SUMMARY: (
        *_same(FACT, "order_date", "country"),
        ColumnSourceSpec("revenue", FACT, "revenue", _aggregated("sum(revenue)")),
        ColumnSourceSpec("orders", FACT, "order_id", _aggregated("count(order_id)")),
        ColumnSourceSpec(
            "customers",
            FACT,
            "customer_email_hash",
            _aggregated("count(distinct customer_email_hash)"),
        ),
        ColumnSourceSpec(
            "discounted_orders", FACT, "is_discounted", _aggregated("count_if(is_discounted)")
        ),
        ColumnSourceSpec("", FACT, "order_date", _BY_DAY),
        ColumnSourceSpec("", FACT, "country", _BY_DAY),
    ),
    DASHBOARD: (
        ColumnSourceSpec("revenue_last_7_days", SUMMARY, "revenue", _aggregated("sum(revenue)")),
        ColumnSourceSpec("revenue_by_country", SUMMARY, "revenue", _aggregated("sum(revenue)")),
        ColumnSourceSpec("revenue_by_country", SUMMARY, "country", How("INDIRECT", "GROUP_BY")),
        ColumnSourceSpec(
            "customers_last_7_days", SUMMARY, "customers", _aggregated("sum(customers)")
        ),
        ColumnSourceSpec(
            "average_order_value", SUMMARY, "revenue", _computed("sum(revenue) / sum(orders)")
        ),
        ColumnSourceSpec(
            "average_order_value", SUMMARY, "orders", _computed("sum(revenue) / sum(orders)")
        ),
        ColumnSourceSpec("", SUMMARY, "order_date", _THIS_WEEK),
    ),
}


def derived(table: Table, by: System, at: int, clock: Clock) -> Json:
    """An output with all its facets, column lineage included."""
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
