{{ config(materialized='incremental', unique_key='day') }}
with recent as (select * from {{ ref('recent') }})
select day, revenue from recent
{% if is_incremental() %}
where day > (select max(day) from {{ this }})
{% endif %}
