-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: snowflake

-- case: staged files, by place
COPY INTO suppliers (id, name) FROM (SELECT $1, UPPER($2) FROM @stage/path) FILE_FORMAT = (TYPE = CSV);
--> reads @stage/path
--> COPY suppliers
--> suppliers.id INT = @stage/path.$1 IDENTITY
--> suppliers.name STRING = @stage/path.$2 TRANSFORMATION

-- case: a table into files
COPY INTO 's3://bucket/out/' FROM suppliers;
--> reads suppliers
--> COPY s3://bucket/out/
--> s3://bucket/out/.id INT = suppliers.id IDENTITY
--> s3://bucket/out/.name STRING = suppliers.name IDENTITY
--> s3://bucket/out/.country STRING = suppliers.country IDENTITY

-- case: unloaded
-- dialect: redshift
UNLOAD ('SELECT id, name FROM suppliers WHERE country = ''x''') TO 's3://bucket/out' FORMAT PARQUET;
--> reads suppliers
--> COPY s3://bucket/out
--> s3://bucket/out.id INT = suppliers.id IDENTITY
--> s3://bucket/out.name STRING = suppliers.name IDENTITY
--> s3://bucket/out rows: suppliers.country FILTER

-- case: exported
-- dialect: bigquery
EXPORT DATA OPTIONS (uri = 'gs://bucket/*.csv', format = 'CSV') AS SELECT id FROM suppliers;
--> reads suppliers
--> COPY gs://bucket/*.csv
--> gs://bucket/*.csv.id INT = suppliers.id IDENTITY

-- case: loaded
LOAD DATA INTO d.t FROM FILES (format = 'CSV', uris = ['gs://bucket/x.csv']);
--> reads gs://bucket/x.csv
--> INSERT d.t

-- case: loaded from a local file
-- dialect: mysql
LOAD DATA LOCAL INFILE '/data/x.csv' INTO TABLE suppliers;
--> reads /data/x.csv
--> INSERT suppliers

-- case: in bulk
-- dialect: tsql
BULK INSERT dbo.t FROM '/data/x.csv' WITH (FIELDTERMINATOR = ',');
--> reads /data/x.csv
--> INSERT dbo.t

-- case: to the screen is no file
-- dialect: postgres
COPY suppliers TO STDOUT;
--> reads suppliers
--> (result).id INT = suppliers.id IDENTITY
--> (result).name STRING = suppliers.name IDENTITY
--> (result).country STRING = suppliers.country IDENTITY

-- case: read by a function
-- dialect: duckdb
CREATE TABLE t AS SELECT a FROM read_parquet('s3://bucket/*.parquet');
--> reads s3://bucket/*.parquet
--> CREATE TABLE t
--> t.a = s3://bucket/*.parquet.a IDENTITY

-- case: a stream of files
-- dialect: databricks
CREATE OR REFRESH STREAMING TABLE t AS SELECT a FROM STREAM read_files('s3://bucket/x', format => 'json');
--> reads s3://bucket/x
--> CREATE TABLE t
--> t.a = s3://bucket/x.a IDENTITY

-- case: a folder in a format
-- dialect: spark
INSERT OVERWRITE DIRECTORY 's3://bucket/o' USING parquet SELECT id FROM suppliers;
--> reads suppliers
--> OVERWRITE s3://bucket/o
--> s3://bucket/o.id INT = suppliers.id IDENTITY
