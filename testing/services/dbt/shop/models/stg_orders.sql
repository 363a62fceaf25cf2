{{ config(materialized='view') }}
select
    order_id,
    lower(email) as email,
    amount,
    cast(created_at as date) as day,
    region_id
from {{ source('raw', 'orders') }}
