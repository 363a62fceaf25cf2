-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), staff(id INT, c INT, pay INT)
-- dialect: snowflake

-- case: WHERE knows the aliases of the select list
-- dialect: snowflake
SELECT price * 2 AS twice FROM orders WHERE twice > 10;
--> reads orders
--> (result).twice = orders.price TRANSFORMATION
--> (result) rows: orders.price FILTER

-- case: of a table that nobody has listed
-- dialect: clickhouse
SELECT a + b AS c FROM t WHERE c > 1;
--> reads t
--> (result).c = t.a TRANSFORMATION, t.b TRANSFORMATION
--> (result) rows: t.a FILTER, t.b FILTER

-- case: elsewhere it does not
-- dialect: postgres
SELECT a + b AS c FROM t WHERE c > 1;
--> reads t
--> (result).c = t.a TRANSFORMATION, t.b TRANSFORMATION
--> (result) rows: t.c FILTER

-- case: ORDER BY means the column that is selected, GROUP BY the table's
-- dialect: snowflake
SELECT id AS name, max(name) AS id FROM orders GROUP BY name, id ORDER BY name;
--> reads orders
--> (result).name INT = orders.id IDENTITY
--> (result).id STRING = orders.name AGGREGATION
--> (result) rows: orders.id GROUP_BY SORT, orders.name GROUP_BY

-- case: sorted by all columns
-- dialect: duckdb
SELECT name, max(price) AS top FROM orders GROUP BY ALL ORDER BY ALL;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).top DECIMAL = orders.price AGGREGATION
--> (result) rows: orders.name GROUP_BY SORT, orders.price SORT

-- case: an alias of another query comes before a column without fields
-- dialect: tsql
SELECT s.id, t.pay FROM suppliers AS c JOIN suppliers s ON s.id = c.id CROSS APPLY (SELECT TOP 1 pay FROM staff WHERE staff.c = c.id) t;
--> reads suppliers, staff
--> (result).id INT = suppliers.id IDENTITY
--> (result).pay INT = staff.pay IDENTITY
--> (result) rows: staff.c FILTER, suppliers.id FILTER JOIN

-- case: columns by their place
-- dialect: snowflake
INSERT INTO target (x, y) SELECT $1, $2 || 'x' FROM (SELECT id, name FROM orders);
--> reads orders
--> INSERT target
--> target.x = orders.id IDENTITY
--> target.y VARCHAR = orders.name TRANSFORMATION

-- case: a place that is not known
-- dialect: snowflake
SELECT $3 FROM some_table;
--> reads some_table
--> (result).$3 = nothing
--> problem 1:9 column: What $3 is, is not known.

-- case: an alias in quotes before the value
-- dialect: tsql
SELECT 'total' = price * 2, n = name FROM orders;
--> reads orders
--> (result).total = orders.price TRANSFORMATION
--> (result).n STRING = orders.name IDENTITY

-- case: the word DEFAULT
-- dialect: postgres
UPDATE orders SET name = note, note = DEFAULT WHERE id = 1;
--> reads orders
--> UPDATE orders
--> orders.name STRING = orders.note IDENTITY
--> orders.note STRING = nothing
--> orders rows: orders.id FILTER

-- case: an expression with a name
-- dialect: clickhouse
WITH price * 2 AS twice, (SELECT max(id) FROM suppliers) AS newest SELECT id, twice, newest AS n FROM orders WHERE twice > 3;
--> reads suppliers, orders
--> (result).id INT = orders.id IDENTITY
--> (result).twice = orders.price TRANSFORMATION
--> (result).n = suppliers.id AGGREGATION
--> (result) rows: orders.price FILTER

-- case: aggregates of ClickHouse
-- dialect: clickhouse
SELECT sumIf(price, id > 3) AS s, uniqState(name) AS u, quantileIf(0.9)(price, id > 5) AS q, countState() AS n FROM orders;
--> reads orders
--> (result).s = orders.price AGGREGATION, orders.id CONDITIONAL
--> (result).u = orders.name AGGREGATION masked
--> (result).q = orders.price AGGREGATION, orders.id CONDITIONAL
--> (result).n = nothing

-- case: a share of all rows
-- dialect: oracle
SELECT name, ratio_to_report(price) OVER (PARTITION BY supplier) AS share FROM orders;
--> reads orders
--> (result).name STRING = orders.name IDENTITY
--> (result).share = orders.price AGGREGATION, orders.supplier WINDOW

-- case: a stream with an alias
-- dialect: databricks
SELECT e.id, d.country FROM STREAM(orders) e LEFT JOIN suppliers d ON e.supplier = d.id;
--> reads orders, suppliers
--> (result).id INT = orders.id IDENTITY
--> (result).country STRING = suppliers.country IDENTITY
--> (result) rows: orders.supplier JOIN, suppliers.id JOIN

-- case: all columns as an argument
-- dialect: snowflake
SELECT object_construct(*) AS o, hash(*) AS h, count(*) AS n FROM suppliers;
--> reads suppliers
--> (result).o = suppliers.id TRANSFORMATION, suppliers.name TRANSFORMATION, suppliers.country TRANSFORMATION
--> (result).h = suppliers.id TRANSFORMATION masked, suppliers.name TRANSFORMATION masked, suppliers.country TRANSFORMATION masked
--> (result).n BIGINT = nothing

-- case: methods of a column
-- dialect: tsql
SELECT p.id, n.x.value('(name)[1]', 'varchar(50)') AS name, dbo.f(p.id) AS f FROM orders p CROSS APPLY p.note.nodes('/items/item') AS n(x);
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).name = orders.note TRANSFORMATION
--> (result).f = orders.id TRANSFORMATION

-- case: a variable of the script
-- dialect: bigquery
DECLARE least INT64 DEFAULT 3;
SELECT id, price * least AS p FROM orders WHERE price > least;
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).p = orders.price TRANSFORMATION
--> (result) rows: orders.price FILTER

-- case: a query that gives a structure
-- dialect: bigquery
SELECT (SELECT AS STRUCT name AS x, id AS y).y AS z FROM orders;
--> reads orders
--> (result).z = orders.id TRANSFORMATION

-- case: rows of several tables are deleted
-- dialect: mysql
DELETE o, s FROM orders o JOIN suppliers s ON s.id = o.supplier WHERE o.price > 3;
--> reads orders, suppliers
--> DELETE suppliers
--> suppliers rows: orders.price FILTER, orders.supplier JOIN, suppliers.id JOIN
--> DELETE orders
--> orders rows: orders.price FILTER, orders.supplier JOIN, suppliers.id JOIN
