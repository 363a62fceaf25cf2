-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)

-- case: a hybrid table
-- dialect: snowflake
CREATE HYBRID TABLE fast (id INT PRIMARY KEY, n STRING) AS SELECT id, name FROM orders;
--> reads orders
--> CREATE TABLE fast
--> fast.id INT = orders.id IDENTITY
--> fast.n VARCHAR = orders.name IDENTITY

-- case: a clone of a table that nobody has listed
-- dialect: snowflake
CREATE TABLE a.b.c CLONE a.b.d;
--> reads a.b.d
--> CREATE TABLE a.b.c
--> a.b.c.* = a.b.d.* IDENTITY
--> problem 1:1 star: The columns of a.b.d are not known: `*` is not expanded.

-- case: a semantic view
-- dialect: snowflake
SELECT country, total FROM SEMANTIC_VIEW(shop.sales METRICS o.total DIMENSIONS s.country, DATE_TRUNC('month', at) AS month WHERE s.kind = 'x');
--> reads shop.sales
--> (result).country = shop.sales.country IDENTITY
--> (result).total = shop.sales.total AGGREGATION
--> (result) rows: shop.sales.kind FILTER

-- case: a function by its schema's name
-- dialect: snowflake
SELECT * FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 100));
--> (result).* = nothing
--> problem 1:40 function: What QUERY_HISTORY reads is not known.
--> problem 1:8 star: The columns of QUERY_HISTORY are not known: `*` is not expanded.

-- case: a materialized view with its refresh
-- dialect: oracle
CREATE MATERIALIZED VIEW mv BUILD IMMEDIATE REFRESH FAST ON COMMIT AS SELECT id, name FROM orders;
--> reads orders
--> CREATE VIEW mv
--> mv.id INT = orders.id IDENTITY
--> mv.name STRING = orders.name IDENTITY

-- case: the next number of a sequence
-- dialect: oracle
INSERT INTO archive (id, name) SELECT numbers.NEXTVAL, name FROM orders;
--> reads orders
--> INSERT archive
--> archive.id = nothing
--> archive.name STRING = orders.name IDENTITY

-- case: a distributed table
-- dialect: tsql
CREATE TABLE dbo.n WITH (DISTRIBUTION = HASH(id), CLUSTERED COLUMNSTORE INDEX)
AS
SELECT id FROM orders;
--> reads orders
--> CREATE TABLE dbo.n
--> dbo.n.id INT = orders.id IDENTITY

-- case: a volatile table is temporary
-- dialect: teradata
CREATE VOLATILE TABLE vt AS (SELECT id FROM orders) WITH DATA PRIMARY INDEX (id) ON COMMIT PRESERVE ROWS;
INS INTO archive SEL id FROM vt;
--> reads orders
--> CREATE TABLE vt (temporary)
--> vt.id INT = orders.id IDENTITY
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY

-- case: a copy of a table
-- dialect: teradata
CREATE MULTISET TABLE copied AS suppliers WITH DATA;
--> reads suppliers
--> CREATE TABLE copied
--> copied.id INT = suppliers.id IDENTITY
--> copied.name STRING = suppliers.name IDENTITY
--> copied.country STRING = suppliers.country IDENTITY

-- case: a lock before a query
-- dialect: teradata
LOCKING ROW FOR ACCESS SELECT id FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: a foreign table
-- dialect: postgres
CREATE FOREIGN TABLE ft (id INT) SERVER s OPTIONS (table_name 'remote');
INSERT INTO local_copy SELECT * FROM ft;
--> CREATE ft
--> reads ft
--> INSERT local_copy
--> local_copy.id INT = ft.id IDENTITY

-- case: partitions are columns, the last ones
-- dialect: redshift
CREATE EXTERNAL TABLE spectrum.sold (id INT) PARTITIONED BY (day DATE) STORED AS PARQUET LOCATION 's3://bucket/sold/';
INSERT INTO spectrum.sold SELECT id, CAST(at AS DATE) FROM orders;
--> CREATE spectrum.sold
--> reads orders
--> INSERT spectrum.sold
--> spectrum.sold.id INTEGER = orders.id IDENTITY
--> spectrum.sold.day DATE = orders.at TRANSFORMATION

-- case: the fields of an object as rows
-- dialect: redshift
SELECT attr, val FROM lines AS t, UNPIVOT t.tags AS val AT attr;
--> reads lines
--> (result).attr = lines.tags TRANSFORMATION
--> (result).val = lines.tags TRANSFORMATION

-- case: a temporary view of files
-- dialect: spark
CREATE OR REPLACE TEMPORARY VIEW v USING csv OPTIONS (path 's3://bucket/x.csv', header 'true');
INSERT INTO archive SELECT id FROM v;
--> reads s3://bucket/x.csv
--> CREATE VIEW v (temporary)
--> v.* = s3://bucket/x.csv.* IDENTITY
--> problem 1:1 star: The columns of s3://bucket/x.csv are not known: `*` is not expanded.
--> reads s3://bucket/x.csv
--> INSERT archive
--> archive.id = s3://bucket/x.csv.id IDENTITY

-- case: a dictionary and its values
-- dialect: clickhouse
CREATE DICTIONARY db.countries (id UInt64, country String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'suppliers')) LAYOUT(FLAT());
SELECT dictGet('db.countries', 'country', supplier) AS country, dictGetOrDefault('db.countries', 'country', supplier, note) AS known FROM orders;
--> reads suppliers
--> CREATE DICTIONARY db.countries
--> db.countries.id = suppliers.id IDENTITY
--> db.countries.country = suppliers.country IDENTITY
--> reads orders, db.countries
--> (result).country = db.countries.country IDENTITY, orders.supplier CONDITIONAL
--> (result).known = db.countries.country IDENTITY, orders.note IDENTITY, orders.supplier CONDITIONAL

-- case: a dictionary of another system
-- dialect: clickhouse
CREATE DICTIONARY db.d (id UInt64) PRIMARY KEY id SOURCE(MYSQL(HOST 'h' TABLE 't')) LAYOUT(FLAT());
--> CREATE DICTIONARY db.d
--> db.d.id = nothing
--> problem 1:1 table: What the source MYSQL of the dictionary reads is not known.

-- case: only the columns of another table
-- dialect: clickhouse
CREATE TABLE copied AS suppliers ENGINE = MergeTree ORDER BY id;
--> CREATE copied

-- case: several arrays are joined
-- dialect: clickhouse
SELECT x, place FROM lines LEFT ARRAY JOIN tags AS x, arrayEnumerate(tags) AS place;
--> reads lines
--> (result).x = lines.tags TRANSFORMATION
--> (result).place = lines.tags TRANSFORMATION

-- case: several files
-- dialect: duckdb
SELECT x FROM read_parquet(['a.parquet', 'b.parquet']);
--> reads a.parquet, b.parquet
--> (result).x = a.parquet.x? IDENTITY, b.parquet.x? IDENTITY
--> problem 1:8 ambiguous: The column x may be of a.parquet or b.parquet.

-- case: whole rows as JSON
-- dialect: postgres
SELECT row_to_json(a) AS j FROM t1 AS a JOIN t2 AS b ON a.id = b.id;
--> reads t1, t2
--> (result).j = t1.* TRANSFORMATION
--> (result) rows: t1.id JOIN, t2.id JOIN

-- case: a pivot of a table that nobody has listed, with names
-- dialect: snowflake
SELECT * FROM sales PIVOT(SUM(amount) FOR quarter IN ('Q1', 'Q2')) AS p (empid, q1, q2);
--> reads sales
--> (result).empid = sales.* IDENTITY
--> (result).q1 = sales.amount AGGREGATION, sales.quarter CONDITIONAL
--> (result).q2 = sales.amount AGGREGATION, sales.quarter CONDITIONAL

-- case: names for a star and what stands behind it
-- dialect: postgres
WITH w (a, b, c) AS (SELECT *, x + 1 FROM unlisted) SELECT a, b, c FROM w;
--> reads unlisted
--> (result).a = unlisted.* IDENTITY
--> (result).b = unlisted.* IDENTITY
--> (result).c = unlisted.x TRANSFORMATION
