-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a table by Jinja
INSERT INTO archive SELECT id, name FROM {{ ref('orders') }} WHERE at > '{{ ds }}';
--> reads {{ ref('orders') }}
--> INSERT archive
--> archive.id = {{ ref('orders') }}.id IDENTITY
--> archive.name = {{ ref('orders') }}.name IDENTITY
--> archive rows: {{ ref('orders') }}.at FILTER
--> problem 1:42 template: The template {{ ref('orders') }} is kept as it is.

-- case: a schema by a variable
SELECT a FROM ${env}.events;
--> reads ${env}.events
--> (result).a = ${env}.events.a IDENTITY
--> problem 1:15 template: The template ${env} is kept as it is.

-- case: a value by a variable is nothing
SELECT id + ${offset} AS i FROM orders;
--> reads orders
--> (result).i = orders.id TRANSFORMATION
--> problem 1:13 template: The template ${offset} is kept as it is.

-- case: blocks
{% set x = 1 %}
SELECT id FROM orders {% if x %} WHERE price > 1 {% endif %};
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.price FILTER
--> problem 1:1 template: The template {% set x = 1 %} is kept as it is.
--> problem 2:23 template: The template {% if x %} is kept as it is.
--> problem 2:50 template: The template {% endif %} is kept as it is.

-- case: a model of dbt
{{ config(materialized='incremental') }}
WITH src AS (SELECT * FROM {{ source('raw', 'payments') }})
SELECT s.id, s.amount / 100 AS amount FROM src s {% if is_incremental() %} WHERE s.at > (SELECT max(at) FROM {{ this }}) {% endif %}
--> reads {{ source('raw', 'payments') }}, {{ this }}
--> (result).id = {{ source('raw', 'payments') }}.id IDENTITY
--> (result).amount = {{ source('raw', 'payments') }}.amount TRANSFORMATION
--> (result) rows: {{ source('raw', 'payments') }}.at FILTER, {{ this }}.at FILTER
--> problem 1:1 template: The template {{ config(materialized='incremental') }} is kept as it is.
--> problem 2:28 template: The template {{ source('raw', 'payments') }} is kept as it is.
--> problem 3:50 template: The template {% if is_incremental() %} is kept as it is.
--> problem 3:110 template: The template {{ this }} is kept as it is.
--> problem 3:122 template: The template {% endif %} is kept as it is.

-- case: one of several branches, a loop once
SELECT id, {% for m in methods %} sum(CASE WHEN note = '{{ m }}' THEN price END) AS {{ m }}_price {% if not loop.last %},{% endif %} {% endfor %} FROM {% if prod %} orders {% else %} sample {% endif %} GROUP BY id;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).{{ m }}_price = orders.price AGGREGATION, orders.note CONDITIONAL
--> (result) rows: orders.id GROUP_BY
--> problem 1:12 template: The template {% for m in methods %} is kept as it is.
--> problem 1:85 template: The template {{ m }} is kept as it is.
--> problem 1:99 template: What follows the template {% if not loop.last %} is left out.
--> problem 1:122 template: The template {% endif %} is kept as it is.
--> problem 1:134 template: The template {% endfor %} is kept as it is.
--> problem 1:152 template: The template {% if prod %} is kept as it is.
--> problem 1:173 template: What follows the template {% else %} is left out.
--> problem 1:191 template: The template {% endif %} is kept as it is.

-- case: a macro is no statement
{% macro half(a) %} {{ a }} / 2 {% endmacro %}
SELECT id FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> problem 1:1 template: What follows the template {% macro half(a) %} is left out.
--> problem 1:33 template: The template {% endmacro %} is kept as it is.
