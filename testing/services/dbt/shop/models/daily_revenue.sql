{{ config(materialized='table') }}
with orders as (select * from {{ ref('stg_orders') }})
select
    orders.day,
    regions.region,
    sum(orders.amount) as revenue,
    count(*) as orders
from orders
join {{ ref('regions') }} as regions on regions.region_id = orders.region_id
group by 1, 2
