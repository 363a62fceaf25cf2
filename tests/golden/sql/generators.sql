-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a lateral view
SELECT order_id, tag FROM lines LATERAL VIEW explode(tags) t AS tag;
--> reads lines
--> (result).order_id INT = lines.order_id IDENTITY
--> (result).tag = lines.tags TRANSFORMATION

-- case: a lateral view with places
SELECT p, tag FROM lines LATERAL VIEW posexplode(tags) t AS p, tag;
--> reads lines
--> (result).p = lines.tags TRANSFORMATION
--> (result).tag = lines.tags TRANSFORMATION

-- case: explode in the select list
SELECT order_id, explode(tags) AS tag FROM lines;
--> reads lines
--> (result).order_id INT = lines.order_id IDENTITY
--> (result).tag = lines.tags TRANSFORMATION

-- case: a stack
SELECT k, v FROM orders LATERAL VIEW stack(2, 'a', name, 'b', note) s AS k, v;
--> reads orders
--> (result).k = nothing
--> (result).v = orders.name IDENTITY, orders.note IDENTITY

-- case: a pivot
SELECT * FROM (SELECT name, supplier, price FROM orders) PIVOT (sum(price) FOR supplier IN (1 AS a, 2 AS b));
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).a = orders.price AGGREGATION, orders.supplier CONDITIONAL
--> (result).b = orders.price AGGREGATION, orders.supplier CONDITIONAL
--> (result) rows: orders.name GROUP_BY

-- case: an unpivot
SELECT id, k, v FROM (SELECT id, name, note FROM orders) UNPIVOT (v FOR k IN (name, note));
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).k = nothing
--> (result).v = orders.name IDENTITY, orders.note IDENTITY

-- case: files as a table
SELECT a FROM parquet.`/data/x`;
--> reads /data/x
--> (result).a = /data/x.a IDENTITY

-- case: a range has no source
SELECT id FROM range(10);
--> (result).id = nothing

-- case: windows of time
SELECT window.start AS started, count(id) AS n FROM orders GROUP BY window(at, '5 minutes');
--> reads orders
--> (result).started = orders.at TRANSFORMATION
--> (result).n BIGINT = orders.id AGGREGATION masked
--> (result) rows: orders.at FILTER GROUP_BY

-- case: rows through a script
SELECT TRANSFORM (id, name) USING 'cat' AS (a STRING, b STRING) FROM orders;
--> reads orders
--> (result).a = orders.id TRANSFORMATION, orders.name TRANSFORMATION
--> (result).b = orders.id TRANSFORMATION, orders.name TRANSFORMATION

-- case: all columns of a function that nobody knows
-- dialect: snowflake
SELECT o.id, f.* FROM orders o, TABLE(split_by_rules(o.note)) f;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).* = orders.note TRANSFORMATION
--> problem 1:16 star: The columns of split_by_rules are not known: `*` is not expanded.

-- case: a function that nobody knows, of nothing
-- dialect: snowflake
INSERT INTO target SELECT a, b FROM TABLE(newest_files(3));
--> INSERT target
--> target.a = nothing
--> target.b = nothing
--> problem 1:43 function: What newest_files reads is not known.

-- case: all columns of a function that is known
-- dialect: postgres
SELECT * FROM generate_series(1, 3) AS n CROSS JOIN jsonb_each('{}') AS e;
--> (result).n = nothing
--> (result).key = nothing
--> (result).value = nothing

-- case: all fields of a column whose fields nobody has listed
-- dialect: bigquery
SELECT o.note.* FROM orders o;
--> reads orders
--> (result).* = orders.note TRANSFORMATION
--> problem 1:15 star: The fields of o.note are not known: `*` is not expanded.
