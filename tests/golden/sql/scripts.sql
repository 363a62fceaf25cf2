-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: tsql

-- case: statements that no semicolon divides
DECLARE @x INT
SET @x = 3
SELECT id, name
INTO #t
FROM orders
WHERE id > @x

INSERT INTO archive (a, b)
SELECT id, name
FROM #t
UPDATE suppliers SET country = 'x' WHERE id = 1
WITH a AS (SELECT id FROM orders)
INSERT INTO z
SELECT id FROM a
DROP TABLE #t
--> reads orders
--> CREATE #t (temporary)
--> #t.id INT = orders.id IDENTITY
--> #t.name STRING = orders.name IDENTITY
--> #t rows: orders.id FILTER
--> reads orders
--> INSERT archive
--> archive.a INT = orders.id IDENTITY
--> archive.b STRING = orders.name IDENTITY
--> archive rows: orders.id FILTER
--> UPDATE suppliers
--> suppliers.country STRING = nothing
--> suppliers rows: suppliers.id FILTER
--> reads orders
--> INSERT z
--> z.id INT = orders.id IDENTITY

-- case: a block
-- dialect: bigquery
BEGIN
  CREATE TEMP TABLE t AS SELECT id FROM orders;
  INSERT INTO archive SELECT id FROM t;
END;
--> reads orders
--> CREATE TABLE t (temporary)
--> t.id INT = orders.id IDENTITY
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY

-- case: a block in dollars
-- dialect: postgres
DO $$ BEGIN INSERT INTO archive SELECT id FROM orders; DELETE FROM suppliers; END $$;
CREATE PROCEDURE p() LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO archive SELECT name FROM suppliers;
END;
$body$;
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
--> DELETE suppliers
--> reads suppliers
--> INSERT archive
--> archive.name STRING = suppliers.name IDENTITY

-- case: a schema of the catalog that is used
-- dialect: databricks
USE CATALOG main;
USE gold;
INSERT INTO t SELECT a FROM silver.s;
--> reads main.silver.s
--> INSERT main.gold.t
--> main.gold.t.a = main.silver.s.a IDENTITY

-- case: a database and its schema
-- dialect: snowflake
USE DATABASE prod;
USE SCHEMA sales;
INSERT INTO t SELECT a FROM s;
--> reads prod.sales.s
--> INSERT prod.sales.t
--> prod.sales.t.a = prod.sales.s.a IDENTITY

-- case: columns are added and dropped
-- dialect: postgres
ALTER TABLE suppliers ADD COLUMN z INT;
ALTER TABLE suppliers DROP COLUMN country;
ALTER TABLE suppliers RENAME COLUMN id TO key;
CREATE TABLE x AS SELECT * FROM suppliers;
--> reads suppliers
--> CREATE TABLE x
--> x.key INT = suppliers.key IDENTITY
--> x.name STRING = suppliers.name IDENTITY
--> x.z INT = suppliers.z IDENTITY

-- case: a materialized view without rows
CREATE MATERIALIZED VIEW v AS SELECT country, count(*) AS n FROM suppliers GROUP BY country WITH NO DATA;
--> reads suppliers
--> CREATE VIEW v
--> v.country STRING = suppliers.country IDENTITY
--> v.n BIGINT = nothing
--> v rows: suppliers.country GROUP_BY

-- case: a view that fills another table
-- dialect: clickhouse
CREATE MATERIALIZED VIEW v TO totals AS SELECT name, sum(price) AS total FROM orders GROUP BY name;
--> reads orders
--> INSERT totals
--> totals.name STRING = orders.name IDENTITY
--> totals.total = orders.price AGGREGATION
--> totals rows: orders.name GROUP_BY

-- case: a value with a name
WITH (SELECT max(id) FROM suppliers) AS m SELECT id, m FROM orders;
--> reads suppliers, orders
--> (result).id INT = orders.id IDENTITY
--> (result).m = suppliers.id AGGREGATION

-- case: dynamic partitions come last
-- dialect: hive
INSERT OVERWRITE TABLE part PARTITION (ds = '1', hr) SELECT name, at FROM orders;
--> reads orders
--> OVERWRITE part
--> part.name STRING = orders.name IDENTITY
--> part.hr TIMESTAMP = orders.at IDENTITY

-- case: a snapshot
-- dialect: bigquery
CREATE SNAPSHOT TABLE s CLONE suppliers;
--> reads suppliers
--> CREATE TABLE s
--> s.id INT = suppliers.id IDENTITY
--> s.name STRING = suppliers.name IDENTITY
--> s.country STRING = suppliers.country IDENTITY

-- case: a deep clone
-- dialect: databricks
CREATE OR REPLACE TABLE c DEEP CLONE suppliers VERSION AS OF 3;
--> reads suppliers
--> CREATE TABLE c
--> c.id INT = suppliers.id IDENTITY
--> c.name STRING = suppliers.name IDENTITY
--> c.country STRING = suppliers.country IDENTITY

-- case: a stream of changes
-- dialect: snowflake
CREATE STREAM changes ON TABLE suppliers;
INSERT INTO archive SELECT id FROM changes WHERE METADATA$ACTION = 'INSERT';
--> reads suppliers
--> CREATE VIEW changes
--> changes.id INT = suppliers.id IDENTITY
--> changes.name STRING = suppliers.name IDENTITY
--> changes.country STRING = suppliers.country IDENTITY
--> changes.METADATA$ACTION = nothing
--> changes.METADATA$ISUPDATE = nothing
--> changes.METADATA$ROW_ID = nothing
--> reads changes
--> INSERT archive
--> archive.id INT = changes.id IDENTITY
--> archive rows: changes.METADATA$ACTION FILTER

-- case: parts of tables change places
-- dialect: hive
ALTER TABLE suppliers EXCHANGE PARTITION (ds = '1') WITH TABLE other;
--> reads other
--> INSERT suppliers
--> suppliers.id INT = other.* IDENTITY
--> suppliers.name STRING = other.* IDENTITY
--> suppliers.country STRING = other.* IDENTITY
--> problem 1:1 star: The columns of other are not known: `*` is not expanded.

-- case: tables change places
-- dialect: clickhouse
EXCHANGE TABLES a AND b;
--> reads b, a
--> SWAP a
--> a.* = b.* IDENTITY
--> SWAP b
--> b.* = a.* IDENTITY
--> problem 1:1 star: The columns of b are not known: `*` is not expanded.
--> problem 1:1 star: The columns of a are not known: `*` is not expanded.

-- case: rows are moved
-- dialect: redshift
ALTER TABLE suppliers APPEND FROM other;
--> reads other
--> INSERT suppliers
--> suppliers.id INT = other.* IDENTITY
--> suppliers.name STRING = other.* IDENTITY
--> suppliers.country STRING = other.* IDENTITY
--> problem 1:1 star: The columns of other are not known: `*` is not expanded.
