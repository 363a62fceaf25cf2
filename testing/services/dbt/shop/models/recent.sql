{{ config(materialized='ephemeral') }}
select * from {{ ref('daily_revenue') }}
