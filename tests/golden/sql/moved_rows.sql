-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)

-- case: a function that writes files
-- dialect: clickhouse
INSERT INTO FUNCTION s3('https://bucket.s3.amazonaws.com/x.csv', 'CSV') SELECT id FROM orders;
--> reads orders
--> INSERT https://bucket.s3.amazonaws.com/x.csv
--> https://bucket.s3.amazonaws.com/x.csv.id INT = orders.id IDENTITY

-- case: a table on all servers
-- dialect: clickhouse
SELECT id FROM cluster('c', shop.orders);
--> reads shop.orders
--> (result).id = shop.orders.id IDENTITY

-- case: a mutation
-- dialect: clickhouse
ALTER TABLE orders UPDATE note = name WHERE id > 1;
--> reads orders
--> UPDATE orders
--> orders.note STRING = orders.name IDENTITY
--> orders rows: orders.id FILTER

-- case: rows are deleted by a mutation
-- dialect: clickhouse
ALTER TABLE orders ON CLUSTER c DELETE WHERE id > 1;
--> DELETE orders
--> orders rows: orders.id FILTER

-- case: a partition is moved to another table
-- dialect: clickhouse
ALTER TABLE suppliers MOVE PARTITION 1 TO TABLE archive;
--> reads suppliers
--> INSERT archive
--> archive.id INT = suppliers.id IDENTITY
--> archive.name STRING = suppliers.name IDENTITY
--> archive.country STRING = suppliers.country IDENTITY

-- case: a partition is switched to another table
-- dialect: tsql
ALTER TABLE suppliers SWITCH PARTITION 1 TO archive PARTITION 1;
--> reads suppliers
--> INSERT archive
--> archive.id INT = suppliers.id IDENTITY
--> archive.name STRING = suppliers.name IDENTITY
--> archive.country STRING = suppliers.country IDENTITY

-- case: what a procedure returns
-- dialect: tsql
INSERT INTO archive EXEC dbo.proc 1, 2;
--> INSERT archive
--> archive.* = nothing
--> problem 1:30 function: What proc reads is not known.
--> problem 1:21 star: The columns of proc are not known: `*` is not expanded.

-- case: files of a bulk rowset
-- dialect: tsql
SELECT r.id FROM OPENROWSET(BULK 'https://x.dfs.core.windows.net/c/*.parquet', FORMAT = 'PARQUET') WITH (id INT) AS r;
--> reads https://x.dfs.core.windows.net/c/*.parquet
--> (result).id = https://x.dfs.core.windows.net/c/*.parquet.id IDENTITY

-- case: copied into columns by their places
-- dialect: tsql
COPY INTO dbo.t (a 1, b 2) FROM 'https://x.blob.core.windows.net/c/f.csv' WITH (FILE_TYPE = 'CSV');
--> reads https://x.blob.core.windows.net/c/f.csv
--> COPY dbo.t

-- case: a variable is assigned
-- dialect: tsql
UPDATE t SET t.note = s.name, @v = t.id FROM orders t JOIN suppliers s ON s.id = t.supplier;
--> reads suppliers
--> UPDATE orders
--> orders.note STRING = suppliers.name IDENTITY
--> orders rows: orders.supplier JOIN, suppliers.id JOIN

-- case: a statement in a text
-- dialect: tsql
EXEC sp_executesql N'INSERT INTO archive SELECT id FROM orders';
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY

-- case: a statement in a text of its own
-- dialect: bigquery
EXECUTE IMMEDIATE "INSERT INTO archive SELECT id FROM orders";
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY

-- case: a field of a column is set
-- dialect: bigquery
UPDATE lines SET tags.first = s.name FROM suppliers s WHERE s.id = order_id;
--> reads suppliers
--> UPDATE lines
--> lines.tags = suppliers.name IDENTITY
--> lines rows: lines.order_id FILTER, suppliers.id FILTER

-- case: duplicates are removed
-- dialect: redshift
MERGE INTO orders USING suppliers ON orders.id = suppliers.id REMOVE DUPLICATES;
--> reads suppliers
--> MERGE orders
--> orders.id INT = suppliers.id IDENTITY
--> orders.name STRING = suppliers.name IDENTITY
--> orders.country STRING = suppliers.country IDENTITY
--> orders rows: orders.id JOIN, suppliers.id JOIN

-- case: values without the word
-- dialect: teradata
MERGE INTO suppliers AS t USING orders AS s ON t.id = s.supplier WHEN NOT MATCHED THEN INS (s.supplier, s.name, s.note);
--> reads orders
--> MERGE suppliers
--> suppliers.id INT = orders.supplier IDENTITY
--> suppliers.name STRING = orders.name IDENTITY
--> suppliers.country STRING = orders.note IDENTITY
--> suppliers rows: orders.supplier JOIN, suppliers.id JOIN

-- case: values by place, into a table that nobody has listed
-- dialect: trino
MERGE INTO unlisted t USING suppliers s ON t.i = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name);
--> reads suppliers
--> MERGE unlisted
--> unlisted.id = suppliers.id IDENTITY
--> unlisted.name = suppliers.name IDENTITY
--> unlisted rows: suppliers.id JOIN, unlisted.i JOIN

-- case: default values are of no table
-- dialect: postgres
MERGE INTO orders t USING suppliers s ON t.id = s.id WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
--> reads suppliers
--> MERGE orders
--> orders rows: orders.id JOIN, suppliers.id JOIN

-- case: standard input and programs are no datasets
-- dialect: postgres
COPY archive (a) FROM STDIN;
COPY (SELECT id FROM orders) TO PROGRAM 'gzip > x.gz';
--> COPY archive
--> reads orders
--> (result).id INT = orders.id IDENTITY

-- case: a query into files
-- dialect: trino
UNLOAD (SELECT id FROM orders) TO 's3://bucket/x' WITH (format = 'PARQUET');
--> reads orders
--> COPY s3://bucket/x
--> s3://bucket/x.id INT = orders.id IDENTITY

-- case: a query into a file
-- dialect: mysql
SELECT id, name INTO OUTFILE '/data/x.csv' FIELDS TERMINATED BY ',' FROM suppliers;
--> reads suppliers
--> COPY /data/x.csv
--> /data/x.csv.id INT = suppliers.id IDENTITY
--> /data/x.csv.name STRING = suppliers.name IDENTITY

-- case: a table is exported and imported
-- dialect: hive
EXPORT TABLE suppliers TO '/backup';
IMPORT TABLE restored FROM '/backup';
--> reads suppliers
--> COPY /backup
--> /backup.id INT = suppliers.id IDENTITY
--> /backup.name STRING = suppliers.name IDENTITY
--> /backup.country STRING = suppliers.country IDENTITY
--> reads /backup
--> INSERT restored

-- case: a procedure that returns a text
-- dialect: snowflake
CREATE PROCEDURE p() RETURNS STRING LANGUAGE SQL AS $$ BEGIN INSERT INTO archive SELECT id FROM orders; RETURN 'done'; END; $$;
--> reads orders
--> INSERT archive
--> archive.id INT = orders.id IDENTITY
