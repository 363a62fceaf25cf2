-- catalog: orders(id INT, name STRING, price DECIMAL, at TIMESTAMP, note STRING, supplier INT), suppliers(id INT, name STRING, country STRING), lines(order_id INT, sku STRING, count INT, tags)
-- dialect: flink

-- case: a computed column is made of the others when it is read
CREATE TABLE ev (uid STRING, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'kafka', 'topic' = 'ev', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
SELECT window_start, COUNT(uid) AS n FROM TABLE(TUMBLE(TABLE ev, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
SELECT * FROM ev;
--> CREATE ev as kafka://broker:9092 ev
--> reads ev
--> (result).window_start = ev.ms TRANSFORMATION
--> (result).n BIGINT = ev.uid AGGREGATION masked
--> (result) rows: ev.ms GROUP_BY
--> reads ev
--> (result).uid STRING = ev.uid IDENTITY
--> (result).ms BIGINT = ev.ms IDENTITY
--> (result).ts = ev.ms TRANSFORMATION
--> (result).pt = nothing

-- case: insert leaves out computed and virtual columns
CREATE TABLE s (x INT, y AS x * 2, m STRING METADATA VIRTUAL, k STRING METADATA FROM 'key', z STRING) WITH ('connector' = 'kafka', 'topic' = 's', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
INSERT INTO s SELECT id, note, name FROM orders;
--> CREATE s as kafka://broker:9092 s
--> reads orders
--> INSERT s as kafka://broker:9092 s
--> s.x INT = orders.id IDENTITY
--> s.k STRING = orders.note IDENTITY
--> s.z STRING = orders.name IDENTITY

-- case: like another, with its own options over the others
CREATE TABLE base (a INT, b STRING, d AS a + 1) WITH ('connector' = 'kafka', 'topic' = 'base', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE derived (c AS UPPER(b)) WITH ('topic' = 'derived') LIKE base (EXCLUDING WATERMARKS OVERWRITING OPTIONS);
SELECT * FROM derived;
--> CREATE base as kafka://broker:9092 base
--> reads base
--> CREATE TABLE derived as kafka://broker:9092 derived
--> derived.a INT = nothing
--> derived.b STRING = nothing
--> derived.d = nothing
--> reads derived
--> (result).a INT = derived.a IDENTITY
--> (result).b STRING = derived.b IDENTITY
--> (result).d = derived.a TRANSFORMATION
--> (result).c STRING = derived.b TRANSFORMATION

-- case: like another, without its options
CREATE TABLE base (a INT) WITH ('connector' = 'kafka', 'topic' = 'base', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
CREATE TABLE files WITH ('connector' = 'filesystem', 'path' = 's3://bucket/files', 'format' = 'csv') LIKE base (EXCLUDING OPTIONS);
INSERT INTO files SELECT a FROM base;
--> CREATE base as kafka://broker:9092 base
--> reads base
--> CREATE TABLE files as s3://bucket files
--> files.a INT = nothing
--> reads base
--> INSERT files as s3://bucket files
--> files.a INT = base.a IDENTITY

-- case: a temporary table stands for a topic all the same
CREATE TEMPORARY TABLE t (a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
INSERT INTO o SELECT a FROM t;
--> CREATE t as kafka://broker:9092 t
--> reads t
--> INSERT o
--> o.a INT = t.a IDENTITY

-- case: a table of a catalog
CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-type' = 'hive', 'uri' = 'thrift://meta:9083', 'warehouse' = 's3://bucket/lake');
USE CATALOG lake;
USE sales;
INSERT INTO daily SELECT name FROM default_catalog.default_database.orders;
--> reads default_catalog.default_database.orders
--> INSERT lake.sales.daily as s3://bucket lake/sales.db/daily
--> lake.sales.daily.name = default_catalog.default_database.orders.name IDENTITY

-- case: columns are added, dropped and renamed
CREATE TABLE a (x INT, y STRING) WITH ('connector' = 'kafka', 'topic' = 'a', 'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json');
ALTER TABLE a ADD (z INT);
ALTER TABLE a DROP (y);
ALTER TABLE a RENAME z TO zz;
ALTER TABLE a SET ('k' = 'v');
SELECT * FROM a;
--> CREATE a as kafka://broker:9092 a
--> reads a
--> (result).x INT = a.x IDENTITY
--> (result).zz INT = a.zz IDENTITY

-- case: what a model predicts
CREATE MODEL mood INPUT (text STRING) OUTPUT (label STRING, score DOUBLE) WITH ('provider' = 'openai');
SELECT id, label FROM ML_PREDICT(TABLE orders, MODEL mood, DESCRIPTOR(note));
SELECT id, score FROM orders, LATERAL TABLE(ML_PREDICT('mood', note));
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).label STRING = orders.note TRANSFORMATION
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).score = orders.note TRANSFORMATION

-- case: what a model predicts that nobody has described
SELECT id, label FROM ML_PREDICT(TABLE orders, MODEL other, DESCRIPTOR(note));
--> reads orders
--> (result).id INT = orders.id IDENTITY
--> (result).label = orders.note TRANSFORMATION
--> problem 1:23 function: The columns that ML_PREDICT adds are not known.

-- case: a session is of one key
SELECT window_start, name, SUM(price) AS total FROM TABLE(SESSION(TABLE orders PARTITION BY name, DESCRIPTOR(at), INTERVAL '5' MINUTES)) GROUP BY name, window_start, window_end;
--> reads orders
--> (result).window_start = orders.at TRANSFORMATION, orders.name WINDOW
--> (result).name STRING = orders.name IDENTITY
--> (result).total = orders.price AGGREGATION
--> (result) rows: orders.at GROUP_BY, orders.name GROUP_BY WINDOW

-- case: the window of a table that nobody has listed
INSERT INTO s (a, b, started, ended, seen) SELECT * FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(bt), INTERVAL '1' MINUTE));
--> reads bid
--> INSERT s
--> s.a = bid.* IDENTITY
--> s.b = bid.* IDENTITY
--> s.started = bid.bt TRANSFORMATION
--> s.ended = bid.bt TRANSFORMATION
--> s.seen = bid.bt TRANSFORMATION
--> problem 1:1 star: The columns of bid are not known: `*` is not expanded.

-- case: a field of a row with names
SELECT r.b FROM (SELECT CAST(ROW(id, name) AS ROW<a INT, b STRING>) AS r FROM orders);
--> reads orders
--> (result).b = orders.name TRANSFORMATION

-- case: modules are no databases
LOAD MODULE hive;
USE MODULES hive, core;
SELECT id FROM orders;
--> reads orders
--> (result).id INT = orders.id IDENTITY
