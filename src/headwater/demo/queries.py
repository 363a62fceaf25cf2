"""The SQL of the example's models, as dbt compiled it before and after the change."""

_FACT = """\
insert into analytics.marts.orders_fact
select
    order_id,
    sha2(lower(customer_email), 256) as customer_email_hash,
    customer_country as country,
    ordered_at::date as order_date,
    quantity,
    price,
    quantity * price as revenue{added}
from analytics.raw.orders_enriched
where status <> 'cancelled'"""

_SUMMARY = """\
create or replace table analytics.marts.daily_revenue_summary as
select
    order_date,
    country,
    sum(revenue) as revenue,
    count(order_id) as orders,
    count(distinct customer_email_hash) as customers{added}
from analytics.marts.orders_fact
group by order_date, country"""

DASHBOARD_SQL = """\
select
    sum(revenue) as revenue_last_7_days,
    sum(customers) as customers_last_7_days,
    sum(revenue) / sum(orders) as average_order_value
from analytics.marts.daily_revenue_summary
where order_date > current_date - 7"""


def fact_sql(is_changed: bool) -> str:
    added = ",\n    coupon_code is not null as is_discounted" if is_changed else ""
    return _FACT.format(added=added)


def summary_sql(is_changed: bool) -> str:
    added = ",\n    count_if(is_discounted) as discounted_orders" if is_changed else ""
    return _SUMMARY.format(added=added)
