-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: spark

-- case: a table as a query
CREATE TABLE totals AS SELECT name, sum(price) AS total FROM orders GROUP BY name;
--> reads orders
--> CREATE TABLE totals
--> totals.name STRING = orders.name IDENTITY
--> totals.total = orders.price AGGREGATION
--> totals rows: orders.name GROUP_BY

-- case: a table with columns
CREATE TABLE t (a INT, b STRING);
--> CREATE t

-- case: a view
CREATE VIEW v AS SELECT id, upper(name) AS n FROM orders;
--> reads orders
--> CREATE VIEW v
--> v.id INT = orders.id IDENTITY
--> v.n STRING = orders.name TRANSFORMATION

-- case: a view with names
CREATE VIEW v (a, b) AS SELECT id, name FROM orders;
--> reads orders
--> CREATE VIEW v
--> v.a INT = orders.id IDENTITY
--> v.b STRING = orders.name IDENTITY

-- case: like another
CREATE TABLE t LIKE suppliers;
--> reads suppliers
--> CREATE TABLE t
--> t.id INT = nothing
--> t.name STRING = nothing
--> t.country STRING = nothing

-- case: a temporary view is what it reads
CREATE TEMPORARY VIEW t AS SELECT id, price FROM orders WHERE price > 1;
INSERT INTO archive SELECT price FROM t;
--> reads orders
--> CREATE VIEW t (temporary)
--> t.id INT = orders.id IDENTITY
--> t.price DECIMAL = orders.price IDENTITY
--> t rows: orders.price FILTER
--> reads orders
--> INSERT archive
--> archive.price DECIMAL = orders.price IDENTITY
--> archive rows: orders.price FILTER

-- case: a view is a table of its own
CREATE VIEW v AS SELECT id FROM orders;
INSERT INTO archive SELECT id FROM v;
--> reads orders
--> CREATE VIEW v
--> v.id INT = orders.id IDENTITY
--> reads v
--> INSERT archive
--> archive.id INT = v.id IDENTITY

-- case: a chain of views
CREATE VIEW v AS SELECT * FROM suppliers;
CREATE VIEW w AS SELECT * FROM v;
SELECT country FROM w;
--> reads suppliers
--> CREATE VIEW v
--> v.id INT = suppliers.id IDENTITY
--> v.name STRING = suppliers.name IDENTITY
--> v.country STRING = suppliers.country IDENTITY
--> reads v
--> CREATE VIEW w
--> w.id INT = v.id IDENTITY
--> w.name STRING = v.name IDENTITY
--> w.country STRING = v.country IDENTITY
--> reads w
--> (result).country STRING = w.country IDENTITY

-- case: a view of itself
CREATE VIEW v AS SELECT * FROM v;
--> reads v
--> CREATE VIEW v
--> v.* = v.* IDENTITY
--> problem 1:13 recursive: The view v reads itself.
--> problem 1:1 star: The columns of v are not known: `*` is not expanded.

-- case: cached
CACHE TABLE c AS SELECT id FROM orders WHERE price > 1;
SELECT id FROM c;
--> reads orders
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result) rows: orders.price FILTER

-- case: a table is used with the columns it was created with
CREATE TABLE t (a INT, b STRING);
INSERT INTO t SELECT id, name FROM orders;
SELECT * FROM t;
--> CREATE t
--> reads orders
--> INSERT t
--> t.a INT = orders.id IDENTITY
--> t.b STRING = orders.name IDENTITY
--> reads t
--> (result).a INT = t.a IDENTITY
--> (result).b STRING = t.b IDENTITY

-- case: dropped and gone
CREATE TABLE t (a INT);
DROP TABLE t;
SELECT * FROM t;
--> CREATE t
--> reads t
--> (result).* = t.* IDENTITY
--> problem 3:1 star: The columns of t are not known: `*` is not expanded.

-- case: in the schema of USE
USE sales;
INSERT INTO archive SELECT a FROM t;
--> reads sales.t
--> INSERT sales.archive
--> sales.archive.a = sales.t.a IDENTITY

-- case: a function has no lineage
CREATE FUNCTION f AS 'Udf' USING JAR '/tmp/udf.jar';
