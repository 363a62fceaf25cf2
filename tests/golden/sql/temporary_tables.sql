-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: postgres

-- case: created by a query
CREATE TEMP TABLE t AS SELECT id, price FROM orders WHERE price > 1;
CREATE TABLE sums AS SELECT id, sum(price) AS total FROM t GROUP BY id;
--> reads orders
--> CREATE TABLE t (temporary)
--> t.id INT = orders.id IDENTITY
--> t.price DECIMAL = orders.price IDENTITY
--> t rows: orders.price FILTER
--> reads orders
--> CREATE TABLE sums
--> sums.id INT = orders.id IDENTITY
--> sums.total = orders.price AGGREGATION
--> sums rows: orders.id GROUP_BY, orders.price FILTER

-- case: filled more than once
CREATE TEMP TABLE t (a INT, b TEXT);
INSERT INTO t SELECT id, name FROM orders;
INSERT INTO t (a) SELECT id FROM suppliers;
UPDATE t SET b = upper(b);
INSERT INTO archive SELECT a, b FROM t;
--> CREATE t (temporary)
--> reads orders
--> INSERT t (temporary)
--> t.a INT = orders.id IDENTITY
--> t.b TEXT = orders.name IDENTITY
--> reads suppliers
--> INSERT t (temporary)
--> t.a INT = suppliers.id IDENTITY
--> UPDATE t (temporary)
--> t.b TEXT = orders.name TRANSFORMATION
--> reads orders, suppliers
--> INSERT archive
--> archive.a INT = orders.id IDENTITY, suppliers.id IDENTITY
--> archive.b TEXT = orders.name TRANSFORMATION

-- case: like another, which it does not read
CREATE TEMP TABLE t (LIKE suppliers);
INSERT INTO t SELECT id, name, 'x' FROM orders;
INSERT INTO archive SELECT * FROM t;
--> reads suppliers
--> CREATE TABLE t (temporary)
--> t.id INT = nothing
--> t.name STRING = nothing
--> t.country STRING = nothing
--> reads orders
--> INSERT t (temporary)
--> t.id INT = orders.id IDENTITY
--> t.name STRING = orders.name IDENTITY
--> t.country STRING = nothing
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> archive.name STRING = orders.name IDENTITY
--> archive.country STRING = nothing

-- case: selected into
-- dialect: tsql
SELECT id, name INTO #t FROM orders;
GO
INSERT INTO archive (a, b) SELECT id, name FROM #t;
--> reads orders
--> CREATE #t (temporary)
--> #t.id INT = orders.id IDENTITY
--> #t.name STRING = orders.name IDENTITY
--> reads orders
--> INSERT archive
--> archive.a INT = orders.id IDENTITY
--> archive.b STRING = orders.name IDENTITY

-- case: a table variable
DECLARE @t TABLE (a INT, b VARCHAR(10));
INSERT INTO @t SELECT id, name FROM orders;
INSERT INTO archive SELECT a, b FROM @t;
--> reads orders
--> INSERT @t (temporary)
--> @t.a INTEGER = orders.id IDENTITY
--> @t.b VARCHAR(10) = orders.name IDENTITY
--> reads orders
--> INSERT archive
--> archive.a INTEGER = orders.id IDENTITY
--> archive.b VARCHAR(10) = orders.name IDENTITY
