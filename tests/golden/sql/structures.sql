-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: bigquery

-- case: fields of elements
SELECT order_id, (SELECT value FROM UNNEST(tags) WHERE key = 'x') AS x FROM lines;
--> reads lines
--> (result).order_id INT = lines.order_id IDENTITY
--> (result).x = lines.tags TRANSFORMATION FILTER

-- case: elements with a name
SELECT l.order_id, t.key FROM lines l, UNNEST(l.tags) AS t WITH OFFSET AS place;
--> reads lines
--> (result).order_id INT = lines.order_id IDENTITY
--> (result).key = lines.tags TRANSFORMATION

-- case: predicted by a model
SELECT id, predicted FROM ML.PREDICT(MODEL `d.m`, (SELECT id, name FROM orders));
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).predicted = orders.id TRANSFORMATION, orders.name TRANSFORMATION
--> problem 1:44 function: The columns that ML.PREDICT adds are not known.

-- case: columns by a pattern
-- dialect: duckdb
SELECT COLUMNS('.*a.*') FROM suppliers;
--> reads suppliers
--> (result).name STRING = suppliers.name IDENTITY

-- case: several functions side by side
-- dialect: postgres
SELECT x.p, x.q FROM ROWS FROM (generate_series(1, 2), unnest(ARRAY[1])) AS x(p, q);
--> (result).p = nothing
--> (result).q = nothing
--> problem 1:69 table: A table here has no name that is known.
--> problem 1:15 column: There is no column q in x.

-- case: the newest state of a stream
-- dialect: clickhouse
SELECT id FROM orders FINAL WHERE price > 1;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.price FILTER

-- case: nothing is read from dual
-- dialect: oracle
SELECT SYSDATE AS d FROM dual;
--> (result).d = nothing

-- case: an array of structures that is written out
-- dialect: bigquery
SELECT id, k, p.v FROM t, UNNEST([STRUCT('a' AS k, a AS v), ('b', b)]) AS p;
--> reads t
--> (result).id = t.id IDENTITY
--> (result).k = nothing
--> (result).v = t.a TRANSFORMATION, t.b TRANSFORMATION

-- case: an array of rows that is written out
-- dialect: trino
SELECT id, k, v, n FROM t CROSS JOIN UNNEST(ARRAY[ROW('a', a), ROW('b', b)]) WITH ORDINALITY AS x (k, v, n);
--> reads t
--> (result).id = t.id IDENTITY
--> (result).k = nothing
--> (result).v = t.a TRANSFORMATION, t.b TRANSFORMATION
--> (result).n = nothing

-- case: cells below each other, in the select list
-- dialect: spark
SELECT id, stack(2, 'a', a, 'b', b) AS (k, v) FROM t;
--> reads t
--> (result).id = t.id IDENTITY
--> (result).k = nothing
--> (result).v = t.a IDENTITY, t.b IDENTITY
