"""The datasets of the example: their columns before and after the change, owners and tags."""

from typing import NamedTuple

from headwater.demo.build import HOUR, Clock, Json, System, owners
from headwater.model.naming import DatasetName, kafka, postgres, snowflake
from headwater.model.values.instant import MINUTE

_BROKER = "broker:9092"
_ACCOUNT = "acme-shop"
DASHBOARDS = "superset://bi:8088"


class TableColumn(NamedTuple):
    name: str
    type: str
    description: str
    is_added: bool = False
    is_pii: bool = False


class Table(NamedTuple):
    """A dataset; the added column reaches it `delay` after it was added to the orders."""

    at: DatasetName
    owner: str
    description: str
    columns: tuple[TableColumn, ...]
    delay: int = 0

    def named(self) -> Json:
        return self.at._asdict()

    def is_changed(self, at: int, clock: Clock) -> bool:
        return at >= clock.change + self.delay

    def described(self, by: System, at: int, clock: Clock) -> Json:
        """The dataset with all its facets as of a time."""
        is_changed = self.is_changed(at, clock)
        fields = [
            {"name": column.name, "type": column.type, "description": column.description}
            for column in self.columns
            if is_changed or not column.is_added
        ]
        facets = {
            "schema": by.facet("SchemaDatasetFacet", fields=fields),
            "documentation": by.facet("DocumentationDatasetFacet", description=self.description),
            "ownership": by.facet("OwnershipDatasetFacet", owners=owners(self.owner)),
        }
        if tags := self._tags():
            facets["tags"] = by.facet("TagsDatasetFacet", tags=tags)
        return {**self.named(), "facets": facets}

    def _tags(self) -> list[Json]:
        return [
            {"key": "pii", "value": "true", "source": "USER", "field": column.name}
            for column in self.columns
            if column.is_pii
        ]


_COUPON = TableColumn(
    "coupon_code", "text", "Coupon the order was placed with, if any.", is_added=True
)

_ORDER_COLUMNS = (
    TableColumn("order_id", "bigint", "Number of the order."),
    TableColumn("customer_id", "bigint", "Who ordered."),
    TableColumn("sku", "text", "What was ordered."),
    TableColumn("quantity", "integer", "How many of it."),
    TableColumn("price", "numeric(10,2)", "Price of one, in euros."),
    TableColumn("status", "text", "placed, paid, shipped or cancelled."),
    TableColumn("created_at", "timestamptz", "When the order was placed."),
    _COUPON,
)
_CUSTOMER_COLUMNS = (
    TableColumn("customer_id", "bigint", "Number of the customer."),
    TableColumn("email", "text", "Address for receipts.", is_pii=True),
    TableColumn("full_name", "text", "Name as the customer gave it.", is_pii=True),
    TableColumn("country", "text", "Two letters, ISO 3166."),
    TableColumn("created_at", "timestamptz", "When the account was opened."),
)
_CHANGE_COLUMNS = (
    TableColumn("__op", "string", "c, u or d: what happened to the row."),
    TableColumn("__ts_ms", "int64", "When the database committed it."),
)
_ENRICHED_COLUMNS = (
    TableColumn("order_id", "int64", "Number of the order."),
    TableColumn("customer_id", "int64", "Who ordered."),
    TableColumn("customer_email", "string", "Address of who ordered.", is_pii=True),
    TableColumn("customer_country", "string", "Country of who ordered."),
    TableColumn("sku", "string", "What was ordered."),
    TableColumn("quantity", "int32", "How many of it."),
    TableColumn("price", "decimal(10,2)", "Price of one, in euros."),
    TableColumn("status", "string", "placed, paid, shipped or cancelled."),
    TableColumn("ordered_at", "timestamp", "When the order was placed."),
    _COUPON._replace(type="string"),
)

ORDERS = Table(
    postgres("commerce-db", 5432, "shop", "commerce", "orders"),
    "team:checkout",
    "Every order of the shop, as the checkout wrote it.",
    _ORDER_COLUMNS,
)
CUSTOMERS = Table(
    postgres("commerce-db", 5432, "shop", "commerce", "customers"),
    "team:accounts",
    "Customer accounts. Holds personal data.",
    _CUSTOMER_COLUMNS,
)
ORDER_CHANGES = Table(
    kafka(_BROKER, "cdc.commerce.orders"),
    "team:streaming",
    "Each change to an order, in the order of commits.",
    (*_ORDER_COLUMNS, *_CHANGE_COLUMNS),
    delay=MINUTE,
)
CUSTOMER_CHANGES = Table(
    kafka(_BROKER, "cdc.commerce.customers"),
    "team:streaming",
    "Each change to a customer, in the order of commits. Holds personal data.",
    (*_CUSTOMER_COLUMNS, *_CHANGE_COLUMNS),
)
ENRICHED = Table(
    kafka(_BROKER, "orders-enriched"),
    "team:streaming",
    "Orders with the country and the address of their customer.",
    _ENRICHED_COLUMNS,
    delay=2 * HOUR,
)
ALERTS = Table(
    kafka(_BROKER, "fraud-alerts"),
    "team:risk",
    "Orders that look wrong.",
    (
        TableColumn("order_id", "int64", "Number of the order."),
        TableColumn("score", "double", "0 harmless, 1 surely fraud."),
    ),
)
RAW = Table(
    snowflake(_ACCOUNT, "analytics", "raw", "orders_enriched"),
    "team:data-platform",
    "Enriched orders as they came from the topic.",
    (*_ENRICHED_COLUMNS, TableColumn("_loaded_at", "timestamp_ntz", "When the row was loaded.")),
    delay=3 * HOUR,
)
FACT = Table(
    snowflake(_ACCOUNT, "analytics", "marts", "orders_fact"),
    "team:analytics",
    "One row an order that was not cancelled; addresses are hashed.",
    (
        TableColumn("order_id", "number(38,0)", "Number of the order."),
        TableColumn("customer_email_hash", "varchar", "SHA-256 of the address of who ordered."),
        TableColumn("country", "varchar", "Country of who ordered."),
        TableColumn("order_date", "date", "Day of the order, UTC."),
        TableColumn("quantity", "number(38,0)", "How many were ordered."),
        TableColumn("price", "number(10,2)", "Price of one, in euros."),
        TableColumn("revenue", "number(12,2)", "quantity * price, in euros."),
        TableColumn("is_discounted", "boolean", "Placed with a coupon.", is_added=True),
    ),
    delay=6 * HOUR,
)
SUMMARY = Table(
    snowflake(_ACCOUNT, "analytics", "marts", "daily_revenue_summary"),
    "team:analytics",
    "Revenue, orders and customers by day and country.",
    (
        TableColumn("order_date", "date", "The day, UTC."),
        TableColumn("country", "varchar", "The country."),
        TableColumn("revenue", "number(14,2)", "Sum of quantity * price, in euros."),
        TableColumn("orders", "number(38,0)", "Number of orders."),
        TableColumn("customers", "number(38,0)", "Number of customers who ordered."),
        TableColumn("discounted_orders", "number(38,0)", "Orders with a coupon.", is_added=True),
    ),
    delay=6 * HOUR,
)
DASHBOARD = Table(
    DatasetName(DASHBOARDS, "dashboards.executive_revenue"),
    "team:finance",
    "What the board looks at: revenue by day and country.",
    (
        TableColumn("revenue_last_7_days", "number(14,2)", "Tile: revenue of the week."),
        TableColumn("revenue_by_country", "number(14,2)", "Map: revenue by country."),
        TableColumn("customers_last_7_days", "number(38,0)", "Tile: customers of the week."),
        TableColumn("average_order_value", "number(14,2)", "Tile: revenue by order."),
    ),
)
