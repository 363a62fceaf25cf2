"""Programs in SQL over plain columns."""

from tests.spark.oracle.program import Program

ORDERS_AND_CUSTOMERS = ("orders", "customers")
STATEMENTS = (
    Program(
        "columns as they are",
        {"id": "id IDENTITY", "amount": "price IDENTITY"},
        sql="SELECT id, price AS amount FROM orders",
    ),
    Program(
        "arithmetic, text and time functions",
        {
            "total": "price TRANSFORMATION, quantity TRANSFORMATION",
            "who": "customer TRANSFORMATION",
            "label": "country TRANSFORMATION, customer TRANSFORMATION",
            "month": "at TRANSFORMATION",
            "text": "id TRANSFORMATION",
            "same": "price IDENTITY",
            "replaced": "country TRANSFORMATION, customer TRANSFORMATION",
        },
        sql="SELECT price * quantity AS total, upper(customer) AS who, "
        "concat_ws('-', country, customer) AS label, date_format(at, 'yyyy-MM') AS month, "
        "CAST(id AS string) AS text, CAST(price AS double) AS same, "
        "regexp_replace(country, 'D', customer) AS replaced FROM orders",
    ),
    Program(
        "choices",
        {
            "c": "country IDENTITY, customer IDENTITY, price CONDITIONAL, quantity CONDITIONAL",
            "i": "customer IDENTITY, id CONDITIONAL",
            "o": "country CONDITIONAL, country TRANSFORMATION, "
            "customer CONDITIONAL, customer TRANSFORMATION",
            "n": "country CONDITIONAL, country IDENTITY, customer CONDITIONAL",
            "g": "price IDENTITY, quantity TRANSFORMATION",
        },
        sql="SELECT CASE WHEN price > 2 THEN customer WHEN quantity > 3 THEN country END AS c, "
        "if(id = 1, customer, 'x') AS i, coalesce(customer, country) AS o, "
        "nullif(country, customer) AS n, greatest(price, quantity) AS g FROM orders",
    ),
    Program(
        "filters and order",
        {"id": "id IDENTITY"},
        rows="at SORT, country FILTER, price FILTER",
        sql="SELECT id FROM orders WHERE price > 2 AND country = 'DE' ORDER BY at DESC LIMIT 2",
    ),
    Program(
        "aggregates",
        {
            "country": "country IDENTITY",
            "total": "price AGGREGATION, quantity AGGREGATION",
            "n": "",
            "who": "customer AGGREGATION masked",
            "last": "at AGGREGATION",
            "mean": "price AGGREGATION, quantity CONDITIONAL",
            "best": "customer AGGREGATION, price AGGREGATION",
        },
        rows="country GROUP_BY, quantity FILTER",
        sql="SELECT country, sum(price * quantity) AS total, count(*) AS n, "
        "count(DISTINCT customer) AS who, max(at) AS last, "
        "avg(price) FILTER (WHERE quantity > 1) AS mean, max_by(customer, price) AS best "
        "FROM orders GROUP BY country HAVING sum(quantity) > 1",
    ),
    Program(
        "rollup",
        {
            "country": "country IDENTITY",
            "customer": "customer IDENTITY",
            "total": "price AGGREGATION",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        sql="SELECT country, customer, sum(price) AS total FROM orders "
        "GROUP BY ROLLUP (country, customer)",
    ),
    Program(
        "cube and grouping",
        {"country": "country IDENTITY", "g": "", "n": "quantity AGGREGATION"},
        rows="country GROUP_BY, customer GROUP_BY",
        sql="SELECT country, grouping(country) AS g, sum(quantity) AS n FROM orders "
        "GROUP BY CUBE (country, customer)",
    ),
    Program(
        "grouping sets",
        {"country": "country IDENTITY", "customer": "customer IDENTITY", "n": ""},
        rows="country GROUP_BY, customer GROUP_BY",
        sql="SELECT country, customer, count(*) AS n FROM orders "
        "GROUP BY GROUPING SETS ((country), (customer), ())",
    ),
    Program(
        "an inner join",
        {"id": "id IDENTITY", "name": "name IDENTITY"},
        rows="customer JOIN, key JOIN, price JOIN, tier JOIN",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id, name FROM orders JOIN customers ON customer = key AND price > tier",
    ),
    Program(
        "outer joins",
        {
            "who": "customer CONDITIONAL, customer TRANSFORMATION, "
            "key CONDITIONAL, key TRANSFORMATION",
            "name": "name IDENTITY",
            "price": "price IDENTITY",
        },
        rows="customer JOIN, key JOIN",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT coalesce(customer, key) AS who, name, price FROM orders "
        "FULL OUTER JOIN customers ON customer = key",
    ),
    Program(
        "semi and anti joins",
        {"id": "id IDENTITY, id TRANSFORMATION"},
        rows="customer JOIN, key JOIN, tier JOIN",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id FROM orders LEFT SEMI JOIN customers ON customer = key AND tier = 1 "
        "UNION ALL SELECT id + 100 FROM orders LEFT ANTI JOIN customers ON customer = key",
    ),
    Program(
        "a join with itself",
        {"first": "id IDENTITY", "more": "price TRANSFORMATION"},
        rows="country JOIN, id JOIN",
        sql="SELECT a.id AS first, b.price - a.price AS more FROM orders a "
        "JOIN orders b ON a.country = b.country AND a.id < b.id",
    ),
    Program(
        "window functions",
        {
            "id": "id IDENTITY",
            "place": "country WINDOW, price WINDOW",
            "before": "at WINDOW, price TRANSFORMATION",
            "running": "at WINDOW, customer WINDOW, quantity AGGREGATION",
            "first": "country WINDOW, customer AGGREGATION, id WINDOW",
            "half": "price WINDOW",
        },
        sql="SELECT id, row_number() OVER (PARTITION BY country ORDER BY price DESC) AS place, "
        "lag(price, 1, 0) OVER (ORDER BY at) AS before, "
        "sum(quantity) OVER (PARTITION BY customer ORDER BY at) AS running, "
        "first_value(customer) OVER (PARTITION BY country ORDER BY id) AS first, "
        "ntile(2) OVER (ORDER BY price) AS half FROM orders",
    ),
    Program(
        "a common table expression",
        {"id": "id IDENTITY", "customer": "customer IDENTITY"},
        sql="WITH e AS (SELECT * FROM orders) SELECT id, customer FROM e",
    ),
    Program(
        "common table expressions of others",
        {"p": "price TRANSFORMATION", "country": "country IDENTITY"},
        rows="id JOIN, quantity FILTER",
        sql="WITH t AS (SELECT id, price, country FROM orders WHERE quantity > 1), "
        "u AS (SELECT id, price * 2 AS p FROM t) "
        "SELECT u.p, t.country FROM u JOIN t ON u.id = t.id",
    ),
    Program(
        "a scalar and an existing subquery",
        {
            "id": "id IDENTITY",
            "top": "tier AGGREGATION",
            "who": "customer FILTER, key FILTER, name AGGREGATION",
        },
        rows="customer FILTER, key FILTER",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id, (SELECT max(tier) FROM customers) AS top, "
        "(SELECT max(name) FROM customers WHERE key = customer) AS who FROM orders "
        "WHERE EXISTS (SELECT 1 FROM customers WHERE key = customer)",
    ),
    Program(
        "in and not in a subquery",
        {"id": "id IDENTITY", "known": "customer TRANSFORMATION, key TRANSFORMATION, tier FILTER"},
        rows="customer FILTER, key FILTER, name FILTER",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id, customer IN (SELECT key FROM customers WHERE tier = 1) AS known "
        "FROM orders WHERE customer NOT IN (SELECT key FROM customers WHERE name = 'Cy')",
    ),
    Program(
        "a lateral subquery",
        {"id": "id IDENTITY", "who": "name TRANSFORMATION"},
        rows="customer FILTER, key FILTER",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id, who FROM orders, LATERAL (SELECT upper(name) AS who FROM customers "
        "WHERE key = customer)",
    ),
    Program(
        "unions",
        {"number": "id IDENTITY, tier IDENTITY", "who": "customer IDENTITY, name IDENTITY"},
        rows="price FILTER",
        tables=ORDERS_AND_CUSTOMERS,
        sql="SELECT id AS number, customer AS who FROM orders WHERE price > 2 "
        "UNION ALL SELECT tier, name FROM customers",
    ),
    Program(
        "set operations",
        {"who": "customer IDENTITY"},
        rows="customer FILTER, customer GROUP_BY, key FILTER",
        tables=ORDERS_AND_CUSTOMERS,
        sql="(SELECT customer AS who FROM orders INTERSECT SELECT key FROM customers) "
        "UNION (SELECT customer FROM orders EXCEPT SELECT key FROM customers)",
    ),
    Program(
        "distinct",
        {"country": "country IDENTITY"},
        rows="country GROUP_BY",
        sql="SELECT DISTINCT country FROM orders",
    ),
    Program(
        "a pivot",
        {
            "customer": "customer IDENTITY",
            "DE": "country CONDITIONAL, price AGGREGATION",
            "FR": "country CONDITIONAL, price AGGREGATION",
        },
        rows="country GROUP_BY, customer GROUP_BY",
        sql="SELECT * FROM (SELECT customer, country, price FROM orders) "
        "PIVOT (sum(price) FOR country IN ('DE', 'FR'))",
    ),
    Program(
        "an unpivot",
        {"id": "id IDENTITY", "what": "", "value": "country IDENTITY, customer IDENTITY"},
        rows="country CONDITIONAL, country FILTER, customer CONDITIONAL, customer FILTER",
        sql="SELECT id, what, value FROM orders UNPIVOT (value FOR what IN (customer, country))",
    ),
    Program(
        "values and ranges of the program",
        {"id": "id IDENTITY", "label": ""},
        rows="id JOIN",
        sql="SELECT id, label FROM orders JOIN (VALUES (1, 'one'), (2, 'two')) AS v(n, label) "
        "ON id = n",
    ),
    Program(
        "rows by stack",
        {"id": "id IDENTITY", "what": "", "much": "price IDENTITY, quantity TRANSFORMATION"},
        sql="SELECT id, stack(2, 'price', price, 'quantity', CAST(quantity AS double)) "
        "AS (what, much) FROM orders",
    ),
    Program(
        "masked values",
        {
            "hashed": "customer TRANSFORMATION masked",
            "m": "country TRANSFORMATION masked",
            "h": "id TRANSFORMATION masked",
        },
        sql="SELECT sha2(customer, 256) AS hashed, md5(country) AS m, hash(id) AS h FROM orders",
    ),
    Program(
        "windows of time",
        {"start": "at TRANSFORMATION", "country": "country IDENTITY", "total": "price AGGREGATION"},
        rows="at FILTER, at GROUP_BY, country GROUP_BY",
        sql="SELECT window.start AS start, country, sum(price) AS total FROM orders "
        "GROUP BY window(at, '10 minutes'), country",
    ),
    Program(
        "session windows",
        {
            "session_window.start": "at TRANSFORMATION",
            "session_window.end": "at TRANSFORMATION",
            "n": "",
            "total": "price AGGREGATION",
        },
        rows="at FILTER, at GROUP_BY, country GROUP_BY",
        sql="SELECT session_window, count(*) AS n, sum(price) AS total FROM orders "
        "GROUP BY session_window(at, '5 minutes'), country",
    ),
    Program(
        "qualified by a window",
        {"id": "id IDENTITY", "price": "price IDENTITY"},
        rows="country WINDOW, price WINDOW",
        sql="SELECT id, price FROM (SELECT *, rank() OVER (PARTITION BY country ORDER BY price) "
        "AS r FROM orders) WHERE r = 1",
    ),
    Program(
        "a sample and hints",
        {"id": "id IDENTITY", "price": "price IDENTITY"},
        sql="SELECT /*+ REPARTITION(2) */ id, price FROM orders TABLESAMPLE (100 PERCENT)",
    ),
    Program(
        "the pipe syntax",
        {"country": "country IDENTITY", "total": "price AGGREGATION"},
        rows="country GROUP_BY, country SORT, quantity FILTER",
        sql="FROM orders |> WHERE quantity > 1 |> EXTEND price * 2 AS double_price "
        "|> AGGREGATE sum(double_price) AS total GROUP BY country |> ORDER BY country",
    ),
)
